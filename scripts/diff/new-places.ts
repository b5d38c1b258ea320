// Parameters that moved into an object, or out of one, told as moved.
import { pointer } from '../contract/json-pointer.ts';
import { sameJson } from '../contract/same.ts';
import { type Json, own } from '../contract/types.ts';
import { quoteName } from '../text/quote.ts';
import { quoteChange } from '../text/quote-change.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { holdsBack } from './consent.ts';
import {
  findMoves,
  isBelow,
  keyOf,
  type LikelyMove,
  MOST_PLACES,
  nameOf,
  ownerOf,
  type ParameterPlace,
  placesIn,
} from './find-moves.ts';
import { actsByItself } from './left-out.ts';
import { nameWords } from './name-words.ts';
import { inputPropertyAdded } from './rules/input-property-added.ts';
import { inputPropertyRemoved } from './rules/input-property-removed.ts';
import { inputPropertyReplaced } from './rules/input-property-replaced.ts';
import type { FoundChange } from './types.ts';
import { isLesserAct } from './words/acts.ts';
import { kindOf, tellsSomething } from './words/kinds.ts';

/** Whether an object says something of all that is in it: `refund`, or "All times are in minutes." */
const saysMore = ({ way, said }: ParameterPlace): boolean => {
  const words = own(said, 'description');
  const isAct = (word: string): boolean => isLesserAct(word) || kindOf({ text: word, word }) === 'effect';
  return nameWords(nameOf(way)).some(isAct) || (typeof words === 'string' && tellsSomething(words));
};

/** Whether a value can be given at its new place, and nothing else follows from that. */
const isSafe = (
  { from, to, before, after }: LikelyMove,
  old: readonly ParameterPlace[],
  now: readonly ParameterPlace[],
  moved: ReadonlySet<string>,
  root: Json,
): boolean => {
  const defaultOf = ({ said }: ParameterPlace): Json => own(said, 'default') ?? null;
  const isNew = (one: ParameterPlace, owner: readonly string[]): boolean =>
    one.way.length === owner.length + 1 && isBelow(one.way, owner) && !moved.has(keyOf(one.way));
  const acts = ({ way, said }: ParameterPlace): boolean =>
    [actsByItself, holdsBack].some((is) => is(nameOf(way), said, root));
  if (!sameJson(defaultOf(before), defaultOf(after))) return false;
  const left = old.filter(({ way }) => isBelow(from, way) && !isBelow(to, way));
  const entered = now.filter(({ way }) => isBelow(to, way) && !isBelow(from, way));
  if ([...left, ...entered].some(saysMore)) return false;
  // An object that is given replaces its default, and what is left out in it may act.
  return now
    .filter(({ way }) => isBelow(to, way))
    .every((holder) => {
      const given = defaultOf(holder);
      return (given === null || sameJson(given, {})) && !now.some((one) => isNew(one, holder.way) && acts(one));
    });
};

const shownWay = (way: readonly string[]): Shown => quoteName(way.join('.'));

/** Further ones are counted. */
const MOST_SHOWN = 6;

const shownMoves = (moves: readonly LikelyMove[]): Shown => {
  const shown = moves.slice(0, MOST_SHOWN).map(({ from, to }) => say`${shownWay(from)} → ${shownWay(to)}`);
  const more = moves.length > MOST_SHOWN ? say` and ${moves.length - MOST_SHOWN} more` : '';
  const evidence = moves.every(({ as }) => as === 'words')
    ? 'the same type and the same words'
    : 'the same name and type';
  return say`${joined(shown, ', ')}${more} (${evidence})`;
};

/** @param left what the removed object held, and has no new place */
const movedText = (change: FoundChange, moves: readonly LikelyMove[], left: readonly ParameterPlace[]): Shown => {
  const way = change.parameter ?? [];
  const isWhole = moves.every(({ from }) => keyOf(from) === keyOf(way));
  const others = left.slice(0, MOST_SHOWN).map((place) => shownWay(place.way));
  return say`moved${isWhole ? '' : say` out of ${shownWay(way)}`}: ${shownMoves(moves)}${
    others.length > 0 ? say`; removed: ${joined(others, ', ')}` : ''
  }${change.level === 'silent' ? say`; at the old place it is only accepted, like any unknown name` : ''}`;
};

