import type { LoadedConfig } from '../config/config.ts';
import { mayInvoke } from '../guard/invoker/called.ts';
import { type LoggedCall, readActivity } from '../state/activity-log.ts';
import { oneCopy, type ReadCount, type Span } from '../state/history.ts';
import { count, type Tally, unsent } from './tally.ts';

const MOST_SERVERS = 10_000;

export interface LoggedUses {
  uses: Tally;
  /** The servers' own names: the client's names for tools spell them differently. */
  servers: Set<string>;
  /** Those that the client itself has: an invoker's calls may name others. */
  own: Set<string>;
  read: ReadCount;
}

/** Calls that went out, as far as the guard knows. If it asked the user, the answer is unknown. */
const SENT = new Set(['silence', 'notice', 'unchecked', 'not-covered']);

const note = (servers: Set<string>, name: string | undefined): void => {
  if (name !== undefined && servers.size < MOST_SERVERS) servers.add(name);
};

/**
 * Reads the activity log, from a day on. A denied call counts, too, because the model asked for that tool.
 * @param carries whether calls of a tool may have been calls of the wanted one
 */
export const readLog = (
  home: string,
  span: Span,
  config: LoadedConfig,
  progress: (bytes: number) => void,
  carries: (tool: string) => boolean,
): LoggedUses => {
  const uses: Tally = new Map();
  const servers = new Set<string>();
  const own = new Set<string>();
  const once = oneCopy();
  let overflow = false;
  const see = ({ at, session, tool, server, inner, verdict, again }: LoggedCall): void => {
    if (again) {
      if (!SENT.has(verdict)) unsent(uses, session, tool);
      return;
    }
    note(own, server);
    for (const name of [server, inner?.server]) note(servers, name);
    // The log also has null for calls that could not be read: their arguments were a text, or called several tools.
    const isUnknown = carries(tool) || (inner === undefined && mayInvoke(config, tool));
    const behind = inner ?? (isUnknown ? undefined : null);
    const call = { session: once(session), tool: once(tool), at, inner: behind, sent: SENT.has(verdict) };
    if (!count(uses, call)) overflow = true;
  };
  const read = readActivity(home, span, see, { progress });
  return { uses, servers, own, read: { ...read, overflow } };
};
