import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** A file's text, or undefined where it cannot be read: state that cannot be read is state that is not there. */
export const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
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

/** Writes a file whole or not at all, readable by its owner alone. */
export const writeAtomic = (path: string, text: string): void => {
  const temporary = `${path}.${process.pid}.${count++}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    makeFolder(dirname(path));
    writeFileSync(temporary, text, { mode: 0o600 });
  }
  try {
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
};

/** The bytes of a file from an offset on, at most `most` of them; null where it cannot be read. */
export const readFrom = (path: string, offset: number, most: number): { bytes: Buffer; size: number } | null => {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return null;
  }
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(size - offset, most)));
    let read = 0;
    while (read < bytes.length) {
      const got = readSync(file, bytes, read, bytes.length - read, offset + read);
      if (got === 0) break;
      read += got;
    }
    return { bytes: bytes.subarray(0, read), size };
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
};
