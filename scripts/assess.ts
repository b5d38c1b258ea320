import { viewHash } from './contract/meaning.ts';
import type { Contract, JsonObject } from './contract/types.ts';
import type { ToolInput } from './hook/input.ts';
import type { OuterCall } from './invoker/outer-call.ts';
import { type Belief, believe } from './judge/believe.ts';
import { type Judgement, judge, type Policy } from './judge/judge.ts';
import type { Invalid } from './judge/validate.ts';
import { clientName, findTool, type NamedTool, spelled, waysToRead } from './names.ts';
import { type ProgramFile, programFiles, rebuilt } from './servers/program.ts';
import { type AllSources, allSources } from './sources/all.ts';
import type { Failure, Source, SourceProblem } from './sources/source.ts';
import { type LoadedConfig, loadConfig, policyFor } from './state/config.ts';
import { type Asked, askSource, type Live, readLive } from './state/live.ts';
import { readBaseline, type SessionBaseline, type SourceBaseline } from './state/sessions.ts';
import { type Tool, type Trust, trustOf } from './trust.ts';
import { modelView, readTranscript, type TranscriptIndex } from './view/transcript.ts';

const FAILED: Record<Exclude<Failure, 'unaskable'>, string> = {
  invalid: 'gave no valid answer',
  unreachable: 'cannot be reached',
};

const whyNot = ({ kind, name, why }: SourceProblem): string => `${kind ?? 'source'} ${name}: ${why}`;

/** How long the guard waits for a source, in ms. */
const DEADLINE = 2_000;

export interface Circumstances {
  home: string;
  project: string;
  env: NodeJS.ProcessEnv;
  /** How far the transcript was read already. */
  index?: TranscriptIndex;
  settled(key: string): boolean;
  /** Answers to questions that were asked then or later are live; ms since 1970. */
  since: number;
  /** Ask the source even if its last answer still counts as live. */
  force?: boolean;
}

/** Everything that a decision rests on, for the answer, the memo and `explain`. */
export interface Assessment {
  verdict: 'judged' | 'unchecked' | 'not-covered' | 'off';
  config: LoadedConfig;
  all: AllSources;
  policy: Policy;
  named: NamedTool;
  index: TranscriptIndex | null;
  /** Sources that were consulted, and whether the verdict rests on their being live. */
  consulted: { key: string; digest: string; fresh: boolean }[];
  /** Why it could not be checked, or is not covered. */
  why?: string;
  /** Nothing is wrong, and there is nothing to repair: it answers Claude Code alone, or nobody approved it. */
  unaskable?: boolean;
  /** The session's baseline of this source is still being asked for. */
  pending?: boolean;
  /** The program of a server that cannot be asked, and which of its files are no longer what they were. */
  program?: { files: ProgramFile[]; rebuilt: string[] };
  source?: Source;
  live?: Live;
  checkedAt?: number;
  tool?: string;
  view?: Contract;
  baseline?: { contract: Contract; late: boolean; completed?: boolean };
  belief?: Belief;
  judgement?: Judgement;
  /** What the lockfile says against the tool. */
  trust?: Trust;
  /** For a tool that is called through a generic invoker. */
  through?: OuterCall;
}

/** Where the tool is known: in what the source answers now, in what it answered at the start, or before that. */
const locate = (ways: NamedTool[], live: Live | undefined, atStart: readonly Contract[]) => {
  const past = Object.keys(live?.past ?? {}).map((name): Contract => ({ name, inputSchema: true }));
  for (const tools of [live?.tools ?? [], atStart, past]) {
    for (const way of ways) {
      const tool = findTool(tools, way);
      if (tool !== undefined) return { way, tool };
    }
  }
  return undefined;
};

/** Whether other tools of the same server look to the model as the source answers them. */
const askerAgrees = (views: Map<string, Contract>, prefix: string, live: Live, except: string): boolean | undefined => {
  const seen = live.tools
    .filter((tool) => tool.name !== except)
    .flatMap((tool) => {
      const view = views.get(clientName(prefix, tool.name));
      return view === undefined ? [] : [viewHash(view) === viewHash(tool)];
    })
    .slice(0, 20);
  return seen.length === 0 ? undefined : seen.includes(true);
};

