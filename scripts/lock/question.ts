import { randomInt } from 'node:crypto';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadStream, WriteStream } from 'node:tty';

export type Reply = 'yes' | 'no' | 'stop';

/** For so long, in ms, keys are dropped that were pressed before there was a question. */
const TYPED_AHEAD = 150;
/** Nobody types four digits and Enter faster, in ms; what comes at once was pasted, or sent by a program. */
const TYPED = 150;
const TRIES = 3;
const CTRL_C = 3;

/** Drops what was typed ahead: nobody agrees to what is not on the screen yet. True if it was Ctrl-C. */
const drop = async (input: ReadStream): Promise<boolean> => {
  let stopped = false;
  const listen = (keys: Buffer): void => {
    stopped ||= keys.includes(CTRL_C);
  };
  input.setRawMode(true);
  input.on('data', listen);
  input.resume();
  await sleep(TYPED_AHEAD);
  input.off('data', listen);
  input.pause();
  input.setRawMode(false);
  return stopped;
};

/** The line that was typed, and for how long in ms; undefined for Ctrl-C and Ctrl-D. */
const ask = async (
  question: string,
  input: ReadStream,
  output: WriteStream,
): Promise<{ line: string; took: number } | undefined> => {
  if (await drop(input)) return undefined;
  let first: number | undefined;
  const note = (): void => {
    first ??= Date.now();
  };
  // Before readline, which answers within the same event.
  input.prependListener('data', note);
  const lines = createInterface({ input, output, terminal: true, historySize: 0 });
  return new Promise((done) => {
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => {
      input.off('data', note);
      done(undefined);
    });
    lines.question(question, (line) => {
      done({ line: line.trim(), took: Date.now() - (first ?? Date.now()) });
      lines.close();
    });
  });
};

/** Asks at a terminal. Only `y` and `yes` are yes; Ctrl-C and Ctrl-D stop. */
export const askPerson = async (question: string, input: ReadStream, output: WriteStream): Promise<Reply> => {
  const answer = await ask(`${question} [y/N] `, input, output);
  if (answer === undefined) return 'stop';
  return /^y(es)?$/i.test(answer.line) ? 'yes' : 'no';
};

/** Asks for a text; undefined for Ctrl-C and Ctrl-D. */
export const askText = async (question: string, input: ReadStream, output: WriteStream): Promise<string | undefined> =>
  (await ask(`${question} `, input, output))?.line;

/** Has four digits typed that are on the screen, key by key. False where somebody else gives up, or Ctrl-C. */
export const askCode = async (input: ReadStream, output: WriteStream): Promise<boolean> => {
  for (let tries = 0; tries < TRIES; tries++) {
    const code = String(randomInt(1_000, 10_000));
    const answer = await ask(`This is for a person. Type ${code}, then Enter: `, input, output);
    if (answer === undefined) break;
    if (answer.line === code && answer.took >= TYPED) {
      output.write('\n');
      return true;
    }
    output.write(
      answer.line === code ? 'That came all at once. Type it, key by key.\n' : 'Those are not the digits.\n',
    );
  }
  output.write('\n');
  return false;
};
