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
const RANKS =
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

/** What stands before a value in a list, and what may stand behind it: "errors (what failed), or logs". */
const BEFORE = String.raw`(?:,[ \t]{0,9}(?:(?:and|or)[ \t]{1,9})?|[ \t]{1,9}(?:and|or)[ \t]{1,9})(["'\x60]?)`;
const BEHIND = String.raw`\1(?:[ \t]{0,9}\([^()\n]{0,200}\))?(?=[ \t]{0,9}(?:[,.;)\n]|and\b|or\b|$))`;

const anyOf = (values: readonly string[]): string =>
  `(?:${values.map((value) => value.replace(/[^\p{L}\p{N}_]/gu, String.raw`\$&`)).join('|')})`;

/** Two texts that list values, without those that are new, and with the same sign before each of the others. */
export const withoutNewInLists = (
  [old, now]: readonly [string, string],
  [had, has]: readonly [ReadonlySet<string>, ReadonlySet<string>],
): readonly [string, string] => {
  const came = [...has].filter((value) => !had.has(value));
  if (had.size === 0 || came.length === 0) return [old, now];
  const rest = now.replace(new RegExp(`${BEFORE}${anyOf(came)}${BEHIND}`, 'g'), '');
  if (rest === now) return [old, now];
  const known = new RegExp(`${BEFORE}(?=${anyOf([...had])}${BEHIND})`, 'g');
  return [old.replace(known, ', $1'), rest.replace(known, ', $1')];
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
