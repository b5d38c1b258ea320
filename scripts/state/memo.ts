import { join } from 'node:path';
import { quietly } from '../contract/attempt.ts';
import { type Circumstances, keep, recall } from './circumstances.ts';
import type { Handoff } from './handoff.ts';
import { sessionFolder } from './paths.ts';
import type { Stamped } from './stamp.ts';

/**
 * What the guard keeps about one tool of one conversation after a silent verdict. While everything named here is unchanged,
 * the verdict holds: the fast path is only this check.
 */
export interface Memo {
  /** For the activity log. */
  said: { server: string; verdict: 'silence' | 'not-covered'; mode?: string; inner?: null };
  view: {
    path: string;
    /** How far the transcript was read, in bytes. */
    offset: number;
    /** The shape of the request that showed the model its tools; null if the transcript does not tell. */
    shape: string | null;
    /** The id of that request, where the answers to it name it. */
    request?: string | undefined;
  };
  /** Files that the verdict depends on: settings, and those of a server's program. */
  files: Stamped[];
  /** Environment variables that the settings name, and a digest of their values, which can be secrets. */
  variables: { names: string[]; digest: string };
  /** Answers that the verdict depends on. `fresh`: the answer must also be live; otherwise it may be a minute old. */
  sources: { key: string; digest: string; fresh: boolean }[];
  /** Until when the verdict holds, in ms since 1970; absent: as long as nothing changes. */
  until?: number;
  /** Set if the tool only reads, by its live contract. */
  reads?: true;
  /** For a server behind wrap: the handoff to leave for each call, and its folder. */
  handoff?: { folder: string; handoff: Handoff };
}

/** One tool in one conversation. */
export interface ToolInConversation {
  session: string;
  agent?: string | undefined;
  /** The client's name for the tool. */
  toolName: string;
  server?: string | undefined;
  scope?: string | undefined;
}

const memoPath = (home: string, { session, agent, toolName }: ToolInConversation): string =>
  join(sessionFolder(home, session), `${agent ?? 'main'}@${toolName.slice(0, 140)}.json`);

/** The circumstances under which a memo is valid, besides those it names itself. */
const circumstancesOf = (
  { session, agent, toolName, server, scope }: ToolInConversation,
  project: string,
): Circumstances => ({
  session,
  agent,
  tool: toolName,
  server,
  scope,
  project,
  client: Number(process.env.CLAUDE_PID) || 0,
});

const isMemo = (value: unknown): value is Memo => {
  const memo = value as Memo | undefined;
  return (
    typeof memo?.said?.server === 'string' &&
    typeof memo.view?.offset === 'number' &&
    !((memo.until as number) <= Date.now()) &&
    Array.isArray(memo.files) &&
    Array.isArray(memo.variables?.names) &&
    Array.isArray(memo.sources)
  );
};

/** The memo of a tool; undefined if there is none, or it was written under other circumstances. */
export const readMemo = (home: string, conversation: ToolInConversation, project: string): Memo | undefined => {
  const memo = recall(memoPath(home, conversation), circumstancesOf(conversation, project));
  return isMemo(memo) ? memo : undefined;
};

/** Writes the memo of a tool. Never throws. */
export const writeMemo = (home: string, conversation: ToolInConversation, project: string, memo: Memo): void => {
  // Without it the next call takes the slow path, and reaches the same verdict.
  quietly(() => keep(memoPath(home, conversation), circumstancesOf(conversation, project), memo));
};
