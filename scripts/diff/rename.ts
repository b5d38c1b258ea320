// Which parameter is another one under a new name.
import { canonical } from '../contract/canonical.ts';
import { meaningOfSchema } from '../contract/meaning.ts';
import { type JsonObject, own } from '../contract/types.ts';
import { type Shown, say } from '../text/shown.ts';
import { isSwitch } from './left-out.ts';
import { letters, nameWords } from './name-words.ts';
import { areSameWord, isPlain, meanSame } from './same-names.ts';
import type { Rename } from './types.ts';
import { areInverse, areUnlike } from './unlike-names.ts';
import { compareTexts } from './words/compare.ts';
import { stem } from './words/opposites.ts';
import { MOST_READ, tellsApart } from './words/tells-apart.ts';

/** The type that a schema names, in canonical form. */
export const typeOf = (schema: JsonObject): string => canonical(own(schema, 'type') ?? null);

const withoutWords = (schema: JsonObject): string => {
  const { description: _words, title: _title, ...rest } = meaningOfSchema(schema) as JsonObject;
  return canonical(rest);
};

/** Whether a schema says more than a type, so that few others are equal to it. A switch has no more than a default. */
const isSpecial = (schema: JsonObject): boolean => {
  const { type, items: _items, description: _words, title: _title, ...rest } = schema;
  return type !== 'boolean' && Object.keys(rest).length > 0;
};

/** Whether two names have a word in common. */
export const shareWord = (from: string, to: string): boolean => {
  const words = new Set(nameWords(to));
  return nameWords(from).some((word) => words.has(word));
};

/** Whether one name has all words of the other. `to` is no word of `token`: letters within a word are no evidence. */
const extendsWords = (longer: string, shorter: string): boolean => {
  const [long, short] = [nameWords(longer), nameWords(shorter)];
  const isForm = (one: string, other: string): boolean =>
    stem(one) === stem(other) || (areSameWord(one, other) && (one.startsWith(other) || other.startsWith(one)));
  const inWords = [longer, shorter].every(isPlain);
  return inWords && short.every((word) => long.some((other) => isForm(word, other)));
};

const isSimilar = (from: string, to: string): boolean =>
  extendsWords(from, to) || extendsWords(to, from) || (meanSame(from, to) && (from.includes(to) || to.includes(from)));

interface RenameEvidence {
  evidence: Shown;
  score: number;
  isUnlike: boolean;
  /** What shows that a value means the same: the name does only where no other parameter is like it. */
  proof?: 'spelling' | 'words' | 'name' | undefined;
}

/** Whether a text says all that one of two names says and the other does not: "Channel ID" of `channel` and `channel_id`. */
const saysDifference = (text: string, names: readonly [string, string]): boolean => {
  const [had, has] = names.map((name) => new Set(nameWords(name))) as [Set<string>, Set<string>];
  const said = new Set(nameWords(text.slice(0, MOST_READ)));
  return names.every(isPlain) && [...had, ...has].every((word) => (had.has(word) && has.has(word)) || said.has(word));
};

const wordsOf = (said: JsonObject): string => {
  const words = own(said, 'description');
  return typeof words === 'string' ? words : '';
};

/** Whether a text says what the other one said, with a few words more at most. */
const keepsWords = ([had, has]: readonly [string, string], names: readonly string[]): boolean =>
  has.length <= 2 * had.length && ['added', 'same', 'widened'].includes(compareTexts(had, has, { names }).change);

