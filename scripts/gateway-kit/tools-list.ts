import { type ListAnswer, toAnswer, toList } from './answer.ts';
import { DefinitionError } from './errors.ts';
import type * as Kit from './gateway.d.ts';

/** With the slashes after it: an expression that takes slashes off any address would begin again at each of them. */
const PATH = /\/api\/tools\/list\/*$/;

interface KitReply {
  status: number;
  headers: Record<string, string>;
  /** Absent if there must be no body. */
  body?: string;
}

/** Whether a request is for the endpoint, also below a mount point: clients append the path to any configured URL. */
const isOurs = (url: string): boolean => {
  const [path = ''] = url.split(/[?#]/);
  return PATH.test(path);
};

/** Whether If-None-Match names a tag, by weak comparison (RFC 9110 §13.1.2), since compressing proxies weaken tags. */
const names = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);

const failure = (status: number, error: string, headers: Record<string, string> = {}): KitReply => {
  const body = JSON.stringify({ error });
  return { status, headers: { ...headers, ...describe(body), 'cache-control': 'no-store' }, body };
};

const describe = (body: string): Record<string, string> => ({
  'content-type': 'application/json; charset=utf-8',
  'content-length': String(Buffer.byteLength(body)),
});

/** Gives a function that reads the definitions and makes the answer, which is cached while they are the same. */
const reader = (
  definitions: Kit.Definitions | (() => Kit.Definitions | Promise<Kit.Definitions>),
  toJsonSchema: Kit.ToJsonSchema | undefined,
): (() => Promise<ListAnswer>) => {
  if (typeof definitions !== 'function') {
    const answer = toAnswer(toList(definitions, toJsonSchema));
    return async () => answer;
  }
  let last: { text: string; answer: ListAnswer } | undefined;
  return async () => {
    const list = toList(await definitions(), toJsonSchema);
    const text = JSON.stringify(list);
    if (last?.text !== text) last = { text, answer: toAnswer(list) };
    return last.answer;
  };
};

export const toolsList: typeof Kit.toolsList = (definitions, { toJsonSchema, onError } = {}) => {
  const answer = reader(definitions, toJsonSchema);

  const get = async (ifNoneMatch: string | null | undefined): Promise<KitReply> => {
    try {
      const { body, etag } = await answer();
      // May be cached, but must be revalidated each time: a release has to show in the next answer.
      const headers = { etag, 'cache-control': 'no-cache' };
      if (ifNoneMatch && names(ifNoneMatch, etag)) return { status: 304, headers };
      return { status: 200, headers: { ...headers, ...describe(body) }, body };
    } catch (error) {
      onError?.(error);
      // Other errors, such as a database's, must not be shown to clients.
      return failure(500, error instanceof DefinitionError ? error.message : 'the definitions could not be read');
    }
  };

  const reply = async (url: string, method: string, ifNoneMatch: string | null | undefined): Promise<KitReply> => {
    if (!isOurs(url)) return failure(404, 'not found');
    if (method !== 'GET' && method !== 'HEAD') return failure(405, 'only GET and HEAD', { allow: 'GET, HEAD' });
    const { body, ...bare } = await get(ifNoneMatch);
    return method === 'HEAD' || body === undefined ? bare : { ...bare, body };
  };

  return {
    answer,
    node: async (request, response, next) => {
      // Express removes the mount point from `url`.
      const url = request.originalUrl ?? request.url ?? '';
      if (next && !isOurs(url)) return void next();
      const { status, headers, body } = await reply(url, request.method ?? 'GET', request.headers['if-none-match']);
      response.writeHead(status, headers);
      response.end(body);
    },
    fetch: async ({ method, url, headers: given }) => {
      const { status, headers, body } = await reply(url, method, given.get('if-none-match'));
      return new Response(body ?? null, { status, headers });
    },
  };
};
