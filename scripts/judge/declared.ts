// What a call relies on and about which its contract now says something else: judged by the values of the call.
import { boundedForCall } from '../contract/bounded.ts';
import { asOneDocument } from '../contract/references.ts';
import { sameJson } from '../contract/same.ts';
import { isObject, type Json, type JsonObject } from '../contract/types.ts';
import { actedAs } from '../diff/left-out.ts';
import { actingFinding } from '../diff/rules/input-property-added.ts';
import { requiredNames } from '../diff/rules/input-property-became-required.ts';
import {
  type Applying,
  applyingTo,
  declares,
  isElementGone,
  isNamed,
  namesOf,
  ofElement,
  ofName,
  ofPosition,
  ofProperty,
  positionsIn,
} from './applying.ts';
import type { Shift } from './shift.ts';
import { defaultOf, demanded, retold, reworded } from './told-otherwise.ts';

/** Parameters that have new names: where each was, by its old name, and what it is called now. */
export type NewNames = readonly { way: readonly string[]; to: string }[];

/** The new names of properties of the object at a place, by the old ones. */
const newNamesAt = (names: NewNames, place: readonly string[]): Map<string, string> =>
  new Map(
    names
      .filter(({ way }) => way.length === place.length + 1)
      .filter(({ way }) => place.every((step, index) => step === way[index] || way[index] === '*'))
      .map(({ way, to }) => [way.at(-1) ?? '', to]),
  );

/** Deeper arguments are not compared; that gives no verdict. */
const DEEPEST = 200;

class TooDeep extends Error {}

/** What both contracts say of one value of a call. */
interface BothSides {
  before: Applying;
  after: Applying;
  way: string[];
  names: NewNames;
  /** Schemas of the objects around this one that the server fills in. */
  filled: readonly Json[];
}

const shiftsIn = (sides: BothSides, value: Json): Shift[] => {
  if (sides.way.length > DEEPEST) throw new TooDeep();
  if (Array.isArray(value)) return [...ofElements(sides, value), ...ofMissing(sides, value)];
  if (!isObject(value)) return [];
  const newNames = newNamesAt(sides.names, sides.way);
  return [...ofPassed(sides, value as JsonObject, newNames), ...ofLeftOut(sides, value as JsonObject, newNames)];
};

const shiftsBelow = (
  { before, after, way, names }: BothSides,
  had: Json[],
  has: Json[],
  value: Json,
  step: string,
): Shift[] => {
  const [old, now] = [applyingTo(had, before.root, value), applyingTo(has, after.root, value)];
  const place = [...way, step];
  const inside = { before: old, after: now, way: place, names, filled: [] };
  return [...retold(old, now, value, place), ...shiftsIn(inside, value)];
};

/** Words of a position do not go on where no position says anything: what stands first is like all others now. */
const contradicted = (shift: Shift): Shift => {
  if (shift.kind !== 'reworded') return shift;
  const { untold: _untold, ...words } = shift;
  return words;
};

/** What changed about the elements that a call gives a list. */
const ofElements = (sides: BothSides, value: Json[]): Shift[] => {
  const { before, after, way } = sides;
  return value.flatMap((one, index): Shift[] => {
    if (isElementGone(before, after, index, one)) return [{ kind: 'gone', way: [...way, '*'] }];
    const shifts = shiftsBelow(sides, ofElement(before, index, one), ofElement(after, index, one), one, '*');
    const isOneOfMany = ofPosition(before, index).length > 0 && ofPosition(after, index).length === 0;
    return isOneOfMany
      ? shifts.map((shift) => (shift.way.length > way.length + 1 ? shift : contradicted(shift)))
      : shifts;
  });
};

/** What changed about the elements that stand at positions of their own and that a call leaves out: their defaults. */
const ofMissing = (sides: BothSides, value: Json[]): Shift[] => {
  const { before, after } = sides;
  const length = Math.max(0, ...before.schemas.map((schema) => positionsIn(schema).tuple.length));
  const missing = Array.from({ length: Math.max(0, length - value.length) }, (_, at) => value.length + at);
  return missing.flatMap((index) => ofDefault(sides, ofPosition(before, index), ofPosition(after, index), '*'));
};

