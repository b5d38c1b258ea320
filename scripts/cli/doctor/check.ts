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

const maker =
  (state: Check['state']) =>
  (name: string, detail: string, hint?: string): Check => ({ name, state, detail, ...defined({ hint }) });

export const ok = maker('ok');
export const note = maker('note');
export const wrong = maker('wrong');
