// What a change of words means to a reader who knows the old ones, judged by the kinds of words that changed.
import { nameWords } from '../name-words.ts';
import { isScale } from '../scales.ts';
import { actsOn, actsOnAll, actsOnMore, doesMore, doesOtherwise, sendsElsewhere } from './acts.ts';
import {
  type Addition,
  additionTo,
  addsWayToName,
  isKnownFrom,
  isOfUnit,
  limitsNoun,
  lostNothing,
  namesOther,
  saysNothing,
} from './addition.ts';
import { areAmounts, isOnlyWidened } from './bounds.ts';
import { areCompounds } from './compounds.ts';
import { coversLess } from './covers-less.ts';
import { areMostKept, isWord } from './differing.ts';
import { showOtherForm } from './examples.ts';
import { tellsUnguessed } from './first.ts';
import { withoutHints, withoutPermissions } from './hints.ts';
import { isGroupedAnew, isJoinedAnew, isPartedAnew, isSeparatedAnew } from './joining.ts';
import { kindOf } from './kinds.ts';
import { compareForeign, isEnglish } from './language.ts';
import { listed } from './lists.ts';
import { withPlainQuotes } from './marks.ts';
import { stem } from './opposites.ts';
import { withoutRemarks } from './pointers.ts';
import { saysOtherOfSame } from './predicates.ts';
import { haveSameSentences } from './sentences.ts';
import { withoutSlipsInNames } from './slips.ts';
import {
  holdsOtherSentence,
  isExact,
  isOtherStatement,
  isPartOfWord,
  leavesOutLess,
  tellsFact,
  tellsMeasure,
  turnsWord,
} from './statement.ts';
import { takesBack } from './takes-back.ts';
import { type Token, type Words, wordsOf } from './tokens.ts';
import { withSameUnits } from './units.ts';
import { spaced, type WordsChange } from './words-change.ts';

/** A longer text is compared unchanged. */
const LONGEST = 50_000;

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

