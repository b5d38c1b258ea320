// The pipeline: from a call to what is known about it.
import { otherAddress } from '../baseline/other-address.ts';
import { readBaseline } from '../baseline/sessions.ts';
import { loadConfig, policyFor } from '../config/config.ts';
import { defined } from '../contract/defined.ts';
import type { NamedTool } from '../contract/names.ts';
import { looksLike } from '../contract/view.ts';
import type { Policy } from '../judge/judge.ts';
import { lockFolders } from '../lock/folder.ts';
import { lookAtShared } from '../shared/kept.ts';
import { type AllSources, allSources } from '../sources/all.ts';
import type { Source } from '../sources/source.ts';
import { isNaming, speakersFor } from '../sources/speakers.ts';
import { lockPath, projectConfigPath } from '../state/paths.ts';
import { look, witnessed } from '../state/stamp.ts';
import { forkedFrom } from '../transcript/fork.ts';
import { modelView } from '../transcript/model-view.ts';
import { readTranscript } from '../transcript/transcript-index.ts';
import {
  type Assessment,
  type CallContext,
  type Inquiry,
  judgementOf,
  liveContract,
  type Search,
} from './assessment.ts';
import { askNow, consult, isFromBefore } from './consult.ts';
import { differingGateways } from './differing-gateways.ts';
import { type Hearing, hear } from './hear.ts';
import type { ToolInput } from './input.ts';
import { withoutSource } from './no-source.ts';
import { agreed, namedServers, otherScope, readingsOf } from './readings.ts';
import { withTrust } from './trust.ts';

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
    return { config, all: allSources(config, project, env, { called: input.server }) };
  });
  const { config, all } = result;
  const policyOf = ({ server }: NamedTool): Policy => policyFor(config, server);
  const readings = readingsOf(input.toolName, input.server, all.configured, namedServers(config));
  const assessments = readings.map(async ({ owner, ways }) => {
    const named = ways[0] ?? { server: input.server ?? input.toolName, prefix: '', spelling: input.toolName };
    const elsewhere = otherScope(input, owner, all.configured);
    const servers = owner === undefined ? [] : all.servers.filter(({ name }) => name === owner);
    const meant = owner ?? input.server;
    const meantBy = meant === undefined ? ways.map(({ server }) => server) : [meant];
    // A gateway speaks for the tools that it lists; a server is asked itself if no gateway does.
    const rounds = [speakersFor(config.user, all.gateways, meantBy), servers];
    const search = { config, all, settings: files, named, owner, ways, policyOf, ...defined({ elsewhere }) };
    return assessNamed(input, transcript, { ...search, rounds: rounds.map((sources) => ({ sources, ways })) }, around);
  });
  return agreed(await Promise.all(assessments));
};

/** Whether the call would be denied or asked about. */
const wouldStop = ({ found, failed }: Hearing, mode: Policy['mode']): boolean => {
  if (found === undefined) return failed !== undefined && mode === 'strict';
  if (found.verdict === 'unchecked' && found.policy.mode === 'strict') return true;
  return [judgementOf(found)?.decision, found.trust?.verdict].some((one) => one === 'deny' || one === 'ask');
};

/** Whether a source no longer lists a tool that it knows: another one may list it now. */
const isGone = ({ found }: Hearing): boolean => found?.facts?.tool !== undefined && liveContract(found) === undefined;

/**
 * Whether what a source says is the verdict; not if another one may still know more. A tool can move to another gateway, or
 * out of all of them; a gateway's other tool of the same name is not that tool.
 */
const settles = (said: Hearing, heard: readonly Hearing[], { servers }: AllSources): boolean => {
  if (said.found === undefined || isGone(said)) return false;
  const gone = heard.find(isGone)?.found;
  if (gone?.verdict !== 'judged' || servers.includes(said.source)) return true;
  const [believed, live] = [gone.facts?.tool?.belief.contract, liveContract(said.found)];
  return believed !== undefined && live !== undefined && looksLike(believed, live);
};

const consultedOf = (heard: readonly Hearing[]) => heard.flatMap(({ consulted }) => consulted ?? []);

