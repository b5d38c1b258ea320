// The threads in which the resident guard does its work. Work on one server never holds up work on another, and is ended
// if it takes too long.
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { PlainError } from '../guard/input.ts';
import type { Heard, WorkerMessage } from './at-work.ts';
import type { AskOver, Results, Work } from './work.ts';

/** How many threads there are at most. With more servers at the same time, some share one. */
const MOST = 6;
/** How long a thread may take to begin, in ms. */
const BEGINNING = 20_000;
/** How many ms after its last work a thread is ended; the last one later than the others. Each takes some 20 MB. */
const IDLE = { last: 30_000, others: 5_000 };
/** Memory of a thread, in MB: no contract needs more. */
const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 };

/** Work that was not finished: it took too long, or the thread ended. */
class NotDone extends PlainError {}

interface Job {
  id: number;
  /** Jobs of the same server share a thread, where one works while others wait. */
  of: string;
  work: Work;
  ms: number;
  timer?: NodeJS.Timeout;
  done(result: Results[keyof Results]): void;
  failed(error: Error): void;
}

interface Thread {
  worker: Worker;
  jobs: Map<number, Job>;
  isReady: boolean;
  idle?: NodeJS.Timeout;
}

/**
 * @param askOver asks a source over a kept connection, for work that a thread does
 * @param env the environment of the threads
 */
export const openThreads = (askOver: AskOver, env: NodeJS.ProcessEnv) => {
  let threads: Thread[] = [];
  let ids = 0;
  let isClosed = false;

  /** Ends a thread, and with it what it still does. */
  const end = (thread: Thread, why: string): void => {
    threads = threads.filter((one) => one !== thread);
    clearTimeout(thread.idle);
    void thread.worker.terminate();
    for (const { timer, failed } of thread.jobs.values()) {
      clearTimeout(timer);
      failed(new NotDone(why));
    }
    thread.jobs.clear();
  };

  const hand = (thread: Thread, job: Job): void => {
    clearTimeout(job.timer);
    job.timer = setTimeout(() => end(thread, `it took longer than ${job.ms / 1_000} seconds`), job.ms).unref();
    thread.worker.postMessage({ id: job.id, work: job.work } satisfies Heard);
  };

  const rest = (thread: Thread): void => {
    if (thread.jobs.size > 0) return;
    const wait = threads.length > 1 ? IDLE.others : IDLE.last;
    thread.idle = setTimeout(() => end(thread, 'it was idle'), wait).unref();
  };

  const finished = (thread: Thread, id: number, settle: (job: Job) => void): void => {
    const job = thread.jobs.get(id);
    if (job === undefined) return;
    clearTimeout(job.timer);
    thread.jobs.delete(id);
    settle(job);
    rest(thread);
  };

  const start = (): Thread => {
    const worker = new Worker(join(__dirname, 'worker.cjs'), { env, resourceLimits: MEMORY });
    const thread: Thread = { worker, jobs: new Map(), isReady: false };
    threads.push(thread);
    worker.unref();
    worker.on('message', async (said: WorkerMessage) => {
      if (said === 'ready') {
        thread.isReady = true;
        for (const job of thread.jobs.values()) hand(thread, job);
      } else if ('result' in said) finished(thread, said.id, ({ done }) => done(said.result));
      else if ('failed' in said)
        finished(thread, said.id, ({ failed }) => failed(Object.assign(new Error(), said.failed)));
      else {
        const { question, key, head, deadline } = said;
        const reply = await askOver(key, head, deadline).catch(() => undefined);
        worker.postMessage({ question, reply } satisfies Heard);
      }
    });
    // It ran out of memory, or could not begin.
    worker.on('error', () => end(thread, 'its thread failed'));
    worker.on('exit', () => end(thread, 'its thread ended'));
    return thread;
  };

  const threadFor = (of: string): Thread => {
    const isOf = ({ jobs }: Thread): boolean => [...jobs.values()].some((job) => job.of === of);
    const chosen = threads.find(isOf) ?? threads.find(({ jobs }) => jobs.size === 0);
    if (chosen !== undefined) return chosen;
    const [least] = threads.toSorted((one, other) => one.jobs.size - other.jobs.size);
    return least !== undefined && threads.length >= MOST ? least : start();
  };

  return {
    /** Starts a thread before there is work, so that the work need not wait for it. */
    begin: (): void => {
      if (threads.length === 0 && !isClosed) rest(start());
    },
    /**
     * Does a piece of work.
     * @param of what it is about: a server
     * @param ms how long it may take
     * @throws NotDone if it took longer, or could not be done; else what the work throws
     */
    run: <W extends Work>(of: string, work: W, ms: number): Promise<Results[W['kind']]> =>
      new Promise((done, failed) => {
        if (isClosed) return failed(new NotDone('the guard ends'));
        const thread = threadFor(of);
        clearTimeout(thread.idle);
        const job: Job = { id: ++ids, of, work, ms, done: done as Job['done'], failed };
        thread.jobs.set(job.id, job);
        if (thread.isReady) hand(thread, job);
        else job.timer = setTimeout(() => end(thread, 'its thread did not begin'), BEGINNING).unref();
      }),
    close: (): void => {
      isClosed = true;
      for (const thread of threads) end(thread, 'the guard ends');
    },
  };
};

export type Threads = ReturnType<typeof openThreads>;
