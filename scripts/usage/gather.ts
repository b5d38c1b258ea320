import { reporter } from '../command/progress.ts';
import { type LoadedConfig, loadConfig } from '../config/config.ts';
import { defined, present } from '../contract/defined.ts';
import { clientName, spelled, waysToRead } from '../contract/names.ts';
import type { Contract, JsonObject } from '../contract/types.ts';
import { calledBehind, mayInvoke } from '../guard/invoker/called.ts';
import { GUARD_SERVER } from '../servers/own-guard.ts';
import type { ReadCount, Span } from '../state/history.ts';
import { plural } from '../text/plural.ts';
import { readCalls } from '../transcript/calls.ts';
import { givesName, mayCarry, mentions } from './carries.ts';
import { dayOf } from './days.ts';
import { readLog } from './log.ts';
import { legacyOf, type Named, nameReader, type OfferedTools, offeredTools, twinOf } from './names.ts';
import type { NamedUse } from './summary.ts';
import { count, merge, type Tally } from './tally.ts';

export interface Gathered {
  uses: NamedUse[];
  offered: readonly OfferedTools[];
  /** Servers of the client, by their own names. */
  own: ReadonlySet<string>;
  /** The sessions that the guard's log knows. */
  logged: ReadonlySet<string>;
  log: ReadCount;
  transcripts?: ReadCount;
  /** Why the numbers may be too low. */
  gaps: string[];
  /** The days of the first and the last call; absent without calls. */
  first?: string;
  last?: string;
}

/** Tools of the resident guard, which tell of a tool that they are asked about. */
const OURS = new RegExp(`^mcp__(?:${GUARD_SERVER}|plugin_konnichiwagwan_guard)__`);

const MEGABYTE = 1024 * 1024;

const megabytes = (bytes: number): string => `${Math.round(bytes / MEGABYTE)} MB`;

/** Finds the contracts that a tool may have, by the client's name for it; the most likely first. */
export const contractsIn = (offered: readonly OfferedTools[]): ((toolName: string) => readonly Contract[]) => {
  const known = new Map<string, readonly Contract[]>();
  return (toolName) => {
    if (!known.has(toolName)) {
      const own = offered.flatMap(({ source, contracts }) =>
        contracts.filter(({ name }) => clientName(`mcp__${spelled(source)}__`, name) === toolName),
      );
      // Calls of a gateway's tools use the names of servers.
      const spellings = waysToRead(toolName, undefined).map(({ spelling }) => spelling);
      const listed = offered.flatMap(({ gateway, contracts }) =>
        gateway ? contracts.filter(({ name }) => spellings.includes(spelled(name))) : [],
      );
      known.set(toolName, own.length > 0 ? own : listed);
    }
    return known.get(toolName) ?? [];
  };
};

/** Whether calls of a tool are none of the wanted one: it is that one or its twin, or ours, or the user says so. */
const callsNone = ({ user }: LoadedConfig, toolName: string, wanted: string): boolean =>
  user.invokers[toolName] === false ||
  OURS.test(toolName) ||
  waysToRead(toolName, undefined).some(({ spelling }) => spelling === wanted || spelling === twinOf(wanted));

/** Whether calls of a tool may be calls of the wanted one; always false without a wanted one. */
export const carriersOf = (
  config: LoadedConfig,
  contractsOf: (toolName: string) => readonly Contract[],
  tool: string | undefined,
): ((toolName: string) => boolean) => {
  const known = new Map<string, boolean>();
  const find = (toolName: string, wanted: string): boolean => {
    if (callsNone(config, toolName, wanted)) return false;
    const name = waysToRead(toolName, undefined).at(-1)?.spelling ?? toolName;
    const contracts = contractsOf(toolName);
    return contracts.length === 0
      ? mayCarry(name, undefined, wanted)
      : contracts.some((contract) => mayCarry(name, contract, wanted));
  };
  return (toolName) => {
    if (tool === undefined) return false;
    const carries = known.get(toolName) ?? find(toolName, tool);
    known.set(toolName, carries);
    return carries;
  };
};

/** Which tool is called behind a call in a transcript. */
const behindIn = (
  config: LoadedConfig,
  servers: readonly string[],
  contractsOf: (toolName: string) => readonly Contract[],
  carries: (toolName: string) => boolean,
  wanted: string | undefined,
) => {
  const called = (toolName: string, args: JsonObject) =>
    mayInvoke(config, toolName) ? calledBehind(config, toolName, args, contractsOf(toolName)[0], servers) : null;
  return (toolName: string, args: JsonObject) => {
    const found = called(toolName, args);
    if (found || wanted === undefined) return found;
    if (found === undefined || carries(toolName)) return mentions(args, wanted) ? undefined : null;
    // A tool that says of no parameter that it names a tool was given a name all the same.
    return !callsNone(config, toolName, wanted) && givesName(args, wanted) ? undefined : null;
  };
};

