const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

/**
 * Takes user and password out of an address, where they would be shown and written down.
 * @returns the header that says the same; undefined where there are none, null where they are not well formed
 */
export const takeCredentials = (url: URL): string | null | undefined => {
  if (url.username === '' && url.password === '') return undefined;
  const credentials = decoded(`${url.username}:${url.password}`);
  url.username = '';
  url.password = '';
  return credentials === null ? null : `Basic ${Buffer.from(credentials).toString('base64')}`;
};
