import { pointer } from '../contract/json-pointer.ts';
import { sameJson } from '../contract/same.ts';
import { type Contract, isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { pairBranches } from './branches.ts';
import { changedReferences, isDefinitions, mentions, namesBehind, opened } from './references.ts';
import { findRenames } from './rename.ts';
import type { SchemaPair } from './types.ts';

/** As many places as are looked at in one tool. What is left over is left to the proof. */
const MOST_PLACES = 4_000;

/** Keywords whose one schema applies to the same value, to each element, or to each value of an object. */
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
  before: Json | undefined;
  after: Json | undefined;
  /** References that were opened on the way here. */
  through: readonly string[];
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

const toPair = (place: WalkPlace, before: JsonObject, after: JsonObject, [old, now]: [Json, Json]): SchemaPair => {
  const removed = onlyIn(before, after, now);
  const added = onlyIn(after, before, old);
  const renamed = findRenames(removed, added);
  const from = new Set(renamed.map((rename) => rename.from));
  const to = new Set(renamed.map((rename) => rename.to));
  return {
    at: 'schema',
    path: place.path,
    parameter: place.parameter,
    before,
    after,
    added: added.map(([name]) => name).filter((name) => !to.has(name)),
    removed: removed.map(([name]) => name).filter((name) => !from.has(name)),
    renamed,
  };
};

const WORDS = new Set(['title', 'description', 'default', 'examples']);

/** The one combining keyword of a schema that is nothing but a choice of others, and words about it. */
const choice = (schema: JsonObject): string | undefined => {
  const keys = Object.keys(schema).filter((key) => !WORDS.has(key));
  const [only] = keys;
  return keys.length === 1 && only !== undefined && Object.hasOwn(LISTS, only) && Array.isArray(schema[only])
    ? only
    : undefined;
};

/** Where one side became a choice that the other was a branch of, the other as a choice of one: then branches compare. */
const alike = (before: JsonObject, after: JsonObject): [JsonObject, JsonObject] => {
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

/** The places below a pair that both sides have, in the order of the old contract. */
const below = ({ path, parameter, before, after, renamed }: SchemaPair): Omit<WalkPlace, 'through'>[] => {
  const places: Omit<WalkPlace, 'through'>[] = [];
  const [had, has] = [objectOf(own(before, 'properties')), objectOf(own(after, 'properties'))];
  for (const name of Object.keys(had)) {
    const goesOnAs = Object.hasOwn(has, name) ? name : renamed.find(({ from }) => from === name)?.to;
    if (goesOnAs === undefined) continue;
    places.push({
      path: `${path}/properties${pointer(name)}`,
      parameter: [...parameter, name],
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

/**
 * Every place of two input schemas that both have and where they differ, through references and branches. A definition
 * that is used in several ways is visited in each of them; one that uses itself is visited once.
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
    const [wrappedOld, wrappedNow] = alike(old as JsonObject, now as JsonObject);
    const [from, to] = [opened(wrappedOld, oldRoot), opened(wrappedNow, newRoot)];
    const through = [from.ref ?? '', to.ref ?? ''].join('>');
    const isReference = from.ref !== undefined || to.ref !== undefined;
    if (isReference && place.through.includes(through)) continue;
    // A shared definition is told of at its own place.
    const path = from.ref !== undefined && from.ref === to.ref ? `/inputSchema${from.ref.slice(1)}` : place.path;
    const pair = toPair({ ...place, path }, from.schema, to.schema, [oldRoot, newRoot]);
    yield pair;
    const next = isReference ? [...place.through, through] : place.through;
    for (const one of below(pair).reverse()) open.push({ ...one, through: next });
    const [oldRef, newRef] = [own(old, '$ref'), own(now, '$ref')];
    const isBeside = Object.keys(old).length > 1 || Object.keys(now).length > 1;
    // What could not be opened where it stands is compared by itself.
    if (!isReference && isBeside && typeof oldRef === 'string' && typeof newRef === 'string')
      open.push({ ...place, before: { $ref: oldRef }, after: { $ref: newRef } });
  }
}

/** Keywords that `walk` follows where both sides have them: their insides are compared at their own places. */
export const followed = (keyword: string, before: Json | undefined, after: Json | undefined): boolean => {
  if (isDefinitions(keyword)) return true;
  return Object.hasOwn(SINGLE, keyword) && isObject(before) && isObject(after);
};
