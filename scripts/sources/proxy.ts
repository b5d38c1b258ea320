// The way to a server through a proxy, where the user's variables name one: as Claude Code itself goes there (2.1.330 and
// 2.1.197, measured). One variable is enough for both kinds of URL.
import Http from 'node:http';
import Https from 'node:https';
import { type Duplex, Readable } from 'node:stream';
import { type ConnectionOptions, connect } from 'node:tls';
import { defined } from '../contract/defined.ts';
import { decoded } from '../contract/percent.ts';
import { NO_PROXY, PROXY } from '../servers/proxy-variables.ts';

/** How long a connection may take to open, in ms, where nothing else limits it. */
const LONGEST_OPENING = 30_000;
const MOST_REDIRECTS = 3;

const firstOf = (names: readonly string[], env: NodeJS.ProcessEnv): string =>
  names.map((name) => env[name]).find(Boolean) ?? '';

/** Claude Code asks the proxy for these as well; but only one on this machine could reach them, and so can we. */
const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|::1)$/;

const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

/** A host of `NO_PROXY`, and the port, if it is for one alone. */
const entryOf = (text: string): [host: string, port?: string] => {
  const isAddress = text.split(':').length > 2 && !text.startsWith('[');
  const [, host = '', port] = (!isAddress && /^(.+):(\d+)$/.exec(text)) || [];
  return port === undefined ? [withoutBrackets(text)] : [withoutBrackets(host), port];
};

/** Whether `NO_PROXY` names a host: itself, a domain above it, either with a port, or all. */
const isExempt = (host: string, port: string, exempt: string): boolean =>
  exempt.split(/[,\s]+/).some((text) => {
    const [name, only = port] = entryOf(text.toLowerCase().replace(/^\*?\./, ''));
    return name === '*' || (name !== '' && only === port && (host === name || host.endsWith(`.${name}`)));
  });

