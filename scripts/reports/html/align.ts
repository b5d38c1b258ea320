import { diffArrays } from 'diff';
import { canonical } from '../../contract/canonical.ts';
import { pointer } from '../../contract/json-pointer.ts';
import { isObject, type Json, type JsonObject } from '../../contract/types.ts';
import { shorten } from '../../text/visible.ts';

/** A row of two JSON values side by side: one line, or several that belong together. */
export interface AlignedRow {
  /** How deep it is nested. */
  depth: number;
  /** JSON Pointer into the old value; into the new one for what was added. */
  path: string;
  /** The text on this side; absent if there is nothing on it. */
  before?: string;
  after?: string;
  /** For a value that is the same on both sides: its first line, and how many lines there are. */
  unchanged?: { first: string; lines: number };
  /** Unchanged and long: shown folded. */
  folded?: true;
}

/** Unchanged parts with more lines than this are folded. */
const MOST_SAME = 8;
const LONGEST_TEXT = 600;
const MOST_LINES = 400;
/** Lists with more additions and removals than this are paired by position: to align them would be quadratic. */
const MOST_EDITS = 500;

const scalar = (value: Json): string => {
  if (typeof value !== 'string') return JSON.stringify(value);
  const rest = value.length - LONGEST_TEXT;
  return `${JSON.stringify(rest > 0 ? shorten(value, LONGEST_TEXT) : value)}${rest > 0 ? ` (${rest} more characters)` : ''}`;
};

const lines = (value: Json, indent = ''): string[] => {
  const deeper = `${indent}  `;
  if (Array.isArray(value) && value.length > 0) {
    // Short lists of plain values go on one line, as people write them.
    const flat = value.every((item) => !isObject(item) && !Array.isArray(item))
      ? `[${value.map(scalar).join(', ')}]`
      : '';
    if (flat !== '' && flat.length <= 80) return [flat];
    return ['[', ...value.flatMap((item) => indented(lines(item, deeper), deeper)), `${indent}]`];
  }
  if (isObject(value) && Object.keys(value).length > 0) {
    const members = Object.entries(value as JsonObject).flatMap(([key, item]) => {
      const [first, ...rest] = lines(item, deeper);
      return [`${deeper}${label(key)}${first}`, ...rest];
    });
    return ['{', ...members, `${indent}}`];
  }
  return [scalar(value)];
};

const indented = ([first, ...rest]: string[], indent: string): string[] => [`${indent}${first}`, ...rest];

/** What stands before the value of a member; nothing before an item of a list. */
const label = (key: string | undefined): string => (key === undefined ? '' : `${JSON.stringify(shorten(key, 200))}: `);

const pretty = (key: string | undefined, value: Json): string[] => {
  const [first, ...rest] = lines(value);
  const all = [`${label(key)}${first}`, ...rest];
  return all.length > MOST_LINES ? [...all.slice(0, MOST_LINES), `… ${all.length - MOST_LINES} more lines`] : all;
};

type Slot<T> = [before: T | undefined, after: T | undefined];

/** Pairs the elements of two lists, by index: equal ones, and between these the removed with the added ones, in order. */
const pairItems = (before: readonly Json[], after: readonly Json[]): Slot<number>[] => {
  const [a, b] = [before.map(canonical), after.map(canonical)];
  const parts = diffArrays(a, b, { maxEditLength: MOST_EDITS }) ?? [];
  const slots: Slot<number>[] = [];
  let [from, to] = [0, 0];
  const flush = (untilBefore: number, untilAfter: number): void => {
    for (; from < untilBefore || to < untilAfter; ) {
      slots.push([from < untilBefore ? from++ : undefined, to < untilAfter ? to++ : undefined]);
    }
  };
  let [old, now] = [0, 0];
  for (const { count, added, removed } of parts) {
    const stayed = !added && !removed;
    if (stayed) flush(old, now);
    if (!added) old += count;
    if (!removed) now += count;
    if (stayed) flush(old, now);
  }
  flush(before.length, after.length);
  return slots;
};

