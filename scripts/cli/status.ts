import { changedLine } from '../baseline/drift-line.ts';
import type { Command } from '../command/command.ts';
import { SESSION_OPTION, whereabouts } from '../command/session.ts';
import { MODES } from '../config/settings.ts';
import { present } from '../contract/defined.ts';
import type { ListKind } from '../contract/types.ts';
import { countLevels } from '../diff/levels.ts';
import { switchedOff } from '../guard/run-hook.ts';
import { changeLines, countText } from '../reports/changes.ts';
import { EXIT, exitOf, type Freshness, reason, versionLine } from '../session/freshness.ts';
import { guardCommand, guardedText } from '../session/guarded.ts';
import { report, type StatusReport } from '../session/status.ts';
import { THROUGH_WRAP } from '../sources/wrapped.ts';
import { type Paint, painter } from '../text/paint.ts';
import { plural } from '../text/plural.ts';
import { plainName } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { shorten, visible } from '../text/visible.ts';
import { freshnessData, listsText, sourceText, withoutRefresh } from './probe.ts';

/** How many names one line has at most. */
const MOST_NAMES = 4;
/** With more than this the last line counts them: the names stand above it. */
const MOST_NAMED = 3;
/** How many lines a phase has at most, so that the whole report fits on one screen, whatever drifted. */
const MOST_LINES = { A: 2, B: 5, C: 3, F: 9, few: 13 };
/** How many changes are shown one by one. */
const MOST_CHANGES = 10;
/** How many different warnings the end shows. */
const MOST_NOTES = 3;

const some = (names: readonly Shown[]): Shown => {
  const first = joined(names.slice(0, MOST_NAMES), ', ');
  return names.length > MOST_NAMES ? say`${first} and ${names.length - MOST_NAMES} more` : first;
};

/** Groups names that share a text, in their original order. */
const alike = (said: readonly (readonly [name: Shown, what: Shown])[]): [names: Shown[], what: Shown][] => {
  const groups = new Map<Shown, Shown[]>();
  for (const [name, what] of said) groups.set(what, [...(groups.get(what) ?? []), name]);
  return [...groups].map(([what, names]) => [names, what]);
};

/** One line for each group of servers that share a text. */
const alikeLines = (said: readonly (readonly [name: Shown, what: Shown])[]): Shown[] =>
  alike(said).map(([names, what]) => say`${some(names)}: ${what}`);

/** A few names, or how many there are: for a line that says one thing of all. */
const fewOrCount = (names: readonly Shown[]): Shown =>
  names.length > MOST_NAMED ? say`${names.length} servers` : joined(names, ', ');

/** A state in words for people; `probe` and the data use its real name. */
const stateText = ({ state, late }: Freshness): Shown =>
  state === 'unaskable' ? say`not asked` : late && state === 'fresh' ? say`unchanged` : say`${state}`;

/** Why a server is in its state. `--spawn` is an option of `probe`, so there it is named with its command. */
const noteOf = ({ note }: Freshness): Shown =>
  visible(note.replace(/(?<!probe )--spawn/, 'konnichiwagwan probe --spawn'));

/** The first lines, and a last one that says how many are missing. */
const atMost = (most: number, lines: readonly Shown[]): Shown[] =>
  lines.length <= most
    ? [...lines]
    : [...lines.slice(0, most - 1), say`and ${lines.length - most + 1} more like these: konnichiwagwan probe`];

/** A server and where it is asked. Left out behind wrap: it would say nothing, and many servers are. */
const nameText = (one: Freshness): Shown => (one.where === THROUGH_WRAP ? plainName(one.name) : sourceText(one));

const counted = ({ name, tools }: { name: string; tools: readonly unknown[] }): Shown =>
  say`${plainName(name)} (${plural(tools.length, 'tool')})`;

