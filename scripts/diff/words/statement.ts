// Whether a few words make a text another statement.
import { isLesserAct } from './acts.ts';
import { differing, isPreposition, isWord, withoutForms } from './differing.ts';
import { isNoFact } from './guidance.ts';
import { kindOf, VALUE } from './kinds.ts';
import { areOpposite } from './opposites.ts';
import type { Token } from './tokens.ts';

/** Whether two texts differ in words of the kinds and prepositions alone, or only in their order. */
export const isExact = (before: readonly Token[], after: readonly Token[]): boolean => {
  const { lost, came } = differing(before, after);
  const changed = [...lost, ...came];
  // "Deletes a file" and "Delete a file".
  const isForm = changed.length > 0 && [...withoutForms(lost, came), ...withoutForms(came, lost)].length === 0;
  return (
    before.length > 0 &&
    after.length > 0 &&
    !isForm &&
    changed.every((token) => kindOf(token) !== undefined || isPreposition(token))
  );
};

/** Kinds of words of which one is enough to make a short edit another statement: "Archives" and "Deletes the project". */
const DECISIVE: ReadonlySet<string | undefined> = new Set(['effect', 'negation', 'time zone']);
/** Longer edits are rewordings, in words that came or went. */
const SHORT_EDIT = 6;

/** Texts with more sentences are not compared by them: the work is quadratic. */
export const MOST_SENTENCES = 60;

/** Words that leave out all else. */
export const EXCLUSIVE = /^(?:only|solely|just)$/;

/** In a longer text, what is joined may be anything else. */
const SHORT_TEXT = 6;

/** Whether "Only you" became "Only you and your team", or one value came to mean more: "Guests and staff". */
export const leavesOutLess = (
  before: readonly Token[],
  after: readonly Token[],
  places: readonly number[],
  isOfValue: boolean,
): boolean =>
  (isOfValue || (before.length <= SHORT_TEXT && before.some(({ word }) => EXCLUSIVE.test(word)))) &&
  places.some((place) => /^(?:and|or)$/.test(after[place]?.word ?? ''));

/** Words that only join others, or tell the caller what to do. */
const JOINS = /^(?:and|are|be|between|can|from|if|is|may|please|should|that|use|which|will)$/;

/** Words that say something, without the first one of the text: "Gets" and "Fetches" say the same. */
const speaking = (changed: readonly Token[], [first]: readonly Token[]): Token[] =>
  changed.filter(
    (token) => token !== first && /[\p{L}\p{N}]/u.test(token.text) && !isPreposition(token) && !JOINS.test(token.word),
  );

/** What "and" and "or" join where they say which things are meant: conditions, and terms of a query. */
const CONDITIONS =
  /^(?:all|any|both|conditions?|either|filters?|if|match(?:es|ing)?|than|terms?|when|where|which|whose)$/;

/** Whether "and" became "or", or the other way round, between conditions. Of acts and things, both say the same. */
const isJoinTurned = (before: readonly Token[], lost: readonly Token[], came: readonly Token[]): boolean => {
  const isJoin = (one: readonly Token[], word: string): boolean => one.length === 1 && one[0]?.word === word;
  const isTurned = (isJoin(lost, 'and') && isJoin(came, 'or')) || (isJoin(lost, 'or') && isJoin(came, 'and'));
  return isTurned && before.some(({ word }) => CONDITIONS.test(word));
};

/** Kinds of words of which one in the place of another makes a sentence another statement. */
const REPLACED: ReadonlySet<string | undefined> = new Set(['base', 'order', 'quantity', 'unit']);
/** How much of a sentence is kept where another one was made out of it. */
export const LEAST_KEPT = 0.5;

/** The words of each sentence. */
export const inSentences = (tokens: readonly Token[]): Token[][] => {
  const sentences: Token[][] = [[]];
  for (const token of tokens)
    if (token.text === '.') sentences.push([]);
    else sentences.at(-1)?.push(token);
  return sentences.filter((sentence) => sentence.length > 0);
};

/** Whether a few words took the place of others, and make a sentence another statement: "from the end" and "from the start". */
export const isOtherSentence = (before: readonly Token[], after: readonly Token[]): boolean => {
  const { lost, came } = differing(before, after);
  const [gone, added] = [withoutForms(lost, came), withoutForms(came, lost)];
  if (gone.length + added.length > SHORT_EDIT) return false;
  const kinds = (some: readonly Token[]) => new Set(some.map(kindOf));
  const [had, has] = [kinds(gone), kinds(added)];
  return (
    gone.some((old) => added.some((now) => areOpposite(old.word, now.word))) ||
    [...had, ...has].some((kind) => DECISIVE.has(kind)) ||
    [...had].some((kind) => REPLACED.has(kind) && has.has(kind))
  );
};

/** A sentence, and its words to compare it with others. */
interface ComparedSentence {
  tokens: readonly Token[];
  words: ReadonlySet<string>;
  text: string;
}

const sentencesOf = (tokens: readonly Token[]): ComparedSentence[] =>
  inSentences(tokens).map((sentence) => {
    const words = sentence.map(({ text }) => text);
    return { tokens: sentence, words: new Set(words), text: words.join(' ') };
  });

