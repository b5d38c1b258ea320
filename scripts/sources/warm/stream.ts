import type Http from 'node:http';
import { parsedJson } from '../../contract/parsed-json.ts';
import { isObject, type JsonObject } from '../../contract/types.ts';
import { eventReader } from '../events.ts';
import { wayTo } from '../proxy.ts';
import type { PlainRequest } from '../request.ts';
import { sharing } from '../share.ts';

/** A stream of events that a server keeps open. */
export interface Stream {
  close(): void;
}

export interface StreamEvents {
  /** The server has begun to send events. */
  open(): void;
  /** Something arrived, even if only a comment. */
  bytes(): void;
  message(message: JsonObject): void;
  /**
   * It is over: called once, and not after `close`.
   * @param status of the answer, if there was one; `odd` if it is not a stream of events, or an endless one
   */
  end(status: number | 'odd' | undefined): void;
}

/** How long a server may take to answer, in ms. */
const LONGEST_BEGINNING = 30_000;
/** Largest event that is read, and most that one stream may send, in bytes: announcing a change takes under 1 kB. */
const LARGEST_EVENT = 64 * 1024;
const MOST_BYTES = 8 * 1024 * 1024;
/** What a piece costs on top of its bytes, in bytes: this limits the number of tiny ones. */
const PIECE = 32;
const MOST_MESSAGES = 100;
const LONGEST_ID = 200;
/** After this many ms without a byte, the system asks whether the other side is still there; it gives up 10 s later. */
const PROBE_AFTER = 15_000;

/** Whether its id can be sent back, or it has none. */
const hasPlainId = ({ id }: JsonObject): boolean =>
  id === undefined || typeof id === 'number' || (typeof id === 'string' && id.length <= LONGEST_ID);

const messagesIn = (data: Buffer): JsonObject[] => {
  const parsed = parsedJson(data.toString('utf8'));
  return (Array.isArray(parsed) ? parsed.slice(0, MOST_MESSAGES) : [parsed]).filter(
    (message): message is JsonObject => isObject(message) && hasPlainId(message as JsonObject),
  );
};

/** Opens a stream of events, on a connection of its own, which keeps no process alive. Never throws. */
export const openStream = ({ method = 'GET', url, headers, body }: PlainRequest, on: StreamEvents): Stream => {
  const http: typeof Http = url.startsWith('https:') ? require('node:https') : require('node:http');
  let isOver = false;
  let request: Http.ClientRequest | undefined;
  const finish = (status: number | 'odd' | undefined, isSaid = true): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    request?.destroy();
    if (isSaid) on.end(status);
  };
  const timer = setTimeout(() => finish(undefined), LONGEST_BEGINNING).unref();
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const accept = body === undefined ? 'text/event-stream' : 'application/json, text/event-stream';
  try {
    const { options, headers: more } = wayTo(url);
    request = http.request(url, {
      method,
      agent: false,
      ...options,
      headers: { ...headers, accept, ...length, ...more },
    });
  } catch {
    // A header or URL that HTTP does not allow.
    queueMicrotask(() => finish('odd'));
    return { close: () => finish(undefined, false) };
  }
  request.on('socket', (socket) => socket.unref().setKeepAlive(true, PROBE_AFTER));
  request.on('error', () => finish(undefined));
  request.on('close', () => finish(undefined));
  request.on('response', (response) => {
    clearTimeout(timer);
    const { statusCode = 0 } = response;
    if (statusCode !== 200) return finish(statusCode);
    if (!String(response.headers['content-type']).startsWith('text/event-stream')) return finish('odd');
    let total = 0;
    const share = sharing(response);
    const take = eventReader(
      {
        event: ({ data }) => {
          if (isOver) return;
          on.bytes();
          for (const message of messagesIn(data)) if (!isOver) on.message(message);
        },
        retry: () => {},
      },
      LARGEST_EVENT,
    );
    response.on('data', (chunk: Buffer) => {
      if (isOver) return;
      total += chunk.length + PIECE;
      on.bytes();
      if (!take(chunk) || total > MOST_BYTES) return finish('odd');
      share();
    });
    response.on('end', () => finish(undefined));
    response.on('error', () => finish(undefined));
    on.open();
  });
  request.end(body);
  return { close: () => finish(undefined, false) };
};
