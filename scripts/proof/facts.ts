import { canonical } from '../contract/canonical.ts';
import { IGNORED } from '../contract/dialect.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { acceptsPart, matches, namedTypes, TYPES, type Type, typeOf } from './check.ts';
import { assumptionsOf, type Conjunct, conjunctsOf, declaredKeys, inPlace, isNever, remembered } from './conjuncts.ts';
import type { SchemaScope } from './scope.ts';

/** What is known about every value that a conjunction accepts. May allow more values than the conjunction, never fewer. */

const intersect = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): ReadonlySet<T> =>
  new Set([...a].filter((one) => b.has(one)));

/** The values in a schema's `const` or `enum`; null if it has neither. */
const named = (schema: JsonObject): Json[] | null => {
  const values = own(schema, 'enum');
  const constant = own(schema, 'const');
  if (constant !== undefined) return [constant];
  return Array.isArray(values) ? values : null;
};

const ALL: ReadonlySet<Type> = new Set(TYPES);
const WORDS = new Set(['title', 'description', '$comment']);

/** The types that a `not` excludes: those that it names, if it says nothing else. */
const excluded = (schema: JsonObject): ReadonlySet<Type> | null => {
  const negated = own(schema, 'not');
  if (!isObject(negated) || !Object.keys(negated).every((key) => key === 'type' || WORDS.has(key))) return null;
  return namedTypes(negated as JsonObject);
};

const commonTypes = (conjuncts: Conjunct[]): ReadonlySet<Type> => {
  let types = ALL;
  for (const { schema } of conjuncts) {
    const allowed = namedTypes(schema);
    if (allowed) types = types === ALL ? allowed : intersect(types, allowed);
    const values = named(schema);
    if (values) types = intersect(types, new Set(values.map(typeOf)));
    const without = excluded(schema);
    if (without) types = new Set([...types].filter((type) => !without.has(type)));
    if (types.has('fraction')) {
      const step = own(schema, 'multipleOf');
      if (typeof step === 'number' && Number.isInteger(step))
        types = new Set([...types].filter((type) => type !== 'fraction'));
    }
  }
  return types;
};

/** The types that values of a conjunction can have. */
export const typesOf = remembered(commonTypes);

/** The values that the branches of a union list, if all of them do. */
const listedByBranches = (union: Json | undefined, scope: SchemaScope): Json[] | null => {
  if (!Array.isArray(union)) return null;
  const lists = union.map((branch) => {
    const its = conjunctsOf(branch, scope);
    return its === false ? [] : (its.map(({ schema }) => named(schema)).find((values) => values !== null) ?? null);
  });
  if (lists.includes(null)) return null;
  return [...new Map(lists.flatMap((values) => values ?? []).map((value) => [canonical(value), value])).values()];
};

/** Most whole numbers that are tried one by one. */
const MOST_NUMBERS = 100;

/** The whole numbers between two bounds, if they are few. */
const between = (conjuncts: Conjunct[]): Json[] | null => {
  const [low, high] = [lowerBound(conjuncts).at, upperBound(conjuncts).at];
  const count = high - low + 1;
  if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high) || count > MOST_NUMBERS) return null;
  return Array.from({ length: Math.max(0, count) }, (_, index) => low + index);
};

const listedByTypes = (conjuncts: Conjunct[]): Json[] | null => {
  const values: Json[] = [];
  for (const type of typesOf(conjuncts)) {
    if (type === 'null') values.push(null);
    else if (type === 'boolean') values.push(true, false);
    else if (type === 'string' && smallest(conjuncts, 'maxLength') === 0) values.push('');
    else if (type === 'array' && smallest(conjuncts, 'maxItems') === 0) values.push([]);
    else {
      const numbers = type === 'integer' && !typesOf(conjuncts).has('fraction') ? between(conjuncts) : null;
      if (numbers === null) return null;
      values.push(...numbers);
    }
  }
  return values;
};

const MOST_VALUES = 50_000;
const UNIONS = ['anyOf', 'oneOf'] as const;

