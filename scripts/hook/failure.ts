import { join } from 'node:path';
import { readJson } from '../state/files.ts';
import { type HookAnswer, printAnswer, writeError } from './answer.ts';

/**
 * What a hook does when it cannot do its work: the call goes through, and the user is told. A guard that stops
 * everything when it breaks gets removed; one that breaks without a word is worse than none. (A hook that does not even
 * get here, because it was killed or node is missing, blocks the call through `onFailure` in its registration.)
 */
export const failOpen = (event: string, error: unknown): void => {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  const what = name === 'Error' ? message : `${name}: ${message}`;
  const answer: HookAnswer = {
    systemMessage: `konnichiwagwan could not check: ${what.split('\n')[0]?.slice(0, 300)}. ${
      event === 'PreToolUse' ? 'The call went through unchecked.' : 'Nothing else is affected.'
    } Run: konnichiwagwan doctor`,
  };
  printAnswer(event, answer);
};

/** A project's settings can set variables, too, and a repository must not be able to switch the guard off. */
const setByProject = (project: string): boolean =>
  ['settings.json', 'settings.local.json'].some((file) => {
    const settings = readJson(join(project, '.claude', file)) as { env?: Record<string, unknown> } | null | undefined;
    return settings?.env?.KONNICHIWAGWAN !== undefined;
  });

/** `KONNICHIWAGWAN=off` switches every hook off. */
export const switchedOff = (env: NodeJS.ProcessEnv): boolean =>
  env.KONNICHIWAGWAN === 'off' && !setByProject(env.CLAUDE_PROJECT_DIR || process.cwd());

/** `KONNICHIWAGWAN=debug` traces to standard error, which Claude Code shows in its debug log alone. */
export const trace = (step: string, detail: unknown): void => {
  if (process.env.KONNICHIWAGWAN === 'debug') writeError(`konnichiwagwan ${step} ${JSON.stringify(detail)}`);
};

/** Runs a hook: one place where everything that goes wrong ends. */
export const runHook = async (event: string, hook: () => HookAnswer | Promise<HookAnswer>): Promise<void> => {
  // Older clients do not say which process they are: a hook is started by its client itself.
  process.env.CLAUDE_PID ||= String(process.ppid);
  // What fails outside of the work that is awaited: Node would end with a code that lets the call through unseen.
  let isDone = false;
  process.on('uncaughtException', (error) => {
    if (!isDone) failOpen(event, error);
    process.exit();
  });
  try {
    if (!switchedOff(process.env)) printAnswer(event, await hook());
  } catch (error) {
    failOpen(event, error);
  }
  isDone = true;
};
