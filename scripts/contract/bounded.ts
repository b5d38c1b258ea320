import vm from 'node:vm';

/** Compiled once: it is the same every time. */
let script: vm.Script | undefined;
const slot = globalThis as { __konnichiwagwan?: (() => unknown) | undefined };

/** How often work is begun that a busy machine left no time for. */
const TRIES = 4;

/** Time that this process had, in ms. */
const timeHad = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/**
 * Runs work that somebody else's schema could make endless, and stops it when the time is up: vm's watchdog ends even a
 * regular expression that runs away, which no timer could. The watchdog goes by the clock; where others had the machine
 * most of that time, the work is begun again.
 * @param work gives the same however often it is begun
 * @param ms milliseconds
 */
export const bounded = <T>(
  work: () => T,
  ms: number,
): { done: true; value: T } | { done: false; timedOut: boolean } => {
  const outer = slot.__konnichiwagwan;
  slot.__konnichiwagwan = work;
  try {
    script ??= new vm.Script('__konnichiwagwan()');
    for (let tries = 1; ; tries++) {
      const before = timeHad();
      try {
        return { done: true, value: script.runInThisContext({ timeout: ms }) as T };
      } catch (error) {
        const timedOut = (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
        if (!timedOut || tries === TRIES || timeHad() - before > ms / 2) return { done: false, timedOut };
      }
    }
  } finally {
    slot.__konnichiwagwan = outer;
  }
};

/**
 * Whether a schema's text holds a pattern that can take more than polynomial time: one that repeats a group, or refers
 * back to one.
 */
export const canRunAway = (text: string): boolean => text.includes('"pattern') && /\)[*+{]|\\\\[1-9k]/.test(text);
