import type Http from 'node:http';
import { PassThrough } from 'node:stream';

/** What the host reads. While it has no room, the answers that fill it are not read on. */
export class HostOutput {
  readonly stream = new PassThrough({ highWaterMark: 1024 * 1024 });
  readonly #waiting = new Set<Http.IncomingMessage>();

  constructor() {
    this.stream.on('drain', () => {
      for (const response of this.#waiting) response.resume();
      this.#waiting.clear();
    });
  }

  /** @returns whether there is room for more */
  write(line: Buffer): boolean {
    return !this.stream.writable || this.stream.write(Buffer.concat([line, Buffer.from('\n')]));
  }

  /** Reads a response on once there is room. */
  wait(response: Http.IncomingMessage): void {
    response.pause();
    this.#waiting.add(response);
  }
}
