import { readFileSync, statSync } from 'node:fs';
import { LIMITS, NotAToolList, parseBounded, readToolList } from '../contract/read.ts';
import type { ToolList } from '../contract/types.ts';
import { visible } from '../text/visible.ts';
import { CommandError, type Io } from './command.ts';

const textOf = async (file: string, io: Io): Promise<string> => {
  if (file === '-') return io.readStdin();
  try {
    if (statSync(file).size > LIMITS.bytes) {
      throw new CommandError('too-large', `${file} is larger than ${LIMITS.bytes} bytes`, 'pass a smaller tool list');
    }
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(
      'unreadable',
      `${file} cannot be read (${(error as NodeJS.ErrnoException).code})`,
      'check the path',
    );
  }
};

/** A tool list from a file, in any accepted form; `-` is standard input. */
export const readToolFile = async (file: string, io: Io): Promise<ToolList> => {
  try {
    return readToolList(parseBounded(await textOf(file, io)));
  } catch (error) {
    if (!(error instanceof NotAToolList)) throw error;
    throw new CommandError(
      'not-a-tool-list',
      `${file} is not a tool list: ${visible(error.message, { max: 160 })}`,
      'pass a tools/list result, a JSON-RPC answer, an array of tools, a single tool, or a gateway answer',
    );
  }
};
