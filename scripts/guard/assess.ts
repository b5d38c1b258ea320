import { isPending, readBaseline, type SessionBaseline, type SourceBaseline } from '../baseline/sessions.ts';
import { type LoadedConfig, loadConfig, policyFor } from '../config/config.ts';
import { defined } from '../contract/defined.ts';
import { clientName, findTool, type NamedTool, spelled, waysToRead } from '../contract/names.ts';
import { type Contract, type JsonObject, own } from '../contract/types.ts';
import type { Invalid } from '../contract/validate.ts';
import { looksLike, lookupHash, withView } from '../contract/view.ts';
import { type Belief, believe } from '../judge/believe.ts';
import { type Judgement, judge, type Policy, type Question } from '../judge/judge.ts';
import { compareOthers, type Described } from '../judge/others.ts';
import { carriedBy, siblingName } from '../judge/twin.ts';
import { lockFolders } from '../lock/folder.ts';
import { type ProgramFile, programFiles, rebuilt } from '../servers/program.ts';
import { lookAtShared } from '../shared/kept.ts';
import { type AllSources, allSources } from '../sources/all.ts';
import { ageOfHead, type Head, LONGEST_TTL, readHead } from '../sources/head.ts';
import { askSource, type Live, type LiveAnswer, readLive } from '../sources/live.ts';
import { sessionKeeper } from '../sources/mcp/kept-session.ts';
import type { Failure, Source, SourceProblem } from '../sources/source.ts';
import { timeLeft } from '../state/asking.ts';
import { type Circumstances, thisMoment } from '../state/circumstances.ts';
import { firstLook } from '../state/markers.ts';
import { lockPath, projectConfigPath } from '../state/paths.ts';
import { look, type Stamped, witnessed } from '../state/stamp.ts';
import { quoteName } from '../text/quote.ts';
import { say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { type ModelView, modelView, readTranscript, type TranscriptIndex } from '../transcript/model-view.ts';
import type { CallPlace } from './fast-path.ts';
import type { ToolInput } from './input.ts';
import type { OuterCall } from './invoker/outer-call.ts';
import { placeholders } from './invoker/skeleton.ts';
import { type KnownTool, type LockDoubt, trustBehind } from './trust.ts';
import { withValidTwin } from './twin-call.ts';

const FAILED: Record<Exclude<Failure, 'unaskable'>, string> = {
  invalid: 'gave no valid answer',
  unreachable: 'cannot be reached',
};

const whyNot = ({ kind, name, why }: SourceProblem): string =>
  say`${kind ?? 'source'} ${quoteName(name)}: ${visible(why, { max: 300 })}`;

/** What an assessment needs besides the hook's input. */
export interface CallContext extends CallPlace {
  /** How far the transcript was read before. */
  index?: TranscriptIndex | undefined;
  /** Whether a reason was told, or asked about and granted, under the same circumstances: then it is not repeated. */
  settled(reason: Circumstances): boolean;
  /** Ask the source even if its last answer still counts as live. */
  force?: boolean | undefined;
}

/** A tool that its source knows, and what this conversation knows of it. */
export interface ExaminedTool {
  name: string;
  view?: Contract;
  baseline?: { contract: Contract; late: boolean; completed?: boolean };
  belief: Belief;
}

/** The source that speaks for the tool, and what it answered. */
interface SourceFacts {
  source: Source;
  live: Live;
  checkedAt: number;
  /** What it answered when the session started. */
  atStart?: SourceBaseline;
  /** Absent if the called name can mean several tools of the source. */
  tool?: ExaminedTool;
}

/** What every assessment is based on, for the answer, the memo and `explain`. */
interface Basis {
  config: LoadedConfig;
  all: AllSources;
  policy: Policy;
  named: NamedTool;
  index: TranscriptIndex | null;
  /** Sources that were consulted, and whether their answers must be live for the verdict to hold, or may be a minute old. */
  consulted: { key: string; digest: string; fresh: boolean }[];
  /** The settings files that it depends on. */
  settings: Stamped[];
  /** Absent if no source that knows the tool answered. */
  facts?: SourceFacts;
  /** What the lockfile says against the tool, if anything. */
  trust?: LockDoubt;
  /** For a tool that is called through an invoker. */
  through?: OuterCall;
}

export interface Judged extends Basis {
  verdict: 'judged';
  judgement: Judgement;
  why?: string;
}

interface UncheckedCall extends Basis {
  verdict: 'unchecked';
  why: string;
  /** Nothing here can be repaired: the server answers only Claude Code, or is not approved. */
  unaskable?: boolean;
  /** The server itself answered, and the tool is not in its list. */
  unlisted?: true;
  /** This source is still being asked for the session's baseline. */
  pending?: boolean;
  /** The client does not record which contracts it shows the model. That holds for every call of the conversation. */
  hidden?: boolean;
  /** What is known although the call could not be checked. */
  judgement?: Judgement;
}

export interface NotCovered extends Basis {
  verdict: 'not-covered';
  why: string;
  /** The program of a server that cannot be asked, and which of its files changed since the session started. */
  program?: { files: ProgramFile[]; rebuilt: string[] };
}

interface Off extends Basis {
  verdict: 'off';
  why: string;
}

/** Everything that is known about one call, and the verdict that follows from it. */
export type Assessment = Judged | UncheckedCall | NotCovered | Off;

/** The judgement of a call; undefined if it could not be judged. */
export const judgementOf = (found: Assessment): Judgement | undefined =>
  found.verdict === 'judged' || found.verdict === 'unchecked' ? found.judgement : undefined;

/** The tool's live contract; undefined if its source did not answer, or no longer has the tool. */
export const liveContract = ({ facts }: Assessment): Contract | undefined =>
  facts?.live.tools.find(({ name }) => name === facts.tool?.name);

/** Finds the tool in what the source answers now, else in what it answered at the session's start, else before that. */
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

/** Whether an answer was asked for before the call was made: a stop must not be based on such a one. */
const isOlder = (head: Head, { since }: CallContext): boolean =>
  head.checkedAt < since.at || head.checkedUp < since.up || ageOfHead(head) === undefined;

/**
 * Whether it was asked in a session from before the call: a server may go on showing that one its old tools. The resident
 * guard keeps its sessions itself, and is told of changes in them.
 */
const isOfOldSession = ({ key }: Source, { home, since, knowledge }: CallContext): boolean => {
  const kept = knowledge === undefined ? sessionKeeper(home, key)?.read() : undefined;
  return kept !== undefined && kept.age > Date.now() - since.at;
};

/** @param after an answer counts if it was asked for at this moment or later */
const ask = (
  source: Source,
  config: LoadedConfig,
  session: string,
  { home, since, ...around }: CallContext,
  after = since,
) => {
  const { freshFor } = config.user;
  return (around.knowledge?.ask ?? askSource)(home, source, {
    freshFor,
    deadline: timeLeft(since),
    since: after,
    session,
    force: around.force,
  });
};

/** What a source is asked about. */
interface Consultation {
  ways: NamedTool[];
  session: string;
  started: SessionBaseline | undefined;
  /** An answer that is up to a minute old is enough if it does not list the tool. */
  mayWait: boolean;
  config: LoadedConfig;
  around: CallContext;
}

/** Asks a source; or only gives what is known of it (`known`), if that is enough. */
const consult = async (
  source: Source,
  { ways, session, started, mayWait, config, around }: Consultation,
): Promise<{ source: Source; known?: Live; asked?: LiveAnswer }> => {
  if (mayWait && !around.force) {
    const [known, head] = [readLive(around.home, source.key), readHead(around.home, source.key)];
    const age = head && head.failure === undefined && head.digest === known?.digest ? ageOfHead(head) : undefined;
    const listed = known && locate(ways, known, started?.sources[source.key]?.tools ?? []);
    if (known && !listed && age !== undefined && age < LONGEST_TTL) return { source, known };
  }
  return { source, asked: await ask(source, config, session, around) };
};

/** Which tool is judged, under which policy, and where it is looked for. */
export interface Search {
  config: LoadedConfig;
  all: AllSources;
  settings: Stamped[];
  named: NamedTool;
  /** The configured server that the name means, if there is one. */
  owner?: string | undefined;
  ways: NamedTool[];
  rounds: { sources: Source[]; ways: NamedTool[] }[];
  policyOf(way: NamedTool): Policy;
  /** Set if the call goes to another server of this name than the configured one: why that one is not asked. */
  elsewhere?: string;
  /** See `Question.wrong`: for a tool whose contract the client does not show to the model. */
  wrong?: readonly Invalid[];
}

/** The servers that a tool's name can mean: older clients do not tell the server, and two names can have one spelling. */
const readingsOf = (
  toolName: string,
  server: string | undefined,
  configured: readonly { name: string }[],
): { owner?: string; ways: NamedTool[] }[] => {
  const ways = waysToRead(toolName, server);
  const exact = configured.some(({ name }) => name === server) ? server : undefined;
  const owners = new Map<string, NamedTool[]>();
  const unowned: NamedTool[] = [];
  for (const way of ways) {
    const alike = configured.filter(({ name }) => spelled(name) === spelled(way.server));
    const named = exact === undefined ? alike : [{ name: exact }];
    for (const { name } of named) owners.set(name, [...(owners.get(name) ?? []), { ...way, server: name }]);
    if (named.length === 0) unowned.push(way);
  }
  // Configured servers come first; a gateway may know one that is not configured.
  const known = [...owners].map(([owner, own]) => ({ owner, ways: own.concat(owners.size === 1 ? unowned : []) }));
  return known.length > 0 ? known : [{ ways: unowned }];
};

/**
 * Says so if a call goes to another server of the name than the one that would be asked: the client keeps its connection when
 * an entry of nearer scope appears.
 */
const otherScope = (
  { scope }: ToolInput,
  owner: string | undefined,
  configured: AllSources['configured'],
): string | undefined => {
  const nearest = configured.find(({ name }) => name === owner);
  if (nearest?.hides?.some((one) => one === scope) !== true) return undefined;
  return `the call goes to the server of this name of scope ${quoteName(scope ?? '')}, and one of scope ${quoteName(nearest.scope)} came since: restart Claude Code to use it`;
};

const weightOf = (trust: LockDoubt | undefined): number => [undefined, 'notice', 'ask', 'deny'].indexOf(trust?.verdict);

/** One verdict for a name that can mean several servers; unchecked if their verdicts differ. */
const agreed = (found: Assessment[]): Assessment => {
  // A server that answers without the tool cannot be meant.
  const listing = found.filter((one) => one.verdict !== 'unchecked' || !one.unlisted);
  // What a person has not approved of one of them is not approved for the name.
  const possible = listing.sort((a, b) => weightOf(b.trust) - weightOf(a.trust));
  const [first = found[0] as Assessment, ...others] = possible;
  const verdictOf = (one: Assessment) => `${one.verdict} ${judgementOf(one)?.decision}`;
  const consulted = found.flatMap((one) => one.consulted);
  if (others.every((one) => verdictOf(one) === verdictOf(first))) return { ...first, consulted };
  const servers = found.map(({ named }) => quoteName(named.server)).join(' and ');
  const why = `${servers} are spelled alike in the name of this tool, and differ: the name does not tell which one is called`;
  const { config, all, policy, named, index, settings, facts, trust, through } = first;
  const basis = { config, all, policy, named, index, settings, ...defined({ facts, trust, through }) };
  const pending = first.verdict === 'unchecked' && first.pending;
  return { ...basis, consulted, verdict: 'unchecked', why, unaskable: true, ...(pending && { pending }) };
};

/**
 * The pipeline: which source speaks for the tool → what it answers now → what the model believes → the verdict. Writes
 * only the source's answer, and a note that the project has a lockfile.
 * @param transcript its path; empty if unknown
 */
export const assess = async (input: ToolInput, transcript: string, around: CallContext): Promise<Assessment> => {
  const { home, project, env } = around;
  const { result, files } = witnessed(() => {
    // Approvals and the rules about them may stand further up.
    for (const folder of lockFolders(project, env))
      for (const path of [lockPath, projectConfigPath]) look(path(folder));
    const config = loadConfig(home, project, env);
    // A verdict is void as soon as other approvals were fetched.
    const { shared } = config.user;
    if (shared) lookAtShared(home, shared, env);
    return { config, all: allSources(config, project, env) };
  });
  const { config, all } = result;
  const policyOf = ({ server }: NamedTool): Policy => policyFor(config, server);
  const assessments = readingsOf(input.toolName, input.server, all.configured).map(async ({ owner, ways }) => {
    const named = ways[0] ?? { server: input.server ?? input.toolName, prefix: '', spelling: input.toolName };
    const elsewhere = otherScope(input, owner, all.configured);
    const servers =
      owner === undefined || elsewhere !== undefined ? [] : all.servers.filter(({ name }) => name === owner);
    const meant = owner ?? input.server;
    const mayCover = ({ covers }: Source): boolean =>
      meant === undefined ? ways.some(({ server }) => covers(server)) : covers(meant);
    // A gateway speaks for the tools that it lists; a server is asked itself if no gateway does.
    const rounds = [all.gateways.filter(mayCover), servers];
    const search = { config, all, settings: files, named, owner, ways, policyOf, ...defined({ elsewhere }) };
    return assessNamed(input, transcript, { ...search, rounds: rounds.map((sources) => ({ sources, ways })) }, around);
  });
  return agreed(await Promise.all(assessments));
};

/** Whether the call would be denied or asked about. */
const wouldStop = (found: Assessment): boolean =>
  ['deny', 'ask'].includes(judgementOf(found)?.decision ?? '') ||
  ['deny', 'ask'].includes(found.trust?.verdict ?? '') ||
  (found.policy.mode === 'strict' && found.verdict === 'unchecked');

/** The pipeline for a search: asks its rounds of sources one after the other, until one speaks for the tool. */
export const assessNamed = async (
  input: ToolInput,
  transcript: string,
  search: Search,
  around: CallContext,
): Promise<Assessment> => {
  const { config, all, settings, named, ways, rounds, policyOf } = search;
  const { home, project, env } = around;
  const policy = policyOf(named);
  const nothing = { config, all, settings, policy, named, index: null, consulted: [] };
  if (policy.mode === 'off') return { ...nothing, verdict: 'off', why: 'the mode is off' };

  const started = readBaseline(home, input.session);
  const index = readTranscript(transcript, around.index);
  const { tools: views, hidden } = modelView(index);
  const consulted: Assessment['consulted'] = [];
  let failed: { why: string; unaskable: boolean } | undefined;
  let unlisted = false;
  const trusted = <T extends object>(
    known: T,
    tool: KnownTool,
    speaker = tool.server,
  ): T & Pick<Assessment, 'trust'> => {
    const trust = trustBehind(home, project, policy, tool, speaker, { settings: config.user.shared, env });
    return trust === undefined ? known : { ...known, trust };
  };
  const itself = search.elsewhere !== undefined ? [] : all.servers.filter(({ name }) => name === search.owner);
  /**
   * Whether a gateway that names no servers may list another server's tool of this name: neither what the model sees nor
   * what the server itself answered is a contract that it lists or listed.
   */
  const mayBeNamesake = (source: Source, ways: NamedTool[], live: Live, name: string): boolean => {
    if (search.owner === undefined || !all.gateways.includes(source) || !source.covers(undefined)) return false;
    const atStart = started?.sources[source.key]?.tools ?? [];
    const listed = [...live.tools, ...atStart].filter((tool) => tool.name === name);
    const past = Object.hasOwn(live.past, name) ? live.past[name] : undefined;
    const lists = itself.flatMap(({ key }) => [started?.sources[key]?.tools, readLive(home, key)?.tools]);
    const its = lists.map((tools = []) => ways.map((way) => findTool(tools, way)).find((tool) => tool !== undefined));
    return ![views.get(input.toolName), ...its].some(
      (one) =>
        typeof one === 'object' &&
        (past?.includes(lookupHash(one)) || listed.some((contract) => looksLike(one, contract))),
    );
  };
  /** Gateways that may list a namesake: they speak for the tool if the server itself does not. */
  const aside: Source[] = [];
  /** The assessment by one source's answer; undefined if it failed, or does not know the tool. */
  const judged = (source: Source, ways: NamedTool[], asked: LiveAnswer): Assessment | undefined => {
    const atStart = started?.sources[source.key];
    if (asked.status === 'failed') {
      const { kind, why } = asked;
      failed ??=
        kind === 'unaskable'
          ? { why, unaskable: true }
          : { why: `${source.where} ${FAILED[kind]} (${why})`, unaskable: false };
      return undefined;
    }
    const { live } = asked;
    const found = locate(ways, live, atStart?.tools ?? []);
    const namesake =
      found !== undefined && found.tool !== 'ambiguous' && mayBeNamesake(source, ways, live, found.tool.name);
    const yields = namesake && itself.length > 0 && !aside.includes(source);
    const fresh = !yields && (found !== undefined || views.has(input.toolName));
    consulted.push({ key: source.key, digest: live.digest, fresh });
    if (yields) {
      aside.push(source);
      return undefined;
    }
    if (!found) {
      unlisted ||= source.name === search.owner && all.servers.includes(source);
      return undefined;
    }
    const basis = { config, all, settings, policy: policyOf(found.way), named: found.way, index, consulted };
    const answer = { source, live, checkedAt: asked.head.checkedAt, ...defined({ atStart }) };
    if (found.tool === 'ambiguous') {
      const why = 'several tools of the source are spelled like this one';
      return { ...basis, facts: answer, verdict: 'unchecked', why };
    }
    const { name } = found.tool;
    const decided = decide({ basis, answer, name, namesake, input, views, hidden, atStart, search, around });
    if (decided.verdict === 'unchecked' && isPending(home, input.session, started, source.key)) decided.pending = true;
    const now = live.tools.find((tool) => tool.name === name);
    // People approve the server's tools, not the names that wrap gives to them.
    const pinned = own(live.standsFor, name);
    const tool = { name: typeof pinned === 'string' ? pinned : name, live: now, view: decided.facts?.tool?.view };
    return trusted(decided, { server: found.way.server, ...tool }, source.name);
  };
  for (const { sources, ways } of [...rounds, { sources: aside, ways: search.ways }]) {
    if (sources === aside)
      for (const { key } of aside)
        consulted.splice(
          consulted.findIndex((one) => one.key === key),
          1,
        );
    // All are asked at once, so that several that hang take no longer than one.
    const answers = await Promise.all(
      sources.map((source) => {
        const mayWait = all.gateways.includes(source) && !views.has(input.toolName);
        return consult(source, { ways, session: input.session, started, mayWait, config, around });
      }),
    );
    for (const { source, known, asked } of answers) {
      if (asked === undefined) {
        consulted.push({ key: source.key, digest: known?.digest ?? '', fresh: false });
        continue;
      }
      const before = { consulted: consulted.length, failed };
      const found = judged(source, ways, asked);
      const stops = found === undefined ? asked.status === 'failed' && policy.mode === 'strict' : wouldStop(found);
      if (!stops || !(isOlder(asked.head, around) || isOfOldSession(source, around))) {
        if (found === undefined) continue;
        return found;
      }
      // A stop needs an answer from after the call: an older one, or an older session's, may be from before a rollback.
      consulted.length = before.consulted;
      failed = before.failed;
      const now = await ask(source, config, input.session, { ...around, force: true }, thisMoment());
      const again = judged(source, ways, now);
      if (again !== undefined) return again;
    }
  }
  const rest = trusted(
    { config, all, settings, policy, named, index, consulted },
    { server: named.server, name: named.spelling, view: views.get(input.toolName) },
  );
  if (failed !== undefined) return { ...rest, verdict: 'unchecked', ...failed };
  if (unlisted) {
    const why = 'its list of tools does not have this one, as far as konnichiwagwan is shown it';
    return { ...rest, verdict: 'unchecked', why, unlisted: true };
  }
  if (search.elsewhere !== undefined) return { ...rest, verdict: 'unchecked', why: search.elsewhere };
  const isIts = ({ name }: { name: string }): boolean => ways.some(({ server }) => spelled(name) === spelled(server));
  const problem = all.problems.find(isIts);
  if (problem) return { ...rest, verdict: 'unchecked', why: whyNot(problem) };
  const server = all.configured.find(isIts);
  if (server && server.state !== 'ready') {
    return { ...rest, verdict: 'unchecked', why: server.why ?? `it is ${server.state}`, unaskable: true };
  }
  // The client keeps its connection, whatever becomes of the entry.
  const wasThere = Object.entries({ ...started?.sources, ...started?.failed }).some(
    ([key, one]) => isIts(one) && ![...all.gateways, ...all.servers].some((source) => source.key === key),
  );
  if (wasThere && !all.servers.some(isIts)) {
    const why =
      'its entry in the settings is gone, or cannot be read, or is of another kind, since this session started';
    return { ...rest, verdict: 'unchecked', why };
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
  // A gateway that cannot be asked may list it.
  const broken = all.problems.find(({ kind }) => kind === 'gateway');
  if (broken) return { ...rest, verdict: 'unchecked', why: whyNot(broken) };
  return { ...rest, verdict: 'not-covered', why: 'no source is configured for this server' };
};

/** A tool that a source knows, and everything that is needed to judge the call. */
interface ToolToJudge {
  basis: Basis;
  answer: SourceFacts;
  name: string;
  /** It may be another server's tool of the same name. */
  namesake: boolean;
  input: ToolInput;
  views: ModelView['tools'];
  hidden: boolean;
  atStart: Pick<SourceBaseline, 'tools' | 'carried' | 'late' | 'completed'> | undefined;
  search: Pick<Search, 'all' | 'wrong'>;
  around: CallContext;
}

const decide = ({
  basis,
  answer,
  name,
  namesake,
  input,
  views,
  hidden,
  atStart,
  search,
  around,
}: ToolToJudge): Judged | UncheckedCall => {
  const { named, policy } = basis;
  const { live, source } = answer;
  const { all } = search;
  const byName = (tools: readonly Contract[] | undefined, wanted: string) =>
    tools?.find((tool) => tool.name === wanted);
  const current = byName(live.tools, name) ?? null;
  const view = views.get(input.toolName);
  // After a /clear the client still shows older contracts: they count only if the transcript says nothing.
  const recorded = (view === undefined ? byName(atStart?.carried, name) : undefined) ?? byName(atStart?.tools, name);
  const { session, agent } = input;
  const here = { session, agent, source: source.key, server: named.server, tool: name };
  const first = recorded === undefined && view === undefined ? firstLook(around.home, here) : undefined;
  const baseline = recorded
    ? { contract: recorded, late: atStart?.late ?? false, ...defined({ completed: atStart?.completed }) }
    : first && { contract: first, late: true };
  /** The tool behind a twin, and what is known about it from before. */
  const siblingOf = (twin: Contract): Question['sibling'] => {
    const wanted = siblingName(twin);
    const now = wanted === undefined ? undefined : byName(live.tools, wanted);
    if (now === undefined) return undefined;
    const seen = views.get(clientName(named.prefix, now.name));
    const before = byName(atStart?.tools, now.name) ?? (seen && withView(now, seen));
    return before && { believed: { ...before, name: now.name }, live: now };
  };
  const others = (): Described[] =>
    live.tools.flatMap((tool) => {
      const seen = tool.name === name ? undefined : views.get(clientName(named.prefix, tool.name));
      return seen === undefined
        ? []
        : [{ view: seen, live: tool, ...defined({ atStart: byName(atStart?.tools, tool.name) }) }];
    });
  const belief: Belief =
    current === null
      ? {
          contract: view ?? recorded ?? { name, inputSchema: true },
          from: view ? 'model view' : 'baseline',
          why: 'the tool was there',
        }
      : believe({
          ...defined({ view, baseline }),
          hidden,
          live: current,
          past: new Set(Object.hasOwn(live.past, name) ? live.past[name] : []),
          gateway: all.gateways.includes(source),
          namesake,
          ...defined({ others: view && compareOthers({ view, live: current }, others()) }),
        });
  const known = { ...basis, facts: { ...answer, tool: { name, ...defined({ view, baseline }), belief } } };
  const args = input.arguments as JsonObject;
  // What was granted for one tool of one server is not granted for another.
  const settled = (about: string): boolean => around.settled({ ...here, about });
  const sibling = current === null ? undefined : siblingOf(current);
  // A payload that was offered is a text, and valid as such, whatever is still to be filled in.
  const unfilled = current && siblingName(current) !== undefined ? placeholders(carriedBy(current, args)) : [];
  const wrong = unfilled.length > 0 ? unfilled : search.wrong;
  const judged = (contract: Contract): Judgement => {
    const believed = { ...contract, name };
    const earlier = byName(atStart?.tools, name) && new Set(atStart?.tools.map((tool) => tool.name));
    const question = { believed, live: current, tools: live.tools, earlier, args, policy, sibling, settled, wrong };
    return withValidTwin(judge(question), current ?? believed, args);
  };
  if (belief.contract === undefined) {
    const unchecked: UncheckedCall = { ...known, verdict: 'unchecked', why: belief.why, ...(hidden && { hidden }) };
    if (wrong === undefined || current === null) return unchecked;
    // Arguments that the tool does not accept are wrong, whatever the model believes.
    const judgement = judged(current);
    return judgement.reasons.length > 0 ? { ...known, judgement, verdict: 'judged' } : unchecked;
  }
  const judgement = judged(belief.contract);
  if (belief.doubt && !isStop(judgement) && isStop(judged(belief.doubt)))
    return { ...known, verdict: 'unchecked', why: `${belief.why}, and this call does not fit both` };
  if (judgement.decision !== 'unchecked')
    return { ...known, judgement, verdict: 'judged', ...defined({ why: judgement.why }) };
  return { ...known, judgement, verdict: 'unchecked', why: judgement.why ?? 'unknown' };
};

const isStop = ({ decision }: Judgement): boolean => decision === 'deny' || decision === 'ask';
