// The meaningful parts of a text, in order: words, numbers, signs and names in code.

import { joiningForm, saysNothing } from './function-words.ts';
import { MEANING_WORDS } from './kinds.ts';
import { PATTERNS, withoutMarks } from './marks.ts';
import { partsOf, type TextPart } from './parts.ts';
import { endsStatement, isPause, joinsWords, partsWords } from './pauses.ts';
import { inOneForm, SWITCH } from './spelling.ts';
import { formsOf, type TokenForm, topicsOf } from './token-forms.ts';

export interface Token extends TokenForm {
  /** The joining words before it. */
  joining: ReadonlySet<string>;
  /** A pause parts it from the word before: a comma, a bracket, the end of a sentence. */
  parted?: true;
  /** A hyphen joins it to the word before: "wise" in "clock-wise". */
  joined?: true;
  /** It begins a statement, and an article or the like follows: "Filters the list". */
  verb?: true;
}

/** What a text says. */
export interface Words {
  tokens: readonly Token[];
  /** The joining words behind the last token. */
  ending: ReadonlySet<string>;
  /** It says what a switch does. */
  isOfSwitch: boolean;
}

/** What follows a verb, and never a noun: "Filters the list", not "Filters of the list". */
const BEHIND_VERB = /^(?:an?|the|all|any|each|every|this|these|your)$/;
/** Verbs with which descriptions begin, if what they act on follows. */
const OFTEN_VERB =
  /^(?:add|allow|convert|create|delete|download|enable|exclude|fetch|filter|find|generate|get|include|keep|list|open|read|remove|replace|retrieve|return|run|search|send|set|show|skip|start|stop|store|update|upload|use|write)(?:s|es)?$/;
/** What follows a noun, or a verb that says something else: "Filters for it", "Returns to it". */
const NOT_ACTED_ON = /^(?:and|are|as|at|by|for|from|if|in|into|is|of|on|or|out|per|that|to|up|when|which|with)$/;

const isVerb = ({ text, word, next, isSpaced }: TextPart): boolean => {
  if (!isSpaced || !/^(?!http)[A-Z]?[a-z]+$/.test(text)) return false;
  const behind = next.toLowerCase();
  return BEHIND_VERB.test(behind) || (OFTEN_VERB.test(word) && /^\p{L}/u.test(next) && !NOT_ACTED_ON.test(behind));
};

/** The end of a statement: "Do not delete. Archive" is not "Do not delete archive". */
const END: TokenForm = { text: '.', word: '.', quoted: false };

/** What stands between a token and the one before it. */
interface Between {
  joining: ReadonlySet<string>;
  parted?: true;
  joined?: true;
}

/** One for all: a set for each word of a long text takes more memory than its words. */
const NOTHING: Between = { joining: new Set() };

const afterPause = ({ joining, parted }: Between, pause: TextPart): Between => ({
  joining,
  ...((parted || partsWords(pause)) && { parted: true }),
  ...(joinsWords(pause) && { joined: true }),
});

const wordsIn = (text: string): Omit<Words, 'isOfSwitch'> => {
  const [topics, isOfPatterns] = [topicsOf(text), PATTERNS.test(text)];
  const tokens: Token[] = [];
  let between = NOTHING;
  const put = ({ text, word, quoted }: TokenForm, isVerb = false): void => {
    tokens.push({ text, word, quoted, ...between, ...(isVerb && { verb: true }) });
    between = NOTHING;
  };
  for (const part of partsOf(text)) {
    const begins = tokens.length === 0 || tokens.at(-1)?.text === '.';
    if (isPause(part, isOfPatterns)) {
      // It parts nothing behind an example that is left out, or behind "Optional", which only joins.
      if (!begins && endsStatement(part)) put(END);
      between = afterPause(between, part);
      continue;
    }
    // An example is one of many.
    if (part.inExample && !MEANING_WORDS.has(part.word)) continue;
    if (saysNothing(part, tokens, between.parted === true)) continue;
    const joining = joiningForm(part, tokens);
    if (joining !== undefined) between = { ...between, joining: new Set([...between.joining, joining]) };
    else for (const form of formsOf(part, topics)) put(form, begins && isVerb(part));
  }
  // An example that a text ends with is left out as well.
  if (tokens.at(-1)?.text === '.') tokens.pop();
  return { tokens, ending: between.joining };
};

/** Tools of one server describe many parameters in the same words, and a description is compared in several ways. */
let known = new Map<string, Words>();
/** In characters of all texts, and of one. */
const MOST_KNOWN = 400_000;
const LONGEST_KNOWN = 20_000;
let lengthKnown = 0;

export const wordsOf = (text: string): Words => {
  const found = known.get(text);
  if (found !== undefined) return found;
  if (lengthKnown >= MOST_KNOWN) [known, lengthKnown] = [new Map(), 0];
  const plain = withoutMarks(text);
  const words = { ...wordsIn(inOneForm(plain)), isOfSwitch: SWITCH.test(plain) };
  if (text.length > LONGEST_KNOWN) return words;
  known.set(text, words);
  lengthKnown += text.length;
  return words;
};
