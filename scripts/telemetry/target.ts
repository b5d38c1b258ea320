import type { TelemetryConfig } from '../config/settings.ts';
import { expand } from '../servers/expand.ts';
import { takeCredentials } from '../sources/credentials.ts';
import { headerProblem, trimmed } from '../sources/headers.ts';
import { plainName } from '../text/quote.ts';

/** Where events are sent, and with which headers. */
export interface CollectorTarget {
  url: URL;
  headers: Record<string, string>;
}

/**
 * What the settings say, with variables filled in; or what is wrong with it.
 * @param env without what a repository set
 */
export const targetOf = (config: TelemetryConfig, env: NodeJS.ProcessEnv): CollectorTarget | { why: string } => {
  const endpoint = expand(config.endpoint, env);
  const fields = Object.entries(config.headers ?? {}).map(
    ([field, value]) => [field.toLowerCase(), expand(value, env)] as const,
  );
  const [unset] = [...endpoint.unset, ...fields.flatMap(([, value]) => value.unset)];
  if (unset !== undefined) return { why: `the environment variable ${plainName(unset)} is not set by you` };
  if (!URL.canParse(endpoint.text) || !/^https?:/i.test(endpoint.text))
    return { why: 'its endpoint is not an http or https URL' };
  const url = new URL(endpoint.text);
  const headers = trimmed(Object.fromEntries(fields.map(([field, value]) => [field, value.text])));
  const credentials = takeCredentials(url);
  if (credentials === null) return { why: 'the user or password in its endpoint is not well formed' };
  if (credentials !== undefined) headers.authorization ??= credentials;
  const why = headerProblem(headers);
  return why === undefined ? { url, headers } : { why };
};
