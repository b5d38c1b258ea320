import type Http from 'node:http';
import { type Moment, thisMoment } from '../../state/circumstances.ts';
import { isEventStream } from '../http-answer.ts';
import { readEvents } from './read-events.ts';

/** The pause before it is opened again, in ms: doubled with each attempt. */
const PAUSE = { first: 1_000, longest: 60_000 };
/** A stream that lasted this many ms worked, so the next attempt comes soon. */
const GOOD = 30_000;

/** Who reads streams. */
export interface StreamReader {
  /** Asks the server for one. @param last the event after which it goes on */
  ask(last: string | undefined): Http.ClientRequest;
  take(message: Buffer, response: Http.IncomingMessage): void;
}

/** The server's stream of messages that belong to no request. It is opened again until it is dropped. */
export class OwnStream {
  /** When it began; undefined while there is none, or where its silence proves nothing. */
  since: Moment | undefined;
  #request: Http.ClientRequest | undefined;
  #last: string | undefined;
  #attempts = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly reader: StreamReader) {}

  /** @param isOfSession without a session it and the answers may come from different servers, so its silence proves nothing */
  open(isOfSession: boolean): void {
    this.#close();
    const request = this.reader.ask(this.#last);
    this.#request = request;
    let isNone = false;
    let began: number | undefined;
    request.on('response', (response) => {
      if (this.#request !== request) return void response.destroy();
      if (response.statusCode === 200 && isEventStream(response)) {
        began = Date.now();
        this.since = isOfSession ? thisMoment() : undefined;
        void readEvents(response, this.#last, (message, last) => {
          this.#last = last;
          if (message) this.reader.take(message, response);
        });
        return;
      }
      // No stream, or the session is forgotten: the next message finds that out.
      isNone = [404, 405, 501].includes(response.statusCode ?? 0) || response.statusCode === 200;
      // Its body says nothing to us, and may never end.
      response.destroy();
    });
    request.on('error', () => {});
    request.on('close', () => {
      if (this.#request !== request) return;
      this.since = undefined;
      if (began !== undefined && Date.now() - began > GOOD) this.#attempts = 0;
      if (isNone) return;
      const pause = Math.min(PAUSE.longest, PAUSE.first * 2 ** this.#attempts++);
      this.#timer = setTimeout(() => this.open(isOfSession), pause * (0.75 + Math.random() / 2)).unref();
    });
    request.end();
  }

  /** Ends it: the next one is of another session. */
  drop(): void {
    this.#close();
    this.#last = undefined;
  }

  #close(): void {
    clearTimeout(this.#timer);
    const request = this.#request;
    [this.#request, this.since] = [undefined, undefined];
    request?.destroy();
  }
}
