import { defined } from '../../contract/defined.ts';
import { toOffers } from '../../contract/offers.ts';
import type { Launch } from '../../servers/types.ts';
import { visible } from '../../text/visible.ts';
import { takeCredentials } from '../credentials.ts';
import type { Deadline, Unanswered } from '../deadline.ts';
import { headerProblem, trimmed } from '../headers.ts';
import type { Source, SourceProblem } from '../source.ts';
import { askOffers } from './ask-offers.ts';
import { helped, slowHelper } from './headers-helper.ts';
import type { Reach } from './list-over-mcp.ts';
import { inTime, library, listsOf } from './load-library.ts';
import { holdsNoSecret, toAnswer, toOffered } from './to-answer.ts';

/** What every kind of MCP server has as a source. */
export type McpBasis = Pick<Source, 'key' | 'name' | 'covers'>;
type Reached = Extract<Launch, { type: 'http' | 'sse' }>;

/** Where a server is reached, and with which headers; or why it cannot be. */
const wayOf = (launch: Reached): { url: URL; headers: Record<string, string> } | { why: string } => {
  let url: URL;
  try {
    url = new URL(launch.url);
  } catch {
    return { why: 'its url is not a URL' };
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return { why: 'its url is not an http or https URL' };
  const credentials = takeCredentials(url);
  if (credentials === null) return { why: 'the user or password in its url is not well formed' };
  const headers = trimmed({ ...defined({ authorization: credentials }), ...launch.headers });
  const why = headerProblem(headers);
  return why === undefined ? { url, headers } : { why };
};

/** A server that is reached over HTTP as a source, or why it is not one. */
export const httpSource = (basis: McpBasis, launch: Reached): Source | SourceProblem => {
  const { name } = basis;
  const { headersHelper, type } = launch;
  const way = wayOf(launch);
  if ('why' in way) return { name, why: way.why };
  const { url, headers } = way;
  /** Reaches it with the credentials of its settings. */
  const reached = async <T>(
    ms: number,
    use: (reach: Exclude<Reach, { type: 'stdio' }>, deadline: Deadline) => Promise<T>,
  ): Promise<T | Unanswered | { status: 'unaskable'; why: string }> => {
    let isHelping = false;
    const answer = await inTime(ms, async (deadline) => {
      isHelping = headersHelper !== undefined;
      const help =
        headersHelper === undefined ? { headers: {} } : await helped(headersHelper, name, url.href, deadline);
      isHelping = false;
      if ('why' in help) return { status: 'unaskable' as const, why: help.why };
      return use({ type, url: url.href, headers: { ...headers, ...help.headers } }, deadline);
    });
    // On a busy machine the time may be up before the helper has been ended.
    return isHelping ? { status: 'unaskable', why: slowHelper(ms) } : answer;
  };
  const ask: Source['ask'] = (_known, ms, everything = false, keeper) =>
    reached(ms, async (reach, deadline) => {
      const { listOverMcp } = await library();
      const listed = await listOverMcp(reach, listsOf(everything), deadline, keeper);
      const answer = toAnswer(listed, everything, type === 'http' ? url : undefined);
      if (answer.status !== 'answered' || !answer.mcp || Object.keys(reach.headers).length === 0) return answer;
      // The URL is not stored: with headers, asking again means reading the settings anyway.
      return { ...answer, mcp: { protocol: answer.mcp.protocol, session: answer.mcp.session } };
    });
  const offered: Source['offered'] = async (kind, ms, known, keeper) => {
    const began = Date.now();
    // Half of the time: a server that no longer answers this way must then be asked in full.
    const lists =
      known && headersHelper === undefined && type === 'http'
        ? await askOffers({ ...known, url: url.href, headers }, kind, Math.floor(ms / 2), keeper)
        : undefined;
    if (lists !== undefined) return { status: 'offered', offers: toOffers(lists, Number.POSITIVE_INFINITY) };
    return reached(ms - (Date.now() - began), async (reach, deadline) =>
      toOffered(await (await library()).listOverMcp(reach, [kind], deadline), kind),
    );
  };
  return {
    ...basis,
    ...(headersHelper === undefined ? {} : { personal: true }),
    // A path can be a key: then only the origin is shown.
    where: visible(holdsNoSecret(url) ? url.href : url.origin, { max: 120 }),
    ask,
    offered,
    ...(headersHelper === undefined && type === 'http'
      ? { repeat: ({ etag, mcp }) => mcp && { ...mcp, url: url.href, headers, etag } }
      : {}),
  };
};
