import { loadConfig } from '../config/config.ts';
import type { HookAnswer } from '../guard/answer.ts';
import { readSessionInput } from '../guard/input.ts';
import { allSources } from '../sources/all.ts';
import { endSessions, hasSessions } from '../sources/end-sessions.ts';
import { stateHome } from '../state/paths.ts';
import { sendInBackground } from '../telemetry/start.ts';

/** How long a server may take to end a session, in ms. Claude Code waits 1.5 s for all that a session's end runs. */
const LONGEST = 500;

/**
 * Ends the sessions that the client's hooks began with MCP servers.
 * @param read gives the hook's input; it is needed only by older clients, which do not name the project
 */
export const sessionEnds = async (read: () => string, env: NodeJS.ProcessEnv): Promise<HookAnswer> => {
  const home = stateHome(env);
  const client = Number(env.CLAUDE_PID);
  sendInBackground(home, env.CLAUDE_PROJECT_DIR || process.cwd(), env, true);
  if (!hasSessions(home, client)) return {};
  const project = env.CLAUDE_PROJECT_DIR || readSessionInput(read()).cwd;
  const { servers } = allSources(loadConfig(home, project, env), project, env);
  await endSessions(home, servers, LONGEST, client);
  return {};
};
