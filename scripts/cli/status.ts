import type { Command } from '../command/command.ts';
import { SESSION_OPTION, whereabouts } from '../command/session.ts';
import type { ListKind } from '../contract/types.ts';
import { countLevels } from '../diff/diff.ts';
import { countText } from '../reports/changes.ts';
import { EXIT, exitOf, type Freshness, reason } from '../session/probe.ts';
import { report, type StatusReport } from '../session/status.ts';
import { type Paint, painter } from '../text/paint.ts';
import { plural } from '../text/plural.ts';
import { plainName } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { shorten, visible } from '../text/visible.ts';
import { freshnessData, freshnessLines, sourceText } from './probe.ts';

const some = (names: readonly string[]): Shown => {
  const first = joined(names.slice(0, 8).map(plainName), ', ');
  return names.length > 8 ? say`${first} and ${names.length - 8} more` : first;
};

const phaseA = ({ baseline }: StatusReport): Shown[] => {
  if (baseline === undefined) return [say`no baseline yet: start a session with the hooks installed`];
  const { recorded_at, source, session_id } = baseline;
  const [at, by, session] = [recorded_at, source, session_id].map((text) => visible(text, { max: 100 })) as [
    Shown,
    Shown,
    Shown,
  ];
  return [
    say`recorded ${at} at ${by}, session ${session}`,
    ...Object.values(baseline.sources).map(
      (one) =>
        say`${sourceText(one)}: ${plural(one.tools.length, 'tool')}${one.late ? ', recorded after the conversation had begun' : ''}`,
    ),
    ...Object.values(baseline.failed).map(({ name, why }) => say`${plainName(name)}: none (${reason(why)})`),
  ];
};

/** Why calls of a server are not checked: the reason that its source gives, if it has one. */
const whyUnchecked = (server: string, freshness: Freshness[]): Shown =>
  freshness.find(({ name, state }) => name === server && EXIT[state] === 2)?.note ?? say`no source lists its tools`;

const phaseB = ({ freshness, servers, unstarted }: StatusReport): Shown[] => [
  ...unstarted.map(
    ({ name, state, why }) =>
      say`${plainName(name)}: ${visible(state, { max: 40 })}, so it is not asked (${reason(why)})`,
  ),
  ...freshness.map((one) => {
    const { state, tools, note } = one;
    if (state === 'not-configured') return note;
    const found = EXIT[state] === 2 ? say`${state}, ${note}` : say`reachable, ${plural(tools.length, 'tool')}`;
    return say`${sourceText(one)}: ${found}`;
  }),
  ...servers.map(
    ({ server, calls, checked }) =>
      say`MCP server ${plainName(server)}: ${plural(calls, 'call')} in this session, ${checked ? 'checked' : say`not checked (${whyUnchecked(server, freshness)})`}`,
  ),
];

const phaseC = ({ sinceLast }: StatusReport): Shown[] =>
  sinceLast.length === 0
    ? [say`no earlier session to compare with`]
    : sinceLast.map(({ name, changes }) => say`${plainName(name)}: ${countText(changes)} since the last session`);

const phaseD = ({ discipline: { twinless, unbumped, mismatched } }: StatusReport): Shown[] => {
  const lines = [
    ...(twinless.length > 0
      ? [say`${plural(twinless.length, 'tool')} with structured input and no _raw twin: ${some(twinless)}`]
      : []),
    ...unbumped.map((name) => say`${plainName(name)}: contracts changed and SCHEMA_VERSION was not bumped`),
    ...(mismatched.length > 0 ? [say`advertised hashes that are wrong: ${some(mismatched)}`] : []),
  ];
  return lines.length > 0 ? lines : [say`nothing to report`];
};

