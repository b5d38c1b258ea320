import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { homeOf } from './paths.ts';

/** Where git finds a person's settings; its other variables could lead to another repository, or run something. */
const KEPT = /^GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)$/;

export interface GitOptions {
  /** In ms. */
  timeout: number;
  env?: NodeJS.ProcessEnv;
  input?: string;
  /** Most that git may print, in bytes; with more it fails with ENOBUFS. */
  maxBuffer?: number;
}

/**
 * Runs git in a folder. The repository may be anyone's: git runs none of its programs, fetches nothing and asks nothing.
 * Never throws: `status` is not 0 if git failed, and `error` says why it did not run.
 */
export const runGit = (
  folder: string,
  args: readonly string[],
  { timeout, env = process.env, input = '', maxBuffer = 1024 * 1024 }: GitOptions,
): SpawnSyncReturns<string> => {
  const inherited = Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || KEPT.test(name));
  const quiet = [
    '--no-pager',
    '-c',
    'core.fsmonitor=false',
    '-c',
    'core.hooksPath=/dev/null',
    '-c',
    'log.showSignature=false',
    // Older versions fetch what a partial clone left out.
    '-c',
    'protocol.allow=never',
  ];
  return spawnSync('git', ['-C', resolve(folder), ...quiet, ...args], {
    // Some systems look for programs in the working folder first: it must not be the repository's.
    cwd: homeOf(process.env),
    env: {
      ...Object.fromEntries(inherited),
      GIT_NO_LAZY_FETCH: '1',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_TERMINAL_PROMPT: '0',
    },
    input,
    timeout,
    maxBuffer,
    encoding: 'utf8',
    windowsHide: true,
  });
};
