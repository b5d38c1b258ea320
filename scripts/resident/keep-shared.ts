import { loadConfig } from '../config/config.ts';
import { refreshLater } from '../shared/refresh-later.ts';
import { stateHome } from '../state/paths.ts';

/** How often a session looks whether it is time to fetch the shared approvals, in ms. */
const LOOK = 600_000;

/** Has the shared approvals fetched while a session goes on, by a process of its own. */
export const keepShared = (env: NodeJS.ProcessEnv): NodeJS.Timeout => {
  const home = stateHome(env);
  const project = env.CLAUDE_PROJECT_DIR || process.cwd();
  const look = (): void => refreshLater(home, loadConfig(home, project, env).user.shared, env);
  return setInterval(look, LOOK).unref();
};
