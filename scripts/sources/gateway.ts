import type { GatewayConfig } from '../config/settings.ts';
import { sha256 } from '../contract/canonical.ts';
import { spelled } from '../contract/names.ts';
import { expand } from '../servers/expand.ts';
import { plainName } from '../text/quote.ts';
import { readAnswer } from './answer.ts';
import { takeCredentials } from './credentials.ts';
import { within } from './deadline.ts';
import { headerProblem, trimmed } from './headers.ts';
import type { Source, SourceProblem } from './source.ts';

const PATH = '/api/tools/list';

/** A URL without user, password, query and fragment: it may be shown and stored. */
export const safeUrl = (url: URL): string => `${url.origin}${url.pathname}`;

const parseUrl = (text: string): URL | null => {
  try {
    const url = new URL(text);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url : null;
  } catch {
    return null;
  }
};

/**
 * A gateway's `GET /api/tools/list` as a source, or what is wrong with its settings.
 * @param env fills in variables in its URL and headers
 */
export const gatewaySource = (name: string, config: GatewayConfig, env: NodeJS.ProcessEnv): Source | SourceProblem => {
  const expanded = expand(config.url, env);
  const fields = Object.entries(config.headers ?? {}).map(
    ([field, value]) => [field.toLowerCase(), expand(value, env)] as const,
  );
  const unset = [...expanded.unset, ...fields.flatMap(([, value]) => value.unset)];
  if (unset.length > 0) return { name, why: `the environment variable ${plainName(unset[0] ?? '')} is not set by you` };
  const url = parseUrl(expanded.text);
  if (url === null) return { name, why: 'its url is not an http or https URL' };
  url.pathname = url.pathname.replace(/\/+$/, '');
  if (!url.pathname.endsWith(PATH)) url.pathname = url.pathname.replace(/\/+$/, '') + PATH;

  const headers = trimmed(Object.fromEntries(fields.map(([field, value]) => [field, value.text])));
  const problem = headerProblem(headers);
  if (problem !== undefined) return { name, why: problem };
  const credentials = takeCredentials(url);
  if (credentials === null) return { name, why: 'the user or password in its url is not well formed' };
  if (credentials !== undefined) headers.authorization ??= credentials;
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
