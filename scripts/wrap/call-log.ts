import { spelled } from '../contract/names.ts';
import { type Activity, logActivity } from '../state/activity.ts';

/** What a server is called where nobody has said it. */
const NAMELESS = 'wrapped';

/** Calls on one connection are told apart from those on others. */
const SESSION = `wrap-${process.pid}-${Date.now().toString(36)}`;

/** A line in the activity log, as the guard writes it: names and a verdict, no arguments. */
export const logCall = (
  home: string,
  name: string | undefined,
  tool: string,
  said: Pick<Activity, 'verdict' | 'level' | 'from' | 'to' | 'pinned'>,
): void => {
  const server = name ?? NAMELESS;
  logActivity(home, { session: SESSION, server, tool: `mcp__${spelled(server)}__${spelled(tool)}`, ...said });
};
