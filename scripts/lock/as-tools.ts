import { CommandError } from '../command/command.ts';
import { parseBounded } from '../contract/read.ts';
import { type Contract, isObject } from '../contract/types.ts';
import { visible } from '../text/visible.ts';
import { parseLock } from './read.ts';
import { labelledTools } from './verify.ts';

const isLockfile = (text: string): boolean => {
  // Most files are not lockfiles, and are large.
  if (!text.includes('"lockfileVersion"')) return false;
  try {
    const value = parseBounded(text);
    return isObject(value) && 'lockfileVersion' in value && 'servers' in value;
  } catch {
    return false;
  }
};

/**
 * The contracts that the text of a lockfile pins, as one list of tools, each with its server's name before its own;
 * undefined if it is not a lockfile. @throws CommandError if it is a broken one
 */
export const lockAsTools = (text: string, file: string): { tools: Contract[] } | undefined => {
  if (!isLockfile(text)) return undefined;
  const parsed = parseLock(text);
  if ('why' in parsed)
    throw new CommandError(
      'unreadable-lockfile',
      `${visible(file, { max: 160 })} ${parsed.why}`,
      'bring back the last good one from version control',
    );
  const tools = [...parsed.lock].flatMap(([server, pins]) =>
    labelledTools(
      server,
      [...pins.values()].map(({ contract }) => contract),
    ),
  );
  return { tools };
};
