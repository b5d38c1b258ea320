import { request } from 'undici';
import { sha256 } from '../contract/canonical.ts';
import { LIMITS, NotAToolList, parseBounded, readToolList } from '../contract/read.ts';
import type { GatewayConfig } from '../state/config.ts';
import { quoteText } from '../text/quote.ts';
import type { Answer, Source, SourceProblem } from './source.ts';

const PATH = '/api/tools/list';
const MOST_REDIRECTS = 3;

/** `${NAME}` and `${NAME:-default}`, as Claude Code expands them in its own configuration. */
export const expand = (text: string, env: NodeJS.ProcessEnv): { text: string; unset: string[] } => {
  const unset: string[] = [];
  const expanded = text.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (whole, name: string, otherwise?: string) => {
    const value = env[name] ?? otherwise;
    if (value === undefined) unset.push(name);
    return value ?? whole;
  });
  return { text: expanded, unset };
};

/** Without user, password, query and fragment: fit to be shown and to be kept. */
export const safeUrl = (url: URL): string => `${url.origin}${url.pathname}`;

/** What an answer's text says. */
export const readAnswer = (text: string, etag: string | undefined): Answer => {
  try {
    return { status: 'answered', list: readToolList(parseBounded(text)), etag };
  } catch (error) {
    if (error instanceof NotAToolList) return { status: 'invalid', why: quoteText(error.message, 160).slice(1, -1) };
    throw error;
  }
};

/** Reads a body up to a limit; null beyond it. */
const readBody = async (body: AsyncIterable<Uint8Array>): Promise<string | null> => {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of body) {
    total += chunk.length;
    if (total > LIMITS.bytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const failure = (error: unknown, deadline: number): Answer => {
  const { name, code, message } = error as NodeJS.ErrnoException;
  const timedOut = name === 'TimeoutError' || name === 'AbortError' || /TIMEOUT/.test(code ?? '');
  const why = timedOut ? `no answer within ${deadline / 1000} s` : (code ?? quoteText(message ?? 'failed', 80));
  return { status: 'unreachable', why };
};

const get = async (
  start: URL,
  headers: Record<string, string>,
  known: string | undefined,
  deadline: number,
): Promise<Answer> => {
  const signal = AbortSignal.timeout(deadline);
  let url = start;
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    const response = await request(url, {
      headers: { ...headers, accept: 'application/json', ...(known === undefined ? {} : { 'if-none-match': known }) },
      signal,
      headersTimeout: deadline,
      bodyTimeout: deadline,
    });
    const { statusCode, headers: got, body } = response;
    if (statusCode === 200) {
      const text = await readBody(body);
      if (text === null) return { status: 'invalid', why: `the answer is larger than ${LIMITS.bytes} bytes` };
      return readAnswer(text, typeof got.etag === 'string' ? got.etag : undefined);
    }
    // Nobody reads the rest of an answer that is no tool list.
    body.destroy();
    if (statusCode === 304) return { status: 'same' };
    if (statusCode < 300 || statusCode >= 400 || typeof got.location !== 'string') {
      return { status: statusCode >= 500 ? 'unreachable' : 'invalid', why: `the gateway answered HTTP ${statusCode}` };
    }
    const next = new URL(got.location, url);
    // Headers may hold credentials: they go to nobody but the origin that the user named.
    if (next.origin !== start.origin) return { status: 'invalid', why: 'the gateway redirects to another origin' };
    url = next;
  }
  return { status: 'invalid', why: `the gateway redirects more than ${MOST_REDIRECTS} times` };
};

const parseUrl = (text: string): URL | null => {
  try {
    const url = new URL(text);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url : null;
  } catch {
    return null;
  }
};

/** A gateway's `GET /api/tools/list` as a source, or what is wrong with its settings. */
export const gatewaySource = (
  name: string,
  config: GatewayConfig,
  project: string,
  env: NodeJS.ProcessEnv,
): Source | SourceProblem => {
  const expanded = expand(config.url, env);
  const fields = Object.entries(config.headers ?? {}).map(
    ([field, value]) => [field.toLowerCase(), expand(value, env)] as const,
  );
  const unset = [...expanded.unset, ...fields.flatMap(([, value]) => value.unset)];
  if (unset.length > 0) return { name, why: `the environment variable ${unset[0]} is not set` };
  const url = parseUrl(expanded.text);
  if (url === null) return { name, why: 'its url is not an http or https URL' };
  if (!url.pathname.endsWith(PATH)) url.pathname = url.pathname.replace(/\/+$/, '') + PATH;

  const headers = Object.fromEntries(fields.map(([field, value]) => [field, value.text]));
  if (url.username !== '') {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.authorization ??= `Basic ${Buffer.from(credentials).toString('base64')}`;
    url.username = '';
    url.password = '';
  }
  // The same settings with another project's variables may be another account: not the same source.
  const varies = /\$\{/.test(config.url + Object.values(config.headers ?? {}).join()) ? project : '';
  const identity = JSON.stringify(['gateway', safeUrl(url), Object.keys(headers).sort(), name, varies]);
  const key = `${name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40)}-${sha256(identity).slice(0, 16)}`;
  return {
    key,
    name,
    where: safeUrl(url),
    covers: (server) => config.servers === undefined || (server !== undefined && config.servers.includes(server)),
    ask: async (known, deadline) => {
      const limit = Math.min(deadline, (config.timeout ?? 60) * 1000);
      try {
        return await get(url, headers, known, limit);
      } catch (error) {
        return failure(error, limit);
      }
    },
    request: { url: url.href, headers },
  };
};
