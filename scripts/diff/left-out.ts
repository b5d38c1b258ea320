import { targetOf } from '../contract/references.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { nameWords } from './name-words.ts';
import { opened } from './references.ts';
import { KINDS } from './words/kinds.ts';
import { isEnglish } from './words/language.ts';
import { stem } from './words/opposites.ts';

/** Words for a value that stands for nothing: what a call without the parameter always meant. */
const NOTHING =
  /\bdefault(?:s|ed)?(?: value)?(?: (?:to|is|of))?\s*[:=]?\s*["'`([{]*(?:false|null|none|nil|undefined|nothing|empty(?: (?:string|list|array|object))?|0)(?!\w|[.,-]\w)/gi;

/** Words that tell what happens without the parameter, or that it is required after all. */
const TELLING =
  /\b(?:default\w*|omit\w*|unset|unspecified|absent|missing|initially|preset|assum(?:es|ed)|otherwise|unless|without|leav(?:e|es|ing)|left|none|must|requir\w+|mandatory|need\w*|ha(?:s|ve) to|not (?:be )?(?:provided|specified|given|set|passed|supplied|present|included)|(?:if|when|where) (?:no|false|off|disabled)|(?:give|pass|send|set|use)(?: (?:as|is|it|this|to))* true|else|really|actually)\b/i;

/** A longer text is not searched: what it says is unknown. */
const LONGEST = 5_000;

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

const isSwitch = (schema: JsonObject): boolean => [own(schema, 'type')].flat().includes('boolean');

const isOn = (schema: JsonObject): boolean => {
  const [words, type] = [own(schema, 'description'), own(schema, 'type') ?? 'boolean'];
  return typeof words === 'string' && words.length <= LONGEST && [type].flat().includes('boolean') && ON.test(words);
};

/** Names and values that make more happen than was asked for. */
const STRONG =
  /^(?:all|apply|cascade|confirm|confirmed|everyone|everything|force|forced|live|notify|permanent|public|recursive)$/;

const isEffect = (word: string): boolean => KINDS.some(({ name, words }) => name === 'effect' && words.has(word));

/** Names of switches that turn a call into a trial. */
const TRIAL =
  /^(?:dry|dryrun|noop|pretend|whatif|simulat(?:e|ed|ion)|(?:validate|validation|plan|test|preview|check)(?:only|mode)|preview|sandbox|draft|test|readonly)$/;
/** Values that do so by themselves. */
const TRIAL_VALUE = /^(?:plan|validate|check)$/;
/** Defaults that switch something on. */
const ON_VALUE = /^(?:true|yes|on|1)$/i;
/** Names of switches that a call has to set before anything happens. */
const CONSENT = /^(?:i?acknowledged?|i?understand|confirm(?:ed|ation)?|execute|approved?)$/;
/** Names that may say so, if the description does. */
const MAYBE_CONSENT = /^(?:apply|commit|run|really|force|yes)$/;
const CONSENT_TOLD = /\b(?:must be|has to be|set (?:it |this )?to|pass|only if|unless)\b[^.]*\btrue\b/i;
/** Names of the call's own work, and words for what is left of it without the switch. */
const WORK = /^(?:apply|commit|live|persist|run|save|send)$/;
const WORK_TOLD = /\b(?:false|off|without it|otherwise)\b[^.]*\b(?:only|nothing|no|not|plans?|previews?|shows?)\b/i;
/** The call's own work, which a call without the switch no longer does: "Apply the changes". */
const OWN_WORK = /^\s*(?:whether to )?(?:apply|commit|persist)s?\b/i;

/** What a call does when it does its work. */
const DONE =
  'applied|booked|changed|charged|committed|created|deleted|done|dropped|executed|executes|made|merged|modified|moved|ordered|paid|performed|posted|published|pushed|removed|run|runs|saved|sent|submitted|updated|uploaded|written';
const IS_DONE = new RegExp(`\\b(?:${DONE})\\b`, 'i');
/** "only sent when this is true", "executes only with execute=true". Another parameter's name is no word of it. */
const ONLY_IF_TRUE =
  /\bonly (?:[\w-]+ ){0,4}?(?:if|once|when|with|unless) (?:[`'"]?(?:explicitly|flag|is|it|option|parameter|set|the|this|to|value)[`'"]? )*[`'"]?(?:OWN[`'"]?(?: is | set to |: ?| ?= ?)[`'"]?)?true\b/;
/** Words for a call without the parameter. */
const LEFT_OUT =
  /\b(?:false|not (?:given|passed|provided|set|specified|supplied|true)|off|omitted|otherwise|unless|unset|without (?:it|this))\b/i;
/** What such a call does instead of its work. */
const INSTEAD = new RegExp(
  [
    `\\bnothing (?:(?:gets|is|will be) (?:${DONE})|happens)\\b`,
    '\\b(?:only|returns|shows)(?: a| the| only)* (?:plan|preview)\\b',
    '\\b(?:as|is|remains|stays) (?:a |in )?draft\\b',
    '\\b(?:dry[- ]run|refused|rejected|simulated|simulates)\\b',
  ].join('|'),
  'i',
);

/** Words in a name that speak of the call's own work, not of something beside it. */
const OF_WORK =
  /^(?:appl(?:y|ied)|call|change|commit|confirm|execute|live|perform|persist|really|run|save|submit|write)s?$/;
const LEAST_OPTION = 4;

/** The parameter's own name as the thing that is spoken of: "a screenshot, which is only saved if set", not "if OWN is true". */
const OWN_THING = /OWN(?![`'"]? ?(?:[:=]|is |set ))/;

/** Whether a sentence is about what the name says: "the branch is only deleted if true", of `delete_branch`. */
const isOfOption = (name: string, sentence: string): boolean => {
  if (OWN_THING.test(sentence)) return true;
  const said = new Set(nameWords(sentence).map(stem));
  return nameWords(name).some((word) => word.length >= LEAST_OPTION && !OF_WORK.test(word) && said.has(stem(word)));
};

/** Whether a text says that calls without the parameter do not do their work. */
const tellsOfNoWork = (name: string, text: string): boolean =>
  text
    .slice(0, LONGEST)
    .split(/[.;\n]/)
    .some((sentence) => {
      if (LEFT_OUT.test(sentence) && INSTEAD.test(sentence)) return true;
      const plain = sentence.toLowerCase().replaceAll(name.toLowerCase(), 'OWN');
      return IS_DONE.test(sentence) && ONLY_IF_TRUE.test(plain) && !isOfOption(name, plain);
    });

/** Names that say of a thing that it is confirmed, more often than of the call. */
const OF_THINGS = /ed$/;
/** Words that speak of the call itself, or of who makes it. */
const OF_CALLS =
  /\b(?:must be|true|you|proceed\w*|(?:the|a|this|by an?|by the) (?:action|call|caller|change|costs?|deletion|human|operation|person|request|user|warning)s?)\b/i;
/** The beginning of what is said of a filter, or of a value of the thing. */
const OF_DATA =
  /^\W*(?:filter|include|list|new|only|return|show|set (?:the|whether)|whether (?:an?|it|the|this) [\w ]{0,40}?(?:are|has|have|is|was|were))\b/i;

/** A person did so before the call. */
const BY_PERSON = /\b(?:human|person|someone|user|you)\b[^.]{0,40}\b(?:acknowledged|agreed|approved|confirmed)\b/i;

/** Whether a switch without a default is a consent, by its name in one word and its description. */
const isConsent = (joined: string, told: string): boolean => {
  if (!CONSENT.test(joined)) return false;
  return BY_PERSON.test(told) || (!OF_DATA.test(told) && (!OF_THINGS.test(joined) || OF_CALLS.test(told)));
};

/** Whether a switch is told to be on for calls that leave it out, and makes trials of them, or acts in them. */
const isToldToAct = (name: string, schema: JsonObject): boolean =>
  actedAs([schema], own(schema, 'default')) === true &&
  (TRIAL.test(joinedName(name)) || actsByItself(name, schema, schema));

/** Whether a text says that a switch has to be set before anything is done. A trial is the opposite of such a switch. */
const isToldToHoldBack = (name: string, { description = '' }: JsonObject): boolean => {
  const [text, joined] = [String(description).slice(0, LONGEST), joinedName(name)];
  if (TRIAL.test(joined)) return false;
  return (
    tellsOfNoWork(name, text) ||
    (MAYBE_CONSENT.test(joined) && CONSENT_TOLD.test(text)) ||
    (WORK.test(joined) && WORK_TOLD.test(text))
  );
};

/** Whether only one of two texts says that a switch, of the same default, acts in calls that leave it out, or holds them back. */
export const isOtherSwitch = (name: string, before: JsonObject, after: JsonObject): boolean => {
  if (![before, after].every((one) => isSwitch(one) || own(one, 'type') === undefined)) return false;
  const [had, has] = [before, after].map((one) => actedAs([one], own(one, 'default')));
  // Of one that is on as before, other words are compared as such.
  const isTurned = had !== has && isToldToAct(name, before) !== isToldToAct(name, after);
  return isTurned || isToldToHoldBack(name, before) !== isToldToHoldBack(name, after);
};

/** Names of switches without which nothing is done, whatever their descriptions say: the opposite of a trial. */
const DOES = /^(?:apply|commit|deploy|live|persist|publish|real(?:ly(?:execute|run)?)?|run|save|send|submit|write)$/;

/** Whether of two names, in one word, one turns a call into a trial, and one makes it more than a trial. */
export const areTrialAndWork = (one: string, other: string): boolean =>
  [
    [one, other],
    [other, one],
  ].some(([trial = '', work = '']) => TRIAL.test(trial) && (DOES.test(work) || CONSENT.test(work)));

const joinedName = (name: string): string =>
  nameWords(name)
    .join('')
    .replace(/^is(?=.)/, '');

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

/** Whether calls that leave a new parameter out may no longer do what they did: they are trials, or lack a consent. */
export const holdsBack = (name: string, said: Json | undefined, root: Json): boolean => {
  const schemas = said === undefined ? [] : (within(said, root) ?? []);
  const joined = joinedName(name);
  const value = own(said, 'default');
  if (actedAs(schemas, value) === true || (['number', 'string'].includes(typeof value) && ON_VALUE.test(String(value))))
    return TRIAL.test(joined);
  if (typeof value === 'string' && value !== '') return [TRIAL, TRIAL_VALUE].some((one) => one.test(joinedName(value)));
  const told = String(own(said, 'description') ?? '').slice(0, LONGEST);
  if (isNothing(value ?? null) && tellsOfNoWork(name, told)) return true;
  // A switch without a default is off.
  const isOff = value === false || ((value ?? null) === null && schemas.some(isSwitch));
  if (!isOff) return false;
  return (
    (value === false ? CONSENT.test(joined) : isConsent(joined, told)) ||
    (MAYBE_CONSENT.test(joined) && CONSENT_TOLD.test(told)) ||
    (WORK.test(joined) && (WORK_TOLD.test(told) || OWN_WORK.test(told)))
  );
};

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
