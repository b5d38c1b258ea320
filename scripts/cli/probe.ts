import type { Json } from '../contract/types.ts';
import { publicChange } from '../diff/diff.ts';
import { exitOf, type Freshness, probeSources } from '../phase-f.ts';
import { changeLines, countText } from '../text/changes.ts';
import { refreshAdvice } from '../text/messages.ts';
import { type Paint, painter } from '../text/paint.ts';
import { quoteName } from '../text/quote.ts';
import type { Command } from './command.ts';
import { SESSION_OPTION, whereabouts } from './session.ts';

/** What one source's freshness looks like to people. */
export const freshnessLines = (
  { state, name, where, note, changes, mismatched }: Freshness,
  paint: Paint,
): string[] => {
  const loud = state === 'drift' || state === 'silent-drift';
  return [
    ...(loud ? [paint('yellow', note)] : []),
    `${name === '' ? '' : `${quoteName(name).replaceAll('`', '')}${where && ` (${where})`}: `}${paint('bold', state)} — ${loud ? countText(changes) : note}`,
    ...(loud ? changeLines(changes, paint, '  ') : []),
    ...(loud
      ? [`  Gentler than a restart: ${refreshAdvice('NAME')} A call that fits the new contract passes without either.`]
      : []),
    ...mismatched
      .slice(0, 5)
      .map((tool) => `  ${quoteName(tool)}: the advertised hash is not the hash of its contract`),
  ];
};

export const freshnessData = ({ state, name, where, before, after, changes, mismatched, note }: Freshness): Json =>
  JSON.parse(
    JSON.stringify({
      state,
      name,
      where,
      before,
      after,
      changes: changes.map(publicChange),
      hash_mismatches: mismatched,
      note,
    }),
  ) as Json;

export const probe: Command = {
  name: 'probe',
  summary: 'Phase F: is what this session learned still what the gateway runs?',
  usage: '[--session ID]',
  options: SESSION_OPTION,
  help: `
Asks every gateway now and compares with the session's baseline (the newest session's, without --session).

  fresh           0  version and contracts are those of the baseline
  drift           1  version and contracts changed
  silent-drift    1  contracts changed, the version did not
  version-only    0  the version changed, the contracts did not
  no-baseline     0  there was none; it was recorded now
  unreachable     2  no answer
  invalid         2  not a tool list
  not-configured  0  no gateway`,
  run: async (args, io) => {
    const { home, project, session } = whereabouts(args, io);
    const { freshness, config } = await probeSources(home, project, io.env, session);
    return {
      exit: exitOf(freshness),
      data: { sources: freshness.map(freshnessData) },
      text: freshness.flatMap((one) => freshnessLines(one, painter(io.colour))).join('\n'),
      warnings: config.problems,
    };
  },
};
