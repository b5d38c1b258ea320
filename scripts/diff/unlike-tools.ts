// Whether two tools do different things, as far as their names and descriptions tell: a call that was meant for one must not
// be sent to the other.
import type { Contract } from '../contract/types.ts';
import { nameWords } from './name-words.ts';
import { areUnlike } from './unlike-names.ts';
import { isBrand } from './words/kinds.ts';
import {
  areSameAct,
  isAct,
  isAnyThing,
  isDecisive,
  isLight,
  isLook,
  isNeutral,
  isShown,
  isWider,
} from './words/names-of-tools.ts';
import { withoutOwnName } from './words/of-tool.ts';
import { stem } from './words/opposites.ts';

/** What a tool does, its description says at the beginning. */
const MOST_READ = 300;
const MOST_SAID = 40;
/** Names of more words are not compared: each is compared with each. */
const MOST_WORDS = 16;
/** Behind these, a description says what the tool does not do. */
const BUT = /\b(?:without|not|no|never|cannot|can't|instead|rather|unlike|except|before|after)\b/i;

/** The words of the sentence that says what a tool does. */
const statementOf = ({ name, description = '' }: Contract): string[] =>
  withoutOwnName(description.slice(0, MOST_READ).trim(), name)
    .split(/[.!?](?=\s)|\n\s*\n/, 1)
    .flatMap((sentence) => sentence.split(BUT, 1))
    .flatMap((told) => told.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    .slice(0, MOST_SAID);

/** Words of fewer letters begin too many others. */
const LEAST_SHORT = 3;
const LEAST_STEM = 5;
const begins = (one: string, other: string): boolean => {
  const isForm = stem(one).length >= LEAST_STEM && other.startsWith(stem(one));
  return isForm || (one.length >= LEAST_SHORT && other.startsWith(one) && !isAct(one, true) && !isAct(other, true));
};
/** Whether two words are forms of one: "users", "deletion", "repo". */
const areForms = (one: string, other: string): boolean =>
  stem(one) === stem(other) || begins(one, other) || begins(other, one);
const isAmong = (word: string, words: readonly string[]): boolean => words.some((other) => areForms(word, other));

/** What a tool is called, without words that say nothing, and what is said of it. */
interface ToolWords {
  words: string[];
  /** Those of its name that are verbs where they stand. */
  acts: string[];
  said: string[];
}

const toldOf = (tool: Contract): ToolWords => {
  const words = nameWords(tool.name).filter((word) => !isNeutral(word) && !isBrand(word));
  const said = statementOf(tool);
  // "Echoes a text" says that `echo` is a verb.
  const verb = /^(?:all|an?|any|how|if|the|this|what|whether|which)$/.test(said[1] ?? '') ? said.slice(0, 1) : [];
  return { words, said, acts: words.filter((word, at) => isAct(word, at === 0) || isAmong(word, verb)) };
};

/** Whether an act does more than to look. */
const isDeed = (act: string): boolean => !isLight(act) && (!isLook(act) || isDecisive(act));

const isVerbAt = (said: readonly string[], at: number): boolean =>
  at === 0 || /^(?:and|or|then|to)$/.test(said[at - 1] ?? '');

/** Whether a description tells of a word in another tool's name. A verb is told as one: not `plan` by "Applies the plan". */
const isTold = (word: string, own: ToolWords, { said }: ToolWords): boolean => {
  const isVerb = word === own.words[0] && (own.acts.includes(word) || isDecisive(word));
  const verbs = said.filter((_, at) => isVerbAt(said, at));
  return isAmong(word, isVerb ? verbs : said) || (isLook(word) && !isDecisive(word) && verbs.some(isLook));
};

/** The words of each name that the other has not, except verbs for the same act. */
const differing = (before: ToolWords, after: ToolWords): [lost: string[], came: string[]] => {
  const lacking = (one: ToolWords, other: ToolWords): string[] =>
    one.words.filter((word) => !isAmong(word, other.words));
  const [lost, came] = [lacking(before, after), lacking(after, before)];
  const without = (some: readonly string[], others: readonly string[]): string[] =>
    some.filter((word) => !others.some((other) => areSameAct(word, other)));
  return [without(lost, came), without(came, lost)];
};

const JOINS = /^(?:an?|and|as|at|for|from|in|of|on|or|the|to|with)$/;

/** The last of the things that a name speaks of: a session, in `delete_user_session`. */
const thingOf = ({ words, acts }: ToolWords, onlyLooks: boolean): string | undefined => {
  const by = words.indexOf('by');
  return words
    .slice(0, by < 0 ? words.length : by)
    .filter((word) => !acts.includes(word) && !isDecisive(word) && !isWider(word) && !(onlyLooks && isShown(word)))
    .findLast((word) => !JOINS.test(word));
};

/** What a description says that a tool does, beyond looking: "Creates and sends a mail". */
const deedsOf = ({ said }: ToolWords): string[] =>
  said.filter((word, at) => isVerbAt(said, at) && isAct(word, true) && isDeed(word));

/** The words of a description that few others have. */
const subjectsOf = ({ said }: ToolWords): string[] => [
  ...new Set(said.filter((word, at) => !isAnyThing(word) && !isAct(word, isVerbAt(said, at)))),
];

/** Whether two descriptions tell of different acts or things. */
const tellOther = (before: ToolWords, after: ToolWords): boolean => {
  const isNew = (deed: string, other: ToolWords): boolean =>
    !isAmong(deed, [...other.said, ...other.words]) &&
    ![...other.acts, ...other.said.slice(0, 1)].some((act) => areSameAct(act, deed));
  if (deedsOf(before).some((deed) => isNew(deed, after)) || deedsOf(after).some((deed) => isNew(deed, before)))
    return true;
  const [had, has] = [subjectsOf(before), subjectsOf(after)];
  const [few, many] = had.length < has.length ? [had, has] : [has, had];
  return few.filter((word) => isAmong(word, many)).length * 2 < few.length;
};

/**
 * Whether two tools do different things: `delete_user` and `soft_delete_user`, `cancel_order` and `order`, `delete_comment` and
 * `delete_comment_reaction`. The names of one tool differ by words that cannot change what it does.
 */
export const doOther = (old: Contract, now: Contract): boolean => {
  const [had, has] = [nameWords(old.name), nameWords(now.name)];
  if (had.join('') === has.join('')) return false;
  if (had.length > MOST_WORDS || has.length > MOST_WORDS) return true;
  const [before, after] = [toldOf(old), toldOf(now)];
  if (areUnlike([old.name, now.name], [before.said.join(' '), after.said.join(' ')])) return true;
  const areSaidAlike = old.description?.trim() === now.description?.trim();
  /** Whether one description is said of both, and of few other tools. */
  const isSaid = areSaidAlike && subjectsOf(before).length > 0;
  const [lost, came] = differing(before, after);
  const acts = [...before.acts, ...after.acts];
  const onlyLooks = acts.some(isLook) && !acts.some(isDeed);
  const actsIn = (words: readonly string[], { acts }: ToolWords): string[] =>
    words.filter((word) => acts.includes(word));
  const [lostActs, cameActs] = [actsIn(lost, before), actsIn(came, after)];
  const isExchanged = lostActs.length > 0 && cameActs.length > 0;
  // "Pauses a job until it is resumed", of `pause_job` and `suspend_job`
  const isExplained = isExchanged && isSaid && [...lostActs, ...cameActs].some((act) => isAmong(act, before.said));
  const changesAct = (word: string, own: ToolWords, told: ToolWords): boolean => {
    if (isTold(word, own, told)) return false;
    if (isDecisive(word) || (isWider(word) && !onlyLooks)) return true;
    if (!own.acts.includes(word) || isExplained) return false;
    return isExchanged || (!isLight(word) && (!isLook(word) || (acts.some(isDeed) && !isSaid)));
  };
  if (lost.some((word) => changesAct(word, before, after)) || came.some((word) => changesAct(word, after, before)))
    return true;
  const isKin = acts.length > 0 || before.words.some((word) => isAmong(word, after.words));
  if (isKin && !isSaid && lost.length > 0 && came.length > 0) return true;
  const [thing, other] = [thingOf(before, onlyLooks), thingOf(after, onlyLooks)];
  if (isKin && thing !== undefined && other !== undefined) {
    const known = [isAmong(thing, [...after.words, ...after.said]), isAmong(other, [...before.words, ...before.said])];
    if (isSaid ? !known.includes(true) : known.includes(false)) return true;
  }
  return !areSaidAlike && lost.length + came.length > 0 && tellOther(before, after);
};
