import type Http from 'node:http';
import { isObject, type JsonObject } from '../../contract/types.ts';
import type { PlainRequest } from '../request.ts';

/** A stream of events that a server keeps open. */
export interface Stream {
  close(): void;
}

export interface StreamEvents {
  /** The server has begun to send events. */
  open(): void;
  /** Something came, were it only a comment. */
  bytes(): void;
  message(message: JsonObject): void;
  /**
   * It is over: called once, and not after `close`.
   * @param status of the answer, if there was one; `odd` if it is no stream of events, or no end of them
   */
  end(status: number | 'odd' | undefined): void;
}

/** How long a server may take until it answers, in ms. */
const LONGEST_BEGINNING = 30_000;
/** Largest event that is read, and most that one stream may send, in bytes: what changed is said in less than 1 kB. */
const LARGEST_EVENT = 64 * 1024;
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_MESSAGES = 100;
const LONGEST_ID = 200;
/** After so long without a byte the system asks the other side whether it is still there, and gives up 10 s later, in ms. */
const PROBE_AFTER = 15_000;

/** Whether it is a request that can be answered, or none: an id has to be sent back. */
const hasPlainId = ({ id }: JsonObject): boolean =>
  id === undefined || typeof id === 'number' || (typeof id === 'string' && id.length <= LONGEST_ID);

const messagesIn = (event: string): JsonObject[] => {
  const data = event
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trimStart())
    .join('\n');
  if (data === '') return [];
  try {
    const parsed: unknown = JSON.parse(data);
    return (Array.isArray(parsed) ? parsed.slice(0, MOST_MESSAGES) : [parsed]).filter(
      (message): message is JsonObject => isObject(message) && hasPlainId(message as JsonObject),
    );
  } catch {
    return [];
  }
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
    request = http.request(url, { method, agent: false, headers: { ...headers, accept, ...length } });
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
    let rest = '';
    let total = 0;
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      if (isOver) return;
      total += text.length;
      const events = (rest + text).split(/\r?\n\r?\n/);
      rest = events.pop() ?? '';
      if (rest.length > LARGEST_EVENT || total > MOST_BYTES) return finish('odd');
      on.bytes();
      for (const message of events.filter((event) => event.length <= LARGEST_EVENT).flatMap(messagesIn)) {
        if (!isOver) on.message(message);
      }
    });
    response.on('end', () => finish(undefined));
    response.on('error', () => finish(undefined));
    on.open();
  });
  request.end(body);
  return { close: () => finish(undefined, false) };
};
