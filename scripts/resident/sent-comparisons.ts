// Compares the contracts of calls that were sent before their tools changed, one after the other. No server gets more time
// than the others.
import type { ChangedTool, Told } from './tell.ts';
import type { Threads } from './threads.ts';

/** How long one call may take, in ms, and all calls of one server within a period. */
const BUDGET = { call: 3_000, server: 5_000, within: 60_000 };

/** The result for a call: a message, nothing, or that its time was up. */
export type ComparisonOutcome = Told | undefined | 'not compared';

interface ComparisonJob {
  change: ChangedTool;
  server: string;
  done(outcome: ComparisonOutcome): void;
}

const uptime = (): number => process.uptime() * 1_000;

export const sentComparisons = (threads: Threads) => {
  let isRunning = false;
  let queue: ComparisonJob[] = [];
  /** How much time each server has taken, in ms, and since when. */
  const taken = new Map<string, { ms: number; since: number }>();

  const takenBy = (server: string): number => {
    const known = taken.get(server);
    if (known === undefined || uptime() - known.since < BUDGET.within) return known?.ms ?? 0;
    taken.delete(server);
    return 0;
  };

  const compare = async ({ change, server }: ComparisonJob): Promise<ComparisonOutcome> => {
    const before = takenBy(server);
    if (before >= BUDGET.server) return 'not compared';
    const since = uptime();
    try {
      const ms = Math.max(1, Math.min(BUDGET.call, BUDGET.server - before));
      return await threads.run('comparison', { kind: 'tell', change }, ms);
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
      // The server that has taken the least time is next.
      const job = queue.toSorted((one, other) => takenBy(one.server) - takenBy(other.server))[0];
      if (job === undefined) break;
      queue = queue.filter((one) => one !== job);
      job.done(await compare(job));
    }
    isRunning = false;
  };

  return {
    /** @param server whose budget it is. Always settles. */
    compare: (change: ChangedTool, server: string): Promise<ComparisonOutcome> =>
      new Promise((done) => {
        queue.push({ change, server, done });
        void next();
      }),
  };
};
