// What was added to a text, and whether that says anything.
import { firstStatement, isPreposition, isWord, PLAIN, PREPOSITIONS } from './differing.ts';
import { NAMES_FORM } from './function-words.ts';
import { isJoinedAnew } from './joining.ts';
import { isBrand, kindOf } from './kinds.ts';
import type { Token, Words } from './tokens.ts';

/** Whether a word was added right before a unit, which makes it another unit: "business days". "Number of days" does not. */
export const isOfUnit = (token: Token, next: Token | undefined): boolean =>
  next !== undefined &&
  kindOf(next) === 'unit' &&
  !(token.word === 'number' && next.joining.has('of')) &&
  !PLAIN.has(token.word) &&
  !PREPOSITIONS.has(token.word);

/** The positions of added tokens, if all earlier ones are still there in order; otherwise undefined. */
const cameTo = (before: readonly Token[], after: readonly Token[]): readonly number[] | undefined => {
  const came: number[] = [];
  let at = 0;
  for (const [index, { text }] of after.entries()) {
    if (at < before.length && text === (before[at] as Token).text) at++;
    else came.push(index);
  }
  return at === before.length ? came : undefined;
};

/** Verbs whose object is new in any case. */
const MAKES = /^(?:adds?|creates?|generates?|inserts?|registers?)$/;

/** Kinds of words that say in which form a value is given. */
const FORMS: ReadonlySet<string> = new Set(['unit', 'time zone', 'format']);

/** Words that begin something new, so that what stands before them is complete. */
const BEGINS = /^(?:and|but|from|if|when|unless|must|should|may|can)$/;

const beginsAnew = (token: Token | undefined): boolean =>
  token === undefined ||
  token.parted === true ||
  token.joining.size > 0 ||
  token.text === '.' ||
  isPreposition(token) ||
  BEGINS.test(token.word);

/** Whether an added preposition joins only words that were added with it: then it turns nothing that was there. */
const joinsAdded = (after: readonly Token[], isNew: ReadonlySet<number>, place: number): boolean => {
  let at = place + 1;
  // "or by name"
  if (isPreposition(after[at]) && after[place]?.word === 'or' && after[at]?.word !== 'or') at += 1;
  const next = after[at];
  if (!isNew.has(at) || next === undefined || next.parted || !isWord(next) || isPreposition(next)) return false;
  while (isNew.has(at)) if (beginsAnew(after[++at])) return true;
  return false;
};

/** How far before a value "one of" is looked for, in words. */
const CHOICES = 50;

/** Whether the text offers one of several values there: "one of open, closed". */
const isChoice = (after: readonly Token[], place: number): boolean => {
  const near = after.slice(Math.max(0, place - CHOICES), place);
  const statement = near.slice(near.map(({ text }) => text).lastIndexOf('.') + 1);
  return statement.some(({ word }, at) => word === 'either' || (word === 'one' && statement[at + 1]?.word === 'of'));
};

const LEADS = /^(?:paths?|urls?|links?)$/;

/** Whether a preposition before an old word says what was said there: "(seconds)" and "in seconds", "path of" and "path to". */
const isRewording = (after: readonly Token[], place: number, old: Token | undefined): boolean => {
  const [{ word }, last, next] = [after[place] as Token, after[place - 1], after[place + 1]];
  if (next === undefined || next.parted || next.text !== old?.text) return false;
  if (word === 'to') return LEADS.test(last?.word ?? '') && old.joining.has('of');
  if (!old.parted) return false;
  if (word === 'or') return isChoice(after, place);
  return (word === 'in' || word === 'as') && (FORMS.has(kindOf(next) ?? '') || NAMES_FORM.test(next.word));
};

/** Whether a preposition and the words that it joins say nothing, if these are known: "as given", "in a list of files". */
const isFiller = (after: readonly Token[], place: number): boolean => {
  const { word } = after[place] as Token;
  if (word === 'as') return PLAIN.has(after[place + 1]?.word ?? '');
  // Right behind the first word, it belongs to that: "Logs in the user".
  return word === 'in' && place > 1 && after[place - 2]?.text !== '.';
};

/** Whether "or" joins one more way to name something with the old one: "project ID" and "project name or ID". */
const isBesideName = (after: readonly Token[], isNew: ReadonlySet<number>, place: number): boolean =>
  after[place]?.word === 'or' &&
  isNew.has(place - 1) &&
  [place - 1, place + 1].every((beside) => after[beside] !== undefined && kindOf(after[beside]) === 'identifier');

/** The positions in sentences of which every word was added. */
const inNewSentences = (after: readonly Token[], isNew: ReadonlySet<number>): ReadonlySet<number> => {
  const found = new Set<number>();
  let sentence: number[] = [];
  for (const [at, { text }] of after.entries()) {
    if (text === '.') sentence = [];
    else sentence.push(at);
    const isEnd = at + 1 === after.length || after[at + 1]?.text === '.';
    if (isEnd && sentence.every((place) => isNew.has(place))) for (const place of sentence) found.add(place);
  }
  return found;
};

