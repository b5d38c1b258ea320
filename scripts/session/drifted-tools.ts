import { readBaseline } from '../baseline/sessions.ts';
import { clientName, spelled } from '../contract/names.ts';
import { diffOffered } from '../diff/offered.ts';
import { ofContract } from '../diff/table.ts';
import { readLive } from '../sources/live.ts';

/** Lists what changed since a session learned it, by the last answers of its sources. */
export interface Drifted {
  /** How the client's names of the tools, prompts and resources that changed end: of a gateway's, the server is not known. */
  tools: string[];
  /** Names of the sources whose version changed, and nothing else that they show. */
  bumped: string[];
}

export const driftedTools = (home: string, session: string): Drifted => {
  const drifted: Drifted = { tools: [], bumped: [] };
  for (const [key, baseline] of Object.entries(readBaseline(home, session)?.sources ?? {})) {
    const live = readLive(home, key);
    if (live === undefined) continue;
    const changes = ofContract(diffOffered(baseline, live));
    const prefix = baseline.where.endsWith('/api/tools/list') ? '__' : `mcp__${spelled(baseline.name)}__`;
    drifted.tools.push(...[...new Set(changes.map(({ tool }) => tool))].map((tool) => clientName(prefix, tool)));
    if (changes.length === 0 && live.schemaVersion !== baseline.schema_version) drifted.bumped.push(baseline.name);
  }
  return drifted;
};
