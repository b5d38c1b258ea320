// What descriptions say of calls that leave a parameter out.

import { sameJson } from '../contract/same.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { isOtherSwitch } from './consent.ts';
import { isNothing, isSwitch } from './left-out.ts';
import { compareTexts } from './words/compare.ts';
import { IF_LEFT_OUT, type Omission, omissionIn } from './words/defaults.ts';
import { kindOf } from './words/kinds.ts';
import { isOtherOfValue } from './words/of-value.ts';
import { isOtherSentence } from './words/statement.ts';
import { wordsOf } from './words/tokens.ts';
import { isTurned } from './words/turned.ts';

const ONE_VALUE = String.raw`["'\x60]?[\w-]{1,40}["'\x60]?`;

/** Sentences only about calls without the parameter. What is missing or absent may be the file that it names. */
const OF_OTHERS = [
  String.raw`^(?:${IF_LEFT_OUT}|leave (?:it )?(?:blank|empty) for)\b(?!.*\b(?:otherwise|else|but|while|whereas)\b)[^.;]*\.?$`,
  String.raw`^(?:uses )?${ONE_VALUE}(?: (?:is|are) used)? ${IF_LEFT_OUT}\.?$`,
].map((form) => new RegExp(form, 'i'));

/** A sentence that says which calls need the parameter, and nothing else: those that lack it are refused. */
const OF_NEED =
  /^required (?:by|for|if|only|unless|when|with)\b(?!.*\b(?:and|as|because|but|must|should|since|that|which|while)\b)[^.,;:()]{1,80}\.?$/i;

/** A time by the calendar. "year" alone may tell in which unit a value is. */
const MOMENT = '(?:the )?(?:current|last|next|past|previous|this) (?:day|hour|minute|month|quarter|week|year)';

/**
 * What says which value a parameter has by default, if that is no more than the value: "(default: 10)". Where that is 0 or 1, it
 * may also tell from what the parameter counts.
 */
const BARE_DEFAULT = new RegExp(
  String.raw`[\s,;]{0,5}\(?(?:\band )?(?:\bthe )?\bdefaults?(?: value)?(?: (?:to|is))?\s{0,3}[:=]?\s{0,3}(?:[-+]?(?:\d{2,}|[2-9])(?:\.\d+)?|\x60[^\x60\n]{1,80}\x60|"[^"\n]{1,80}"|'[^'\n]{1,80}'|${MOMENT}|([a-z][a-z-]{1,30}))\)?(?=\s*(?:$|[.;,\n]))`,
  'gi',
);

/** A sentence that says in words what the default is, and nothing else: "Default: all folders of the user." */
const OF_WORDED_DEFAULT =
  /^(?:the )?defaults?(?: value)?(?:\s?[:=]\s?| (?:to|is) )(?!.*\b(?:and|as|because|but|means?|must|otherwise|should|since|that|where|which|while)\b)([a-z]+(?:['’]s)?(?:[ ,/]{1,2}[a-z]+(?:['’]s)?){0,9})\.?$/i;
/** Kinds of words that would tell in which form a value is given, too. */
const FORMS: ReadonlySet<string> = new Set([
  'base',
  'code or value',
  'format',
  'identifier',
  'number',
  'order',
  'quantity',
  'sign or comparison',
  'time zone',
  'unit',
]);

const namesForm = (text: string): boolean => FORMS.has(kindOf({ text, word: text.toLowerCase() }) ?? '');

