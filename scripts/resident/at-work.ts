// What a thread of the resident guard does: the work that it is handed, and it reports the results.
import type { Head } from '../sources/head.ts';
import type { Repeated } from '../sources/revalidate.ts';
import { doWork, type Results, type Work } from './work.ts';

/** A message to a thread: a piece of work, or the answer to its question. */
export type Heard = { id: number; work: Work } | { question: number; reply: Repeated | undefined };

/** A message from a thread: it has begun, the result of a piece of work, or a question. */
export type WorkerMessage =
  | 'ready'
  | { id: number; result: Results[keyof Results] }
  | { id: number; failed: { name: string; code: string; stack: string } }
  | { question: number; key: string; head: Head; deadline: number };

/** @returns what handles each message to the thread */
export const atWork = (say: (said: WorkerMessage) => void): ((heard: Heard) => Promise<void>) => {
  const waiting = new Map<number, (reply: Repeated | undefined) => void>();
  let questions = 0;

  const askOver = (key: string, head: Head, deadline: number): Promise<Repeated | undefined> =>
    new Promise((done) => {
      const question = ++questions;
      waiting.set(question, done);
      say({ question, key, head, deadline });
    });

  return async (heard) => {
    if ('question' in heard) {
      waiting.get(heard.question)?.(heard.reply);
      waiting.delete(heard.question);
      return;
    }
    try {
      say({ id: heard.id, result: await doWork(heard.work, askOver) });
    } catch (error) {
      const { name, code, stack } = (error ?? {}) as NodeJS.ErrnoException;
      say({ id: heard.id, failed: { name: String(name), code: String(code), stack: String(stack ?? error) } });
    }
  };
};
