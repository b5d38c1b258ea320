// What a tool's description says that the tool does.
import { nameWords } from '../name-words.ts';
import { areMostKept, firstStatement, isPreposition, isWord, withoutForms } from './differing.ts';
import { stem } from './opposites.ts';
import type { Token } from './tokens.ts';

/**
 * Verbs that are nouns as well, as "posts" and "charges" are, and verbs that act in a smaller way. They say what a tool does
 * where they begin its description, or where something follows that they are done to: "and charges the card".
 */
const LESSER_ACTS: ReadonlySet<string> = new Set(
  `alert archive ban bill book cancel charge close copy deploy dispatch email file forward install invite lock log mail mark move
  notify order post page queue reboot refund release reserve reset restart share ship sign transfer trigger unlock withdraw`
    .split(/\s+/)
    .map(stem),
);
export const isLesserAct = (verb: string): boolean => LESSER_ACTS.has(stem(verb));

/** "and archives the notes", "and sign out the others" */
const AND_DOES =
  /\b(?:and|then)\s+(?:[a-z]+ly\s+)?([a-z]+)(?:\s+(?:away|back|down|off|out|over|up))?\s+(?:it|them|the|those|an?|all|any|each|every|everyone|this|these|your|its|their)\b/gi;
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
  /(?<!\b(?:if|it|that|when|whether|which|while|who)\s)\b(?:is|are|gets?)\s+(?:also\s+)?((?:alert|archiv|bill|cancell?|charg|clos|deploy|detach|discard|dropp|email|install|invit|lock|merg|mov|notifi|overwritte|pag|reboot|refund|reset|restart|revok|shar|suspend|terminat|transferr|trigger|unlock|unpublish|withdraw)(?:ed|n)?)\b(?!\s+(?:if|when|unless|by)\b)/gi;
/** "This notifies the owner.", "Scenes may also lock doors.", "Adding a note pages the owner." */
const TOOL_DOES =
  /(?:^|[.!?\n]\s{1,5})(?:(?:it|this)(?: (?:action|call|command|operation|tool))?|the (?:call|tool)|[a-z]+ing (?:an?|the|it) ?[a-z]*|[a-z]+s(?= (?:also|may|will)))\s+(?:(?:also|automatically|can|may|then|will)\s+){0,3}([a-z]+)\s+[a-z]/gi;
/** "The server restarts afterwards." */
const THING_DOES =
  /(?:^|[.!?\n]\s{1,5})the [a-z]+(?: [a-z]+)? (?:(?:also|automatically|then|will) ){0,2}(close|lock|reboot|reset|restart|shut|stop|terminate)s?(?: down)?(?=[.!]|$| (?:after(?:wards)?|and|at|before|first|for|in|once|then|while)\b)/gi;
/** "Locks the table.", "Overwrites newer rows.", not "Locks are listed." */
const SENTENCE_DOES =
  /[.!?\n]\s{1,5}(?:(?:also|automatically|then)\s+)?([a-z]+s)\s+(?!(?:and|are|as|at|by|can|for|from|have|in|is|may|must|of|on|or|should|that|to|were|which|will|with)\b)([a-z]+)/gi;
const BEFORE_NOUN = /^(?:all|an?|any|each|every|it|its|the|their|them|these|this|those|your)$/i;
/** A verb without its ending: "cancel" for "cancelled", "ship" for "shipped". */
const rootOf = (verb: string): string =>
  stem(verb.replace(/^paid$/, 'pay').replace(/^sent$/, 'send')).replace(/(?<=([lprt]))\1$/, '');
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
  if (found(THING_DOES).some(isNew)) return true;
  const does = ([, verb = '', next = '']: RegExpMatchArray): boolean =>
    changes(verb) && (BEFORE_NOUN.test(next) || !(isLesserAct(verb) || NOUNS.test(verb))) && isNew(verb);
  if ([...text.toLowerCase().matchAll(SENTENCE_DOES)].some(does)) return true;
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

/**
 * Verbs for the same act, one row for each. A caller who was told that a tool manages something expects any of them. Verbs of
 * ACTS stand beside such alone as go as far.
 */
const SAME_ACTS: readonly ReadonlySet<string>[] = [
  'clear delete destroy discard drop erase manage purge remove revoke trash truncate uninstall unlink wipe',
  'deliver dispatch email forward mail manage notify post publish push reply send share submit upload',
  'alert notify page warn',
  'book buy charge checkout manage order pay purchase',
  'call evaluate execute invoke launch manage perform process run start trigger',
  'manage overwrite replace rewrite',
  `add append apply attach book compose create draft file generate insert install log make manage open place put record register
  save schedule set start store subscribe upload write`,
  'add answer comment create manage post reply respond write',
  'apply change edit manage modify move patch put rename replace rewrite save set transfer transition update write',
  'abort cancel close disconnect end finish kill manage quit shut stop terminate',
  'ban block close deactivate disable lock manage suspend',
  'deactivate disable manage pause stop suspend',
  'add apply assign attach close complete dismiss edit finish label manage mark modify pin resolve set tag update',
  'activate enable install manage open resume set start switch turn unblock unlock',
  'clone copy create duplicate fork manage',
  'accept approve confirm manage sign',
  'add allow give grant invite manage share',
  'manage reboot reload reset restart restore revert start',
  'book create make manage order place request reserve schedule',
  'combine join manage merge',
  'create deploy install launch manage push release roll ship start update',
  'archive manage move relocate store transfer transition',
  'authenticate connect log login sign',
  'decline deny manage refuse reject',
  'refund return reverse',
].map((verbs) => new Set(verbs.split(/\s+/).map(rootOf)));

