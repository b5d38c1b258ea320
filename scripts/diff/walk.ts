import { pointer, pointerTo } from '../contract/json-pointer.ts';
import { wayOf } from '../contract/references.ts';
import { sameJson } from '../contract/same.ts';
import { type Contract, isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { namesNothing } from '../proof/subset.ts';
import { branchLists } from './branches.ts';
import {
  changedReferences,
  covered,
  definesSame,
  isDefinitions,
  isDynamic,
  mentions,
  namesBehind,
  type Opened,
  opened,
} from './references.ts';
import { findRenames } from './rename.ts';
import type { SchemaPair } from './types.ts';

/** Most places that are compared in one tool. */
const MOST_PLACES = 4_000;
/** Most ways that lead to places in one tool: they multiply with each definition that uses others twice. */
const MOST_WAYS = 60_000;

/** Keywords that hold one schema: for the same value, or (`*`) for each element or value of it. */
const SINGLE: Record<string, readonly string[]> = {
  additionalItems: ['*'],
  additionalProperties: ['*'],
  contains: ['*'],
  else: [],
  if: [],
  items: ['*'],
  not: [],
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  then: [],
  unevaluatedItems: ['*'],
  unevaluatedProperties: ['*'],
};
const SINGLES = Object.entries(SINGLE);
const LISTS: readonly string[] = ['allOf', 'anyOf', 'oneOf'];
const MAPS: [string, readonly string[]][] = [
  ['dependentSchemas', []],
  ['patternProperties', ['*']],
];
/** All keywords that hold further places, besides `properties`. */
const HOLDING: ReadonlySet<string> = new Set([
  ...Object.keys(SINGLE),
  ...LISTS,
  'prefixItems',
  ...MAPS.map(([keyword]) => keyword),
]);

/** What names have to meet. It holds a schema, too, or says nothing of names. */
const NAMES = 'propertyNames';

type SiblingNames = readonly [had: ReadonlySet<string>, has: ReadonlySet<string>];

/** A place below another one that both sides have. */
interface PlaceBelow {
  path: string;
  /** The way to it from the one above: property names, `*` for each element or value. */
  steps: readonly string[];
  wasRequired: boolean;
  isRenamed: boolean;
  newName: string | undefined;
  isOfNames: boolean;
  before: Json | undefined;
  after: Json | undefined;
  /** It is in a shared definition. */
  isShared: boolean;
  /** Names of properties that the schemas around this one declare for the same value, before and now. */
  around?: SiblingNames;
  /** What is compared there, once the walk has reached it; null if nothing is. */
  seen?: ComparedPlace | null;
}

/** What is compared at a place, and the places to go to from there. */
interface ComparedPlace {
  pair: SchemaPair;
  below: readonly PlaceBelow[];
  /** It is about the arguments as a whole. */
  isRoot: boolean;
  /** The references that lead there. */
  through: string | undefined;
  around: SiblingNames | undefined;
}

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? (value as JsonObject) : {});

/** Properties of one schema that the other does not name: not there, not in what it refers to, not in a branch. */
const onlyIn = (schema: JsonObject, other: JsonObject, root: Json): [string, JsonObject][] => {
  const [its, names] = [objectOf(own(schema, 'properties')), objectOf(own(other, 'properties'))];
  const only = Object.keys(its).filter((name) => !Object.hasOwn(names, name));
  if (only.length === 0) return [];
  const elsewhere = namesBehind(other, root);
  return only.filter((name) => !elsewhere.has(name)).map((name) => [name, its[name] as JsonObject]);
};

/** The properties that were added, removed or renamed at a place. */
const namesAt = (before: JsonObject, after: JsonObject, [old, now]: [Contract, Contract], around?: SiblingNames) => {
  // Properties declared next to this part of a schema were neither added nor removed with it.
  const removed = onlyIn(before, after, now.inputSchema).filter(([name]) => !around?.[1].has(name));
  const added = onlyIn(after, before, old.inputSchema).filter(([name]) => !around?.[0].has(name));
  if (removed.length === 0 && added.length === 0)
    return { added: [], removed: [], renamed: [], replaced: new Map<string, string>(), isFree: false };
  const found = findRenames(removed, added);
  const renamed = found.filter(({ isUnlike }) => !isUnlike);
  const replaced = new Map(found.filter(({ isUnlike }) => isUnlike).map(({ from, to }) => [to, from]));
  const from = new Set(renamed.map((rename) => rename.from));
  const to = new Set(renamed.map((rename) => rename.to));
  return {
    added: added.map(([name]) => name).filter((name) => !to.has(name)),
    removed: removed.map(([name]) => name).filter((name) => !from.has(name)),
    renamed,
    replaced,
    isFree: added.length > 0 && namesNothing(before, old.inputSchema),
  };
};