/** What a source answers now; not asked where it answered before and never listed the tool. */
const consult = async (
  source: Source,
  ways: NamedTool[],
  started: SessionBaseline | undefined,
  config: LoadedConfig,
  { home, force, since }: Circumstances,
): Promise<{ source: Source; known?: Live; asked?: Asked }> => {
  const known = readLive(home, source.key);
  if (known && !locate(ways, known, started?.sources[source.key]?.tools ?? [])) return { source, known };
  const options = { freshFor: config.user.freshFor, deadline: DEADLINE, since, force };
  return { source, asked: await askSource(home, source, options) };
};

/** Which tool is judged, by what rules, and where it is looked for: in one place after the other. */
export interface Search {
  config: LoadedConfig;
  all: AllSources;
  named: NamedTool;
  ways: NamedTool[];
  rounds: { sources: Source[]; ways: NamedTool[] }[];
  policyOf(way: NamedTool): Policy;
  /** See `Question`: for a tool whose contract the client does not show to the model. */
  wrong?: readonly Invalid[];
}

/**
 * The pipeline: which source speaks for the tool → what it answers now → what the model believes → the verdict.
 * Reads and asks; writes nothing but the source's answer, and that there is a lockfile.
 */
export const assess = async (input: ToolInput, transcript: string, around: Circumstances): Promise<Assessment> => {
  const { home, project, env } = around;
  const config = loadConfig(home, project, env);
  const known = allSources(config, project, env);
  const nameOf = (server: string): string =>
    known.configured.find(({ name }) => spelled(name) === spelled(server))?.name ?? server;
  // Older clients tell no name of the server, and its spelling in the tool's name is not its name.
  const ways = waysToRead(input.toolName, input.server).map((way) => ({ ...way, server: nameOf(way.server) }));
  const named = ways[0] ?? { server: input.server ?? input.toolName, prefix: '', spelling: input.toolName };
  const concerned = ({ covers }: Pick<Source, 'covers'>): boolean =>
    input.server === undefined ? ways.some(({ server }) => covers(server)) : covers(input.server);
  // A gateway speaks for the tools that it lists; a server is asked itself where none does.
  const rounds = [known.gateways, known.servers].map((sources) => ({ sources: sources.filter(concerned), ways }));
  const policyOf = ({ server }: NamedTool): Policy => policyFor(config, server);
  return assessNamed(input, transcript, { config, all: known, named, ways, rounds, policyOf }, around);
};

/** The pipeline for a tool that is named already. */
export const assessNamed = async (
  input: ToolInput,
  transcript: string,
  search: Search,
  around: Circumstances,
): Promise<Assessment> => {
  const { config, all, named, ways, rounds, policyOf, wrong } = search;
  const { home, project, env, settled } = around;
  const policy = policyOf(named);
  const nothing = { config, all, policy, named, index: null, consulted: [] };
  if (policy.mode === 'off') return { ...nothing, verdict: 'off', why: 'the mode is off' };

  const started = readBaseline(home, input.session);
  const index = readTranscript(transcript, around.index);
  const consulted: Assessment['consulted'] = [];
  let failed: string | undefined;
  let unaskable = false;
  const trusted = <T extends object>(known: T, tool: Tool): T & Pick<Assessment, 'trust'> => {
    const trust = trustOf(home, project, policy, tool);
    return trust === undefined ? known : { ...known, trust };
  };
  for (const { sources, ways } of rounds) {
    // All at once: several that hang cost what one of them costs.
    const answers = await Promise.all(sources.map((source) => consult(source, ways, started, config, around)));
    for (const { source, known, asked } of answers) {
      const atStart = started?.sources[source.key];
      if (asked === undefined) {
        consulted.push({ key: source.key, digest: known?.digest ?? '', fresh: false });
        continue;
      }
      if (asked.status === 'failed') {
        failed ??= asked.kind === 'unaskable' ? asked.why : `${source.where} ${FAILED[asked.kind]} (${asked.why})`;
        unaskable ||= asked.kind === 'unaskable';
        continue;
      }
      const { live } = asked;
      consulted.push({ key: source.key, digest: live.digest, fresh: false });
      const found = locate(ways, live, atStart?.tools ?? []);
      if (!found) continue;
      consulted[consulted.length - 1] = { key: source.key, digest: live.digest, fresh: true };
      const basis = { config, all, policy: policyOf(found.way), named: found.way, index, consulted };
      const place = { ...basis, source, live, checkedAt: asked.head.checkedAt };
      if (found.tool === 'ambiguous') {
        return { ...place, verdict: 'unchecked', why: 'several tools of the source are spelled like this one' };
      }
      const decided = decide(place, found.tool.name, input, modelView(index), atStart, settled, wrong);
      if (decided.verdict === 'unchecked' && started?.failed[source.key]?.status === 'pending') decided.pending = true;
      const now = live.tools.find(({ name }) => name === decided.tool);
      return trusted(decided, { server: source.name, name: found.tool.name, live: now, view: decided.view });
    }
  }
  const rest = trusted(
    { config, all, policy, named, index, consulted },
    { server: named.server, name: named.spelling, view: modelView(index).get(input.toolName) },
  );
  if (failed !== undefined) return { ...rest, verdict: 'unchecked', why: failed, unaskable };
  const isIts = ({ name }: { name: string }): boolean => ways.some(({ server }) => spelled(name) === spelled(server));
  const problem = all.problems.find(isIts);
  if (problem) return { ...rest, verdict: 'unchecked', why: whyNot(problem) };
  const server = all.configured.find(isIts);
  if (server && server.state !== 'ready') {
    return { ...rest, verdict: 'unchecked', why: server.why ?? `it is ${server.state}`, unaskable: true };
  }
  if (server?.launch.type === 'stdio') {
    const files = programFiles(server.launch, project, env);
    const atStart = started?.programs?.[server.name];
    const program = { files, rebuilt: atStart === undefined ? [] : rebuilt(atStart, files) };
    return {
      ...rest,
      verdict: 'not-covered',
      why: 'its server is a program, which only its own client can ask',
      program,
    };
  }
  if (consulted.length > 0) return { ...rest, verdict: 'not-covered', why: 'no source lists this tool' };
  // A gateway that cannot be asked may be the one that lists it.
  const broken = all.problems.find(({ kind }) => kind === 'gateway');
  if (broken) return { ...rest, verdict: 'unchecked', why: whyNot(broken) };
  return { ...rest, verdict: 'not-covered', why: 'no source is configured for this server' };
};