/** What changed about the properties that a call gives an object. */
const ofPassed = (sides: BothSides, value: JsonObject, newNames: ReadonlyMap<string, string>): Shift[] => {
  const { before, after, way } = sides;
  const [namesHad, namesHas] = [ofName(before), ofName(after)];
  const oldNames = new Map([...newNames].map(([from, to]) => [to, from]));
  const ofNames = (name: string): Shift[] => {
    const [had, has] = [applyingTo(namesHad, before.root, name), applyingTo(namesHas, after.root, name)];
    return retold(had, has, name, [...way, '*']).map((shift) => ({ ...shift, ofNames: true as const }));
  };
  // Any name was taken, and this one may be read in one way now: in a unit, in a form.
  const ofNewlyTold = (name: string, inside: Json): Shift[] => {
    const place = [...way, name];
    const [none, now] = [applyingTo([], before.root, inside), applyingTo(ofProperty(after, name), after.root, inside)];
    const words = reworded(none, now, inside);
    return [
      ...(words ? [{ kind: 'reworded' as const, way: place, ...words }] : []),
      ...demanded(none, now, inside, place),
    ];
  };
  const ofDeclared = (name: string, inside: Json): Shift[] => {
    const [had, has] = [before, after].map((side) => declares(side, name, way.length === 0));
    if (had === 'unknown' || has === 'unknown') return [{ kind: 'unknown', way: [...way, name] }];
    if (had !== 'yes') return has === 'yes' && had !== 'no' ? ofNewlyTold(name, inside) : [];
    if (has === 'yes') return shiftsBelow(sides, ofProperty(before, name), ofProperty(after, name), inside, name);
    const isGone = has === 'no' || (has === 'open' && isNamed(before, name));
    if (!isGone) return [];
    const isElsewhere = namesOf(applyingTo([...after.declared], after.root, undefined)).has(name);
    return [{ kind: 'gone', way: [...way, name], ...(isElsewhere ? { isElsewhere } : {}) }];
  };
  // What is said of a renamed parameter is said under its new name, whichever name the call has.
  const ofRenamed = (name: string, inside: Json): Shift[] => {
    const [from, to] = newNames.has(name) ? [name, newNames.get(name)] : [oldNames.get(name), name];
    if (from === undefined || to === undefined) return [];
    return shiftsBelow(sides, ofProperty(before, from), ofProperty(after, to), inside, from);
  };
  return Object.entries(value).flatMap(([name, inside]) => [
    ...ofNames(name),
    ...ofDeclared(name, inside),
    ...ofRenamed(name, inside),
  ]);
};

/** Whether a property that was not there acts in calls that leave it out. Where anything was taken, it may have been there. */
const ofAdded = ({ before, after, way }: BothSides, name: string): Shift[] => {
  const place = [...way, name];
  const has = ofProperty(after, name);
  const [message] = has.flatMap((schema) => actingFinding(name, schema, after.root) ?? []);
  if (message === undefined) return [];
  const had = declares(before, name, way.length === 0);
  if (had === 'unknown') return [{ kind: 'unknown', way: place }];
  const isRequired = after.schemas.some((schema) => requiredNames(schema).includes(name));
  return had === 'free' || isRequired ? [] : [{ kind: 'acting', way: place, message, after: has[0] ?? true }];
};

/** What changed about the properties that a call leaves out: their defaults, and those that were added. */
const ofLeftOut = (sides: BothSides, value: JsonObject, newNames: ReadonlyMap<string, string>): Shift[] => {
  const declared = namesOf(sides.before);
  const renamed = new Set(newNames.values());
  const added = [...namesOf(sides.after)].filter(
    (name) => !declared.has(name) && !renamed.has(name) && !Object.hasOwn(value, name),
  );
  const ofDeclared = [...declared].flatMap((name) => {
    const to = newNames.get(name) ?? name;
    if (Object.hasOwn(value, name) || Object.hasOwn(value, to)) return [];
    return ofDefault(sides, ofProperty(sides.before, name), ofProperty(sides.after, to), name);
  });
  return [...ofDeclared, ...added.flatMap((name) => ofAdded(sides, name))];
};

const ofDefault = (sides: BothSides, had: Json[], has: Json[], step: string): Shift[] => {
  const { before, after, way, names, filled } = sides;
  const whole = applyingTo(had, before.root, undefined);
  const [old, now] = [defaultOf(whole), defaultOf(applyingTo(has, after.root, undefined))];
  const place = [...way, step];
  if (has.length === 0) {
    const acted = actedAs(whole.schemas, old);
    if (acted === undefined || after.opaque) return [];
    return [{ kind: 'default', way: place, before: acted, after: undefined, isGone: true }];
  }
  if (!sameJson(old, now)) return [{ kind: 'default', way: place, before: old, after: now }];
  if (!isObject(now) || had.some((schema) => filled.includes(schema))) return [];
  // The server fills in this object, and then what is left out in it.
  const [its, nowIts] = [applyingTo(had, before.root, now as Json), applyingTo(has, after.root, now as Json)];
  const inside = { before: its, after: nowIts, way: place, names, filled: [...filled, ...had] };
  return shiftsIn(inside, now as Json).filter(({ kind }) => ['acting', 'default', 'unknown'].includes(kind));
};

/** How long this may take, in ms, whatever the schemas are. */
const BUDGET_MS = 150;

/**
 * What a call relies on that no longer holds: compares what both contracts declare, anywhere, for the call's own values.
 * Undefined if that took too long, or the arguments are nested too deep.
 */
export const shiftsFor = (believed: Json, live: Json, args: JsonObject, names: NewNames = []): Shift[] | undefined => {
  const work = (): Shift[] => {
    const [before, after] = [asOneDocument(believed), asOneDocument(live)];
    const [old, now] = [applyingTo([before], before, args), applyingTo([after], after, args)];
    const sides = { before: old, after: now, way: [], names, filled: [] };
    return [...retold(old, now, args, []), ...shiftsIn(sides, args)];
  };
  try {
    const result = boundedForCall({ schemas: [believed, live], args }, work, BUDGET_MS);
    return result.done ? result.value : undefined;
  } catch (error) {
    if (error instanceof TooDeep) return undefined;
    throw error;
  }
};
