// The lines of the six phases.
import { present } from '../../contract/defined.ts';
import { changeLines, countText } from '../../reports/changes.ts';
import { EXIT, type Freshness, reason, versionLine } from '../../session/freshness.ts';
import { guardedText } from '../../session/guarded.ts';
import type { StatusReport } from '../../session/status.ts';
import type { Paint } from '../../text/paint.ts';
import { plural } from '../../text/plural.ts';
import { plainName } from '../../text/quote.ts';
import { joined, type Shown, say } from '../../text/shown.ts';
import { visible } from '../../text/visible.ts';
import { listsText, sourceText, withoutRefresh } from '../probe.ts';
import { alikeLines, nameText, noteOf, some, stateText } from './names.ts';

/** How many lines a phase has at most, so that the whole report fits on one screen, whatever drifted. */
const MOST_LINES = { A: 2, B: 5, C: 3, F: 9, few: 13 };
/** How many changes are shown one by one. */
const MOST_CHANGES = 10;

/** The first lines, and a last one that says how many are missing. */
const atMost = (most: number, lines: readonly Shown[]): Shown[] =>
  lines.length <= most
    ? [...lines]
    : [...lines.slice(0, most - 1), say`and ${lines.length - most + 1} more like these: konnichiwagwan probe`];

const counted = ({ name, tools }: { name: string; tools: readonly unknown[] }): Shown =>
  say`${plainName(name)} (${plural(tools.length, 'tool')})`;

export const phaseA = (report: StatusReport): Shown[] => {
  const { unusable } = report;
  const lines = ofBaseline(report);
  if (unusable === undefined) return lines;
  return [
    say`${visible(unusable, { max: 300 })} cannot be used: what this session started with is not known`,
    ...lines,
  ];
};

const ofBaseline = ({ baseline, freshness, guarded }: StatusReport): Shown[] => {
  if (baseline === undefined) {
    // A session's start records programs, and what sources answer.
    const hasPrograms = guarded.others.some(({ server }) => server.launch.type === 'stdio');
    return freshness.every(({ state }) => EXIT[state] === 2) && !hasPrograms
      ? [say`no baseline: none of the servers can be asked, see phase F`]
      : [say`no baseline yet: start Claude Code once in this folder`];
  }
  const shown = (text: string): Shown => visible(text, { max: 100 });
  const { recorded_at, source, session_id } = baseline;
  const sources = Object.values(baseline.sources);
  const [early, late] = [sources.filter((one) => !one.late), sources.filter((one) => one.late)];
  return [
    say`recorded ${shown(recorded_at)} at ${shown(source)}, session ${shown(session_id)}`,
    ...atMost(
      MOST_LINES.A,
      present([
        early.length > 0 && some(early.map(counted)),
        late.length > 0 && say`recorded after the conversation had begun: ${some(late.map(counted))}`,
        ...alikeLines(
          Object.values(baseline.failed).map(({ name, why }) => [plainName(name), say`none (${reason(why)})`]),
        ),
      ]),
    ),
  ];
};

type CallsOf = StatusReport['servers'][number];

/** Why no call of a server was checked: what its source says now, if that is a reason. */
const whyUnchecked = ({ server, unchecked, uncovered }: CallsOf, freshness: Freshness[]): Shown => {
  const own = freshness.find(({ name }) => name === server);
  if (own && EXIT[own.state] === 2) return own.note;
  return own === undefined && uncovered === unchecked
    ? say`no source lists its tools`
    : say`that was not possible when they were made`;
};

/** What became of a server's calls: some may have been checked, and others not. */
const calledText = (one: CallsOf, freshness: Freshness[]): [name: Shown, what: Shown] => {
  const [name, calls] = [plainName(one.server), plural(one.calls, 'call')];
  if (!one.checked)
    return [say`${name} (${calls})`, say`not checked (${one.isOff ? 'switched off' : whyUnchecked(one, freshness)})`];
  return one.unchecked === 0
    ? [say`${name} (${calls})`, say`checked`]
    : [say`${name} (${calls}, ${one.unchecked} of them not checked)`, say`the others checked`];
};

/** How many servers are guarded, and the command for each of the others, or for all of them. */
const guardLines = ({ guarded }: StatusReport): Shown[] => {
  if (guarded.total === 0) return [];
  const byWrap = guarded.others.filter((one) => one.byWrap);
  const all = byWrap.length > 1 ? say`kwg wrap --add --all` : undefined;
  return [
    guardedText(guarded),
    ...alikeLines(
      guarded.others.map(({ server, why, command, byWrap }) => {
        const next = byWrap && all ? all : command;
        return [plainName(server.name), next === undefined ? why : say`${why} → ${next}`];
      }),
    ),
  ];
};

