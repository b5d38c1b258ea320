// What a change of words means to a reader who knows the old ones, judged by the kinds of words that changed.
import { nameWords } from '../name-words.ts';
import { isScale } from '../scales.ts';
import { showOtherForm } from './examples.ts';
import { kindOf } from './kinds.ts';
import { areOpposite, stem } from './opposites.ts';
import { NAMES_FORM, type Token, type Words, wordsOf } from './tokens.ts';

/**
 * `same`: only white space, case, articles, pauses inside a statement, words that join others, an example, or the version of a
 * page changed. `widened`: also a bound that still allows all that it allowed. `added`: new words that mean nothing by
 * themselves. `meaning`: anything else; only a reader can tell whether the meaning changed.
 */
export interface WordsChange {
  change: 'same' | 'widened' | 'added' | 'meaning';
  /** Kinds of the added words, or `content` if words were removed or replaced. A preposition counts if it turns old words. */
  kinds: readonly string[];
  /** Only words that mean something by themselves changed, or their order, or one of a few: another statement. */
  exact?: true;
}

/** A longer text is compared unchanged. */
const LONGEST = 50_000;

/** Letters and signs of English text. In other languages, no word is known: any change is one of meaning. */
const ENGLISH = /^[\t\n\r -~\u00a0\u2007\u202f‘’“”–—\u2212…•→←⇒×±≤≥≠°·¢£€¥∞\u2011]*$/;
/** They belong to no language. */
const PICTURES = /\p{Extended_Pictographic}\ufe0f?/gu;
/** Words that give away another language in a text of plain letters: English does not have them. */
const FOREIGN =
  /\b(?:le|la|les|du|une|des|par|pour|avec|dans|est|sont|nombre|maximal|el|los|las|una|con|número|numero|der|das|und|mit|von|ist|eine|einer|nicht|oder|auf|il|lo|gli|della|che|het|een|voor|niet|do|da|dos|para|uma|não|nao|kein|keine|keinen|keiner|nie|nur|ohne|netto|brutto|gramm|sekunden|stunden|pas|jamais|hors|ttc|secondes|heures|nunca|iva|segundos|horas|senza|och|inte|ikke|utan|lub|oraz|dla|tylko|bez|tidak|bukan|jangan|yang|untuk|dengan|tanpa|hanya|olan|olmayan|geen|wordt|worden|naar|alleen|zonder|que|nella|dei|delle)\b/i;
/** Articles, in small letters before a word: English has them in names, and "le" beside other comparisons. */
const FOREIGN_ARTICLE = /\b(?:el|los|las|un|de(?! (?:facto|jure|minimis|novo)\b)) (?=[a-z])/;
const FRENCH_ARTICLE = /\ble (?=[a-z])/;
const COMPARISON = /\b(?:eq|ge|gt|lt)\b/;
/** English has these as well: alone they tell nothing. */
const ALSO_ENGLISH = /^(?:do|da|la|los|las|con|el|die|lo|le|est)$/i;

const isEnglish = (text: string): boolean => {
  if (!ENGLISH.test(text.replace(PICTURES, '')) || FOREIGN_ARTICLE.test(text)) return false;
  if (FRENCH_ARTICLE.test(text) && !COMPARISON.test(text)) return false;
  const found = text.match(new RegExp(FOREIGN, 'gi')) ?? [];
  return !found.some((word) => !ALSO_ENGLISH.test(word));
};

const spaced = (text: string): string => text.replace(/\s+/g, ' ').trim();