/** Verbs with which the description of a tool begins that only looks, or tries. */
const LOOKS: ReadonlySet<string> = new Set(
  `analyze audit browse calculate check compare compute count describe detect display draft estimate examine explain fetch find
  get identify inspect list look preview propose query quote read report retrieve return review scan search show simulate suggest
  summarize tell validate verify view`
    .split(/\s+/)
    .map(stem),
);
export const isLook = (verb: string): boolean => LOOKS.has(stem(verb)) || ANSWERS.test(verb);
/** Verbs that tell what is answered, or what the caller does. */
const ANSWERS =
  /^(?:answer|figure|give|include|look|output|point|print|provide|respond|return|rule|spell|use|wait|work)s?$/i;

/** And of one that changes something. "Create" and "run" are missing: tools that only look begin with them, too. */
const CHANGES: ReadonlySet<string> = new Set(
  `add apply approve assign attach block commit deactivate deliver disable discard drop edit empty enable grant import insert
  invalidate kill merge modify pin place push register reject rename replace reply restore rotate schedule stop subscribe suspend
  terminate uninstall unlink unlock unpublish update upload write`
    .split(/\s+/)
    .map(stem)
    .concat([...LESSER_ACTS], [...ACTS]),
);

/** What is only answered, though a tool is said to create it. */
const ANSWERED =
  /^(?:analys[ei]s|charts?|comparison|description|diagrams?|digest|drafts?|embeddings?|estimate|explanation|outline|overview|pictures?|plots?|previews?|quer(?:y|ies)|quote|reports?|route|screenshots?|search|summar(?:y|ies)|thumbnails?|translations?|visuali[sz]ations?)$/;
/** How many words behind "create" may name what it creates. */
const LONGEST_NAME = 6;

const createsThing = (statement: readonly Token[]): boolean => {
  if (stem(statement[0]?.word ?? '') !== 'creat') return false;
  const name = statement.slice(1, LONGEST_NAME);
  const end = name.findIndex((token) => isPreposition(token) || token.parted || token.joining.size > 0);
  return !name.slice(0, end < 0 ? name.length : end).some(({ word }) => ANSWERED.test(word));
};

/** Whether a statement begins with a verb that changes something: "Schedules trains", not "Schedule of trains". */
const changesFirst = (statement: readonly Token[]): boolean => {
  const [first, next] = statement;
  if (first === undefined || !isWord(first) || next?.joining.has('of')) return false;
  return CHANGES.has(stem(first.word)) || createsThing(statement);
};

/**
 * Whether a tool that only looked changes something now, or the other way round, by the verb that its description begins with.
 * @param named the words of its name
 */
const changesNow = (before: readonly Token[], after: readonly Token[], named: readonly string[]): boolean => {
  const looks = ([first]: readonly Token[]): boolean =>
    first !== undefined && isWord(first) && LOOKS.has(stem(first.word));
  // "Finds and deletes the row" told it. "Drafts a reply" did not tell that it replies.
  const isTold = (verb: string, tokens: readonly Token[]): boolean =>
    named.some((word) => stem(word) === verb) ||
    tokens.some(({ word }, at) => stem(word) === verb && isDoing(tokens, at));
  const [from, to] = [stem(before[0]?.word ?? ''), stem(after[0]?.word ?? '')];
  if (changesFirst(before)) return looks(after) && !isTold(from, after);
  return looks(before) && changesFirst(after) && !isTold(to, before);
};

/** Verbs that reach other people and places, or end something, wherever a text says that this is done. */
const GOES_FAR: ReadonlySet<string> = new Set(
  `alert ban bill cancel charge deliver deploy dispatch email forward install invite lock mail notify post reboot refund reset
  restart share ship terminate transfer trigger upload withdraw`
    .split(/\s+/)
    .map(rootOf)
    .concat([...ACTS].map(rootOf)),
);
/** "; its rows are mailed to readers", not "whether it was sent", "what is posted" or "is sent as JSON". */
const ARE_DONE =
  /(?<!\b(?:after|as|because|before|how|if|once|that|until|what|when|where|whether|which|while|who|whose)\b[^.;\n]{0,60})\b(?:is|are|gets?)\s+(?:(?:also|then)\s+)?([a-z]+ed|overwritten|paid|reset|sent)\b(?!\s+(?:as|back|if|unless|when)\b)/gi;
