import { logActivity } from '../state/activity.ts';
import { writeHandoff } from '../state/handoff.ts';
import { wasJudged } from '../state/judging.ts';
import { stateHome } from '../state/paths.ts';
import type { HookAnswer } from './answer.ts';
import { type CallPlace, isUnchanged, type Unchanged } from './fast-path.ts';
import { PLACEHOLDER, readToolInput, type ToolInput } from './input.ts';
import type { judgeCall } from './judge-call.ts';
import { type HookRun, trace } from './run-hook.ts';

const judgeHere: typeof judgeCall = async (input, around) => {
  (await import('../state/compile-cache.ts')).cacheCompiled();
  return (await import('./judge-call.ts')).judgeCall(input, around);
};

/**
 * The answer to one call, from a hook or the resident guard: the fast path, which loads only Node's own modules, and the
 * rest of the guard where that does not settle it.
 * @param raw the arguments as they were given, or all of the hook's input
 * @param judge the rest of the guard
 */
export const checkCall = async (
  input: ToolInput,
  raw: string,
  around: CallPlace,
  judge: typeof judgeCall = judgeHere,
): Promise<HookAnswer> => {
  // It may be a call that we proposed, sent with its placeholders: then it is wrong although nothing has changed.
  const found: Unchanged = raw.includes(PLACEHOLDER) ? { unchanged: false } : await isUnchanged(input, around);
  trace('fast path', { tool: input.toolName, unchanged: found.unchanged });
  if (found.unchanged) {
    const { said = { server: input.server, verdict: 'silence' }, sources = [], reads = false } = found.memo ?? {};
    logActivity(around.home, { session: input.session, tool: input.toolName, ...said });
    around.knowledge?.judged(input, { sources, reads, stopped: false });
    if (found.memo?.handoff) writeHandoff(found.memo.handoff.folder, input.toolUseId, found.memo.handoff.handoff);
    return {};
  }
  return judge(input, { ...around, asked: found.asked });
};

/** What the hook before a call answers to its input: silence where a resident guard has judged the call. */
export const beforeCall = async (raw: string, env: NodeJS.ProcessEnv, run: HookRun): Promise<HookAnswer> => {
  const input = readToolInput(raw);
  run.toolName = input.toolName;
  const home = stateHome(env);
  if (await wasJudged(home, input.session, input.toolUseId)) return {};
  return checkCall(input, raw, { home, project: env.CLAUDE_PROJECT_DIR || input.cwd, env, since: run.since });
};
