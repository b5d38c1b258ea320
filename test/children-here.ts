// What a run in this process starts: in this process as well, where that makes no difference.
import childProcess, { type SpawnOptions, type SpawnSyncOptions } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { accessSync, constants, existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import workerThreads from 'node:worker_threads';
import { attempt } from '../scripts/contract/attempt.ts';
import type { InstallPlace } from '../scripts/install/layout.ts';
import { ownNode } from '../scripts/install/own-node.ts';
import { atWork, type Heard } from '../scripts/resident/at-work.ts';
import { afterwards } from '../scripts/session/afterwards.ts';
import { environmentOf, ownOf, real, runs } from './own-process.ts';
import { HOOKS, runHook, runsHere } from './programs-here.ts';

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
