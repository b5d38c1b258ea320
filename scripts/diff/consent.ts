// Switches that a call has to set before anything is done: consents, and what makes a call more than a trial.
import { type Json, type JsonObject, own } from '../contract/types.ts';
import { actedAs, actsByItself, isNothing, LONGEST, namesBoolean, within } from './left-out.ts';
import { nameWords } from './name-words.ts';
import { stem } from './words/opposites.ts';

/** A name in one word, without the `is` of a switch. */
const joinedName = (name: string): string =>
  nameWords(name)
    .join('')
    .replace(/^is(?=.)/, '');

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
  if (![before, after].every((one) => namesBoolean(one) || own(one, 'type') === undefined)) return false;
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
  const isOff = value === false || ((value ?? null) === null && schemas.some(namesBoolean));
  if (!isOff) return false;
  return (
    (value === false ? CONSENT.test(joined) : isConsent(joined, told)) ||
    (MAYBE_CONSENT.test(joined) && CONSENT_TOLD.test(told)) ||
    (WORK.test(joined) && (WORK_TOLD.test(told) || OWN_WORK.test(told)))
  );
};
