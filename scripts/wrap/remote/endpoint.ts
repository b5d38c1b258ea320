import type Http from 'node:http';
import { keptTunnels, ProxyRefused, wayTo } from '../../sources/proxy.ts';
import type { RemoteTarget } from '../settings.ts';

/** After so long without a byte the system asks the other side whether it is still there, in ms. */
const PROBE_AFTER = 15_000;
/** Errors of a request that was never sent: no connection, or a certificate that is not accepted, which is seen before that. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Why a message got no answer. */
interface NoAnswer {
  why: string;
  /** Whether the server cannot have read it. */
  isUnsent: boolean;
  /** Whether it was sent over a kept connection, which the server may just have closed. */
  wasKept: boolean;
}

/** A message to post. */
interface Post {
  url: URL;
  headers: Record<string, string>;
  body: Buffer;
  /** Whether a kept connection may be used. */
  mayReuse: boolean;
}

/** A server's address: it is reached with the entry's headers, and through the proxy that the variables name. */
export class Endpoint {
  readonly url: URL;
  /** Where the server answered last: its URL, or where a redirect led. Its streams begin and its session ends there. */
  at: URL;
  readonly #headers: Record<string, string>;
  readonly #http: typeof Http;
  readonly #agent: Http.Agent;

  constructor(
    { url, headers }: RemoteTarget,
    private readonly env: NodeJS.ProcessEnv,
  ) {
    this.url = url;
    this.at = url;
    this.#headers = headers;
    this.#http = url.protocol === 'https:' ? require('node:https') : require('node:http');
    this.#agent = keptTunnels(url, env) ?? new this.#http.Agent({ keepAlive: true });
  }

  /** @throws if HTTP does not allow a header or the URL */
  request(url: URL, method: string, more: Record<string, string>, mayReuse = true): Http.ClientRequest {
    const kept = mayReuse ? this.#agent : undefined;
    const { options, headers } = wayTo(url, kept, undefined, this.env);
    const request = this.#http.request(url, {
      method,
      agent: kept ?? false,
      ...options,
      headers: { ...this.#headers, ...more, ...headers },
    });
    return request.on('socket', (socket) => socket.setKeepAlive(true, PROBE_AFTER));
  }

  /** Posts a message. One of `answered` and `failed` is called, once. @param on `begun` gets the request, to destroy it */
  post(
    { url, headers, body, mayReuse }: Post,
    on: {
      begun(request: Http.ClientRequest): void;
      answered(response: Http.IncomingMessage): void;
      failed(how: NoAnswer): void;
    },
  ): void {
    let request: Http.ClientRequest;
    try {
      const more = {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'accept-encoding': 'identity',
        'content-length': String(body.length),
      };
      request = this.request(url, 'POST', more, mayReuse);
    } catch (error) {
      const why = `it cannot be asked (${(error as NodeJS.ErrnoException).code})`;
      on.failed({ why, isUnsent: true, wasKept: false });
      return;
    }
    on.begun(request);
    let isSettled = false;
    const fail = (why: string, isUnsent: boolean, wasKept: boolean): void => {
      if (!isSettled) on.failed({ why, isUnsent, wasKept });
      isSettled = true;
    };
    request.on('response', (response) => {
      isSettled = true;
      on.answered(response);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isUnsent = NOT_SENT.has(error.code ?? '') || error instanceof ProxyRefused;
      const why = `it cannot be reached (${error.code ?? 'the connection broke off'})`;
      fail(why, isUnsent, mayReuse && request.reusedSocket);
    });
    request.on('close', () => fail('the connection broke off', false, false));
    request.end(body);
  }

  /** Asks for a stream of events. @param last the event after which it goes on */
  stream(headers: Record<string, string>, last: string | undefined): Http.ClientRequest {
    const more = {
      ...headers,
      accept: 'text/event-stream',
      'accept-encoding': 'identity',
      ...(last === undefined ? {} : { 'last-event-id': last }),
    };
    return this.request(this.at, 'GET', more, false);
  }

  /** Where a redirect leads; undefined if no message may follow it there. */
  redirect(status: number, location: string | undefined, from: URL): URL | undefined {
    const to = location !== undefined && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
    // Headers hold credentials, which are for this server alone.
    if (to?.origin !== this.url.origin || (status !== 307 && status !== 308)) return undefined;
    // A whole URL names none of its own.
    [to.username, to.password] = [this.url.username, this.url.password];
    return to;
  }

  close(): void {
    this.#agent.destroy();
  }
}
