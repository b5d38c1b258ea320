import { CLIENT_ID } from '../state/client-names.ts';
import { stateHome } from '../state/paths.ts';
import { type Args, CommandError, type Io, type Options } from './command.ts';

/** The option `--session`, for commands about one session. */
export const SESSION_OPTION: Options = { session: { type: 'string' } };

/**
 * The state folder, the project's folder, and the session that is meant; undefined if none is named.
 * @throws CommandError if it is not a session ID
 */
export const whereabouts = ({ values }: Args, { env, cwd }: Io) => {
  const session = values.session || env.CLAUDE_CODE_SESSION_ID || undefined;
  if (session !== undefined && !CLIENT_ID.test(String(session))) {
    throw new CommandError('usage', 'that is not the id of a session', 'leave --session out for the newest one');
  }
  return { home: stateHome(env), project: env.CLAUDE_PROJECT_DIR || cwd, session: session as string | undefined };
};
