import { canonical } from '../contract/canonical.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { TYPES, type Type } from './check.ts';
import { assumptionsOf, type Conjunct, conjunctsOf, isNever, knownKeys, NOTHING } from './conjuncts.ts';
import { derived, objectsWith, unless, without } from './derived.ts';
import {
  areObjects,
  isRefused,
  largest,
  lowerBound,
  objectAt,
  propertyOf,
  requiredOf,
  smallest,
  typesOf,
  upperBound,
  valuesOf,
} from './facts.ts';
import { MADE } from './scope.ts';

const TYPE: Record<Type, Conjunct> = {
  array: { schema: { type: 'array' }, scope: MADE },
  boolean: { schema: { type: 'boolean' }, scope: MADE },
  fraction: { schema: { type: 'number', not: { type: 'integer' } }, scope: MADE },
  integer: { schema: { type: 'integer' }, scope: MADE },
  null: { schema: { type: 'null' }, scope: MADE },
  object: { schema: { type: 'object' }, scope: MADE },
  string: { schema: { type: 'string' }, scope: MADE },
};

/** A conjunct that accepts all values of one type, and no others. */
export const isOfType = (type: Type): Conjunct => TYPE[type];

/**
 * Splits what is given into cases: every given value satisfies at least one of these conjunctions. There is one for each
 * branch of the first union or condition; else one for each type; else one for each range between the bounds in the claim's
 * branches, for each state of a property that these branches ask for, or for what a branch lists and what it does not; else
 * one for each way in which what a `not` excludes can fail. Null if there is nothing to split.
 */
export const casesOf = (given: Conjunct[], claim: Conjunct): Conjunct[][] | null => {
  for (const ways of [branchesOf, null, negationsOf]) {
    if (ways === null) {
      const types = [...typesOf(given)];
      if (types.length > 1) return types.map((type) => [...given, isOfType(type)]);
      const ranges = rangesOf(given, claim);
      const parts = ranges ?? propertyCases(given, claim) ?? predicateCases(given, claim);
      if (parts !== null) return parts.map((part) => [...given, { schema: part, scope: MADE }]);
      continue;
    }
    for (const one of given) {
      const branches = one.within === undefined ? ways(one.schema) : null;
      if (branches === null) continue;
      const others = given.filter((other) => other !== one);
      // A caller may pass a property that one branch declares also with another branch.
      const names = declaring(one.schema, [...knownKeys(given)].sort());
      return branches.map(({ rest, added }) => [
        ...others,
        { schema: rest, scope: one.scope },
        { schema: names, scope: MADE },
        ...added.flatMap((schema) => assumptionsOf(schema, one.scope)),
      ]);
    }
  }
  return null;
};

/** One way to satisfy a schema: the rest of it, and the schemas that also hold. */
interface Alternative {
  rest: JsonObject;
  added: Json[];
}

const branchesOf = (schema: JsonObject): Alternative[] | null => {
  const any = own(schema, 'anyOf');
  if (Array.isArray(any)) return any.map((each) => ({ rest: without(schema, 'anyOf'), added: [each] }));
  const exactly = own(schema, 'oneOf');
  if (Array.isArray(exactly)) {
    return exactly.map((each, index) => {
      const noOther = derived(schema, `oneOf${index}`, () => ({
        not: { anyOf: exactly.filter((_other, at) => at !== index) },
      }));
      return { rest: without(schema, 'oneOf'), added: [each, noOther] };
    });
  }
  const condition = own(schema, 'if');
  if (condition === undefined) return null;
  const [whenTrue, whenFalse] = [own(schema, 'then'), own(schema, 'else')];
  if (whenTrue === undefined && whenFalse === undefined) return null;
  const rest = without(schema, 'if', 'then', 'else');
  return [
    { rest, added: [condition, whenTrue ?? true] },
    { rest, added: [unless(schema), whenFalse ?? true] },
  ];
};

const opposite =
  (type: string, keyword: string) =>
  (limit: Json): Json =>
    typeof limit === 'number' ? { type, [keyword]: limit } : { type };
const below =
  (type: string, keyword: string) =>
  (least: Json): Json =>
    typeof least === 'number' ? { type, [keyword]: Math.max(0, Math.ceil(least) - 1) } : { type };
const beyond =
  (type: string, keyword: string) =>
  (most: Json): Json =>
    typeof most === 'number' ? { type, [keyword]: Math.max(0, Math.floor(most) + 1) } : { type };

