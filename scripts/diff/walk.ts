import { pointer, pointerTo } from '../contract/json-pointer.ts';
import { wayOf } from '../contract/references.ts';
import { sameJson } from '../contract/same.ts';
import { type Contract, isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { namesNothing } from '../proof/subset.ts';
import { pairBranches } from './branches.ts';
import { changedReferences, isDefinitions, mentions, namesBehind, opened } from './references.ts';
import { findRenames } from './rename.ts';
import type { SchemaPair } from './types.ts';

/** How many places are compared in one tool at most. For the rest there is the proof, see `settle`. */
const MOST_PLACES = 4_000;

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
const LISTS: Record<string, readonly string[]> = { allOf: [], anyOf: [], oneOf: [] };
const MAPS: Record<string, readonly string[]> = { dependentSchemas: [], patternProperties: ['*'] };

interface WalkPlace {
  path: string;
  parameter: readonly string[];
  wasRequired?: boolean;
  isRenamed?: boolean;
  before: Json | undefined;
  after: Json | undefined;
  /** References that were followed on the way here. */
  through: readonly string[];
  /** Names of properties that the schemas around this one declare for the same value, before and now. */
  around?: readonly [ReadonlySet<string>, ReadonlySet<string>];
}

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? (value as JsonObject) : {});

/** Properties of one schema that the other one does not name: neither there, nor in what it refers to or in a branch. */
const onlyIn = (schema: JsonObject, other: JsonObject, root: Json): [string, JsonObject][] => {
  const names = objectOf(own(other, 'properties'));
  const only = Object.entries(objectOf(own(schema, 'properties'))).filter(([name]) => !Object.hasOwn(names, name));
  if (only.length === 0) return [];
  const elsewhere = namesBehind(other, root);
  return only.filter(([name]) => !elsewhere.has(name)) as [string, JsonObject][];
};

const NONE: ReadonlySet<string> = new Set();

const toPair = (
  place: WalkPlace,
  [before, after]: [JsonObject, JsonObject],
  [old, now]: [Contract, Contract],
): SchemaPair => {
  const [had, has] = place.around ?? [NONE, NONE];
  // What is declared beside this part of a schema neither came nor went with it.
  const removed = onlyIn(before, after, now.inputSchema).filter(([name]) => !has.has(name));
  const added = onlyIn(after, before, old.inputSchema).filter(([name]) => !had.has(name));
  const renamed = findRenames(removed, added);
  const from = new Set(renamed.map((rename) => rename.from));
  const to = new Set(renamed.map((rename) => rename.to));
  return {
    at: 'schema',
    path: place.path,
    parameter: place.parameter,
    tool: old.name,
    wasRequired: place.wasRequired === true,
    isRenamed: place.isRenamed === true,
    before,
    after,
    added: added.map(([name]) => name).filter((name) => !to.has(name)),
    removed: removed.map(([name]) => name).filter((name) => !from.has(name)),
    renamed,
    isFree: added.length > 0 && place.parameter.length > 0 && namesNothing(before, old.inputSchema),
    root: now.inputSchema,
  };
};

const WORDS = new Set(['title', 'description', 'default', 'examples']);

/** The combining keyword of a schema that consists only of that and of annotations; undefined for any other schema. */
const choice = (schema: JsonObject): string | undefined => {
  const keys = Object.keys(schema).filter((key) => !WORDS.has(key));
  const [only] = keys;
  return keys.length === 1 && only !== undefined && Object.hasOwn(LISTS, only) && Array.isArray(schema[only])
    ? only
    : undefined;
};

/**
 * If one side is a bare `anyOf` (or `oneOf`, `allOf`) and the other is not, wraps the other as a union of one branch, so
 * that branches can be paired.
 */
