import {
  appendFileSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { parsedJson } from '../contract/parsed-json.ts';
import { removeFile, rename } from './in-use.ts';

/** For reading. Non-blocking: otherwise opening a pipe without a writer would wait forever. */
export const READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Largest file of state or settings that is read whole, in bytes. */
const LARGEST_JSON = 64 * 1024 * 1024;

/** A file's text; undefined if it is absent, unreadable or larger than 64 MB: all of these count as no state. */
export const readText = (path: string): string | undefined => {
  const found = readFrom(path, 0, LARGEST_JSON);
  return found === null || found.size > LARGEST_JSON ? undefined : found.bytes.toString('utf8');
};

/** The parsed JSON of a file; undefined if it cannot be read or is not JSON. */
export const readJson = (path: string): unknown => {
  const text = readText(path);
  return text === undefined ? undefined : parsedJson(text);
};

/**
 * Makes a folder, and those above it, accessible to their owner only. Not by `recursive`, with which Node 20 tries for ever
 * where no folder can be made below one that is there (an automounter's, `/proc`).
 * @param again whether a missing folder above it is made, too
 * @throws if that fails
 */
export const makeFolder = (path: string, again = true): void => {
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    if (again && (error as NodeJS.ErrnoException).code === 'ENOENT' && dirname(path) !== path) {
      makeFolder(dirname(path));
      makeFolder(path, false);
    } else if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
};

/** Appends a line in one write, to a file in a folder that need not be there yet. @throws if that fails */
export const appendLine = (path: string, line: string): void => {
  const append = (): void => appendFileSync(path, line, { mode: 0o600 });
  try {
    append();
  } catch {
    makeFolder(dirname(path));
    append();
  }
};

/** Makes the names of this process's temporary files differ; its id stands before it. */
let count = 0;

/** For further threads of a process: each counts on its own, and their names must not collide. */
export const countFilesFrom = (start: number): void => {
  count = start;
};

/**
 * Writes a file completely or not at all: under a temporary name first, then renamed. Leaves nothing behind on failure.
 * @param prepare gets the written file, readable by its owner only, before it is renamed
 */
export const replaceFile = (path: string, data: string | Buffer, prepare?: (written: string) => void): void => {
  const temporary = `${path}.${process.pid}.${count++}.tmp`;
  // `wx`: never through a link, or into a file, that someone else put there.
  const write = () => writeFileSync(temporary, data, { mode: 0o600, flag: 'wx' });
  try {
    try {
      write();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      // Left over from a killed process with the same id.
      removeFile(temporary);
      write();
    }
    prepare?.(temporary);
    rename(temporary, path);
  } catch (error) {
    removeFile(temporary);
    throw error;
  }
};

/** Writes a file completely or not at all, readable by its owner only; makes its folder. @throws if that fails */
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
 * Opens a file and calls `read` with its descriptor and its size in bytes. Null if it cannot be read, or is no regular
 * file: a pipe or a device might have no end. Errors of `read` that are not of the file system are thrown.
 */
export const withFile = <T>(path: string, read: (file: number, size: number) => T): T | null => {
  let file: number;
  try {
    file = openSync(path, READING);
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

/** Reads an open file from offset `from` until the buffer is full or the file ends. Returns the number of bytes read. */
export const fill = (file: number, buffer: Buffer, from: number): number => {
  let read = 0;
  while (read < buffer.length) {
    const got = readSync(file, buffer, read, buffer.length - read, from + read);
    if (got === 0) break;
    read += got;
  }
  return read;
};

/** At most `most` bytes of a file from an offset on, and the size of all of it; null if it cannot be read. */
export const readFrom = (path: string, offset: number, most: number): { bytes: Buffer; size: number } | null =>
  withFile(path, (file, size) => {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(size - offset, most)));
    return { bytes: bytes.subarray(0, fill(file, bytes, offset)), size };
  });

/** Calls `see` with the start and end of every complete line; returns the offset after the last one. */
export const eachLine = (bytes: Buffer, see: (start: number, end: number) => void): number => {
  let start = 0;
  for (let end = bytes.indexOf(10, start); end !== -1; end = bytes.indexOf(10, start)) {
    see(start, end);
    start = end + 1;
  }
  return start;
};
