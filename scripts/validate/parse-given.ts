import { CommandError } from '../command/command.ts';
import { parseBounded } from '../contract/read.ts';
import type { Json } from '../contract/types.ts';
import { quoteText } from '../text/quote.ts';

/**
 * Parses JSON from a file or a program.
 * @param what how the user named it
 * @throws CommandError if it is not JSON, too large or too deep
 */
export const parseGiven = (text: string, what: string): Json => {
  try {
    return parseBounded(text);
  } catch (error) {
    // The parser's message starts with the place, which is always the whole text here.
    const why = (error as Error).message.replace(/^\/: /, '');
    throw new CommandError('not-json', `${quoteText(what, 160)} ${why}`, 'pass JSON');
  }
};
