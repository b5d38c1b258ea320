import { spelled } from '../contract/names.ts';
import { type Activity, logActivity } from '../state/activity.ts';
import { CLIENT_ID } from '../state/client-names.ts';
import { stateHome } from '../state/paths.ts';
import type { HeldCall } from './types.ts';

/** The name of a server without one. */
const NAMELESS = 'wrapped';

/** The session of the client that started us, as its guard knows it; else calls on one connection are a session. */
const sessionOf = ({ CLAUDE_CODE_SESSION_ID: client = '' }: NodeJS.ProcessEnv): string =>
  CLIENT_ID.test(client) ? client : OWN_SESSION;
/** The same in each of our bundles, of which this process loads several. */
const OWN_SESSION = `wrap-${process.pid}-${Math.round(performance.timeOrigin).toString(36)}`;

/**
 * A line in the activity log, as the guard writes it: names and a verdict, no arguments.
 * @param env as the user gave it to us
 * @param call its tool, without secrets, and what the guard has logged of it, if it has
 */
export const logCall = (
  env: NodeJS.ProcessEnv,
  server = NAMELESS,
  { name, guarded }: Pick<HeldCall, 'name' | 'guarded'>,
  said: Pick<Activity, 'verdict' | 'level' | 'rule' | 'mode' | 'from' | 'to' | 'pinned'>,
): void => {
  const own = { session: sessionOf(env), server, tool: `mcp__${spelled(server)}__${spelled(name)}` };
  logActivity(stateHome(env), guarded === undefined ? { ...own, ...said } : { ...guarded, ...said, again: true });
};