const WORDS = new Set(['title', 'description', 'default', 'examples']);

/** The combining keyword of a schema that consists only of that and of annotations; undefined for any other schema. */
const choice = (schema: JsonObject): string | undefined => {
  const keys = Object.keys(schema).filter((key) => !WORDS.has(key));
  const [only] = keys;
  return keys.length === 1 &&
    only !== undefined &&
    (LISTS as readonly string[]).includes(only) &&
    Array.isArray(schema[only])
    ? only
    : undefined;
};

/**
 * If one side is a bare `anyOf` (or `oneOf`, `allOf`) and the other is not, wraps the other as a union of one branch, so
 * that branches can be paired.
 */
const asUnions = (before: JsonObject, after: JsonObject): [JsonObject, JsonObject] => {
  if (!LISTS.some((keyword) => Object.hasOwn(before, keyword) || Object.hasOwn(after, keyword))) return [before, after];
  const [old, now] = [choice(before), choice(after)];
  // Forms under the other keyword are paired as they are.
  if (old !== undefined && now !== undefined && ![old, now].includes('allOf')) return [before, after];
  const wrap = (schema: JsonObject, keyword: string): JsonObject => {
    const entries = Object.entries(schema);
    const words = Object.fromEntries(entries.filter(([key]) => WORDS.has(key)));
    return { ...words, [keyword]: [Object.fromEntries(entries.filter(([key]) => !WORDS.has(key)))] };
  };
  if (now !== undefined && !Object.hasOwn(before, now)) return [wrap(before, now), after];
  if (old !== undefined && !Object.hasOwn(after, old)) return [before, wrap(after, old)];
  return [before, after];
};

/** The places directly below a pair that both sides have, in the order of the old contract. */
const below = (
  { path, before, after, renamed, isRenamed, newName, isOfNames, lists }: SchemaPair,
  isShared: boolean,
): PlaceBelow[] => {
  const places: PlaceBelow[] = [];
  const [had, has] = [objectOf(own(before, 'properties')), objectOf(own(after, 'properties'))];
  const required = own(before, 'required');
  const needed = new Set(Array.isArray(required) ? required : []);
  for (const name of Object.keys(had)) {
    const goesOnAs = Object.hasOwn(has, name) ? name : renamed.find(({ from }) => from === name)?.to;
    if (goesOnAs === undefined) continue;
    places.push({
      path: `${path}/properties${pointer(name)}`,
      steps: [name],
      wasRequired: needed.has(name),
      isRenamed: isRenamed || goesOnAs !== name,
      newName: goesOnAs === name ? undefined : goesOnAs,
      isOfNames,
      before: had[name],
      after: has[goesOnAs],
      isShared,
    });
  }
  const put = (
    at: string,
    steps: readonly string[],
    old: Json | undefined,
    now: Json | undefined,
    names = isOfNames,
  ): void => {
    places.push({
      path: path + at,
      steps,
      wasRequired: false,
      isRenamed,
      newName,
      isOfNames: names,
      before: old,
      after: now,
      isShared,
    });
  };
  // Words of names may come where nothing was said of names.
  if (Object.hasOwn(before, NAMES) || Object.hasOwn(after, NAMES)) {
    const [old, now] = [before, after].map((schema) => own(schema, NAMES) ?? {});
    put(`/${NAMES}`, ['*'], old, now, true);
  }
  if (!Object.keys(before).some((keyword) => HOLDING.has(keyword))) return places;
  for (const [keyword, steps] of SINGLES) {
    if (!Object.hasOwn(before, keyword)) continue;
    const [old, now] = [own(before, keyword), own(after, keyword)];
    if (followed(keyword, old, now)) put(`/${keyword}`, steps, old, now);
  }
  for (const { keyword, had, has, pairs } of lists)
    for (const [from, to] of pairs) put(`/${keyword}/${from}`, [], had[from], has[to]);
  const [prefix, nowPrefix] = [own(before, 'prefixItems'), own(after, 'prefixItems')];
  if (Array.isArray(prefix) && Array.isArray(nowPrefix)) {
    for (const [index, old] of prefix.slice(0, nowPrefix.length).entries())
      put(`/prefixItems/${index}`, ['*'], old, nowPrefix[index]);
  }
  for (const [keyword, steps] of MAPS) {
    if (!Object.hasOwn(before, keyword)) continue;
    const [old, now] = [objectOf(own(before, keyword)), objectOf(own(after, keyword))];
    for (const name of Object.keys(old))
      if (Object.hasOwn(now, name)) put(`/${keyword}${pointer(name)}`, steps, old[name], now[name]);
  }
  return places;
};

