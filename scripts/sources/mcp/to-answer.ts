// What a server listed over MCP, in the form of an answer of any source.
import { toOffers } from '../../contract/offers.ts';
import type { Identity, OfferKind } from '../../contract/types.ts';
import { visible } from '../../text/visible.ts';
import { readAnswer } from '../answer.ts';
import type { McpWay, OfferedAnswer, SourceAnswer } from '../source.ts';
import type { McpAnswer } from './list-over-mcp.ts';

/** Whether a URL may be stored: long parts of a path are often keys, so a URL with one may not. */
export const holdsNoSecret = ({ username, password, search, hash, pathname }: URL): boolean =>
  username + password + search + hash === '' && pathname.split('/').every((part) => part.length < 20);

/** A server's identity, bounded and made safe: it is the server's own text. */
const shortened = ({ name, version, protocol = '' }: Identity): Identity => ({
  name: visible(name, { max: 80 }),
  version: visible(version, { max: 40 }),
  protocol: visible(protocol, { max: 20 }),
});

/**
 * The answer of a source.
 * @param everything whether all lists were asked for, and not the tools alone
 * @param url where it can be asked again without a library
 */
export const toAnswer = (listed: McpAnswer, everything: boolean, url: URL | undefined): SourceAnswer => {
  if (listed.status !== 'listed') return listed;
  const { lists, unread, ttlMs, cacheScope, identity, protocol, session, whole, signals } = listed;
  // Later, nothing says of several pages that they came over MCP, where 0 means none and a private list is not kept.
  const mayKeep = whole || (cacheScope === 'public' && ttlMs !== 0);
  let text: string;
  try {
    text = JSON.stringify({ tools: lists.tools ?? [], ...(mayKeep ? { ttlMs, cacheScope } : {}) });
  } catch {
    return { status: 'invalid', why: 'is nested too deep' };
  }
  const answer = readAnswer(text, undefined);
  if (answer.status !== 'answered') return answer;
  const list = {
    ...answer.list,
    ...(everything ? { offers: toOffers(lists) } : {}),
    ...(Object.keys(unread).length > 0 ? { unread } : {}),
    ...(identity ? { identity: shortened({ ...identity, protocol }) } : {}),
    ...(signals.length > 0 ? { signals } : {}),
  };
  const way: McpWay = { protocol, session, ...(url && holdsNoSecret(url) ? { url: url.href } : {}) };
  return { status: 'answered', list, ...(whole && url ? { mcp: way } : {}) };
};

/** The same for one list of offers. */
export const toOffered = (listed: McpAnswer, kind: OfferKind): OfferedAnswer => {
  if (listed.status !== 'listed') return listed;
  const why = listed.unread[kind];
  return why === undefined
    ? { status: 'offered', offers: toOffers(listed.lists, Number.POSITIVE_INFINITY) }
    : { status: 'invalid', why };
};
