// Whether the same words are joined, parted or grouped in another way.
import { kindOf } from './kinds.ts';
import type { Token, Words } from './tokens.ts';

const isWithin = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  [...one].every((word) => other.has(word));

/** Words that say of a verb that it is possible, or depends on something. */
const MOODS: readonly string[] = ['can', 'would'];
const isMoodChanged = (had: ReadonlySet<string>, has: ReadonlySet<string>): boolean =>
  MOODS.some((word) => had.has(word) !== has.has(word));
/** What says that something else depends on the verb: "if it can be paid" is not "if it is paid". */
const DEPENDS = /^(?:if|when|whether)$/;
/** How far before a verb that is looked for, in words. */
const STATEMENT = 50;
/** Of a tool, "that can find" says no more than "that finds". */
const TOOLS = /^(?:apis?|commands?|functions?|methods?|servers?|tools?|utilit(?:y|ies))$/;
/** What can be found, is found. */
const EITHER_WAY =
  /^(?:accessed|configured|fetched|found|given|listed|obtained|passed|provided|queried|read|retrieved|seen|set|specified|supplied|used|viewed)$/;
/** Verbs of what was done: "modified", "sent". */
const PARTICIPLE =
  /^(?!need)(?:[a-z]{2,}ed|bought|built|given|kept|made|paid|read|seen|sent|set|shown|sold|taken|written)$/;
/** Verbs of what the caller gave: "the name specified" and "the name you specified" are the same. */
const BY_CALLER =
  /^(?:chosen|entered|given|passed|picked|provided|queried|requested|searched|selected|specified|supplied|used|wanted)$/;
const PEOPLE: readonly string[] = ['you', 'we', 'they'];

/** Whether it says now who did something, or no longer does: "events created" and "events you created". */
const isOfOthers = (had: ReadonlySet<string>, has: ReadonlySet<string>, verb: Token | undefined): boolean =>
  PARTICIPLE.test(verb?.word ?? '') &&
  !BY_CALLER.test(verb?.word ?? '') &&
  [had, has].every((gap) => !gap.has('be')) &&
  PEOPLE.some((word) => had.has(word)) !== PEOPLE.some((word) => has.has(word));

/** Whether something that is done could be done, or would be: "it would be charged" and "it is charged". */
const isDoneOtherwise = (had: ReadonlySet<string>, has: ReadonlySet<string>, verb: Token | undefined): boolean =>
  isMoodChanged(had, has) &&
  PARTICIPLE.test(verb?.word ?? '') &&
  !EITHER_WAY.test(verb?.word ?? '') &&
  // "The rows deleted" and "the rows that would be deleted".
  ([had, has].every((gap) => gap.has('be')) || had.has('would') !== has.has('would'));

/**
 * Whether a condition is now about what is, and was about what may be, or the other way round. "Those that can be merged" are
 * not "those that are merged" either.
 */
const isOtherMood = (
  had: ReadonlySet<string>,
  has: ReadonlySet<string>,
  { last, verb, depends }: { last: readonly Token[]; verb: Token | undefined; depends: boolean },
): boolean => {
  if (had.size === 0 || has.size === 0 || !isMoodChanged(had, has)) return false;
  const statement = last.slice(last.map(({ text }) => text).lastIndexOf('.') + 1);
  const isOfWhich = had.has('that') && has.has('that') && !TOOLS.test(statement.at(-1)?.word ?? '');
  if (isOfWhich && !EITHER_WAY.test(verb?.word ?? '')) return true;
  return depends || statement.some(({ word }) => DEPENDS.test(word));
};

/** With these words, "also" says nothing more: "Also include drafts". */
const ADDS = /^(?:add|append|include)/;

/**
 * The joining words of the new text at each gap between tokens that both texts have, and the gaps in which others came.
 * @param came the positions of the tokens that the old text has not; their joining words count with those around them
 */
const gapsOf = ({ tokens, ending }: Words, came: readonly number[]): { gaps: Set<string>[]; grown: Set<number> } => {
  const isNew = new Set(came);
  const gaps: Set<string>[] = [new Set()];
  const grown = new Set<number>();
  for (const [at, { joining }] of tokens.entries()) {
    for (const word of joining) gaps.at(-1)?.add(word);
    if (isNew.has(at)) grown.add(gaps.length - 1);
    else gaps.push(new Set());
  }
  for (const word of ending) gaps.at(-1)?.add(word);
  return { gaps, grown };
};

