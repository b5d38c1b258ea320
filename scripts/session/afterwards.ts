// What goes on after the hook at a session's start has answered, in processes of its own.
import { noteFinisher } from '../baseline/sessions.ts';
import { loadConfig } from '../config/config.ts';
import { startInBackground } from '../state/background.ts';
import { stateHome } from '../state/paths.ts';
import { finish } from './session-starts.ts';
import type { Start } from './start.ts';

/** Has `afterwards` go on asking the sources that are slow. */
export const finishLater = (start: Start): void => {
  const given = JSON.stringify({ ...start, env: undefined });
  const { pid } = startInBackground('session-start.cjs', ['--finish', given], start.env);
  if (pid !== undefined) noteFinisher(start.home, start.session, pid);
};

const fetchShared = async (env: NodeJS.ProcessEnv): Promise<void> => {
  const home = stateHome(env);
  const { shared } = loadConfig(home, env.CLAUDE_PROJECT_DIR || process.cwd(), env).user;
  const { refreshShared } = await import('../shared/shared-refresh.ts');
  if (shared !== undefined) await refreshShared(home, shared, env);
};

/** The work that the words behind the file name ask for; undefined if they ask for none, so that the hook runs. */
export const afterwards = (
  [word, given = '']: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> | undefined => {
  if (word === '--finish') return finish({ ...(JSON.parse(given) as Start), env });
  return word === '--shared' ? fetchShared(env) : undefined;
};
