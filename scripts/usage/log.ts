import { type LoggedCall, readActivity } from '../state/activity-log.ts';
import { oneCopy, type ReadCount, type Span } from '../state/history.ts';
import { count, type Tally } from './tally.ts';

const MOST_SERVERS = 10_000;

export interface Logged {
  uses: Tally;
  /** Names of servers as the user wrote them: the client's names for tools have another spelling. */
  servers: Set<string>;
  read: ReadCount;
}

/** What the activity log says, from a day on. */
export const readLog = (home: string, span: Span, progress: (bytes: number) => void): Logged => {
  const uses: Tally = new Map();
  const servers = new Set<string>();
  const once = oneCopy();
  let overflow = false;
  const see = ({ at, session, tool, server }: LoggedCall): void => {
    if (server !== undefined && servers.size < MOST_SERVERS) servers.add(server);
    if (!count(uses, once(session), once(tool), at)) overflow = true;
  };
  const read = readActivity(home, span, see, { progress });
  return { uses, servers, read: { ...read, overflow } };
};
