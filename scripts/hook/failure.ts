import { forgetRepository } from '../servers/environment.ts';
import { visible } from '../text/visible.ts';
import { type HookAnswer, printAnswer } from './answer.ts';

/**
 * What a hook does when it cannot do its work: the call goes through, and the user is told. A guard that stops
 * everything when it breaks gets removed; one that breaks without a word is worse than none. (A hook that does not even
 * get here, because it was killed or node is missing, blocks the call through `onFailure` in its registration.)
 */
export const failOpen = (event: string, error: unknown): void => {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  const what = name === 'Error' ? message : `${name}: ${message}`;
  const answer: HookAnswer = {
    systemMessage: visible(
      `konnichiwagwan could not check: ${what.split('\n')[0]?.slice(0, 300)}. ${
        event === 'PreToolUse' ? 'The call went through unchecked.' : 'Nothing else is affected.'
      } Run: konnichiwagwan doctor`,
    ),
  };
  printAnswer(event, answer);
};

/** `KONNICHIWAGWAN=off` switches every hook off. What a repository sets is taken out before that. */
export const switchedOff = (env: NodeJS.ProcessEnv): boolean => env.KONNICHIWAGWAN === 'off';

/** `KONNICHIWAGWAN=debug` traces to standard error, which Claude Code shows in its debug log alone. */
export const trace = (step: string, detail: unknown): void => {
  if (process.env.KONNICHIWAGWAN === 'debug')
    process.stderr.write(`konnichiwagwan ${step} ${JSON.stringify(detail)}\n`);
};

/** Runs a hook: one place where everything that goes wrong ends. */
export const runHook = async (event: string, hook: () => HookAnswer | Promise<HookAnswer>): Promise<void> => {
  const { env } = process;
  try {
    forgetRepository(env, env.CLAUDE_PROJECT_DIR || process.cwd());
    // Older clients do not say which process they are: a hook is started by its client itself.
    env.CLAUDE_PID ||= String(process.ppid);
    if (!switchedOff(env)) printAnswer(event, await hook());
  } catch (error) {
    failOpen(event, error);
  }
};
