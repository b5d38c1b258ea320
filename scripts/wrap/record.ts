// Keeps what a host was given, and when: one list of tools a line, which `diff FILE@1 FILE@-1` compares.
import { appendFileSync, lstatSync } from 'node:fs';
import { defined } from '../contract/defined.ts';
import { parsedJson } from '../contract/parsed-json.ts';
import { own } from '../contract/types.ts';
import { writeError } from '../guard/answer.ts';
import { digestOf } from '../state/digest.ts';
import { readText, replaceFile } from '../state/files.ts';

/** Largest file, in bytes. Beyond that, the older half of the lists is removed. */
const LARGEST = 8 * 1024 * 1024;

const sizeOf = (path: string): number => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw new Error('it is no file');
  return found?.size ?? 0;
};

const linesOf = (path: string): string[] => (readText(path) ?? '').split('\n').filter((line) => line !== '');

/** The tools that a line holds; undefined if it is none of ours, or was not written completely. */
const listIn = (line: string): readonly unknown[] | undefined => {
  const tools = own(parsedJson(line), 'tools');
  return Array.isArray(tools) ? tools : undefined;
};

/** The digest of the last list in a file of this size, in bytes. @throws if the file holds anything else */
const lastList = (path: string, size: number): string | undefined => {
  if (size === 0) return undefined;
  const lines = linesOf(path);
  if (lines[0] === undefined || listIn(lines[0]) === undefined) throw new Error('the file holds something else');
  const last = listIn(lines.at(-1) as string);
  return last && digestOf(JSON.stringify(last));
};

/** Adds each list that differs from the one before it. If a list cannot be written, it is lost; one message says so. */
export class ListRecord {
  #last: string | undefined;
  #hasFailed = false;
  #hasRead = false;

  constructor(
    private readonly path: string,
    private readonly server: string | undefined,
  ) {}

  add(tools: readonly unknown[]): void {
    try {
      this.#write(tools);
    } catch (error) {
      if (this.#hasFailed) return;
      this.#hasFailed = true;
      const why = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
      writeError(`konnichiwagwan: what is served cannot be recorded: ${why}`);
    }
  }

  #write(tools: readonly unknown[]): void {
    const size = sizeOf(this.path);
    if (!this.#hasRead) this.#last = lastList(this.path, size);
    this.#hasRead = true;
    const now = digestOf(JSON.stringify(tools));
    if (now === this.#last) return;
    const at = new Date().toISOString();
    const line = `${JSON.stringify({ at, ...defined({ server: this.server }), tools })}\n`;
    const added = Buffer.byteLength(line);
    if (added > LARGEST) throw new Error('the list is too large');
    if (size + added > LARGEST) {
      const lines = linesOf(this.path);
      const newer = lines.slice(Math.ceil(lines.length / 2));
      replaceFile(this.path, newer.map((one) => `${one}\n`).join(''));
    }
    // In one write, so that lines of several servers never mix.
    appendFileSync(this.path, line, { mode: 0o600 });
    this.#last = now;
  }
}
