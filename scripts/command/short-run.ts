import { setFlagsFromString } from 'node:v8';

/** Later versions are not known to have the option, and say so on standard error. */
const LATEST_NODE = 26;

/**
 * Lets V8 wait longer before it compiles code for speed. What a command runs is over before that pays: without this, the
 * compiler takes twice the time of all the rest, on another core if one is free.
 */
export const expectShortRun = (): void => {
  const { node, v8 } = process.versions;
  if (Number.parseInt(node, 10) > LATEST_NODE) return;
  const isOld = Number.parseInt(v8, 10) < 12;
  setFlagsFromString(isOld ? '--interrupt-budget=1000000' : '--invocation-count-for-turbofan=30000');
};
