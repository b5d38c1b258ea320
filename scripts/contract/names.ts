import type { Contract } from './types.ts';

/** A name as Claude Code spells it inside its own tool names: unusual characters become `_`, which cannot be reversed. */
export const spelled = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, '_');

const START = 'mcp__';

/** One way to split the client's name for a tool into a server and a tool. */
export interface NamedTool {
  server: string;
  /** `mcp__server__` */
  prefix: string;
  spelling: string;
  /** `spelling` is the tool's own name, not the client's spelling of it. */
  exact?: true;
}

/**
 * All ways to split the client's name for a tool: one if the server's name is known and fits, else one for each `__`,
 * since any of them may be the separator.
 */
export const waysToRead = (toolName: string, server: string | undefined): NamedTool[] => {
  if (server !== undefined) {
    const prefix = `${START}${spelled(server)}__`;
    if (toolName.startsWith(prefix)) return [{ server, prefix, spelling: toolName.slice(prefix.length) }];
  }
  const rest = toolName.slice(START.length);
  const ways: NamedTool[] = [];
  for (let at = rest.indexOf('__', 1); at !== -1; at = rest.indexOf('__', at + 1)) {
    const spelling = rest.slice(at + 2);
    if (spelling !== '') ways.push({ server: rest.slice(0, at), prefix: `${START}${rest.slice(0, at)}__`, spelling });
  }
  return ways;
};

/** The tool whose name has this spelling; `ambiguous` if several do and none has it as its own name. */
export const findTool = (
  tools: readonly Contract[],
  { spelling, exact }: Pick<NamedTool, 'spelling' | 'exact'>,
): Contract | 'ambiguous' | undefined => {
  if (exact) return tools.find((tool) => tool.name === spelling);
  const alike = tools.filter((tool) => spelled(tool.name) === spelling);
  return alike.find((tool) => tool.name === spelling) ?? (alike.length > 1 ? 'ambiguous' : alike[0]);
};

/** The client's name for a tool. `prefix` is `mcp__server__`. */
export const clientName = (prefix: string, tool: string): string => prefix + spelled(tool);