const fewValues = (conjuncts: Conjunct[]): Json[] | null => {
  const lists: Json[][] = [];
  for (const { schema, scope } of conjuncts) {
    const values = named(schema);
    if (values) lists.push(values);
    for (const union of UNIONS) {
      const listed = Object.hasOwn(schema, union) ? listedByBranches(own(schema, union), scope) : null;
      if (listed) lists.push(listed);
    }
  }
  const listed = listedByTypes(conjuncts);
  if (listed) lists.push(listed);
  const [shortest] = lists.sort((a, b) => a.length - b.length);
  if (shortest === undefined || shortest.length > MOST_VALUES) return null;
  return shortest.filter((value) => conjuncts.every((one) => one.opaque || acceptsPart(one, value) !== false));
};

/**
 * All values that a conjunction can accept, if they are listed: by `enum`, `const`, a union of such, or because only few
 * are possible at all. Null if there is no such list, or more than 50,000 values.
 */
export const valuesOf = remembered(fewValues);

/** Whether a conjunction is sure not to accept a value. */
export const isRefused = (conjuncts: Conjunct[], value: Json): boolean =>
  conjuncts.some((one) => one.opaque !== true && acceptsPart(one, value) === false);

const numbers = (conjuncts: Conjunct[], key: string): number[] => {
  const found: number[] = [];
  for (const { schema } of conjuncts) {
    const value = own(schema, key);
    if (typeof value === 'number') found.push(value);
  }
  return found;
};

/** The largest number that the conjuncts have under a keyword; `otherwise` if that is larger, or there is none. */
export const largest = (conjuncts: Conjunct[], key: string, otherwise = 0): number =>
  Math.max(otherwise, ...numbers(conjuncts, key));
/** The smallest number that the conjuncts have under a keyword; infinity if there is none. */
export const smallest = (conjuncts: Conjunct[], key: string): number =>
  Math.min(Number.POSITIVE_INFINITY, ...numbers(conjuncts, key));

export interface Bound {
  at: number;
  /** The bound itself is not allowed. */
  open: boolean;
}

const tighter = (a: Bound, b: Bound, direction: 1 | -1): Bound => {
  if (a.at === b.at) return { at: a.at, open: a.open || b.open };
  return a.at * direction > b.at * direction ? a : b;
};

/** The bound for whole numbers only: the nearest whole number that is allowed. */
const whole = ({ at, open }: Bound, direction: 1 | -1): Bound => {
  if (!Number.isFinite(at)) return { at, open };
  const next = direction === 1 ? Math.ceil(at) : Math.floor(at);
  return { at: open && next === at ? at + direction : next, open: false };
};

const bound = (conjuncts: Conjunct[], inclusive: string, exclusive: string, direction: 1 | -1): Bound => {
  const bounds: Bound[] = [
    // We do not rely on draft-04's `exclusiveMinimum: true`: other dialects do not know it.
    ...numbers(conjuncts, inclusive).map((at) => ({ at, open: false })),
    ...numbers(conjuncts, exclusive).map((at) => ({ at, open: true })),
  ];
  const found = bounds.reduce((a, b) => tighter(a, b, direction), {
    at: -direction * Number.POSITIVE_INFINITY,
    open: false,
  });
  return typesOf(conjuncts).has('fraction') ? found : onStep(whole(found, direction), conjuncts, direction);
};

/** The bound for multiples of whole numbers: the nearest one that is allowed. */
const onStep = (found: Bound, conjuncts: Conjunct[], direction: 1 | -1): Bound => {
  if (!Number.isSafeInteger(found.at)) return found;
  let { at } = found;
  for (const step of numbers(conjuncts, 'multipleOf')) {
    if (!Number.isSafeInteger(step) || step <= 0) continue;
    const next = (direction === 1 ? Math.ceil(at / step) : Math.floor(at / step)) * step;
    // Each step holds by itself, so the furthest one holds.
    if (Number.isSafeInteger(next)) at = direction === 1 ? Math.max(at, next) : Math.min(at, next);
  }
  return { ...found, at };
};

