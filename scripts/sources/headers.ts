import { quoteText } from '../text/quote.ts';

type Headers = Record<string, string>;

/** As every fetch does it: white space around a value is none of it, and a secret from a file often ends with a line. */
export const trimmed = (headers: Headers): Headers =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace(/^[\t\r\n ]+|[\t\r\n ]+$/g, '')]),
  );

/**
 * What of some headers HTTP does not allow. Looked for before anything is sent: the errors of HTTP libraries quote the
 * value, and that is the secret.
 */
export const headerProblem = (headers: Headers): string | undefined => {
  for (const [name, value] of Object.entries(headers)) {
    const header = `its header ${quoteText(name, 60)}`;
    if (!/^[\w!#$%&'*+.^|~`-]+$/.test(name)) return `${header} is no name that HTTP allows: correct it where it is set`;
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
      return `the value of ${header} has a line break or another character that HTTP does not allow: correct it where it is set`;
  }
  return undefined;
};
