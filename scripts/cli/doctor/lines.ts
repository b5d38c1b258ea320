import { defined } from '../../contract/defined.ts';
import type { Check } from './check.ts';

/** What checks are called by programs, by the first word of their names; docs/company.md lists them. They stay as they are. */
const IDS: Record<string, string> = {
  node: 'node',
  Claude: 'client',
  hook: 'hooks',
  hooks: 'hooks',
  programs: 'hooks',
  rules: 'rules',
  settings: 'settings',
  server: 'servers',
  servers: 'servers',
  gateway: 'servers',
  source: 'servers',
  sources: 'servers',
  shared: 'shared',
  events: 'events',
  state: 'state',
  switch: 'switch',
  guard: 'guard',
  calls: 'guard',
  managed: 'managed',
};

const LEVELS = { ok: 'ok', note: 'warning', wrong: 'problem' } as const;

/** A check as device management reads it. */
interface Entry {
  id: string;
  level: 'ok' | 'warning' | 'problem';
  name: string;
  message: string;
  /** What to do about it. */
  fix?: string;
}

export const entryOf = ({ name, state, detail, hint }: Check): Entry => {
  const [, first = '', second = ''] = /^(\w+) ?(\w*)/.exec(name) ?? [];
  const id =
    first === 'policy' ? `policy-${second}` : name === 'managed owner' ? 'managed-owner' : (IDS[first] ?? first);
  return { id, level: LEVELS[state], name, message: detail, ...defined({ fix: hint }) };
};