/** The proxy for a URL; undefined if it is reached directly. */
export const proxyFor = (url: URL, env: NodeJS.ProcessEnv = process.env): URL | undefined => {
  const named = firstOf(PROXY, env);
  if (!/^https?:\/\//i.test(named) || !URL.canParse(named)) return undefined;
  const host = withoutBrackets(url.hostname);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return LOOPBACK.test(host) || isExempt(host, port, firstOf(NO_PROXY, env)) ? undefined : new URL(named);
};

/** The header with the name and password of a proxy, if it has any. */
export const loginOf = ({ username, password }: URL): { 'proxy-authorization'?: string } => {
  if (username === '') return {};
  const login = [username, password].map((part) => decoded(part) ?? part).join(':');
  return { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
};

/** The proxy opened no connection: nothing reached the server. */
export class ProxyRefused extends Error {
  readonly code: string;

  constructor(status: number | undefined) {
    super('the proxy refused');
    this.code = `the proxy answered HTTP ${status}`;
  }
}

/** Nothing was sent: the server takes no TLS, and its proxy nothing else. */
class ProxyTakesTls extends Error {
  readonly code = 'a proxy with an https:// address is for https servers alone';
}

/** Connections to servers that a proxy passes on without reading them. */
class Tunnels extends Https.Agent {
  readonly #proxy: URL;
  readonly #isKept: boolean;

  constructor(proxy: URL, isKept: boolean) {
    super({ keepAlive: isKept });
    this.#proxy = proxy;
    this.#isKept = isKept;
  }

  override createConnection(
    options: Http.ClientRequestArgs,
    done?: (error: Error | null, socket: Duplex) => void,
  ): null {
    const failed = (error: Error): void => done?.(error, undefined as never);
    const { protocol, hostname, port } = this.#proxy;
    const to = `${options.host?.includes(':') ? `[${options.host}]` : options.host}:${options.port}`;
    const asked = (protocol === 'https:' ? Https : Http).request({
      hostname: withoutBrackets(hostname),
      port,
      method: 'CONNECT',
      path: to,
      headers: { host: to, ...loginOf(this.#proxy) },
      agent: false,
      ...defined({ timeout: options.timeout, signal: options.signal }),
    });
    if (this.#isKept) asked.on('socket', (socket) => socket.unref());
    asked.on('timeout', () => asked.destroy(new Error('the proxy did not answer')));
    asked.on('connect', ({ statusCode }, socket) => {
      if (String(statusCode).startsWith('2'))
        return done?.(null, connect({ ...(options as ConnectionOptions), socket }));
      socket.destroy();
      failed(new ProxyRefused(statusCode));
    });
    asked.on('error', failed);
    asked.end();
    return null;
  }
}

/**
 * Connections that are kept for later requests to a URL through a proxy; undefined where it needs none of its own: it is
 * reached directly, or its requests are not encrypted.
 */
export const keptTunnels = (url: URL, env?: NodeJS.ProcessEnv): Https.Agent | undefined => {
  const proxy = url.protocol === 'https:' ? proxyFor(url, env) : undefined;
  return proxy && new Tunnels(proxy, true);
};

/** What a request needs in order to go through a proxy; both empty where there is none. */
export interface Way {
  options: Http.RequestOptions;
  headers: { host?: string; 'proxy-authorization'?: string };
}

/**
 * The way to a URL, for `request` of Node's own http or https.
 * @param kept what keeps the connection for later requests: for https, of `keptTunnels`
 * @param within how long it may take to open, in ms
 * @throws where a proxy with an https:// address would have to pass on what is not encrypted
 */
export const wayTo = (
  target: string | URL,
  kept?: Http.Agent,
  within = LONGEST_OPENING,
  env?: NodeJS.ProcessEnv,
): Way => {
  const url = new URL(target);
  const proxy = proxyFor(url, env);
  if (proxy === undefined) return { options: {}, headers: {} };
  if (url.protocol === 'https:')
    return { options: { agent: kept ?? new Tunnels(proxy, false), timeout: within }, headers: {} };
  // What is sent to it without TLS would be read on the way.
  if (proxy.protocol === 'https:') throw new ProxyTakesTls();
  const host = withoutBrackets(proxy.hostname);
  // A request that is not encrypted is sent to the proxy itself, with the whole URL as its path.
  const path = `${url.origin}${url.pathname}${url.search}`;
  return {
    options: { hostname: host, host, port: proxy.port || '80', path },
    headers: { host: url.host, ...loginOf(proxy) },
  };
};

/** Answers that have no body. */
const BARE = new Set([204, 205, 304]);

/** `fetch` through a proxy, for texts; follows redirects within the same origin that keep the method. */
export const fetchThrough = (url: URL, init: RequestInit, redirects = MOST_REDIRECTS): Promise<Response> =>
  new Promise((resolve, reject) => {
    const { options, headers } = wayTo(url);
    const { method = 'GET', signal, body } = init;
    const made = (url.protocol === 'https:' ? Https : Http).request(url, {
      method,
      agent: false,
      ...options,
      ...(signal ? { signal } : {}),
      headers: { ...Object.fromEntries(new Headers(init.headers)), ...headers },
    });
    made.on('error', reject);
    const take = (answer: Http.IncomingMessage): void => {
      const { statusCode: status = 0, headers: got } = answer;
      const next = [307, 308].includes(status) && got.location ? new URL(got.location, url) : undefined;
      if (next?.origin === url.origin && redirects > 0) {
        answer.resume();
        resolve(fetchThrough(next, init, redirects - 1));
        return;
      }
      const names = Object.entries(got).map(([name, value]) => [name, String(value)] as [string, string]);
      const response = new Response(BARE.has(status) ? null : (Readable.toWeb(answer) as ReadableStream), {
        status,
        headers: names,
      });
      Object.defineProperty(response, 'url', { value: url.href });
      resolve(response);
    };
    made.on('response', (answer) => {
      try {
        take(answer);
      } catch (error) {
        // A place that is no URL, or a status that no `Response` may have.
        answer.destroy();
        reject(error);
      }
    });
    made.end(typeof body === 'string' ? body : undefined);
  });