export interface Addition {
  /** The positions of the added tokens. */
  places: readonly number[];
  /** Whether a preposition among them may turn what old words say. */
  turns: boolean;
  /** Of the prepositions, those that say nothing. */
  plain: ReadonlySet<number>;
}

const additionAt = (before: readonly Token[], after: readonly Token[], places: readonly number[]): Addition => {
  const isNew = new Set(places);
  const newSentences = inNewSentences(after, isNew);
  const plain = new Set<number>();
  let turns = false;
  for (const [index, place] of places.entries()) {
    // "sign-out" joins nothing.
    if (!isPreposition(after[place]) || (after[place]?.joined && isNew.has(place - 1))) continue;
    if (
      !isNew.has(place + 1) &&
      (isRewording(after, place, before[place - index]) || isBesideName(after, isNew, place))
    )
      plain.add(place);
    else if (!joinsAdded(after, isNew, place)) turns ||= !newSentences.has(place);
    else if (isFiller(after, place)) plain.add(place);
  }
  return { places, turns, plain };
};

/** What was added to a text: of two readings, the one in which no preposition turns old words. */
export const additionTo = (before: readonly Token[], after: readonly Token[]): Addition | undefined => {
  const places = cameTo(before, after);
  const addition = places && additionAt(before, after, places);
  if (!addition?.turns) return addition;
  // "files in a folder in the list": from the end, "in a folder" is what came.
  const fromEnd = cameTo(before.toReversed(), after.toReversed()) ?? [];
  const other = additionAt(before, after, fromEnd.map((place) => after.length - 1 - place).reverse());
  return other.turns ? addition : other;
};

/** The same form for singular and plural. */
const singular = (word: string): string => (/[^aius]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word);

/** What a name tells by itself. It does not tell in which unit or order its value is taken: at most that it is a limit. */
const KNOWN_KINDS: ReadonlySet<string | undefined> = new Set([undefined, 'identifier', 'sign or comparison']);

const wordsOfName = (name: string): readonly string[] =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z]+/g) ?? [];

interface KnownFrom {
  (token: Token, next: Token | undefined): boolean;
  /** How the parameter's value names what it stands for, as the end of its own name tells: the "id" of `user_id`. */
  what?: string;
}

/** Words that a caller knows from the names of the tool and the parameter, and words that say nothing. */
export const isKnownFrom = (names: readonly string[]): KnownFrom => {
  const words = names.map(wordsOfName);
  const known = new Set(words.flat().map(singular));
  const isKnown = (token: Token, next: Token | undefined): boolean => {
    if (token.quoted || isPreposition(token)) return false;
    // A given name is a first name.
    if (PLAIN.has(token.word)) return !/^names?$/.test(next?.word ?? '');
    return known.has(singular(token.word)) && KNOWN_KINDS.has(kindOf(token));
  };
  const last = words.slice(1).at(-1)?.at(-1) ?? '';
  const isWhat = kindOf({ text: last, word: last }) === 'identifier';
  return Object.assign(isKnown, isWhat ? { what: last } : {});
};

/** Whether two words stand right beside each other. */
const areBeside = (token: Token | undefined, next: Token | undefined): token is Token =>
  token !== undefined &&
  next !== undefined &&
  [token, next].every((one) => isWord(one) && !isPreposition(one)) &&
  !next.parted &&
  next.joining.size === 0;

/** Whether a noun stands right before the next one: "table constraint". */
const isBeforeNoun = (token: Token | undefined, next: Token | undefined): boolean =>
  areBeside(token, next) && !token.verb && !/(?:ed|ing)$/.test(token.word);

/** Words that say more of a thing, and not which ones are meant. */
const DESCRIBING =
  /^(?:actual|additional|appropriate|associated|available|chosen|complete|comprehensive|concise|corresponding|descriptive|desired|detailed|entire|existing|following|helpful|matching|overall|particular|possible|relevant|respective|rich|specific|structured|underlying|unique|useful|valid|various|whole)$/;

const AMOUNT = /^(?:amount|count|number|quantity)$/;
/** Whether a word says that an amount is no longer the whole, but what comes to it: "Number of additional nodes". */
const isRelative = (has: readonly Token[], place: number): boolean =>
  has[place]?.word === 'additional' &&
  ([1, 2].some((ahead) => AMOUNT.test(has[place + ahead]?.word ?? '')) ||
    (has[place]?.joining.has('of') === true && AMOUNT.test(has[place - 1]?.word ?? '')));

/**
 * Whether a word came right before one in the first statement: "Lists archived orders", "Due date". That of a tool begins with
 * a verb.
 */
