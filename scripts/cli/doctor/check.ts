/** One thing that was looked at. `note`: worth knowing, and nothing is wrong. */
export interface Check {
  name: string;
  state: 'ok' | 'note' | 'wrong';
  detail: string;
  /** What to do about it. */
  hint?: string;
}