/** Evidence that a property is another one under a new name, with a score; null if there is none. */
const evidenceFor = (
  [from, before]: [string, JsonObject],
  [to, after]: [string, JsonObject],
  onlyPair: boolean,
  isToldElsewhere: (had: string, has: string) => boolean,
): RenameEvidence | null => {
  const told: [string, string] = [wordsOf(before), wordsOf(after)];
  const sameWords = told[0] !== '' && told[0] === told[1];
  const sameType = typeOf(before) === typeOf(after);
  if (letters(from) === letters(to)) {
    return {
      score: 4 + (sameWords ? 0.5 : 0) + (sameType ? 0.25 : 0),
      evidence: say`the same name in another spelling${sameType ? '' : ', with another type'}`,
      isUnlike: false,
      proof: 'spelling',
    };
  }
  if (isSwitch(before) && isSwitch(after) && areInverse(from, to))
    return { isUnlike: true, score: sameWords ? 3 : 2, evidence: say`one is the opposite of the other` };
  const areSame = sameWords && (tellsApart(told[0]) || saysDifference(told[0], [from, to]));
  const isSame = areSame || (isSpecial(before) && withoutWords(before) === withoutWords(after));
  // Same words do not outweigh a name that says something of its own: `content` and `content_base64`.
  const saysOther = areUnlike([from, to], told);
  const isUnlike = saysOther && !(isSame && !areUnlike([from, to], told, true));
  const proof = saysOther ? undefined : areSame ? 'words' : meanSame(from, to) ? 'name' : undefined;
  if (sameWords)
    return {
      isUnlike,
      proof,
      score: sameType ? 3 : 2.5,
      evidence: say`the same ${sameType ? 'type and the same words' : 'words, with another type'}`,
    };
  if (!sameType || isToldElsewhere(...told)) return null;
  if (isSimilar(from, to)) {
    const score = proof === undefined ? 2 : 2.25;
    return { isUnlike, proof, score, evidence: say`the same type and a similar name` };
  }
  if (onlyPair && withoutWords(before) === withoutWords(after)) {
    if (!saysOther && tellsApart(told[0]) && keepsWords(told, [from, to]))
      return { isUnlike, proof: 'words', score: 2.5, evidence: say`the same type and nearly the same words` };
    // What a switch does, its name says: `dry_run` is not `force`.
    const isOther = isUnlike || (own(before, 'type') === 'boolean' && !shareWord(from, to));
    const evidence = say`the same type; no other parameter was removed or added`;
    return { isUnlike: isOther, proof, score: 1, evidence };
  }
  if (proof === undefined) return null;
  return { isUnlike, proof, score: 1, evidence: say`the same type and a name for the same` };
};

/** How often each value occurs. */
export const tally = <Value>(values: readonly Value[]): Map<Value, number> => {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
};

/** By how much a name that says something else counts less than any other evidence. */
const UNLIKE_SCORE = 10;

/**
 * Pairs removed properties with added ones that are likely the same, or else stand for them, by the best evidence. Each is
 * used once, and none where two are equally likely.
 * @param stayed both versions of properties whose names stayed: one may have the words of a removed one now
 */
export const findRenames = (
  removed: readonly [string, JsonObject][],
  added: readonly [string, JsonObject][],
  stayed: readonly [JsonObject, JsonObject][] = [],
): Rename[] => {
  // The work is quadratic; and with this many, it is a new contract rather than some renames.
  if (removed.length * added.length > 2_500) return [];
  const onlyPair = removed.length === 1 && added.length === 1;
  const reworded = stayed.map((sides) => sides.map(wordsOf)).filter(([had, has]) => had !== has);
  const [left, tookOver] = [0, 1].map((side) => new Set(reworded.map((words) => words[side])));
  const isToldElsewhere = (had: string, has: string): boolean =>
    (had !== '' && tookOver?.has(had) === true) || (has !== '' && left?.has(has) === true);
  const candidates = removed.flatMap((before) =>
    added.flatMap((after) => {
      const reason = evidenceFor(before, after, onlyPair, isToldElsewhere);
      if (reason === null) return [];
      const score = reason.isUnlike ? reason.score - UNLIKE_SCORE : reason.score;
      return [{ ...reason, from: before[0], to: after[0], score }];
    }),
  );
  const [gone, taken] = [new Set<string>(), new Set<string>()];
  const renames: Rename[] = [];
  for (const score of [...new Set(candidates.map((one) => one.score))].sort((a, b) => b - a)) {
    const open = candidates.filter((one) => one.score === score && !gone.has(one.from) && !taken.has(one.to));
    const [ofOld, ofNew] = [tally(open.map((one) => one.from)), tally(open.map((one) => one.to))];
    const rest = candidates.filter((one) => !gone.has(one.from) && !taken.has(one.to));
    for (const { from, to, evidence, isUnlike, proof } of open) {
      gone.add(from);
      if (ofOld.get(from) !== 1 || ofNew.get(to) !== 1) continue;
      taken.add(to);
      const isAlone = rest.filter((one) => one.from === from || one.to === to).length === 1;
      const isSure = proof !== undefined && (proof !== 'name' || isAlone);
      renames.push({ from, to, evidence, isUnlike, isSure });
    }
  }
  return renames;
};
