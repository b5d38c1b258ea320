import { type LoadedConfig, loadConfig } from '../config/config.ts';
import { defined } from '../contract/defined.ts';
import { clientName, spelled } from '../contract/names.ts';
import type { Contract, JsonObject } from '../contract/types.ts';
import { calledBehind, mayInvoke } from '../guard/invoker/called.ts';
import type { ReadCount, Span } from '../state/history.ts';
import { plural } from '../text/plural.ts';
import { readCalls } from '../transcript/calls.ts';
import { dayOf } from './days.ts';
import { readLog } from './log.ts';
import { legacyOf, nameReader, type OfferedTools, offeredTools, twinOf } from './names.ts';
import type { NamedUse } from './summary.ts';
import { count, merge, type Tally } from './tally.ts';

export interface Gathered {
  uses: NamedUse[];
  offered: OfferedTools[];
  log: ReadCount;
  transcripts?: ReadCount;
  /** Why the numbers may be too low. */
  gaps: string[];
  /** The days of the first and the last call; absent without calls. */
  first?: string;
  last?: string;
}

const MEGABYTE = 1024 * 1024;

/** Reports progress if reading takes longer than a second, and then every second. */
const reporter = (progress: (line: string) => void): ((text: () => string) => void) => {
  let next = Date.now() + 1_000;
  return (text) => {
    if (Date.now() < next) return;
    next = Date.now() + 1_000;
    progress(text());
  };
};

const megabytes = (bytes: number): string => `${Math.round(bytes / MEGABYTE)} MB`;

/** Which tool is called behind a call in a transcript. */
const behindIn = (config: LoadedConfig, offered: readonly OfferedTools[], logged: ReadonlySet<string>) => {
  const servers = [...new Set([...offered.map(({ source }) => source), ...logged])];
  const known = new Map<string, Contract | undefined>();
  const contractOf = (toolName: string): Contract | undefined => {
    if (!known.has(toolName)) {
      const found = offered.flatMap(({ source, contracts }) =>
        contracts.filter(({ name }) => clientName(`mcp__${spelled(source)}__`, name) === toolName),
      );
      known.set(toolName, found[0]);
    }
    return known.get(toolName);
  };
  return (toolName: string, args: JsonObject) =>
    mayInvoke(config, toolName) ? calledBehind(config, toolName, args, contractOf(toolName), servers) : null;
};

/**
 * A tool that was called by its name alone is the one of every server that has such a tool: which of them was meant, only
 * the invoker knows, and none of them is unused. Where nobody has one, it is the invoker's own.
 */
const withServers = (named: NamedUse, all: readonly NamedUse[], offered: readonly OfferedTools[]): NamedUse[] => {
  if (!named.use.anyServer) return [named];
  const having = new Map<string, string>();
  const pair = new Set([named.tool, twinOf(named.tool), legacyOf(named.tool)]);
  for (const { server, tool, use } of all) if (pair.has(tool) && !use.anyServer) having.set(spelled(server), server);
  for (const { source, gateway, tools } of offered)
    if (!gateway && tools.has(named.tool)) having.set(spelled(source), source);
  const [first = named.server, ...others] = having.values();
  // One of them is the call that was made, the others are what it may have been.
  return [first, ...others].map((server) => ({ ...named, server }));
};

/** Why the numbers may be too low, for people; empty if everything was read. */
const gaps = (what: string, read: ReadCount): string[] => [
  ...(read.unread > 0 ? [`${what}: ${plural(read.unread, 'file')} could not be read`] : []),
  ...(read.damaged > 0 ? [`${what}: ${plural(read.damaged, 'line')} could not be understood`] : []),
  ...(read.tooLong > 0 ? [`${what}: ${plural(read.tooLong, 'line')} longer than 16 MB left out`] : []),
  ...(read.future > 0 ? [`${what}: ${plural(read.future, 'call')} with a time in the future left out`] : []),
  ...(read.overflow ? [`${what}: there is more than is counted; --days N makes it less`] : []),
];

const readTranscripts = (
  env: NodeJS.ProcessEnv,
  span: Span,
  behind: ReturnType<typeof behindIn>,
  progress: (bytes: number, of: number) => void,
) => {
  const uses: Tally = new Map();
  const { calls, read } = readCalls(env, span, { behind, progress });
  const counted = calls.filter((call) => count(uses, call));
  return { uses, read: { ...read, overflow: read.overflow || counted.length < calls.length } };
};

/** Everything that is known about calls, from the log and, if wanted, from the transcripts. */
export const gather = (
  { home, project, env, span }: { home: string; project: string; env: NodeJS.ProcessEnv; span: Span },
  withTranscripts: boolean,
  progress: (line: string) => void,
): Gathered => {
  const report = reporter(progress);
  const config = loadConfig(home, project, env);
  const offered = offeredTools(home);
  const log = readLog(home, span, config, (bytes) => report(() => `read ${megabytes(bytes)} of the activity log`));
  const transcripts = withTranscripts
    ? readTranscripts(env, span, behindIn(config, offered, log.servers), (bytes, of) =>
        report(() => `read ${megabytes(bytes)} of ${megabytes(of)} of transcripts`),
      )
    : undefined;
  const read = nameReader([...offered.map(({ source }) => source), ...log.servers]);
  const merged = merge(log.uses, transcripts?.uses ?? new Map()).map((use) => ({ ...read(use.tool), use }));
  const uses = merged.flatMap((named) => withServers(named, merged, offered));
  const ends = uses.reduce(
    ([first, last], { use }) => [Math.min(first, use.first), Math.max(last, use.last)] as const,
    [Number.POSITIVE_INFINITY, 0] as readonly [number, number],
  );
  return {
    uses,
    offered,
    log: log.read,
    ...defined({ transcripts: transcripts?.read }),
    gaps: [...gaps('activity log', log.read), ...(transcripts ? gaps('transcripts', transcripts.read) : [])],
    ...(uses.length === 0 ? {} : { first: dayOf(ends[0]), last: dayOf(ends[1]) }),
  };
};
