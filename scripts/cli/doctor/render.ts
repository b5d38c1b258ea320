import { basename, dirname } from 'node:path';
import type { Io } from '../../command/command.ts';
import { tilde } from '../../command/tilde.ts';
import { painter } from '../../text/paint.ts';
import { visible } from '../../text/visible.ts';
import { wrap } from '../../usage/text.ts';
import { type Check, ok } from './check.ts';

const MARKS = { ok: ['green', '✔'], note: ['yellow', '·'], wrong: ['red', '✘'] } as const;

/** The width of the column of names, if the terminal is wide enough: as the longest name needs. */
const NAMES = { least: 20, most: 32 };
const NARROW = 60;

/** Groups the hooks that are in place into one check per folder: a person looks for what is missing. */
const hooksTogether = (checks: readonly Check[]): Check[] => {
  const folderOf = ({ state, detail }: Check): string | undefined =>
    state === 'ok' && detail.endsWith('.cjs') ? dirname(detail) : undefined;
  return checks.flatMap((check, at) => {
    const folder = folderOf(check);
    if (folder === undefined) return [check];
    const alike = checks.filter((one) => folderOf(one) === folder);
    if (checks.findIndex((one) => folderOf(one) === folder) !== at) return [];
    const scripts = new Set(alike.map(({ detail }) => basename(detail, '.cjs')));
    return [ok('hooks', `${folder}: ${[...scripts].join(', ')}`)];
  });
};

/** How many servers that start through wrap are named; `--json` names all. */
const MOST_NAMES = 4;

/** Servers that start through wrap, as one check, for the same reason. */
const serversTogether = (checks: readonly Check[]): Check[] => {
  const wrapped = checks.filter(({ startsWrapped }) => startsWrapped);
  const [first] = wrapped;
  if (first === undefined || wrapped.length === 1) return [...checks];
  const names = wrapped.map(({ name }) => name.replace('server ', ''));
  const named = names.length > MOST_NAMES + 1 ? names.slice(0, MOST_NAMES) : names;
  const rest = names.length - named.length;
  const all: Check = {
    ...first,
    name: 'servers',
    detail: `guarded by konnichiwagwan wrap while a session runs: ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`,
  };
  return checks.flatMap((check) => (check === first ? [all] : check.startsWrapped ? [] : [check]));
};

/** The checks as text for people: as wide as their terminal, with `~` for their home folder. */
export const checkLines = (checks: readonly Check[], io: Io): string[] => {
  const { colour, columns } = io;
  const paint = painter(colour);
  const isNarrow = columns < NARROW;
  const lines = serversTogether(hooksTogether(checks));
  const longest = Math.max(NAMES.least, ...lines.map(({ name }) => name.length));
  const width = Math.min(NAMES.most, longest);
  const indent = ' '.repeat(isNarrow ? 4 : width + 3);
  return lines.flatMap(({ name, state, detail, hint }) => {
    const [style, mark] = MARKS[state];
    // The space after the name stays, even if the name is too long for its column.
    const label = isNarrow ? `${name}: ` : `${name.padEnd(width)} `;
    const [first = '', ...rest] = wrap(visible(tilde(detail, io), { max: 1_000 }), columns, `  ${label}`, indent);
    // A command is never broken across lines: people copy it.
    const next = hint === undefined ? [] : [`${isNarrow ? '  ' : indent}→ ${tilde(hint, io)}`];
    return [`${paint(style, mark)}${first.slice(1)}`, ...rest, ...next];
  });
};
