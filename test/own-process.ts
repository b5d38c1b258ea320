// What a run in this process has of its own, as a process would: variables, working folder, id, and the files 0, 1 and 2.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { PassThrough, Writable } from 'node:stream';
import zlib, { type BrotliOptions } from 'node:zlib';
import type { OutputStream } from '../scripts/command/command.ts';
import { type Process, thisProcess } from '../scripts/lock/processes.ts';
import './managed-folder.cjs';

/** What one run has. */
export interface Own {
  env: NodeJS.ProcessEnv;
  /** What it can read from file 0, and what it wrote to files 1 and 2. */
  stdin: Buffer;
  stdout: string;
  stderr: string;
  /** Its working folder, if that is not ours. Only the names of files follow it. */
  cwd?: string;
  /** Its process, if that is not ours. */
  pid?: number;
  /** What the system shows of it, if that is not what it shows of us. */
  chain?: Process[];
}

export const ownOf = (env: NodeJS.ProcessEnv, more: Partial<Own> = {}): Own => ({
  env,
  stdin: Buffer.alloc(0),
  stdout: '',
  stderr: '',
  ...more,
});

/** Each run has its own environment, for all code: during a run, `process.env` is the run's; otherwise the real one. */
export const runs = new AsyncLocalStorage<Own>();
/** The variables of this process. */
export const real = process.env;
Object.defineProperty(process, 'env', { get: () => runs.getStore()?.env ?? real });

// The same for the working folder, the process's id, and for the files 0, 1 and 2.
const { cwd: realFolder, pid: realId, stderr: realErrors } = process;
Object.defineProperty(process, 'pid', { get: () => runs.getStore()?.pid ?? realId });
process.cwd = () => runs.getStore()?.cwd ?? realFolder();

/** An output that hands over each text as it is written. `looks`: what makes it a terminal. */
export const outputTo = (
  see: (text: string) => void,
  looks: Partial<Pick<OutputStream, 'isTTY' | 'columns'>> = {},
): Writable & OutputStream => {
  const write: Writable['_write'] = (text, _encoding, done) => {
    see(String(text));
    done();
  };
  return Object.assign(new Writable({ decodeStrings: false, write }), looks);
};
const errorsOf = (own: Own): Writable =>
  outputTo((text) => {
    own.stderr += text;
  });
Object.defineProperty(process, 'stderr', {
  get: () => {
    const own = runs.getStore();
    return own === undefined ? realErrors : errorsOf(own);
  },
});
const { fstatSync, readSync, writeSync } = fs;
fs.readSync = ((file: number, buffer: Buffer, ...rest: []): number => {
  const own = runs.getStore();
  if (own === undefined || file !== 0) return readSync(file, buffer, ...rest);
  const read = own.stdin.copy(buffer);
  own.stdin = own.stdin.subarray(read);
  return read;
}) as typeof fs.readSync;
const notATerminal = { isCharacterDevice: () => false };
fs.fstatSync = ((file: number, ...rest: []) =>
  runs.getStore() !== undefined && file === 0 ? notATerminal : fstatSync(file, ...rest)) as typeof fs.fstatSync;
fs.writeSync = ((file: number, text: string, ...rest: []): number => {
  const own = runs.getStore();
  if (own === undefined || (file !== 1 && file !== 2)) return writeSync(file, text, ...rest);
  own[file === 1 ? 'stdout' : 'stderr'] += text;
  return Buffer.byteLength(text);
}) as typeof fs.writeSync;

/** What was compressed, by a hash of it. Installations pack the same programs again and again, which takes long. */
const compressed = new Map<string, Buffer>();
const { brotliCompressSync } = zlib;
zlib.brotliCompressSync = ((bytes: Buffer, options?: BrotliOptions): Buffer => {
  const key = createHash('sha256').update(JSON.stringify(options)).update(bytes).digest('hex');
  const found = compressed.get(key) ?? brotliCompressSync(bytes, options);
  compressed.set(key, found);
  return found;
}) as typeof brotliCompressSync;
syncBuiltinESMExports();

const { chain } = thisProcess;
thisProcess.chain = () => runs.getStore()?.chain ?? chain();

/** Variables that a process gets even if its parent leaves them out: on Windows, Node sees to that. */
const ALWAYS = process.platform === 'win32' ? ['PATH', 'SystemRoot', 'TEMP'] : ['PATH'];
export const environmentOf = (given: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const always = Object.fromEntries(ALWAYS.map((name) => [name, real[name]]));
  const set = Object.entries({ ...always, ...given }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set.map(([name, value]) => [name, String(value)]));
};

/** Does something with the product's code as a run with these variables would. */
export const inEnvironment = <T>(env: NodeJS.ProcessEnv, work: () => T): T => runs.run(ownOf(env), work);

/** What the product's code writes to file 2. */
export const errorsDuring = (work: () => void): string => {
  const own = ownOf({});
  runs.run(own, work);
  return own.stderr;
};

/** How many bytes a pipe gives at once at most. */
const PIPE = 64 * 1024;

/** A standard input for a run: who writes to `given` is outside of the run, and who reads `taken` is in it. */
export const inputFor = (own: Own): { given: PassThrough; taken: PassThrough } => {
  const [given, taken] = [new PassThrough(), new PassThrough()];
  const inRun = <T extends unknown[]>(work: (...values: T) => void) => runs.run(own, () => AsyncResource.bind(work));
  given.on(
    'data',
    inRun((chunk: Buffer) => {
      // No pipe gives more at once.
      for (let at = 0; at < chunk.length; at += PIPE) taken.write(chunk.subarray(at, at + PIPE));
    }),
  );
  given.on(
    'end',
    inRun(() => taken.end()),
  );
  return { given, taken };
};
