import { LONGEST_ANSWER } from '../../contract/limits.ts';
import { quoteName } from '../../text/quote.ts';
import { codeOf, type Deadline, unanswered } from '../deadline.ts';
import { Endless, TooLarge } from './bounded-fetch.ts';
import type { McpAnswer, Reach } from './list-over-mcp.ts';
import { KeepsChanging, keepsChanging, NoList } from './read-lists.ts';

type HttpError = Error & { code?: unknown; status?: unknown };

const signInWanted = (error: HttpError): boolean =>
  error.name === 'UnauthorizedError' || error.status === 401 || error.code === 401;

/** HTTP 403: missing rights, or a local server that expects to be addressed by another host name. */
const isForbidden = ({ status, code }: HttpError): boolean => status === 403 || code === 403;

const isHttpStatus = (code: unknown): code is number => typeof code === 'number' && code >= 300 && code < 600;

const NOT_MCP = 'it answered something that is not MCP';

const ENDED = 'its program ended before it answered';

/** Why a program could not be started, by the system's code. */
const NOT_STARTED: Record<string, string> = {
  ENOENT: 'not found: check its command, and the PATH that this is started with',
  EACCES: 'not executable',
};

/** Failures for which the MCP library has a code. */
const LIBRARY_CODES: Record<string, (reach: Reach) => McpAnswer> = {
  CONNECTION_CLOSED: (reach) => ({
    status: 'unreachable',
    why: reach.type === 'stdio' ? ENDED : 'it closed the connection',
  }),
  ERA_NEGOTIATION_FAILED: (reach) =>
    reach.type === 'stdio' ? { status: 'unreachable', why: ENDED } : { status: 'invalid', why: NOT_MCP },
  CLIENT_HTTP_UNEXPECTED_CONTENT: () => ({ status: 'invalid', why: NOT_MCP }),
  INVALID_RESULT: () => ({ status: 'invalid', why: NOT_MCP }),
  UNSUPPORTED_RESULT_TYPE: () => ({ status: 'invalid', why: NOT_MCP }),
};

/** Failures that only the library's messages tell apart; these are never passed on. */
const LIBRARY_WORDS: [RegExp, string][] = [
  [/protocol version is not supported/, 'it speaks a version of the protocol that is not known here'],
  [/^(?:SSE error: )?Redirect to /, 'it redirects to another address, and that is not followed'],
  [/^Endpoint origin does not match/, 'its endpoint for messages is of another origin'],
];

/** What went wrong, in our own words: errors of libraries quote headers, addresses and answers. */
export const whyNot = (thrown: unknown, reach: Reach, deadline: Deadline): McpAnswer => {
  if (deadline.late.aborted) return unanswered(deadline);
  const error = thrown as HttpError & { cause?: NodeJS.ErrnoException; howItEnded?: string };
  const causes = [error, error.cause, error.cause?.cause].filter((cause) => cause instanceof Error) as HttpError[];
  const some = (found: (cause: HttpError) => boolean): boolean => causes.some(found);
  if (some((cause) => cause instanceof KeepsChanging)) {
    return { status: 'invalid', why: keepsChanging('tools') };
  }
  if (some((cause) => cause instanceof TooLarge)) {
    return { status: 'invalid', why: `the answer is larger than ${LONGEST_ANSWER} bytes` };
  }
  if (some((cause) => cause instanceof NoList)) return { status: 'invalid', why: NOT_MCP };
  if (some((cause) => cause instanceof Endless)) return { status: 'invalid', why: 'its list does not end' };
  if (some(signInWanted)) {
    const why =
      reach.type !== 'stdio' && Object.keys(reach.headers).some((name) => name.toLowerCase() === 'authorization')
        ? 'it refuses the credentials in its settings'
        : 'it wants a sign-in, and only Claude Code has the token';
    return { status: 'unaskable', why };
  }
  if (some(isForbidden)) {
    const why = 'it forbids this (HTTP 403): under this spelling of its address, or for lack of rights';
    return { status: 'unaskable', why };
  }
  const words = LIBRARY_WORDS.find(([pattern]) => some(({ message }) => pattern.test(message)));
  if (words) return { status: 'invalid', why: words[1] };
  const http = causes.flatMap(({ status, code }) => [status, code]).find(isHttpStatus);
  if (http !== undefined) return { status: http >= 500 ? 'unreachable' : 'invalid', why: `it answered HTTP ${http}` };
  // The innermost error says what happened; those around it say what failed because of it.
  const codes = causes.map(codeOf).filter((code) => code !== undefined);
  const code = codes.findLast((code) => LIBRARY_CODES[code] === undefined) ?? codes.at(-1);
  if (code?.includes('TIMEOUT')) return unanswered(deadline);
  const notStarted = reach.type === 'stdio' && code !== undefined ? NOT_STARTED[code] : undefined;
  if (reach.type === 'stdio' && notStarted !== undefined)
    return { status: 'unreachable', why: `its program ${quoteName(reach.command)} is ${notStarted}` };
  const known = code === undefined ? undefined : LIBRARY_CODES[code]?.(reach);
  if (known && 'why' in known && known.why === ENDED)
    return { ...known, why: error.howItEnded === undefined ? ENDED : `its program ended ${error.howItEnded}` };
  if (code !== undefined) return known ?? { status: 'unreachable', why: code };
  if (Number.isInteger(error.code)) return { status: 'invalid', why: `it answered with the error ${error.code}` };
  return some(({ name }) => name === 'SyntaxError' || name === 'ZodError' || name === '$ZodError')
    ? { status: 'invalid', why: NOT_MCP }
    : { status: 'unreachable', why: 'the connection was interrupted' };
};
