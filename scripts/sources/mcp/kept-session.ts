// The session that a client's hooks share with a server of the older revisions: to begin one takes three requests and a
// fourth one ends it, for each question of a process that lives for 40 ms. Part of the fast path: Node's own modules only.

import { rmSync } from 'node:fs';
import type { ListKind } from '../../contract/types.ts';
import { ageOf, keep, recall } from '../../state/circumstances.ts';
import { sessionPathOf } from '../../state/paths.ts';

/** A session as its server gave it. Its id is a secret: whoever has it can act within the session. */
export interface McpSession {
  id: string;
  /** The revision of MCP that was agreed on. */
  protocol: string;
  /** The lists of which the server says that it tells when they change. */
  tells: ListKind[];
}

/** A session that was kept. `worn`: it has to be ended, and another one begun. */
type KeptSession = McpSession & { worn: boolean };

/** Keeps the session of one client with one source. */
export interface SessionKeeper {
  read(): KeptSession | undefined;
  /** False if it is not kept, because another one is, or it cannot be written. Then whoever began it has to end it. */
  write(session: McpSession): boolean;
  /** Forgets the session with this id. */
  forget(id: string): void;
}

/**
 * A session is asked for so long, in ms. Some servers fix their tools when a session begins: with an old one we would see
 * what the client no longer gets after it has begun another one.
 */
export const LONGEST_SESSION = 600_000;
const KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources'];

/** The lists of which a server with these capabilities tells when they change. */
export const toldBy = (capabilities: unknown): ListKind[] =>
  KINDS.filter(
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
 * Keeps sessions in the state folder, under the source's key, which is made of its address and headers: so an id goes to the
 * server that gave it, and to no other.
 * @param client process id of the client, which ends its sessions; without one nothing is kept
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
    const age = ageOf(kept as McpSession & { at: number; up: number });
    return { id, protocol, tells, worn: age === undefined || age > LONGEST_SESSION };
  };
  return {
    read,
    write: ({ id, protocol, tells }) => {
      if (!isSessionId(id) || read() !== undefined) return false;
      try {
        keep(path, circumstances, { id, protocol, tells });
        return true;
      } catch {
        return false;
      }
    },
    forget: (id) => {
      try {
        if (read()?.id === id) rmSync(path, { force: true });
      } catch {
        // It is found to be unknown to the server once more.
      }
    },
  };
};
