import { defined } from '../../contract/defined.ts';
import type { NamedTool } from '../../contract/names.ts';
import { spelled } from '../../contract/names.ts';
import type { InnerCall } from './types.ts';

/** Separators with which hubs and gateways join the name of a server and of its tool. */
const BORDERS = ['__', '_', '-', '.', '/', ':'];

/** The names under which a source may list the inner tool. */
export interface Ways {
  /** The server that the call names, or with whose name the tool's name begins; absent if neither. */
  server?: string;
  /** With the server's name before it, so that it cannot be another server's tool. */
  qualified: NamedTool[];
  /** Without the server's name. */
  plain: NamedTool[];
}

/** Splits a name that begins with a server's name, as the client or the hub writes it; undefined if it does not. */
const split = (tool: string, servers: readonly string[]): { server: string; tool: string } | undefined => {
  const name = tool.startsWith('mcp__') ? tool.slice(5) : tool;
  for (const server of servers) {
    for (const start of [server, spelled(server)]) {
      for (const border of ['__', '/', '.', ':']) {
        const before = `${start}${border}`;
        if (name.startsWith(before) && name.length > before.length) return { server, tool: name.slice(before.length) };
      }
    }
  }
  return undefined;
};

/**
 * The names under which a source may list an inner tool.
 * @param outer the server of the invoker
 * @param servers names of the known servers
 */
export const waysTo = (call: Pick<InnerCall, 'server' | 'tool'>, outer: string, servers: readonly string[]): Ways => {
  const apart = call.server === undefined ? split(call.tool, servers) : undefined;
  const server = call.server ?? apart?.server;
  const name = apart?.tool ?? call.tool;
  const owner = server ?? outer;
  const prefix = `mcp__${spelled(owner)}__`;
  const way = (spelling: string): NamedTool => ({ server: owner, prefix, spelling, exact: true });
  const starts = server === undefined ? [] : [...new Set([server, spelled(server)])];
  const joined = starts.flatMap((start) => BORDERS.map((border) => `${start}${border}${name}`));
  return {
    ...defined({ server }),
    // A name that begins with its server's is already qualified.
    qualified: [...new Set(apart ? [call.tool, ...joined] : joined)].map(way),
    plain: [way(name)],
  };
};