/** @param isOff whether the hooks are switched off where this runs */
export const phaseB = (found: StatusReport, isOff: boolean): Shown[] => {
  const { freshness, servers, unstarted, guarded } = found;
  const unguarded = new Set(guarded.others.map(({ server }) => server.name));
  const answered = freshness.filter(({ state }) => EXIT[state] !== 2 && state !== 'not-configured');
  // Those that could not be asked stand in phase F, with the reason.
  const failed = freshness.filter(
    ({ state, name }) => EXIT[state] === 2 && state !== 'unaskable' && !unguarded.has(name),
  );
  const lines = present([
    ...alikeLines(
      unstarted.map(({ name, state, why }) => [
        plainName(name),
        say`${visible(state, { max: 40 })}, so it is not asked (${reason(why)})`,
      ]),
    ),
    ...freshness.filter(({ state }) => state === 'not-configured').map(({ note }) => note),
    answered.length > 0 &&
      say`reachable: ${some(answered.map((one) => say`${nameText(one)} ${plural(one.tools.length, 'tool')}`))}`,
    ...alikeLines(failed.map((one) => [nameText(one), stateText(one)])),
    ...alikeLines(
      // Checked servers first: if lines are left out, the unchecked ones were reported above.
      servers.toSorted((a, b) => Number(b.checked) - Number(a.checked)).map((one) => calledText(one, freshness)),
    ).map((line) => say`calls in this session, of ${line}`),
  ]);
  const off = isOff ? [say`KONNICHIWAGWAN=off: the hooks do nothing`] : [];
  return [...off, ...guardLines(found), ...atMost(MOST_LINES.B, lines)];
};

export const phaseC = ({ sinceLast }: StatusReport): Shown[] => {
  if (sinceLast.length === 0) return [say`no earlier session of this folder to compare with`];
  const [same, other] = [
    sinceLast.filter(({ changes }) => changes.length === 0),
    sinceLast.filter(({ changes }) => changes.length > 0),
  ];
  return atMost(
    MOST_LINES.C,
    present([
      ...other.map(({ name, changes }) => say`${plainName(name)}: ${countText(changes)} since the last session`),
      same.length > 0 && say`${some(same.map(({ name }) => plainName(name)))}: no changes since the last session`,
    ]),
  );
};

export const phaseD = ({ discipline: { twinless, unbumped, mismatched } }: StatusReport): Shown[] => {
  const named = (names: readonly string[]): Shown => some(names.map(plainName));
  const lines = present([
    twinless.length > 0 &&
      say`${plural(twinless.length, 'tool')} with structured input and no _raw twin: ${named(twinless)}`,
    unbumped.length > 0 && say`contracts changed and SCHEMA_VERSION was not bumped: ${named(unbumped)}`,
    mismatched.length > 0 && say`advertised hashes that are wrong: ${named(mismatched)}`,
  ]);
  return lines.length > 0 ? lines : [say`nothing to report`];
};

export const phaseE = ({ verdicts, told, unseen }: StatusReport): Shown[] => {
  const counts = Object.entries(verdicts).map(([verdict, count]) => say`${count} ${visible(verdict, { max: 40 })}`);
  return present([
    counts.length > 0 ? joined(counts, ', ') : say`no MCP call so far`,
    told.length > 0 && say`stopped, asked or told about: ${some(told.map(plainName))}. Why: konnichiwagwan logs --diff`,
    unseen > 0 &&
      say`${plural(unseen, 'call')} in the transcript that the guard never saw (it was not installed yet, was switched off, or was killed)`,
  ]);
};

/** Further remarks about a source. */
const besides = ({ state, kind, remarks, upgrade, lists = {} }: Freshness): Shown[] =>
  present([...remarks, upgrade, EXIT[state] === 1 && kind === 'server' && listsText(lists)]);

/** Servers grouped by their state; for those that drifted, how much. The changes follow if there are few. */
export const phaseF = ({ freshness, servers }: StatusReport, paint: Paint): Shown[] => {
  const drifted = freshness.filter(({ state }) => EXIT[state] === 1);
  const called = new Set(servers.map(({ server }) => server));
  // A long list of names is cut: those that this session called come first.
  const others = freshness
    .filter(({ state }) => EXIT[state] !== 1)
    .toSorted((a, b) => Number(called.has(b.name)) - Number(called.has(a.name)));
  const changes = drifted.flatMap((one) => changeLines(one.changes, paint, '  '));
  const few = drifted.length <= 2 && changes.length <= MOST_CHANGES;
  const lines = [
    ...drifted.flatMap((one) => [
      say`${sourceText(one)}: ${paint('bold', say`${one.state}`)} — ${countText(one.changes)}`,
      ...(few ? [...changeLines(one.changes, paint, '  '), ...besides(one).map((line) => say`  ${line}`)] : []),
    ]),
    ...alikeLines(
      others.map((one) => [
        one.name === '' ? say`no source` : nameText(one),
        say`${paint('bold', stateText(one))} — ${noteOf(one)}`,
      ]),
    ),
    ...alikeLines(others.flatMap((one) => besides(one).map((line): [Shown, Shown] => [plainName(one.name), line]))),
    ...alikeLines(
      freshness.flatMap(({ name, unread = [] }) => unread.map((why): [Shown, Shown] => [plainName(name), why])),
    ),
  ];
  const versions = freshness.flatMap((one): [Shown, Shown][] => {
    const version = versionLine(one);
    return version === undefined ? [] : [[plainName(one.name), version]];
  });
  const [first, ...rest] = drifted.filter(({ kind }) => kind === 'server').map(({ name }) => plainName(name));
  return present([
    ...alikeLines(versions),
    ...atMost(few ? MOST_LINES.few : MOST_LINES.F, lines),
    drifted.length > 0 && !few && say`What changed, one by one: konnichiwagwan probe`,
    drifted.length > 0 &&
      say`To show the model the new contracts: /mcp reconnect ${first !== undefined && rest.length === 0 ? first : say`NAME`}, then /clear.${withoutRefresh(drifted)}`,
  ]);
};
