// Ways to say which value a parameter has by default: "50 by default", "Default is 50.", "If omitted, 50 is used."
import { nameWords } from '../name-words.ts';

const VALUE = String.raw`-?\d{1,15}(?:\.\d{1,9})?%?|\x60[^\x60\n]{1,60}\x60|"[^"\n]{1,60}"|'[^'\n]{1,60}'|[A-Z]?[a-z]{1,20}`;
const LEFT_OUT = `(?:omitted|unset|unspecified|absent|left (?:out|blank|empty)|not (?:be )?(?:given|passed|present|provided|set|specified|supplied))`;
/** "If it is omitted", "when none is given", "without it". */
export const IF_LEFT_OUT = `(?:(?:if|when)(?: (?:it|this)(?: is)?)? ${LEFT_OUT}|(?:if|when) (?:none|nothing) is (?:given|passed|provided|set|specified|supplied)|(?:if|when) (?:you )?(?:leave|left) (?:it|this) (?:out|blank|empty)|without it(?=,|$))`;
const FORMS = [
  `(?:the )?default(?:s|ed)?(?: value)?(?: (?:is|of|to))? ?[:=]? ?(${VALUE})`,
  `(${VALUE}) by default`,
  `(${VALUE})(?: is (?:assumed|used))? ${IF_LEFT_OUT}`,
  `${IF_LEFT_OUT},? (?:(?:it )?(?:default(?:s|ing)? to|is|uses) )?(${VALUE})(?: is (?:assumed|used))?`,
];
/** Only what says nothing else: "50 results by default" may be about something else. */
const DEFAULT = new RegExp(String.raw`( ?[,;(.]|(?<=\S) -) ?(?:${FORMS.join('|')})(\)?)(?= {0,2}(?:$|[.,;)\n]))`, 'gi');

/** A text with each default in one form: "(default 50)". */
export const withDefaults = (text: string): string =>
  /default|omitted|unset|unspecified|absent|left|leave|not |none|nothing|without it/i.test(text)
    ? text.replace(DEFAULT, (_all, pause: string, ...rest: string[]) => {
        const value = rest.slice(0, FORMS.length).find((one) => one !== undefined);
        const end = pause.includes('(') ? '' : rest[FORMS.length];
        return ` (default ${value})${end}`;
      })
    : text;

/** Words between what tells something of a call without the parameter, and where another thing begins. */
const CLAUSE = /[.;,()[\]:—–\n]| - /;
/** The parameter, as its description speaks of it: its own name is `OWN`. */
const IT = '(?:(?:an?|argument|field|it|option|OWN|parameter|property|the|this|value) ?)*';
/** Clauses that say that a call has to give the parameter. */
const NEEDED = [
  `${IT}(?:(?:is|are) )?(?:always |now |still )?(?:required|mandatory|obligatory|not optional|no longer optional)(?: (?:now|always))?(?: ${IT})?`,
  `${IT}(?:must|has to|needs to) (?:always |now )?be (?:given|included|passed|present|provided|set|specified|supplied)(?: explicitly| now)?`,
  `${IT}(?:can ?not|can't|may not|must not) be (?:omitted|left out|skipped|unset)`,
  `(?:calls?|invocations?|requests?) (?:lacking|that (?:lack|omit)|without) ${IT}(?:are|get|is|will be)? ?(?:now )?(?:denied|fail|fails|refused|rejected)`,
].map((form) => new RegExp(`^${form}$`));
/** A clause that limits what stands before it to some calls. */
const OF_SOME = /^(?:by|except|for|if|in|only|unless|when|where|with)\b/;

/** What happens to a call that is refused. */
const REFUSED = /\b(?:denied|errors?|fails?|refused|rejected)\b/;
const ACTS =
  'cancel(?:l?ed|s)|charge[ds]|clear(?:ed|s)|delete[ds]|destroy(?:ed|s)|dropped|emailed|erase[ds]|execute[ds]|kill(?:ed|s)|notifie[ds]|overwritten|paid|publish(?:ed|es)|purge[ds]|remove[ds]|replace[ds]|reset|revoke[ds]|sent|terminate[ds]|truncate[ds]|wipe[ds]';
/** What acts: "all are deleted", "deletes all", and as a value of its own, "delete". What was sent is only described so. */
const ACTING = new RegExp(
  String.raw`\b(?:are|be|gets?|is) (?:\w+ly |then )?(?:${ACTS})\b|\b(?:deletes|drops|erases|overwrites|purges|removes|replaces|resets|revokes|sends|wipes)\b|^\W*(?:delete|drop|erase|execute|overwrite|publish|purge|remove|replace|revoke|send|wipe)\b|^\W*(?:deleting|erasing|overwriting|purging|removing|sending|wiping)\b|\b(?:everybody|everyone)\b`,
);
/** What does not act: "nothing is deleted", "stays a draft". */
const HELD = new RegExp(
  String.raw`\bnothing (?:gets |is |will be )?(?:${ACTS}|changed|created|done|happens|written)\b|\bdry[- ]run\b|\bonly (?:a )?preview|\b(?:remains|stays) (?:a |in )?draft\b`,
);
const NOT = /\b(?:not|never|no|none|nothing|without)\b/;

/** A description that calls the parameter `OWN`, and those without it by one form. */
const ofOwn = (name: string, text: string): string => {
  const own = new Set(nameWords(name));
  return text
    .toLowerCase()
    .replace(/[a-z0-9]+/g, (word) => (own.has(word) || own.has(word.replace(/s$/, '')) ? 'OWN' : word))
    .replace(/\bOWN(?:[ _-]OWN)+/g, 'OWN')
    .replace(/\bwithout (?:an? |any |the )?(?:OWN|it|this)\b,?/g, 'without it,')
    .replace(/\b(if|when) no OWN (?:is|are) /g, '$1 none is ')
    .replace(/\bunless (?:an? |any |the )?(?:OWN|it|this) (?:is|are) /g, 'unless ');
};

/** Whether a description says that a call has to give the parameter, whatever else it gives. */
const tellsOfNeed = (text: string): boolean => {
  const clauses = text.split(CLAUSE).map((clause) => clause.trim().replace(/["'`*_]/g, ''));
  return clauses.some((clause, at) => NEEDED.some((form) => form.test(clause)) && !OF_SOME.test(clauses[at + 1] ?? ''));
};

/** What a text says of calls without the parameter that is no mere value. */
export interface Omission {
  isRefused: boolean;
  acts: boolean;
  isHeld: boolean;
}

/**
 * What a description says of calls without the parameter that is more than a value.
 * @param toldIn finds what a text says of such calls
 */
export const omissionIn = (name: string, text: string, toldIn: (text: string) => string): Omission => {
  const said = ofOwn(name, text);
  const told = toldIn(said).split('; ');
  return {
    isRefused: tellsOfNeed(said) || told.some((one) => REFUSED.test(one) && !NOT.test(one)),
    acts: told.some((one) => ACTING.test(one) && !NOT.test(one)),
    isHeld: told.some((one) => HELD.test(one)),
  };
};
