import { readFileSync } from 'node:fs';
import { attempt } from '../contract/attempt.ts';

/** Whether a process is a zombie: it has ended, but its parent has not collected its exit status. */
const isDefunct = (pid: number): boolean => {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'latin1'), '');
  // The state follows the program's name, which stands in parentheses and may hold any characters.
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
};

/** Whether a process with this id runs, also one of another user. */
export const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !isDefunct(pid);
};
