import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type FILE_LIMITS, LIMITS, NotAToolList, parseBounded, readToolList } from '../contract/read.ts';
import type { Contract, ToolList } from '../contract/types.ts';
import { quoteText } from '../text/quote.ts';
import { visible } from '../text/visible.ts';
import { CommandError, type Io } from './command.ts';

/** One line of a file in which `wrap --record` keeps lists: `FILE@1` is the first one, `FILE@-1` the last one. */
const LINE_OF = /^(.+)@(-?[1-9]\d{0,5})$/s;

/** How large a file may be: as large as a server's answer, or as a string can be. */
export type FileSize = typeof LIMITS | typeof FILE_LIMITS;

/** The text of a file without the byte order mark that some programs write first: it is not part of the text. */
export const unmarked = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

/** The text of a file or, if no file has that exact name, of one of its lines; undefined if it is too large. */
const textAt = (path: string, most: number): string | undefined => {
  const [, file, number] = existsSync(path) ? [] : (LINE_OF.exec(path) ?? []);
  if (file === undefined) return statSync(path).size <= most ? readFileSync(path, 'utf8') : undefined;
  if (statSync(file).size > most) return undefined;
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const at = Number(number);
  return lines.at(at > 0 ? at - 1 : at) ?? '';
};

/** Where files are read from. */
type Reads = Pick<Io, 'cwd' | 'readStdin'>;

/**
 * The text of a file; `-` is standard input.
 * @throws CommandError if it cannot be read, or is too large
 */
export const readText = async (
  file: string,
  io: Reads,
  { bytes }: Pick<FileSize, 'bytes'> = LIMITS,
): Promise<string> => {
  if (file === '-') return unmarked(await io.readStdin());
  const path = resolve(io.cwd, file);
  try {
    const text = textAt(path, bytes);
    if (text !== undefined) return unmarked(text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError('unreadable', `${visible(file, { max: 160 })} cannot be read (${code})`, 'check the path');
  }
  const name = visible(file, { max: 160 });
  throw new CommandError('too-large', `${name} is larger than ${bytes} bytes`, 'pass a smaller file');
};

/** The text of a file, to find lines in it; undefined for a pipe, which cannot be read a second time. */
export const readSource = (file: string | undefined, cwd: string): string | undefined => {
  if (file === undefined || file === '-') return undefined;
  try {
    const path = resolve(cwd, file);
    return statSync(path).isFile() ? unmarked(readFileSync(path, 'utf8')) : undefined;
  } catch {
    return undefined;
  }
};

const FORMS = 'pass a tools/list result, a JSON-RPC answer, an array of tools, a single tool, or a gateway answer';

/**
 * The tool list in the text of a file, in any accepted form.
 * @throws CommandError
 */
export const toolListIn = (text: string, file: string, size: FileSize = LIMITS): ToolList => {
  try {
    return readToolList(parseBounded(text, size), size);
  } catch (error) {
    if (!(error instanceof NotAToolList)) throw error;
    const name = file === '-' ? 'standard input' : file;
    if (text.trim() === '') throw new CommandError('not-a-tool-list', `${name} is not a tool list: it is empty`, FORMS);
    // Its marks, read as UTF-8. Windows PowerShell writes it with `>`.
    if (/^(\ufffd\ufffd|[[{]\0)/.test(text))
      throw new CommandError('not-a-tool-list', `${name} is not a tool list: it is UTF-16`, 'save it as UTF-8');
    throw new CommandError(
      'not-a-tool-list',
      `${name} is not a tool list: ${visible(error.message, { max: 160 })}`,
      FORMS,
    );
  }
};

/** A tool list from a file, in any accepted form; `-` is standard input. */
export const readToolFile = async (file: string, io: Reads): Promise<ToolList> =>
  toolListIn(await readText(file, io), file);

/** A page leaves open what else a list holds. */
export const ONE_PAGE = 'is one page of a longer list';

/** The tools of a list. @throws CommandError if it is a page */
export const wholeList = ({ tools, partial }: ToolList, name: string): Contract[] => {
  if (!partial) return tools;
  throw new CommandError('incomplete', `${name} ${ONE_PAGE}`, 'pass all pages as one list');
};

/** What to warn of where a list in a file is taken for the whole one. */
export const pageWarnings = (file: string, { partial }: Pick<ToolList, 'partial'>): string[] =>
  partial
    ? [
        `${quoteText(file, 160)} ${ONE_PAGE}, so the tools of its other pages are missing here: pass all pages as one list`,
      ]
    : [];
