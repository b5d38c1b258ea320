import { CommandError } from '../command/command.ts';

const SHELL_ONLY = new Set(['|', '&', ';', '<', '>', '`', '$', '(', ')', '\n']);
const HINT = 'no shell runs it: put it into a script, or pipe it: … | konnichiwagwan mcp-validate --manifest -';

const refuse = (what: string): CommandError => new CommandError('usage', `--manifest-command ${what}`, HINT);

/**
 * Splits a command line into words, with the quoting of a POSIX shell but without its other syntax, which is refused
 * instead of being passed on.
 * @param backslash whether `\` escapes the next character; on Windows it is part of paths
 * @throws CommandError
 */
export const splitCommand = (text: string, backslash = process.platform !== 'win32'): string[] => {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '\0') throw refuse('holds a NUL character');
    if (quote === "'") {
      if (char === quote) quote = '';
      else word += char;
    } else if (char === '\\' && backslash && (quote === '' || '"\\$`'.includes(text[at + 1] ?? ' '))) {
      if (++at >= text.length) throw refuse('ends in a backslash');
      word = (word ?? '') + text[at];
    } else if (quote === '"' && char === quote) quote = '';
    else if (char === '$' || char === '`') throw refuse(`holds ${char}, which only a shell understands`);
    else if (quote !== '') word += char;
    else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (SHELL_ONLY.has(char)) throw refuse(`holds ${JSON.stringify(char)}, which only a shell understands`);
    else if (char === ' ' || char === '\t') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (quote !== '') throw refuse(`has a ${quote} that does not end`);
  if (word !== undefined) words.push(word);
  if (words.length === 0 || words[0] === '') throw refuse('is empty');
  return words;
};
