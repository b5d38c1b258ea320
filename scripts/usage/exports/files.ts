import { accessSync, constants, lstatSync, statSync } from 'node:fs';
import { basename, resolve, sep } from 'node:path';
import { CommandError } from '../../command/command.ts';
import { attempt } from '../../contract/attempt.ts';
import { defined } from '../../contract/defined.ts';
import type { ReadCount } from '../../state/history.ts';
import { quoteText } from '../../text/quote.ts';
import { type Database, literal } from './duckdb.ts';

const KINDS = ['jsonl', 'ndjson', 'json', 'parquet'];
const MOST_FILES = 200_000;
const DAY_FILE = /^(\d{4}-\d\d-\d\d)\./;

/** A file of exports, and the machine of its lines that name none. */
export interface ExportedFile {
  path: string;
  machine: string;
  parquet: boolean;
  /** The UTC day in its name, as in the files of the activity log. */
  day?: string;
}

export const isAddress = (from: string): boolean => /^[a-z][a-z0-9]+:\/\//i.test(from);

/** A path in which DuckDB expands nothing. */
export const escaped = (path: string): string => path.replace(/[*?[]/g, '[$&]');

const isFolder = (path: string): boolean => attempt(() => statSync(path).isDirectory(), false);

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** A pattern for DuckDB, and the folder that it begins with. */
const patternOf = (from: string, cwd: string): { root: string; patterns: string[] } => {
  if (isAddress(from)) {
    const fixed = /^[^*?[]*/.exec(from)?.[0] ?? '';
    if (fixed === from && !KINDS.some((kind) => from.endsWith(`.${kind}`))) {
      const root = from.replace(/\/*$/, '/');
      return { root, patterns: KINDS.map((kind) => `${root}**/*.${kind}`) };
    }
    return { root: fixed.slice(0, fixed.lastIndexOf('/') + 1), patterns: [from] };
  }
  const path = resolve(cwd, from);
  if (isFolder(path)) return { root: path + sep, patterns: KINDS.map((kind) => `${escaped(path)}/**/*.${kind}`) };
  if (isThere(path)) return { root: path.slice(0, path.lastIndexOf(sep) + 1), patterns: [escaped(path)] };
  const fixed = /^[^*?[]*/.exec(path)?.[0] ?? '';
  return { root: fixed.slice(0, fixed.lastIndexOf(sep) + 1), patterns: [path] };
};

/** The first folder below the root; for files that are directly in it, the root itself. */
const machineOf = (path: string, root: string): string => {
  const [first = '', ...rest] = path.slice(root.length).split(/[\\/]/);
  return rest.length > 0 ? first : basename(root);
};

const canRead = (path: string): boolean =>
  attempt(() => {
    accessSync(path, constants.R_OK);
    // Opening a pipe would wait for a writer.
    return statSync(path).isFile();
  }, false);

/**
 * The files of exports at a folder, a pattern or an address.
 * @param since the first UTC day that counts: files that are named by an older day are left out
 * @param read counts the files, their bytes, and those that cannot be read
 */
export const exportedFiles = async (
  database: Database,
  from: string,
  { cwd, since, read }: { cwd: string; since: string; read: ReadCount },
): Promise<ExportedFile[]> => {
  const { root, patterns } = patternOf(from, cwd);
  const globs = patterns.map((pattern) => `SELECT file FROM glob(${literal(pattern)})`).join(' UNION ');
  const found = await database.rows<{ file: string }>(`${globs} ORDER BY file LIMIT ${MOST_FILES + 1}`);
  if (found.length === 0)
    throw new CommandError(
      'no-exports',
      `there is no file of exports at ${quoteText(from, 200)}`,
      `Files end in ${KINDS.map((kind) => `.${kind}`).join(', ')}; put a pattern in quotes, so that the shell leaves it alone.`,
    );
  if (found.length > MOST_FILES) read.overflow = true;
  const isTable = async (path: string): Promise<boolean> => {
    try {
      await database.rows(`SELECT num_rows FROM parquet_file_metadata(${literal(escaped(path))})`);
      return true;
    } catch {
      return false;
    }
  };
  const files: ExportedFile[] = [];
  for (const { file: path } of found.slice(0, MOST_FILES)) {
    const day = DAY_FILE.exec(basename(path))?.[1];
    if (day !== undefined && day < since) continue;
    read.files += 1;
    const local = !isAddress(path);
    const parquet = path.endsWith('.parquet');
    if ((local && !canRead(path)) || (parquet && !(await isTable(path)))) {
      read.unread += 1;
      continue;
    }
    if (local) read.bytes += statSync(path).size;
    const machine = machineOf(path, root).slice(0, 200) || 'unnamed';
    files.push({ path, machine, parquet, ...defined({ day }) });
  }
  return files;
};
