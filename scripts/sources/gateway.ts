import type { GatewayConfig } from '../config/settings.ts';
import { sha256 } from '../contract/canonical.ts';
import { spelled } from '../contract/names.ts';
import { readAnswer } from './answer.ts';
import { filledAddress } from './credentials.ts';
import { within } from './deadline.ts';
import type { Source, SourceProblem } from './source.ts';

const PATH = '/api/tools/list';

/** A URL without user, password, query and fragment: it may be shown and stored. */
export const safeUrl = (url: URL): string => `${url.origin}${url.pathname}`;

/**
 * A gateway's `GET /api/tools/list` as a source, or what is wrong with its settings.
 * @param env fills in variables in its URL and headers
 */
export const gatewaySource = (name: string, config: GatewayConfig, env: NodeJS.ProcessEnv): Source | SourceProblem => {
  const address = filledAddress('url', config.url, config.headers, env);
  if ('why' in address) return { name, why: address.why };
  const { url, headers } = address;
  url.pathname = url.pathname.replace(/\/+$/, '');
  if (!url.pathname.endsWith(PATH)) url.pathname = url.pathname.replace(/\/+$/, '') + PATH;
  // Another tenant in the query or another token in a header may mean other tools: that is another source.
  const identity = JSON.stringify(['gateway', name, url.href, Object.entries(headers).sort()]);
  const key = `${spelled(name).slice(0, 40)}-${sha256(identity).slice(0, 16)}`;
  return {
    key,
    name,
    where: safeUrl(url),
    covers: (server) => config.servers === undefined || (server !== undefined && config.servers.includes(server)),
    ask: async (known, ms) => {
      // Loaded only for a request, since half of all judged calls need none, and outside the time limit.
      const { get } = await import('./http.ts');
      return within(Math.min(ms, (config.timeout ?? 60) * 1000), async (deadline) => {
        const fetched = await get(url, headers, known, deadline);
        return fetched.status === 'text' ? readAnswer(fetched.text, fetched.etag) : fetched;
      });
    },
    repeat: ({ etag }) => (etag === undefined ? undefined : { url: url.href, headers, etag }),
  };
};
