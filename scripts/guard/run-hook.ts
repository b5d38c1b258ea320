import { forgetRepository } from '../servers/environment.ts';
import { LARGEST_STATE, readObject } from '../servers/read.ts';
import { isManaged, managedPath } from '../servers/settings.ts';
import { type Moment, thisMoment } from '../state/circumstances.ts';
import { configPath, projectConfigPath, stateHome } from '../state/paths.ts';
import { type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { type HookAnswer, printAnswer, writeError } from './answer.ts';
import { ForeignHost } from './foreign.ts';
import { NotMcp, OldNode, PlainError } from './input.ts';

/** What went wrong, in our own words: an error of Node or of a library can quote anything, even a secret. */
const wordsFor = (error: unknown): Shown => {
  if (error instanceof PlainError) return visible(error.message, { max: 200 });
  const { name, code } = error as { name?: unknown; code?: unknown };
  const kind = [name, code].filter((part) => typeof part === 'string' && /^\w{1,40}$/.test(part)).join(' ');
  return say`an internal error (${visible(kind || 'unknown')})`;
};

/** Whether a value asks for mode strict; one that is no mode counts as that. */
const asksForStrict = (mode: unknown): boolean =>
  mode !== undefined && !['off', 'warn', 'guard'].includes(mode as string);

/** The project's folder. Where the working folder was deleted, there is none, and settings below "." are not found. */
const projectOf = (env: NodeJS.ProcessEnv): string => {
  try {
    return env.CLAUDE_PROJECT_DIR || process.cwd();
  } catch {
    return '.';
  }
};

/** Whether any settings ask for mode strict for this tool. Reads nothing else in them, so that little can fail. */
const isStrict = (home: string, project: string, toolName = ''): boolean =>
  [configPath(home), projectConfigPath(project), managedPath()].some((path) => {
    const { status, value = {} } = readObject(path, LARGEST_STATE) as {
      status: string;
      value?: { mode?: unknown; servers?: Record<string, { mode?: unknown } | null> };
    };
    return (
      // Settings that cannot be read may ask for anything.
      status === 'bad' ||
      asksForStrict(value.mode) ||
      Object.entries(value.servers ?? {}).some(
        ([server, own]) =>
          asksForStrict(own?.mode) &&
          (!toolName || toolName.startsWith(`mcp__${server.replace(/[^A-Za-z0-9_-]/g, '_')}__`)),
      )
    );
  });

/** A call is stopped: a guard that cannot run must not look like one that has nothing to say. The way out is in the message. */
const onOldNode = (event: string, problem: string): HookAnswer => {
  const isCall = event === 'PreToolUse';
  const reason = say`konnichiwagwan cannot check anything, so calls of MCP tools are stopped: ${visible(problem, { max: 500 })}. ${isCall ? say`The call was not sent. ` : ''}A person can start Claude Code with a newer Node first in PATH, or with KONNICHIWAGWAN=off.`;
  return { ...(isCall && { decision: 'deny', reason }), systemMessage: reason };
};

/**
 * The answer of a hook that failed: the user is told, and the call goes through, except in mode strict. People remove a
 * guard that stops everything when it breaks; one that breaks silently is worse than none. (If a hook does not even get
 * here, because it was killed or Node is missing, `onFailure` in its registration blocks the call.)
 */
export const onError = (
  event: string,
  error: unknown,
  toolName: string | undefined,
  env: NodeJS.ProcessEnv,
): HookAnswer => {
  if (error instanceof OldNode) return onOldNode(event, error.message);
  if (error instanceof NotMcp) return {};
  const what = say`konnichiwagwan could not check: ${wordsFor(error)}.`;
  if (event !== 'PreToolUse' && event !== 'UserPromptExpansion')
    return { systemMessage: say`${what} Nothing else is affected. Run: konnichiwagwan doctor` };
  if (!isStrict(stateHome(env), projectOf(env), toolName))
    return { systemMessage: say`${what} The call went through unchecked. Run: konnichiwagwan doctor` };
  const reason = say`${what} The mode is strict, so the call was not sent. A person can run: konnichiwagwan doctor`;
  return { decision: 'deny', reason, systemMessage: reason };
};

/**
 * Whether `KONNICHIWAGWAN=off` switches every hook off: not where an organization has settings for us. `forgetRepository`
 * must have removed what a repository sets.
 */
export const switchedOff = (env: NodeJS.ProcessEnv): boolean => env.KONNICHIWAGWAN === 'off' && !isManaged();

/** With `KONNICHIWAGWAN=debug`, writes to standard error, which Claude Code shows only in its debug log. */
export const trace = (step: string, detail: unknown): void => {
  if (process.env.KONNICHIWAGWAN === 'debug') writeError(`konnichiwagwan ${step} ${JSON.stringify(detail)}`);
};

/** What is known of one run of a hook, even if it fails. */
export interface HookRun {
  event: string;
  /** When the hook began. */
  since: Moment;
  toolName?: string;
}

/** What a hook answers in an environment, from which `answerOf` has taken what a repository set to control us. */
export type Hook = (env: NodeJS.ProcessEnv, run: HookRun) => HookAnswer | Promise<HookAnswer>;

export const newRun = (event: string): HookRun => ({ event, since: thisMoment() });

const afterError = (run: HookRun, error: unknown, env: NodeJS.ProcessEnv): HookAnswer => {
  if (error instanceof ForeignHost) return {};
  if (error instanceof OldNode && error.event !== undefined) run.event = error.event;
  return onError(run.event, error, run.toolName, env);
};

/**
 * The answer of a hook. Never throws: an error becomes an answer.
 * @param env is changed in place
 * @param client the process that runs the hook; older clients do not name themselves in CLAUDE_PID
 */
export const answerOf = async (
  hook: Hook,
  run: HookRun,
  env: NodeJS.ProcessEnv,
  client: number,
): Promise<HookAnswer> => {
  try {
    forgetRepository(env, projectOf(env));
    env.CLAUDE_PID ||= String(client);
    return switchedOff(env) ? {} : await hook(env, run);
  } catch (error) {
    trace('error', error instanceof Error ? error.stack : String(error));
    return afterError(run, error, env);
  }
};

/** Runs a hook as a process of its own: prints its answer, and ends the process. */
export const runHook = async (event: string, hook: Hook): Promise<void> => {
  const { env } = process;
  const run = newRun(event);
  // For errors outside of the awaited work: Node would end with an exit code that lets the call through unnoticed.
  let isDone = false;
  process.on('uncaughtException', (error) => {
    if (!isDone) printAnswer(run.event, afterError(run, error, env));
    process.exit();
  });
  const answer = await answerOf(hook, run, env, process.ppid);
  printAnswer(run.event, answer);
  isDone = true;
  // Work that cannot be cancelled (a name lookup that hangs) must not keep the client waiting.
  process.exit();
};
