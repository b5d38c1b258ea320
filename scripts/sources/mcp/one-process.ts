import type { ChildProcess } from 'node:child_process';
import { StdioClientTransport, type StdioServerParameters } from '@modelcontextprotocol/client/stdio';
import { quoteText } from '../../text/quote.ts';
import type { Deadline } from '../deadline.ts';
import { endProgram } from './end-program.ts';

/** Without the values of variables that are named like secrets: programs complain about a key by printing it. */
const withoutSecrets = (line: string, env: Record<string, string>): string =>
  Object.entries(env)
    .filter(([name, value]) => value.length >= 6 && /key|token|secret|pass|auth|cred/i.test(name))
    // One secret may be part of another.
    .sort(([, a], [, b]) => b.length - a.length)
    .reduce((text, [name, value]) => text.replaceAll(value, `(the value of ${name})`), line);

/** How many characters of a program's standard error are kept: its last line is shown. */
const MOST_SAID = 4_096;

/** The library's private field for the child process. Its output stays open while anything that it started holds it. */
type Internals = { _process?: ChildProcess };

/**
 * Lets the library find out the server's revision of MCP in the same process: with its own transport it would start a
 * second copy of the program. Also ends everything that the program started: the library ends only its own child process,
 * which may be a mere wrapper.
 */
export class OneProcess extends StdioClientTransport {
  #ended: Promise<void> | undefined;
  readonly #left: () => number;
  readonly #env: Record<string, string>;
  /** The last part of its standard error. */
  #said = '';
  #exit: string | undefined;

  constructor(parameters: StdioServerParameters, { left }: Deadline) {
    super({ ...parameters, stderr: 'pipe' });
    this.#left = left;
    this.#env = parameters.env ?? {};
    this.stderr?.on('data', (chunk: Buffer) => {
      this.#said = (this.#said + chunk.toString('utf8')).slice(-MOST_SAID);
    });
  }

  override async start(): Promise<void> {
    await super.start();
    const child = (this as unknown as Internals)._process;
    child?.once('exit', (code, signal) => {
      // Once we end it, its exit tells nothing.
      if (this.#ended === undefined) this.#exit = code === null ? `by ${signal}` : `with exit code ${code}`;
    });
  }

  /** How the program ended, if by itself, and its last line on standard error, which is meant for people. */
  howItEnded(): string | undefined {
    const line = this.#said.trimEnd().split('\n').at(-1)?.trim();
    // A program may write anything, and a model would take it for our words.
    const said = line && !process.env.CLAUDECODE ? `: ${quoteText(withoutSecrets(line, this.#env), 200)}` : '';
    return this.#exit && `${this.#exit}${said}`;
  }

  /** The library calls this without waiting if connecting fails: a second call waits for the same end. */
  override close(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    const child = (this as unknown as Internals)._process;
    if (child?.pid === undefined) return super.close();
    const closed = new Promise((done) => child.once('close', done));
    let closing: Promise<void> | undefined;
    await endProgram(
      child.pid,
      () => {
        closing = super.close();
      },
      closed,
      this.#left,
    );
    // A process that still holds the output must not keep us from ending.
    child.stdout?.destroy();
    await closing;
  }
}