/** A value without white space, marked as code, in which marks part it: `YYYY-MM-DD`, `en-US`, `find()`. */
const MARKED = /`([^`\s]{0,60}[-@+(][^`\s]{0,60})`/g;

/** A text without the marks of such values that the other text has without them. */
const withoutNewMarks = (text: string, other: string): string =>
  text.replace(MARKED, (all, value: string) => (!other.includes(all) && other.includes(value) ? value : all));

/** What a text is about. */
export interface TextContext {
  /** Names of the tool and of the parameter, of the old contract. */
  names?: readonly string[];
  /** It describes a tool: then it may begin with the name of the service. */
  isTool?: boolean;
  /** It defines one value of a choice: "Guests and staff" are others than "Guests". */
  isOfValue?: boolean;
}

const compareWritten = (had: string, has: string, context: TextContext): WordsChange => {
  const [written, now] = [withPlainQuotes(had), withPlainQuotes(has)];
  if (written === now) return { change: 'same' };
  if (written.length > LONGEST || now.length > LONGEST) return { change: 'meaning' };
  const [one, other] = [blanksNamed(written), blanksNamed(now)];
  const [old, current] = [listed(one, other), listed(other, one)];
  const names = context.names ?? [];
  const corrected = withoutSlipsInNames(withoutNewMarks(old, current), current, names.flatMap(nameWords));
  const [before, after] = withSameUnits([corrected, withoutNewMarks(current, old)], names);
  if (spaced(before) === spaced(after)) return { change: 'same' };
  return isEnglish(before) && isEnglish(after) ? compareEnglish(before, after, context) : compareForeign(before, after);
};

/** Compares two texts; an empty one stands for none. */
export const compareTexts = (written: string, now: string, context: TextContext = {}): WordsChange => {
  if (written.length + now.length > LONGEST) return compareWritten(written, now, context);
  const [old, current] = context.isTool
    ? withoutRemarks([withoutPermissions(written), withoutPermissions(now)])
    : withoutHints([written, now], context.names ?? []);
  if ((old === written && current === now) || old === '' || current === '')
    return compareWritten(written, now, context);
  const rest = compareWritten(old, current, context);
  // What was left out is told, unless it says the same.
  return rest.change === 'same' && compareWritten(written, now, context).change !== 'same' ? { change: 'added' } : rest;
};

/** Kinds that matter in the first description of a tool or of one value. */
const FIRST: ReadonlySet<string | undefined> = new Set(['unit', 'base', 'time zone']);

/** The service's name before what its tool does: `Acme | Finds authors`. */
const LABEL = /^([A-Z][A-Za-z]{1,30}) [|] +(?=[A-Z])/;
const WARNING_LABEL =
  /^(?:admin|alpha|beta|caution|critical|danger|dangerous|demo|dev|draft|enterprise|experimental|external|important|internal|limited|mock|note|offline|org|paid|personal|premium|private|prod|public|qa|readonly|restricted|risky|shared|staging|team|test|testing|unsafe|warning)$/i;

/** Two texts without a label that only one of them has. One that says something itself counts: "Sandbox | Pays". */
const withoutLabel = (texts: readonly [string, string]): readonly [string, string] => {
  const [one, other] = texts.map((text) => LABEL.exec(text)) as [RegExpExecArray | null, RegExpExecArray | null];
  if ((one === null) === (other === null)) return texts;
  const [all, label] = (one ?? other) as unknown as [string, string];
  if (WARNING_LABEL.test(label) || kindOf({ text: label, word: label.toLowerCase() }) !== undefined) return texts;
  return one ? [texts[0].slice(all.length), texts[1]] : [texts[0], texts[1].slice(all.length)];
};

/** With these, another name is one more thing that is looked at: "Matches the title or name". */
const LOOKS_AT = /^(?:contain|copy|filter|group|look|match|order|part|return|search|sort|text)(?:e?[sd]|ing)?$/;

/** Whether an added word is one of several ways to name something: "(name or ID)". A value that was right is one of them. */
const isAlternative = (has: readonly Token[], isNew: ReadonlySet<number>, place: number): boolean =>
  kindOf(has[place] as Token) === 'identifier' &&
  [place - 1, place + 1].some((beside) => has[beside]?.word === 'or' && isNew.has(beside));

/** A verb in one form for "filter" and "filters". */
const verbForm = (word: string): string =>
  /(?:ed|ing)$/.test(word) ? word : stem(word.endsWith('ss') ? `${word}es` : word);

/** The new tokens with the first verb as in the old ones, if it only has another ending. */
const withSameVerb = (before: readonly Token[], after: readonly Token[]): readonly Token[] => {
  const [old, now] = [before[0], after[0]];
  if (!(old && now) || !(old.verb || now.verb) || !(isWord(old) && isWord(now))) return after;
  // "Note all of them" is not "Not all of them".
  const isSame = verbForm(old.word) === verbForm(now.word) && kindOf(old) === kindOf(now);
  return isSame ? [{ ...now, text: old.text }, ...after.slice(1)] : after;
};

/** The places of new words that tell something: not those that only name the same in another way. */
const tellingPlaces = (has: readonly Token[], places: readonly number[]): readonly number[] => {
  if (has.some(({ word }) => LOOKS_AT.test(word))) return places;
  const isNew = new Set(places);
  return places.filter((place) => !isAlternative(has, isNew, place));
};

/** Two texts, and what they say. */
interface BothTexts {
  before: string;
  after: string;
  old: Words;
  now: Words;
  names: readonly string[];
  isTool: boolean;
  isOfValue: boolean;
}

const meaning = (exact: boolean): WordsChange => ({ change: 'meaning', ...(exact && { exact }) });

/** Where words were lost, or took the place of others. */
const compareReworded = ({ before, after, old, now, names, isTool }: BothTexts): WordsChange => {
  const [had, has] = [old.tokens, now.tokens];
  if (haveSameSentences(old, now)) return { change: 'same' };
  if (lostNothing(old, now, isKnownFrom(names), isTool) && !isPartedAnew(had, has) && !isGroupedAnew(before, after))
    return { change: 'same' };
  if (areCompounds(had, has)) return { change: 'added' };
  // What a number on a scale means, its ends say.
  if (![before, ...names.slice(1)].some(isScale) && isOnlyWidened(before, had, has))
    return { change: isTool || areAmounts(before, names.slice(1)) ? 'widened' : 'added' };
  const went = isTool && has.length > 0 ? (additionTo(has, had)?.places ?? []) : [];
  return meaning(
    isExact(had, has) ||
      isOtherStatement(had, has) ||
      doesMore(had, has) ||
      (isTool &&
        had.length > 0 &&
        (takesBack(before, after) ||
          holdsOtherSentence(had, has) ||
          saysOtherOfSame(had, has) ||
          actsOnAll(had, went) ||
          coversLess(had, has) ||
          (went.length > 0 && actsOn(has, before)))) ||
      (isTool && areMostKept(had, has) && actsOn(had, after)) ||
      tellsFact(had, went) ||
      limitsNoun(had, went, isTool) ||
      (isTool && had.length > 0 && doesOtherwise(had, has, after, names)),
  );
};

/** Where words came, and all others stayed as they were. */
const compareAdded = (
  { before, after, old, now, names, isTool, isOfValue }: BothTexts,
  addition: Addition,
): WordsChange => {
  const [had, has] = [old.tokens, now.tokens];
  const { places, turns } = addition;
  if (isPartedAnew(had, has) || isGroupedAnew(before, after) || isJoinedAnew(old, now, places)) return meaning(false);
  const [isFirst, isKnown] = [had.length === 0, isKnownFrom(names)];
  if (places.length === 0 || (!isFirst && saysNothing(addition, has, isKnown, isTool))) return { change: 'same' };
  if (!isTool && !isOfValue && !isFirst && addsWayToName(has, places)) return { change: 'added' };
  if (namesOther(addition, has, isKnown, isTool)) return meaning(false);
  const kinds = tellingPlaces(has, places).map((place) => kindOf(has[place] as Token));
  // Words where none were are not another meaning, unless they say what a caller could not guess.
  if (isFirst) {
    const isOfParameter = !isTool && !isOfValue && names.length > 1;
    const isUnguessed = isOfParameter ? tellsUnguessed(after, now, names) : kinds.some((kind) => FIRST.has(kind));
    return isUnguessed ? meaning(isExact(had, has) || doesMore(had, has)) : { change: 'added' };
  }
  const acts =
    isTool &&
    (actsOn(had, after) || actsOnMore(has, places) || sendsElsewhere(has, places) || takesBack(before, after));
  const limits = limitsNoun(has, places, isTool);
  const isNew = new Set(places);
  const isOfMore = leavesOutLess(had, has, places, isOfValue);
  const means =
    turns ||
    isOfMore ||
    acts ||
    limits ||
    kinds.some((kind) => kind !== undefined) ||
    places.some((place) => isOfUnit(has[place] as Token, has[place + 1]) || isPartOfWord(has, place, isNew));
  if (!means) return { change: 'added' };
  return meaning(
    acts ||
      limits ||
      isOfMore ||
      isExact(had, has) ||
      doesMore(had, has) ||
      tellsMeasure(had, has, places) ||
      turnsWord(has, places) ||
      (isTool && tellsFact(has, places)),
  );
};

/** Two texts without a word that stands alone before both: "[Deprecated] Gets a bill". */
const withoutSharedWord = (texts: readonly Words[]): readonly Words[] => {
  const [first] = texts.map(({ tokens }) => tokens[0]?.text);
  const isShared = texts.every(({ tokens }) => tokens[0]?.text === first && tokens[1]?.text === '.');
  return isShared ? texts.map((one) => ({ ...one, tokens: one.tokens.slice(2) })) : texts;
};

const compareEnglish = (
  before: string,
  after: string,
  { names = [], isTool = false, isOfValue = false }: TextContext,
): WordsChange => {
  if (showOtherForm(before, after) || isSeparatedAnew(before, after)) return meaning(true);
  const texts = isTool ? withoutLabel([before, after]) : [before, after];
  const [old, written] = withoutSharedWord(texts.map((text) => wordsOf(text))) as [Words, Words];
  const now = { ...written, tokens: withSameVerb(old.tokens, written.tokens) };
  const both: BothTexts = { before, after, old, now, names, isTool, isOfValue };
  const addition = additionTo(old.tokens, now.tokens);
  return addition === undefined ? compareReworded(both) : compareAdded(both, addition);
};

/**
 * Whether a text that is gone said what a caller could not guess. Nothing contradicts the other old words. In other languages
 * that is unknown, and the text is only told.
 */
export const isMissed = (text: string, context: TextContext): boolean =>
  isEnglish(text) && compareTexts('', text, context).change === 'meaning';
