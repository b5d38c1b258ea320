import { defined } from '../../contract/defined.ts';

/** The result of one check. `note`: worth knowing, but nothing is wrong. */
export interface Check {
  name: string;
  state: 'ok' | 'note' | 'wrong';
  detail: string;
  /** What to do about it. */
  hint?: string;
  /** Set for a server that the next session starts through wrap: there is nothing else to report about it. */
  startsWrapped?: true;
}

/** A check, with its parts in this order. */
export const made = (name: string, state: Check['state'], detail: string, hint?: string): Check => ({
  name,
  state,
  detail,
  ...defined({ hint }),
});