const saysOnlyDefault = (sentence: string): boolean => {
  const value = OF_WORDED_DEFAULT.exec(sentence)?.[1]?.replace(new RegExp(MOMENT, 'gi'), '');
  const words = value?.match(/(?<!['’])\b[a-z]+/gi) ?? [];
  return value !== undefined && words.every((text) => !namesForm(text));
};

/** A description without what it says about calls that leave the parameter out. */
export const ofCallsWith = (text: string): string => {
  const rest = text.replace(BARE_DEFAULT, (all, word: string | undefined) => {
    if (word !== undefined && !/^(?:true|false)$/i.test(word) && namesForm(word)) return all;
    // The bracket may hold more: "(max 100, default: 30)".
    return all.endsWith(')') && !all.includes('(') ? ')' : '';
  });
  const sentences = rest.split(/(?<=[.!?;])\s+|\n+/);
  const isOfOthers = (sentence: string): boolean =>
    [...OF_OTHERS, OF_NEED].some((form) => form.test(sentence)) || saysOnlyDefault(sentence);
  const kept = sentences.filter((sentence) => !isOfOthers(sentence.trim()));
  return kept.length === sentences.length ? rest : kept.join(' ');
};

/** What a description says of calls without the parameter: "(default 5)", "initially on". */
const OF_DEFAULT =
  /\b(?:defaults?(?:ed)?(?: value)?(?: (?:to|is|of|are))?|initially|preset to|assumed to be)\b\s*[:=]?\s*([^,]+)/gi;
/** The same in other languages. */
const OF_FOREIGN_DEFAULT =
  /(?:(?:\b(?:standard(?:wert)?|vorgabe(?:wert)?|voreinstellung|predeterminad[oa]|predefinit[oa]|standaard(?:waarde)?)|défaut|por defecto|padr[ãa]o)\s?[:=]|(?:デフォルト|既定値?|默认值?|默認值?|預設值?|기본값?)[はがを为為是은는이가:：=]?)\s*([^,、，]+)/gi;
/** What shows that a clause says what happens without the parameter: "staging if omitted", "private unless stated otherwise". */
const OF_CASE = new RegExp(
  String.raw`\bby default\b|\b${IF_LEFT_OUT}|\b(?:leave|omit) (?:(?:it|this) )?(?:(?:out|blank|empty) )?(?:for|to)\b|\bunless (?:\w+ ){0,2}(?:otherwise|given|set|specified|stated)\b`,
  'i',
);
/** What such a clause says beside the value. */
const AROUND_VALUE = new RegExp(
  String.raw`\bby default\b|\b${IF_LEFT_OUT}|\b(?:is|are) used\b|^\s*(?:optional|uses)\b`,
  'gi',
);
const OTHERWISE = /\botherwise\b(?![^a-z\d]*$)/i;
const CLAUSE_END = /[;()\n；（）。]|\.(?!\d)/;

/** What a clause says of calls without the parameter: nothing, in most. */
const toldIn = (clause: string): string[] => {
  const parts = clause.split(',');
  const from = parts.findIndex((part) => OF_CASE.test(part));
  const at = clause.search(OTHERWISE);
  if (from === -1 && /\botherwise\b/i.test(clause)) return [at === -1 ? clause : clause.slice(at)];
  if (from === -1)
    return [OF_DEFAULT, OF_FOREIGN_DEFAULT].flatMap((form) =>
      [...clause.matchAll(form)].map(([, value = '']) => value),
    );
  const value = parts
    .slice(from)
    .join(',')
    .replace(AROUND_VALUE, '')
    .replace(/^[\s,:]+/, '');
  return [/[\p{L}\p{N}]/u.test(value) ? value : clause];
};

const toldOfCallsWithout = (text: string): string => {
  const told = text.split(CLAUSE_END).flatMap(toldIn);
  return told.map((one) => one.trim()).join('; ');
};

/** A longer text is not searched: what it says is unknown. */
const LONGEST = 10_000;

/** Whether two descriptions both say what a call without the parameter means, and not the same. */
export const isOtherDefault = (before: string, after: string, names: readonly string[]): boolean => {
  if (before.length + after.length > LONGEST) return false;
  const [had, has] = [toldOfCallsWithout(before), toldOfCallsWithout(after)];
  return had !== '' && has !== '' && compareTexts(had, has, { names }).change === 'meaning';
};

/**
 * Whether only one of two descriptions says that calls without the parameter act, or do nothing, or only the new one that they
 * are refused. Which value they mean may have been so before it was told.
 */
export const isOtherOmission = (
  name: string,
  [before, after]: readonly [Json | undefined, Json | undefined],
  [old, now]: readonly [string, string],
): boolean => {
  if (old === now || old.length + now.length > LONGEST) return false;
  const [was, is] = [old, now].map((text) => omissionIn(name, text, toldOfCallsWithout)) as [Omission, Omission];
  // A default of the schema says the same without words.
  const isSet = typeof own(before, 'default') === 'string' && sameJson(own(before, 'default'), own(after, 'default'));
  if ((is.isRefused && !was.isRefused) || was.isHeld !== is.isHeld || (was.acts !== is.acts && !isSet)) return true;
  const [had, has] = [
    [before, old],
    [after, now],
  ].map(([one, description]) => ({ ...(isObject(one) ? one : {}), description }) as JsonObject) as [
    JsonObject,
    JsonObject,
  ];
  return isOtherSwitch(name, had, has);
};

/** A default that stands for nothing. */
const OF_NOTHING = /^\W*(?:0|empty(?: \w+)?|false|nil|no|none|nothing|null)\W*$/i;

/** Whether words tell of a default, and by a few other words it means something else: "in seconds (default 5)", "in minutes". */
export const meansOtherToldDefault = (old: string, now: string): boolean => {
  if (old.length + now.length > LONGEST) return false;
  const told = [old, now].map(toldOfCallsWithout);
  if (told.some((one) => one === '' || OF_NOTHING.test(one))) return false;
  return isOtherSentence(wordsOf(ofCallsWith(old)).tokens, wordsOf(ofCallsWith(now)).tokens);
};

/** Whether a default is the same, and by a few words it means something else: 5 "seconds", and then 5 "minutes". */
export const meansOtherDefault = (
  [before, after]: readonly [Json | undefined, Json | undefined],
  [old, now]: readonly [string, string],
  isOfSomeValues = false,
): boolean => {
  // A switch of which no default is told is off.
  const [had, has] = [before, after].map((one) => own(one, 'default') ?? (isSwitch(one) ? false : undefined));
  if (had === undefined || !sameJson(had, has) || old.length + now.length > LONGEST) return false;
  const values = typeof had === 'boolean' ? [!had] : own(before, 'enum');
  if (isOtherOfValue(had, Array.isArray(values) ? values : [], old, now)) return true;
  if (isOfSomeValues) return false;
  const [given, givenNow] = [ofCallsWith(old), ofCallsWith(now)];
  if (typeof had === 'boolean' && isTurned(given, givenNow)) return true;
  if (isNothing(had)) return false;
  return isOtherSentence(wordsOf(given).tokens, wordsOf(givenNow).tokens);
};
