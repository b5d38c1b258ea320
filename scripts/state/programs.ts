import { type SpawnOptions, type SpawnSyncOptions, spawn, spawnSync } from 'node:child_process';

// Programs that people installed. On Windows, npm installs scripts, which Windows itself cannot start, and whose arguments
// must be quoted for their shell: `cross-spawn` knows how. It is loaded only there.

const onWindows = (): { spawn: typeof spawn; sync: typeof spawnSync } | undefined =>
  process.platform === 'win32' ? require('cross-spawn') : undefined;

/** As `spawn` of node:child_process, without a console that flashes up. */
export const startProgram = ((command: string, args: readonly string[], options: SpawnOptions) =>
  (onWindows()?.spawn ?? spawn)(command, args, { ...options, windowsHide: true })) as typeof spawn;

/** As `spawnSync` of node:child_process, for texts, without a console that flashes up. */
export const runProgram = (command: string, args: readonly string[], options: SpawnSyncOptions) =>
  (onWindows()?.sync ?? spawnSync)(command, args, { ...options, windowsHide: true, encoding: 'utf8' });
