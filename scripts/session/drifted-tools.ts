import { readBaseline } from '../baseline/sessions.ts';
import { diffOffered } from '../diff/offered.ts';
import { ofContract } from '../diff/table.ts';
import { readLive } from '../sources/live.ts';

/** The names of the tools, prompts and resources that changed on their servers, as far as the last answers tell. */
export const driftedTools = (home: string, session: string): string[] => {
  const sources = Object.entries(readBaseline(home, session)?.sources ?? {});
  return sources.flatMap(([key, baseline]) => {
    const live = readLive(home, key);
    const changes = live === undefined ? [] : ofContract(diffOffered(baseline, live));
    return [...new Set(changes.map(({ tool }) => tool))];
  });
};
