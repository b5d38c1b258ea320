// The pipeline: from a call to what is known about it.
import { otherAddress } from '../baseline/other-address.ts';
import { readBaseline } from '../baseline/sessions.ts';
import { loadConfig, policyFor } from '../config/config.ts';
import { defined } from '../contract/defined.ts';
import type { NamedTool } from '../contract/names.ts';
import type { Policy } from '../judge/judge.ts';
import { lockFolders } from '../lock/folder.ts';
import { lookAtShared } from '../shared/kept.ts';
import { allSources } from '../sources/all.ts';
import { speakersFor } from '../sources/speakers.ts';
import { lockPath, projectConfigPath } from '../state/paths.ts';
import { look, witnessed } from '../state/stamp.ts';
import { forkedFrom } from '../transcript/fork.ts';
import { modelView } from '../transcript/model-view.ts';
import { readTranscript } from '../transcript/transcript-index.ts';
import type { Assessment, CallContext, Inquiry, Search } from './assessment.ts';
import { consultedOf, hearRounds, isGone } from './hear-rounds.ts';
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

/** The pipeline for a search: asks its rounds of sources one after the other, until one speaks for the tool. */
export const assessNamed = async (
  input: ToolInput,
  transcript: string,
  search: Search,
  around: CallContext,
): Promise<Assessment> => {
  const { config, all, settings, named } = search;
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
  const { heard, found } = await hearRounds(rounds, inquiry);
  if (found !== undefined) return found;
  const consulted = consultedOf(heard);
  const gone = heard.find(isGone)?.found;
  if (gone !== undefined) return { ...gone, consulted };
  const unknown = { server: named.server, name: named.spelling, view: views.get(input.toolName) };
  const rest = withTrust({ ...basis, index, consulted }, unknown, inquiry);
  return withoutSource(rest, heard, inquiry);
};
