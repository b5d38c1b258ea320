import { randomInt } from 'node:crypto';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InputStream, Io, OutputStream } from '../command/command.ts';

/** Where a person is asked. */
export interface Terminal {
  input: InputStream;
  output: OutputStream;
}

/** Whether there is a terminal to ask a person at. */
export const canAsk = ({ stdin, stdout }: Io): boolean => stdin.isTTY === true && stdout.isTTY === true;

/** The terminal for questions. With `--json`, only the envelope goes to standard output. */
export const terminalOf = ({ stdin, stdout, stderr }: Io, json: boolean): Terminal => ({
  input: stdin,
  output: json ? stderr : stdout,
});

export type Reply = 'yes' | 'no' | 'stop';
/** The answer about one of several: `same` is a yes whose reason also holds for the next ones. */
export type ReplyToOne = Reply | 'same';

/** How long keys are dropped before a question is shown, in ms: they were pressed before it. */
const TYPED_AHEAD = 150;
/** The least time, in ms, that a person takes for four digits and Enter; faster input was pasted, or sent by a program. */
const TYPED = 150;
const TRIES = 3;
const CTRL_C = 3;

/** Drops what was typed ahead: a person cannot agree to what is not yet on the screen. True if it held Ctrl-C. */
const drop = async (input: InputStream): Promise<boolean> => {
  let stopped = false;
  const listen = (keys: Buffer): void => {
    stopped ||= keys.includes(CTRL_C);
  };
  input.setRawMode?.(true);
  input.on('data', listen);
  input.resume();
  await sleep(TYPED_AHEAD);
  input.off('data', listen);
  input.pause();
  input.setRawMode?.(false);
  return stopped;
};

/** Asks for a line. Returns it, and how long typing took in ms; undefined for Ctrl-C and Ctrl-D. */
const ask = async (
  question: string,
  { input, output }: Terminal,
): Promise<{ line: string; took: number } | undefined> => {
  if (await drop(input)) return undefined;
  let first: number | undefined;
  const note = (): void => {
    first ??= Date.now();
  };
  // Added before readline's own listener, which answers within the same event.
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

/**
 * Asks a yes-or-no question at a terminal. Only `y` and `yes` mean yes; Ctrl-C and Ctrl-D mean stop.
 * @param onEnter what Enter alone means
 */
export const askPerson = async (question: string, terminal: Terminal, onEnter: 'yes' | 'no' = 'no'): Promise<Reply> => {
  const answer = await ask(`${question} ${onEnter === 'yes' ? '[Y/n]' : '[y/N]'} `, terminal);
  if (answer === undefined) return 'stop';
  if (answer.line === '') return onEnter;
  return /^y(es)?$/i.test(answer.line) ? 'yes' : 'no';
};

const REPLIES: Record<string, ReplyToOne> = {
  y: 'yes',
  yes: 'yes',
  n: 'no',
  no: 'no',
  '': 'no',
  a: 'same',
  q: 'stop',
  quit: 'stop',
};
const KEYS =
  '  y  yes, to what is shown above\n  n  no (Enter alone is no, too)\n  a  yes, and the same reason for the next ones of its server: each is still asked about\n  q  stop here; what was approved stays approved\n  ?  this list\n';

/** Asks about one of several things. Repeats the question after an unknown answer; three of them mean no. */
export const askAbout = async (question: string, terminal: Terminal): Promise<ReplyToOne> => {
  for (let tries = 0; tries < TRIES; tries++) {
    const answer = await ask(`${question} [y/n/a/q/?] `, terminal);
    if (answer === undefined) return 'stop';
    const word = answer.line.toLowerCase();
    if (Object.hasOwn(REPLIES, word)) return REPLIES[word] as ReplyToOne;
    terminal.output.write(KEYS);
  }
  return 'no';
};

/** Asks for a text; undefined for Ctrl-C and Ctrl-D. */
export const askText = async (question: string, terminal: Terminal): Promise<string | undefined> =>
  (await ask(`${question} `, terminal))?.line;

/** Has a person type four digits that are on the screen, key by key. False after three failures, or Ctrl-C or Ctrl-D. */
export const askCode = async (terminal: Terminal): Promise<boolean> => {
  const { output } = terminal;
  for (let tries = 0; tries < TRIES; tries++) {
    const code = String(randomInt(1_000, 10_000));
    const answer = await ask(`Only a person may approve. Type ${code}, then Enter: `, terminal);
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
