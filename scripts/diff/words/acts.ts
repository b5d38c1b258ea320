// What a tool's description says that the tool does.
import { nameWords } from '../name-words.ts';
import { areMostKept, firstStatement, isWord, withoutForms } from './differing.ts';
import { stem } from './opposites.ts';
import type { Token } from './tokens.ts';

/**
 * Verbs that are nouns as well, as "posts" and "charges" are, and verbs that act in a smaller way. They say what a tool does
 * where they begin its description, or where something follows that they are done to: "and charges the card".
 */
const LESSER_ACTS: ReadonlySet<string> = new Set(
  `alert archive bill book cancel charge close copy deploy email file forward install invite lock log mark move notify order post
  page reboot refund release reserve reset restart share sign transfer trigger unlock withdraw`
    .split(/\s+/)
    .map(stem),
);
export const isLesserAct = (verb: string): boolean => LESSER_ACTS.has(stem(verb));

/** "and archives the notes", "and sign out the others" */
const AND_DOES =
  /\b(?:and|then)\s+(?:[a-z]+ly\s+)?([a-z]+)(?:\s+(?:away|back|down|off|out|over|up))?\s+(?:it|them|the|those|an?|all|any|each|every|everyone|this|these|your|their)\b/gi;
/** Words that stand there, too, and are no verbs: "and all the files". */
const NO_VERB =
  /^(?:after|all|also|any|are|as|at|before|both|by|during|each|every|for|from|has|have|if|in|into|is|its|not|of|on|only|or|other|over|some|that|their|through|to|under|until|when|where|whether|which|while|with|within|without)$/;
/** Verbs that are no nouns, so that anything may follow: "and notifies watchers". */
const NO_NOUNS =
  'cancel|deactivate|deploy|disable|discard|invalidate|invite|notifie|overwrite|reboot|reserve|restart|terminate|uninstall|unlink|unpublish|withdraw';
const AND_ACTS = new RegExp(String.raw`\b(?:and|then)\s+(?:[a-z]+ly\s+)?((?:${NO_NOUNS})s)\s+[a-z]`, 'gi');
/** Nor are these, with the word behind them: "and shut down idle ones". */
const AND_ENDS =
  /\b(?:and|then)\s+(?:[a-z]+ly\s+)?(?=(?:cleans?\s+up|(?:kick|lock|log|sign|throw|wipe)s?\s+out|rolls?\s+back|(?:scale|shut|switch|take|tear|turn)(?:e?s)?\s+(?:down|off)|throws?\s+away)\s+[a-z])([a-z]+)/gi;
/** "Running jobs are cancelled.", not "jobs that are cancelled". */
const IS_DONE =
  /(?<!\b(?:if|it|that|when|whether|which|while|who)\s)\b(?:is|are|gets?)\s+(?:also\s+)?((?:alert|archiv|bill|cancell?|charg|clos|deploy|discard|email|install|invit|lock|notifi|pag|reboot|refund|reset|restart|transferr|trigger|unlock|withdraw)(?:ed|n)?)\b(?!\s+(?:if|when|unless|by)\b)/gi;
/** "This notifies the owner.", "Scenes may also lock doors.", "Adding a note pages the owner." */
const TOOL_DOES =
  /(?:^|[.!?\n]\s{1,5})(?:(?:it|this)(?: (?:action|call|command|operation|tool))?|the (?:call|tool)|[a-z]+ing (?:an?|the|it) ?[a-z]*|[a-z]+s(?= (?:also|may|will)))\s+(?:(?:also|automatically|can|may|then|will)\s+){0,3}([a-z]+)\s+[a-z]/gi;
/** A verb without its ending: "cancel" for "cancelled", "transfer" for "transferred". */
const rootOf = (verb: string): string => stem(verb).replace(/(?<=[lr])[lr]$/, '');
/** In characters. So far, any other verb behind "and" says what the tool does. */
const NEAR_START = 60;
const SENTENCE_ENDS = /[.!?](?=\s)|\n/;

