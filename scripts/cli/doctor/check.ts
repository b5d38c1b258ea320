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

/** What checks are called by programs, by the first word of their names, if not like that; docs/company.md lists them. */
const IDS: Record<string, string> = {
  Claude: 'client',
  hook: 'hooks',
  programs: 'hooks',
  server: 'servers',
  gateway: 'servers',
  source: 'servers',
  sources: 'servers',
  calls: 'guard',
};

const LEVELS = { ok: 'ok', note: 'warning', wrong: 'problem' } as const;

/** A check as device management reads it: its fields stay as they are. */
export const entryOf = ({ name, state, detail, hint }: Check) => {
  const [, first = '', second = ''] = /^(\w+) ?(\w*)/.exec(name) ?? [];
  const isOwner = name === 'managed owner';
  const id = first === 'policy' || isOwner ? `${first}-${second}` : (IDS[first] ?? first);
  return { id, level: LEVELS[state], name, message: detail, ...defined({ fix: hint }) };
};
