import type { IncomingMessage, ServerResponse } from 'node:http';
import { type FetchLikeMcpHandler, toNodeHandler } from '@modelcontextprotocol/node';

/** `toNodeHandler` for Node's own requests: Node's types do not say that a server's requests have a method. */
export const nodeHandler = (handler: FetchLikeMcpHandler) => {
  const handle = toNodeHandler(handler);
  return (request: IncomingMessage, response: ServerResponse, body?: unknown): Promise<void> => {
    const { method = '', url = '' } = request;
    return handle(Object.assign(request, { method, url }), response, body);
  };
};
