import type { Contract } from './types.ts';

/** How Claude Code spells names in its own names for tools: what is unusual becomes `_`, which cannot be undone. */
export const spelled = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, '_');

const START = 'mcp__';

/** What the client's name for a tool says about the server, and how the tool's own name must be spelled. */
export interface NamedTool {
  server: string;
  /** `mcp__server__` */
  prefix: string;
  spelling: string;
  /** The spelling is the tool's own name, and not the client's way to write it. */
  exact?: true;
}

/** Takes the client's name for a tool apart. Without the server's name every `__` may be the border. */
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

/** The tool that is spelled like this; `ambiguous` where several are. An exact name wins. */
export const findTool = (
  tools: readonly Contract[],
  { spelling, exact }: Pick<NamedTool, 'spelling' | 'exact'>,
): Contract | 'ambiguous' | undefined => {
  if (exact) return tools.find((tool) => tool.name === spelling);
  const alike = tools.filter((tool) => spelled(tool.name) === spelling);
  return alike.find((tool) => tool.name === spelling) ?? (alike.length > 1 ? 'ambiguous' : alike[0]);
};

/** The client's name for a server's tool. */
export const clientName = (prefix: string, tool: string): string => prefix + spelled(tool);
