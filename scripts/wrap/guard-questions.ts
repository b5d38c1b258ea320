// Answers what the guard asks about the server. A question is one line of JSON on a connection, and so is the answer.
import type { Socket } from 'node:net';
import { defined } from '../contract/defined.ts';
import { nextCursor } from '../contract/next-cursor.ts';
import { parsedJson } from '../contract/parsed-json.ts';
import { toJson } from '../contract/to-json.ts';
import { isObject } from '../contract/types.ts';
import { METHODS, PARTS } from '../sources/mcp/list-parts.ts';
import type { WrapQuestion } from '../sources/wrapped.ts';
import { digestOf } from '../state/digest.ts';
import type { Listed } from './own-requests.ts';
import type { Upstream } from './relay.ts';

const LONGEST_QUESTION = 256 * 1024;
const MOST_PAGES = 64;

/** All pages of a list; undefined if the server does not know it. @throws an error that says what is wrong */
const pagesOf = async (upstream: Upstream, method: string, part: string): Promise<unknown[] | undefined> => {
  const items: unknown[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const { result, error } = await upstream.request(method, defined({ cursor }));
    if (isObject(error) && error.code === -32601) return undefined;
    if (!isObject(result)) throw new Error(error === undefined ? 'no answer in time' : 'it answered with an error');
    if (Array.isArray(result[part])) items.push(...(result[part] as unknown[]));
    cursor = nextCursor(result);
    if (cursor === undefined) return items;
  }
  throw new Error('the list does not end');
};

/** What we know of the server besides its lists. */
export interface KnownOfServer {
  /** All variables of our process, which the server has, too. */
  given: NodeJS.ProcessEnv;
  /** The server's tool for each name that we gave to one. */
  standsFor: () => Record<string, string> | undefined;
}

/** Our answer to the guard, as one line of JSON. */
const answerTo = async (
  question: WrapQuestion,
  upstream: Upstream,
  { given, standsFor }: KnownOfServer,
): Promise<object> => {
  const isOther = Object.entries(question.env).some(([name, digest]) => digestOf(given[name] ?? '') !== digest);
  if (isOther) return { other: true };
  if (question.lists.includes('served')) return { tools: (await upstream.served()).map((text) => JSON.parse(text)) };
  const listed: Listed = question.lists.includes('tools') ? await upstream.look() : { tools: [], result: {} };
  if (listed.failed !== undefined) return { tools: [], failed: listed.failed };
  const lists: Record<string, unknown> = {};
  const unread: Record<string, string> = {};
  for (const kind of ['prompts', 'resources'] as const) {
    if (!question.lists.includes(kind)) continue;
    try {
      for (const part of PARTS[kind]) lists[part] = (await pagesOf(upstream, METHODS[part], part)) ?? [];
    } catch (error) {
      unread[kind] = (error as Error).message;
    }
  }
  return { ...lists, tools: listed.tools, unread, ...defined({ standsFor: standsFor() }) };
};

const isQuestion = (value: unknown): value is WrapQuestion =>
  isObject(value) && isObject(value.env) && Array.isArray(value.lists);

/** Answers the question that comes on a connection, and ends it. */
export const answerOn = (socket: Socket, upstream: Upstream, known: KnownOfServer): void => {
  let text = '';
  socket.unref();
  socket.setEncoding('utf8');
  socket.on('error', () => socket.destroy());
  socket.on('data', (part: string) => {
    text += part;
    if (text.length > LONGEST_QUESTION) return void socket.destroy();
    if (!text.endsWith('\n')) return;
    const question = parsedJson(text);
    if (!isQuestion(question)) return void socket.destroy();
    answerTo(question, upstream, known).then(
      (answer) => socket.end(`${toJson(answer)}\n`),
      () => socket.destroy(),
    );
  });
};
