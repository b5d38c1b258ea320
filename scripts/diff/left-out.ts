import { targetOf } from '../contract/references.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';

/** Said of a value that stands for nothing: what a call without the parameter always meant. */
const NOTHING =
  /\bdefault(?:s|ed)?(?: value)?(?: (?:to|is|of))?\s*[:=]?\s*["'`([{]*(?:false|null|none|nil|undefined|nothing|empty(?: (?:string|list|array|object))?|0)(?!\w|[.,-]\w)/gi;

/** Words by which a description tells what happens without the parameter, or that it has to be there after all. */
const TELLING =
  /\b(?:default\w*|omit\w*|unset|unspecified|absent|missing|otherwise|unless|without|leav(?:e|es|ing)|left|none|must|requir\w+|mandatory|need\w*|ha(?:s|ve) to|not (?:be )?(?:provided|specified|given|set|passed|supplied|present|included))\b/i;

/** A sentence that is about calls without the parameter alone. */
const OF_OTHERS =
  /^(?:if|when|unless)\s+(?:it is |this is )?(?:omitted|unset|unspecified|absent|missing|left out|not (?:provided|specified|given|set|passed|supplied|present|included))\b(?!.*\b(?:otherwise|else|but|while|whereas)\b)[^.;]*\.?$/i;

/** A description without its sentences about calls that leave the parameter out. */
export const ofCallsWith = (text: string): string =>
  text
    .split(/(?<=[.!?])\s+|\n+/)
    .filter((sentence) => !OF_OTHERS.test(sentence.trim()))
    .join(' ');

/** Of other languages nobody knows how they would say it. */
const ENGLISH = /^[\t\n\r -~‘’“”–—…•]*$/;
/** A longer text is not searched: nobody knows what it says. */
const LONGEST = 5_000;

const isNothing = (value: Json): boolean =>
  value === null ||
  value === false ||
  value === 0 ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

const tells = (text: string): boolean =>
  text.length > LONGEST || !ENGLISH.test(text) || TELLING.test(text.replace(NOTHING, ''));

/** Every schema in a schema, with what it refers to, and itself; undefined where a reference leads nowhere. */
const within = (schema: Json, root: Json): JsonObject[] | undefined => {
  const found = new Set<JsonObject>();
  const open: Json[] = [schema];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one !== 'object' || one === null || found.has(one as JsonObject)) continue;
    if (isObject(one)) found.add(one as JsonObject);
    open.push(...(Object.values(one) as Json[]));
    const reference = own(one, '$ref');
    if (typeof reference !== 'string') continue;
    const target = targetOf(reference, root);
    if (target === undefined) return undefined;
    open.push(target);
  }
  return [...found];
};

/**
 * Whether a schema says what a call means that leaves the parameter out: by a default, or in words. One
 * that says nothing of it, or that nothing happens then, changes no such call.
 */
export const tellsOfLeavingOut = (said: Json | undefined, root: Json): boolean => {
  if (said === undefined) return false;
  const schemas = within(said, root);
  return schemas === undefined || schemas.some(tellsHere);
};

const tellsHere = (schema: JsonObject): boolean => {
  const [words, value] = [own(schema, 'description'), own(schema, 'default')];
  return (typeof words === 'string' && tells(words)) || (value !== undefined && !isNothing(value));
};

/** Words that say that something happens by itself. */
const SWITCH = /\bdefault\w*\b[^.]*\b(?:true|on|yes|enabled|always|\d+)\b/i;

/**
 * Whether a parameter that is gone may have done something for calls that left it out: it was on, or limited something. What
 * else was said of such calls nobody says otherwise now.
 */
export const mayHaveActed = (said: Json | undefined, root: Json): boolean => {
  const schemas = said === undefined ? [] : within(said, root);
  return schemas === undefined || schemas.some(actsHere);
};

const actsHere = (schema: JsonObject): boolean => {
  const [words, value] = [own(schema, 'description'), own(schema, 'default')];
  const isFreeText = typeof value === 'string' && own(schema, 'enum') === undefined;
  const isSet = value !== undefined && !isNothing(value) && !isFreeText;
  if (isSet || typeof words !== 'string') return isSet;
  return words.length > LONGEST || !ENGLISH.test(words) || SWITCH.test(words);
};
