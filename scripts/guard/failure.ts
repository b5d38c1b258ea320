import { forgetRepository } from '../servers/environment.ts';
import { readJson } from '../state/files.ts';
import { configPath, projectConfigPath, stateHome } from '../state/paths.ts';
import { type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { type HookAnswer, printAnswer, writeError } from './answer.ts';
import { ForeignHost } from './foreign.ts';
import { BadInput, OldNode } from './input.ts';

/** What went wrong, in our own words: an error of Node or of a library can quote anything, even a secret. */
const wordsFor = (error: unknown): Shown => {
  if (error instanceof BadInput) return visible(error.message, { max: 200 });
  const { name, code } = error as { name?: unknown; code?: unknown };
  const kind = [name, code].filter((part) => typeof part === 'string' && /^\w{1,40}$/.test(part)).join(' ');
  return say`an internal error (${visible(kind || 'unknown')})`;
};

/** Whether any settings ask for mode strict for this tool. Reads nothing else in them, so that little can fail here. */
const isStrict = (home: string, project: string, toolName: string | undefined): boolean =>
  [configPath(home), projectConfigPath(project)].some((path) => {
    const settings = readJson(path) as { mode?: unknown; servers?: Record<string, { mode?: unknown } | null> } | null;
    if (settings?.mode === 'strict') return true;
    return Object.entries(settings?.servers ?? {}).some(([server, own]) => {
      const prefix = `mcp__${server.replace(/[^A-Za-z0-9_-]/g, '_')}__`;
      return own?.mode === 'strict' && (toolName === undefined || toolName.startsWith(prefix));
    });
  });

/** A call is stopped: a guard that cannot run must not look like one that has nothing to say. The way out is in the message. */
const onOldNode = (event: string, problem: string): HookAnswer => {
  const what = say`konnichiwagwan cannot check anything: ${visible(problem, { max: 500 })}.`;
  const remedy = say`put a newer Node first in the PATH that Claude Code is started with, or start it with KONNICHIWAGWAN=off to go without the guard`;
  if (event !== 'PreToolUse')
    return { systemMessage: say`${what} Until then calls of MCP tools are stopped: ${remedy}.` };
  const reason = say`${what} The call was not sent. A person can ${remedy}.`;
  return { decision: 'deny', reason, systemMessage: reason };
};

/**
 * The answer of a hook that failed: the user is told, and the call goes through, except in mode strict. A guard that stops
 * everything when it breaks gets removed; one that breaks without a word is worse than none. (If a hook does not even get
 * here, because it was killed or Node is missing, `onFailure` in its registration blocks the call.)
 */
export const onError = (
  event: string,
  error: unknown,
  toolName: string | undefined,
  env: NodeJS.ProcessEnv,
): HookAnswer => {
  if (error instanceof OldNode) return onOldNode(event, error.message);
  const what = say`konnichiwagwan could not check: ${wordsFor(error)}.`;
  if (event !== 'PreToolUse' && event !== 'UserPromptExpansion')
    return { systemMessage: say`${what} Nothing else is affected. Run: konnichiwagwan doctor` };
  if (!isStrict(stateHome(env), env.CLAUDE_PROJECT_DIR || process.cwd(), toolName))
    return { systemMessage: say`${what} The call went through unchecked. Run: konnichiwagwan doctor` };
  const reason = say`${what} The mode is strict, so the call was not sent. A person can run: konnichiwagwan doctor`;
  return { decision: 'deny', reason, systemMessage: reason };
};

/** Whether `KONNICHIWAGWAN=off` switches every hook off. `forgetRepository` must have removed what a repository sets. */
export const switchedOff = (env: NodeJS.ProcessEnv): boolean => env.KONNICHIWAGWAN === 'off';

/** With `KONNICHIWAGWAN=debug`, writes to standard error, which Claude Code shows only in its debug log. */
export const trace = (step: string, detail: unknown): void => {
  if (process.env.KONNICHIWAGWAN === 'debug') writeError(`konnichiwagwan ${step} ${JSON.stringify(detail)}`);
};

/** What a hook knew about the call before it failed. */
export interface Seen {
  toolName?: string;
  /** Where a hook serves several events. */
  event?: string;
}

/** Runs a hook and prints its answer. All errors end here, and become an answer. */
export const runHook = async (event: string, hook: (seen: Seen) => HookAnswer | Promise<HookAnswer>): Promise<void> => {
  const { env } = process;
  const seen: Seen = {};
  const answer = (said: HookAnswer): void => printAnswer(seen.event ?? event, said);
  const onFailure = (error: unknown): void => {
    if (error instanceof ForeignHost) return;
    if (error instanceof OldNode && error.event !== undefined) seen.event = error.event;
    answer(onError(seen.event ?? event, error, seen.toolName, env));
  };
  // For errors outside of the awaited work: Node would end with an exit code that lets the call through unnoticed.
  let isDone = false;
  process.on('uncaughtException', (error) => {
    if (!isDone) onFailure(error);
    process.exit();
  });
  try {
    forgetRepository(env, env.CLAUDE_PROJECT_DIR || process.cwd());
    // Older clients do not set it; a hook's parent process is the client.
    env.CLAUDE_PID ||= String(process.ppid);
    if (!switchedOff(env)) answer(await hook(seen));
  } catch (error) {
    trace('error', error instanceof Error ? error.stack : String(error));
    onFailure(error);
  }
  isDone = true;
};
