import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { eachLine, READING } from './files.ts';
import type { ReadCount } from './history.ts';

const CHUNK = 1024 * 1024;
/** Longest line, in bytes; longer ones are skipped and counted. */
const LONGEST_LINE = 16 * 1024 * 1024;

/** `at`: the line's place in the file, in bytes. */
type See = (line: Buffer, ended: boolean, at: number) => void;

const readLines = (file: number, size: number, see: See): Pick<ReadCount, 'bytes' | 'tooLong'> => {
  let buffer = Buffer.allocUnsafe(CHUNK);
  let [held, bytes, tooLong, skipping] = [0, 0, 0, false];
  while (bytes < size) {
    if (held === buffer.length) {
      if (held >= LONGEST_LINE) {
        tooLong += 1;
        skipping = true;
        held = 0;
      } else buffer = Buffer.concat([buffer], held * 2);
    }
    const got = readSync(file, buffer, held, Math.min(buffer.length - held, size - bytes), bytes);
    if (got === 0) break;
    bytes += got;
    let rest = buffer.subarray(0, held + got);
    if (skipping) {
      const end = rest.indexOf(10);
      if (end === -1) continue;
      skipping = false;
      rest = rest.subarray(end + 1);
    }
    const at = bytes - rest.length;
    const used = eachLine(rest, (start, end) => see(rest.subarray(start, end), true, at + start));
    held = rest.length - used;
    rest.copy(buffer, 0, used);
  }
  if (held > 0) see(buffer.subarray(0, held), false, bytes - held);
  return { bytes, tooLong };
};

/**
 * Calls `see` with every line of a file, in memory that does not grow with the file, and adds what was read to `read`.
 * `ended` is false for text after the last line feed. What is appended meanwhile is not read. Only errors of `see` are
 * thrown.
 * @returns why the file could not be read, or not to its end; undefined if it was read
 */
export const streamLines = (path: string, read: ReadCount, see: See): string | undefined => {
  read.files += 1;
  let file: number | undefined;
  try {
    file = openSync(path, READING);
    const found = fstatSync(file);
    if (!found.isFile()) return 'not a file';
    const { bytes, tooLong } = readLines(file, found.size, see);
    read.bytes += bytes;
    read.tooLong += tooLong;
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return code;
  } finally {
    if (file !== undefined) closeSync(file);
  }
};
