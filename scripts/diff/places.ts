// The places below a schema that both versions of it have.

import { namesIn, pointer } from '../contract/json-pointer.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { areMembersLimited } from './plain-limits.ts';
import { isDefinitions } from './references.ts';
import type { SchemaPair } from './types.ts';

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
export const LISTS: readonly string[] = ['allOf', 'anyOf', 'oneOf'];
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

/** Keywords whose value has a schema for each name or number. */
const MEMBERS: ReadonlySet<string> = new Set([
  ...LISTS,
  ...MAPS.map(([keyword]) => keyword),
  '$defs',
  'definitions',
  'prefixItems',
  'properties',
]);

/** The keywords that a path goes through, without the names in `properties` and the like. */
const keywordsOn = (path: string): string[] => {
  const steps = namesIn(path).slice(1);
  const found: string[] = [];
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at] as string;
    found.push(step);
    if (MEMBERS.has(step)) at++;
  }
  return found;
};

/** The condition that a place is part of: what is said there is not asked of a call. Undefined if there is none. */
export const conditionAt = (path: string): 'if' | 'not' | undefined =>
  keywordsOn(path).findLast((step) => step === 'if' || step === 'not');

/** Whether what is said at a place holds only for some calls: those that meet a condition. */
export const isConditional = (path: string): boolean =>
  keywordsOn(path).some((step) => step === 'then' || step === 'else' || step === 'dependentSchemas');

/** What names have to meet. It holds a schema, too, or says nothing of names. */
const NAMES = 'propertyNames';

export type SiblingNames = readonly [had: ReadonlySet<string>, has: ReadonlySet<string>];

/** A place below another one that both sides have. */
export interface PlaceBelow {
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

/** What a place is told by besides its schemas. */
export const TRAITS = ['wasRequired', 'isRenamed', 'newName', 'isOfNames'] as const;

/** What is compared at a place, and the places to go to from there. */
export interface ComparedPlace {
  pair: SchemaPair;
  below: readonly PlaceBelow[];
  /** It is about the arguments as a whole. */
  isRoot: boolean;
  /** The references that lead there. */
  through: string | undefined;
  around: SiblingNames | undefined;
}

export const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? (value as JsonObject) : {});

/** Whether `walk` goes into a keyword that both sides have, so that what it holds is compared at its own place. */
export const followed = (keyword: string, before: Json | undefined, after: Json | undefined): boolean => {
  if (isDefinitions(keyword)) return true;
  return (Object.hasOwn(SINGLE, keyword) || keyword === NAMES) && isObject(before) && isObject(after);
};

/** A step from a schema to a place below it: `at` is its path from there. Without more, it goes on as that schema did. */
type StepBelow = Pick<PlaceBelow, 'steps' | 'before' | 'after'> & { at: string } & Partial<PlaceBelow>;

const toProperties = ({ before, after, renamed, isRenamed }: SchemaPair): StepBelow[] => {
  const [had, has] = [objectOf(own(before, 'properties')), objectOf(own(after, 'properties'))];
  const required = own(before, 'required');
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.keys(had).flatMap((name) => {
    const goesOnAs = Object.hasOwn(has, name) ? name : renamed.find(({ from }) => from === name)?.to;
    if (goesOnAs === undefined) return [];
    const isSame = goesOnAs === name;
    return {
      at: `/properties${pointer(name)}`,
      steps: [name],
      before: had[name],
      after: has[goesOnAs],
      wasRequired: needed.has(name),
      isRenamed: isRenamed || !isSame,
      newName: isSame ? undefined : goesOnAs,
    };
  });
};

/** Words of names may come where nothing was said of names. */
const toNames = ({ before, after }: SchemaPair): StepBelow[] => {
  if (!Object.hasOwn(before, NAMES) && !Object.hasOwn(after, NAMES)) return [];
  const [old, now] = [before, after].map((schema) => own(schema, NAMES) ?? {});
  return [{ at: `/${NAMES}`, steps: ['*'], before: old, after: now, isOfNames: true }];
};

/** Limits of all members may come where nothing was said of these. */
const toSingles = (pair: SchemaPair, isRoot: boolean): StepBelow[] =>
  SINGLES.flatMap(([keyword, steps]) => {
    const [had, has] = [own(pair.before, keyword), own(pair.after, keyword)];
    const isLimited = areMembersLimited(pair, keyword, isRoot);
    if (!isLimited && !followed(keyword, had, has)) return [];
    return [{ at: `/${keyword}`, steps, before: isLimited ? {} : had, after: has }];
  });

const toBranches = ({ lists }: SchemaPair): StepBelow[] =>
  lists.flatMap(({ keyword, had, has, pairs }) =>
    pairs.map(([from, to]) => ({ at: `/${keyword}/${from}`, steps: [], before: had[from], after: has[to] })),
  );

const toFirstElements = ({ before, after }: SchemaPair): StepBelow[] => {
  const [had, has] = [own(before, 'prefixItems'), own(after, 'prefixItems')];
  if (!Array.isArray(had) || !Array.isArray(has)) return [];
  return had
    .slice(0, has.length)
    .map((old, index) => ({ at: `/prefixItems/${index}`, steps: ['*'], before: old, after: has[index] }));
};

const toMembers = ({ before, after }: SchemaPair): StepBelow[] =>
  MAPS.flatMap(([keyword, steps]) => {
    const [had, has] = [objectOf(own(before, keyword)), objectOf(own(after, keyword))];
    return Object.keys(had)
      .filter((name) => Object.hasOwn(has, name))
      .map((name) => ({ at: `/${keyword}${pointer(name)}`, steps, before: had[name], after: has[name] }));
  });

/** The places directly below a pair that both sides have, in the order of the old contract. */
export const below = (pair: SchemaPair, isShared: boolean, isRoot: boolean): PlaceBelow[] => {
  const { isRenamed, newName, isOfNames } = pair;
  const holdsMore = [pair.before, pair.after].some((schema) => Object.keys(schema).some((key) => HOLDING.has(key)));
  const steps = [
    ...toProperties(pair),
    ...toNames(pair),
    ...(holdsMore
      ? [toSingles, toBranches, toFirstElements, toMembers].flatMap((further) => further(pair, isRoot))
      : []),
  ];
  return steps.map(({ at, ...step }) => ({
    path: pair.path + at,
    wasRequired: false,
    isRenamed,
    newName,
    isOfNames,
    isShared,
    ...step,
  }));
};
