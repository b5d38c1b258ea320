import type { Json } from '../contract/types.ts';
import { countLevels } from '../diff/diff.ts';
import { EXIT, exitOf, type Freshness } from '../phase-f.ts';
import { type Report, report } from '../report.ts';
import { countText } from '../text/changes.ts';
import { type Paint, painter } from '../text/paint.ts';
import { plural } from '../text/plural.ts';
import { quoteName } from '../text/quote.ts';
import type { Command } from './command.ts';
import { freshnessData, freshnessLines } from './probe.ts';
import { SESSION_OPTION, whereabouts } from './session.ts';

const plain = (name: string): string => quoteName(name).replaceAll('`', '');

const some = (names: string[]): string =>
  names.length > 8
    ? `${names.slice(0, 8).map(plain).join(', ')} and ${names.length - 8} more`
    : names.map(plain).join(', ');

const phaseA = ({ baseline }: Report): string[] => {
  if (baseline === undefined) return ['no baseline yet: start a session with the hooks installed'];
  const sources = Object.values(baseline.sources);
  return [
    `recorded ${baseline.recorded_at} at ${baseline.source}, session ${baseline.session_id}`,
    ...sources.map(
      ({ name, where, tools, late }) =>
        `${plain(name)} (${where}): ${plural(tools.length, 'tool')}${late ? ', recorded after the conversation had begun' : ''}`,
    ),
    ...Object.values(baseline.failed).map(({ name, why }) => `${plain(name)}: none (${why})`),
  ];
};

/** Why the calls of a server are not checked: the reason that its source gives, if there is one. */
const whyUnchecked = (server: string, freshness: Freshness[]): string =>
  freshness.find(({ name, state }) => name === server && EXIT[state] === 2)?.note ?? 'no source lists its tools';

const phaseB = ({ freshness, servers, unstarted }: Report): string[] => [
  ...unstarted.map(({ name, state, why }) => `${plain(name)}: ${state}, so it is not asked (${why})`),
  ...freshness.map(({ name, where, state, tools, note }) =>
    state === 'not-configured'
      ? note
      : `${plain(name)}${where && ` (${where})`}: ${EXIT[state] === 2 ? `${state}, ${note}` : `reachable, ${plural(tools.length, 'tool')}`}`,
  ),
  ...servers.map(
    ({ server, calls, checked }) =>
      `MCP server ${plain(server)}: ${plural(calls, 'call')} in this session, ${checked ? 'checked' : `not checked (${whyUnchecked(server, freshness)})`}`,
  ),
];

const phaseC = ({ sinceLast }: Report): string[] =>
  sinceLast.length === 0
    ? ['no earlier session to compare with']
    : sinceLast.map(({ name, changes }) => `${plain(name)}: ${countText(changes)} since the last session`);

const phaseD = ({ discipline: { twinless, unbumped, mismatched } }: Report): string[] => {
  const lines = [
    ...(twinless.length > 0
      ? [`${plural(twinless.length, 'tool')} with structured input and no _raw twin: ${some(twinless)}`]
      : []),
    ...unbumped.map((name) => `${plain(name)}: contracts changed and SCHEMA_VERSION was not bumped`),
    ...(mismatched.length > 0 ? [`advertised hashes that are wrong: ${some(mismatched)}`] : []),
  ];
  return lines.length > 0 ? lines : ['nothing to report'];
};

const phaseE = ({ verdicts, unseen }: Report): string[] => {
  const counts = Object.entries(verdicts).map(([verdict, count]) => `${count} ${verdict}`);
  return [
    counts.length > 0 ? counts.join(', ') : 'no MCP call so far',
    ...(unseen > 0
      ? [
          `${plural(unseen, 'call')} in the transcript that the guard never saw (it was not installed yet, was switched off, or was killed)`,
        ]
      : []),
  ];
};

/** The one line that sums everything up. */
const completion = ({ freshness, baseline }: Report, paint: Paint): string => {
  const list = (some: Freshness[]) =>
    some.map(({ name, state, note }) => `${plain(name)} ${state} (${note})`).join('; ');
  const drifted = freshness.filter(({ state }) => state === 'drift' || state === 'silent-drift');
  const unasked = freshness.filter(({ state }) => state === 'unaskable');
  const failed = freshness.filter(({ state }) => state === 'unreachable' || state === 'invalid');
  const unchecked = [...failed, ...unasked];
  if (drifted.length > 0) {
    const notes = drifted.map(({ note }) => note);
    const beside = unchecked.length === 0 ? [] : [`Not checked: ${some(unchecked.map(({ name }) => name))}.`];
    return paint('yellow', [...notes, ...beside].join('\n'));
  }
  if (failed.length > 0) {
    const rest = failed.length === freshness.length ? 'Nothing' : 'Nothing of that';
    return paint('red', `❌ konnichiwagwan could not check: ${list(failed)}. ${rest} is known to be fresh.`);
  }
  if (unasked.length === freshness.length && unasked.length > 0) {
    return paint('yellow', `⚠️ konnichiwagwan could not check: ${list(unasked)}. Nothing is known to be fresh.`);
  }
  const beside = unasked.length === 0 ? '' : ` Not checked: ${some(unasked.map(({ name }) => name))}.`;
  if (freshness.every(({ state }) => state === 'not-configured')) {
    return 'konnichiwagwan is not configured: no MCP server and no gateway, so there is nothing to check.';
  }
  const tools = freshness.reduce((sum, one) => sum + one.tools.length, 0);
  const recorded = freshness.some(({ state }) => state === 'no-baseline');
  if (recorded)
    return paint(
      'green',
      `✅ konnichiwagwan: baseline recorded now (${plural(tools, 'tool')}); from here on drift is seen.${beside}`,
    );
  return paint(
    'green',
    `✅ konnichiwagwan: fresh — ${plural(tools, 'tool')} as this session learned them on ${baseline?.recorded_at.slice(0, 10) ?? 'its start'}.${beside}`,
  );
};

const text = (found: Report, paint: Paint): string => {
  const phase = (letter: string, title: string, lines: string[]) => [
    paint('bold', `Phase ${letter} · ${title}`),
    ...lines.map((line) => `  ${line}`),
  ];
  return [
    ...phase('A', 'baseline', phaseA(found)),
    ...phase('B', 'servers', phaseB(found)),
    ...phase('C', 'contracts', phaseC(found)),
    ...phase('D', 'discipline', phaseD(found)),
    ...phase('E', 'verdicts', phaseE(found)),
    ...phase(
      'F',
      'freshness',
      found.freshness.flatMap((one) => freshnessLines(one, paint)),
    ),
    '',
    completion(found, paint),
  ].join('\n');
};

export const status: Command = {
  name: 'status',
  summary: 'phases A to F and one completion line: what /konnichiwagwan shows',
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
    const { baseline, freshness, sinceLast, ...rest } = found;
    return {
      exit: exitOf(freshness),
      data: JSON.parse(
        JSON.stringify({
          ...rest,
          baseline: baseline && { recorded_at: baseline.recorded_at, source: baseline.source, failed: baseline.failed },
          freshness: freshness.map(freshnessData),
          since_last: sinceLast.map(({ name, changes }) => ({ name, summary: countLevels(changes) })),
          completion: completion(found, painter(false)),
        }),
      ) as Json,
      text: text(found, painter(io.colour)),
      warnings: found.problems,
    };
  },
};
