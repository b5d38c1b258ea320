import { mkdtempSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError } from '../../command/command.ts';
import { optionalPackage } from '../../command/optional-package.ts';
import { remove } from '../../state/in-use.ts';
import { quoteText } from '../../text/quote.ts';

/** What DuckDB may use. The whole process stays below 1 GB. */
const MEMORY = '400MB';
const DISK = '40GB';
const MOST_THREADS = 2;

type Value = string | number | boolean | null | Value[] | { [name: string]: Value };
type DuckRow = Record<string, Value>;

/** The part of DuckDB's package that is used here. */
interface DuckConnection {
  run(sql: string, values?: string[]): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRowObjectsJS(): unknown[] }>;
  closeSync(): void;
}
interface DuckDB {
  DuckDBInstance: {
    create(
      path: string,
      options: Record<string, string>,
    ): Promise<{ connect(): Promise<DuckConnection>; closeSync(): void }>;
  };
}

/** A database of one run, in a temporary folder. */
export interface Database {
  /** A folder that is removed with it. */
  folder: string;
  run(sql: string, ...values: string[]): Promise<void>;
  rows<Found = DuckRow>(sql: string): Promise<Found[]>;
}

/** A text as a literal of SQL. A doubled quote is DuckDB's only escape. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''").replaceAll('\0', '')}'`;

/** Loads the package, which is native and so cannot be part of a bundle. */
export const loadDuckDb = (from = import.meta.url): DuckDB =>
  optionalPackage('@duckdb/node-api', from, {
    code: 'no-duckdb',
    what: 'usage --from needs',
    without: 'The usage of this machine alone does not need it.',
  });

const failed = (error: unknown): CommandError =>
  new CommandError(
    'unreadable',
    `the exports could not be read: ${quoteText(error instanceof Error ? error.message : String(error), 300)}`,
    'Nothing is counted. Take the file away that the message names, or give the disk for temporary files more room.',
  );

/** Object storage needs an extension of DuckDB, which is fetched only with the option. */
const loadHttp = async (connection: DuckConnection, install: boolean): Promise<void> => {
  if (install) await connection.run('INSTALL httpfs');
  try {
    await connection.run('LOAD httpfs');
  } catch (error) {
    throw new CommandError(
      'no-extension',
      `addresses need DuckDB's extension httpfs, which is not installed here: ${quoteText(String((error as Error).message), 200)}`,
      'konnichiwagwan usage --install-httpfs --from … fetches it from DuckDB once. Or copy the files here first.',
    );
  }
};

/** Opens a database for `work`, and removes it afterwards. `remote`: set if addresses are read. */
export const withDatabase = async <Result>(
  remote: { install: boolean } | undefined,
  work: (database: Database) => Promise<Result>,
): Promise<Result> => {
  const { DuckDBInstance } = loadDuckDb();
  const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-usage-'));
  try {
    // A file rather than memory: its tables are compressed, and leave the memory without being written a second time.
    const instance = await DuckDBInstance.create(join(folder, 'usage.duckdb'), {
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      memory_limit: MEMORY,
      threads: String(Math.min(MOST_THREADS, availableParallelism())),
      temp_directory: folder,
      max_temp_directory_size: DISK,
      preserve_insertion_order: 'false',
    });
    const connection = await instance.connect();
    try {
      await connection.run("SET TimeZone = 'UTC'");
      if (remote) await loadHttp(connection, remote.install);
      return await work({
        folder,
        run: async (sql, ...values) => void (await connection.run(sql, values)),
        rows: async <Found>(sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJS() as Found[],
      });
    } catch (error) {
      throw error instanceof CommandError ? error : failed(error);
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  } finally {
    remove(folder);
  }
};
