import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

/**
 * Starts one of our built files in a process of its own, which goes on when this process has ended. Nothing waits for it, and
 * it shows no console.
 * @param file in the folder of the bundles, such as `send-events.cjs`
 * @throws if the process cannot be started at all
 */
export const startInBackground = (file: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess => {
  const child = spawn(process.execPath, [join(__dirname, file), ...args], {
    detached: true,
    env,
    stdio: 'ignore',
    windowsHide: true,
  });
  child.on('error', () => {});
  child.unref();
  return child;
};
