import type Http from 'node:http';

/** How long we read one server before others get a turn, and how long it then waits, in ms. */
const TURN = 5;
export const PAUSE = 20;

/** One server's share of this process's time. */
export class Share {
  #began: number | undefined;

  /** Call with each piece that is read. @returns whether it is the others' turn */
  isUsed(): boolean {
    const now = process.uptime() * 1_000;
    if (this.#began !== undefined) return now - this.#began > TURN;
    this.#began = now;
    setImmediate(() => {
      this.#began = undefined;
    });
    return false;
  }
}

/** Gives others a turn while an answer floods in. Call with each piece of it. */
export const sharing = (response: Http.IncomingMessage): (() => void) => {
  const share = new Share();
  let isPaused = false;
  return () => {
    if (isPaused || !share.isUsed()) return;
    isPaused = true;
    const { socket } = response;
    // The response alone would go on until its buffer is full, which very small pieces hardly fill.
    response.pause();
    socket.pause();
    setTimeout(() => {
      isPaused = false;
      socket.resume();
      response.resume();
    }, PAUSE);
  };
};
