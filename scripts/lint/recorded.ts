import { type SessionBaseline, sessionsIn } from '../baseline/sessions.ts';
import { loadConfig } from '../config/config.ts';
import { defined } from '../contract/defined.ts';
import { allSources } from '../sources/all.ts';
import { askSource, readLive } from '../sources/live.ts';
import { visible } from '../text/visible.ts';
import type { Versioned } from './types.ts';

/** A source's last recorded answer and its answer now, or why there are none. */
export type Recorded = { name: string; where: string } & ({ before: Versioned; after: Versioned } | { why: string });

const DEADLINE = 10_000;

/**
 * Asks the gateways again, since only they have a SCHEMA_VERSION. The last recorded answer is the baseline of the folder's newest session
 * or, if there is none, the last answer that the guard stored.
 * @param only names of gateways; absent for all
 */
export const recordedAndNow = async (
  home: string,
  project: string,
  env: NodeJS.ProcessEnv,
  only?: readonly string[],
): Promise<Recorded[]> => {
  const config = loadConfig(home, project, env);
  const { gateways, problems } = allSources(config, project, env);
  const wanted = ({ name }: { name: string }): boolean => only === undefined || only.includes(name);
  const baseline: SessionBaseline | undefined = sessionsIn(home, project).next().value;
  const broken = problems
    .filter(({ kind }) => kind === 'gateway')
    .filter(wanted)
    .map(({ name, why }) => ({ name, where: '', why: visible(why, { max: 300 }) }));
  const asked = gateways.filter(wanted).map(async (source): Promise<Recorded> => {
    const { name, where, key } = source;
    const recorded = baseline?.sources[key];
    const last = recorded
      ? { tools: recorded.tools, ...defined({ schemaVersion: recorded.schema_version }) }
      : readLive(home, key);
    const now = await askSource(home, source, { freshFor: config.user.freshFor, deadline: DEADLINE, force: true });
    if (now.status !== 'live') return { name, where, why: visible(now.why, { max: 300 }) };
    if (last === undefined) return { name, where, why: 'nothing was recorded of it before now' };
    return { name, where, before: last, after: now.live };
  });
  return [...broken, ...(await Promise.all(asked))];
};