export const limitsNoun = (has: readonly Token[], places: readonly number[], isTool: boolean): boolean => {
  const [from, to] = firstStatement(has);
  const isNew = new Set(places);
  return places.some((place) => {
    const token = has[place];
    if ((isTool && place === from) || place > to || isNew.has(place + 1)) return false;
    if (!areBeside(token, has[place + 1])) return false;
    if (isRelative(has, place)) return true;
    return !DESCRIBING.test(token.word) && token.word !== "it's" && !token.word.endsWith('ly') && !isBrand(token.word);
  });
};

/**
 * Whether a word makes another thing of the words beside it that stay: a table constraint is no table, the ID of a calendar
 * event is no ID of a calendar, and the sessions of a user are no user. That a name holds the word does not tell that.
 * @param isAdded whether the word at a place came with it
 */
const makesOther = (
  has: readonly Token[],
  place: number,
  isAdded: (at: number) => boolean,
  isTool: boolean,
): boolean => {
  // The first word of a tool's statement is a verb.
  const isFirst = place < 2 || has[place - 2]?.text === '.';
  if (!isAdded(place - 1) && !(isTool && isFirst) && isBeforeNoun(has[place - 1], has[place])) return true;
  const joins = has[place + 1]?.word === 'of' ? place + 2 : has[place + 1]?.joining.has('of') ? place + 1 : undefined;
  return joins !== undefined && has[joins] !== undefined && !isAdded(joins) && !(isTool && place === 0);
};

/** Whether an added word that the names hold makes another thing of the words beside it. */
export const namesOther = (
  { places }: Addition,
  has: readonly Token[],
  isKnown: KnownFrom,
  isTool: boolean,
): boolean => {
  const added = new Set(places);
  const namedOtherwise = has.some((token, at) => !added.has(at) && kindOf(token) === 'identifier');
  return places.some((place) => {
    const token = has[place] as Token;
    // Of a `user_id`, "the user" was the ID of the user.
    if (token.word === isKnown.what && !namedOtherwise) return false;
    const isNamed = !PLAIN.has(token.word) && isKnown(token, has[place + 1]);
    return isNamed && makesOther(has, place, (at) => added.has(at), isTool);
  });
};

/** Kinds of words with which a sentence is about something else than what may be given. */
const OF_MORE: ReadonlySet<string> = new Set(['condition', 'default', 'negation', 'sign or comparison']);

/** How many words a name for the value has, as "Slack channel ID". */
const LONGEST_NAME = 3;

/** Whether a sentence begins with what the value is: "The user ID", "Path of the file", not "Matches the title". */
const beginsWithName = (sentence: readonly Token[]): boolean => {
  const end = sentence.findIndex((token) => kindOf(token) === 'identifier') + 1;
  const [first] = sentence;
  const isVerb = end > 1 && (first?.verb === true || /s$/.test(first?.word ?? ''));
  const isApart = (token: Token, at: number): boolean => isPreposition(token) || (at > 0 && token.joining.size > 0);
  return end > 0 && end <= LONGEST_NAME && !isVerb && !sentence.slice(0, end).some(isApart);
};

/**
 * Whether a parameter only gets one more way to name what it stands for, so that the old one still does: "the ID of the user",
 * "the ID of the user, or an email address".
 */
export const addsWayToName = (after: readonly Token[], places: readonly number[]): boolean => {
  const [from, to] = [places[0] ?? 0, (places.at(-1) ?? 0) + 1];
  const [came, next] = [after.slice(from, to), after[to]];
  const isOne = came.length === places.length && (next === undefined || next.text === '.' || next.joining.has('of'));
  if (!isOne || !(came[0]?.word === 'or' || came[0]?.parted) || !came.some(({ word }) => word === 'or')) return false;
  const before = after.slice(after.slice(0, from).findLastIndex(({ text }) => text === '.') + 1, from);
  return (
    beginsWithName(before) &&
    !before.some((token) => OF_MORE.has(kindOf(token) ?? '')) &&
    came.every((token) => token.quoted || ['identifier', undefined].includes(kindOf(token)))
  );
};

/** Whether an addition says nothing that the old words and the names did not say. */
export const saysNothing = (addition: Addition, has: readonly Token[], isKnown: KnownFrom, isTool: boolean): boolean =>
  !addition.turns &&
  !namesOther(addition, has, isKnown, isTool) &&
  addition.places.every(
    (place) =>
      addition.plain.has(place) ||
      isKnown(has[place] as Token, has[place + 1]) ||
      (has[place]?.word === 'new' && MAKES.test(has[place - 1]?.word ?? '')),
  );

/** Whether only such words went. */
export const lostNothing = (old: Words, now: Words, isKnown: KnownFrom, isTool: boolean): boolean => {
  if (now.tokens.length === 0) return false;
  const back = additionTo(now.tokens, old.tokens);
  return back !== undefined && saysNothing(back, old.tokens, isKnown, isTool) && !isJoinedAnew(now, old, back.places);
};
