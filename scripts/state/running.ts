import { readFileSync } from 'node:fs';

/** Whether a process ended and is only still listed, since whoever started it has not asked how it ended. */
const isDefunct = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // Behind the name of the program, which may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
};

/** Whether a process of this number runs, whoever it belongs to. */
export const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !isDefunct(pid);
};