/** A schema whose description is followed by that of its definition, which the model reads as well. */
const withBothTexts = (one: Opened, beside: JsonObject): Opened => {
  const [text, behind] = [own(beside, 'description'), own(one.target, 'description')];
  const isCovered = one.target !== undefined && covered(beside, one.target).includes('description');
  return isCovered ? { ...one, schema: { ...one.schema, description: `${text}\n\n${behind}` } } : one;
};

/** Both sides with their references replaced, unless words beside these would hide that those of the definition changed. */
const openedBoth = ([old, now]: [JsonObject, JsonObject], tools: [Contract, Contract]): [Opened, Opened] => {
  const [from, to] = [opened(old, tools[0].inputSchema), opened(now, tools[1].inputSchema)];
  if (from.target === undefined || to.target === undefined) return [withBothTexts(from, old), withBothTexts(to, now)];
  const hidden = [...covered(old, from.target), ...covered(now, to.target)];
  const isHidden = hidden.some((key) => !sameJson(own(from.target, key), own(to.target, key)));
  return isHidden ? [{ schema: old }, { schema: now }] : [from, to];
};

/** Whether both sides have the same words next to their references, and no change of words behind these. */
const saysSameBeside = (one: JsonObject, other: JsonObject, before: JsonObject, after: JsonObject): boolean =>
  [...Object.keys(one), ...Object.keys(other)].every(
    (key) =>
      key === '$ref' ||
      (WORDS.has(key) && sameJson(own(one, key), own(other, key)) && sameJson(own(before, key), own(after, key))),
  );

/** The reference that a schema consists of; undefined if it says anything else. */
const referenceAlone = (schema: Json | undefined): string | undefined => {
  const reference = own(schema, '$ref');
  return typeof reference === 'string' && Object.keys(schema as JsonObject).length === 1 ? reference : undefined;
};

const propertiesOf = (schema: JsonObject): string[] => Object.keys(objectOf(own(schema, 'properties')));

const namesAround = (
  { before, after }: SchemaPair,
  [had, has]: SiblingNames = [new Set(), new Set()],
): SiblingNames => [new Set([...had, ...propertiesOf(before)]), new Set([...has, ...propertiesOf(after)])];

const isSameSet = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((name) => other.has(name));

const isSameAround = (one: SiblingNames | undefined, other: SiblingNames | undefined): boolean =>
  one === other ||
  (one !== undefined && other !== undefined && [0, 1].every((at) => isSameSet(one[at as 0], other[at as 0])));

/** What to compare at a place, the same for each way that leads to it; null if nothing changed there. */
const look = (
  place: PlaceBelow,
  tools: [Contract, Contract],
  {
    changed,
    isRoot,
    shared,
  }: { changed: ReadonlySet<string>; isRoot: boolean; shared: Map<JsonObject, ComparedPlace[]> },
): ComparedPlace | null => {
  const { before: old, after: now, wasRequired, isRenamed, newName, isOfNames } = place;
  if (!isObject(old) || !isObject(now)) return null;
  if (sameJson(old as Json, now as Json) && !mentions(old as Json, changed)) return null;
  const [wrappedOld, wrappedNow] = asUnions(old as JsonObject, now as JsonObject);
  const [from, to] = openedBoth([wrappedOld, wrappedNow], tools);
  const isReference = from.ref !== undefined || to.ref !== undefined;
  const through = isReference ? [from.ref ?? '', to.ref ?? ''].join('>') : undefined;
  // A change in a shared definition is reported at the definition.
  const way = from.ref !== undefined && from.ref === to.ref ? wayOf(from.ref) : undefined;
  const path = way === undefined ? place.path : `/inputSchema${pointerTo(way)}`;
  const isShared = place.isShared || way !== undefined;
  let [before, after] = [from.schema, to.schema];
  if (from.target && to.target && saysSameBeside(wrappedOld, wrappedNow, from.target, to.target))
    [before, after] = [from.target, to.target];
  const alike = isShared ? (shared.get(before) ?? []) : [];
  const known = alike.find(
    (one) =>
      one.pair.after === after &&
      one.pair.path === path &&
      one.pair.wasRequired === wasRequired &&
      one.pair.isRenamed === isRenamed &&
      one.pair.newName === newName &&
      one.pair.isOfNames === isOfNames &&
      one.isRoot === isRoot &&
      one.through === through &&
      isSameAround(one.around, place.around),
  );
  if (known !== undefined) return known;
  const names = namesAt(before, after, tools, place.around);
  const isFree = names.isFree && !isRoot;
  const tool = tools[0].name;
  const pair: SchemaPair = {
    at: 'schema',
    path,
    parameter: [],
    ways: [],
    tool,
    wasRequired,
    isRenamed,
    newName,
    isOfNames,
    before,
    after,
    ...names,
    lists: branchLists(before, after, { old: tools[0].inputSchema, now: tools[1].inputSchema, changed }),
    isFree,
    refersSomewhere: isDynamic(after) && !definesSame(tools[0].inputSchema, tools[1].inputSchema),
    root: tools[1].inputSchema,
  };
  const places = below(pair, isShared);
  const ofSameValue = places.filter(({ steps }) => steps.length === 0);
  if (ofSameValue.length > 0) {
    const around = namesAround(pair, place.around);
    for (const one of ofSameValue) one.around = around;
  }
  const [oldRef, newRef] = [own(before, '$ref'), own(after, '$ref')];
  const isBeside = Object.keys(before).length > 1 || Object.keys(after).length > 1;
  // A reference that could not be opened in place is compared on its own.
  if (isBeside && typeof oldRef === 'string' && typeof newRef === 'string')
    places.unshift({ ...place, steps: [], before: { $ref: oldRef }, after: { $ref: newRef } });
  const seen = { pair, below: places, isRoot, through, around: place.around };
  if (isShared) shared.set(before, [...alike, seen]);
  return seen;
};

