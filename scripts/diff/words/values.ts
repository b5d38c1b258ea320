// Values that a text lists and the schema lists as well: there, the text says nothing that the schema does not say.
import { type Json, own } from '../../contract/types.ts';

/** More values, and longer lists, are left as they are. */
const MOST_VALUES = 200;

/** The texts that a value may be, or an element of it. */
export const textsAllowed = (schema: Json): ReadonlySet<string> => {
  const values = own(schema, 'enum') ?? own(own(schema, 'items'), 'enum');
  if (!Array.isArray(values) || values.length > MOST_VALUES) return new Set();
  return new Set(values.filter((value): value is string => typeof value === 'string' && value !== ''));
};

/** What parts values. */
const BETWEEN = /\s*(?:[,|/]|\bor\b|\band\b)\s*/;

const isListOf = (said: string, values: ReadonlySet<string>): boolean => {
  const parts = said.split(BETWEEN).filter((part) => part !== '');
  return parts.length > 1 && parts.every((part) => values.has(part.trim().replace(/^(["'`])(.*)\1$/, '$2')));
};

const IN_BRACKETS = / ?\(([^()\n]{1,1000})\)/g;
/** "Can be a or b.", "One of: a, b" */
const IN_SENTENCE =
  /(?<=^|[.\n])\s*(?:can be|(?:must be |either )?one of|(?:allowed |possible |valid |supported )?(?:options|values)(?: are)?):?\s+([^.()\n]{1,1000})(?:\.|(?=\n|$))/gi;
/** "The order: a or b" */
const BEHIND_COLON = /:\s+([^.:()\n]{1,1000})\.?$/;

/** A text without lists of nothing but values that the schema allows. */
export const withoutLists = (text: string, values: ReadonlySet<string>): string => {
  if (values.size === 0) return text;
  let said = text;
  for (const list of [IN_BRACKETS, IN_SENTENCE, BEHIND_COLON])
    said = said.replace(list, (all: string, listed: string) => (isListOf(listed, values) ? '' : all));
  return said;
};

const NAMES = /[\p{L}\p{N}_.:-]*[\p{L}\p{N}_]/gu;

/** A text without its new lines about values that are new as well: they concern no call that was possible. */
export const withoutNewValues = (
  text: string,
  old: string,
  [had, has]: readonly [ReadonlySet<string>, ReadonlySet<string>],
): string => {
  const known = new Set(old.split('\n'));
  const isAboutNew = (line: string): boolean => {
    const names = (line.match(NAMES) ?? []).filter((name) => has.has(name));
    return names.length > 0 && !names.some((name) => had.has(name));
  };
  if (had.size === 0 || [...has].every((value) => had.has(value))) return text;
  return text
    .split('\n')
    .filter((line) => known.has(line) || !isAboutNew(line))
    .join('\n');
};
