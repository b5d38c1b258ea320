// How a model's host behaves in time: a model reads a text of ours before it calls again, which `wrap` knows.
import { setTimeout as sleep } from 'node:timers/promises';

/** In ms; `wrap` holds a call that comes within 100 for one that was decided on before. */
const TAKES = 130;

export class Reading {
  #until = 0;

  /** The host gets a line. */
  heard(line: string): void {
    if (line.includes('konnichiwagwan')) this.#until = performance.now() + TAKES;
  }

  /** Waits until the model has read everything. */
  async end(): Promise<void> {
    const left = this.#until - performance.now();
    if (left > 0) await sleep(left);
  }
}
