import { readdirSync, readFileSync } from 'node:fs';
import { ps, sleep } from 'zx';

/** Whether the environment of a process names a folder. Only Linux tells. */
const carries = (pid: string, folder: string): boolean => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder);
  } catch {
    // It has ended since, or belongs to somebody else.
    return false;
  }
};

/** Ids of the processes that run now of what was started with a folder as its HOME: wrappers and their children. */
export const processesOf = async (folder: string): Promise<number[]> => {
  const all =
    process.platform === 'linux'
      ? readdirSync('/proc')
          .filter((pid) => /^\d+$/.test(pid) && carries(pid, folder))
          .map(Number)
      : (await ps.lookup({ arguments: folder })).map(({ pid }) => Number(pid));
  return all.filter((pid) => pid !== process.pid);
};

/** Those that do not end by themselves soon: some leave a helper behind that cleans up, and ends. */
export const processesLeft = async (folder: string): Promise<number[]> => {
  let left = await processesOf(folder);
  for (let waited = 0; left.length > 0 && waited < 3_000; waited += 100) {
    await sleep(100);
    left = await processesOf(folder);
  }
  return left;
};

/** Ends them, each by its id. */
export const endAll = (pids: readonly number[]): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
};