/**
 * A tool called by name alone counts for every server that has such a tool: only the invoker knows which one was meant, so
 * none of them is unused. If no server has one, it is the invoker's own.
 * @param direct the tools that were called with their servers' names
 * @returns the servers that have a tool
 */
export const serversHaving = (
  direct: readonly Named[],
  offered: readonly OfferedTools[],
): ((named: Named) => string[]) => {
  const called = new Map<string, Map<string, string>>();
  for (const { server, tool } of direct)
    called.set(tool, (called.get(tool) ?? new Map<string, string>()).set(spelled(server), server));
  return ({ server, tool }) => {
    const pair = [tool, twinOf(tool), legacyOf(tool) ?? tool];
    const having = new Map(pair.flatMap((name) => [...(called.get(name) ?? [])]));
    for (const { source, gateway, tools } of offered)
      if (!gateway && tools.has(tool)) having.set(spelled(source), source);
    return having.size === 0 ? [server] : [...having.values()];
  };
};

/** Why the numbers may be too low, for people; empty if everything was read. */
export const gaps = (what: string, read: ReadCount, longest = '16 MB'): string[] =>
  present([
    read.unread > 0 && `${plural(read.unread, 'file')} could not be read`,
    read.damaged > 0 && `${plural(read.damaged, 'line')} could not be understood`,
    read.tooLong > 0 && `${plural(read.tooLong, 'line')} longer than ${longest} left out`,
    read.future > 0 && `${plural(read.future, 'call')} with a time in the future left out`,
    read.overflow && 'there is more than is counted; --days N makes it less',
  ]).map((gap) => `${what}: ${gap}`);

const readTranscripts = (
  env: NodeJS.ProcessEnv,
  span: Span,
  behind: ReturnType<typeof behindIn>,
  answers: boolean,
  progress: (bytes: number, of: number) => void,
) => {
  const uses: Tally = new Map();
  const { calls, read } = readCalls(env, span, { answers, behind, progress });
  const counted = calls.filter((call) => count(uses, call));
  return { uses, read: { ...read, overflow: read.overflow || counted.length < calls.length } };
};

/**
 * Everything that is known about calls, from the log and, if wanted, from the transcripts.
 * @param wanted the tool whose retirement is asked about, in the client's spelling: if given, also finds out which calls may
 *   have been calls of it
 */
export const gather = (
  { home, project, env, span }: { home: string; project: string; env: NodeJS.ProcessEnv; span: Span },
  withTranscripts: boolean,
  progress: (line: string) => void,
  wanted?: string,
): Gathered => {
  const report = reporter(progress);
  const config = loadConfig(home, project, env);
  const offered = offeredTools(home);
  const contractsOf = contractsIn(offered);
  const carries = carriersOf(config, contractsOf, wanted);
  const onLog = (bytes: number): void => report(() => `read ${megabytes(bytes)} of the activity log`);
  const onTranscripts = (bytes: number, of: number): void =>
    report(() => `read ${megabytes(bytes)} of ${megabytes(of)} of transcripts`);
  const log = readLog(home, span, config, onLog, carries);
  const sources = offered.map(({ source }) => source);
  const behind = behindIn(config, [...new Set([...sources, ...log.servers])], contractsOf, carries, wanted);
  const transcripts = withTranscripts
    ? readTranscripts(env, span, behind, wanted !== undefined, onTranscripts)
    : undefined;
  const read = nameReader([...sources, ...log.servers]);
  const merged = merge(log.uses, transcripts?.uses ?? new Map()).map((use) => ({ ...read(use.tool), use }));
  const having = serversHaving(
    merged.filter(({ use }) => !use.anyServer),
    offered,
  );
  // One of them got the call; the others may have.
  const uses = merged.flatMap((named) =>
    named.use.anyServer ? having(named).map((server) => ({ ...named, server })) : [named],
  );
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const { use } of uses) [first, last] = [Math.min(first, use.first), Math.max(last, use.last)];
  const direct = merged.filter(({ use }) => use.through === undefined).map(({ server }) => server);
  return {
    uses,
    offered,
    own: new Set([...sources, ...log.own, ...direct].map(spelled)),
    logged: new Set([...log.uses.values()].map(({ session }) => session)),
    log: log.read,
    ...defined({ transcripts: transcripts?.read }),
    gaps: [...gaps('activity log', log.read), ...(transcripts ? gaps('transcripts', transcripts.read) : [])],
    ...(uses.length === 0 ? {} : { first: dayOf(first), last: dayOf(last) }),
  };
};
