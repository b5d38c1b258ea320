// What a text says about values that a call does not pass.
import type { Json } from '../../contract/types.ts';
import { kindOf } from './kinds.ts';

/** A line about one value: "2. close - Closes the ticket". Without a mark or quotes, it may be "Note: ..." as well. */
const OPTION =
  /^(\s{0,20})(?:\d{1,3}([.)])|([-*•])|(?=["'`]))(\s{0,9})(["'`]?)([\p{L}\p{N}_][\p{L}\p{N}_.-]{0,60})\5\s{0,9}([-–—:])\s/u;
const NUMBER = /^\s{0,20}\d{1,3}[.)]/;
const NAMES = /[\p{L}\p{N}_][\p{L}\p{N}_.-]*(?<![.-])/gu;
/** Words before a statement about all values: "- both: nothing is deleted", "- timeout: 5 s". */
const OF_ALL =
  /^(?:after|all|always|any|before|both|caution|danger|defaults?|duration|each|effects?|else|encoding|every|finally|formats?|if|important|limits?|max\w*|min|minimum|never|notes?|others?|otherwise|required|rest|returns?|size|syntax|then|timeout|times?|tip|unless|units?|until|warning|when|while|zone)$/i;
/** Words by which a line leads to another one: "same as above". */
const LEADS =
  /\b(?:above|also|below|both|first|following|former|last|latter|like|options?|others?|preceding|previous|rest|same|see)\b/i;

/** "Pass null to remove it", "or null to remove it". What such words add may be about every value: "and in cents". */
const OF_NULL =
  /(?:,? or(?: pass)?|(?<=^|[.,\n] ?)(?:(?:pass|send|set to|use)))\s{1,9}[`'"]?null[`'"]?\s{1,9}(?:for|if|to|when)\s(?![^.,:;()\n]{0,100}(?:\b(?:and|as|but|by|else|in|otherwise|whereas|while|with)\b|\s[-–—]\s))[^.,:;()\n]{1,100}(?=[.,;()\n]|$)/gi;

/** Kinds of words that tell how a value is written, whatever else is told: "or null for no limit per page". */
const OF_FORM: ReadonlySet<string | undefined> = new Set(['base', 'format', 'time zone', 'unit']);
const tellsForm = (said: string): boolean =>
  (said.match(NAMES) ?? []).some((text) => OF_FORM.has(kindOf({ text, word: text.toLowerCase() })));

interface Line {
  text: string;
  /** The value that it is about. */
  value?: string;
  /** How it is written, as each line of a list is. */
  form: string;
}

const lineOf = (text: string): Line => {
  const [, indent, bracket, mark, space, quote, value = '', sign] = OPTION.exec(text) ?? [];
  if (value === '' || OF_ALL.test(value)) return { text, form: '' };
  return { text, value, form: JSON.stringify([indent, bracket, mark, space, quote, /^\p{Lu}/u.test(value), sign]) };
};

/** A text without its lines about other values, if it has one about each value that a call passes, which names no other. */
const ofOptions = (text: string, passed: ReadonlySet<Json>): string => {
  const lines = text.split(/(?<=\n)/).map(lineOf);
  const isPassed = ({ value }: Line): boolean => value !== undefined && passed.has(value);
  const its = lines.filter(isPassed);
  if (passed.size === 0 || ![...passed].every((value) => its.some((line) => line.value === value))) return text;
  const forms = new Set(its.map(({ form }) => form));
  const names = (line: Line): string[] => line.text.match(NAMES) ?? [];
  const isOther = (line: Line): boolean => forms.has(line.form) && !names(line).some((name) => passed.has(name));
  const others = new Set(lines.filter(isOther).map(({ value }) => value?.toLowerCase()));
  if (its.some((line) => LEADS.test(line.text) || names(line).some((name) => others.has(name.toLowerCase()))))
    return text;
  return lines
    .filter((line) => !isOther(line))
    .map((line) => (line.value === undefined ? line.text : line.text.replace(NUMBER, '')))
    .join('');
};

/** A text without what it says only about values that a call does not pass. */
export const ofValues = (text: string, passed: readonly Json[]): string => {
  const rest = ofOptions(text, new Set(passed));
  return passed.length === 0 || passed.includes(null)
    ? rest
    : rest.replace(OF_NULL, (said) => (tellsForm(said) ? said : ''));
};
