import { targetOf } from '../contract/references.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';

/** Words for a value that stands for nothing: what a call without the parameter always meant. */
const NOTHING =
  /\bdefault(?:s|ed)?(?: value)?(?: (?:to|is|of))?\s*[:=]?\s*["'`([{]*(?:false|null|none|nil|undefined|nothing|empty(?: (?:string|list|array|object))?|0)(?!\w|[.,-]\w)/gi;

/** Words that tell what happens without the parameter, or that it is required after all. */
const TELLING =
  /\b(?:default\w*|omit\w*|unset|unspecified|absent|missing|otherwise|unless|without|leav(?:e|es|ing)|left|none|must|requir\w+|mandatory|need\w*|ha(?:s|ve) to|not (?:be )?(?:provided|specified|given|set|passed|supplied|present|included))\b/i;

/** A sentence only about calls without the parameter. */
const OF_OTHERS =
  /^(?:if|when|unless)\s+(?:it is |this is )?(?:omitted|unset|unspecified|absent|missing|left out|not (?:provided|specified|given|set|passed|supplied|present|included))\b(?!.*\b(?:otherwise|else|but|while|whereas)\b)[^.;]*\.?$/i;

/** A description without its sentences about calls that leave the parameter out. */
export const ofCallsWith = (text: string): string =>
  text
    .split(/(?<=[.!?])\s+|\n+/)
    .filter((sentence) => !OF_OTHERS.test(sentence.trim()))
    .join(' ');

/** In other languages we don't know how it would be said. */
const ENGLISH = /^[\t\n\r -~‘’“”–—…•]*$/;
/** A longer text is not searched: what it says is unknown. */
const LONGEST = 5_000;

const isNothing = (value: Json): boolean =>
  value === null ||
  value === false ||
  value === 0 ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

const tells = (text: string): boolean =>
  text.length > LONGEST || !ENGLISH.test(text) || TELLING.test(text.replace(NOTHING, ''));

/** A schema, every schema in it, and those it refers to; undefined if a reference leads nowhere. */
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
 * Whether a schema says, by a default or in words, what a call without the parameter means. A schema that says nothing about
 * it, or that nothing happens then, changes no such call.
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
 * Whether a removed parameter may have acted on calls that left it out: it was on, or limited something. Nothing now
 * contradicts the rest that was said about such calls.
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
