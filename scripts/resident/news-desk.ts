// Finds out what is to be told of calls that were sent before their tools changed, one after the other, and no longer for
// one server than for the others.
import type { ChangedTool, Told } from './tell.ts';
import type { Threads } from './threads.ts';

/** How long one call may take, in ms, and the calls of one server together within a while. */
const BUDGET = { call: 3_000, server: 5_000, within: 60_000 };

/** What came of a call: what is to be told, nothing, or that its time was up. */
export type NewsOutcome = Told | undefined | 'not compared';

interface ComparisonJob {
  change: ChangedTool;
  server: string;
  done(outcome: NewsOutcome): void;
}

const uptime = (): number => process.uptime() * 1_000;

export const newsDesk = (threads: Threads) => {
  let isRunning = false;
  let queue: ComparisonJob[] = [];
  /** What each server has taken, in ms, since a moment. */
  const taken = new Map<string, { ms: number; since: number }>();

  const takenBy = (server: string): number => {
    const known = taken.get(server);
    if (known === undefined || uptime() - known.since < BUDGET.within) return known?.ms ?? 0;
    taken.delete(server);
    return 0;
  };

  const compare = async ({ change, server }: ComparisonJob): Promise<NewsOutcome> => {
    const before = takenBy(server);
    if (before >= BUDGET.server) return 'not compared';
    const since = uptime();
    try {
      const ms = Math.max(1, Math.min(BUDGET.call, BUDGET.server - before));
      return await threads.run('news', { kind: 'tell', change }, ms);
    } catch {
      return 'not compared';
    } finally {
      const now = uptime();
      taken.set(server, { ms: before + now - since, since: taken.get(server)?.since ?? now });
    }
  };

  const next = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    for (;;) {
      // Who has taken least is next.
      const job = queue.toSorted((one, other) => takenBy(one.server) - takenBy(other.server))[0];
      if (job === undefined) break;
      queue = queue.filter((one) => one !== job);
      job.done(await compare(job));
    }
    isRunning = false;
  };

  return {
    /** @param server whose budget it is. Always settles. */
    compare: (change: ChangedTool, server: string): Promise<NewsOutcome> =>
      new Promise((done) => {
        queue.push({ change, server, done });
        void next();
      }),
  };
};