const asUnions = (before: JsonObject, after: JsonObject): [JsonObject, JsonObject] => {
  const [old, now] = [choice(before), choice(after)];
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
const below = ({ path, parameter, before, after, renamed }: SchemaPair): Omit<WalkPlace, 'through' | 'around'>[] => {
  const places: Omit<WalkPlace, 'through' | 'around'>[] = [];
  const required = own(before, 'required');
  const [had, has] = [objectOf(own(before, 'properties')), objectOf(own(after, 'properties'))];
  for (const name of Object.keys(had)) {
    const goesOnAs = Object.hasOwn(has, name) ? name : renamed.find(({ from }) => from === name)?.to;
    if (goesOnAs === undefined) continue;
    places.push({
      path: `${path}/properties${pointer(name)}`,
      parameter: [...parameter, name],
      wasRequired: Array.isArray(required) && required.includes(name),
      isRenamed: goesOnAs !== name,
      before: had[name],
      after: has[goesOnAs],
    });
  }
  for (const [keyword, steps] of SINGLES) {
    if (!Object.hasOwn(before, keyword)) continue;
    const [old, now] = [own(before, keyword), own(after, keyword)];
    if (!followed(keyword, old, now)) continue;
    places.push({ path: `${path}/${keyword}`, parameter: [...parameter, ...steps], before: old, after: now });
  }
  for (const [keyword, steps] of Object.entries(LISTS)) {
    const [old, now] = [own(before, keyword), own(after, keyword)];
    if (!Array.isArray(old) || !Array.isArray(now)) continue;
    for (const [from, to] of pairBranches(old, now).pairs) {
      places.push({
        path: `${path}/${keyword}/${from}`,
        parameter: [...parameter, ...steps],
        before: old[from],
        after: now[to],
      });
    }
  }
  const [prefix, nowPrefix] = [own(before, 'prefixItems'), own(after, 'prefixItems')];
  if (Array.isArray(prefix) && Array.isArray(nowPrefix)) {
    for (const [index, old] of prefix.slice(0, nowPrefix.length).entries()) {
      places.push({
        path: `${path}/prefixItems/${index}`,
        parameter: [...parameter, '*'],
        before: old,
        after: nowPrefix[index],
      });
    }
  }
  for (const [keyword, steps] of Object.entries(MAPS)) {
    if (!Object.hasOwn(before, keyword)) continue;
    const [old, now] = [objectOf(own(before, keyword)), objectOf(own(after, keyword))];
    for (const name of Object.keys(old).filter((one) => Object.hasOwn(now, one))) {
      places.push({
        path: `${path}/${keyword}${pointer(name)}`,
        parameter: [...parameter, ...steps],
        before: old[name],
        after: now[name],
      });
    }
  }
  return places;
};

const namesAround = (
  { before, after }: SchemaPair,
  [had, has]: NonNullable<WalkPlace['around']> = [NONE, NONE],
): NonNullable<WalkPlace['around']> => {
  const [old, now] = [before, after].map((schema) => Object.keys(objectOf(own(schema, 'properties'))));
  return [new Set([...had, ...(old ?? [])]), new Set([...has, ...(now ?? [])])];
};

/**
 * Every place that two input schemas both have and where they differ, through references and branches. A definition that is
 * used in several places is visited for each of them; a recursive one is visited once on each way.
 */
export function* walk(before: Contract, after: Contract): Generator<SchemaPair> {
  const [oldRoot, newRoot] = [before.inputSchema, after.inputSchema];
  const changed = changedReferences(oldRoot, newRoot);
  const open: WalkPlace[] = [{ path: '/inputSchema', parameter: [], before: oldRoot, after: newRoot, through: [] }];
  let visited = 0;
  for (let place = open.pop(); place && visited < MOST_PLACES; place = open.pop()) {
    const { before: old, after: now } = place;
    if (!isObject(old) || !isObject(now)) continue;
    if (sameJson(old as Json, now as Json) && !mentions(old as Json, changed)) continue;
    visited++;
    const [wrappedOld, wrappedNow] = asUnions(old as JsonObject, now as JsonObject);
    const [from, to] = [opened(wrappedOld, oldRoot), opened(wrappedNow, newRoot)];
    const through = [from.ref ?? '', to.ref ?? ''].join('>');
    const isReference = from.ref !== undefined || to.ref !== undefined;
    if (isReference && place.through.includes(through)) continue;
    // A change in a shared definition is reported at the definition.
    const way = from.ref !== undefined && from.ref === to.ref ? wayOf(from.ref) : undefined;
    const path = way === undefined ? place.path : `/inputSchema${pointerTo(way)}`;
    const pair = toPair({ ...place, path }, [from.schema, to.schema], [before, after]);
    yield pair;
    const next = isReference ? [...place.through, through] : place.through;
    const around = namesAround(pair, place.around);
    for (const one of below(pair).reverse()) {
      const isSameValue = one.parameter.length === pair.parameter.length;
      const isRenamed = pair.isRenamed || one.isRenamed === true;
      open.push({ ...one, isRenamed, through: next, ...(isSameValue ? { around } : {}) });
    }
    const [oldRef, newRef] = [own(old, '$ref'), own(now, '$ref')];
    const isBeside = Object.keys(old).length > 1 || Object.keys(now).length > 1;
    // What could not be opened where it stands is compared by itself.
    if (!isReference && isBeside && typeof oldRef === 'string' && typeof newRef === 'string')
      open.push({ ...place, before: { $ref: oldRef }, after: { $ref: newRef } });
  }
}

/** Whether `walk` goes into a keyword that both sides have, so that what it holds is compared at its own place. */
export const followed = (keyword: string, before: Json | undefined, after: Json | undefined): boolean => {
  if (isDefinitions(keyword)) return true;
  return Object.hasOwn(SINGLE, keyword) && isObject(before) && isObject(after);
};