const phaseE = ({ verdicts, unseen }: StatusReport): Shown[] => {
  const counts = Object.entries(verdicts).map(([verdict, count]) => say`${count} ${visible(verdict, { max: 40 })}`);
  return [
    counts.length > 0 ? joined(counts, ', ') : say`no MCP call so far`,
    ...(unseen > 0
      ? [
          say`${plural(unseen, 'call')} in the transcript that the guard never saw (it was not installed yet, was switched off, or was killed)`,
        ]
      : []),
  ];
};

/** The completion line, which sums everything up. */
const completion = ({ freshness, baseline }: StatusReport, paint: Paint): Shown => {
  const list = (some: Freshness[]) =>
    joined(
      some.map(({ name, state, note }) => say`${plainName(name)} ${state} (${note})`),
      '; ',
    );
  const drifted = freshness.filter(({ state }) => EXIT[state] === 1);
  const unasked = freshness.filter(({ state }) => state === 'unaskable');
  const failed = freshness.filter(({ state }) => state === 'unreachable' || state === 'invalid');
  const unchecked = [...failed, ...unasked];
  if (drifted.length > 0) {
    const notes = drifted.map(({ note }) => note);
    const beside = unchecked.length === 0 ? [] : [say`Not checked: ${some(unchecked.map(({ name }) => name))}.`];
    return paint('yellow', joined([...notes, ...beside], '\n'));
  }
  if (failed.length > 0) {
    const rest = failed.length === freshness.length ? 'Nothing' : 'Nothing of that';
    return paint('red', say`❌ konnichiwagwan could not check: ${list(failed)}. ${rest} is known to be fresh.`);
  }
  if (unasked.length === freshness.length && unasked.length > 0) {
    return paint('yellow', say`⚠️ konnichiwagwan could not check: ${list(unasked)}. Nothing is known to be fresh.`);
  }
  const beside = unasked.length === 0 ? '' : say` Not checked: ${some(unasked.map(({ name }) => name))}.`;
  if (freshness.every(({ state }) => state === 'not-configured')) {
    return say`konnichiwagwan is not configured: no MCP server and no gateway, so there is nothing to check.`;
  }
  const tools = freshness.reduce((sum, one) => sum + one.tools.length, 0);
  const recorded = freshness.some(({ state }) => state === 'no-baseline');
  if (recorded)
    return paint(
      'green',
      say`✅ konnichiwagwan: baseline recorded now (${plural(tools, 'tool')}); from here on drift is seen.${beside}`,
    );
  const unread = freshness.flatMap(({ name, lists = {} }) =>
    Object.entries(lists).flatMap(([kind, state]) =>
      state === 'unread' ? [say`${kind as ListKind} of ${plainName(name)}`] : [],
    ),
  );
  if (unread.length > 0) {
    const known = say`${plural(tools, 'tool')} as this session learned them`;
    return paint('yellow', say`⚠️ konnichiwagwan: ${known}. Could not be read: ${joined(unread, ', ')}.${beside}`);
  }
  const since = visible(baseline?.recorded_at.slice(0, 10) ?? 'its start');
  return paint(
    'green',
    say`✅ konnichiwagwan: fresh — ${plural(tools, 'tool')} as this session learned them on ${since}.${beside}`,
  );
};

const text = (found: StatusReport, paint: Paint): Shown => {
  const phase = (letter: 'A' | 'B' | 'C' | 'D' | 'E' | 'F', title: Shown, lines: Shown[]): Shown[] => [
    paint('bold', say`Phase ${letter} · ${title}`),
    ...lines.map((line) => say`  ${line}`),
  ];
  return joined(
    [
      ...phase('A', say`baseline`, phaseA(found)),
      ...phase('B', say`servers`, phaseB(found)),
      ...phase('C', say`contracts`, phaseC(found)),
      ...phase('D', say`discipline`, phaseD(found)),
      ...phase('E', say`verdicts`, phaseE(found)),
      ...phase(
        'F',
        say`freshness`,
        found.freshness.flatMap((one) => freshnessLines(one, paint)),
      ),
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
        bounded,
      ),
      text: text(found, painter(io.colour)),
      warnings: found.problems,
    };
  },
};
