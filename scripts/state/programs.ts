import { type SpawnOptions, type SpawnSyncOptions, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';

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

/**
 * What a program of the system prints; undefined if it fails, or takes too long.
 * @param program by its full path, unless a person's own PATH may say which one it is
 */
export const outputOf = (
  program: string,
  args: readonly string[],
  options: { timeout: number; maxBuffer?: number; env?: NodeJS.ProcessEnv },
): string | undefined => {
  const { stdout, status } = runProgram(program, args, {
    maxBuffer: 16 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
    ...options,
  });
  return status === 0 ? stdout : undefined;
};

/**
 * How a program that is part of Windows is started so that it prints UTF-8: in a console of its own, whose encoding is set
 * first. By default that is one that lacks most letters. In Windows' folder, because cmd.exe prefers programs that are in
 * the current one.
 * @param line a line of cmd.exe
 * @param timeout in ms
 */
export const ofWindows = (line: string, timeout: number) => {
  const cwd = join(process.env.SystemRoot || 'C:\\Windows', 'System32');
  const options = {
    cwd,
    timeout,
    maxBuffer: 16 * 1024 * 1024,
    windowsHide: true,
    windowsVerbatimArguments: true,
  } as const;
  return {
    program: join(cwd, 'cmd.exe'),
    args: ['/d', '/s', '/c', `"chcp.com 65001 >nul & ${line}"`],
    options: { ...options, encoding: 'utf8' as const },
  };
};

/** What such a line prints; undefined if it fails, or takes too long. */
export const askWindows = (line: string, timeout: number): string | undefined => {
  const { program, args, options } = ofWindows(line, timeout);
  const { stdout, status } = spawnSync(program, args, options);
  return status === 0 ? stdout : undefined;
};

/** A text of the registry; null if the value holds something else, undefined if there is no such value. @param ask for tests */
export const registryText = (key: string, name: string, ask = askWindows): string | null | undefined => {
  const said = ask(`reg.exe query "${key}" /v ${name}`, 5_000);
  // What it prints: the key, then name, type and text.
  return said && (new RegExp(`^\\s*${name}\\s+REG_(?:EXPAND_)?SZ\\s+(\\S.*)$`, 'ims').exec(said)?.[1]?.trim() ?? null);
};
