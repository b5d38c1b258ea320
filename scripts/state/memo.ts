import { join } from 'node:path';
import { readJson, writeAtomic } from './files.ts';
import { sessionFolder } from './paths.ts';

/**
 * What the guard remembers about one tool of one conversation when it had nothing to say. As long as everything named
 * here is as it was, it still has nothing to say: the whole fast path is the check of that.
 */
export interface Memo {
  version: 1;
  toolName: string;
  server?: string;
  /** What the log says of it. */
  said: { server: string; verdict: 'silence' | 'not-covered' };
  /** Of the settings, see `configStamp`. */
  stamp: string;
  view: {
    path: string;
    /** How far the transcript was read. */
    offset: number;
    /** The shape of the request that showed the model its tools; null where the transcript does not tell. */
    shape: string | null;
  };
  /** Files that the silence rests on: those of a server's program. */
  files?: { path: string; stamp: string }[];
  /** Answers that the silence rests on. `fresh`: the answer must also be live. */
  sources: { key: string; digest: string; fresh: boolean }[];
}

const memoPath = (home: string, session: string, toolName: string, agent: string | undefined): string =>
  join(sessionFolder(home, session), `${agent ?? 'main'}@${toolName.slice(0, 140)}.json`);

const isMemo = (value: unknown): value is Memo => {
  const memo = value as Memo | null | undefined;
  return (
    memo?.version === 1 &&
    typeof memo.toolName === 'string' &&
    typeof memo.stamp === 'string' &&
    typeof memo.said?.server === 'string' &&
    typeof memo.view?.offset === 'number' &&
    Array.isArray(memo.sources)
  );
};

export const readMemo = (
  home: string,
  input: { session: string; toolName: string; agent?: string; server?: string },
): Memo | undefined => {
  const memo = readJson(memoPath(home, input.session, input.toolName, input.agent));
  return isMemo(memo) && memo.toolName === input.toolName && memo.server === input.server ? memo : undefined;
};

export const writeMemo = (home: string, session: string, agent: string | undefined, memo: Memo): void => {
  try {
    writeAtomic(memoPath(home, session, memo.toolName, agent), JSON.stringify(memo));
  } catch {
    // Without it the next call takes the longer way, and decides the same.
  }
};
