// Values that a text lists, where the schema does not: "Valid values are DAILY and MONTHLY", "Order: 'asc' or 'desc'".
import { RANKS } from './values.ts';
import { spaced } from './words-change.ts';

/** A longer text is not searched. */
const LONGEST = 5_000;

const QUOTED = String.raw`(?:"[^"\n]{1,60}"|'[^'\n]{1,60}'|\x60[^\x60\n]{1,60}\x60)`;
const ITEM = String.raw`(?:${QUOTED}|[\w-]{1,60})`;
const LEAD = String.raw`\b(?:one of|(?:options|values)(?: are)?):?[ \t]{1,3}`;
const END = String.raw`(?=\s{0,3}(?:[;)\]\n]|\.(?!\w)|$))`;
const FORMS = [
  String.raw`(?<=${LEAD})${ITEM}(?:(?:,[ \t]?(?:(?:and|or)[ \t])?|[ \t]?[|/][ \t]?|[ \t](?:and|or)[ \t])${ITEM})+${END}`,
  // Without such words, "and" joins what belongs together.
  String.raw`${QUOTED}(?:(?:,[ \t]?|[ \t]?\|[ \t]?)${QUOTED})*(?:,?[ \t]or[ \t]|[ \t]?[|/][ \t]?)${QUOTED}${END}`,
].map((form) => new RegExp(form, 'gi'));
const VALUE = new RegExp(`${QUOTED}|(?<![\\w-])(?!(?:and|or)\\b)[\\w-]{1,60}`, 'gi');

/** Words with which a list is none of values to choose from. */
const OF_OTHERS =
  /\b(?:cannot|except\w*|exclud\w*|if|ignor\w*|never|no|not|unless|when|where|while|without)\b|n['’]t\b/i;
interface ListedWords {
  values: string[];
  rest: string;
  /** The first one may be the default, or the highest. */
  isRanked: boolean;
}

/** Undefined if a text has no list of values, or several. */
const listedIn = (text: string): ListedWords | undefined => {
  const [led, quoted] = FORMS.map((form) => [...text.matchAll(form)]);
  const found = led?.length ? led : (quoted ?? []);
  const [{ 0: list, index } = { 0: '', index: 0 }] = found;
  const before = text.slice(0, index);
  const sentence = before.slice(before.search(/[^.\n]*$/));
  if (found.length !== 1 || OF_OTHERS.test(sentence)) return undefined;
  const values = (list.match(VALUE) ?? []).map((value) => value.replace(/^(["'`])(.*)\1$/, '$2'));
  return { values, rest: spaced(`${before} … ${text.slice(index + list.length)}`), isRanked: RANKS.test(before) };
};

/**
 * The values that a text listed, if all that changed is that it lists more. A call that gives another value may mean something
 * else: "Removes 'tmp' or 'cache'" does not tell which values there are.
 */
export const listedBefore = (had: string, has: string): string[] | undefined => {
  if (had.length + has.length > LONGEST) return undefined;
  const [old, now] = [listedIn(had), listedIn(has)];
  if (old === undefined || now === undefined || old.rest !== now.rest) return undefined;
  if (old.isRanked && old.values[0] !== now.values[0]) return undefined;
  const kept = now.values.filter((value) => old.values.includes(value));
  return old.values.join('\n') === kept.join('\n') ? old.values : undefined;
};