/**
 * Every place, also behind references and branches, that two input schemas share and where they differ, or refer to
 * something that does. A place in a shared definition comes once, with all ways that lead to it; a way through a recursive
 * definition ends where it would repeat. `allPlaces` and
 * `allWays` are false if there are more than are looked at.
 */
export const walk = (
  before: Contract,
  after: Contract,
): { pairs: SchemaPair[]; allPlaces: boolean; allWays: boolean } => {
  const changed = changedReferences(before.inputSchema, after.inputSchema);
  const shared = new Map<JsonObject, ComparedPlace[]>();
  const byReference = new Map<string, ComparedPlace | null>();
  const seenAt = (place: PlaceBelow, isRoot: boolean): ComparedPlace | null => {
    const reference = referenceAlone(place.before);
    const isAlone = place.around === undefined && reference !== undefined && reference === referenceAlone(place.after);
    const key = isAlone
      ? JSON.stringify([isRoot, place.wasRequired, place.isRenamed, place.newName, place.isOfNames, reference])
      : undefined;
    const known = key === undefined ? undefined : byReference.get(key);
    if (known !== undefined) return known;
    const seen = look(place, [before, after], { changed, isRoot, shared });
    // Otherwise what it leads to is compared in place.
    if (key !== undefined && seen?.pair.path !== place.path) byReference.set(key, seen);
    return seen;
  };
  const pairs: SchemaPair[] = [];
  const root: PlaceBelow = {
    path: '/inputSchema',
    steps: [],
    wasRequired: false,
    isRenamed: false,
    newName: undefined,
    isOfNames: false,
    before: before.inputSchema,
    after: after.inputSchema,
    isShared: false,
  };
  const open: { place: PlaceBelow; parameter: readonly string[]; through: readonly string[] }[] = [
    { place: root, parameter: [], through: [] },
  ];
  let [places, ways] = [0, 0];
  for (let next = open.pop(); next; next = open.pop()) {
    if (places >= MOST_PLACES) return { pairs, allPlaces: false, allWays: false };
    const { place, parameter, through } = next;
    // Then only places that no other way has led to.
    if (ways >= MOST_WAYS && place.seen !== undefined) continue;
    ways++;
    place.seen = place.seen === undefined ? seenAt(place, parameter.length === 0) : place.seen;
    const { seen } = place;
    if (seen === null || (seen.through !== undefined && through.includes(seen.through))) continue;
    const { pair } = seen;
    if (pair.ways.length === 0) {
      pair.parameter = parameter;
      pairs.push(pair);
      if (!sameJson(pair.before, pair.after)) places++;
    }
    pair.ways.push(parameter);
    const onward = seen.through === undefined ? through : [...through, seen.through];
    for (let index = seen.below.length - 1; index >= 0; index--) {
      const one = seen.below[index] as PlaceBelow;
      const way = one.steps.length === 0 ? parameter : [...parameter, ...one.steps];
      open.push({ place: one, parameter: way, through: onward });
    }
  }
  return { pairs, allPlaces: true, allWays: ways < MOST_WAYS };
};

/** Whether `walk` goes into a keyword that both sides have, so that what it holds is compared at its own place. */
export const followed = (keyword: string, before: Json | undefined, after: Json | undefined): boolean => {
  if (isDefinitions(keyword)) return true;
  return (Object.hasOwn(SINGLE, keyword) || keyword === NAMES) && isObject(before) && isObject(after);
};
