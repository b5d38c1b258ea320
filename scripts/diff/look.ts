// What is compared at a place: both versions of the schema there, with what they refer to.

import { pointerTo } from '../contract/json-pointer.ts';
import { excludesType } from '../contract/readable.ts';
import { wayOf } from '../contract/references.ts';
import { sameJson } from '../contract/same.ts';
import { type Contract, isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { namesNothing } from '../proof/subset.ts';
import { branchLists } from './branches.ts';
import { inOneShape } from './flatten.ts';
import { below, type ComparedPlace, LISTS, objectOf, type PlaceBelow, type SiblingNames, TRAITS } from './places.ts';
import {
  changedReferences,
  covered,
  definesSame,
  isDynamic,
  mentions,
  namesBehind,
  type Opened,
  opened,
  otherDefinition,
} from './references.ts';
import { findRenames } from './rename.ts';
import { withTuplesAlike } from './tuples.ts';
import type { SchemaPair } from './types.ts';
import { areUnlike } from './unlike-names.ts';

/** Properties of one schema that the other does not name: not there, not in what it refers to, not in a branch. */
const onlyIn = (schema: JsonObject, other: JsonObject, root: Json): [string, JsonObject][] => {
  const [its, names] = [objectOf(own(schema, 'properties')), objectOf(own(other, 'properties'))];
  const only = Object.keys(its).filter((name) => !Object.hasOwn(names, name));
  if (only.length === 0) return [];
  const elsewhere = namesBehind(other, root);
  return only.filter((name) => !elsewhere.has(name)).map((name) => [name, its[name] as JsonObject]);
};

/** Both versions of the properties that both schemas name. */
const inBoth = (before: JsonObject, after: JsonObject): [JsonObject, JsonObject][] => {
  const [had, has] = [objectOf(own(before, 'properties')), objectOf(own(after, 'properties'))];
  return Object.keys(had)
    .filter((name) => Object.hasOwn(has, name))
    .map((name) => [had[name] as JsonObject, has[name] as JsonObject]);
};

/** The properties that were added, removed or renamed at a place. */
const namesAt = (before: JsonObject, after: JsonObject, [old, now]: [Contract, Contract], around?: SiblingNames) => {
  // Properties declared next to this part of a schema were neither added nor removed with it.
  const removed = onlyIn(before, after, now.inputSchema).filter(([name]) => !around?.[1].has(name));
  const added = onlyIn(after, before, old.inputSchema).filter(([name]) => !around?.[0].has(name));
  if (removed.length === 0 && added.length === 0)
    return { added: [], removed: [], renamed: [], replaced: new Map<string, string>(), isFree: false };
  const found = findRenames(removed, added, inBoth(before, after));
  const renamed = found.filter(({ isUnlike }) => !isUnlike);
  const replaced = new Map(found.filter(({ isUnlike }) => isUnlike).map(({ from, to }) => [to, from]));
  const from = new Set(renamed.map((rename) => rename.from));
  const to = new Set(renamed.map((rename) => rename.to));
  return {
    added: added.map(([name]) => name).filter((name) => !to.has(name)),
    removed: removed.map(([name]) => name).filter((name) => !from.has(name)),
    renamed,
    replaced,
    isFree: added.length > 0 && !excludesType(before, 'object') && namesNothing(before, old.inputSchema),
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

/** The schemas at a place as they are compared, and where that is. */
interface ComparedSchemas {
  before: JsonObject;
  after: JsonObject;
  path: string;
  through: string | undefined;
  isShared: boolean;
  behind: string | undefined;
  named: [string, string] | undefined;
}

/** A definition's name without the limit in it, which is checked by itself: "NonEmptyString". */
const withoutLimit = (name: string): string => name.replace(/Non_?(?:Blank|Empty|Negative|Null|Positive|Zero)/i, '');

/** Names of definitions that are of different things, where the words of both are the same. */
const ofOtherThings = (
  names: [string, string] | undefined,
  before: JsonObject,
  after: JsonObject,
): [string, string] | undefined => {
  if (names === undefined || !['title', 'description'].every((key) => sameJson(own(before, key), own(after, key))))
    return undefined;
  const told = String(own(before, 'description') ?? '');
  return areUnlike(names.map(withoutLimit) as [string, string], [told, told], true) ? names : undefined;
};

/** The words that one side adds from a definition to words of its own, where the other side has those of its own alone. */
const onlyBehind = (written: Json | undefined, before: JsonObject, after: JsonObject): string | undefined => {
  const [all, shown] = [own(before, 'description'), own(after, 'description')];
  const isShown = typeof shown === 'string' && own(written, 'description') === shown;
  return isShown && typeof all === 'string' && all.startsWith(`${shown}\n\n`) ? all.slice(shown.length + 2) : undefined;
};

const schemasAt = (place: PlaceBelow, tools: [Contract, Contract]): ComparedSchemas => {
  const { path, isShared } = place;
  const roots = [tools[0].inputSchema, tools[1].inputSchema] as const;
  const [old, now] = asUnions(...inOneShape(place.before as JsonObject, place.after as JsonObject, roots));
  const [from, to] = openedBoth([old, now], tools);
  // A change in a shared definition is reported at the definition.
  const way = from.ref !== undefined && from.ref === to.ref ? wayOf(from.ref) : undefined;
  const isBehind = from.target && to.target && saysSameBeside(old, now, from.target, to.target);
  const [before, after] = withTuplesAlike(
    ...inOneShape((isBehind && from.target) || from.schema, (isBehind && to.target) || to.schema, roots),
  );
  return {
    before,
    after,
    path: way === undefined ? path : `/inputSchema${pointerTo(way)}`,
    through: from.ref === undefined && to.ref === undefined ? undefined : `${from.ref ?? ''}>${to.ref ?? ''}`,
    isShared: isShared || way !== undefined,
    behind: onlyBehind(place.before, before, after),
    named: ofOtherThings(otherDefinition([from, to], roots), before, after),
  };
};

/** References on both sides that could not be opened in place are compared on their own. */
const unopened = (place: PlaceBelow, { before, after }: SchemaPair): PlaceBelow[] => {
  const [old, now] = [own(before, '$ref'), own(after, '$ref')];
  const isBeside = Object.keys(before).length > 1 || Object.keys(after).length > 1;
  if (!isBeside || typeof old !== 'string' || typeof now !== 'string') return [];
  return [{ ...place, steps: [], before: { $ref: old }, after: { $ref: now } }];
};

const placesBelow = (pair: SchemaPair, isShared: boolean, isRoot: boolean, around?: SiblingNames): PlaceBelow[] => {
  const places = below(pair, isShared, isRoot);
  const ofSameValue = places.filter(({ steps }) => steps.length === 0);
  if (ofSameValue.length === 0) return places;
  const names = namesAround(pair, around);
  for (const one of ofSameValue) one.around = names;
  return places;
};

/** What to compare at a place; null if nothing changed there. `isRoot`: it is about the arguments as a whole. */
export type Looker = (place: PlaceBelow, isRoot: boolean) => ComparedPlace | null;

/** Looks at the places in two versions of a tool's input schema. Asked again about a shared place, it says the same. */
export const looker = (tools: [Contract, Contract]): Looker => {
  const [old, now] = tools.map(({ inputSchema }) => inputSchema) as [Json, Json];
  const changed = changedReferences(old, now);
  const shared = new Map<JsonObject, ComparedPlace[]>();

  const pairAt = (
    place: PlaceBelow,
    { before, after, path, behind, named }: ComparedSchemas,
    isRoot: boolean,
  ): SchemaPair => {
    const { wasRequired, isRenamed, newName, isOfNames } = place;
    const names = namesAt(before, after, tools, place.around);
    return {
      at: 'schema',
      path,
      parameter: [],
      ways: [],
      tool: tools[0].name,
      wasRequired,
      isRenamed,
      newName,
      isOfNames,
      before,
      after,
      behind,
      otherDefinition: named,
      ...names,
      lists: branchLists(before, after, { old, now, changed }),
      isFree: names.isFree && !isRoot,
      refersSomewhere: isDynamic(after) && !definesSame(old, now),
      root: now,
    };
  };

  return (place, isRoot) => {
    if (!isObject(place.before) || !isObject(place.after)) return null;
    if (sameJson(place.before as Json, place.after as Json) && !mentions(place.before as Json, changed)) return null;
    const schemas = schemasAt(place, tools);
    const alike = schemas.isShared ? (shared.get(schemas.before) ?? []) : [];
    const known = alike.find((one) => isSamePlace(one, place, schemas, isRoot));
    if (known !== undefined) return known;
    const pair = pairAt(place, schemas, isRoot);
    const { through, isShared } = schemas;
    const seen = {
      pair,
      below: [...unopened(place, pair), ...placesBelow(pair, isShared, isRoot, place.around)],
      isRoot,
      through,
      around: place.around,
    };
    if (isShared) shared.set(schemas.before, [...alike, seen]);
    return seen;
  };
};

/** Whether a known place in a shared definition is that one: reached in another way, it is the same. */
const isSamePlace = (
  known: ComparedPlace,
  place: PlaceBelow,
  { after, path, through }: ComparedSchemas,
  isRoot: boolean,
): boolean =>
  known.pair.after === after &&
  known.pair.path === path &&
  TRAITS.every((trait) => known.pair[trait] === place[trait]) &&
  known.isRoot === isRoot &&
  known.through === through &&
  isSameAround(known.around, place.around);
