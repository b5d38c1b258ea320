import { readFileSync } from 'node:fs';

/** Whether a process runs. Zombies do not count: if no process waits for orphans, an ended one keeps its ID. */
export const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};