type Place = Pick<Assessment, 'config' | 'all' | 'policy' | 'named' | 'index' | 'consulted'> & {
  source: Source;
  live: Live;
  checkedAt: number;
};

const decide = (
  place: Place,
  name: string,
  input: ToolInput,
  views: Map<string, Contract>,
  atStart: Pick<SourceBaseline, 'tools' | 'carried' | 'late' | 'completed'> | undefined,
  settled: (key: string) => boolean,
  wrong: readonly Invalid[] | undefined,
): Assessment => {
  const { live, named, policy } = place;
  const current = live.tools.find((tool) => tool.name === name) ?? null;
  const view = views.get(input.toolName);
  const byName = (tools: Contract[] | undefined) => tools?.find((tool) => tool.name === name);
  // After a /clear the client goes on showing what it listed earlier; only where the transcript is silent we must guess.
  const recorded = (view === undefined ? byName(atStart?.carried) : undefined) ?? byName(atStart?.tools);
  const baseline = recorded && { contract: recorded, late: atStart?.late ?? false, completed: atStart?.completed };
  const known = { ...place, tool: name, view, baseline };
  const belief: Belief =
    current === null
      ? {
          contract: view ?? recorded ?? { name, inputSchema: true },
          from: view ? 'model view' : 'baseline',
          why: 'the tool was there',
        }
      : believe({
          view,
          baseline,
          live: current,
          past: new Set(Object.hasOwn(live.past, name) ? live.past[name] : []),
          askerAgrees: askerAgrees(views, named.prefix, live, name),
        });
  const args = input.arguments as JsonObject;
  const judged = (believed: Contract): Judgement =>
    judge({ believed: { ...believed, name }, live: current, tools: live.tools, args, policy, settled, wrong });
  if (belief.contract === undefined) {
    const unchecked: Assessment = { ...known, belief, verdict: 'unchecked', why: belief.why };
    if (wrong === undefined || current === null) return unchecked;
    // Whatever the model believes: what the tool does not take, it does not take.
    const judgement = judged(current);
    return judgement.reasons.length > 0 ? { ...unchecked, judgement, verdict: 'judged', why: undefined } : unchecked;
  }
  const judgement = judged(belief.contract);
  return {
    ...known,
    belief,
    judgement,
    verdict: judgement.decision === 'unchecked' ? 'unchecked' : 'judged',
    why: judgement.why,
  };
};