const BLANKS: Record<string, string> = { ' ': 'space', '\t': 'tab', '\n': 'newline', '\r': 'return' };
/** A quoted value; or white space between two quotation marks, which is a value as well. */
const QUOTED_BLANK = /"[^"\s][^"\n]{0,80}"|'[^'\s][^'\n]{0,80}'|`[^`\s][^`\n]{0,200}`|(["'`])(\s{1,20})\1/g;

/** A text with names in place of quoted white space: "split at a tab" is not "split at a space". */
const blanksNamed = (text: string): string =>
  text.replace(QUOTED_BLANK, (all, quote: string | undefined, blank = '') =>
    quote === undefined || blank === ' '
      ? all
      : quote + [...blank].map((one) => BLANKS[one] ?? 'blank').join('_') + quote,
  );

/** Parts of a text in a language of which we know no words: words, numbers and signs, or characters where no space parts words. */
const FOREIGN_PART =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}]+|\p{N}+(?:[.,]\p{N}+)*|[^\s\p{P}]|[-%'"&*/#@\\]/gu;
/** Longer edits are rewordings, in parts that came or went. */
const SHORT_FOREIGN_EDIT = 12;

/** Compares texts in a language of which no word is known: any other word or number counts, but not a full stop at the end. */
const compareForeign = (before: string, after: string): WordsChange => {
  const said = (text: string): string => spaced(text.normalize('NFKC')).replace(/ ?[.。]{1,3}$/u, '');
  const [old, now] = [said(before), said(after)];
  if (old === now) return result('same');
  const partsOf = (text: string) => (text.match(FOREIGN_PART) ?? []).map((part) => ({ text: part }));
  const [had, has] = [partsOf(old), partsOf(now)];
  const numbers = (parts: typeof had): string =>
    parts.flatMap(({ text }) => (/^\p{N}/u.test(text) ? [text] : [])).join(' ');
  const { lost, came } = differing(had, has);
  const isShort = had.length > 0 && has.length > 0 && lost.length + came.length <= SHORT_FOREIGN_EDIT;
  return { ...result('meaning', 'language'), ...(isShort || numbers(had) !== numbers(has) ? { exact: true } : {}) };
};

const isNumber = ({ text }: Token): boolean => /^\d/.test(text);

const UPPER = new Set(['max', 'maximum', 'most', '<=', '≤']);
const LOWER = new Set(['min', 'minimum', 'least', '>=', '≥']);

/** Whether two tokens are a range alone in parentheses: other numbers with a hyphen are dates, codes, versions. */
const isRange = (text: string, from: Token | undefined, to: Token | undefined): boolean =>
  from !== undefined &&
  to !== undefined &&
  Number(from.text) < Number(to.text) &&
  new RegExp(`\\(\\s*${from.text}\\s*[-–]\\s*${to.text}\\s*\\)`).test(text);

/** Words before a bound that make it one of the value, or of the results: "must be at most 10", "returns up to 10". */
const BOUNDS = new Set(
  `must should can may is are be value accepts allows fetch fetches get gets list lists range return returns retrieve
  retrieves show shows supports take takes`.split(/\s+/),
);

/** Whether a bound that begins there is one of the value: "retries up to 3 times" bounds something else. */
const isOfValue = (tokens: readonly Token[], begin: number): boolean =>
  begin <= 0 || tokens[begin]?.parted === true || BOUNDS.has(tokens[begin - 1]?.word ?? '');

/** Whether a number in a text is the upper or lower end of what is allowed; undefined if nothing next to it says so. */
const endAt = (text: string, tokens: readonly Token[], at: number): 'upper' | 'lower' | undefined => {
  const around = tokens.slice(Math.max(0, at - 3), at + 4);
  // A default is not a bound.
  if (around.some((token) => kindOf(token) === 'default')) return undefined;
  const [before, last, here, next, after] = [-2, -1, 0, 1, 2].map((step) => tokens[at + step]);
  if (last?.text === '-') return before && isNumber(before) && isRange(text, before, here) ? 'upper' : undefined;
  if (next?.text === '-') return after && isNumber(after) && isRange(text, here, after) ? 'lower' : undefined;
  const isUpTo = last?.word === 'to' && before?.word === 'up';
  // "up to", "at most" and "at least" are two words.
  const words = isUpTo || before?.word === 'at' ? 2 : 1;
  const isUpper = isUpTo || UPPER.has(last?.word ?? '');
  if (isUpper || LOWER.has(last?.word ?? ''))
    return isOfValue(tokens, at - words) ? (isUpper ? 'upper' : 'lower') : undefined;
  if (!isOfValue(tokens, at)) return undefined;
  return next?.word === 'max' ? 'upper' : next?.word === 'min' ? 'lower' : undefined;
};

/**
 * Whether one end of a range moved outwards. An end that was 1 does not count: 0-1 is a share and 0-100 a percentage, and a
 * start that moves from 1 to 0 is another way of counting.
 */
const isWidened = (had: Token, has: Token, end: ReturnType<typeof endAt>): boolean => {
  const [old, now] = [Number(had.text), Number(has.text)];
  if (!Number.isSafeInteger(old) || !Number.isSafeInteger(now) || old === 1) return false;
  return end === 'upper' ? now > old : end === 'lower' ? now < old : false;
};

/** A range alone in brackets, with what stands before it in the same statement. */
const BRACKETED = /([^.!?;\n]{0,200})\(\s*\d+\s*[-–]\s*\d+\s*\)/g;
/** What says that a number is an amount, as a name or a word. */
const AMOUNT = /^(?:amount|count|length|limit|many|max|maximum|min|minimum|num|number|quantity|size|total)$/;

/** Whether each range in brackets is one of amounts: "Results (1-10)". In "Grind (1-10)" a number may be a place on a scale. */
const areAmounts = (text: string, names: readonly string[]): boolean =>
  names.some((name) => nameWords(name).some((word) => AMOUNT.test(word))) ||
  [...text.matchAll(BRACKETED)].every(([, before = '']) => {
    const words = before.toLowerCase().match(/\p{L}+/gu) ?? [];
    return words.some((word) => AMOUNT.test(word)) || /[^s]s$/.test(words.at(-1) ?? '');
  });

const isOnlyWidened = (text: string, before: readonly Token[], after: readonly Token[]): boolean =>
  before.length === after.length &&
  before.every((had, index) => {
    const has = after[index] as Token;
    return had.text === has.text || (isNumber(had) && isNumber(has) && isWidened(had, has, endAt(text, before, index)));
  });

/** Whether a word was added right before a unit, which makes it another unit: "business days". */
const isOfUnit = (token: Token, next: Token | undefined): boolean =>
  next !== undefined && kindOf(next) === 'unit' && !PLAIN.has(token.word) && !PREPOSITIONS.has(token.word);

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

const isWithin = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  [...one].every((word) => other.has(word));

/** Words that say of a verb that it is possible, or depends on something. */
const MOODS: readonly string[] = ['can', 'would'];
/** What says that something else depends on the verb: "if it can be paid" is not "if it is paid". */
const DEPENDS = /^(?:if|when|whether)$/;
/** How far before a verb that is looked for, in words. */
const STATEMENT = 50;

/** Whether a condition is now about what is, and was about what may be, or the other way round. */
const isOtherMood = (had: ReadonlySet<string>, has: ReadonlySet<string>, last: readonly Token[]): boolean => {
  if (had.size === 0 || has.size === 0 || MOODS.every((word) => had.has(word) === has.has(word))) return false;
  const statement = last.slice(last.map(({ text }) => text).lastIndexOf('.') + 1);
  return statement.some(({ word }) => DEPENDS.test(word));
};

/**
 * Whether a joining word took the place of another one, between tokens that both texts have.
 * @param came the positions of the tokens that the old text has not; their joining words count with those around them
 */
const isJoinedAnew = (before: Words, after: Words, came: readonly number[]): boolean => {
  const isNew = new Set(came);
  const gaps: Set<string>[] = [new Set()];
  const grown = new Set<number>();
  for (const [at, { joining }] of after.tokens.entries()) {
    for (const word of joining) gaps.at(-1)?.add(word);
    if (isNew.has(at)) grown.add(gaps.length - 1);
    else gaps.push(new Set());
  }
  for (const word of after.ending) gaps.at(-1)?.add(word);
  const old = [...before.tokens.map(({ joining }) => joining), before.ending];
  return gaps.some((gap, index) => {
    const had = old[index] as ReadonlySet<string>;
    if (!isWithin(had, gap) && !isWithin(gap, had)) return true;
    return !grown.has(index) && isOtherMood(had, gap, before.tokens.slice(Math.max(0, index - STATEMENT), index));
  });
};

/** Words that say nothing that a caller did not know. */
const PLAIN: ReadonlySet<string> = new Set(['given', 'specified']);

/** Verbs whose object is new in any case. */
const MAKES = /^(?:adds?|creates?|generates?|inserts?|registers?)$/;

/** Words that can turn what the words around them say: "to merge" and "to merge in". */
const PREPOSITIONS: ReadonlySet<string> = new Set('to for in on by with as or off out'.split(' '));
/** Kinds of words that say in which form a value is given. */
const FORMS: ReadonlySet<string> = new Set(['unit', 'time zone', 'format']);

const isWord = ({ text, quoted }: Token): boolean => !quoted && /^\p{L}/u.test(text);

const isPreposition = (token: Token | undefined): boolean =>
  token !== undefined && isWord(token) && PREPOSITIONS.has(token.word);

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

interface Addition {
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
    if (!isNew.has(place + 1) && isRewording(after, place, before[place - index])) plain.add(place);
    else if (!joinsAdded(after, isNew, place)) turns ||= !newSentences.has(place);
    else if (isFiller(after, place)) plain.add(place);
  }
  return { places, turns, plain };
};

/** What was added to a text: of two readings, the one in which no preposition turns old words. */
const additionTo = (before: readonly Token[], after: readonly Token[]): Addition | undefined => {
  const places = cameTo(before, after);
  const addition = places && additionAt(before, after, places);
  if (!addition?.turns) return addition;
  // "files in a folder in the list": from the end, "in a folder" is what came.
  const fromEnd = cameTo(before.toReversed(), after.toReversed()) ?? [];
  const other = additionAt(before, after, fromEnd.map((place) => after.length - 1 - place).reverse());
  return other.turns ? addition : other;
};

/** Kinds that matter in a first description: without it, a caller had to guess. */
const FIRST: ReadonlySet<string> = new Set(['unit', 'base', 'time zone']);

/** The same form for singular and plural. */
const singular = (word: string): string => (/[^aius]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word);

/** Words that a caller knows from the names of the tool and the parameter, and words that say nothing. */
const isKnownFrom = (names: readonly string[]): ((token: Token, next: Token | undefined) => boolean) => {
  const known = new Set(
    names
      .flatMap(
        (name) =>
          name
            .replace(/([a-z])([A-Z])/g, '$1 $2')
            .toLowerCase()
            .match(/[a-z]+/g) ?? [],
      )
      .map(singular),
  );
  return (token, next) => {
    if (token.quoted || isPreposition(token)) return false;
    // A given name is a first name.
    if (PLAIN.has(token.word)) return !/^names?$/.test(next?.word ?? '');
    const kind = kindOf(token);
    // A name does not tell in which unit or order its value is taken: at most that it is a limit.
    return known.has(singular(token.word)) && (kind === undefined || kind === 'sign or comparison');
  };
};

/** The service's name before what its tool does: `Acme | Finds authors`. */
const LABEL = /^([A-Z][A-Za-z]{1,30}) [|] +(?=[A-Z])/;
const WARNING_LABEL =
  /^(?:alpha|beta|caution|critical|danger|dangerous|demo|draft|enterprise|experimental|external|important|internal|limited|mock|note|paid|premium|private|public|readonly|restricted|risky|test|testing|unsafe|warning)$/i;

/** Two texts without a label that only one of them has. One that says something itself counts: "Sandbox | Pays". */
const withoutLabel = (texts: readonly [string, string]): readonly [string, string] => {
  const [one, other] = texts.map((text) => LABEL.exec(text)) as [RegExpExecArray | null, RegExpExecArray | null];
  if ((one === null) === (other === null)) return texts;
  const [all, label] = (one ?? other) as unknown as [string, string];
  if (WARNING_LABEL.test(label) || kindOf({ text: label, word: label.toLowerCase() }) !== undefined) return texts;
  return one ? [texts[0].slice(all.length), texts[1]] : [texts[0], texts[1].slice(all.length)];
};

const counted = <T extends { text: string }>(tokens: readonly T[]): Map<string, { token: T; count: number }> => {
  const counts = new Map<string, { token: T; count: number }>();
  for (const token of tokens) {
    const known = counts.get(token.text) ?? { token, count: 0 };
    known.count += 1;
    counts.set(token.text, known);
  }
  return counts;
};

/** The words that each of two texts has more often than the other. */
const differing = <T extends { text: string }>(before: readonly T[], after: readonly T[]): { lost: T[]; came: T[] } => {
  const [had, has] = [counted(before), counted(after)];
  const lacking = (one: typeof had, other: typeof had): T[] =>
    [...one].flatMap(([text, { token, count }]) => ((other.get(text)?.count ?? 0) < count ? [token] : []));
  return { lost: lacking(had, has), came: lacking(has, had) };
};

/** The words of which the others have no form: neither "delete" nor "deletes". */
const withoutForms = (words: readonly Token[], others: readonly Token[]): Token[] => {
  const stems = new Set(others.map(({ word }) => stem(word)));
  return words.filter(({ word }) => !stems.has(stem(word)));
};

/** Whether two texts differ in words of the kinds and prepositions alone, or only in their order. */
const isExact = (before: readonly Token[], after: readonly Token[]): boolean => {
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

/**
 * Whether a few words took the place of others, and one of them says what is done, that something is not, or when, or is
 * the opposite of another.
 */
const isOtherStatement = (before: readonly Token[], after: readonly Token[]): boolean => {
  const { lost, came } = differing(before, after);
  const changed = [...withoutForms(lost, came), ...withoutForms(came, lost)];
  if (lost.length + came.length > SHORT_EDIT) return false;
  // "Reversible." holds one word, and that is enough.
  if (lost.some((had) => came.some((has) => areOpposite(had.word, has.word)))) return true;
  // The same of "Archives it."
  const isAct = changed.some((token) => kindOf(token) === 'effect');
  if (lost.length === before.length && !isAct) return false;
  return (
    beginsWithAct(before, after) || changed.some((token) => DECISIVE.has(kindOf(token)) || EXCLUSIVE.test(token.word))
  );
};

/**
 * Verbs that are nouns as well, as "posts" and "charges" are, and verbs that act in a smaller way. They say what a tool does
 * where they begin its description, or where something follows that they are done to: "and charges the card".
 */
const LESSER_ACTS: ReadonlySet<string> = new Set(
  `alert archive bill book cancel charge close copy deploy email file forward install invite lock log move notify order post
  reboot refund release reserve reset restart share sign transfer trigger withdraw`
    .split(/\s+/)
    .map(stem),
);
const AND_DOES =
  /\b(?:and|then)\s+(?:[a-z]+ly\s+)?([a-z]+)\s+(?:it|them|the|an?|all|any|each|every|everyone|this|these|your|their)\b/gi;
const SENTENCE_ENDS = /[.!?](?=\s)|\n/;

/**
 * Whether a tool does something to something now that its old words do not speak of, in a few words more. Behind the first
 * sentence, "and copy the name" tells what the caller has to do.
 */
const actsOn = (before: readonly Token[], text: string): boolean => {
  const first = SENTENCE_ENDS.exec(text)?.index ?? text.length;
  return [...text.matchAll(AND_DOES)].some(({ 1: verb = '', index }) => {
    const its = stem(verb.toLowerCase());
    if (!LESSER_ACTS.has(its) || (!verb.endsWith('s') && index > first)) return false;
    return !before.some(({ word }) => stem(word) === its);
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

/** Whether a tool does something now that its old words, of which most are still there, do not speak of. */
const doesMore = (before: readonly Token[], after: readonly Token[]): boolean => {
  const acts = after.filter((token, at) => isAct(token) && isDoing(after, at));
  return areMostKept(before, after) && withoutForms(acts, before).length > 0;
};

const areMostKept = (before: readonly Token[], after: readonly Token[]): boolean =>
  differing(before, after).lost.length * 2 < counted(before).size;

/** Whether a hyphen makes an added word a part of an old one: "clockwise" and "counter-clockwise". */
const isPartOfWord = (after: readonly Token[], place: number, isNew: ReadonlySet<number>): boolean =>
  (after[place]?.joined === true && !isNew.has(place - 1)) ||
  (after[place + 1]?.joined === true && !isNew.has(place + 1));

/** Whether a few added words turn an old word into its opposite or another one: "do not include", "un-delete". */
const turnsWord = (after: readonly Token[], places: readonly number[]): boolean => {
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
const tellsMeasure = (before: readonly Token[], after: readonly Token[], places: readonly number[]): boolean => {
  const isNew = new Set(places);
  return places.some((place) => {
    const [joint, measure] = [after[place - 1], after[place] as Token];
    const isTold = joint?.word === 'in' && isNew.has(place - 1) && MEASURES.has(kindOf(measure));
    return isTold && !before.some(({ text }) => text === measure.text);
  });
};

/** The words of a text in groups, as its brackets part them. */
const inBrackets = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}()]+/gu, ' ')
    .split(/ ?([()]) ?/);

/** Whether brackets hold other parts of the same words. */
const isGroupedAnew = (before: string, after: string): boolean => {
  const [had, has] = [inBrackets(before), inBrackets(after)];
  const words = (groups: readonly string[]): string =>
    groups
      .filter((one) => !/^[()]?$/.test(one))
      .join(' ')
      .trim();
  return had.length > 1 && has.length > 1 && words(had) === words(has) && had.join() !== has.join();
};

/** Words whose reach a comma or a bracket tells. */
const REACHES = /^(?:and|or|not|no|never|without|except|only|unless|if)$/;

/**
 * Whether the same words are parted at other places: "drafts (not posts) or pages" and "drafts (not posts or pages)". Where
 * one text has no such marks, they only shape it.
 */
const isPartedAnew = (before: readonly Token[], after: readonly Token[]): boolean => {
  if (before.length !== after.length || !before.some(({ word }) => REACHES.test(word))) return false;
  const moved = (one: readonly Token[], other: readonly Token[]): boolean =>
    one.some(({ parted }, at) => parted === true && other[at]?.parted === undefined);
  return moved(before, after) && moved(after, before);
};

const result = (change: WordsChange['change'], ...kinds: string[]): WordsChange => ({ change, kinds });

/** What a text is about. */
export interface TextContext {
  /** Names of the tool and of the parameter, of the old contract. */
  names?: readonly string[];
  /** It describes a tool: then it may begin with the name of the service. */
  isTool?: boolean;
}

/** Compares two texts; an empty one stands for none. */
export const compareTexts = (written: string, now: string, context: TextContext = {}): WordsChange => {
  if (written === now) return result('same');
  if (written.length > LONGEST || now.length > LONGEST) return result('meaning', 'content');
  const [before, after] = [blanksNamed(written), blanksNamed(now)];
  if (spaced(before) === spaced(after)) return result('same');
  return isEnglish(before) && isEnglish(after) ? compareEnglish(before, after, context) : compareForeign(before, after);
};

/** A verb in one form for "filter" and "filters". */
const verbForm = (word: string): string =>
  /(?:ed|ing)$/.test(word) ? word : stem(word.endsWith('ss') ? `${word}es` : word);

/** The new tokens with the first verb as in the old ones, if it only has another ending. */
const withSameVerb = (before: readonly Token[], after: readonly Token[]): readonly Token[] => {
  const [old, now] = [before[0], after[0]];
  if (!(old && now) || !(old.verb || now.verb) || !(isWord(old) && isWord(now))) return after;
  return verbForm(old.word) === verbForm(now.word) ? [{ ...now, text: old.text }, ...after.slice(1)] : after;
};

/** Whether an addition says nothing that the old words and the names did not say. */
const saysNothing = (
  { places, turns, plain }: Addition,
  has: readonly Token[],
  isKnown: ReturnType<typeof isKnownFrom>,
): boolean =>
  !turns &&
  places.every(
    (place) =>
      plain.has(place) ||
      isKnown(has[place] as Token, has[place + 1]) ||
      (has[place]?.word === 'new' && MAKES.test(has[place - 1]?.word ?? '')),
  );

/** Whether only such words went. */
const lostNothing = (old: Words, now: Words, isKnown: ReturnType<typeof isKnownFrom>): boolean => {
  if (now.tokens.length === 0) return false;
  const back = additionTo(now.tokens, old.tokens);
  return back !== undefined && saysNothing(back, old.tokens, isKnown) && !isJoinedAnew(now, old, back.places);
};

const compareEnglish = (before: string, after: string, { names = [], isTool = false }: TextContext): WordsChange => {
  if (showOtherForm(before, after)) return { ...result('meaning', 'format'), exact: true };
  const texts = isTool ? withoutLabel([before, after]) : [before, after];
  const [old, written] = texts.map((text) => wordsOf(text)) as [Words, Words];
  const now = { ...written, tokens: withSameVerb(old.tokens, written.tokens) };
  const [had, has] = [old.tokens, now.tokens];
  const addition = additionTo(had, has);
  const isKnown = isKnownFrom(names);
  if (addition === undefined) {
    if (lostNothing(old, now, isKnown) && !isPartedAnew(had, has) && !isGroupedAnew(before, after))
      return result('same');
    // What a number on a scale means, its ends say.
    if (![before, ...names.slice(1)].some(isScale) && isOnlyWidened(before, had, has))
      return result(isTool || areAmounts(before, names.slice(1)) ? 'widened' : 'added');
    const exact =
      isExact(had, has) ||
      isOtherStatement(had, has) ||
      doesMore(had, has) ||
      (isTool && areMostKept(had, has) && actsOn(had, after));
    return { ...result('meaning', 'content'), ...(exact ? { exact } : {}) };
  }
  const { places, turns } = addition;
  const isMoved = isPartedAnew(had, has) || isGroupedAnew(before, after);
  if (isMoved || isJoinedAnew(old, now, places)) return result('meaning', 'content');
  const came = places.map((place) => has[place] as Token);
  if (came.length === 0 || (had.length > 0 && saysNothing(addition, has, isKnown))) return result('same');
  // Words where none were are not another meaning, unless they name a value's unit, form or zone.
  const isFirst = had.length === 0;
  const kinds = [...new Set(came.flatMap((token) => kindOf(token) ?? []))].filter(
    (kind) => !isFirst || FIRST.has(kind),
  );
  if (!isFirst && places.some((place) => isOfUnit(has[place] as Token, has[place + 1]))) kinds.push('unit');
  if (!isFirst && turns) kinds.push('preposition');
  const isNew = new Set(places);
  if (!isFirst && places.some((place) => isPartOfWord(has, place, isNew))) kinds.push('part of a word');
  if (isTool && !isFirst && actsOn(had, after)) kinds.push('effect');
  if (kinds.length === 0) return result('added');
  const exact =
    isExact(had, has) ||
    doesMore(had, has) ||
    (!isFirst && (tellsMeasure(had, has, places) || turnsWord(has, places) || (isTool && actsOn(had, after))));
  return { ...result('meaning', ...kinds), ...(exact ? { exact } : {}) };
};