/**
 * Whether a tool does something to something now that its old words do not speak of, in a few words more. Behind the first
 * sentence, "and copy the name" tells what the caller has to do.
 */
export const actsOn = (before: readonly Token[], text: string): boolean => {
  const first = SENTENCE_ENDS.exec(text)?.index ?? text.length;
  const isNew = (verb: string): boolean => !before.some(({ word }) => rootOf(word) === rootOf(verb));
  const found = (pattern: RegExp, where = text): string[] =>
    [...where.matchAll(pattern)].map(([, verb = '']) => verb.toLowerCase());
  if ([...found(AND_ACTS), ...found(IS_DONE), ...found(AND_ENDS, text.slice(0, first))].some(isNew)) return true;
  if (found(TOOL_DOES).some((verb) => (isLesserAct(verb) || ACTS.has(stem(verb))) && isNew(verb))) return true;
  return [...text.matchAll(AND_DOES)].some(({ 1: said = '', index }) => {
    const verb = said.toLowerCase();
    const isVerb =
      index <= Math.min(first, NEAR_START)
        ? !isLook(verb) && !NO_VERB.test(verb)
        : isLesserAct(verb) && (verb.endsWith('s') || index <= first);
    return isVerb && isNew(verb);
  });
};

/** Verbs of which none is a noun, too, as "posts" and "charges" are. */
const ACTS: ReadonlySet<string> = new Set(
  'buy delete destroy erase execute overwrite pay publish purge remove revoke send submit truncate wipe'
    .split(' ')
    .map(stem),
);

const isAct = ({ word, quoted }: Token): boolean => !quoted && ACTS.has(stem(word)) && !/(?:ed|ing)$/.test(word);

/**
 * Whether a verb says what a tool does: it is the first word, or stands beside another verb ("Reads and deletes"). Elsewhere it
 * ends in "s": "Send the whole name" tells what the caller has to do.
 */
const isDoing = (tokens: readonly Token[], at: number, verb = tokens[at]?.word): boolean => {
  const last = tokens[at - 1];
  if (last === undefined || /^(?:and|or|then)$/.test(last.word)) return true;
  if (tokens[at]?.parted || last.word === 'tool') return verb?.endsWith('s') === true;
  return last.word.endsWith('ly') && isDoing(tokens, at - 1, verb);
};

/** Whether a tool does something now that its old words, of which most are still there, do not speak of. */
export const doesMore = (before: readonly Token[], after: readonly Token[]): boolean => {
  const acts = after.filter((token, at) => isAct(token) && isDoing(after, at));
  return areMostKept(before, after) && withoutForms(acts, before).length > 0;
};

/** Verbs for the same act. A caller who was told that a tool manages something expects any of them. */
const SAME_ACTS: readonly ReadonlySet<string>[] = [
  'clear delete destroy discard drop erase manage purge remove revoke trash truncate unlink wipe',
  'deliver dispatch email forward mail manage notify post publish push reply send share submit upload',
  'book buy charge checkout manage order pay purchase',
  'call evaluate execute invoke manage perform process run',
  'manage overwrite replace rewrite',
].map((verbs) => new Set(verbs.split(' ').map(stem)));

/** Verbs with which the description of a tool begins that only looks, or tries. */
const LOOKS: ReadonlySet<string> = new Set(
  `analyze audit browse calculate check compare compute count describe detect display draft estimate examine explain fetch find
  get inspect list preview propose query quote read report retrieve return review scan search show simulate suggest summarize
  validate verify view`
    .split(/\s+/)
    .map(stem),
);
const isLook = (verb: string): boolean => LOOKS.has(stem(verb)) || ANSWERS.test(verb);
/** Verbs that tell what is answered, or what the caller does. */
const ANSWERS = /^(?:answer|give|include|look|output|print|provide|respond|return|use|wait)s?$/i;

/** And of one that changes something. "Create" and "run" are missing: tools that only look begin with them, too. */
const CHANGES: ReadonlySet<string> = new Set(
  `add apply approve assign block disable edit enable insert kill merge modify pin place push register reject rename replace reply
  rotate stop subscribe suspend terminate uninstall unlock update upload write`
    .split(/\s+/)
    .map(stem)
    .concat([...LESSER_ACTS], [...ACTS]),
);

