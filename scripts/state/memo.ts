import { join } from 'node:path';
import { type Circumstances, keep, recall } from './circumstances.ts';
import { sessionFolder } from './paths.ts';
import type { Stamped } from './stamp.ts';

/**
 * What the guard remembers about one tool of one conversation when it had nothing to say. As long as everything named
 * here is as it was, it still has nothing to say: the whole fast path is the check of that.
 */
export interface Memo {
  /** What the log says of it. */
  said: { server: string; verdict: 'silence' | 'not-covered' };
  view: {
    path: string;
    /** How far the transcript was read. */
    offset: number;
    /** The shape of the request that showed the model its tools; null where the transcript does not tell. */
    shape: string | null;
  };
  /** Files that the silence rests on: settings, and those of a server's program. */
  files: Stamped[];
  /** Environment variables that the settings name, and the digest of their values: those can be secrets. */
  variables: { names: string[]; digest: string };
  /** Answers that the silence rests on. `fresh`: the answer must also be live; else a minute old will do. */
  sources: { key: string; digest: string; fresh: boolean }[];
}

/** One tool of one conversation. */
export interface Conversation {
  session: string;
  agent?: string | undefined;
  /** As the client writes it. */
  toolName: string;
  server?: string | undefined;
}

const memoPath = (home: string, { session, agent, toolName }: Conversation): string =>
  join(sessionFolder(home, session), `${agent ?? 'main'}@${toolName.slice(0, 140)}.json`);

/** What a memo is valid for, beside what it names itself. */
const circumstancesOf = ({ session, agent, toolName, server }: Conversation, project: string): Circumstances => ({
  session,
  agent,
  tool: toolName,
  server,
  project,
  client: Number(process.env.CLAUDE_PID) || 0,
});

const isMemo = (value: unknown): value is Memo => {
  const memo = value as Memo | undefined;
  return (
    typeof memo?.said?.server === 'string' &&
    typeof memo.view?.offset === 'number' &&
    Array.isArray(memo.files) &&
    Array.isArray(memo.variables?.names) &&
    Array.isArray(memo.sources)
  );
};

export const readMemo = (home: string, conversation: Conversation, project: string): Memo | undefined => {
  const memo = recall(memoPath(home, conversation), circumstancesOf(conversation, project));
  return isMemo(memo) ? memo : undefined;
};

export const writeMemo = (home: string, conversation: Conversation, project: string, memo: Memo): void => {
  try {
    keep(memoPath(home, conversation), circumstancesOf(conversation, project), memo);
  } catch {
    // Without it the next call takes the longer way, and decides the same.
  }
};
