// The session that a client's hooks share with a server of the older revisions. Without it, every process, which lives for
// 40 ms, needs three requests to begin one and a fourth to end it. Part of the fast path: Node's own modules only.
import { attempt, quietly } from '../../contract/attempt.ts';
import type { ListKind } from '../../contract/types.ts';
import { ageOf, keep, recall } from '../../state/circumstances.ts';
import { removeFile } from '../../state/in-use.ts';
import { sessionPathOf } from '../../state/paths.ts';

/** A session as its server gave it. Its id is a secret: it is enough to act within the session. */
export interface McpSession {
  id: string;
  /** The revision of MCP that was agreed on. */
  protocol: string;
  /** The lists whose changes the server promises to announce. */
  tells: ListKind[];
}

/** A kept session. `age`: how long ago it began, in ms; infinite if that is not known. */
type KeptSession = McpSession & { age: number };

/** Keeps the session of one client with one source. */
export interface SessionKeeper {
  read(): KeptSession | undefined;
  /** False if it is not kept, because another one is, or it cannot be written. Then the caller must end it. */
  write(session: McpSession): boolean;
  /** Forgets the session with this id. */
  forget(id: string): void;
}

/**
 * How long a session is used, in ms. Some servers fix their tools when a session begins: in an old session we would see
 * tools that the client, in a newer one, no longer gets.
 */
export const LONGEST_SESSION = 600_000;
export const LIST_KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources'];

/** The lists whose changes a server with these capabilities announces. */
export const toldBy = (capabilities: unknown): ListKind[] =>
  LIST_KINDS.filter(
    (kind) =>
      (capabilities as Record<string, { listChanged?: unknown } | undefined> | null)?.[kind]?.listChanged === true,
  );

/** Whether a session's id is one that MCP allows: it becomes a header. */
export const isSessionId = (id: unknown): id is string => typeof id === 'string' && /^[\x21-\x7e]{1,1024}$/.test(id);

const isSession = (value: unknown): value is McpSession => {
  const { id, protocol, tells } = (value ?? {}) as Partial<McpSession>;
  return isSessionId(id) && typeof protocol === 'string' && Array.isArray(tells);
};

/**
 * Keeps sessions in the state folder, under the source's key, which is made from its address and headers: so an id goes only
 * to the server that issued it.
 * @param client process id of the client, which ends its sessions; without it nothing is kept
 */
export const sessionKeeper = (
  home: string,
  key: string,
  client = Number(process.env.CLAUDE_PID),
): SessionKeeper | undefined => {
  if (!(client > 0)) return undefined;
  const path = sessionPathOf(home, key, client);
  const circumstances = { source: key, client };
  const read = (): KeptSession | undefined => {
    const kept: unknown = recall(path, circumstances);
    if (!isSession(kept)) return undefined;
    const { id, protocol, tells } = kept;
    return { id, protocol, tells, age: ageOf(kept as McpSession & { at: number; up: number }) ?? 1 / 0 };
  };
  return {
    read,
    write: ({ id, protocol, tells }) => {
      if (!isSessionId(id) || read() !== undefined) return false;
      return attempt(() => {
        keep(path, circumstances, { id, protocol, tells });
        return true;
      }, false);
    },
    forget: (id) => {
      // If that fails, the server will reject it again.
      if (read()?.id === id) quietly(() => removeFile(path));
    },
  };
};
