import { type OwnWords, type Shown, say } from './shown.ts';

/** `1 tool`, `2 tools`. */
export const plural = <T extends string>(count: number, noun: OwnWords<T>): Shown =>
  say`${count} ${noun as unknown as Shown}${count === 1 ? '' : 's'}`;
