import { UnauthorizedError } from '@modelcontextprotocol/client';
import { LONGEST_ANSWER } from '../../contract/limits.ts';
import { quoteName } from '../../text/quote.ts';
import { codeOf, type Deadline, unanswered } from '../deadline.ts';
import { Endless, TooLarge } from './bounded-fetch.ts';
import type { McpAnswer, Reach } from './list-over-mcp.ts';
import { KeepsChanging, keepsChanging, NoList } from './read-lists.ts';

type HttpError = Error & { code?: unknown; status?: unknown };

const signInWanted = (error: HttpError): boolean =>
  error instanceof UnauthorizedError || error.status === 401 || error.code === 401;

/** HTTP 403: missing rights, or a local server that expects to be addressed by another host name. */
const isForbidden = ({ status, code }: HttpError): boolean => status === 403 || code === 403;

const says =
  (words: RegExp) =>
  ({ message }: HttpError): boolean =>
    words.test(message);

const hasCredentials = (reach: Reach): boolean =>
  reach.type !== 'stdio' && Object.keys(reach.headers).some((name) => name.toLowerCase() === 'authorization');

const NOT_MCP = 'it answered something that is not MCP';

const invalid = (why: string): McpAnswer => ({ status: 'invalid', why });
const unreachable = (why: string): McpAnswer => ({ status: 'unreachable', why });
const unaskable = (why: string): McpAnswer => ({ status: 'unaskable', why });

/** Failures that an error tells apart: the first that fits one of the causes says what went wrong. */
const KNOWN: [is: (cause: HttpError) => boolean, answer: (reach: Reach) => McpAnswer][] = [
  [(cause) => cause instanceof KeepsChanging, () => invalid(keepsChanging('tools'))],
  [(cause) => cause instanceof TooLarge, () => invalid(`the answer is larger than ${LONGEST_ANSWER} bytes`)],
  [(cause) => cause instanceof NoList, () => invalid(NOT_MCP)],
  [(cause) => cause instanceof Endless, () => invalid('its list does not end')],
  [
    signInWanted,
    (reach) =>
      unaskable(
        hasCredentials(reach)
          ? 'it refuses the credentials in its settings'
          : 'it wants a sign-in, and only Claude Code has the token',
      ),
  ],
  [
    isForbidden,
    () => unaskable('it forbids this (HTTP 403): under this spelling of its address, or for lack of rights'),
  ],
  // These only the library's messages tell apart, which are never passed on.
  [
    says(/protocol version is not supported/),
    () => invalid('it speaks a version of the protocol that is not known here'),
  ],
  [says(/^(?:SSE error: )?Redirect to /), () => invalid('it redirects to another address, and that is not followed')],
  [says(/^Endpoint origin does not match/), () => invalid('its endpoint for messages is of another origin')],
];

const isHttpStatus = (code: unknown): code is number => typeof code === 'number' && code >= 300 && code < 600;

/** Why a program could not be started, by the system's code. */
const NOT_STARTED: Record<string, string> = {
  ENOENT: 'not found: check its command, and the PATH that this is started with',
  EACCES: 'not executable',
};

const endedEarly = (howItEnded = 'before it answered'): McpAnswer => unreachable(`its program ended ${howItEnded}`);

/** Failures for which the MCP library has a code. */
const LIBRARY_CODES: Record<string, (reach: Reach, howItEnded?: string) => McpAnswer> = {
  CONNECTION_CLOSED: ({ type }, howItEnded) =>
    type === 'stdio' ? endedEarly(howItEnded) : unreachable('it closed the connection'),
  ERA_NEGOTIATION_FAILED: ({ type }, howItEnded) => (type === 'stdio' ? endedEarly(howItEnded) : invalid(NOT_MCP)),
  CLIENT_HTTP_UNEXPECTED_CONTENT: () => invalid(NOT_MCP),
  INVALID_RESULT: () => invalid(NOT_MCP),
  UNSUPPORTED_RESULT_TYPE: () => invalid(NOT_MCP),
};

/** What went wrong, in our own words: errors of libraries quote headers, addresses and answers. */
export const whyNot = (thrown: unknown, reach: Reach, deadline: Deadline): McpAnswer => {
  if (deadline.late.aborted) return unanswered(deadline);
  const error = thrown as HttpError & { cause?: NodeJS.ErrnoException; howItEnded?: string };
  const causes = [error, error.cause, error.cause?.cause].filter((cause) => cause instanceof Error) as HttpError[];
  const known = KNOWN.find(([is]) => causes.some(is));
  if (known) return known[1](reach);
  const http = causes.flatMap(({ status, code }) => [status, code]).find(isHttpStatus);
  if (http !== undefined) return (http >= 500 ? unreachable : invalid)(`it answered HTTP ${http}`);
  // The innermost error says what happened; those around it say what failed because of it.
  const codes = causes.map(codeOf).filter((code) => code !== undefined);
  const code = codes.findLast((code) => LIBRARY_CODES[code] === undefined) ?? codes.at(-1);
  if (code !== undefined) return byCode(code, reach, deadline, error.howItEnded);
  if (Number.isInteger(error.code)) return invalid(`it answered with the error ${error.code}`);
  const isMisread = causes.some(({ name }) => name === 'SyntaxError' || name === 'ZodError' || name === '$ZodError');
  return isMisread ? invalid(NOT_MCP) : unreachable('the connection was interrupted');
};

const byCode = (code: string, reach: Reach, deadline: Deadline, howItEnded: string | undefined): McpAnswer => {
  if (code.includes('TIMEOUT')) return unanswered(deadline);
  if (reach.type === 'stdio' && NOT_STARTED[code] !== undefined)
    return unreachable(`its program ${quoteName(reach.command)} is ${NOT_STARTED[code]}`);
  return LIBRARY_CODES[code]?.(reach, howItEnded) ?? unreachable(code);
};
