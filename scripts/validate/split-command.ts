import { CommandError } from '../command/command.ts';

const SHELL_ONLY: ReadonlySet<string> = new Set(['|', '&', ';', '<', '>', '`', '$', '(', ')', '\n']);
/** These mean something to a shell in double quotes as well. */
const EXPANDED: ReadonlySet<string> = new Set(['`', '$']);
const NOTHING: ReadonlySet<string> = new Set();
const HINT = 'no shell runs it: put it into a script, or pipe it: … | konnichiwagwan mcp-validate --manifest -';

const refuse = (what: string): CommandError => new CommandError('usage', `--manifest-command ${what}`, HINT);

const unlessRefused = (char: string, refused: ReadonlySet<string>): string => {
  if (char === '\0') throw refuse('holds a NUL character');
  if (!refused.has(char)) return char;
  throw refuse(`holds ${EXPANDED.has(char) ? char : JSON.stringify(char)}, which only a shell understands`);
};

/** What stands in the quotes that begin at a place, and where they end. */
const quotedFrom = (text: string, begin: number, backslash: boolean): { value: string; end: number } => {
  const quote = text[begin] as string;
  let value = '';
  for (let at = begin + 1; at < text.length; at++) {
    const char = text[at] as string;
    if (char === quote) return { value, end: at };
    const isEscape = quote === '"' && char === '\\' && backslash && '"\\$`'.includes(text[at + 1] ?? ' ');
    value += isEscape ? text[++at] : unlessRefused(char, quote === '"' ? EXPANDED : NOTHING);
  }
  throw refuse(`has a ${quote} that does not end`);
};

/**
 * Splits a command line into words, with the quoting of a POSIX shell but without its other syntax, which is refused
 * instead of being passed on.
 * @param backslash whether `\` escapes the next character; on Windows it is part of paths
 * @throws CommandError
 */
export const splitCommand = (text: string, backslash = process.platform !== 'win32'): string[] => {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char === ' ' || char === '\t') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === '"' || char === "'") {
      const { value, end } = quotedFrom(text, at, backslash);
      word = (word ?? '') + value;
      at = end;
    } else if (char === '\\' && backslash) {
      if (++at >= text.length) throw refuse('ends in a backslash');
      word = (word ?? '') + text[at];
    } else word = (word ?? '') + unlessRefused(char, SHELL_ONLY);
  }
  if (word !== undefined) words.push(word);
  if (words.length === 0 || words[0] === '') throw refuse('is empty');
  return words;
};