/**
 * Whether a tool that only looked changes something now, or the other way round, by the verb that its description begins with.
 * @param named the words of its name
 */
const changesNow = (before: readonly Token[], after: readonly Token[], named: readonly string[]): boolean => {
  const isOf = (verbs: ReadonlySet<string>, token: Token | undefined): boolean =>
    token !== undefined && isWord(token) && verbs.has(stem(token.word));
  // "Finds and deletes the row" told it. "Drafts a reply" did not tell that it replies.
  const isTold = (verb: string, tokens: readonly Token[]): boolean =>
    named.some((word) => stem(word) === verb) ||
    tokens.some(({ word }, at) => stem(word) === verb && isDoing(tokens, at));
  const [had, has] = [before[0], after[0]];
  const [from, to] = [stem(had?.word ?? ''), stem(has?.word ?? '')];
  if (isOf(CHANGES, had)) return isOf(LOOKS, has) && !isTold(from, after);
  return isOf(LOOKS, had) && isOf(CHANGES, has) && !isTold(to, before);
};

/** Whether a rewritten description begins with a verb that acts, of which neither the old one nor the tool's name spoke. */
export const beginsToAct = (before: readonly Token[], after: readonly Token[], names: readonly string[]): boolean => {
  const named = names.flatMap(nameWords);
  const known = new Set([...before.map(({ word }) => word), ...named].map(stem));
  const isKnown = ({ word }: Token): boolean =>
    known.has(stem(word)) || SAME_ACTS.some((same) => same.has(stem(word)) && [...same].some((one) => known.has(one)));
  const first = after.slice(...firstStatement(after));
  return (
    changesNow(before.slice(firstStatement(before)[0]), after.slice(firstStatement(after)[0]), named) ||
    first.some((token, at) => isAct(token) && isDoing(first, at) && !isKnown(token))
  );
};

/** What makes a tool act on more than before, behind "and" or the like: "Delete a file and its versions". */
const MORE = /^(?:and|everything)$/;

/** Whether a tool that acts does so on more things now, by a few words that came into its first statement. */
export const actsOnMore = (after: readonly Token[], places: readonly number[]): boolean => {
  const [from, to] = firstStatement(after);
  const first = after[from];
  if (first === undefined || !isWord(first) || !CHANGES.has(stem(first.word))) return false;
  const isNew = new Set(places);
  return places.some((place) => {
    if (place <= from || place >= to) return false;
    const [token, next] = [after[place] as Token, after[place + 1]];
    const isOwn = next?.joining.has('it') || /^(?:all|everything|their)$/.test(next?.word ?? '');
    if (MORE.test(token.word)) return !isNew.has(place - 1) && next !== undefined && !isLook(next.word);
    return isNew.has(place + 1) && ((token.word === 'with' && isOwn) || (token.word === 'well' && next?.word === 'as'));
  });
};

/** Words for a part of the things that a tool acts on: without them, it acts on all. */
const CHOSEN = /^(?:chosen|desired|existing|given|listed|matching|particular|selected|specific|specified)$/;

/** Whether a tool that deletes or sends things does so now to others than the chosen ones: "Deletes matching rows". */
export const actsOnAll = (before: readonly Token[], went: readonly number[]): boolean => {
  const [from, to] = firstStatement(before);
  const first = before[from];
  if (first === undefined || !ACTS.has(stem(first.word))) return false;
  return went.some((place) => place > from && place < to && CHOSEN.test(before[place]?.word ?? ''));
};

/** Whether an address came to which a tool sends something: "Sends data to https://…". */
export const sendsElsewhere = (after: readonly Token[], places: readonly number[]): boolean =>
  places.some(
    (place) => /^https?:/i.test(after[place]?.text ?? '') && /^(?:through|to|via)$/.test(after[place - 1]?.word ?? ''),
  );
