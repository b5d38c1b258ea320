import type { Command } from '../command/command.ts';
import { SESSION_OPTION, whereabouts } from '../command/session.ts';
import { countLevels } from '../diff/levels.ts';
import { switchedOff } from '../guard/run-hook.ts';
import { exitOf } from '../session/freshness.ts';
import { report, type StatusReport } from '../session/status.ts';
import { type Paint, painter } from '../text/paint.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { shorten } from '../text/visible.ts';
import { freshnessData } from './probe.ts';
import { completion } from './status/completion.ts';
import { phaseA, phaseB, phaseC, phaseD, phaseE, phaseF } from './status/phases.ts';

const text = (found: StatusReport, isOff: boolean, paint: Paint): Shown => {
  const phase = (letter: 'A' | 'B' | 'C' | 'D' | 'E' | 'F', title: Shown, lines: Shown[]): Shown[] => [
    paint('bold', say`Phase ${letter} · ${title}`),
    ...lines.map((line) => say`  ${line}`),
  ];
  return joined(
    [
      ...phase('A', say`baseline`, phaseA(found)),
      ...phase('B', say`servers`, phaseB(found, isOff)),
      ...phase('C', say`contracts`, phaseC(found)),
      ...phase('D', say`discipline`, phaseD(found)),
      ...phase('E', say`verdicts`, phaseE(found)),
      ...phase('F', say`freshness`, phaseF(found, paint)),
      say``,
      completion(found, paint),
    ],
    '\n',
  );
};

/** Bounds texts for JSON, where they are not quoted. */
const bounded = (_key: string, value: unknown): unknown => (typeof value === 'string' ? shorten(value, 2_000) : value);

export const status: Command = {
  name: 'status',
  usage: '[--session ID]',
  options: SESSION_OPTION,
  help: `
  A  baseline    what the session started with
  B  servers     what can be asked, and what cannot
  C  contracts   what changed since the last session
  D  discipline  missing raw twins, versions that were not bumped, wrong hashes
  E  verdicts    what the guard decided in this session
  F  freshness   is what the session learned still what the gateway runs?

Exits like probe: 1 for drift, 2 if something could not be checked.`,
  run: async (args, io) => {
    const { home, project, session } = whereabouts(args, io);
    const found = await report(home, project, io.env, session);
    const { baseline, freshness, sinceLast, guarded, ...rest } = found;
    return {
      exit: exitOf(freshness),
      data: JSON.parse(
        JSON.stringify({
          ...rest,
          // How a server is started can hold secrets.
          guarded: {
            ...guarded,
            others: guarded.others.map(({ server: { name, scope, state }, ...one }) => ({
              server: { name, scope, state },
              ...one,
            })),
          },
          baseline: baseline && { recorded_at: baseline.recorded_at, source: baseline.source, failed: baseline.failed },
          freshness: freshness.map(freshnessData),
          since_last: sinceLast.map(({ name, changes }) => ({ name, summary: countLevels(changes) })),
          completion: completion(found, painter(false)),
        }),
        bounded,
      ),
      text: text(found, switchedOff(io.env), painter(io.colour)),
      warnings: found.problems,
    };
  },
};
