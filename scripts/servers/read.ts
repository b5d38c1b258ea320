import { closeSync, constants, type Dirent, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { isObject } from '../contract/types.ts';
import { look } from '../state/stamp.ts';
import type { ServerProblem } from './types.ts';

/** In bytes. A large `~/.claude.json` has several MB; the client itself reads at most 8. */
export const LARGEST_STATE = 16 * 1024 * 1024;
/** The client's own limit for a `.mcp.json`, in bytes. */
export const LARGEST_CONFIG = 2 * 1024 * 1024;

export type FileRead = { status: 'read'; text: string } | { status: 'absent' } | { status: 'bad'; why: string };

/** The text of an open file; null if it has more than `most` bytes. */
const readAll = (file: number, most: number): string | null => {
  const chunks: Buffer[] = [];
  let size = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    const got = readSync(file, chunk, 0, chunk.length, null);
    if (got === 0) {
      const bytes = Buffer.concat(chunks);
      // Like the client, accepts UTF-16 and byte order marks, which some Windows editors write.
      return bytes.toString(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf16le' : 'utf8').replace(/^\uFEFF/, '');
    }
    size += got;
    if (size > most) return null;
    chunks.push(chunk.subarray(0, got));
  }
};

/**
 * Reads a regular file of bounded size. Anyone may have put it there: a FIFO must not block us, and a device must not fill
 * our memory. Never throws.
 * @param most limit in bytes
 */
export const readRegular = (path: string, most: number): FileRead => {
  look(path);
  let file: number;
  try {
    // Without O_NONBLOCK, opening a FIFO waits for a writer. Windows has neither.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return { status: 'absent' };
    return { status: 'bad', why: `cannot be read (${code || 'unknown reason'})` };
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile()) return { status: 'bad', why: 'is not a regular file' };
    const text = found.size > most ? null : readAll(file, most);
    return text === null ? { status: 'bad', why: `is larger than ${most} bytes` } : { status: 'read', text };
  } catch {
    return { status: 'bad', why: 'cannot be read' };
  } finally {
    closeSync(file);
  }
};

/** What a folder has; nothing if it cannot be read. */
export const entriesIn = (folder: string): Dirent[] => {
  look(folder);
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
};

export type ReadObject =
  | { status: 'read'; value: Record<string, unknown> }
  | { status: 'absent' }
  | { status: 'bad'; why: string };

/**
 * What begins or ends a text, and a comma that nothing follows. A text is not matched as a whole: an open one would be tried
 * from each of its quotes, and a long one takes more stack than there is.
 */
const STRAY = /"|\\.|\n|,(?=\s*[\]}])/g;

/** Where a text stops being JSON: at a common slip, or where the engine reports it; empty if unknown. */
const slipIn = (text: string, error: unknown): string => {
  let [what, offset] = ['look at', Number(/at position (\d+)/.exec((error as Error).message)?.[1])];
  let inside = false;
  for (const { 0: found, index } of text.matchAll(STRAY)) {
    if (found === ',' && !inside) {
      [what, offset] = ['a comma too many in', index];
      break;
    }
    inside = found === '"' ? !inside : inside && found !== '\n';
  }
  return offset >= 0 ? `: ${what} line ${text.slice(0, offset).split('\n').length}` : '';
};

/** Parses a text that must be a JSON object. */
export const parseObject = (text: string): ReadObject => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { status: 'read', value } : { status: 'bad', why: 'is not a JSON object' };
  } catch (error) {
    return { status: 'bad', why: `is not valid JSON${slipIn(text, error)}` };
  }
};

/** As `readObject`; undefined if the file is absent or bad. What is wrong with it is added to the problems. */
export const objectAt = (
  path: string,
  most: number,
  problems: ServerProblem[],
): Record<string, unknown> | undefined => {
  const read = readObject(path, most);
  if (read.status === 'bad') problems.push({ name: path, why: read.why });
  return read.status === 'read' ? read.value : undefined;
};

export const isTooLarge = (read: ReadObject & { why?: string }): boolean => /larger/.test(`${read.why}`);

/** Reads a file of at most `most` bytes that must hold a JSON object; a blank one counts as `{}`, as for the client. */
export const readObject = (path: string, most: number): ReadObject => {
  const read = readRegular(path, most);
  if (read.status !== 'read') return read;
  return read.text.trim() === '' ? { status: 'read', value: {} } : parseObject(read.text);
};