/** Of the sentences that came, the one that was made out of another, if any was. */
const madeOf = ({ words }: ComparedSentence, came: readonly ComparedSentence[]): ComparedSentence | undefined => {
  let [nearest, most] = [undefined as ComparedSentence | undefined, words.size * LEAST_KEPT];
  for (const other of came) {
    let kept = 0;
    for (const word of words) if (other.words.has(word)) kept++;
    if (kept >= most && (nearest === undefined || kept > most)) [nearest, most] = [other, kept];
  }
  return nearest;
};

/** Whether one of several sentences is another statement, whatever became of the others. */
export const holdsOtherSentence = (before: readonly Token[], after: readonly Token[]): boolean => {
  const [old, now] = [sentencesOf(before), sentencesOf(after)];
  if (old.length > MOST_SENTENCES || now.length > MOST_SENTENCES) return false;
  const [had, has] = [old, now].map((sentences) => new Set(sentences.map(({ text }) => text))) as [
    Set<string>,
    Set<string>,
  ];
  const came = now.filter(({ text }) => !had.has(text));
  return old.some((sentence) => {
    const other = has.has(sentence.text) ? undefined : madeOf(sentence, came);
    return other !== undefined && isOtherSentence(sentence.tokens, other.tokens);
  });
};

/**
 * Whether a few words took the place of others: "open issues" and "all issues". At the start of a text, another verb does
 * only if it acts; and a word that came or went alone, if it says what is done, that something is not, or when.
 */
export const isOtherStatement = (before: readonly Token[], after: readonly Token[]): boolean => {
  const { lost, came } = differing(before, after);
  if (lost.length + came.length > SHORT_EDIT) return false;
  const [gone, added] = [withoutForms(lost, came), withoutForms(came, lost)];
  const changed = [...gone, ...added];
  // "Reversible." holds one word, and that is enough.
  if (lost.some((had) => came.some((has) => areOpposite(had.word, has.word)))) return true;
  // The same of "Archives it."
  const isAct = changed.some((token) => kindOf(token) === 'effect');
  if (lost.length === before.length && !isAct) return false;
  return (
    beginsWithAct(before, after) ||
    isJoinTurned(before, lost, came) ||
    changed.some((token) => DECISIVE.has(kindOf(token)) || EXCLUSIVE.test(token.word)) ||
    (speaking(gone, before).length > 0 && speaking(added, after).length > 0)
  );
};

/** Whether a description begins with another verb, and one of both acts: "Estimates" and "Books the fare". */
const beginsWithAct = (before: readonly Token[], after: readonly Token[]): boolean => {
  const isGone = (first: Token | undefined, others: readonly Token[]): boolean =>
    first !== undefined && isWord(first) && isLesserAct(first.word) && withoutForms([first], others).length > 0;
  return isGone(before[0], after) || isGone(after[0], before);
};

/** More words than these are prose. */
const SHORT_FACT = 12;

/** Whether a few words that only one of two texts has say something about a call: "Counted from 0." */
export const tellsFact = (tokens: readonly Token[], places: readonly number[]): boolean => {
  const ends = [...tokens.keys()].filter((at) => tokens[at]?.text === '.');
  const sentenceAt = (place: number): readonly Token[] =>
    tokens.slice(
      (ends.findLast((at) => at <= place) ?? -1) + 1,
      ends.find((at) => at > place),
    );
  const isFact = (place: number): boolean => {
    const token = tokens[place] as Token;
    const kind = kindOf(token);
    if (token.quoted || kind === undefined || kind === VALUE || isNoFact(sentenceAt(place))) return false;
    // "With their names" tells what is returned; "by name", how to say what is meant.
    return kind !== 'identifier' || tokens[place - 1]?.word === 'by';
  };
  return places.length <= SHORT_FACT && places.some(isFact);
};

/** Whether a hyphen makes an added word a part of an old one: "clockwise" and "counter-clockwise". */
export const isPartOfWord = (after: readonly Token[], place: number, isNew: ReadonlySet<number>): boolean =>
  (after[place]?.joined === true && !isNew.has(place - 1)) ||
  (after[place + 1]?.joined === true && !isNew.has(place + 1));

/** Whether a few added words turn an old word into its opposite or another one: "do not include", "un-delete". */
export const turnsWord = (after: readonly Token[], places: readonly number[]): boolean => {
  if (places.length > SHORT_EDIT) return false;
  const isNew = new Set(places);
  const isNegated = (place: number): boolean => {
    const next = after[place + 1];
    return kindOf(after[place] as Token) === 'negation' && next !== undefined && !isNew.has(place + 1) && !next.parted;
  };
  return places.some((place) => isPartOfWord(after, place, isNew) || isNegated(place));
};

/** Kinds of words that tell what a value counts from, or by. */
const MEASURES: ReadonlySet<string | undefined> = new Set(['unit', 'time zone']);

/** Whether new words say by what something is measured: "The amount is in cents". */
export const tellsMeasure = (before: readonly Token[], after: readonly Token[], places: readonly number[]): boolean => {
  const isNew = new Set(places);
  return places.some((place) => {
    const [joint, measure] = [after[place - 1], after[place] as Token];
    const isTold = joint?.word === 'in' && isNew.has(place - 1) && MEASURES.has(kindOf(measure));
    return isTold && !before.some(({ text }) => text === measure.text);
  });
};
