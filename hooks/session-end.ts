// SessionEnd: ends the sessions that the client's hooks began with MCP servers.
import { loadConfig } from '../scripts/config/config.ts';
import { runHook } from '../scripts/guard/failure.ts';
import { readSessionInput, readStdin } from '../scripts/guard/input.ts';
import { allSources } from '../scripts/sources/all.ts';
import { endSessions, hasSessions } from '../scripts/sources/end-sessions.ts';
import { stateHome } from '../scripts/state/paths.ts';

/** How long a server may take to end a session, in ms. Claude Code waits 1.5 s for all that a session's end runs. */
const LONGEST = 500;

runHook('SessionEnd', async () => {
  const { env } = process;
  const home = stateHome(env);
  const client = Number(env.CLAUDE_PID);
  if (!hasSessions(home, client)) return {};
  const project = env.CLAUDE_PROJECT_DIR || readSessionInput(readStdin()).cwd;
  const { servers } = allSources(loadConfig(home, project, env), project, env);
  await endSessions(home, servers, LONGEST, client);
  return {};
}).then(() => process.exit());
