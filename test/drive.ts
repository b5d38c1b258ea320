// Runs our programs in two ways: in this process or, with KONNICHIWAGWAN_BUILT=1, as the built file in a separate process.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import childProcess, { type SpawnOptions, type SpawnSyncOptions } from 'node:child_process';
import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import fs, { accessSync, constants, existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import workerThreads from 'node:worker_threads';
import zlib, { type BrotliOptions } from 'node:zlib';
import { type ProcessLike, run } from '../scripts/cli/run.ts';
import { printSegment } from '../scripts/cli/statusline.ts';
import type { OutputStream } from '../scripts/command/command.ts';
import { attempt } from '../scripts/contract/attempt.ts';
import { answerJson } from '../scripts/guard/answer.ts';
import { beforeCall } from '../scripts/guard/check-call.ts';
import { INPUT_LIMIT } from '../scripts/guard/input.ts';
import { ofOffers } from '../scripts/guard/offers/answer-offers.ts';
import { answerOf, type Hook, newRun } from '../scripts/guard/run-hook.ts';
import { afterFailure } from '../scripts/guard/tool-failed.ts';
import type { InstallPlace } from '../scripts/install/layout.ts';
import { ownNode } from '../scripts/install/own-node.ts';
import { type Process, thisProcess } from '../scripts/lock/processes.ts';
import { atWork, type Heard } from '../scripts/resident/at-work.ts';
import { openTools } from '../scripts/resident/resident-tools.ts';
import { serve } from '../scripts/resident/serve.ts';
import { afterwards } from '../scripts/session/afterwards.ts';
import { sessionEnds } from '../scripts/session/session-ends.ts';
import { finish, sessionStarts } from '../scripts/session/session-starts.ts';
import { wrap } from '../scripts/wrap/wrap-server.ts';
import './managed-folder.cjs';
import { type Ran, type Run, runProgram } from './run-program.ts';

const withAnswer = (ran: Ran, plain: boolean): Run => ({
  ...ran,
  answer: ran.stdout === '' || plain ? undefined : JSON.parse(ran.stdout),
});

/** Runs a built file with text on its standard input. `plain`: its output is not JSON. */
export const runBuilt = async (
  file: string,
  input: string | null,
  env: NodeJS.ProcessEnv,
  args: string[] = [],
  plain = false,
  cwd = process.cwd(),
): Promise<Run> => {
  const ran = await runProgram(process.execPath, [resolve('dist', file), ...args], {
    input,
    env: withManaged(env),
    cwd,
  });
  return withAnswer(ran, plain);
};

/** The hooks by their built files: the event of each, and its function. */
const HOOKS: Record<string, { event: string; hook: (raw: string) => Hook }> = {
  'guard.cjs': { event: 'PreToolUse', hook: (raw) => (env, run) => beforeCall(raw, env, run) },
  'offers.cjs': { event: 'PreToolUse', hook: (raw) => (env, run) => ofOffers(raw, env, run) },
  'tool-failure.cjs': { event: 'PostToolUseFailure', hook: (raw) => (env) => afterFailure(raw, env) },
  'session-end.cjs': { event: 'SessionEnd', hook: (raw) => (env) => sessionEnds(() => raw, env) },
  'session-start.cjs': {
    event: 'SessionStart',
    hook: (raw) => (env) => sessionStarts(raw, env, (start) => void finish(start).catch(() => {})),
  },
};

interface Own {
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

const ownOf = (env: NodeJS.ProcessEnv, more: Partial<Own> = {}): Own => ({
  env,
  stdin: Buffer.alloc(0),
  stdout: '',
  stderr: '',
  ...more,
});

/** Each run has its own environment, for all code: during a run, `process.env` is the run's; otherwise the real one. */
const runs = new AsyncLocalStorage<Own>();
const real = process.env;
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

/** A built program finds an organization's files as we do, by managed-folder.cjs. */
const withManaged = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  env.TEST_MANAGED_FOLDER === undefined || env.NODE_OPTIONS !== undefined
    ? env
    : { ...env, NODE_OPTIONS: `--require ${JSON.stringify(resolve('test/managed-folder.cjs'))}` };

const { chain } = thisProcess;
thisProcess.chain = () => runs.getStore()?.chain ?? chain();

let processesOnly = false;

/** From here on, runs use built files, until the test (or the test file) ends: for tests that need processes. */
export const needProcesses = (test?: Pick<TestContext, 'after'>): void => {
  processesOnly = true;
  test?.after(() => {
    processesOnly = false;
  });
};

/** Variables that a process gets even if its parent leaves them out: on Windows, Node sees to that. */
const ALWAYS = process.platform === 'win32' ? ['PATH', 'SystemRoot', 'TEMP'] : ['PATH'];

const environmentOf = (given: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const always = Object.fromEntries(ALWAYS.map((name) => [name, real[name]]));
  const set = Object.entries({ ...always, ...given }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set.map(([name, value]) => [name, String(value)]));
};

const runHook = async ({ event, hook }: (typeof HOOKS)[string], raw: string, env: NodeJS.ProcessEnv): Promise<Ran> => {
  const run = newRun(event);
  const said = await answerOf(hook(raw), run, env, process.pid);
  const json = JSON.stringify(answerJson(run.event, said));
  return { stdout: json === '{}' ? '' : json, stderr: '', code: 0, signal: null, pid: process.pid };
};

const runCommand = async (
  args: string[],
  input: Buffer,
  env: NodeJS.ProcessEnv,
  cwd: string,
  command = run,
): Promise<Ran> => {
  const printed = { stdout: '', stderr: '' };
  const output = (name: keyof typeof printed) =>
    outputTo((text) => {
      printed[name] += text;
    });
  const stdin = Readable.from([input]);
  const host = { env, cwd: () => cwd, stdin, stdout: output('stdout'), stderr: output('stderr') };
  const code = await command(args, host);
  return { ...printed, code, signal: null, pid: process.pid };
};

/** What scripts/cli/main.ts does for a status line. It reads and writes files 0 and 1. */
const runStatusline = async (env: NodeJS.ProcessEnv): Promise<Ran> => {
  await printSegment(env);
  return { stdout: '', stderr: '', code: 0, signal: null, pid: process.pid };
};

/** Whether a command needs a process: for signals, or because it starts processes. A server may be called `demo`, too. */
const needsProcess = ([command, ...words]: string[]): boolean =>
  command === 'demo' || words.some((word) => word === '--follow' || word === '-f');
/** `wrap` between a host and a server, as scripts/cli/main.ts knows it. */
const isWrapping = ([first, ...others]: string[]): boolean =>
  first === 'wrap' && others.some((word) => /^--(url(-env)?(=.*)?)?$/s.test(word));

/** Whether a program can run in this process. NODE_OPTIONS needs a Node that starts. */
const canRunHere = (env: NodeJS.ProcessEnv, args: string[]): boolean =>
  !processesOnly && env.NODE_OPTIONS === undefined && !isWrapping(args) && !needsProcess(args);

/** Whether a program runs in this process. */
export const runsHere = (env: NodeJS.ProcessEnv, args: string[]): boolean =>
  real.KONNICHIWAGWAN_BUILT !== '1' && canRunHere(env, args);

/** With the built files: of this many runs of a program with the same options, the first is the built file; the others run here. */
const EVERY = Number(real.KONNICHIWAGWAN_BUILT_EVERY ?? 1);
const runsOf = new Map<string, number>();
const isItsTurn = (file: string, args: string[]): boolean => {
  const form = [file, args[0], ...args.filter((arg) => arg.startsWith('--'))].join(' ');
  const before = runsOf.get(form) ?? 0;
  runsOf.set(form, before + 1);
  return before % EVERY === 0;
};

/** A function that runs a program in this process; undefined if it needs a separate one. */
const hereOf = (file: string, args: string[], env: NodeJS.ProcessEnv, cwd: string) => {
  if (!canRunHere(env, args) || (real.KONNICHIWAGWAN_BUILT === '1' && isItsTurn(file, args))) return undefined;
  if (file === 'cli.cjs' && args.join(' ') === 'statusline') return () => runStatusline(env);
  if (file === 'cli.cjs') return (input: Buffer, own: NodeJS.ProcessEnv) => runCommand(args, input, own, cwd);
  const program = args.length === 0 ? HOOKS[file] : undefined;
  return program && ((input: Buffer, own: NodeJS.ProcessEnv) => runHook(program, input.toString('utf8'), own));
};

// A run may ask for the version of the Node on its PATH, or of an installation. That is mostly the Node of this process.
const { spawn, spawnSync } = childProcess;
const node = realpathSync(process.execPath);
const { script: ownScript } = ownNode({ form: 'user', skill: '' } as InstallPlace, {});
const isThisNode = (command: string, { PATH = '' }: NodeJS.ProcessEnv): boolean => {
  if (isAbsolute(command)) return isOwnScript(command);
  const found = PATH.split(delimiter).find((folder) => existsSync(join(folder, command)));
  return command === 'node' && found !== undefined && realpathSync(join(found, command)) === node;
};
const isOwnScript = (path: string): boolean =>
  attempt(() => {
    accessSync(path, constants.X_OK);
    return readFileSync(path, 'utf8') === ownScript;
  }, false);
childProcess.spawnSync = ((file: string, args: readonly string[], options: SpawnSyncOptions = {}) =>
  runs.getStore() !== undefined && String(args) === '--version' && isThisNode(file, options.env ?? process.env)
    ? { pid: process.pid, status: 0, signal: null, output: [], stdout: `${process.version}\n`, stderr: '' }
    : spawnSync(file, args, options)) as typeof spawnSync;

// A run fetches shared approvals in the background; that needs no process either.
const fetchHere = (words: readonly string[], env: NodeJS.ProcessEnv): EventEmitter => {
  setImmediate(() => void runs.run(ownOf(env), () => afterwards(words, env))?.catch(() => {}));
  return Object.assign(new EventEmitter(), { unref: () => {} });
};

// Nor do the hooks of an installation that `doctor` tries, as long as they are the built ones.
const sizesIn = (folder: string): string =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.cjs'))
    .map((name) => `${name} ${statSync(join(folder, name)).size}`)
    .join();
const isBuilt = (path: string): boolean =>
  attempt(
    () =>
      readFileSync(path).equals(readFileSync(resolve('dist', basename(path)))) &&
      sizesIn(dirname(path)) === sizesIn('dist'),
    false,
  );
const hookHere = (hook: (typeof HOOKS)[string], env: NodeJS.ProcessEnv): EventEmitter => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const child = Object.assign(new EventEmitter(), { stdin, stdout });
  stdout.on('end', () => child.emit('close', 0));
  const answer = async (): Promise<void> => {
    const raw = await text(stdin);
    const own = ownOf(env, { stdin: Buffer.from(raw) });
    stdout.end((await runs.run(own, () => runHook(hook, raw, env))).stdout);
  };
  void answer();
  return child;
};

childProcess.spawn = ((file: string, args: readonly string[], options: SpawnOptions = {}) => {
  const [program = '', ...words] = Array.isArray(args) ? args : [];
  const { env = real } = options;
  if (runs.getStore() === undefined || !runsHere(env, words)) return spawn(file, args, options);
  if (program === resolve('dist/session-start.cjs') && words[0] === '--shared')
    return fetchHere(words, environmentOf(env));
  const hook = words.length === 0 ? HOOKS[basename(program)] : undefined;
  const isHere = hook !== undefined && isThisNode(file, env) && isBuilt(program);
  return isHere ? hookHere(hook, environmentOf(env)) : spawn(file, args, options);
}) as typeof spawn;
syncBuiltinESMExports();

/**
 * Runs one of our programs with text on its standard input, in an environment of the PATH and the given variables.
 * @param file its built file, such as `guard.cjs`
 * @param plain whether its output is not JSON
 * @param cwd the working folder, only for commands
 */
export const drive = async (
  file: string,
  input: string | null,
  given: NodeJS.ProcessEnv,
  args: string[] = [],
  plain = false,
  cwd = process.cwd(),
): Promise<Run> => {
  const bytes = Buffer.from(input ?? '');
  const env = environmentOf(given);
  const here = bytes.length > INPUT_LIMIT ? undefined : hereOf(file, args, env, cwd);
  if (here === undefined) return runBuilt(file, input, given, args, plain, cwd);
  const own = ownOf(env, { stdin: bytes });
  const ran = await runs.run(own, () => here(bytes, env));
  return withAnswer({ ...ran, stdout: own.stdout + ran.stdout, stderr: own.stderr + ran.stderr }, plain);
};

/** Runs the command line of a copy of the built files, such as an installed one: in this process by loading its code. */
export const driveAt = async (cli: string, given: NodeJS.ProcessEnv, args: string[], cwd: string): Promise<Ran> => {
  const code = join(dirname(cli), 'run.cjs');
  if (!existsSync(code) || !runsHere(given, args))
    return runProgram(process.execPath, [cli, ...args], { env: withManaged(given), cwd });
  const own = ownOf(environmentOf(given));
  const command: typeof run = createRequire(code)(code).run;
  const ran = await runs.run(own, () => runCommand(args, Buffer.alloc(0), own.env, cwd, command));
  return { ...ran, stderr: own.stderr + ran.stderr };
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
const inputFor = (own: Own): { given: PassThrough; taken: PassThrough } => {
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

/** A `wrap` between a host, which writes to `stdin` and reads `stdout`, and a server. */
export interface Wrapping {
  stdin: Writable;
  stdout: Readable;
  stderr(): string;
  /** Its exit code. */
  ended: Promise<number | null>;
  /** Ends it, with its server. */
  end(): void;
}

const wrapBuilt = (words: string[], env: NodeJS.ProcessEnv, cwd: string): Wrapping => {
  const child = spawn(process.execPath, [resolve('dist/cli.cjs'), 'wrap', ...words], { cwd, env, stdio: 'pipe' });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: () => stderr,
    ended,
    end: () => void child.kill('SIGKILL'),
  };
};

/** Runs `wrap` with these words behind it. */
export const driveWrap = (words: string[], given: NodeJS.ProcessEnv, cwd: string): Wrapping => {
  const env = environmentOf(given);
  if (!runsHere(env, [])) return wrapBuilt(words, env, cwd);
  const own = ownOf(env, { cwd });
  const { given: stdin, taken } = inputFor(own);
  const stdout = new PassThrough();
  let terminate = () => {};
  const host = {
    stdin: taken,
    stdout,
    env,
    cwd: () => cwd,
    on: (name: NodeJS.Signals, heard: () => void) => {
      if (name === 'SIGTERM') terminate = heard;
    },
    removeAllListeners() {},
    pid: process.pid,
    kill: () => true,
  };
  const like: Parameters<typeof wrap>[1] = host;
  const ended = runs.run(own, () => wrap(words, like)).then(() => Number(like.exitCode ?? 0));
  const end = (): void => {
    // It hears signals only once it has begun.
    stdin.end();
    terminate();
  };
  return { stdin, stdout, stderr: () => own.stderr, ended, end };
};

let terminals = 0;

/**
 * Runs a command in this process, as if a person had opened a terminal for it.
 * @param see hands over what comes on the screen
 * @returns a function that types keys, and the exit code
 */
export const driveAtTerminal = (
  args: string[],
  given: NodeJS.ProcessEnv,
  see: (text: string) => void,
): { type: (keys: string) => void; ended: Promise<number> } => {
  const window = { pid: 1_000_000 + terminals, args: ['window'] };
  const here = { pid: process.pid, args: ['node'], tty: `136:${terminals++}`, since: String(window.pid) };
  const own = ownOf(environmentOf(given), { chain: [here, window] });
  const { given: keys, taken } = inputFor(own);
  const host: ProcessLike = {
    env: own.env,
    cwd: realFolder,
    stdin: Object.assign(taken, { isTTY: true, setRawMode: () => taken }),
    stdout: outputTo(see, { isTTY: true }),
    stderr: outputTo(see, { isTTY: true }),
  };
  return { type: (text) => void keys.write(text), ended: runs.run(own, () => run(args, host)) };
};

/** Streams and signs of life of a resident guard. */
export type Guarding = Pick<Wrapping, 'stdin' | 'stdout' | 'stderr' | 'ended'>;

/** A thread of a resident guard that runs in this process: it takes and gives copies, one turn of the event loop later. */
class ThreadHere extends EventEmitter {
  #isOver = false;
  readonly #heed = atWork((said) => this.#later(said, (copy) => this.emit('message', copy)));

  constructor() {
    super();
    this.#later('ready', (copy) => this.emit('message', copy));
  }

  #later<T>(given: T, take: (copy: T) => void): void {
    const copy = structuredClone(given);
    setImmediate(() => !this.#isOver && take(copy));
  }

  postMessage(heard: Heard): void {
    this.#later(heard, this.#heed);
  }

  unref(): void {}

  async terminate(): Promise<void> {
    this.#isOver = true;
  }
}
const { Worker } = workerThreads;
workerThreads.Worker = new Proxy(Worker, {
  construct: (_, [file, ...rest]: ConstructorParameters<typeof Worker>) =>
    file === resolve('dist/worker.cjs') && runs.getStore() !== undefined ? new ThreadHere() : new Worker(file, ...rest),
});
syncBuiltinESMExports();

/**
 * Runs the resident guard in this process.
 * @param pid the id of the process that it takes this for
 */
export const driveResident = (env: NodeJS.ProcessEnv, pid = process.pid): Guarding => {
  const own = ownOf(environmentOf(env), { pid });
  const { given: stdin, taken } = inputFor(own);
  const stdout = new PassThrough();
  const ended = new Promise<number>((exit) => {
    const host = { stdin: taken, stdout, env: own.env, ppid: process.ppid, on() {}, exit };
    runs.run(own, () => serve(async () => openTools(host), host));
  });
  return { stdin, stdout, stderr: () => own.stderr, ended };
};