/** The tightest lower bound of numbers; minus infinity if there is none. */
export const lowerBound = (conjuncts: Conjunct[]): Bound => bound(conjuncts, 'minimum', 'exclusiveMinimum', 1);
/** The tightest upper bound of numbers; infinity if there is none. */
export const upperBound = (conjuncts: Conjunct[]): Bound => bound(conjuncts, 'maximum', 'exclusiveMaximum', -1);

/** Names that come with others, by `dependentRequired` and by lists in `dependencies`. */
const dependents = (conjuncts: Conjunct[]): [string, Json[]][] =>
  ['dependentRequired', 'dependencies'].flatMap((keyword) =>
    conjuncts.flatMap(({ schema }) =>
      Object.entries(objectAt(schema, keyword)).filter((entry): entry is [string, Json[]] => Array.isArray(entry[1])),
    ),
  );

const required = (conjuncts: Conjunct[]): ReadonlySet<string> => {
  const names = new Set<string>();
  const add = (list: Json | undefined) => {
    for (const name of Array.isArray(list) ? list : []) if (typeof name === 'string') names.add(name);
  };
  for (const { schema } of conjuncts) add(own(schema, 'required'));
  const needs = names.size === 0 ? [] : dependents(conjuncts);
  for (let size = -1; size !== names.size; ) {
    size = names.size;
    for (const [name, list] of needs) if (names.has(name)) add(list);
  }
  return names;
};

/** Names of the properties that every object must have. */
export const requiredOf = remembered(required);

const DEPENDING = ['dependentSchemas', 'dependencies'] as const;

/** Whether no value is anything but an object: others need no property, whatever is required. */
export const areObjects = (conjuncts: Conjunct[]): boolean => {
  const types = typesOf(conjuncts);
  return types.size === 1 && types.has('object');
};

/** What is given, with the `dependentSchemas` of properties that every value must have. */
export const withDependents = (conjuncts: Conjunct[]): Conjunct[] => {
  if (!conjuncts.some(({ schema }) => DEPENDING.some((keyword) => Object.hasOwn(schema, keyword)))) return conjuncts;
  const names = requiredOf(conjuncts);
  if (names.size === 0 || !areObjects(conjuncts)) return conjuncts;
  const more = conjuncts.flatMap(({ schema, scope }) =>
    DEPENDING.flatMap((keyword) =>
      Object.entries(objectAt(schema, keyword)).flatMap(([name, one]) =>
        names.has(name) && !Array.isArray(one) ? assumptionsOf(one, scope) : [],
      ),
    ),
  );
  return more.length === 0 ? conjuncts : [...conjuncts, ...more];
};

/** A value if it is an object, else an empty object. */
export const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? (value as JsonObject) : {});

export const objectAt = (schema: JsonObject, key: string): JsonObject => asObject(own(schema, key));

/** All values that the conjuncts have under a keyword, each with its scope. */
export const operandsOf = (conjuncts: Conjunct[], keyword: string): { operand: Json; scope: SchemaScope }[] =>
  conjuncts.flatMap(({ schema, scope }) => {
    const operand = own(schema, keyword);
    return operand === undefined ? [] : [{ operand, scope }];
  });

/** The part of an object that a schema may evaluate, by any keyword: properties by name and by pattern, or all. */
interface Evaluated {
  names: Set<string>;
  patterns: Set<string>;
  all: boolean;
}

/** Kept by scope: tools share definitions, but their references may lead to different schemas. */
const evaluated = new WeakMap<SchemaScope, WeakMap<object, Evaluated>>();

const EVALUATING = ['anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas', 'dependencies', 'allOf', '$ref'];

/** What the keywords next to `unevaluatedProperties` may evaluate. */
const evaluatedBy = (within: JsonObject, conjunct: Conjunct): Evaluated => {
  const inScope = evaluated.get(conjunct.scope) ?? new WeakMap<object, Evaluated>();
  evaluated.set(conjunct.scope, inScope);
  const known = inScope.get(within);
  if (known !== undefined) return known;
  const found: Evaluated = { names: new Set(), patterns: new Set(), all: false };
  for (const [schema, scope] of inPlace([conjunct], EVALUATING)) {
    for (const name of Object.keys(objectAt(schema, 'properties'))) found.names.add(name);
    for (const pattern of Object.keys(objectAt(schema, 'patternProperties'))) found.patterns.add(pattern);
    const reference = own(schema, '$ref');
    found.all ||=
      own(schema, 'additionalProperties') !== undefined ||
      (schema !== within && own(schema, 'unevaluatedProperties') !== undefined) ||
      ['$dynamicRef', '$recursiveRef', IGNORED].some((keyword) => own(schema, keyword) !== undefined) ||
      (reference !== undefined && scope.resolve(reference) === undefined);
  }
  inScope.set(within, found);
  return found;
};

