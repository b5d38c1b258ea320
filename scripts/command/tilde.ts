import { homeOf } from '../state/paths.ts';
import type { Io } from './command.ts';

/** A text for people, with `~` for their home folder in its paths, with either kind of slash. */
export const tilde = (text: string, { env }: Pick<Io, 'env'>): string =>
  text.replaceAll(`${homeOf(env)}/`, '~/').replaceAll(`${homeOf(env)}\\`, '~\\');
