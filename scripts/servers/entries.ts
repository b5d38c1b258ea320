// Reads entries of `mcpServers`, wherever they stand.
import { defined } from '../contract/defined.ts';
import type { ServerApproval } from './approval.ts';
import { expandLaunch, readEntry } from './entry.ts';
import type { ClientPlace, Launch, Server, ServerProblem, ServerScope } from './types.ts';

export const MOST_SERVERS = 1000;
/** Names that the client reserves for itself. */
const RESERVED = new Set(['claude-in-chrome', 'computer-use', 'workspace']);

/** Where entries of `mcpServers` come from, and how they are read. */
export interface EntriesFrom {
  scope: ServerScope;
  file: string | undefined;
  place: ClientPlace;
  verdict(name: string): ServerApproval;
  /** What is wrong with entries is added here. */
  problems: ServerProblem[];
  variables?: Record<string, string>;
}

/** How an entry says that its server is reached; a text says why the client leaves it out. */
const configuredBy = (name: string, entry: unknown, scope: ServerScope): Launch | string => {
  if (RESERVED.has(name) || /^__\w+__$/.test(name)) return 'has a reserved name';
  const configured = readEntry(entry);
  const isSdk = typeof configured === 'object' && configured.type === 'other' && configured.what === 'sdk';
  // A host program registers its servers itself, not in a file.
  return isSdk && scope !== 'dynamic' ? 'its type "sdk" is for host programs alone' : configured;
};

const toServer = (name: string, configured: Launch, from: EntriesFrom): Server => {
  const { scope, file, place, verdict, variables = {} } = from;
  // The client expands no variables in an organization's settings.
  const literal = scope === 'managed' && !file?.endsWith('managed-mcp.json');
  const { launch, unset } = literal
    ? { launch: configured, unset: [] }
    : expandLaunch(configured, place.env, variables);
  if (launch.type === 'stdio') {
    // The client starts every program in the session's folder, with these variables added.
    launch.env = { CLAUDE_PROJECT_DIR: place.project, ...variables, ...launch.env };
    launch.cwd = place.project;
  }
  return { name, scope, ...defined({ file }), launch, configured, unset, ...verdict(name) };
};

/** Reads entries of `mcpServers`; those that the client would leave out become problems. */
export const toServers = (entries: Iterable<[string, unknown]>, from: EntriesFrom): Server[] => {
  const { scope, file, problems } = from;
  const found: Server[] = [];
  let count = 0;
  for (const [name, entry] of entries) {
    if (count++ === MOST_SERVERS) {
      problems.push({ name: file ?? '--mcp-config', why: `only the first ${MOST_SERVERS} servers are read` });
      break;
    }
    const configured = configuredBy(name, entry, scope);
    if (typeof configured === 'string') problems.push({ name, why: `${configured}; Claude Code leaves it out` });
    else found.push(toServer(name, configured, from));
  }
  return found;
};