/** The pipeline for a search: asks its rounds of sources one after the other, until one speaks for the tool. */
export const assessNamed = async (
  input: ToolInput,
  transcript: string,
  search: Search,
  around: CallContext,
): Promise<Assessment> => {
  const { config, all, settings, named, ways } = search;
  const policy = search.policyOf(named);
  const basis = { config, all, settings, policy, named };
  if (policy.mode === 'off') return { ...basis, index: null, consulted: [], verdict: 'off', why: 'the mode is off' };

  const index = readTranscript(transcript, around.index);
  const origin = forkedFrom(index, input.transcript, around.parent);
  const { tools, hidden } = modelView(origin ?? index);
  // A subagent that was forked off may have loaded more tools itself.
  const views = origin === undefined ? tools : new Map([...tools, ...modelView(index).tools]);
  const started = readBaseline(around.home, input.session);
  const elsewhere =
    search.elsewhere ??
    otherAddress(
      all.configured.find(({ name }) => name === search.owner),
      started,
      Number(around.env.CLAUDE_PID),
    );
  const inquiry: Inquiry = {
    input,
    search: { ...search, ...defined({ elsewhere }) },
    around,
    policy,
    started,
    index,
    views,
    hidden,
    forked: origin !== undefined,
  };
  const rounds =
    elsewhere === undefined
      ? search.rounds
      : search.rounds.map(({ sources, ways }) => ({
          sources: sources.filter((one) => !all.servers.includes(one)),
          ways,
        }));
  let heard: Hearing[] = [];
  /** Hears sources until one speaks for the tool; all of them if each is said to speak for the server. */
  const round = async (
    sources: readonly Source[],
    ways: readonly NamedTool[],
    { isLast = false, again = false } = {},
  ): Promise<Assessment | undefined> => {
    // All are asked at once, so that several that hang take no longer than one.
    const answers: Awaited<ReturnType<typeof consult>>[] = await Promise.all(
      sources.map(async (source) =>
        again ? { source, asked: await askNow(source, inquiry) } : consult(source, ways, inquiry),
      ),
    );
    const earlier = heard;
    let found: Assessment | undefined;
    for (const { source, known, asked } of answers) {
      if (asked === undefined) {
        const consulted = { key: source.key, digest: known?.digest ?? '', fresh: false };
        heard = [...heard, { source, consulted }];
        continue;
      }
      const before = consultedOf(heard);
      let said = hear(source, ways, asked, inquiry, before, isLast);
      if (wouldStop(said, policy.mode) && isFromBefore(source, asked, around))
        said = hear(source, ways, await askNow(source, inquiry), inquiry, before, isLast);
      heard = [...heard, said];
      if (found === undefined && settles(said, heard, all)) found = said.found;
      if (found !== undefined && !isNaming(source, all.gateways)) return found;
    }
    const differing = differingGateways(heard.slice(earlier.length), all);
    if (differing === undefined) return found && { ...found, consulted: consultedOf(heard) };
    // One may have answered before a release that the other has.
    const isOld = answers.some(({ source, asked }) => asked?.status === 'live' && isFromBefore(source, asked, around));
    if (again || !isOld) return { ...differing, consulted: consultedOf(heard) };
    heard = earlier;
    return round(sources, ways, { isLast, again: true });
  };
  for (const { sources, ways } of rounds) {
    const found = await round(sources, ways);
    if (found !== undefined) return found;
  }
  const yielding = heard.filter((one) => one.yields).map(({ source }) => source);
  heard = heard.filter((one) => !one.yields);
  const last = await round(yielding, ways, { isLast: true });
  if (last !== undefined) return last;
  const consulted = consultedOf(heard);
  const gone = heard.find(isGone)?.found;
  if (gone !== undefined) return { ...gone, consulted };
  const unknown = { server: named.server, name: named.spelling, view: views.get(input.toolName) };
  const rest = withTrust({ ...basis, index, consulted }, unknown, inquiry);
  return withoutSource(rest, heard, inquiry);
};
