import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadStream, WriteStream } from 'node:tty';

export type Reply = 'yes' | 'no' | 'stop';

/** For so long, in ms, keys are dropped that were pressed before there was a question. */
const TYPED_AHEAD = 150;
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

/** Asks at a terminal. Only `y` and `yes` are yes; Ctrl-C and Ctrl-D stop. */
export const askPerson = async (question: string, input: ReadStream, output: WriteStream): Promise<Reply> => {
  if (await drop(input)) return 'stop';
  const lines = createInterface({ input, output, terminal: true, historySize: 0 });
  return new Promise((done) => {
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => done('stop'));
    lines.question(`${question} [y/N] `, (answer) => {
      done(/^\s*y(es)?\s*$/i.test(answer) ? 'yes' : 'no');
      lines.close();
    });
  });
};