const phaseA = ({ baseline }: StatusReport): Shown[] => {
  if (baseline === undefined) return [say`no baseline yet: start Claude Code once in this folder`];
  const { recorded_at, source, session_id } = baseline;
  const [at, by, session] = [recorded_at, source, session_id].map((text) => visible(text, { max: 100 })) as [
    Shown,
    Shown,
    Shown,
  ];
  const sources = Object.values(baseline.sources);
  const [early, late] = [sources.filter((one) => !one.late), sources.filter((one) => one.late)];
  return [
    say`recorded ${at} at ${by}, session ${session}`,
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
const phaseB = (found: StatusReport, isOff: boolean): Shown[] => {
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

const phaseC = ({ sinceLast }: StatusReport): Shown[] => {
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

const phaseD = ({ discipline: { twinless, unbumped, mismatched } }: StatusReport): Shown[] => {
  const named = (names: readonly string[]): Shown => some(names.map(plainName));
  const lines = present([
    twinless.length > 0 &&
      say`${plural(twinless.length, 'tool')} with structured input and no _raw twin: ${named(twinless)}`,
    unbumped.length > 0 && say`contracts changed and SCHEMA_VERSION was not bumped: ${named(unbumped)}`,
    mismatched.length > 0 && say`advertised hashes that are wrong: ${named(mismatched)}`,
  ]);
  return lines.length > 0 ? lines : [say`nothing to report`];
};

const phaseE = ({ verdicts, told, unseen }: StatusReport): Shown[] => {
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
const phaseF = ({ freshness, servers }: StatusReport, paint: Paint): Shown[] => {
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

const namesOf = (sources: readonly Freshness[]): Shown => fewOrCount(sources.map(({ name }) => plainName(name)));

/** Servers with their states, those that share one together. */
const statesText = (sources: readonly Freshness[]): Shown => {
  const groups = alike(sources.map((one) => [plainName(one.name), say`${stateText(one)} (${noteOf(one)})`]));
  const said = groups.slice(0, MOST_NOTES).map(([names, what]) => say`${fewOrCount(names)} ${what}`);
  return joined(groups.length > MOST_NOTES ? [...said, say`and others`] : said, '; ');
};

const driftedText = (drifted: readonly Freshness[], unchecked: readonly Freshness[]): Shown => {
  // What becomes of calls is said once for all servers of a mode.
  const together = MODES.flatMap((mode) => {
    const counted = drifted.filter((one) => one.changed !== undefined && one.mode === mode);
    const sum = counted.reduce((all, { changed = 0 }) => all + changed, 0);
    const names = counted.map(({ name }) => name);
    return counted.length === 0 ? [] : [changedLine(names, sum, mode)];
  });
  const others = drifted.filter(({ changed }) => changed === undefined).map(({ note }) => note);
  const notes = [...new Set([...others, ...together])].slice(0, MOST_NOTES);
  return joined(unchecked.length === 0 ? notes : [...notes, say`Not checked: ${namesOf(unchecked)}.`], '\n');
};

const failedText = (failed: readonly Freshness[], isAll: boolean): Shown => {
  const rest = isAll
    ? 'Nothing is known to be fresh.'
    : `It is not known whether ${failed.length === 1 ? 'its' : 'their'} tools changed.`;
  return say`❌ konnichiwagwan could not check: ${statesText(failed)}. ${visible(rest)}`;
};

/** For servers of which none can be asked. */
const unaskedText = (unasked: readonly Freshness[], guarded: StatusReport['guarded']): Shown => {
  const next = guardCommand(guarded);
  if (next === undefined && guarded.guarded >= unasked.length && guarded.others.length === 0)
    return say`konnichiwagwan: ${guardedText(guarded)}, and each call is checked when it is made. Nothing was compared now: ${statesText(unasked)}.`;
  const how = next === undefined ? say`` : say` To guard ${unasked.length === 1 ? 'it' : 'them'}: ${next}`;
  return say`⚠️ konnichiwagwan could not check: ${statesText(unasked)}. Nothing is known to be fresh.${how}`;
};

/** What limits a check that found no drift, if anything does. */
const doubtIn = (freshness: readonly Freshness[], tools: Shown): Shown | undefined => {
  const unread = freshness.flatMap(({ name, lists = {} }) =>
    Object.entries(lists).flatMap(([kind, state]) =>
      state === 'unread' ? [say`${kind as ListKind} of ${plainName(name)}`] : [],
    ),
  );
  if (unread.length > 0) return say`${tools} as this session learned them. Could not be read: ${joined(unread, ', ')}.`;
  const late = freshness.filter((one) => one.late);
  if (late.length === 0) return undefined;
  const [was, them] = late.length === 1 ? (['was', 'it'] as const) : (['were', 'them'] as const);
  return say`nothing changed since it was recorded — ${tools}. ${namesOf(late)} ${was} first asked after the conversation had begun, so what it learned of ${them} is not known.`;
};

/** The completion line, which sums everything up. */
const completion = ({ freshness, baseline, unstarted, guarded }: StatusReport, paint: Paint): Shown => {
  const drifted = freshness.filter(({ state }) => EXIT[state] === 1);
  const unasked = freshness.filter(({ state }) => state === 'unaskable');
  const failed = freshness.filter(({ state }) => state === 'unreachable' || state === 'invalid');
  if (drifted.length > 0) return paint('yellow', driftedText(drifted, [...failed, ...unasked]));
  if (failed.length > 0) return paint('red', failedText(failed, failed.length === freshness.length));
  if (unasked.length === freshness.length && unasked.length > 0) return paint('yellow', unaskedText(unasked, guarded));
  if (freshness.every(({ state }) => state === 'not-configured'))
    return unstarted.length === 0
      ? say`konnichiwagwan is not configured: no MCP server and no gateway, so there is nothing to check.`
      : paint(
          'yellow',
          say`⚠️ konnichiwagwan checked nothing: Claude Code starts none of the servers that are configured here. Phase B says why.`,
        );
  const beside = unasked.length === 0 ? say`` : say` Not checked: ${namesOf(unasked)}.`;
  /** Green if everything was checked; else yellow, since the exit code reports what was not. */
  const well = (line: Shown): Shown =>
    unasked.length === 0 ? paint('green', say`✅ ${line}`) : paint('yellow', say`⚠️ ${line}${beside}`);
  const tools = plural(
    freshness.reduce((sum, one) => sum + one.tools.length, 0),
    'tool',
  );
  if (freshness.some(({ state }) => state === 'no-baseline'))
    return well(say`konnichiwagwan: baseline recorded now (${tools}); from here on drift is seen.`);
  const doubt = doubtIn(freshness, tools);
  if (doubt !== undefined) return paint('yellow', say`⚠️ konnichiwagwan: ${doubt}${beside}`);
  const since = visible(baseline?.recorded_at.slice(0, 10) ?? 'its start');
  return well(say`konnichiwagwan: fresh — ${tools} as this session learned them on ${since}.`);
};

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
  summary: 'which servers are up to date, changed or not checked; what /konnichiwagwan shows',
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
