import { readdirSync, readFileSync } from 'node:fs';
import { ps, sleep } from 'zx';

/** Whether the environment of a process names a folder. Works only on Linux. */
const carries = (pid: string, folder: string): boolean => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder);
  } catch {
    // It has ended, or belongs to another user.
    return false;
  }
};

/** Ids of all running processes that were started with a folder as their HOME: wrappers and their children. */
export const processesOf = async (folder: string): Promise<number[]> => {
  const all =
    process.platform === 'linux'
      ? readdirSync('/proc')
          .filter((pid) => /^\d+$/.test(pid) && carries(pid, folder))
          .map(Number)
      : (await ps.lookup({ arguments: folder })).map(({ pid }) => Number(pid));
  return all.filter((pid) => pid !== process.pid);
};

/** Those of them that do not end by themselves soon: some leave a helper that cleans up and then ends. */
export const processesLeft = async (folder: string): Promise<number[]> => {
  let left = await processesOf(folder);
  for (let waited = 0; left.length > 0 && waited < 3_000; waited += 100) {
    await sleep(100);
    left = await processesOf(folder);
  }
  return left;
};

/** Ends processes, each by its id. */
export const endAll = (pids: readonly number[]): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
};
