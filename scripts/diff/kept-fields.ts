// New parameters of tools that update a thing: a call that leaves out a field of it means to keep what is there.
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { nameWords } from './name-words.ts';
import { opened } from './references.ts';
import { isAct } from './words/names-of-tools.ts';

const UPDATES: ReadonlySet<string> = new Set(['change', 'edit', 'modify', 'patch', 'put', 'replace', 'set', 'update']);

/** Whether the first verb in a tool's name, wherever it stands, says that a thing is updated. */
const updates = (tool: string): boolean =>
  UPDATES.has(nameWords(tool).find((word) => UPDATES.has(word) || isAct(word, false)) ?? '');

/** What things have, as the last word of a parameter's name. */
const FIELDS =
  /^(?:acl|amount|archived|assignees?|attendees|body|categor(?:y|ies)|closed|colou?r|content|deadline|description|due|enabled|labels?|locked|milestone|parent|permissions|pinned|position|price|priority|private|public|quantity|replicas|reviewers?|roles?|severity|stage|state|status|summary|tags?|title|visibility)$/;
/** Words of names for how long a thing stays, wherever they stand: `expires_in_days`. */
const LIFETIME = /^(?:expir(?:ation|es|y)|lifetime|retention|ttl)$/;
/** Words of names for the call itself, or for its answer: no field of a thing. */
const OF_CALL =
  /^(?:add|allow|append|async|auto|cache|check|confirm|create|debug|depth|dry|dryrun|exclude|expand|fetch|filter|force|format|ignore|include|keep|limit|merge|method|mode|new_only|notify|output|page|prepend|preserve|raw|remove|request|response|result|retries|retry|return|send|show|silent|skip|strategy|strict|timeout|upsert|use|validate|validation|verbose|verify|wait|with)$/;
/** Words for a value that takes the place of another: "New labels, replacing the existing ones", "0 removes it". */
const TOLD =
  /^\W{0,5}(?:the )?new \w|\b(?:overwrit(?:es?|ing)|replac(?:es?|ing)) (?:(?:all|any|of|the) ){0,3}(?:current|existing|old|previous)\b|(?:\b0|\bempty|\bfalse|"")(?: (?:array|list|string|value))? (?:clears|removes|unassigns|unsets)\b/i;
/** Words that say that what is left out is kept. */
const KEPT =
  /\b(?:keeps?|kept|unchanged|untouched|preserve[ds]?|(?:not|never) (?:be )?changed|as (?:it is|they are))\b/i;
/** A longer text is not searched. */
const LONGEST = 5_000;

/** "Whether the repository is private", of `update_repository`. */
const isOfThing = (tool: string, text: string): boolean => {
  const [, thing = ''] = /^whether (?:the |this )?([a-z]+) (?:is|should be|will be) /.exec(text.toLowerCase()) ?? [];
  return nameWords(tool).includes(thing);
};

/** Whether a call that leaves out a new parameter may overwrite with its default what such calls kept. */
export const overwrites = (tool: string, name: string, said: Json | undefined, root: Json): boolean => {
  if (!updates(tool)) return false;
  const schema = isObject(said) ? opened(said as JsonObject, root).schema : {};
  const value = own(schema, 'default') ?? null;
  const words = nameWords(name);
  const text = String(own(schema, 'description') ?? '').slice(0, LONGEST);
  if (value === null || words.some((word) => OF_CALL.test(word)) || KEPT.test(text)) return false;
  if (typeof value === 'string' && KEPT.test(value)) return false;
  const isNamed = FIELDS.test(words.at(-1) ?? '') || words.some((word) => LIFETIME.test(word));
  return isNamed || TOLD.test(text) || isOfThing(tool, text);
};
