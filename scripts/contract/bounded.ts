import vm from 'node:vm';

/** The script that calls the work, compiled once: it is the same every time. */
let script: vm.Script | undefined;
const slot = globalThis as { __konnichiwagwan?: (() => unknown) | undefined };

/** How many attempts the work gets on a machine that is too busy to give it its time. */
const TRIES = 4;
/** Work that had this part of its time had it all: a call waits for most work. */
const ENOUGH = { usual: 0.5, patient: 0.9 };
/** How much longer than its time an attempt may take on a busy machine, if it is patient. */
const MOST_STRETCHED = 4;

let isPatient = false;

/**
 * Runs work in which all that has a time limit gets nearly all of its time, however busy the machine is. So the result does
 * not depend on the load. It may take some times as long, so no call may wait for it.
 */
export const patiently = <T>(work: () => T): T => {
  const outer = isPatient;
  isPatient = true;
  try {
    return work();
  } finally {
    isPatient = outer;
  }
};

type ThreadClock = typeof process & { threadCpuUsage?(): NodeJS.CpuUsage };

/** CPU time that this thread has used, in ms; that of the whole process where Node cannot tell them apart. */
const timeHad = (): number => {
  const { user, system } = (process as ThreadClock).threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1000;
};

/**
 * Runs work that a foreign schema could make endless, and stops it when the time is up: vm's watchdog ends even a runaway
 * regular expression, which no timer could. The watchdog measures elapsed time; if other processes used the machine for
 * most of it, the work starts again; see `patiently`.
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
        const enough = isPatient ? ENOUGH.patient : ENOUGH.usual;
        if (!timedOut || tries === TRIES || had > ms * enough) return { done: false, timedOut };
        if (isPatient) limit = Math.ceil(Math.min(MOST_STRETCHED, limit / had) * ms);
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

/** Shorter schemas, in characters, are read fast if no pattern, reference or comparison of items multiplies the work. */
const PLAIN = 10_000;
/** Each part of a schema may be tried on each part of the arguments: the most characters of both, multiplied. */
const PLAIN_PAIRS = 1_000_000;

const isPlain = (schemas: readonly unknown[], args: unknown): boolean => {
  try {
    const [text, given] = [JSON.stringify(schemas), JSON.stringify(args)];
    const isShort = text.length < PLAIN && text.length * given.length < PLAIN_PAIRS;
    return isShort && !/"(?:pattern|uniqueItems|\$(?:ref|dynamicRef|recursiveRef))/.test(text);
  } catch {
    // Nested too deep.
    return false;
  }
};

/**
 * Runs work about a call as `bounded` does, but without a time limit where it cannot take long: to set one takes longer than
 * most such work.
 */
export const boundedForCall = <T>(
  { schemas, args }: { schemas: readonly unknown[]; args: unknown },
  work: () => T,
  ms: number,
): ReturnType<typeof bounded<T>> => {
  if (!isPlain(schemas, args)) return bounded(work, ms);
  try {
    return { done: true, value: work() };
  } catch {
    return { done: false, timedOut: false };
  }
};