/** Pairs the keys of two objects, in the order of the old one: a renamed key with its new name; then the new keys. */
const pairKeys = (
  before: JsonObject,
  after: JsonObject,
  renamedTo: (key: string) => string | undefined,
): Slot<string>[] => {
  const taken = new Set<string>();
  const slots = Object.keys(before).map((key): Slot<string> => {
    const to = Object.hasOwn(after, key) ? key : renamedTo(key);
    if (to === undefined || !Object.hasOwn(after, to) || taken.has(to) || (to !== key && Object.hasOwn(before, to))) {
      return [key, undefined];
    }
    taken.add(to);
    return [key, to];
  });
  const added = Object.keys(after).filter((key) => !taken.has(key));
  return [...slots, ...added.map((key): Slot<string> => [undefined, key])];
};

/** A member or an item on both sides, or on one of them. */
interface PairedValue {
  path: string;
  keys: Slot<string>;
  values: Slot<Json>;
}

const itemsOf = (path: string, old: readonly Json[], now: readonly Json[]): PairedValue[] =>
  pairItems(old, now).map(([i, j]) => ({
    path: `${path}/${i ?? j}`,
    keys: [undefined, undefined],
    values: [old[i ?? -1], now[j ?? -1]],
  }));

/** Joins neighbouring unchanged rows, which are always of one depth, into one folded row if they have many lines. */
const folded = (rows: readonly AlignedRow[]): AlignedRow[] => {
  const found: AlignedRow[] = [];
  for (let from = 0; from < rows.length; ) {
    const start = rows[from] as AlignedRow;
    let to = from + 1;
    if (start.unchanged) while (rows[to]?.unchanged) to++;
    const run = rows.slice(from, to);
    from = to;
    const lines = run.reduce((sum, row) => sum + (row.unchanged?.lines ?? 0), 0);
    if (!start.unchanged || lines <= MOST_SAME) found.push(...run);
    else {
      const text = run.map((row) => row.before).join('\n');
      found.push({ ...start, before: text, after: text, unchanged: { ...start.unchanged, lines }, folded: true });
    }
  }
  return found;
};

/** Two JSON values side by side. `renames` maps the JSON Pointer of a renamed member to its new name. */
export const align = (before: Json, after: Json, renames: ReadonlyMap<string, string>): AlignedRow[] => {
  const rows: AlignedRow[] = [];
  const membersOf = (path: string, old: JsonObject, now: JsonObject): PairedValue[] =>
    pairKeys(old, now, (name) => renames.get(path + pointer(name))).map((keys) => ({
      path: path + pointer((keys[0] ?? keys[1]) as string),
      keys,
      values: [own(old, keys[0]), own(now, keys[1])],
    }));
  const both = (path: string, depth: number, [key, newKey]: Slot<string>, old: Json, now: Json): void => {
    if (key === newKey && canonical(old) === canonical(now)) {
      const all = pretty(key, old);
      const text = all.join('\n');
      rows.push({ depth, path, before: text, after: text, unchanged: { first: all[0] as string, lines: all.length } });
      return;
    }
    const objects = isObject(old) && isObject(now);
    if (!objects && !(Array.isArray(old) && Array.isArray(now))) {
      rows.push({ depth, path, before: pretty(key, old).join('\n'), after: pretty(newKey, now).join('\n') });
      return;
    }
    const [open, close] = objects ? '{}' : '[]';
    rows.push({ depth, path, before: `${label(key)}${open}`, after: `${label(newKey)}${open}` });
    for (const child of objects ? membersOf(path, old, now) : itemsOf(path, old as Json[], now as Json[]))
      one(child, depth + 1);
    rows.push({ depth, path: '', before: `${close}`, after: `${close}` });
  };
  const one = ({ path, keys, values: [old, now] }: PairedValue, depth: number): void => {
    if (old !== undefined && now !== undefined) both(path, depth, keys, old, now);
    else if (old !== undefined) rows.push({ depth, path, before: pretty(keys[0], old).join('\n') });
    else if (now !== undefined) rows.push({ depth, path, after: pretty(keys[1], now).join('\n') });
  };
  both('', 0, [undefined, undefined], before, after);
  return folded(rows);
};

const own = (object: JsonObject, key: string | undefined): Json | undefined =>
  key !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
