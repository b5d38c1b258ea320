import { spawnSync } from 'node:child_process';
import { isAtLeast } from '../state/node-version.ts';

/** The oldest Claude Code that is known to load a folder of skills as a plugin: its hooks, its servers and its skill. */
export const LOADS_FOLDERS = '2.1.197';

/** What a program prints for `--version`; empty if it does not run. */
export const versionText = (command: string, env: NodeJS.ProcessEnv): string => {
  const { stdout, error } = spawnSync(command, ['--version'], { env, encoding: 'utf8', timeout: 10_000 });
  return error ? '' : stdout.trim();
};

/** The version in a text; undefined if there is none. */
export const versionIn = (text: string): string | undefined => /\d+\.\d+\.\d+/.exec(text)?.[0];

/** Whether the Claude Code on the PATH loads a folder of skills as a plugin. Unknown is no: then hooks are registered. */
export const loadsFolders = (env: NodeJS.ProcessEnv): boolean => {
  const version = versionIn(versionText('claude', env));
  return version !== undefined && isAtLeast(version, LOADS_FOLDERS);
};
