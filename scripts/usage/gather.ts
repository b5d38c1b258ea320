import { defined } from '../contract/defined.ts';
import type { ReadCount, Span } from '../state/history.ts';
import { plural } from '../text/plural.ts';
import { readCalls } from '../transcript/calls.ts';
import { dayOf } from './days.ts';
import { readLog } from './log.ts';
import { nameReader, type OfferedTools, offeredTools } from './names.ts';
import type { NamedUse } from './summary.ts';
import { count, merge, type Tally } from './tally.ts';

export interface Gathered {
  uses: NamedUse[];
  offered: OfferedTools[];
  log: ReadCount;
  transcripts?: ReadCount;
  /** Why the numbers may be too low. */
  gaps: string[];
  /** The first and the last day of the calls; none without calls. */
  first?: string;
  last?: string;
}

const MEGABYTE = 1024 * 1024;

/** A line of progress when reading takes longer than a second, and then one a second. */
const reporter = (progress: (line: string) => void): ((text: () => string) => void) => {
  let next = Date.now() + 1_000;
  return (text) => {
    if (Date.now() < next) return;
    next = Date.now() + 1_000;
    progress(text());
  };
};

const megabytes = (bytes: number): string => `${Math.round(bytes / MEGABYTE)} MB`;

/** Why the numbers may be too low, in words; none if everything was read. */
const gaps = (what: string, read: ReadCount): string[] => [
  ...(read.unread > 0 ? [`${what}: ${plural(read.unread, 'file')} could not be read`] : []),
  ...(read.damaged > 0 ? [`${what}: ${plural(read.damaged, 'line')} could not be understood`] : []),
  ...(read.tooLong > 0 ? [`${what}: ${plural(read.tooLong, 'line')} longer than 16 MB left out`] : []),
  ...(read.future > 0 ? [`${what}: ${plural(read.future, 'call')} with a time in the future left out`] : []),
  ...(read.overflow ? [`${what}: there is more than is counted; --days N makes it less`] : []),
];

const readTranscripts = (env: NodeJS.ProcessEnv, span: Span, progress: (bytes: number, of: number) => void) => {
  const uses: Tally = new Map();
  const { calls, read } = readCalls(env, span, { progress });
  const counted = calls.filter(({ session, tool, at }) => count(uses, session, tool, at));
  return { uses, read: { ...read, overflow: read.overflow || counted.length < calls.length } };
};

/** Everything that is known about calls, from the log and, where it is wanted, from the transcripts. */
export const gather = (
  { home, env, span }: { home: string; env: NodeJS.ProcessEnv; span: Span },
  withTranscripts: boolean,
  progress: (line: string) => void,
): Gathered => {
  const report = reporter(progress);
  const log = readLog(home, span, (bytes) => report(() => `read ${megabytes(bytes)} of the activity log`));
  const transcripts = withTranscripts
    ? readTranscripts(env, span, (bytes, of) =>
        report(() => `read ${megabytes(bytes)} of ${megabytes(of)} of transcripts`),
      )
    : undefined;
  const offered = offeredTools(home);
  const read = nameReader([...offered.map(({ source }) => source), ...log.servers]);
  const uses = merge(log.uses, transcripts?.uses ?? new Map()).map((use) => ({ ...read(use.tool), use }));
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
