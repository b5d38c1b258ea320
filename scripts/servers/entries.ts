// Reads entries of `mcpServers`, wherever they stand.
import { defined } from '../contract/defined.ts';
import type { ServerApproval } from './approval.ts';
import { expandLaunch, readEntry } from './entry.ts';
import type { ClientPlace, Server, ServerProblem, ServerScope } from './types.ts';

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

/** Reads entries of `mcpServers`; those that the client would leave out become problems. */
export const toServers = (entries: Iterable<[string, unknown]>, from: EntriesFrom): Server[] => {
  const { scope, file, place, verdict, problems, variables = {} } = from;
  const found: Server[] = [];
  let count = 0;
  for (const [name, entry] of entries) {
    if (count++ === MOST_SERVERS) {
      problems.push({ name: file ?? '--mcp-config', why: `only the first ${MOST_SERVERS} servers are read` });
      break;
    }
    const configured = RESERVED.has(name) || /^__\w+__$/.test(name) ? 'has a reserved name' : readEntry(entry);
    if (typeof configured === 'string' || (configured.type === 'other' && configured.what === 'sdk')) {
      // A host program registers its servers itself, not in a file.
      const why = typeof configured === 'string' ? configured : 'its type "sdk" is for host programs alone';
      if (typeof configured === 'string' || scope !== 'dynamic') {
        problems.push({ name, why: `${why}; Claude Code leaves it out` });
        continue;
      }
    }
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
    found.push({ name, scope, ...defined({ file }), launch, configured, unset, ...verdict(name) });
  }
  return found;
};
