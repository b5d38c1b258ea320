// PreToolUse on every MCP tool, as a process of its own for each call. If nothing changed, it ends after the fast path, with
// only Node's own modules loaded; everything else is done by a second bundle.
import { beforeCall } from '../scripts/guard/check-call.ts';
import { readStdin } from '../scripts/guard/input.ts';
import { runHook } from '../scripts/guard/run-hook.ts';

runHook('PreToolUse', (env, run) => beforeCall(readStdin(), env, run));
