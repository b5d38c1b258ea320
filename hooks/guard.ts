// PreToolUse on every MCP tool: the fast path. If nothing changed, it ends here, with only Node's own modules loaded;
// everything else is done by a second bundle.
import type { HookAnswer } from '../scripts/guard/answer.ts';
import { runHook, trace } from '../scripts/guard/failure.ts';
import { PLACEHOLDER, readStdin, readToolInput } from '../scripts/guard/input.ts';
import { isUnchanged, type Unchanged } from '../scripts/guard/unchanged.ts';
import { logActivity } from '../scripts/state/activity.ts';
import { thisMoment } from '../scripts/state/circumstances.ts';
import { stateHome } from '../scripts/state/paths.ts';

runHook('PreToolUse', async (seen): Promise<HookAnswer> => {
  const { env } = process;
  const since = thisMoment();
  const raw = readStdin();
  const input = readToolInput(raw);
  seen.toolName = input.toolName;
  const home = stateHome(env);
  const project = env.CLAUDE_PROJECT_DIR || input.cwd;

  // A call that was proposed, and may have been sent as it was: nothing about its tool has to have changed.
  const found: Unchanged = raw.includes(PLACEHOLDER)
    ? { unchanged: false }
    : await isUnchanged(input, home, project, env, since);
  trace('fast path', { tool: input.toolName, unchanged: found.unchanged });
  if (found.unchanged) {
    const said = found.said ?? { server: input.server, verdict: 'silence' };
    logActivity(home, { session: input.session, tool: input.toolName, ...said });
    return {};
  }

  const { judgeCall } = await import('./judge-call.ts');
  return judgeCall(input, { home, project, asked: found.asked, since });
})
  // Work that cannot be cancelled (a name lookup that hangs) must not keep the client waiting.
  .then(() => process.exit());