/** What holds for each value that does not satisfy a keyword. Keywords that are read together with others are missing. */
const NEGATIONS: Record<string, (operand: Json) => Json> = {
  type: (type) => ({ not: { type } }),
  enum: (values) => ({ not: { enum: values } }),
  const: (value) => ({ not: { const: value } }),
  minimum: opposite('number', 'exclusiveMaximum'),
  maximum: opposite('number', 'exclusiveMinimum'),
  exclusiveMinimum: opposite('number', 'maximum'),
  exclusiveMaximum: opposite('number', 'minimum'),
  multipleOf: (step) => ({ type: 'number', not: { multipleOf: step } }),
  minLength: below('string', 'maxLength'),
  maxLength: beyond('string', 'minLength'),
  pattern: (pattern) => ({ type: 'string', not: { pattern } }),
  minItems: below('array', 'maxItems'),
  maxItems: beyond('array', 'minItems'),
  minProperties: below('object', 'maxProperties'),
  maxProperties: beyond('object', 'minProperties'),
  required: (names) => ({ type: 'object', not: { required: names } }),
  properties: (properties) => {
    const entries = isObject(properties) ? Object.entries(properties as JsonObject) : [];
    const [name, schema] = entries[0] ?? ['', true];
    if (entries.length !== 1) return { type: 'object' };
    return { type: 'object', required: [name], properties: { [name]: { not: schema } } };
  },
};

/** Keywords that say nothing about values, and so cannot fail. */
const WORDS = new Set(['title', 'description', 'default', 'examples', '$comment']);

/** Ways in which what a `not` excludes can fail; null if that would tell no more than the `not`. */
const negationsOf = (schema: JsonObject): Alternative[] | null => {
  const negated = own(schema, 'not');
  if (!isObject(negated)) return null;
  const entries = Object.entries(negated as JsonObject).filter(([keyword]) => !WORDS.has(keyword));
  if (!entries.every(([keyword]) => Object.hasOwn(NEGATIONS, keyword))) return null;
  const found = derived(schema, 'negations', () =>
    Object.fromEntries(
      entries.map(([keyword, operand]) => [keyword, (NEGATIONS[keyword] as (one: Json) => Json)(operand)]),
    ),
  );
  const [only] = Object.values(found);
  // A negation that only repeats itself would be split endlessly.
  if (entries.length === 1 && own(only, 'not') !== undefined && own(only, 'type') === own(schema, 'type')) return null;
  return Object.values(found).map((each) => ({ rest: without(schema, 'not'), added: [each] }));
};

/** Keywords with a bound, by what they measure; each with how far after its operand the next range begins. */
const MEASURES: Partial<Record<Type, { least: string; most: string }>> = {
  string: { least: 'minLength', most: 'maxLength' },
  array: { least: 'minItems', most: 'maxItems' },
  object: { least: 'minProperties', most: 'maxProperties' },
};
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
const MOST_RANGES = 40;

const boundsIn = (claim: Conjunct, keyword: string): number[] =>
  ['anyOf', 'oneOf'].flatMap((union) => {
    const branches = own(claim.schema, union);
    return (Array.isArray(branches) ? branches : []).flatMap((branch) =>
      (conjunctsOf(branch, claim.scope) || []).flatMap(({ schema }) => {
        const bound = own(schema, keyword);
        return typeof bound === 'number' ? [bound] : [];
      }),
    );
  });

const sorted = (numbers: number[]): number[] => [...new Set(numbers)].sort((a, b) => a - b);

/** Schemas of the ranges into which the bounds in a claim's branches divide what is given; null if none lies inside. */
const rangesOf = (given: Conjunct[], claim: Conjunct): JsonObject[] | null => {
  if (!Object.hasOwn(claim.schema, 'anyOf') && !Object.hasOwn(claim.schema, 'oneOf')) return null;
  const [type] = typesOf(given);
  if (type === undefined) return null;
  const made = (name: string, schema: JsonObject) => derived(claim.schema, `range ${name}`, () => schema);
  if (type === 'integer' || type === 'fraction') {
    const [low, high] = [lowerBound(given), upperBound(given)];
    const points = sorted(BOUNDS.flatMap((keyword) => boundsIn(claim, keyword))).filter(
      (at) => (at > low.at || (at === low.at && !low.open)) && (at < high.at || (at === high.at && !high.open)),
    );
    if (low.at === high.at || points.length === 0 || points.length > MOST_RANGES) return null;
    const edges = [...points, Number.POSITIVE_INFINITY];
    return edges.flatMap((at, index): JsonObject[] => {
      const from = edges[index - 1];
      const between = {
        ...(from === undefined ? {} : { exclusiveMinimum: from }),
        ...(Number.isFinite(at) ? { exclusiveMaximum: at } : {}),
      };
      return [made(`${from}..${at}`, between), ...(Number.isFinite(at) ? [made(`${at}`, { const: at })] : [])];
    });
  }
  const measure = MEASURES[type];
  if (measure === undefined) return null;
  const { least, most } = measure;
  const starts = sorted([...boundsIn(claim, least), ...boundsIn(claim, most).map((at) => at + 1)]).filter(
    (at) => at > largest(given, least) && at <= smallest(given, most),
  );
  if (starts.length === 0 || starts.length > MOST_RANGES) return null;
  return [0, ...starts].map((from, index) => {
    const to = starts[index];
    return made(`${type} ${from}..${to}`, { [least]: from, ...(to === undefined ? {} : { [most]: to - 1 }) });
  });
};

