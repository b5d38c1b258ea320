import { decoded } from '../contract/percent.ts';

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
