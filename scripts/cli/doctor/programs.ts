import { spawnSync } from 'node:child_process';
import type { Io } from '../../command/command.ts';
import type { Check } from './check.ts';

const NODE = [20, 18, 1];
const CLIENT_BLOCKS_ON_FAILURE = [2, 1, 295];
const CLIENT_SHOWS_ITS_TOOLS = [2, 1, 330];

const versionIn = (text: string): number[] => (/(\d+)\.(\d+)\.(\d+)/.exec(text) ?? []).slice(1).map(Number);

const atLeast = (version: number[], wanted: number[]): boolean => {
  for (const [index, part] of wanted.entries()) {
    const own = version[index] ?? 0;
    if (own !== part) return own > part;
  }
  return true;
};

const run = (command: string, env: NodeJS.ProcessEnv): string => {
  const { stdout, error } = spawnSync(command, ['--version'], { env, encoding: 'utf8', timeout: 10_000 });
  return error ? '' : stdout.trim();
};

/** Checks the Node that hooks are started with. */
export const checkNode = ({ env }: Io): Check => {
  // Hooks are started with the first `node` on the PATH, which need not be the one that runs this.
  const found = run('node', env);
  if (found === '')
    return {
      name: 'node',
      state: 'wrong',
      detail: 'there is no node in the PATH',
      hint: `install Node ${NODE.join('.')} or newer`,
    };
  if (atLeast(versionIn(found), NODE)) return { name: 'node', state: 'ok', detail: found };
  return {
    name: 'node',
    state: 'wrong',
    detail: `${found} is too old`,
    hint: `install Node ${NODE.join('.')} or newer`,
  };
};

/** Checks what the Claude Code on the PATH can do for the guard. */
export const checkClient = ({ env }: Io): Check => {
  const found = run('claude', env);
  const version = versionIn(found);
  if (version.length === 0) return { name: 'Claude Code', state: 'note', detail: 'not found in the PATH' };
  const missing = [
    ...(atLeast(version, CLIENT_SHOWS_ITS_TOOLS)
      ? []
      : ['it may not write what the model sees to its transcript: then the baseline stands in']),
    ...(atLeast(version, CLIENT_BLOCKS_ON_FAILURE) ? [] : ['a guard that is killed lets the call through']),
  ];
  const detail = version.join('.');
  if (missing.length === 0) return { name: 'Claude Code', state: 'ok', detail };
  return {
    name: 'Claude Code',
    state: 'note',
    detail: `${detail}: ${missing.join('; ')}`,
    hint: 'a newer Claude Code does both',
  };
};
