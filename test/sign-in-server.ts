// An MCP server behind a sign-in, and its authorization server, on loopback: OAuth 2.1 with PKCE, dynamic registration and
// metadata, as far as MCP requires them.
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';

interface Grant {
  challenge: string;
  redirect: string;
  client: string;
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += part;
  return text;
};

const send = (response: ServerResponse, status: number, body?: object, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
};

export const startSignInServer = async (tools: Contract[]) => {
  let listed = tools;
  const clients = new Set<string>();
  const grants = new Map<string, Grant>();
  const tokens = new Set<string>();
  const calls: { name: string; arguments: JsonObject }[] = [];
  /** The requests of all steps, in order. */
  const steps: string[] = [];
  let base = '';

  const metadata = () => ({
    issuer: base,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    registration_endpoint: `${base}/register`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
  });

  const register = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const client = randomUUID();
    clients.add(client);
    steps.push('register');
    send(response, 201, { ...JSON.parse(await bodyOf(request)), client_id: client });
  };

  const authorize = (url: URL, response: ServerResponse): void => {
    const wanted = (name: string): string => url.searchParams.get(name) ?? '';
    const client = wanted('client_id');
    if (!clients.has(client) || wanted('code_challenge_method') !== 'S256' || wanted('code_challenge') === '') {
      send(response, 400, { error: 'invalid_request' });
      return;
    }
    steps.push('authorize');
    const code = randomUUID();
    grants.set(code, { challenge: wanted('code_challenge'), redirect: wanted('redirect_uri'), client });
    const back = new URL(wanted('redirect_uri'));
    back.searchParams.set('code', code);
    if (url.searchParams.has('state')) back.searchParams.set('state', wanted('state'));
    response.writeHead(302, { location: back.href }).end();
  };

  const token = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const given = new URLSearchParams(await bodyOf(request));
    const grant = grants.get(given.get('code') ?? '');
    grants.delete(given.get('code') ?? '');
    const proof = createHash('sha256')
      .update(given.get('code_verifier') ?? '')
      .digest('base64url');
    const fits =
      grant?.challenge === proof &&
      grant.redirect === given.get('redirect_uri') &&
      grant.client === given.get('client_id');
    if (!fits) {
      send(response, 400, { error: 'invalid_grant' });
      return;
    }
    steps.push('token');
    const secret = `secret-${randomUUID()}`;
    tokens.add(secret);
    send(response, 200, { access_token: secret, token_type: 'Bearer', expires_in: 3600 });
  };

  const answerTo = (method: string, params: JsonObject): object | undefined => {
    if (method === 'initialize')
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'behind a sign-in', version: '1' },
      };
    if (method === 'tools/list') return { tools: listed };
    if (method !== 'tools/call') return undefined;
    const call = { name: String(params.name), arguments: (params.arguments ?? {}) as JsonObject };
    calls.push(call);
    return { content: [{ type: 'text', text: `served ${JSON.stringify(call.arguments)}` }] };
  };

  const mcp = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, secret = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    if (!tokens.has(secret)) {
      const about = `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource"`;
      send(response, 401, { error: 'invalid_token' }, { 'www-authenticate': about });
      return;
    }
    if (request.method !== 'POST') {
      send(response, 405);
      return;
    }
    const { id, method, params = {} } = JSON.parse(await bodyOf(request));
    if (id === undefined) {
      send(response, 202);
      return;
    }
    const result = answerTo(method, params);
    const answer = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
    send(response, 200, { jsonrpc: '2.0', id, ...answer });
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', base);
    const { pathname } = url;
    if (pathname.startsWith('/.well-known/oauth-protected-resource'))
      send(response, 200, { resource: `${base}/mcp`, authorization_servers: [base] });
    else if (pathname === '/.well-known/oauth-authorization-server') send(response, 200, metadata());
    else if (pathname === '/register') void register(request, response);
    else if (pathname === '/authorize') authorize(url, response);
    else if (pathname === '/token') void token(request, response);
    else if (pathname === '/mcp') void mcp(request, response);
    else send(response, 404, {});
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${base}/mcp`,
    calls,
    steps,
    release: (now: Contract[]): void => {
      listed = now;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
