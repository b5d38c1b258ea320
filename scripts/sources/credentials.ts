import { httpUrl } from '../contract/http-url.ts';
import { decoded } from '../contract/percent.ts';
import { expand } from '../servers/expand.ts';
import { plainName } from '../text/quote.ts';
import { headerProblem, trimmed } from './headers.ts';

/**
 * Removes user and password from a URL, in place: there they would be shown and stored.
 * @returns the value of an `authorization` header; undefined if there are none, null if they are malformed
 */
export const takeCredentials = (url: URL): string | null | undefined => {
  if (url.username === '' && url.password === '') return undefined;
  const credentials = decoded(`${url.username}:${url.password}`);
  url.username = '';
  url.password = '';
  return credentials === undefined ? null : `Basic ${Buffer.from(credentials).toString('base64')}`;
};

/**
 * An address of our settings with its variables filled in, or what is wrong with it. The URL's credentials become a header.
 * @param what the URL is called in the settings
 */
export const filledAddress = (
  what: string,
  given: string,
  fields: Record<string, string> = {},
  env: NodeJS.ProcessEnv,
): { url: URL; headers: Record<string, string> } | { why: string } => {
  const expanded = expand(given, env);
  const values = Object.entries(fields).map(([field, value]) => [field.toLowerCase(), expand(value, env)] as const);
  const [unset] = [...expanded.unset, ...values.flatMap(([, value]) => value.unset)];
  if (unset !== undefined) return { why: `the environment variable ${plainName(unset)} is not set by you` };
  const url = httpUrl(expanded.text);
  if (url === undefined) return { why: `its ${what} is not an http or https URL` };
  const headers = trimmed(Object.fromEntries(values.map(([field, value]) => [field, value.text])));
  const why = headerProblem(headers);
  if (why !== undefined) return { why };
  const credentials = takeCredentials(url);
  if (credentials === null) return { why: `the user or password in its ${what} is not well formed` };
  if (credentials !== undefined) headers.authorization ??= credentials;
  return { url, headers };
};
