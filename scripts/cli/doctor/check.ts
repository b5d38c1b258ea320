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
