// PreToolUse on every MCP tool, as a process of its own for each call. If nothing changed, it ends after the fast path, with
// only Node's own modules loaded; everything else is done by a second bundle.
import type { HookAnswer } from '../scripts/guard/answer.ts';
import { checkCall } from '../scripts/guard/check-call.ts';
import { runHook } from '../scripts/guard/failure.ts';
import { readStdin, readToolInput } from '../scripts/guard/input.ts';
import { thisMoment } from '../scripts/state/circumstances.ts';
import { wasJudged } from '../scripts/state/judging.ts';
import { stateHome } from '../scripts/state/paths.ts';

runHook('PreToolUse', async (seen): Promise<HookAnswer> => {
  const { env } = process;
  const since = thisMoment();
  const raw = readStdin();
  const input = readToolInput(raw);
  seen.toolName = input.toolName;
  const home = stateHome(env);
  if (await wasJudged(home, input.session, input.toolUseId)) return {};
  return checkCall(input, raw, { home, project: env.CLAUDE_PROJECT_DIR || input.cwd, env, since });
})
  // Work that cannot be cancelled (a name lookup that hangs) must not keep the client waiting.
  .then(() => process.exit());
