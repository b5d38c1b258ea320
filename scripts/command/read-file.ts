import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { LIMITS, NotAToolList, parseBounded, readToolList } from '../contract/read.ts';
import type { ToolList } from '../contract/types.ts';
import { visible } from '../text/visible.ts';
import { CommandError, type Io } from './command.ts';

/**
 * The text of a file; `-` is standard input.
 * @throws CommandError if it cannot be read, or is too large
 */
export const readText = async (file: string, io: Io): Promise<string> => {
  if (file === '-') return io.readStdin();
  const path = resolve(io.cwd, file);
  try {
    if (statSync(path).size <= LIMITS.bytes) return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError('unreadable', `${visible(file, { max: 160 })} cannot be read (${code})`, 'check the path');
  }
  const name = visible(file, { max: 160 });
  throw new CommandError('too-large', `${name} is larger than ${LIMITS.bytes} bytes`, 'pass a smaller file');
};

/** The text of a file, to find lines in it; undefined for a pipe, which cannot be read a second time. */
export const readSource = (file: string | undefined, cwd: string): string | undefined => {
  if (file === undefined || file === '-') return undefined;
  try {
    const path = resolve(cwd, file);
    return statSync(path).isFile() ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
};

/**
 * The tool list in the text of a file, in any accepted form.
 * @throws CommandError
 */
export const toolListIn = (text: string, file: string): ToolList => {
  try {
    return readToolList(parseBounded(text));
  } catch (error) {
    if (!(error instanceof NotAToolList)) throw error;
    throw new CommandError(
      'not-a-tool-list',
      `${file} is not a tool list: ${visible(error.message, { max: 160 })}`,
      'pass a tools/list result, a JSON-RPC answer, an array of tools, a single tool, or a gateway answer',
    );
  }
};

/** A tool list from a file, in any accepted form; `-` is standard input. */
export const readToolFile = async (file: string, io: Io): Promise<ToolList> =>
  toolListIn(await readText(file, io), file);
