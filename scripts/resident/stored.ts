import { readHead } from '../sources/head.ts';
import { type LiveAnswer, readLive } from '../sources/live.ts';

/** The stored answer of a source; undefined if there is none, or the last question failed. */
export const storedAnswer = (home: string, key: string): Extract<LiveAnswer, { status: 'live' }> | undefined => {
  const head = readHead(home, key);
  const live = head !== undefined && head.failure === undefined ? readLive(home, key) : undefined;
  return head !== undefined && live?.digest === head.digest ? { status: 'live', live, head } : undefined;
};
