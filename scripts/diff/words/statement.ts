// Whether a few words make a text another statement.
import { nameWords } from '../name-words.ts';
import { counted, differing, firstStatement, isPreposition, isWord, withoutForms } from './differing.ts';
import { isNoFact } from './guidance.ts';
import { kindOf, VALUE } from './kinds.ts';
import { areOpposite, stem } from './opposites.ts';
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

/** Words that leave out all else. */
const EXCLUSIVE = /^(?:only|solely|just)$/;

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

/**
 * Verbs that are nouns as well, as "posts" and "charges" are, and verbs that act in a smaller way. They say what a tool does
 * where they begin its description, or where something follows that they are done to: "and charges the card".
 */
const LESSER_ACTS: ReadonlySet<string> = new Set(
  `alert archive bill book cancel charge close copy deploy email file forward install invite lock log mark move notify order post
  reboot refund release reserve reset restart share sign transfer trigger withdraw`
    .split(/\s+/)
    .map(stem),
);
const AND_DOES =
  /\b(?:and|then)\s+(?:[a-z]+ly\s+)?([a-z]+)\s+(?:it|them|the|an?|all|any|each|every|everyone|this|these|your|their)\b/gi;
/** Verbs that are no nouns, so that anything may follow: "and notifies watchers". */
const AND_ACTS =
  /\b(?:and|then)\s+(?:[a-z]+ly\s+)?((?:cancel|deploy|invite|notifie|reboot|reserve|restart|withdraw)s)\s+[a-z]/gi;
/** "Running jobs are cancelled." */
const IS_DONE =
  /\b(?:is|are|gets?)\s+(?:also\s+)?((?:alert|archiv|bill|cancell?|charg|clos|deploy|email|install|invit|lock|notifi|reboot|refund|reset|restart|transferr|withdraw)(?:ed|n)?)\b(?!\s+(?:if|when|unless|by)\b)/gi;
/** A verb without its ending: "cancel" for "cancelled", "transfer" for "transferred". */
const rootOf = (verb: string): string => stem(verb).replace(/(?<=[lr])[lr]$/, '');
const SENTENCE_ENDS = /[.!?](?=\s)|\n/;

/**
 * Whether a tool does something to something now that its old words do not speak of, in a few words more. Behind the first
 * sentence, "and copy the name" tells what the caller has to do.
 */
export const actsOn = (before: readonly Token[], text: string): boolean => {
  const first = SENTENCE_ENDS.exec(text)?.index ?? text.length;
  const isNew = (verb: string): boolean => !before.some(({ word }) => rootOf(word) === rootOf(verb));
  const found = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, verb = '']) => verb.toLowerCase());
  if ([...found(AND_ACTS), ...found(IS_DONE)].some(isNew)) return true;
  return [...text.matchAll(AND_DOES)].some(({ 1: said = '', index }) => {
    const verb = said.toLowerCase();
    return LESSER_ACTS.has(stem(verb)) && (verb.endsWith('s') || index <= first) && isNew(verb);
  });
};

/** Whether a description begins with another verb, and one of both acts: "Estimates" and "Books the fare". */
const beginsWithAct = (before: readonly Token[], after: readonly Token[]): boolean => {
  const isGone = (first: Token | undefined, others: readonly Token[]): boolean =>
    first !== undefined &&
    isWord(first) &&
    LESSER_ACTS.has(stem(first.word)) &&
    withoutForms([first], others).length > 0;
  return isGone(before[0], after) || isGone(after[0], before);
};

/** Verbs of which none is a noun, too, as "posts" and "charges" are. */
const ACTS: ReadonlySet<string> = new Set(
  'buy delete destroy erase execute overwrite pay publish purge remove revoke send submit truncate wipe'
    .split(' ')
    .map(stem),
);

const isAct = ({ word, quoted }: Token): boolean => !quoted && ACTS.has(stem(word)) && !/(?:ed|ing)$/.test(word);

/**
 * Whether a verb says what a tool does: it is the first word, or stands beside another verb ("Reads and deletes"). Elsewhere it
 * ends in "s": "Send the whole name" tells what the caller has to do.
 */
