import { constants, type Dirent } from 'node:fs';
import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';

const MOST_FILES = 5_000;
const MOST_BYTES = 2 * 1024 * 1024;
/** How many entries of any kind are read: not even a folder of a million pictures is read to its end. */
const MOST_ENTRIES = 200_000;

const SOURCE = /\.[cm]?[jt]sx?$/;
/** Files that are skipped unless they are named: declarations run nothing, and tests register made-up tools. */
const LEFT_OUT = /\.d\.[cm]?ts$|\.(test|spec)\.[cm]?[jt]sx?$/;
const LEFT_FOLDERS = new Set(['node_modules', '__fixtures__', '__mocks__', '__tests__', 'test', 'tests']);

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);

export interface SourceFile {
  path: string;
  /** The name in reports: relative to the working folder. */
  name: string;
}

const isSource = (entry: Dirent): boolean => entry.isFile() && SOURCE.test(entry.name) && !LEFT_OUT.test(entry.name);
const isSearched = (entry: Dirent): boolean =>
  entry.isDirectory() && !entry.name.startsWith('.') && !LEFT_FOLDERS.has(entry.name);

/** The source files at and below some paths, sorted, each once. Links below these are not followed. */
export const listSources = async (paths: readonly string[], cwd: string, problems: string[]): Promise<SourceFile[]> => {
  const found = new Map<string, SourceFile>();
  const name = (path: string): string => relative(cwd, path).split(sep).join('/') || '.';
  let entries = 0;
  let full = false;
  const add = (path: string): void => {
    full ||= found.size >= MOST_FILES && !found.has(path);
    if (!full) found.set(path, { path, name: name(path) });
  };
  /** Whether it holds any. */
  const addBelow = async (start: string): Promise<boolean> => {
    let holdsAny = false;
    const folders = [start];
    for (let folder = folders.pop(); folder !== undefined && !full; folder = folders.pop()) {
      const inside = await readdir(folder, { withFileTypes: true }).catch(() => {
        problems.push(`${name(folder as string)}: cannot be read`);
        return [];
      });
      entries += inside.length;
      full ||= entries > MOST_ENTRIES;
      const sources = inside.filter(isSource).sort(byName);
      holdsAny ||= sources.length > 0;
      for (const source of sources) add(join(folder, source.name));
      folders.push(
        ...inside
          .filter(isSearched)
          .sort(byName)
          .map((one) => join(folder as string, one.name)),
      );
    }
    return holdsAny;
  };
  const base = await realpath(cwd).catch(() => cwd);
  for (const given of paths) {
    const asked = resolve(cwd, given);
    // A link that is named is followed. Real paths, so that a file has one name, however it is reached.
    const real = await realpath(asked).catch(() => undefined);
    const start = real?.startsWith(base + sep) ? join(cwd, relative(base, real)) : real;
    const stats = start === undefined ? undefined : await stat(start).catch(() => undefined);
    if (start === undefined || !stats) problems.push(`${name(asked)}: cannot be read`);
    else if (stats.isDirectory()) {
      if (!(await addBelow(start)))
        problems.push(`${name(asked)}: holds no TypeScript or JavaScript file, so nothing in it was linted`);
    } else if (stats.isFile() && SOURCE.test(start)) add(start);
    else problems.push(`${name(asked)}: neither a folder nor a TypeScript or JavaScript file`);
  }
  if (full) problems.push(`more than ${MOST_FILES.toLocaleString('en')} files: the rest was not linted`);
  return [...found.values()].sort(byName);
};

/** A file's text; undefined, and an entry in `problems`, if it cannot or must not be read. */
export const readSource = async ({ path, name }: SourceFile, problems: string[]): Promise<string | undefined> => {
  let file: FileHandle | undefined;
  try {
    // It may have been replaced by a link or a pipe since it was listed: links are not followed, and pipes must not block.
    file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stats = await file.stat();
    if (!stats.isFile()) throw new Error('not a regular file');
    if (stats.size > MOST_BYTES) {
      problems.push(`${name}: larger than 2 MB, not linted`);
      return undefined;
    }
    const buffer = Buffer.alloc(Number(stats.size));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    problems.push(`${name}: cannot be read`);
    return undefined;
  } finally {
    await file?.close();
  }
};