/** A parameter came in an object under the name of one that went, and its words say something else. */
const replaced = (tool: string, { from, to, before, after }: LikelyMove): FoundChange => {
  const brief = say`${shownWay(to)} came where ${shownWay(from)} went, and may mean something else`;
  const [had, has] = [before, after].map(({ said }) => own(said, 'description'));
  return {
    tool,
    path: `/inputSchema${to.map((name) => `/properties${pointer(name)}`).join('')}`,
    rule: inputPropertyReplaced.id,
    level: 'semantic',
    message: sameJson(had, has) ? brief : say`${brief}: ${quoteChange(had, has, 160)}`,
    parameter: to,
    ways: [to],
    effect: { when: 'used', verdict: 'ask' },
    brief,
  };
};

const isRemoval = ({ rule, effect, ways = [] }: FoundChange): boolean =>
  rule === inputPropertyRemoved.id && effect !== undefined && ways.length === 1;

/** The places that only the new schema has, and that are no new name of another one. */
const placesThatCame = (
  old: readonly ParameterPlace[],
  now: readonly ParameterPlace[],
  changes: readonly FoundChange[],
): ParameterPlace[] => {
  const had = new Set(old.map(({ way }) => keyOf(way)));
  const renamed = changes.flatMap(({ renamedTo, ways = [] }) =>
    renamedTo === undefined ? [] : ways.map((way) => [...ownerOf(way), renamedTo]),
  );
  return now.filter(
    ({ way }) => !had.has(keyOf(way)) && !renamed.some((to) => keyOf(to) === keyOf(way) || isBelow(way, to)),
  );
};

/** A removed parameter, and all that it held. */
const partsOf = (
  { ways: [way = []] = [] }: FoundChange,
  old: readonly ParameterPlace[],
): { whole: ParameterPlace[]; parts: ParameterPlace[] } => {
  const within = old.filter((one) => isBelow(one.way, way));
  return {
    whole: old.filter((one) => keyOf(one.way) === keyOf(way)),
    parts: within.filter((one) => !within.some((other) => isBelow(other.way, one.way))),
  };
};

/**
 * Tells of removed parameters, and of what removed objects held, where that is now; or, where it is not proven to mean the
 * same there, that it may mean something else.
 */
export const withNewPlaces = (changes: FoundChange[], before: Json, after: Json): FoundChange[] => {
  const removals = changes.filter(isRemoval);
  const [old, now] = removals.length === 0 ? [[], []] : [placesIn(before), placesIn(after)];
  if (removals.length === 0 || Math.max(old.length, now.length) > MOST_PLACES) return changes;
  const has = new Set(now.map(({ way }) => keyOf(way)));
  const gone = removals
    .flatMap((change) => Object.values(partsOf(change, old)).flat())
    .filter(({ way }) => !has.has(keyOf(way)));
  const found = findMoves(gone, placesThatCame(old, now, changes), old, now);
  const moves = found.filter(({ as }) => as !== 'other');
  const targets = new Set(moves.map(({ to }) => keyOf(to)));
  return changes.flatMap((change): FoundChange[] => {
    // A parameter that came from elsewhere is no new one.
    if (change.rule === inputPropertyAdded.id && change.quiet && targets.has(keyOf(change.parameter ?? []))) return [];
    if (!isRemoval(change)) return [change];
    const { whole, parts } = partsOf(change, old);
    const its = found.some((move) => whole.includes(move.before)) || parts.length === 0 ? whole : parts;
    const others = found.filter(({ as, before }) => as === 'other' && its.includes(before));
    const told = others.map((move) => replaced(change.tool, move));
    const moved = moves.filter((move) => its.includes(move.before));
    if (moved.length === 0) return [change, ...told];
    const left = its.filter((place) => !moved.some((move) => move.before === place));
    const message = movedText(change, moved, left);
    const isProven = moved.every((move) => isSafe(move, old, now, targets, after));
    return [
      {
        ...change,
        message,
        brief: message,
        ...(isProven ? { moves: moved.map(({ from, to }) => ({ from, to })) } : {}),
      },
      ...told,
    ];
  });
};
