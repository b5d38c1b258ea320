// The first description of a parameter: whether it says what a caller could not guess from the parameter's name.
import { nameWords } from '../name-words.ts';
import { kindOf } from './kinds.ts';
import { stem } from './opposites.ts';
import { inOneWord } from './spelling.ts';
import { inSentences } from './statement.ts';
import type { Token, Words } from './tokens.ts';

/** What a value counts, or from where. */
const MEASURES: ReadonlySet<string | undefined> = new Set(['unit', 'base', 'time zone']);
/** Forms that a caller does not expect. */
const FORMS =
  /^(?:base64|cron|delimited|encoded|epoch|escaped|globs?|gzip|gzipped|hashed|hex|hexadecimal|lowercase|lucene|md5|numeric|patterns?|regexp?|relative|separated|unix|uppercase)$/;
/** Languages of texts: "as HTML", and not "HTML tags" or a "JSON object". Markdown takes any text. */
const LANGUAGES = /^(?:csv|html|json|latex|tsv|xml|yaml)$/;
/** The form of a date, where it does not begin with the year: "DD.MM.YYYY". */
const DATE = /^(?:D{1,2}|M{2,4}|d{2}|m{2})(?:$|[./])/;
const DATE_PART = /^[ymdh]{2,4}$/i;
/** A sentence about some calls, about what is taken as well, or about what the tool returns. */
const OF_SOME = /^(?:accepts|allows|defaults?|if|may|optional(?:ly)?|returns|supports|unless|when)$/;
/** Names of forms: their values are what the text lists. */
const OF_FORMS = /^(?:encoding|extension|format|language|mime|mode|output|style|syntax|type)s?$/;

/** What is left out, or not there, if it comes soon: "Colour without #", "IDs that are excluded". */
const LEFT_OUT = /^(?:exclud(?:es?|ed|ing)|without)$/;
const SOON = 4;
const DESTROYS = /^(?:clear|delet|destroy|drop|eras|overwrit|purg|remov|replac|reset|revok|truncat|wip)(?:es?|s)?$/;
const DESTROYED =
  /^(?:cleared|deleted|destroyed|dropped|erased|overwritten|purged|removed|reset|revoked|truncated|wiped)$/;

/** Says that a value is not used, or should not be given. */
const UNUSED =
  /(?:^|[.!?;:(,–—-]\s{0,3}|\band )(?:(?:this|the) (?:argument|field|flag|option|parameter|property|setting|value)\s)?(?:(?:is|are|has been) )?(?:currently |now |silently )?(?:deprecated|discontinued|ignored|obsolete|unsupported|unused|not (?:currently |yet )?(?:implemented|in use|supported|used)|no longer [a-z]+|(?:has|have) no effect)(?!\s(?:by default|for|if|in|on|unless|when|with|without)\b)/i;

/** How a value has to begin or end, or which one of a switch does something. */
const MUST = /\b(?:must|has to|have to) (?:not )?(?:begin|end|start)\b|\bmust be ["'`]?(?:false|true)\b/i;

/** Whether a word says in which form a value is given. */
const tellsForm = (sentence: readonly Token[], at: number): boolean => {
  const { text, word, quoted, parted } = sentence[at] as Token;
  if (quoted) return false;
  if (LEFT_OUT.test(word)) return at < SOON;
  if (DATE.test(text)) return !DATE_PART.test(sentence[at - 1]?.text ?? '');
  if (!LANGUAGES.test(word)) return FORMS.test(word);
  const [last, next] = [sentence[at - 1], sentence[at + 1]];
  const begins = last === undefined || parted === true || last.word === 'as' || last.word === 'in';
  return begins && (next === undefined || next.parted === true);
};

/** Whether a word says that something is destroyed: "Replaces all labels", "Labels to remove", "Those are removed". */
const destroys = (sentence: readonly Token[], at: number): boolean => {
  const { word, joining } = sentence[at] as Token;
  if (at === 0) return DESTROYS.test(word) && word.endsWith('s');
  if (joining.has('be')) return DESTROYED.test(word);
  return sentence[at - 1]?.word === 'to' && DESTROYS.test(word) && word !== 'replace';
};

/** Whether a word is one of two ways: "HTML or plain text", "absolute or relative". */
const isOneOfTwo = (sentence: readonly Token[], at: number): boolean =>
  [at - 1, at + 1].some((beside) => sentence[beside]?.word === 'or');

/**
 * Whether a first description of a parameter says something by which a call without it may be wrong: a unit, a form, that the
 * value is ignored, or that something is destroyed.
 * @param names of the tool and, behind it, of the parameter
 */
export const tellsUnguessed = (text: string, { tokens, isOfSwitch }: Words, names: readonly string[]): boolean => {
  const its = names.slice(1).flatMap(nameWords);
  const [ofName, ofAll] = [its, names.flatMap(nameWords)].map((words) => new Set(words.map(inOneWord).map(stem)));
  // "Latitude" of `lat`
  const isNamed = (word: string): boolean =>
    ofName?.has(stem(inOneWord(word))) === true ||
    (word.length > 2 && its.some((one) => one.length > 2 && (word.startsWith(one) || one.startsWith(word))));
  const hasForm = !isOfSwitch && !its.some((word) => OF_FORMS.test(word));
  const tells = (sentence: readonly Token[], place: number): boolean =>
    sentence.some((token, at) => {
      if (isNamed(token.word)) return false;
      // "YYYY-MM" holds no millimetres.
      const isOfDate = DATE_PART.test(token.text) && DATE_PART.test(sentence[at - 1]?.text ?? '');
      if (MEASURES.has(kindOf(token)) && !isOfDate) return true;
      if (OF_SOME.test(sentence[0]?.word ?? '')) return false;
      if (destroys(sentence, at)) return ofAll?.has(stem(token.word)) !== true;
      return place === 0 && hasForm && tellsForm(sentence, at) && !isOneOfTwo(sentence, at);
    });
  return UNUSED.test(text) || MUST.test(text) || inSentences(tokens).some(tells);
};