/** The properties that a schema names, by name and by pattern. */
interface NamedProperties {
  names: ReadonlySet<string>;
  patterns: readonly string[];
}

const namedIn = new WeakMap<object, NamedProperties>();

const namesIn = (schema: JsonObject): NamedProperties => {
  const known = namedIn.get(schema);
  if (known !== undefined) return known;
  const names = new Set(Object.keys(objectAt(schema, 'properties')));
  const found = { names, patterns: Object.keys(objectAt(schema, 'patternProperties')) };
  namedIn.set(schema, found);
  return found;
};

/** The properties that one schema names, and what holds for all others; undefined if nothing. */
const namedBy = (one: Conjunct): { names: ReadonlySet<string>; patterns: Iterable<string>; rest: Json } | undefined => {
  const { schema, within } = one;
  if (within === undefined) {
    const rest = own(schema, 'additionalProperties');
    return rest === undefined ? undefined : { ...namesIn(schema), rest };
  }
  const rest = own(schema, 'unevaluatedProperties');
  const by = rest === undefined ? undefined : evaluatedBy(within, one);
  return rest === undefined || by === undefined || by.all ? undefined : { ...by, rest };
};

/** What the value of a property satisfies. */
export const propertyOf = (conjuncts: Conjunct[], name: string): Conjunct[] => {
  const all: Conjunct[] = [];
  for (const one of conjuncts) {
    const { schema, scope } = one;
    const properties = own(schema, 'properties');
    const patterns = own(schema, 'patternProperties');
    if (isObject(patterns)) {
      for (const [pattern, its] of Object.entries(patterns as JsonObject))
        if (matches(pattern, name)) all.push(...assumptionsOf(its, scope));
    }
    const its = own(properties, name);
    if (its !== undefined) all.push(...assumptionsOf(its, scope));
    const others = namedBy(one);
    // An unreadable pattern might match: then we cannot assume what holds for all others.
    if (others && !others.names.has(name) && [...others.patterns].every((pattern) => matches(pattern, name) === false))
      all.push(...assumptionsOf(others.rest, scope));
  }
  return all;
};

/** What a property's value satisfies if no schema names it, and it matches these of their patterns and no others. */
export const unnamedOf = (conjuncts: Conjunct[], matched: ReadonlySet<string>): Conjunct[] =>
  conjuncts.flatMap((one) => {
    const patterns = Object.entries(objectAt(one.schema, 'patternProperties'));
    const found = patterns.filter(([pattern]) => matched.has(pattern)).map(([, its]) => its);
    const others = namedBy(one);
    if (others && ![...others.patterns].some((pattern) => matched.has(pattern))) found.push(others.rest);
    return found.flatMap((its) => assumptionsOf(its, one.scope));
  });

/** The patterns that each of these schemas has for names of properties. */
export const patternsOf = (conjuncts: Conjunct[]): string[][] =>
  conjuncts
    .map((one) => [
      ...new Set([...Object.keys(objectAt(one.schema, 'patternProperties')), ...(namedBy(one)?.patterns ?? [])]),
    ])
    .filter((patterns) => patterns.length > 0);

/** Whether every property must be named by one of these schemas. */
export const isClosed = (conjuncts: Conjunct[]): boolean =>
  conjuncts.some((one) => {
    const others = one.opaque ? undefined : namedBy(one);
    return others !== undefined && isNever(others.rest) && [...others.patterns].length === 0;
  });

