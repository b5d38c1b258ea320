import { readNewest } from '../baseline/sessions.ts';
import { spelled, waysToRead } from '../contract/names.ts';
import type { Contract } from '../contract/types.ts';

const TWIN = '_raw';

export const twinOf = (tool: string): string => `${tool}${TWIN}`;

/** What a twin is the twin of; undefined for a name without the ending. */
export const legacyOf = (tool: string): string | undefined =>
  tool.endsWith(TWIN) && tool.length > TWIN.length ? tool.slice(0, -TWIN.length) : undefined;

/** A tool, in the spelling that the client gives its name, and its server by its own name where that is known. */
export interface Named {
  server: string;
  tool: string;
}

/**
 * Takes the client's names apart. Where a server's name holds `__` the border is known only from the log: the longest
 * known server wins, and else the first `__` is the border.
 */
export const nameReader = (servers: Iterable<string>): ((clientName: string) => Named) => {
  const known = new Map([...servers].map((server) => [spelled(server), server]));
  const read = new Map<string, Named>();
  return (clientName) => {
    const found = read.get(clientName);
    if (found) return found;
    const ways = waysToRead(clientName, undefined);
    const way = ways.findLast(({ server }) => known.has(server)) ?? ways[0];
    const named = {
      server: way === undefined ? 'unknown' : (known.get(way.server) ?? way.server),
      tool: way?.spelling ?? clientName,
    };
    read.set(clientName, named);
    return named;
  };
};

/** Tools that the newest session was offered: a twin that nobody has called yet is known from there alone. */
export interface OfferedTools {
  source: string;
  /** It speaks for servers, under a name of its own. */
  gateway: boolean;
  tools: Set<string>;
  contracts: readonly Contract[];
}

export const offeredTools = (home: string): OfferedTools[] =>
  Object.values(readNewest(home)?.sources ?? {}).map(({ name, where, tools }) => ({
    source: String(name),
    gateway: String(where).endsWith('/api/tools/list'),
    tools: new Set(tools.flatMap((tool) => (typeof tool?.name === 'string' ? [spelled(tool.name)] : []))),
    contracts: tools.filter((tool) => typeof tool?.name === 'string'),
  }));

/** Whether a tool has a name that the user may have meant: bare, with its server, or as the client writes it. */
export const isNamed = ({ server, tool }: Named, wanted: string): boolean =>
  [tool, `${server}/${tool}`, `${spelled(server)}/${tool}`, `mcp__${spelled(server)}__${tool}`].some(
    (name) => name === wanted || name === spelled(wanted),
  );

export const isServer = (server: string, wanted: string): boolean => spelled(server) === spelled(wanted);