/** The conjuncts of the branches of a claim. */
const branchesIn = ({ schema, scope }: Conjunct): Conjunct[] =>
  ['anyOf', 'oneOf', 'if'].flatMap((keyword) => {
    const inside = own(schema, keyword);
    const branches = Array.isArray(inside) ? inside : inside === undefined || keyword !== 'if' ? [] : [inside];
    return branches.flatMap((branch) => conjunctsOf(branch, scope) || []);
  });

const MOST_CASES = 40;

/**
 * The possible states of a property that a claim's branches ask for: it is absent, or has one of these values, types, or
 * what a branch lists. Null if that is already known, or not asked for.
 */
const propertyCases = (given: Conjunct[], claim: Conjunct): JsonObject[] | null => {
  if (!areObjects(given)) return null;
  const asked = branchesIn(claim).map(({ schema }) => schema);
  const declared = asked.flatMap((schema) => Object.keys(objectAt(schema, 'properties')));
  const required = asked.flatMap((schema) => {
    const names = own(schema, 'required');
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  });
  const known = knownKeys(given);
  const having = (name: string, what: string, schema: Json): JsonObject =>
    derived(claim.schema, `${JSON.stringify(name)} is ${what}`, () => ({ properties: { [name]: schema } }));
  for (const name of new Set([...required, ...declared])) {
    if (!known.has(name)) continue;
    const its = propertyOf(given, name);
    if (its.some(({ schema }) => isNever(schema) || schema === NOTHING.schema)) continue;
    if (!requiredOf(given).has(name)) {
      return [objectsWith(claim.schema, name), having(name, 'left out', false)];
    }
    const values = valuesOf(its);
    if (values !== null && values.length > 1 && values.length <= MOST_CASES)
      return values.map((value) => having(name, canonical(value), { const: value }));
    if (values !== null) continue;
    const kinds = [...typesOf(its)];
    if (kinds.length > 1 && kinds.length < TYPES.length)
      return kinds.map((type) => having(name, type, isOfType(type).schema));
    const listed = asked
      .map((schema) => listIn(own(objectAt(schema, 'properties'), name)))
      .find((list) => list !== undefined && !excludes(its, list));
    if (listed !== undefined) return halves(listed).map((half) => having(name, canonical(half), half));
  }
  return null;
};

/** What a schema lists, if it says nothing else. */
const listIn = (schema: Json | undefined): JsonObject | undefined => {
  const [constant, values] = [own(schema, 'const'), own(schema, 'enum')];
  if (constant !== undefined) return { enum: [constant] };
  return Array.isArray(values) ? { enum: values } : undefined;
};

const excludes = (given: Conjunct[], list: JsonObject): boolean =>
  (list.enum as Json[]).every((value) => isRefused(given, value));

const halves = (list: JsonObject): JsonObject[] => [list, { not: list }];

/** What a branch of a claim lists, and what it does not. Null if no branch is only a list. */
const predicateCases = (given: Conjunct[], claim: Conjunct): JsonObject[] | null => {
  if (valuesOf(given) !== null) return null;
  for (const { schema } of branchesIn(claim)) {
    const list = listIn(schema) ?? listIn(own(schema, 'not'));
    if (list === undefined || excludes(given, list)) continue;
    return halves(list).map((half) => derived(claim.schema, canonical(half), () => half));
  }
  return null;
};

/** A schema that declares properties without restricting them; cached by the names, which differ between conjunctions. */
const declaring = (schema: JsonObject, names: string[]): JsonObject =>
  derived(schema, `declares ${JSON.stringify(names)}`, () => ({
    properties: Object.fromEntries(names.map((name) => [name, true])),
  }));
