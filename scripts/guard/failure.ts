import { forgetRepository } from '../servers/environment.ts';
import { readJson } from '../state/files.ts';
import { configPath, projectConfigPath, stateHome } from '../state/paths.ts';
import { type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { type HookAnswer, printAnswer, writeError } from './answer.ts';
import { BadInput } from './input.ts';

/** What went wrong, in words of ours: an error of Node or of a library can quote anything, a secret too. */
const wordsFor = (error: unknown): Shown => {
  if (error instanceof BadInput) return visible(error.message, { max: 200 });
  const { name, code } = error as { name?: unknown; code?: unknown };
  const kind = [name, code].filter((part) => typeof part === 'string' && /^\w{1,40}$/.test(part)).join(' ');
  return say`an error of its own (${visible(kind || 'unknown')})`;
};

/** Whether somebody wants calls of this tool stopped that cannot be checked. Reads no more of the settings than that. */
const isStrict = (home: string, project: string, toolName: string | undefined): boolean =>
  [configPath(home), projectConfigPath(project)].some((path) => {
    const settings = readJson(path) as { mode?: unknown; servers?: Record<string, { mode?: unknown } | null> } | null;
    if (settings?.mode === 'strict') return true;
    return Object.entries(settings?.servers ?? {}).some(([server, own]) => {
      const prefix = `mcp__${server.replace(/[^A-Za-z0-9_-]/g, '_')}__`;
      return own?.mode === 'strict' && (toolName === undefined || toolName.startsWith(prefix));
    });
  });

/**
 * What a hook does when it cannot do its work: the call goes through, and the user is told; in strict mode it does not. A
 * guard that stops everything when it breaks gets removed; one that breaks without a word is worse than none. (A hook that
 * does not even get here, because it was killed or node is missing, blocks the call through `onFailure` in its
 * registration.)
 */
const onError = (event: string, error: unknown, toolName: string | undefined): HookAnswer => {
  const what = say`konnichiwagwan could not check: ${wordsFor(error)}.`;
  const { env } = process;
  if (event !== 'PreToolUse' && event !== 'UserPromptExpansion')
    return { systemMessage: say`${what} Nothing else is affected. Run: konnichiwagwan doctor` };
  if (!isStrict(stateHome(env), env.CLAUDE_PROJECT_DIR || process.cwd(), toolName))
    return { systemMessage: say`${what} The call went through unchecked. Run: konnichiwagwan doctor` };
  const reason = say`${what} The mode is strict, so the call was not sent. A person can run: konnichiwagwan doctor`;
  return { decision: 'deny', reason, systemMessage: reason };
};

/** `KONNICHIWAGWAN=off` switches every hook off. What a repository sets is taken out before that. */
export const switchedOff = (env: NodeJS.ProcessEnv): boolean => env.KONNICHIWAGWAN === 'off';

/** `KONNICHIWAGWAN=debug` traces to standard error, which Claude Code shows in its debug log alone. */
export const trace = (step: string, detail: unknown): void => {
  if (process.env.KONNICHIWAGWAN === 'debug') writeError(`konnichiwagwan ${step} ${JSON.stringify(detail)}`);
};

/** What a hook has found out about the call before it failed. */
export interface Seen {
  toolName?: string;
  /** Where a hook serves several events. */
  event?: string;
}

/** Runs a hook: one place where everything that goes wrong ends. */
export const runHook = async (event: string, hook: (seen: Seen) => HookAnswer | Promise<HookAnswer>): Promise<void> => {
  const { env } = process;
  const seen: Seen = {};
  const answer = (said: HookAnswer): void => printAnswer(seen.event ?? event, said);
  const onFailure = (error: unknown): void => answer(onError(seen.event ?? event, error, seen.toolName));
  // What fails outside of the work that is awaited: Node would end with a code that lets the call through unseen.
  let isDone = false;
  process.on('uncaughtException', (error) => {
    if (!isDone) onFailure(error);
    process.exit();
  });
  try {
    forgetRepository(env, env.CLAUDE_PROJECT_DIR || process.cwd());
    // Older clients do not say which process they are: a hook is started by its client itself.
    env.CLAUDE_PID ||= String(process.ppid);
    if (!switchedOff(env)) answer(await hook(seen));
  } catch (error) {
    trace('error', error instanceof Error ? error.stack : String(error));
    onFailure(error);
  }
  isDone = true;
};
