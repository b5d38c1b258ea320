// Asking a hub, or whoever speaks for it, what tools are behind its invoker.
import { readFile } from 'node:fs/promises';
import { parseBounded } from '../../contract/read.ts';
import { type Json, own } from '../../contract/types.ts';
import { within } from '../../sources/deadline.ts';
import { type OwnRequests, ownMeta } from '../own-requests.ts';
import { answersIn, type InnerTool, innerToolsIn, serversIn } from './inner-tools.ts';
import { saysItLists } from './says-it-lists.ts';

/** So many servers are asked about, if the hub tells of each one apart. */
const MOST_SERVERS = 100;
/** How long a gateway may take, in ms. */
const PATIENCE = 5_000;

const NAMES_SERVER = /^(?:mcp|target)?(?:server|service)(?:name|id)?$/;

const requiredOf = (tool: unknown): string[] => {
  const required = own(own(tool, 'inputSchema'), 'required');
  return Array.isArray(required) ? (required as string[]) : [];
};

/**
 * Asks the hub itself, through those of its tools that list what is there.
 * @param only the one server whose tools are wanted, where the hub tells of each server apart
 */
export const askHub = async (
  tools: readonly unknown[],
  requests: OwnRequests,
  meta: unknown,
  only?: string,
): Promise<InnerTool[]> => {
  const call = async (tool: unknown, args: object): Promise<Json[]> => {
    // Not all that the host's call says: what it wants to hear of its progress is no matter of ours.
    const about = ownMeta(meta);
    const more = Object.keys(about).length > 0 ? { _meta: about } : {};
    const params = { name: own(tool, 'name'), arguments: args, ...more };
    return answersIn((await requests.request('tools/call', params)).result);
  };
  const listing = tools.filter((tool) => saysItLists(String(own(tool, 'name'))));
  const open = listing.filter((tool) => requiredOf(tool).length === 0);
  const about = listing.flatMap((tool) => {
    const [name, ...more] = requiredOf(tool);
    const isServer = name !== undefined && NAMES_SERVER.test(name.toLowerCase().replace(/[^a-z0-9]/g, ''));
    return isServer && more.length === 0 ? [{ tool, name }] : [];
  });
  let servers: string[] = only === undefined ? [] : [only];
  for (const tool of open) {
    const answers = await call(tool, {});
    const found = answers.flatMap((answer) => innerToolsIn(answer));
    if (found.length > 0) return found;
    if (servers.length === 0) servers = answers.flatMap(serversIn);
  }
  const [details] = about;
  if (details === undefined) return [];
  const found: InnerTool[] = [];
  for (const server of servers.slice(0, MOST_SERVERS)) {
    const answers = await call(details.tool, { [details.name]: server });
    found.push(...answers.flatMap((answer) => innerToolsIn(answer, server)));
  }
  return found;
};

/** Reads a file, or asks a gateway: anything that holds a list of tools, with the names of their servers. */
export const readListing = async (from: string): Promise<InnerTool[]> => {
  if (!/^https?:\/\//.test(from)) return innerToolsIn(parseBounded(await readFile(from, 'utf8')));
  const { get } = await import('../../sources/http.ts');
  const fetched = await within(PATIENCE, (deadline) => get(new URL(from), {}, undefined, deadline));
  if (fetched.status === 'text') return innerToolsIn(parseBounded(fetched.text));
  throw new Error(fetched.status === 'same' ? 'it answered without a list' : fetched.why);
};