/** The schemas of an array by position (`prefix`), and for all further elements (`rest`), in any dialect. */
const arrayOf = ({ schema, within }: Conjunct): { prefix: Json[]; rest: Json | undefined } => {
  const items = own(within ?? schema, 'items');
  const prefix = own(within ?? schema, 'prefixItems');
  const rest = Array.isArray(items) ? own(within ?? schema, 'additionalItems') : items;
  const first = Array.isArray(items) ? items : Array.isArray(prefix) ? prefix : [];
  if (within === undefined) return { prefix: first, rest };
  // If other keywords may evaluate elements, nothing is known about unevaluated ones.
  const others = ['contains', ...EVALUATING, '$dynamicRef', '$recursiveRef', IGNORED];
  if (rest !== undefined || others.some((key) => own(within, key) !== undefined))
    return { prefix: [], rest: undefined };
  return { prefix: first.map(() => true), rest: own(schema, 'unevaluatedItems') };
};

/** The length of the longest tuple: after it all positions are alike. */
export const prefixLength = (conjuncts: Conjunct[]): number =>
  Math.max(0, ...conjuncts.map((one) => arrayOf(one).prefix.length));

/** What the element at an index satisfies. */
export const elementOf = (conjuncts: Conjunct[], index: number): Conjunct[] =>
  conjuncts.flatMap((conjunct) => {
    const { prefix, rest } = arrayOf(conjunct);
    const one = index < prefix.length ? prefix[index] : rest;
    return one === undefined ? [] : assumptionsOf(one, conjunct.scope);
  });

/** How many elements an array can have at most; infinity if there is no limit. */
export const mostItems = (conjuncts: Conjunct[]): number => {
  const closed = conjuncts.map((one) => {
    const { prefix, rest } = arrayOf(one);
    const first = prefix.findIndex(isNever);
    if (first >= 0) return first;
    return isNever(rest) ? prefix.length : Number.POSITIVE_INFINITY;
  });
  return Math.min(smallest(conjuncts, 'maxItems'), ...closed);
};

/** How deep we look into required properties here; deeper ones are separate claims. */
const DEEPEST = 2;

const seenImpossible = (conjuncts: Conjunct[], depth: number): boolean => {
  const types = typesOf(conjuncts);
  if (types.size === 0) return true;
  if (valuesOf(conjuncts)?.length === 0) return true;
  const [type] = types;
  if (type === 'integer' || type === 'fraction') {
    if (![...types].every((one) => one === 'integer' || one === 'fraction')) return false;
    const [low, high] = [lowerBound(conjuncts), upperBound(conjuncts)];
    return low.at > high.at || (low.at === high.at && (low.open || high.open));
  }
  if (types.size > 1) return false;
  if (type === 'string') return largest(conjuncts, 'minLength') > smallest(conjuncts, 'maxLength');
  if (type === 'array') return largest(conjuncts, 'minItems') > mostItems(conjuncts);
  if (type !== 'object') return false;
  const required = requiredOf(conjuncts);
  if (largest(conjuncts, 'minProperties', required.size) > mostKeys(conjuncts)) return true;
  if (depth >= DEEPEST) return false;
  for (const name of required) if (isImpossible(propertyOf(conjuncts, name), depth + 1)) return true;
  return false;
};

const impossible = new WeakMap<Conjunct[], boolean>();

/** Whether a conjunction visibly accepts no value. `false` means that it may accept some. */
export const isImpossible = (conjuncts: Conjunct[], depth = 0): boolean => {
  // Inner conjunctions are checked less closely, and are new objects each time.
  const known = depth === 0 ? impossible.get(conjuncts) : undefined;
  if (known !== undefined) return known;
  const found = seenImpossible(conjuncts, depth);
  if (depth === 0) impossible.set(conjuncts, found);
  return found;
};

/** How many properties an object can have at most; infinity if there is no limit. */
export const mostKeys = (conjuncts: Conjunct[]): number =>
  Math.min(
    smallest(conjuncts, 'maxProperties'),
    isClosed(conjuncts) ? declaredKeys(conjuncts).size : Number.POSITIVE_INFINITY,
  );

/** Whether both values are present and equal. */
export const sameText = (a: Json | undefined, b: Json | undefined): boolean =>
  a !== undefined && b !== undefined && canonical(a) === canonical(b);
