import { isAtLeast } from '../state/node-version.ts';
import { runProgram } from '../state/programs.ts';

/**
 * The oldest Claude Code that is known to keep the guard of a folder running. 2.1.197 loads one, too; but if that guard's
 * process dies, it does not restart it, and sends the calls unchecked.
 */
export const KEEPS_GUARDS = '2.1.330';

/** What a program prints for `--version`; empty if it does not run. */
export const askVersion = (command: string, env: NodeJS.ProcessEnv): string => {
  const { stdout, error } = runProgram(command, ['--version'], { env, timeout: 10_000 });
  return error ? '' : stdout.trim();
};

/** The version in a text; undefined if there is none. */
export const versionIn = (text: string): string | undefined => /\d+\.\d+\.\d+/.exec(text)?.[0];

/** Whether the Claude Code on the PATH keeps the guard of a folder running. If unknown, no: then hooks are registered. */
export const keepsGuards = (env: NodeJS.ProcessEnv): boolean => {
  const version = versionIn(askVersion('claude', env));
  return version !== undefined && isAtLeast(version, KEEPS_GUARDS);
};
