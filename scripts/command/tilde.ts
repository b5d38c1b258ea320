import { homeOf } from '../state/paths.ts';
import type { Io } from './command.ts';

/**
 * A text for people, with `~` for their home folder in its paths, with either kind of slash. It stands before the quote of a
 * shell's word: a shell takes one within quotes for a name.
 */
export const tilde = (text: string, { env }: Pick<Io, 'env'>): string =>
  text
    .replaceAll(`'${homeOf(env)}/`, "~/'")
    .replaceAll(`${homeOf(env)}/`, '~/')
    .replaceAll(`${homeOf(env)}\\`, '~\\');
