// Asks a hub, or another tool that lists for it, which tools are behind its invoker.
import { readFile } from 'node:fs/promises';
import { defined } from '../../contract/defined.ts';
import { propertiesOf, requiredOf } from '../../contract/object-schema.ts';
import { parseBounded } from '../../contract/read.ts';
import { type Json, own } from '../../contract/types.ts';
import { within } from '../../sources/deadline.ts';
import { type OwnRequests, ownMeta } from '../own-requests.ts';
import { answersIn, type InnerTool, innerToolsIn, serversIn } from './inner-tools.ts';
import { isAboutServers, isAboutTools, saysItLists } from './says-it-lists.ts';

/** How many servers are asked about, if the hub lists each one separately. */
const MOST_SERVERS = 100;
/** How long a gateway may take, in ms. */
const PATIENCE = 5_000;

const NAMES_SERVER = /^(?:mcp|target)?(?:server|service)(?:name|id)?$/;
const NAMES_TOOL = /^(?:mcp|target|inner)?tool(?:name|id)?$/;

/** A tool behind the invoker, as a call names it. */
export interface WantedTool {
  server?: string | undefined;
  tool: string;
}

/** A tool of the hub that lists others, and its parameters for what to list. */
interface ListingTool {
  tool: string;
  /** Names the server. */
  server: string | undefined;
  /** Names the tool. */
  name: string | undefined;
  required: readonly string[];
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

const listingOf = (tool: unknown): ListingTool | undefined => {
  const [called, schema] = [own(tool, 'name'), own(tool, 'inputSchema')];
  if (typeof called !== 'string' || !saysItLists(called)) return undefined;
  const required = requiredOf(schema);
  const names = [...new Set([...required, ...Object.keys(propertiesOf(schema))])];
  const named = (pattern: RegExp): string | undefined => names.find((name) => pattern.test(plain(name)));
  // The tool's own name says whether `name` is a server or a tool.
  const bare = names.find((name) => name === 'name');
  const server = named(NAMES_SERVER) ?? (isAboutServers(called) ? bare : undefined);
  const name = named(NAMES_TOOL) ?? (isAboutTools(called) && bare !== server ? bare : undefined);
  // Its other required parameters are unknown to us.
  return required.every((one) => one === server || one === name) ? { tool: called, server, name, required } : undefined;
};

/** Other parameters that name a server. All else may be what is searched for. */
const NAMES_OWNER = /^(?:app|connector|integration|namespace|provider|toolkit)(?:name|id|slug)?$/;

/**
 * The server and the tool that a call of a tool that lists is about, as far as its arguments tell.
 * @param called the tool that lists
 */
export const askedAbout = (called: string, args: object): Partial<WantedTool> => {
  const texts = Object.entries(args).filter(([, value]) => typeof value === 'string' && value !== '');
  const named = (pattern: RegExp): string | undefined => texts.find(([key]) => pattern.test(plain(key)))?.[1];
  const bare = named(/^name$/);
  const isServer = isAboutServers(called);
  return defined({
    server: named(NAMES_SERVER) ?? named(NAMES_OWNER) ?? (isServer ? bare : undefined),
    tool: named(NAMES_TOOL) ?? (!isServer && isAboutTools(called) ? bare : undefined),
  });
};

/**
 * Asks the hub itself, through those of its tools that list what is there.
 * @param wanted the one tool that is asked about, where the hub tells of each server or tool apart
 */
export const askHub = async (
  tools: readonly unknown[],
  requests: OwnRequests,
  meta: unknown,
  wanted?: WantedTool,
): Promise<InnerTool[]> => {
  // Without the host's request for progress messages.
  const call = async (name: string, args: object): Promise<Json[]> =>
    answersIn((await requests.request('tools/call', { name, arguments: args, ...ownMeta(meta) })).result);
  const listing = tools.flatMap((tool) => listingOf(tool) ?? []);
  let servers: string[] = wanted?.server === undefined ? [] : [wanted.server];
  for (const { tool } of listing.filter(({ required }) => required.length === 0)) {
    const answers = await call(tool, {});
    const found = answers.flatMap((answer) => innerToolsIn(answer));
    if (found.length > 0) return found;
    if (servers.length === 0) servers = answers.flatMap(serversIn);
  }
  const found: InnerTool[] = [];
  const byServer = listing.find(({ server, name, required }) => server && !(name && required.includes(name)));
  for (const server of byServer ? servers.slice(0, MOST_SERVERS) : []) {
    const answers = await call(byServer?.tool as string, { [byServer?.server as string]: server });
    found.push(...answers.flatMap((answer) => innerToolsIn(answer, server)));
  }
  const byTool = listing.find(({ name }) => name !== undefined);
  if (found.length > 0 || wanted === undefined || byTool?.name === undefined) return found;
  const { server, tool } = wanted;
  const about = byTool.server === undefined || server === undefined ? {} : { [byTool.server]: server };
  const answers = await call(byTool.tool, { ...about, [byTool.name]: tool });
  return answers.flatMap((answer) => innerToolsIn(answer, server, tool));
};

/** Reads a file, or asks a gateway: anything that holds a list of tools, with the names of their servers. */
export const readListing = async (from: string): Promise<InnerTool[]> => {
  if (!/^https?:\/\//.test(from)) return innerToolsIn(parseBounded(await readFile(from, 'utf8')));
  const { get } = await import('../../sources/http.ts');
  const fetched = await within(PATIENCE, (deadline) => get(new URL(from), {}, undefined, deadline));
  if (fetched.status === 'text') return innerToolsIn(parseBounded(fetched.text));
  throw new Error(fetched.status === 'same' ? 'it answered without a list' : fetched.why);
};
