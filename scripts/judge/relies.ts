// Whether a call relies on what changed.
import { namesIn, pointer } from '../contract/json-pointer.ts';
import { sameJson } from '../contract/same.ts';
import { type Contract, isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { overwrites } from '../diff/kept-fields.ts';
import { mayHaveActed, tellsOfLeavingOut } from '../diff/left-out.ts';
import { inputAnnotationChanged } from '../diff/rules/input-annotation-changed.ts';
import { inputConstraintChanged } from '../diff/rules/input-constraint-changed.ts';
import { inputPropertyAdded } from '../diff/rules/input-property-added.ts';
import { inputPropertyDefaultChanged } from '../diff/rules/input-property-default-changed.ts';
import { inputPropertyMarked } from '../diff/rules/input-property-marked.ts';
import { inputPropertyRemoved } from '../diff/rules/input-property-removed.ts';
import { inputPropertyRenamed } from '../diff/rules/input-property-renamed.ts';
import { inputPropertyReplaced } from '../diff/rules/input-property-replaced.ts';
import { inputPropertyWordsChanged } from '../diff/rules/input-property-words-changed.ts';
import { REWRITTEN, UNCLASSIFIED } from '../diff/table.ts';
import type { FoundChange } from '../diff/types.ts';
import { areInverse } from '../diff/unlike-names.ts';
import { isOtherDefault, ofCallsWith } from '../diff/worded-defaults.ts';
import { meetsBounds } from '../diff/words/bounds.ts';
import { compareTexts } from '../diff/words/compare.ts';
import type { WordsChange } from '../diff/words/words-change.ts';
import { lacksFormat } from './formats.ts';
import type { Shift } from './shift.ts';
import { given, omits, passes, passesOther, uses } from './touch.ts';

/** Where the input schema stands in a contract. */
export const INPUT = '/inputSchema';

/** Whether a change's effect concerns a call: it uses the parameter, or leaves it out. */
export const touched = ({ effect, of, ways = [] }: FoundChange, args: JsonObject): boolean => {
  if (effect === undefined) return false;
  // It concerns the call, so the call means its branch: if that is gone, nothing else has to be touched.
  if (effect.when === 'always' || (of !== undefined && ways.length === 0)) return true;
  return ways.some((way) => (effect.when === 'used' ? uses(args, way) : omits(args, way)));
};

export type Reworded = Extract<Shift, { kind: 'reworded' }>;

/** All words that a value had, or has, as one text. */
export const asOneText = (texts: readonly string[]): string => texts.join(' ');

/** Whether new words say what the old ones said. */
const isSaid = ({ change }: WordsChange): boolean => change === 'same' || change === 'widened';

const isAt = (way: readonly string[], place: readonly string[]): boolean =>
  way.length === place.length && way.every((step, index) => step === place[index] || step === '*');

/** The kind of shift in which a rule's change shows, if a call relies on it. A mere rewrite shows as another kind. */
const SHOWS_AS: ReadonlyMap<string, Shift['kind'] | 'another'> = new Map([
  [inputPropertyRemoved.id, 'gone'],
  [inputPropertyRenamed.id, 'gone'],
  [inputPropertyWordsChanged.id, 'reworded'],
  [inputPropertyDefaultChanged.id, 'default'],
  [inputAnnotationChanged.id, 'annotated'],
  [REWRITTEN.id, 'another'],
]);

/** The same of one change. Of other conditions than a format, and of other marks, a validator or the place tells. */
const showsAs = (change: FoundChange): Shift['kind'] | 'another' | undefined => {
  const { rule, path, effect, level, tool, parameter = [], after } = change;
  if (rule === inputConstraintChanged.id && path.endsWith('/format')) return 'formatted';
  if (rule === inputPropertyMarked.id && path.endsWith('/readOnly')) return 'unwritable';
  if (rule === inputPropertyAdded.id && level === 'silent' && effect?.when === 'omitted') {
    // What the tool's name says of a field is known at its place alone.
    const isField = parameter.length === 1 && overwrites(tool, parameter[0] ?? '', after, after ?? {});
    return isField ? undefined : 'acting';
  }
  return SHOWS_AS.get(rule);
};

/** Whether a change is about these words: about one text that a value lost or got, or about all of them, as `unfound` tells. */
const isOfWords = ({ before, after }: FoundChange, shift: Reworded): boolean =>
  shift.before.some((text) => text === before) ||
  shift.after.some((text) => text === after) ||
  (before === asOneText(shift.before) && after === asOneText(shift.after));

const isShownBy = (change: FoundChange, shift: Shift): boolean =>
  showsAs(change) === shift.kind &&
  (change.ofNames ?? false) === (shift.ofNames ?? false) &&
  (change.ways ?? [[]]).some((way) => isAt(way, shift.way)) &&
  (shift.kind !== 'reworded' || isOfWords(change, shift)) &&
  (shift.kind !== 'formatted' || shift.after === change.after) &&
  (shift.kind !== 'annotated' || change.path.endsWith(pointer(shift.keyword)));

/** Whether one switch came in the place of its opposite. */
const isOfInverse = ({ rule, before, after }: FoundChange): boolean =>
  rule === inputPropertyReplaced.id && areInverse(String(before), String(after));

/** What a change says of a part may be less than what it means for a call. */
export const isToldBy = (change: FoundChange, shift: Shift): boolean => {
  // The default of a renamed parameter goes on under the new name, and is compared there.
  if (change.rule === inputPropertyRenamed.id && shift.kind === 'default')
    return (change.ways ?? []).some((way) => isAt(way, shift.way));
  // Its opposite came in its place: that change tells of a call that gives neither.
  if (isOfInverse(change) && (shift.kind === 'acting' || (shift.kind === 'default' && shift.before === true)))
    return (change.ways ?? []).some((way) => isAt(way, shift.way));
  if (!isShownBy(change, shift)) return false;
  if (change.effect !== undefined) return true;
  // A removal from a form that breaks no call may still matter to this call, which used that form.
  if (shift.kind === 'gone') return false;
  // What is only gone at this place, or only came, may be said otherwise at another one.
  const isOneSided = change.before === undefined || change.after === undefined;
  if (shift.kind === 'reworded') return !isOneSided || shift.before.length === 0 || shift.after.length === 0;
  return shift.kind !== 'annotated' || !isOneSided || shift.before === undefined || shift.after === undefined;
};

/** Longer descriptions are not searched for sentences about other calls, in UTF-16 units of both. */
const LONGEST_SEARCHED = 50_000;

/** Whether a description says something new only about calls that leave the parameter out. */
const isOfCallsWithout = ({ rule, tool, parameter = [], before, after }: FoundChange): boolean =>
  rule === inputPropertyWordsChanged.id &&
  typeof before === 'string' &&
  typeof after === 'string' &&
  before.length + after.length < LONGEST_SEARCHED &&
  (ofCallsWith(before) !== before || ofCallsWith(after) !== after) &&
  isSaid(compareTexts(ofCallsWith(before), ofCallsWith(after), { names: [tool, ...parameter] }));

/** Whether a description says something else about calls that leave the parameter out, and this is one. */
const isLeftOut = ({ rule, tool, parameter = [], ways = [], before, after }: FoundChange, args: JsonObject): boolean =>
  rule === inputPropertyWordsChanged.id &&
  typeof before === 'string' &&
  typeof after === 'string' &&
  isOtherDefault(before, after, [tool, ...parameter]) &&
  ways.some((way) => omits(args, way));

/**
 * Whether a description only narrows a bound of an amount, "(max 100)" to "(max 50)", and each number that a call gives is
 * within it. What the description says of calls without the parameter does not matter then.
 */
const isWithinBounds = (
  { rule, tool, parameter = [], ways = [], before, after }: FoundChange,
  args: JsonObject,
): boolean => {
  if (rule !== inputPropertyWordsChanged.id || typeof before !== 'string' || typeof after !== 'string') return false;
  const values = ways.flatMap((way) => given(args, way));
  if (values.length === 0 || !values.every((value) => typeof value === 'number')) return false;
  if (before.length + after.length >= LONGEST_SEARCHED) return false;
  const [had, has] = [ofCallsWith(before), ofCallsWith(after)];
  return (
    compareTexts(has, had, { names: [tool, ...parameter] }).change === 'widened' &&
    values.every((value) => meetsBounds(value, had, has))
  );
};

/** Whether a call relies on what changed, as far as the place tells: of a format, the values tell, too. */
const reliesAtPlace = (change: FoundChange, args: JsonObject): boolean => {
  const { after, ways = [] } = change;
  if (!touched(change, args)) return false;
  if (showsAs(change) !== 'formatted' || typeof after !== 'string') return true;
  return ways.some((way) => given(args, way).some((value) => lacksFormat(value, after)));
};

/** Whether members of a list or map are only refused now, or fewer of their names listed: what they mean is as it was. */
const onlyRefusesMembers = ({ rule, path, isOpen, before, after }: FoundChange): boolean => {
  const [keyword = '', holder] = namesIn(path).toReversed();
  // A parameter may have the name of a keyword.
  if (rule !== UNCLASSIFIED.id || isOpen || holder === 'properties') return false;
  if (/^(?:additionalItems|items|unevaluatedItems)$/.test(keyword)) return after === false;
  if (keyword !== 'patternProperties') return /^(?:max|min)Contains$/.test(keyword);
  return isObject(after) && Object.entries(after).every(([name, one]) => sameJson(own(before, name), one as Json));
};

/** Whether a call relies on what changed: judged by its values, wherever their schemas are; else by the place. */
export const reliesOn = (
  change: FoundChange,
  args: JsonObject,
  shifts: readonly Shift[] | undefined,
  isValid = false,
): boolean => {
  if (change.effect !== undefined && isLeftOut(change, args)) return true;
  const { rule, path, effect, values, sameValues, ways = [] } = change;
  if (rule === inputPropertyWordsChanged.id && effect !== undefined && effect.when !== 'used') {
    if (ways.some((way) => omits(args, way))) return true;
    if (effect.when === 'omitted') return false;
  }
  if (isOfCallsWithout(change)) return false;
  if (isWithinBounds(change, args)) return false;
  if (sameValues !== undefined) return touched(change, args) && ways.some((way) => passesOther(args, way, sameValues));
  if (values !== undefined) return touched(change, args) && ways.some((way) => passes(args, way, values));
  if (isOfInverse(change) && effect?.when === 'always') return ways.some((way) => uses(args, way) || omits(args, way));
  // The default shows in a call that leaves it out alone; that it betrays another unit concerns one that gives a number, too.
  const isOfUnit = rule === inputPropertyDefaultChanged.id && effect?.when === 'always';
  if (isOfUnit && ways.some((way) => uses(args, way))) return true;
  // Definitions may change places behind a discriminator that stays as it is; a reference only names one.
  const isOfPlace =
    /\/(?:examples?|discriminator|\$ref)$/.test(path) ||
    (showsAs(change) === undefined && !(isValid && onlyRefusesMembers(change)));
  if (effect === undefined || shifts === undefined || isOfPlace) return reliesAtPlace(change, args);
  if (shifts.some((shift) => isShownBy(change, shift))) return true;
  const isUnknownHere = ({ kind, way: [first] }: Shift) =>
    kind === 'unknown' && (change.ways ?? []).some(([step]) => step === first);
  return shifts.some(isUnknownHere) && reliesAtPlace(change, args);
};

/** The part of a schema at a place. */
export const standingAt = (names: readonly string[], root: Json): Json | undefined =>
  names.reduce<Json | undefined>(
    (value, name) => (Array.isArray(value) ? value[Number(name)] : own(value, name)),
    root,
  );

/**
 * Whether a change is irrelevant for a call: it is about a parameter that the call does not pass, and nothing says that such
 * a call means something else.
 */
export const isIrrelevant = (
  change: FoundChange,
  { believed, live, args }: { believed: Contract; live: Contract | null; args: JsonObject },
  shifts: readonly Shift[],
): boolean => {
  const { effect, of, level, rule, path, before } = change;
  if (effect?.when !== 'used' || of !== undefined || !path.startsWith(INPUT)) return false;
  if (isOfCallsWithout(change)) return touched(change, args);
  if (touched(change, args) || reliesOn(change, args, shifts)) return false;
  if (level !== 'silent' && level !== 'semantic') return false;
  if (rule === inputPropertyRenamed.id) return true;
  if (rule === inputPropertyRemoved.id) return !mayHaveActed(before, believed.inputSchema);
  const way = namesIn(path.slice(INPUT.length)).slice(0, -1);
  return [believed, live].every((contract) => {
    const root = contract?.inputSchema ?? false;
    const schema = standingAt(way, root);
    return schema !== undefined && !tellsOfLeavingOut(schema, root);
  });
};
