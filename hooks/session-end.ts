// SessionEnd: ends the sessions that the client's hooks began with MCP servers.
import { readStdin } from '../scripts/guard/input.ts';
import { runHook } from '../scripts/guard/run-hook.ts';
import { sessionEnds } from '../scripts/session/session-ends.ts';

runHook('SessionEnd', (env) => sessionEnds(readStdin, env));
