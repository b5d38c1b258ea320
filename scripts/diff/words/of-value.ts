// What a description says that one value means: "0 = unlimited", "`a` uploads".
import type { Json } from '../../contract/types.ts';
import { isPreposition } from './differing.ts';
import { isJoining } from './function-words.ts';
import { stem } from './opposites.ts';
import { isOtherSentence } from './statement.ts';
import { wordsOf } from './tokens.ts';

/** Longer texts and values are not searched, in UTF-16 units; nor are more values. */
const LONGEST = 5_000;
const LONGEST_VALUE = 60;
const MOST_VALUES = 50;

/** What follows a quoted value without a sign, and tells nothing of it. */
const JOINED = String.raw`(?:and|as|by|default|if|in|or|to|when)\b`;
const SAID = String.raw`(\p{L}[^,;.()\n|/"'\x60]{0,100})`;

/** What a text says that a value means; undefined if it does not say it, or more than once. */
const toldOf = (value: Json, text: string): string | undefined => {
  const name = String(value);
  if (typeof value === 'object' && value !== null) return undefined;
  if (name === '' || name.length > LONGEST_VALUE) return undefined;
  const escaped = name.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  const joint = String.raw`(?:\s?(?:=|:|→|->|—|–)\s?|\s(?:means|for|is|to)\s)`;
  const form = String.raw`(?<![\p{L}\p{N}_.-])(?:${escaped}${joint}|(["'\x60])${escaped}\1(?:${joint}|\s(?!${JOINED})))${SAID}`;
  const found = [...text.matchAll(new RegExp(form, 'giu'))];
  return found.length === 1 ? found[0]?.[2] : undefined;
};

/** Ways to say the same of a value that stands for no number. */
const SAME = [
  /\b(?:all|everything|forever|infinite|limitless|no (?:limit|maximum|timeout)|unbounded|unlimited|without (?:a )?(?:limit|timeout))\b/i,
  /\b(?:disable[ds]?|never|no|none|nothing|off)\b/i,
];

const speaking = (text: string): Set<string> =>
  new Set(
    wordsOf(text)
      .tokens.filter((token) => /[\p{L}\p{N}]/u.test(token.text) && !isPreposition(token) && !isJoining(token.word))
      .map(({ word }) => stem(word)),
  );

const areSame = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((word) => other.has(word));

/** Whether a text says of a value what the other one did not say of it, or said of another one. */
export const isOtherOfValue = (value: Json, values: readonly Json[], old: string, now: string): boolean => {
  if (old.length + now.length > LONGEST || values.length > MOST_VALUES) return false;
  const [had, has] = [toldOf(value, old), toldOf(value, now)];
  if (had === undefined || has === undefined) return false;
  const [before, after] = [speaking(had), speaking(has)];
  if (areSame(before, after)) return false;
  const isOfOther = values.some((other) => other !== value && areSame(speaking(toldOf(other, old) ?? ''), after));
  if (isOfOther) return true;
  const [first, second] = [had, has].map((text) => SAME.findIndex((form) => form.test(text)));
  if (first !== -1 && first === second) return false;
  return isOtherSentence(wordsOf(had).tokens, wordsOf(has).tokens) || ![...before].some((word) => after.has(word));
};
