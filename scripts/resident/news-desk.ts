// Finds out what is to be told of calls that were sent before their tools changed, in a thread that is ended where this
// takes too long: the calls of other servers are judged meanwhile.
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Said } from './news-worker.ts';
import type { Change, Told } from './tell.ts';

/** How long one call may take, in ms, and the calls of one server together within a while. */
const BUDGET = { call: 3_000, server: 5_000, within: 60_000 };
/** How long the thread may take to begin, in ms. */
const BEGINNING = 20_000;
/** So long after the last call the thread is ended, in ms: it takes some 20 MB. */
const IDLE = 30_000;
/** Memory of the thread, in MB: no contract needs more. */
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 };

/** What came of a call: what is to be told, nothing, or that its time was up. */
export type Outcome = Told | undefined | 'not compared';

interface Job {
  change: Change;
  server: string;
  done(outcome: Outcome): void;
}

export const newsDesk = () => {
  let thread: { worker: Worker; isReady: boolean } | undefined;
  let running: { job: Job; since: number } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let queue: Job[] = [];
  let isClosed = false;
  /** What each server has taken, in ms, since a moment. */
  const taken = new Map<string, { ms: number; since: number }>();

  const takenBy = (server: string): number => {
    const known = taken.get(server);
    if (known === undefined || process.uptime() * 1_000 - known.since < BUDGET.within) return known?.ms ?? 0;
    taken.delete(server);
    return 0;
  };

  const finish = (outcome: Outcome): void => {
    clearTimeout(timer);
    if (running !== undefined) {
      const { job, since } = running;
      const now = process.uptime() * 1_000;
      const before = takenBy(job.server);
      taken.set(job.server, { ms: before + now - since, since: taken.get(job.server)?.since ?? now });
      running = undefined;
      job.done(outcome);
    }
    next();
  };

  const end = (): void => {
    void thread?.worker.terminate();
    thread = undefined;
  };

  const limit = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      end();
      finish('not compared');
    }, ms).unref();
  };

  const start = (): void => {
    const worker = new Worker(join(__dirname, 'news-worker.cjs'), { resourceLimits: MEMORY });
    const begun = { worker, isReady: false };
    thread = begun;
    worker.unref();
    worker.on('message', (said: Said) => {
      if (thread !== begun) return;
      if (said === 'ready') {
        begun.isReady = true;
        if (running !== undefined) hand(running.job);
      } else finish(said === 'failed' ? 'not compared' : said.told);
    });
    // It ran out of memory, or could not begin.
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (thread !== begun) return;
      thread = undefined;
      finish('not compared');
    });
  };

  const hand = (job: Job): void => {
    running = { job, since: process.uptime() * 1_000 };
    limit(Math.max(1, Math.min(BUDGET.call, BUDGET.server - takenBy(job.server))));
    thread?.worker.postMessage(job.change);
  };

  const next = (): void => {
    if (running !== undefined || isClosed) return;
    clearTimeout(timer);
    // Who has taken least is next.
    const job = queue.toSorted((one, other) => takenBy(one.server) - takenBy(other.server))[0];
    if (job === undefined) {
      timer = setTimeout(end, IDLE).unref();
      return;
    }
    queue = queue.filter((one) => one !== job);
    if (takenBy(job.server) >= BUDGET.server) {
      job.done('not compared');
      next();
      return;
    }
    if (thread === undefined) start();
    if (thread?.isReady) hand(job);
    else {
      running = { job, since: process.uptime() * 1_000 };
      limit(BEGINNING);
    }
  };

  return {
    /** @param server whose budget it is. Always settles. */
    compare: (change: Change, server: string): Promise<Outcome> =>
      new Promise((done) => {
        queue.push({ change, server, done });
        next();
      }),
    close: (): void => {
      isClosed = true;
      clearTimeout(timer);
      end();
    },
  };
};
