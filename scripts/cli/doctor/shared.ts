import type { Io } from '../../command/command.ts';
import { loadConfig } from '../../config/config.ts';
import { isTooOld, readAbout, sharedApprovals } from '../../shared/kept.ts';
import { refreshShared } from '../../shared/shared-refresh.ts';
import { hostOf } from '../../shared/told.ts';
import { plural } from '../../text/plural.ts';
import { quoteText } from '../../text/quote.ts';
import { visible } from '../../text/visible.ts';
import { type Check, ok, wrong } from './check.ts';

const age = (ms: number): string => {
  const minutes = Math.round((Date.now() - ms) / 60_000);
  if (minutes < 60) return plural(minutes, 'minute');
  return minutes < 48 * 60 ? plural(Math.round(minutes / 60), 'hour') : plural(Math.round(minutes / 60 / 24), 'day');
};

/** Fetches the shared approvals now, and says how old the copy is, and who signed it. */
export const checkShared = async ({ env }: Io, home: string, project: string): Promise<Check[]> => {
  const { shared, mode } = loadConfig(home, project, env).user;
  if (shared === undefined) return [];
  const name = 'shared approvals';
  try {
    await refreshShared(home, shared, env, true);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return [wrong(name, `they cannot be kept (${code})`, `look at ${home}`)];
  }
  const { problem, newest } = readAbout(home, shared) ?? {};
  const found = sharedApprovals(home, shared, env);
  const host = hostOf(shared.url);
  const held = found && [...found.lock.values()].reduce((sum, { size }) => sum + size, 0);
  const copy = found
    ? `${plural(held ?? 0, 'tool')} of ${plural(found.lock.size, 'server')}, signed by ${quoteText(found.copy.signer, 100)}, confirmed ${age(found.copy.confirmedAt)} ago${newest === undefined ? '' : `, newest record of ${visible(newest.slice(0, 10))}`}`
    : 'no good copy: nothing is approved by them';
  if (problem !== undefined || found === undefined) {
    const why = visible(problem?.why ?? 'not fetched yet', { max: 300 });
    return [
      wrong(name, `${host}: ${why}; ${copy}`, 'ask those who publish them, or look at "approvals" in config.json'),
    ];
  }
  const old = mode === 'strict' && isTooOld(found, shared);
  return [old ? wrong(name, `${host}: ${copy}; too old for strict`) : ok(name, `${host}: ${copy}`)];
};
