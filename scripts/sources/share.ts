import type Http from 'node:http';

/** How long one server may be read in one turn of this process, and how long it waits after that, in ms. */
const TURN = 5;
export const PAUSE = 20;

/** What one server takes of the time that this process has for all of them. */
export class Share {
  #began: number | undefined;

  /** To be called with each piece that is read. @returns whether it is the others' turn */
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

/** Lets others have their turn while an answer floods in. To be called with each piece of it. */
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
