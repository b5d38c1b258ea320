import { sha256 } from '../../contract/canonical.ts';
import { defined } from '../../contract/defined.ts';
import { spelled } from '../../contract/names.ts';
import { toOffers } from '../../contract/offers.ts';
import type { Identity, ListKind, OfferKind } from '../../contract/types.ts';
import type { Server } from '../../servers/types.ts';
import { plainName } from '../../text/quote.ts';
import { visible } from '../../text/visible.ts';
import { readAnswer } from '../answer.ts';
import { takeCredentials } from '../credentials.ts';
import { type Deadline, type Unanswered, within } from '../deadline.ts';
import { headerProblem, trimmed } from '../headers.ts';
import type { McpWay, OfferedAnswer, Source, SourceAnswer, SourceProblem } from '../source.ts';
import { askOffers } from './ask-offers.ts';
import { helped, slowHelper } from './headers-helper.ts';
import type { SessionKeeper } from './kept-session.ts';
import type { McpAnswer, Reach } from './list-over-mcp.ts';
import { spawned } from './spawned.ts';

const EVERYTHING: readonly ListKind[] = ['tools', 'prompts', 'resources'];

/** Whether a URL may be stored: long parts of a path are often keys, so a URL with one may not. */
const holdsNoSecret = ({ username, password, search, hash, pathname }: URL): boolean =>
  username + password + search + hash === '' && pathname.split('/').every((part) => part.length < 20);

/** A server's identity, bounded and made safe: it is the server's own text. */
const shortened = ({ name, version, protocol = '' }: Identity): Identity => ({
  name: visible(name, { max: 80 }),
  version: visible(version, { max: 40 }),
  protocol: visible(protocol, { max: 20 }),
});

const toAnswer = (listed: McpAnswer, everything: boolean, url: URL | undefined): SourceAnswer => {
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

const toOffered = (listed: McpAnswer, kind: OfferKind): OfferedAnswer => {
  if (listed.status !== 'listed') return listed;
  const why = listed.unread[kind];
  return why === undefined
    ? { status: 'offered', offers: toOffers(listed.lists, Number.POSITIVE_INFINITY) }
    : { status: 'invalid', why };
};

/**
 * The key of a server as a source: its scope and how it is reached, with variables expanded. Hashed, since these may hold
 * secrets.
 */
export const keyOf = ({ name, scope, launch }: Server, project: string): string => {
  const own = scope === 'user' || scope === 'plugin' || scope === 'managed' ? '' : project;
  const { CLAUDE_PROJECT_DIR: _project, ...env } = 'env' in launch ? launch.env : {};
  const reached = launch.type === 'stdio' ? { ...launch, env, cwd: '' } : launch;
  const identity = JSON.stringify(['mcp', name, scope, own, reached]);
  return `${spelled(name).slice(0, 40)}-${sha256(identity).slice(0, 16)}`;
};

/** Tells whether a server of this name is meant: older clients write names differently. */
export const speaksFor =
  (name: string) =>
  (asked: string | undefined): boolean =>
    asked !== undefined && (asked === name || spelled(asked) === spelled(name));

/**
 * A configured server as a source, or why it is not one: only a server that the client starts is.
 * @param spawn whether a program may be started in order to ask it
 */
export const mcpSource = (server: Server, project: string, spawn: boolean): Source | SourceProblem => {
  const { name, launch, unset } = server;
  if (server.state !== 'ready') return { name, why: server.why ?? `it is ${server.state}` };
  if (unset.length > 0) return { name, why: `the environment variable ${plainName(unset[0] ?? '')} is not set` };
  const personal = launch.type !== 'stdio' && launch.type !== 'other' && launch.headersHelper !== undefined;
  const basis = {
    key: keyOf(server, project),
    name,
    covers: speaksFor(name),
    ...(personal ? { personal: true as const } : {}),
  };
  // Loaded only if needed: the library takes 60 ms.
  const library = () => import('./list-over-mcp.ts');
  const list = async (
    reach: Reach,
    everything: boolean,
    deadline: Deadline,
    url?: URL,
    keeper?: SessionKeeper,
  ): Promise<SourceAnswer> =>
    toAnswer(
      await (await library()).listOverMcp(reach, everything ? EVERYTHING : ['tools'], deadline, keeper),
      everything,
      url,
    );
  const inTime = async <T>(ms: number, question: (deadline: Deadline) => Promise<T>): Promise<T | Unanswered> => {
    // Loaded outside the server's time limit.
    await library();
    return within(ms, question);
  };
  if (launch.type === 'other') {
    return { name, why: `a server of the kind ${launch.what} answers Claude Code alone`, unaskable: true };
  }
  if (launch.type === 'stdio') {
    if (!spawn)
      return {
        name,
        why: 'a local (stdio) server, not guarded; --spawn starts it for a moment, to ask it',
        unaskable: true,
      };
    const ask: Source['ask'] = (_known, ms, everything = false) =>
      inTime(ms, async (deadline) => {
        const { reach, tidy } = spawned(launch, project);
        try {
          return await list(reach, everything, deadline);
        } finally {
          tidy();
        }
      });
    return { ...basis, where: 'a second copy of its program', ask };
  }
  let url: URL;
  try {
    url = new URL(launch.url);
  } catch {
    return { name, why: 'its url is not a URL' };
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { name, why: 'its url is not an http or https URL' };
  const { headersHelper, type } = launch;
  const credentials = takeCredentials(url);
  if (credentials === null) return { name, why: 'the user or password in its url is not well formed' };
  const headers = trimmed({ ...defined({ authorization: credentials }), ...launch.headers });
  const problem = headerProblem(headers);
  if (problem !== undefined) return { name, why: problem };
  // A path can be a key: then only the origin is shown.
  const where = visible(holdsNoSecret(url) ? url.href : url.origin, { max: 120 });
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
  return {
    ...basis,
    where,
    ask: (_known, ms, everything = false, keeper) =>
      reached(ms, async (reach, deadline) => {
        const answer = await list(reach, everything, deadline, type === 'http' ? url : undefined, keeper);
        if (answer.status !== 'answered' || !answer.mcp || Object.keys(reach.headers).length === 0) return answer;
        // The URL is not stored: with headers, asking again means reading the settings anyway.
        return { ...answer, mcp: { protocol: answer.mcp.protocol, session: answer.mcp.session } };
      }),
    offered: async (kind, ms, way, keeper) => {
      const began = Date.now();
      // Half of the time: a server that no longer answers this way must then be asked in full.
      const lists =
        way && headersHelper === undefined && type === 'http'
          ? await askOffers({ ...way, url: url.href, headers }, kind, Math.floor(ms / 2), keeper)
          : undefined;
      if (lists !== undefined) return { status: 'offered', offers: toOffers(lists, Number.POSITIVE_INFINITY) };
      return reached(ms - (Date.now() - began), async (reach, deadline) =>
        toOffered(await (await library()).listOverMcp(reach, [kind], deadline), kind),
      );
    },
    ...(headersHelper === undefined && type === 'http'
      ? { repeat: ({ etag, mcp }) => mcp && { ...mcp, url: url.href, headers, etag } }
      : {}),
  };
};
