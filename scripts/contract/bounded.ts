import vm from 'node:vm';

/** The script that calls the work, compiled once: it is the same every time. */
let script: vm.Script | undefined;
const slot = globalThis as { __konnichiwagwan?: (() => unknown) | undefined };

/** How many attempts the work gets on a machine that is too busy to give it its time. */
const TRIES = 4;
/** Work that had this part of its time had it all. */
const ENOUGH = 0.9;
/** How much longer than its time an attempt may take on a busy machine. */
const MOST_STRETCHED = 4;

type ThreadClock = typeof process & { threadCpuUsage?(): NodeJS.CpuUsage };

/** CPU time that this thread has used, in ms; that of the whole process where Node cannot tell them apart. */
const timeHad = (): number => {
  const { user, system } = (process as ThreadClock).threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1000;
};

/**
 * Runs work that a foreign schema could make endless, and stops it when the time is up: vm's watchdog ends even a runaway
 * regular expression, which no timer could. The watchdog measures elapsed time; if other processes used the machine for
 * some of it, the work starts again, and may take longer.
 * @param work may be run several times, and gives the same result each time
 * @param ms limit in milliseconds
 * @returns the work's value, or that it was not done: because its time was up, or because it threw
 */
export const bounded = <T>(
  work: () => T,
  ms: number,
): { done: true; value: T } | { done: false; timedOut: boolean } => {
  const outer = slot.__konnichiwagwan;
  try {
    script ??= new vm.Script('__konnichiwagwan()');
    let limit = ms;
    for (let tries = 1; ; tries++) {
      // Set each time: nested work with a limit of its own may have been cut off before it could restore this.
      slot.__konnichiwagwan = work;
      const before = timeHad();
      try {
        return { done: true, value: script.runInThisContext({ timeout: limit }) as T };
      } catch (error) {
        const timedOut = (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
        const had = timeHad() - before;
        if (!timedOut || tries === TRIES || had > ms * ENOUGH) return { done: false, timedOut };
        limit = Math.ceil(Math.min(MOST_STRETCHED, limit / had) * ms);
      }
    }
  } finally {
    slot.__konnichiwagwan = outer;
  }
};

/**
 * Whether a schema, as JSON text, may hold a regular expression that takes more than polynomial time: one that repeats a
 * group, or has a backreference.
 */
export const canRunAway = (text: string): boolean => text.includes('"pattern') && /\)[*+{]|\\\\[1-9k]/.test(text);