/** Of these, what no call can take back, wherever it is told: "Other files are deleted." */
const DESTROYED = /^(?:delet|destroy|dropp|eras|purg|truncat|wip)/;
/** Of the verbs behind "and", those that also say how an answer is made. */
const OF_ANSWER = /^(?:appl(?:y|ies)|merges?|orders?|places?)$/;

/** Whether a verb that a text says is done changes something. */
const changes = (verb: string): boolean => (CHANGES.has(stem(verb)) || stem(verb) === 'creat') && !OF_ANSWER.test(verb);

/** Verbs that are as often nouns or adjectives: "page index". */
const NOUNS =
  /^(?:alert|answer|bill|book|charge|comment|copy|draft|email|empty|file|fork|label|log|mail|mark|open|order|page|place|post|queue|record|release|reply|request|schedule|set|share|store|tag)s?$/;

const isSameAct = (verb: string, acts: ReadonlySet<string>): boolean =>
  SAME_ACTS.some((same) => same.has(rootOf(verb)) && [...same].some((one) => acts.has(one)));

const rootsOf = (tokens: readonly Token[], named: readonly string[]): ReadonlySet<string> =>
  new Set([...tokens.map(({ word }) => word), ...named].map(rootOf));

/** Says whether the words of a description, or the name of its tool, tell of an act. */
const tellsAct = (tokens: readonly Token[], named: readonly string[]): ((verb: string) => boolean) => {
  const roots = [...rootsOf(tokens, named)];
  // "Converts a file" does not tell that it files something.
  const isVerb = (word: string, isAct: boolean): boolean => isAct || !(isLesserAct(word) || NOUNS.test(word));
  const acts = rootsOf(
    tokens.filter(({ word }, at) => isVerb(word, isDoing(tokens, at))),
    named.filter((word, at) => isVerb(word, at === 0)),
  );
  // "Makes a reservation" tells that it reserves something.
  const isIn = (root: string) => (word: string) => word === root || (root.length > 4 && word.startsWith(root));
  return (verb) => roots.some(isIn(rootOf(verb))) || isSameAct(verb, acts);
};

/** Acts that may be told without their verb: "Toggles a light" and "Updates the state of a light". */
const MILD: ReadonlySet<string> = new Set(
  'add apply assign attach create edit enable insert merge modify pin place register rename replace update write'
    .split(' ')
    .map(stem),
);

/** Whether a rewritten description begins with another act, of which the old one and the tool's name do not tell. */
const beginsOtherwise = (before: readonly Token[], after: readonly Token[], named: readonly string[]): boolean => {
  const [old, now] = [before, after].map((tokens) => tokens.slice(firstStatement(tokens)[0])) as [Token[], Token[]];
  if (changesNow(old, now, named)) return true;
  const [{ word: was = '' }, { word: is = '' }] = [old[0] ?? {}, now[0] ?? {}];
  const acts = (tokens: readonly Token[]): boolean =>
    changesFirst(tokens) && (tokens[0]?.verb === true || !NOUNS.test(tokens[0]?.word ?? ''));
  const [changed, changes] = [acts(old), acts(now)];
  // Those of ACTS count wherever they stand in the first statement.
  const isOther = changes && !ACTS.has(stem(is)) && (changed || !MILD.has(stem(is)));
  if (isOther && !tellsAct(before, named)(is)) return true;
  const has = rootsOf(after, named);
  const isGone = changed && !MILD.has(stem(was)) && !isSameAct(was, has);
  return isGone && ![...has].some((word) => word.startsWith(rootOf(was)));
};

/** Whether a rewritten description tells of other acts than the old one, of which the tool's name does not speak. */
export const doesOtherwise = (
  before: readonly Token[],
  after: readonly Token[],
  text: string,
  names: readonly string[],
): boolean => {
  const named = names.flatMap(nameWords);
  const known = rootsOf(before, named);
  const isKnown = ({ word }: Token): boolean => known.has(rootOf(word)) || isSameAct(word, known);
  const first = after.slice(...firstStatement(after));
  if (first.some((token, at) => isAct(token) && isDoing(first, at) && !isKnown(token))) return true;
  if (beginsOtherwise(before, after, named)) return true;

  const isTold = tellsAct(before, named);
  const tells = (pattern: RegExp, where: string, isMeant: (verb: string) => boolean): boolean =>
    [...new Set([...where.matchAll(pattern)].map(([, verb = '']) => verb.toLowerCase()))].some(
      (verb) => isMeant(verb) && !isTold(verb),
    );
  const goesFar = (verb: string): boolean => GOES_FAR.has(rootOf(verb));
  const said = text.slice(0, SENTENCE_ENDS.exec(text)?.index);
  return (
    tells(AND_DOES, said, changes) ||
    tells(AND_ENDS, said, () => true) ||
    tells(ARE_DONE, said, goesFar) ||
    tells(ARE_DONE, text, (verb) => DESTROYED.test(verb)) ||
    tells(THING_DOES, text, () => true) ||
    tells(TOOL_DOES, text, goesFar)
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
