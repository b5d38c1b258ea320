import type { IncomingMessage } from 'node:http';
import { LONGEST_ANSWER } from './limits.ts';

export interface PlainRequest {
  url: string;
  headers: Record<string, string>;
}

export type Reply =
  | { status: 304 }
  | { status: 200; text: string; etag?: string }
  | { status: 'timeout' }
  /** Anything else that is not a plain answer: errors, redirects, too much of it. The longer way finds out which. */
  | { status: 'other' };

/**
 * Asks whether an answer is still the same, with Node's own http. In a process that lives for one request that is 100 ms
 * faster than undici, which does everything else.
 * @param deadline milliseconds
 */
export const conditionalGet = ({ url, headers }: PlainRequest, etag: string, deadline: number): Promise<Reply> =>
  new Promise((resolve) => {
    // Loaded here and not above: most calls end before they need it.
    const http = url.startsWith('https:') ? require('node:https') : require('node:http');
    const give = (reply: Reply): void => {
      clearTimeout(timer);
      request.destroy();
      resolve(reply);
    };
    const request = http.get(
      url,
      { agent: false, headers: { ...headers, accept: 'application/json', 'if-none-match': etag } },
      (response: IncomingMessage) => {
        if (response.statusCode === 304) return give({ status: 304 });
        if (response.statusCode !== 200) return give({ status: 'other' });
        const chunks: Buffer[] = [];
        let total = 0;
        response.on('data', (chunk: Buffer) => {
          total += chunk.length;
          if (total > LONGEST_ANSWER) give({ status: 'other' });
          else chunks.push(chunk);
        });
        response.on('end', () =>
          give({ status: 200, text: Buffer.concat(chunks).toString('utf8'), etag: response.headers.etag }),
        );
        response.on('error', () => give({ status: 'other' }));
      },
    );
    const timer = setTimeout(() => give({ status: 'timeout' }), deadline);
    request.on('error', () => give({ status: 'other' }));
  });
