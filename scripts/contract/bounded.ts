import vm from 'node:vm';

/** Compiled once: it is the same every time. */
let script: vm.Script | undefined;
const slot = globalThis as { __konnichiwagwan?: () => unknown };

/**
 * Runs work that somebody else's schema could make endless, and stops it when the time is up: vm's watchdog ends even a
 * regular expression that runs away, which no timer could.
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
    return { done: true, value: script.runInThisContext({ timeout: ms }) as T };
  } catch (error) {
    return { done: false, timedOut: (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' };
  } finally {
    slot.__konnichiwagwan = outer;
  }
};

/**
 * Whether a schema's text holds a pattern that can take more than polynomial time: one that repeats a group, or refers
 * back to one.
 */
export const canRunAway = (text: string): boolean => text.includes('"pattern') && /\)[*+{]|\\\\[1-9k]/.test(text);
