import { resolve } from 'node:path';
import type { LoadedConfig } from '../../config/config.ts';
import { defined } from '../../contract/defined.ts';
import type { ReadCount, Span } from '../../state/history.ts';
import { plural } from '../../text/plural.ts';
import type { Named, OfferedTools } from '../names.ts';
import type { Retirement } from '../retire.ts';
import type { Filter, Summary } from '../summary.ts';
import { withDatabase } from './duckdb.ts';
import { isAddress } from './files.ts';
import { gatherExports } from './gather.ts';
import { expectedMachines } from './machines.ts';
import { EXPORTS_SCOPE, retireFrom } from './retire.ts';

/** Most missing machines that are listed as JSON; the others are only counted. */
const MOST_LISTED = 1_000;

/** Counts what machines exported, and answers whether a tool can be retired, if one is named. */
export const countedExports = (
  exported: { from: string; machines?: string; until: string; install: boolean },
  place: { cwd: string; span: Span; config: LoadedConfig; offered: readonly OfferedTools[] },
  question: {
    /** The tool's name without its server's, in the client's spelling. */ wanted: string | undefined;
    sessions: number;
    /** Finds the tool that is meant, among those that were called. */
    named(called: readonly Named[]): Named | undefined;
    filterOf(retirement: Retirement | undefined): Filter;
  },
) => {
  const { from, machines: list, until, install } = exported;
  const expected = list === undefined ? undefined : expectedMachines(list, resolve(place.cwd, list));
  return withDatabase(isAddress(from) ? { install } : undefined, async (database) => {
    const found = await gatherExports(database, from, place, question.wanted);
    const reported = { until, machines: found.machines, ...defined({ expected }) };
    const named = question.named(found.called);
    const answer = named && (await retireFrom(found, named, question.sessions, reported));
    const filter = question.filterOf(answer?.retirement);
    const summary: Summary = await found.summary(filter);
    const read: { log: ReadCount } = { log: found.read };
    const { complete, missing, ...rest } = answer?.machines ?? {};
    return {
      summary,
      gaps: found.gaps,
      read,
      filter,
      scope: EXPORTS_SCOPE,
      sources: `${plural(found.read.files, 'file')} of ${plural(found.machines.size, 'machine')}`,
      machines: {
        known: found.machines.size,
        ...(answer
          ? { ...rest, until, complete, missing: missing?.length, missing_first: missing?.slice(0, MOST_LISTED) }
          : {}),
      },
      ...defined({ first: found.first, last: found.last, retirement: answer?.retirement }),
    };
  });
};
