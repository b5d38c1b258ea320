// Runs in a thread of its own: says what is to be told of the calls that it is handed, one after the other.
import { parentPort } from 'node:worker_threads';
import { type Change, type Told, tell } from './tell.ts';

/** What it says: that it has begun, and what came of each call; `failed` where that threw. */
export type Said = 'ready' | { told: Told | undefined } | 'failed';

const say = (said: Said): void => parentPort?.postMessage(said);

parentPort?.on('message', async (change: Change) => {
  try {
    say({ told: await tell(change) });
  } catch {
    say('failed');
  }
});
say('ready');
