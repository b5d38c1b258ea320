/** The result of one check. `note`: worth knowing, but nothing is wrong. */
export interface Check {
  name: string;
  state: 'ok' | 'note' | 'wrong';
  detail: string;
  /** What to do about it. */
  hint?: string;
  /** Of a server that the next session starts through wrap: nothing else is to be said of it. */
  startsWrapped?: true;
}