/** Whether a joining word took the place of another one, or changes what a verb says, between tokens that both texts have. */
export const isJoinedAnew = (before: Words, after: Words, came: readonly number[]): boolean => {
  const { gaps, grown } = gapsOf(after, came);
  const old = [...before.tokens.map(({ joining }) => joining), before.ending];
  const depends = before.isOfSwitch || after.isOfSwitch;
  return gaps.some((has, index) => {
    const had = old[index] as ReadonlySet<string>;
    if (!isWithin(had, has) && !isWithin(has, had)) return true;
    if (grown.has(index)) return false;
    const verb = before.tokens[index];
    // The "source branch" is not the "source of the branch".
    const role = verb && before.tokens[index - 1];
    if (role !== undefined && kindOf(role) === 'direction' && had.has('of') !== has.has('of')) return true;
    if (index === 0 && had.has('also') !== has.has('also') && !ADDS.test(verb?.word ?? '')) return true;
    const last = before.tokens.slice(Math.max(0, index - STATEMENT), index);
    return (
      isOtherMood(had, has, { last, verb, depends }) || isDoneOtherwise(had, has, verb) || isOfOthers(had, has, verb)
    );
  });
};

/** The words of a text in groups, as its brackets part them. */
const inBrackets = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}()]+/gu, ' ')
    .trim()
    .split(/ ?([()]) ?/);

/** Brackets that tell how far a word reaches: "(except logs) and folders", "new or (late and unpaid)". */
const HOLDS_REACH =
  /\([^()]{0,200}\b(?:and|except|if|no|not|only|or|unless|without)\b[^()]{0,200}\),? (?:and|or)\b|\b(?:and|or) \([^()]{0,200} (?:and|or) [^()]{0,200}\)/i;

/** A comma does the same: "files not in use, and folders". */
const ENDS_REACH = /\b(?:except|not|unless|without)\b[^,.;()\n]{0,200}, (?:and|or)\b/i;

/** Whether brackets, or the comma that ends an exception, hold other parts of the same words, or do so in one text alone. */
export const isGroupedAnew = (before: string, after: string): boolean => {
  const [had, has] = [inBrackets(before), inBrackets(after)];
  const words = (groups: readonly string[]): string =>
    groups
      .filter((one) => !/^[()]?$/.test(one))
      .join(' ')
      .trim();
  if (words(had) !== words(has)) return false;
  if (had.join() === has.join()) return ENDS_REACH.test(before) !== ENDS_REACH.test(after);
  return (had.length > 1 && has.length > 1) || HOLDS_REACH.test(had.length > 1 ? before : after);
};

/** Words whose reach a comma or a bracket tells. */
const REACHES = /^(?:and|or|not|no|never|without|except|only|unless|if)$/;

/**
 * Whether the same words are parted at other places: "drafts (not posts) or pages" and "drafts (not posts or pages)". Where
 * one text has no such marks, they only shape it.
 */
export const isPartedAnew = (before: readonly Token[], after: readonly Token[]): boolean => {
  if (before.length !== after.length || !before.some(({ word }) => REACHES.test(word))) return false;
  const moved = (one: readonly Token[], other: readonly Token[]): boolean =>
    one.some(({ parted }, at) => parted === true && other[at]?.parted === undefined);
  return moved(before, after) && moved(after, before);
};

/** What follows is the form of a value: two to five names, and what parts them. */
const IN_FORM =
  /(?<!\b(?:such|well|same) )\b(?:as|like|format|form|formatted|written)[: ]{1,3}((?:\w{1,40}\W{1,3}){1,4}\w{1,40})\s{0,3}(?=[.;\n]|$)/gi;
/** With these words it is no more than a phrase: "as a list, comma-separated". */
const IN_WORDS = /\b(?:an?|and|array|json|list|object|optional|or|required|string|text|the)\b/;

/** What parts two names. Brackets and quotes part nothing here, nor do signs inside of a word: "comma-separated". */
const separator = (between: string): string => (/["'`()]|^[-/]$/.test(between) ? '' : between.trim());

/** Whether names in the form of a value are parted by another sign: "as lat, lon" and "as lat lon". */
export const isSeparatedAnew = (before: string, after: string): boolean => {
  const forms = (text: string): { names: string; signs: string }[] =>
    [...text.toLowerCase().matchAll(IN_FORM)].map(([, form = '']) => ({
      names: form.split(/\W+/).join(' '),
      signs: form.split(/\w+/).map(separator).join(' '),
    }));
  const has = forms(after);
  return forms(before).some(({ names, signs }, at) => {
    const now = has[at];
    return now !== undefined && now.names === names && now.signs !== signs && !IN_WORDS.test(names);
  });
};
