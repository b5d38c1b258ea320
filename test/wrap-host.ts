// A host of wrap, with a program behind it that a test controls.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { driveWrap, type Wrapping } from './drive-streams.ts';
import { Reading } from './reading.ts';

type Streams = Pick<Wrapping, 'stdin' | 'stdout'>;

export interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any form
  result?: any;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  error?: any;
}

/** A host that speaks to a server, one message per line. */
export class WrapHost<S extends Streams = Streams> {
  readonly child: S;
  /** What the server sent without a request. */
  readonly notes: { method: string; params?: unknown }[] = [];
  readonly #open = new Map<number, (answer: Answer) => void>();
  readonly #ended: Promise<number | null>;
  readonly #reading = new Reading();
  #count = 0;

  constructor(child: S, ended: Promise<number | null>) {
    this.child = child;
    this.#ended = ended;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      this.#reading.heard(line);
      if (message.method !== undefined) this.notes.push(message);
      else this.#open.get(message.id)?.(message);
    });
  }

  /** Waits as long as a model takes to read the last answer. */
  read(): Promise<void> {
    return this.#reading.end();
  }

  request(method: string, params: object = {}): Promise<Answer> {
    const id = this.#count++;
    return new Promise((resolve) => {
      this.#open.set(id, resolve);
      this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  }

  async begin(): Promise<Answer> {
    const clientInfo = { name: 'test', version: '1' };
    const answer = await this.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    return answer;
  }

  async tools(): Promise<{ name: string; [key: string]: unknown }[]> {
    return (await this.request('tools/list')).result.tools;
  }

  /** The text of the answer, with `!` before it if it is an error. */
  async call(name: string, args: object = {}): Promise<string> {
    await this.read();
    const { result, error } = await this.request('tools/call', { name, arguments: args });
    if (error !== undefined) return `!${error.message}`;
    return `${result.isError ? '!' : ''}${result.content.map(({ text }: { text: string }) => text).join('\n')}`;
  }

  end(): Promise<number | null> {
    this.child.stdin.end();
    return this.#ended;
  }
}

export type ProcessHost = WrapHost<ChildProcessWithoutNullStreams>;

/** A host of a process. */
export const hostOfProgram = (command: string, args: string[], env: NodeJS.ProcessEnv): ProcessHost => {
  const child = spawn(command, args, { env, stdio: 'pipe' });
  return new WrapHost(child, new Promise((done) => child.once('exit', done)));
};

/** A host of wrap. @param words what follows `wrap` */
export const hostOfWrap = (words: string[], env: NodeJS.ProcessEnv): WrapHost => {
  const wrapping = driveWrap(words, env, process.cwd());
  return new WrapHost(wrapping, wrapping.ended);
};
