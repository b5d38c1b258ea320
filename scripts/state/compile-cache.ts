// Programs compiled once instead of at each start. Compiling takes a third of the time of a call that is judged.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';

/** The folder, beside our programs: to write there takes the same rights as to change the programs. */
export const COMPILED = '.compiled';

/** A module's text is a function's body, as in Node's own loader. */
const [BEFORE, AFTER] = ['(function(exports,require,module,__filename,__dirname){', '\n})'];

/** Bytes before the code: a hash of source and code. V8 checks neither, and crashes on damaged code. */
const HEADER = 32;

const hashOf = (source: Buffer, code: Buffer): Buffer => {
  // Loaded late: a start that needs no large program needs no hash.
  const { createHash } = require('node:crypto') as typeof import('node:crypto');
  return createHash('sha256').update(source).update(code).digest();
};

/** Smaller programs, in bytes, take longer to check than to compile. */
const LARGE = 50_000;

/** A process that runs longer, in ms, keeps what it compiled by then: a thread may be ended without an exit. */
const LONG = 2_000;

/** The compiled code in a file; undefined if there is none, or it belongs to another source. */
const readCompiled = (file: string, source: Buffer): Buffer | undefined => {
  try {
    const all = readFileSync(file);
    const code = all.subarray(HEADER);
    return hashOf(source, code).equals(all.subarray(0, HEADER)) ? code : undefined;
  } catch {
    return undefined;
  }
};

/** Keeps what V8 has compiled by now. @throws as node:fs, where nothing can be written */
const writeCompiled = (file: string, source: Buffer, script: Script): void => {
  const part = `${file}.${process.pid}`;
  // Where `uninstall` has just removed the programs, it must not make their folder again.
  if (!existsSync(dirname(file))) mkdirSync(dirname(file));
  // A folder that takes no file is found out before the work.
  writeFileSync(part, '', { flag: 'wx', mode: 0o644 });
  try {
    const code = script.createCachedData();
    writeFileSync(part, Buffer.concat([hashOf(source, code), code]));
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
};

/** What Node 22.8 does itself, for Node 20: with it, this file becomes one line. */
const cacheHere = (folder: string): void => {
  const missing: (() => void)[] = [];
  const write = (): void => {
    try {
      for (const one of missing.splice(0)) one();
    } catch {
      // Nothing depends on it: the next start compiles again.
    }
  };
  process.on('exit', write);
  setTimeout(write, LONG).unref();
  const plain = require.extensions['.js'] as (module: NodeModule, path: string) => void;
  require.extensions['.cjs'] = (module: NodeModule, path: string): void => {
    if (dirname(path) !== __dirname || statSync(path).size < LARGE) {
      plain(module, path);
      return;
    }
    const source = readFileSync(path);
    // V8 itself refuses the code of another version, or made with other flags.
    const file = join(folder, `${basename(path)}-${process.version}-${process.arch}`);
    const cachedData = readCompiled(file, source);
    const script = new Script(`${BEFORE}${source}${AFTER}`, {
      filename: path,
      columnOffset: -BEFORE.length,
      cachedData,
    });
    if (cachedData === undefined || script.cachedDataRejected) missing.push(() => writeCompiled(file, source, script));
    const run = script.runInThisContext() as (...given: unknown[]) => void;
    run.call(module.exports, module.exports, nodeModule.createRequire(path), module, path, __dirname);
  };
};

let isCaching = false;

/**
 * From now on, this process takes our programs as they were compiled before, and keeps what it compiles itself. Not in a
 * project's installation: that is committed.
 */
export const cacheCompiled = (): void => {
  if (typeof __dirname === 'undefined' || basename(__dirname) !== 'dist' || isCaching) return;
  isCaching = true;
  const folder = join(__dirname, COMPILED);
  const { enableCompileCache, flushCompileCache } = nodeModule as {
    enableCompileCache?: (folder: string) => unknown;
    flushCompileCache?: () => void;
  };
  if (enableCompileCache) {
    enableCompileCache(folder);
    if (flushCompileCache) setTimeout(flushCompileCache, LONG).unref();
  } else if (process.env.NODE_DISABLE_COMPILE_CACHE !== '1') cacheHere(folder);
};
