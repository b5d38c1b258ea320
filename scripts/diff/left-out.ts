// What calls that leave a parameter out mean.
import { targetOf } from '../contract/references.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { nameWords } from './name-words.ts';
import { opened } from './references.ts';
import { KINDS } from './words/kinds.ts';
import { isEnglish } from './words/language.ts';

/** Words for a value that stands for nothing: what a call without the parameter always meant. */
const NOTHING =
  /\bdefault(?:s|ed)?(?: value)?(?: (?:to|is|of))?\s*[:=]?\s*["'`([{]*(?:false|null|none|nil|undefined|nothing|empty(?: (?:string|list|array|object))?|0)(?!\w|[.,-]\w)/gi;

/** Words that tell what happens without the parameter, or that it is required after all. */
const TELLING =
  /\b(?:default\w*|omit\w*|unset|unspecified|absent|missing|initially|preset|assum(?:es|ed)|otherwise|unless|without|leav(?:e|es|ing)|left|none|must|requir\w+|mandatory|need\w*|ha(?:s|ve) to|not (?:be )?(?:provided|specified|given|set|passed|supplied|present|included)|(?:if|when|where) (?:no|false|off|disabled)|(?:give|pass|send|set|use)(?: (?:as|is|it|this|to))* true|else|really|actually)\b/i;

/** A longer text is not searched: what it says is unknown. */
export const LONGEST = 5_000;

/** Whether a value stands for nothing. */
export const isNothing = (value: Json): boolean =>
  value === null ||
  value === false ||
  value === 0 ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** In other languages we don't know how it would be said. */
const tells = (text: string): boolean =>
  text.length > LONGEST || !isEnglish(text) || TELLING.test(text.replace(NOTHING, ''));

/** A schema, every schema in it, and those it refers to; undefined if a reference leads nowhere. */
export const within = (schema: Json, root: Json): JsonObject[] | undefined => {
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

/** Words that say that something may happen by itself. */
const SWITCH = /\bdefault\w*\b[^.]*\b(?:true|on|yes|enabled|always|\d+)\b/i;

/** Words that say that it does, or how it is switched off. */
const ON =
  /\bdefault(?:s|ed)?(?: value)?(?: (?:to|is|of))?\s*[:=]?\s*["'`([{]*(?:true|on|yes|enabled|always)\b|\b(?:true|on|enabled|active|always) by default\b|\b(?:set|pass|send|give|use)(?: (?:it|this|is|to|as|explicitly))*\s+["'`]?(?:false|no|off)\b/i;

/** A text that is more than a number, a date or a version. */
const SPEAKING = /\p{L}{2}/u;

/**
 * What a parameter does for calls that leave it out, as a default. Undefined if that is unknown, or no more than
 * a number.
 * @param schemas all that was declared for it
 */
export const actedAs = (schemas: readonly JsonObject[], value: Json | undefined): Json | undefined => {
  if (value === true || (typeof value === 'string' && SPEAKING.test(value))) return value;
  return (value ?? null) === null && schemas.some(isOn) ? true : undefined;
};

/** Whether a parameter is true or false, or null. */
export const isSwitch = (schema: Json | undefined): boolean => {
  const forms = own(schema, 'anyOf') ?? own(schema, 'oneOf');
  const types = [schema, ...(Array.isArray(forms) ? forms : [])].flatMap((one) => own(one, 'type') ?? []);
  return types.includes('boolean') && types.every((type) => type === 'boolean' || type === 'null');
};

/** Whether a schema names true and false among others. */
export const namesBoolean = (schema: JsonObject): boolean => [own(schema, 'type')].flat().includes('boolean');

const isOn = (schema: JsonObject): boolean => {
  const [words, type] = [own(schema, 'description'), own(schema, 'type') ?? 'boolean'];
  return typeof words === 'string' && words.length <= LONGEST && [type].flat().includes('boolean') && ON.test(words);
};

/** Names and values that make more happen than was asked for. */
const STRONG =
  /^(?:all|apply|cascade|confirm|confirmed|everyone|everything|force|forced|live|notify|permanent|public|recursive)$/;

const isEffect = (word: string): boolean => KINDS.some(({ name, words }) => name === 'effect' && words.has(word));

/** Options of options are not looked at deeper. */
const DEEPEST = 4;

const CLEARING =
  '(?:clear(?:s|ed|ing)?|delet(?:es?|ed|ing)|detach(?:es)?|disconnects?|eras(?:es?|ed)|remov(?:es?|ed|ing)|resets?|unassign(?:s|ed)?|unlinks?|unsets?|wipes?)';
const OF_CLEARING = new RegExp(`^\\W*(?:to )?${CLEARING}\\b`, 'i');
/** "Null removes the assignee", "pass null to clear it", "cleared if null". "Null: do not remove" says the opposite. */
const NULL_CLEARS = new RegExp(
  [
    String.raw`\b(?:null|none|nil)\b["'\x60]? {0,2}(?:(?:value|means?|will|would|it|is|to|and|explicitly|=|:|→|->|–|—) {0,2}){0,4}\(?${CLEARING}\b`,
    String.raw`\b${CLEARING} (?:[\w-]+ ){0,4}?(?:by (?:passing|sending|setting)|if|when|with)(?: (?:it|given|is|passed|set|to|explicitly)){0,3} ["'\x60]?null\b`,
  ].join('|'),
  'i',
);

/** Whether the words of a parameter, or of its form for null, say that null takes away what is there. */
export const clearsByNull = (schema: JsonObject): boolean => {
  const words = own(schema, 'description');
  if (typeof words === 'string' && NULL_CLEARS.test(words.slice(0, LONGEST))) return true;
  const forms = ['anyOf', 'oneOf'].flatMap((keyword) => own(schema, keyword) ?? []);
  return forms.some(
    (form) => own(form, 'type') === 'null' && OF_CLEARING.test(String(own(form, 'description')).slice(0, LONGEST)),
  );
};

/** A new parameter with the defaults that hold for calls that leave it out, and the options in it, if a default sets these. */
const setByDefault = (name: string, said: Json | undefined, root: Json, depth = 0): [name: string, said: Json][] => {
  if (!isObject(said)) return [];
  const { schema } = opened(said as JsonObject, root);
  const [given, options] = [own(schema, 'default'), own(schema, 'properties')];
  if (!isObject(given) || !isObject(options) || depth >= DEEPEST) return [[name, schema]];
  return Object.entries(options as JsonObject).flatMap(([option, one]) => {
    const value = own(given, option);
    const its = isObject(one) && value !== undefined ? { ...(one as JsonObject), default: value as Json } : one;
    return setByDefault(option, its, root, depth + 1);
  });
};

/** The same of a parameter, or of an option in it. */
export const someSetByDefault = (
  is: (name: string, said: Json | undefined, root: Json) => boolean,
  name: string,
  said: Json | undefined,
  root: Json,
): boolean => setByDefault(name, said, root).some(([one, its]) => is(one, its, root));

/** Whether a new parameter makes something happen in calls that leave it out: it is on, and deletes or sends something. */
export const actsByItself = (name: string, said: Json | undefined, root: Json): boolean => {
  const schemas = said === undefined ? [] : (within(said, root) ?? []);
  const acted = actedAs(schemas, own(said, 'default'));
  if (acted === undefined) return false;
  const words = nameWords(acted === true ? name : String(acted));
  const told = acted === true ? nameWords(String(own(said, 'description') ?? '').slice(0, LONGEST)) : [];
  return words.some((word) => STRONG.test(word)) || [...words, ...told].some(isEffect);
};

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
  const isVersion = typeof value === 'string' && !SPEAKING.test(value) && /\bversion\b/i.test(String(words));
  const isSet = value !== undefined && !isNothing(value) && !isVersion;
  if (isSet || typeof words !== 'string') return isSet;
  return words.length > LONGEST || !isEnglish(words) || SWITCH.test(words) || isOn(schema);
};
