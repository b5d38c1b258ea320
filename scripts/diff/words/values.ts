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

/** Whether a text lists the values, all of them: what is said of some only, the schema does not say. */
const isListOf = (said: string, values: ReadonlySet<string>): boolean => {
  const parts = said.split(BETWEEN).filter((part) => part !== '');
  const listed = parts.map((part) => part.trim().replace(/^(["'`])(.*)\1$/, '$2'));
  return parts.length > 1 && listed.every((one) => values.has(one)) && new Set(listed).size === values.size;
};

/** How far before a list such a word counts, in characters. */
const LONGEST_LEAD = 200;
/** Words that give places in a list a meaning: "from most to least urgent", "the first is the default". */
export const RANKS =
  /\b(?:from|first|last|most|least|highest|lowest|ascending|descending|default|respectively|order(?:ed)?|sorted|rank(?:ed)?|priority)\b[^.\n]*$/i;

const IN_BRACKETS = / ?\(([^()\n]{1,1000})\)/g;
/** "Can be a or b.", "One of: a, b" */
const IN_SENTENCE =
  /(?<=^|[.\n])\s{0,9}(?:can be|(?:must be |either )?one of|(?:allowed |possible |valid |supported )?(?:options|values)(?: are)?):?[ \t]{1,9}([^.()\n]{1,1000})(?:\.|(?=\n|$))/gi;
/** "The order: a or b" */
const BEHIND_COLON = /:[ \t]{1,9}([^.:()\n]{1,1000})\.?$/;

/** A text without lists of nothing but values that the schema allows. */
export const withoutLists = (text: string, values: ReadonlySet<string>): string => {
  if (values.size === 0) return text;
  let said = text;
  for (const list of [IN_BRACKETS, IN_SENTENCE, BEHIND_COLON])
    said = said.replace(list, (all: string, listed: string, at: number) =>
      isListOf(listed, values) && !RANKS.test(said.slice(Math.max(0, at - LONGEST_LEAD), at)) ? '' : all,
    );
  return said;
};

const NAMES = /[\p{L}\p{N}_](?:[\p{L}\p{N}_.:-]*[\p{L}\p{N}_])?/gu;
/** What a line or sentence is about, behind its number or mark. */
const SUBJECT = /^(?:\s{0,9}\d{1,3}[.)])?[\s\-*•"'`]*([\p{L}\p{N}_](?:[\p{L}\p{N}_.:-]*[\p{L}\p{N}_])?)/u;

/** Where a line ends, and where a sentence does: not behind the number of an item. */
const ENDS = [/(?<=\n)/, /(?<=[^\d\s][.!?;]\s)/] as const;

const anyOf = (values: readonly string[]): string =>
  `(?:${values.map((value) => value.replace(/[^\p{L}\p{N}_]/gu, String.raw`\$&`)).join('|')})`;

/** Longer values, in UTF-16 units of all, are not looked for. */
const LONGEST_NAMES = 5_000;

/** What parts the values of a list in a sentence. */
const SEPARATOR = String.raw`(?:[ \t]{0,9},[ \t]{0,9}(?:(?:and|or)[ \t]{1,9})?|[ \t]{0,9}[|/][ \t]{0,9}|[ \t]{1,9}(?:and|or)[ \t]{1,9})`;

/** Two texts that list values, without those that are new, and with the same signs between the others. */
export const withoutNewInLists = (
  [old, now]: readonly [string, string],
  [had, has]: readonly [ReadonlySet<string>, ReadonlySet<string>],
): readonly [string, string] => {
  if (had.size === 0 || [...has].every((value) => had.has(value))) return [old, now];
  // The longest comes first: "read-all", and "read".
  const values = [...new Set([...had, ...has])].sort((one, other) => other.length - one.length);
  const named = anyOf(values);
  if (named.length > LONGEST_NAMES) return [old, now];
  const quoted = ['"', "'", '`'].map((quote) => quote + named + quote).join('|');
  // A value, and what brackets say of it: "errors (what failed)"
  const value = String.raw`(?:${quoted}|(?<![\w.-])${named}(?![\w-]|\.\w))(?:[ \t]{0,9}\([^()\n]{0,200}\))?`;
  const item = new RegExp(value, 'g');
  const list = new RegExp(`${value}(?:${SEPARATOR}${value})+`, 'g');
  const isNew = (one: string): boolean => {
    const [name = '', ...said] = one.match(NAMES) ?? [];
    return has.has(name) && !had.has(name) && !said.some((other) => had.has(other));
  };
  const withoutNew = (text: string): string =>
    text.replace(list, (all) => {
      const kept = (all.match(item) ?? []).filter((one) => !isNew(one));
      const words = new Set(all.replace(item, '').match(/and|or/g));
      // "Tidal and canal, or lake" says which of them belong together.
      return words.size > 1 || kept.length === 0 ? all : kept.join([...words][0] ? ` ${[...words][0]} ` : ', ');
    });
  return [withoutNew(old), withoutNew(now)];
};

/** A text without its new lines and sentences about values that are new as well: they concern no call that was possible. */
export const withoutNewValues = (
  text: string,
  old: string,
  [had, has]: readonly [ReadonlySet<string>, ReadonlySet<string>],
): string => {
  if (had.size === 0 || [...has].every((value) => had.has(value))) return text;
  const isAboutNew = (said: string): boolean => {
    const subject = SUBJECT.exec(said)?.[1] ?? '';
    return has.has(subject) && !(said.match(NAMES) ?? []).some((name) => had.has(name));
  };
  return ENDS.reduce((rest, end) => {
    const known = new Set(old.split(end).map((said) => said.trim()));
    const kept = rest.split(end).filter((said) => known.has(said.trim()) || !isAboutNew(said));
    return kept.join('');
  }, text);
};
