import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Opening a pipe that nobody writes to would wait for ever. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Largest file of state or settings that is read whole, in bytes. */
const LARGEST_JSON = 64 * 1024 * 1024;

/** A file's text, or undefined where it cannot be read: state that cannot be read is state that is not there. */
export const readText = (path: string): string | undefined => {
  const found = readFrom(path, 0, LARGEST_JSON);
  return found === null || found.size > LARGEST_JSON ? undefined : found.bytes.toString('utf8');
};

/** The parsed file, or undefined where it is absent or not JSON. */
export const readJson = (path: string): unknown => {
  const text = readText(path);
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Makes a folder that is for its owner alone. */
export const makeFolder = (path: string): void => {
  mkdirSync(path, { recursive: true, mode: 0o700 });
};

let count = 0;

/**
 * Writes a file beside its place and then puts it there: nobody ever sees half of it, and nothing is left where that fails.
 * @param prepare is given the written file, which its owner alone can read, before it is put in its place
 */
export const replaceFile = (path: string, data: string | Buffer, prepare?: (written: string) => void): void => {
  const temporary = `${path}.${process.pid}.${count++}.tmp`;
  // Not through a link that somebody else laid, nor into a file of theirs.
  const write = () => writeFileSync(temporary, data, { mode: 0o600, flag: 'wx' });
  try {
    try {
      write();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      // Left by a process that was killed, and had this number before us.
      rmSync(temporary);
      write();
    }
    prepare?.(temporary);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
};

/** Writes a file of ours whole or not at all, readable by its owner alone, in a folder that is made where there is none. */
export const writeAtomic = (path: string, text: string): void => {
  try {
    replaceFile(path, text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    makeFolder(dirname(path));
    replaceFile(path, text);
  }
};

/**
 * Lets something read a file, with its size; null where it cannot be read. Files alone: a pipe, a device or a folder of
 * that name holds nothing that could be read to its end.
 */
export const withFile = <T>(path: string, read: (file: number, size: number) => T): T | null => {
  let file: number;
  try {
    file = openSync(path, FLAGS);
  } catch {
    return null;
  }
  try {
    const found = fstatSync(file);
    return found.isFile() ? read(file, found.size) : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  } finally {
    closeSync(file);
  }
};

/** Reads at a place of an open file until the buffer is full or the file ends; how many bytes were read. */
export const fill = (file: number, buffer: Buffer, from: number): number => {
  let read = 0;
  while (read < buffer.length) {
    const got = readSync(file, buffer, read, buffer.length - read, from + read);
    if (got === 0) break;
    read += got;
  }
  return read;
};

/** The bytes of a file from an offset on, at most `most` of them; null where it cannot be read. */
export const readFrom = (path: string, offset: number, most: number): { bytes: Buffer; size: number } | null =>
  withFile(path, (file, size) => {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(size - offset, most)));
    return { bytes: bytes.subarray(0, fill(file, bytes, offset)), size };
  });

/** Calls `see` with every whole line; returns the offset after the last one. */
export const eachLine = (bytes: Buffer, see: (start: number, end: number) => void): number => {
  let start = 0;
  for (let end = bytes.indexOf(10, start); end !== -1; end = bytes.indexOf(10, start)) {
    see(start, end);
    start = end + 1;
  }
  return start;
};
