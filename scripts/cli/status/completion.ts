import { changedLine } from '../../baseline/drift-line.ts';
import { MODES } from '../../config/settings.ts';
import type { ListKind } from '../../contract/types.ts';
import { EXIT, type Freshness } from '../../session/freshness.ts';
import { guardCommand, guardedText } from '../../session/guarded.ts';
import type { StatusReport } from '../../session/status.ts';
import type { Paint } from '../../text/paint.ts';
import { plural } from '../../text/plural.ts';
import { plainName } from '../../text/quote.ts';
import { joined, type Shown, say } from '../../text/shown.ts';
import { visible } from '../../text/visible.ts';
import { alike, fewOrCount, noteOf, stateText } from './names.ts';

/** How many different warnings the end shows. */
const MOST_NOTES = 3;

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
export const completion = ({ freshness, baseline, unstarted, guarded }: StatusReport, paint: Paint): Shown => {
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
