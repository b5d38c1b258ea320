import type { LoadedConfig } from '../config/config.ts';
import { mayInvoke } from '../guard/invoker/called.ts';
import { type LoggedCall, readActivity } from '../state/activity-log.ts';
import { oneCopy, type ReadCount, type Span } from '../state/history.ts';
import { count, type Tally } from './tally.ts';

const MOST_SERVERS = 10_000;

export interface Logged {
  uses: Tally;
  /** The servers' own names: the client's names for tools spell them differently. */
  servers: Set<string>;
  read: ReadCount;
}

/** Reads the activity log, from a day on. A denied call counts, too, because the model asked for that tool. */
export const readLog = (home: string, span: Span, config: LoadedConfig, progress: (bytes: number) => void): Logged => {
  const uses: Tally = new Map();
  const servers = new Set<string>();
  const once = oneCopy();
  let overflow = false;
  const see = ({ at, session, tool, server, inner }: LoggedCall): void => {
    for (const name of [server, inner?.server])
      if (name !== undefined && servers.size < MOST_SERVERS) servers.add(name);
    const behind = inner === undefined && !mayInvoke(config, tool) ? null : inner;
    if (!count(uses, { session: once(session), tool: once(tool), at, inner: behind })) overflow = true;
  };
  const read = readActivity(home, span, see, { progress });
  return { uses, servers, read: { ...read, overflow } };
};
