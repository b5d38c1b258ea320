import { readNewest } from '../baseline/sessions.ts';
import { spelled, waysToRead } from '../contract/names.ts';
import type { Contract } from '../contract/types.ts';

const TWIN = '_raw';

/** The name of a tool's twin. */
export const twinOf = (tool: string): string => `${tool}${TWIN}`;

/** The name of the tool that a twin belongs to; undefined if the name does not end in `_raw`. */
export const legacyOf = (tool: string): string | undefined =>
  tool.endsWith(TWIN) && tool.length > TWIN.length ? tool.slice(0, -TWIN.length) : undefined;

/** A tool in the client's spelling, and its server, by its own name if known. */
export interface Named {
  server: string;
  tool: string;
}

/**
 * Gives a function that splits the client's name for a tool. A server's name may hold `__`, so the longest known server
 * that fits counts, else the first `__` is the separator.
 * @param servers the known servers, by their own names
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

/** The tools that a source offered: the only place that shows a twin without any call yet. */
export interface OfferedTools {
  source: string;
  /** The source speaks for servers, under its own name. */
  gateway: boolean;
  tools: Set<string>;
  contracts: readonly Contract[];
}

/** The tools that each source offered to the newest session. */
export const offeredTools = (home: string): OfferedTools[] =>
  Object.values(readNewest(home)?.sources ?? {}).map(({ name, where, tools }) => ({
    source: String(name),
    gateway: String(where).endsWith('/api/tools/list'),
    tools: new Set(tools.flatMap((tool) => (typeof tool?.name === 'string' ? [spelled(tool.name)] : []))),
    contracts: tools.filter((tool) => typeof tool?.name === 'string'),
  }));

/** Whether the user may mean this tool: by its bare name, with its server's, or by the client's name for it. */
export const isNamed = ({ server, tool }: Named, wanted: string): boolean =>
  [tool, `${server}/${tool}`, `${spelled(server)}/${tool}`, `mcp__${spelled(server)}__${tool}`].some(
    (name) => name === wanted || name === spelled(wanted),
  );

/** Whether the user may mean this server: names count as equal in the client's spelling. */
export const isServer = (server: string, wanted: string): boolean => spelled(server) === spelled(wanted);
