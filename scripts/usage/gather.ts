import { defined } from '../contract/defined.ts';
import { dayOf } from './days.ts';
import { readLog } from './log.ts';
import { nameReader, type OfferedTools, offeredTools } from './names.ts';
import { gaps, type ReadCount, type Span } from './source.ts';
import type { NamedUse } from './summary.ts';
import { merge } from './tally.ts';
import { readTranscripts } from './transcripts.ts';

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
