import { stateHome } from '../state/paths.ts';
import { type Args, CommandError, type Io, type Options } from './command.ts';

/** `--session`, for commands that look at one. */
export const SESSION_OPTION: Options = { session: { type: 'string' } };

/** Where state is, whose project it is, and which session is meant. */
export const whereabouts = ({ values }: Args, { env, cwd }: Io) => {
  const session = values.session || env.CLAUDE_CODE_SESSION_ID || undefined;
  if (session !== undefined && !/^[A-Za-z0-9_-]{1,100}$/.test(String(session))) {
    throw new CommandError('usage', 'that is not the id of a session', 'leave --session out for the newest one');
  }
  return { home: stateHome(env), project: env.CLAUDE_PROJECT_DIR || cwd, session: session as string | undefined };
};
