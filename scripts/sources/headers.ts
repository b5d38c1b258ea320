import { quoteText } from '../text/quote.ts';

type Headers = Record<string, string>;

/** Headers without white space around their values, as `fetch` does it: a secret from a file often ends in a line break. */
export const trimmed = (headers: Headers): Headers =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace(/^[\t\r\n ]+|[\t\r\n ]+$/g, '')]),
  );

/**
 * Which header HTTP does not allow, as a message; undefined if all are fine. Checked before anything is sent, because the
 * errors of HTTP libraries quote the value, which is a secret.
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