const isDoing = (tokens: readonly Token[], at: number, verb = tokens[at]?.word): boolean => {
  const last = tokens[at - 1];
  if (last === undefined || /^(?:and|or|then)$/.test(last.word)) return true;
  if (tokens[at]?.parted || last.word === 'tool') return verb?.endsWith('s') === true;
  return last.word.endsWith('ly') && isDoing(tokens, at - 1, verb);
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

/** Whether a tool does something now that its old words, of which most are still there, do not speak of. */
export const doesMore = (before: readonly Token[], after: readonly Token[]): boolean => {
  const acts = after.filter((token, at) => isAct(token) && isDoing(after, at));
  return areMostKept(before, after) && withoutForms(acts, before).length > 0;
};

/** Verbs for the same act. A caller who was told that a tool manages something expects any of them. */
const SAME_ACTS: readonly ReadonlySet<string>[] = [
  'clear delete destroy discard drop erase manage purge remove revoke trash truncate unlink wipe',
  'deliver dispatch email forward mail manage notify post publish push reply send share submit upload',
  'book buy charge checkout manage order pay purchase',
  'call evaluate execute invoke manage perform process run',
  'manage overwrite replace rewrite',
].map((verbs) => new Set(verbs.split(' ').map(stem)));

/** Verbs with which the description of a tool begins that only looks, or tries. */
const LOOKS: ReadonlySet<string> = new Set(
  `analyze audit browse calculate check compare compute count describe detect display draft estimate examine explain fetch find
  get inspect list preview propose query quote read report retrieve return review scan search show simulate suggest summarize
  validate verify view`
    .split(/\s+/)
    .map(stem),
);
/** And of one that changes something. "Create" and "run" are missing: tools that only look begin with them, too. */
const CHANGES: ReadonlySet<string> = new Set(
  `add apply approve assign block disable edit enable insert kill merge modify pin place push register reject rename replace reply
  rotate stop subscribe suspend terminate uninstall unlock update upload write`
    .split(/\s+/)
    .map(stem)
    .concat([...LESSER_ACTS], [...ACTS]),
);

/**
 * Whether a tool that only looked changes something now, or the other way round, by the verb that its description begins with.
 * @param named the words of its name
 */
const changesNow = (before: readonly Token[], after: readonly Token[], named: readonly string[]): boolean => {
  const isOf = (verbs: ReadonlySet<string>, token: Token | undefined): boolean =>
    token !== undefined && isWord(token) && verbs.has(stem(token.word));
  // "Finds and deletes the row" told it. "Drafts a reply" did not tell that it replies.
  const isTold = (verb: string, tokens: readonly Token[]): boolean =>
    named.some((word) => stem(word) === verb) ||
    tokens.some(({ word }, at) => stem(word) === verb && isDoing(tokens, at));
  const [had, has] = [before[0], after[0]];
  const [from, to] = [stem(had?.word ?? ''), stem(has?.word ?? '')];
  if (isOf(CHANGES, had)) return isOf(LOOKS, has) && !isTold(from, after);
  return isOf(LOOKS, had) && isOf(CHANGES, has) && !isTold(to, before);
};

/** Whether a rewritten description begins with a verb that acts, of which neither the old one nor the tool's name spoke. */
export const beginsToAct = (before: readonly Token[], after: readonly Token[], names: readonly string[]): boolean => {
  const named = names.flatMap(nameWords);
  const known = new Set([...before.map(({ word }) => word), ...named].map(stem));
  const isKnown = ({ word }: Token): boolean =>
    known.has(stem(word)) || SAME_ACTS.some((same) => same.has(stem(word)) && [...same].some((one) => known.has(one)));
  const first = after.slice(...firstStatement(after));
  return (
    changesNow(before.slice(firstStatement(before)[0]), after.slice(firstStatement(after)[0]), named) ||
    first.some((token, at) => isAct(token) && isDoing(first, at) && !isKnown(token))
  );
};

export const areMostKept = (before: readonly Token[], after: readonly Token[]): boolean =>
  differing(before, after).lost.length * 2 < counted(before).size;

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
