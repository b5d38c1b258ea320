import { readFileSync } from 'node:fs';

/** Whether a process runs. Where nobody waits for orphans, what has ended keeps its id, and does not count. */
export const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};
