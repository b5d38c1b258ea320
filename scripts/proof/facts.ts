import { canonical } from '../contract/canonical.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { accepts, matches, namedTypes, TYPES, type Type, typeOf } from './check.ts';
import { assumptionsOf, type Conjunct, declaredKeys } from './conjuncts.ts';

/** What is known of every value that a conjunction accepts. It may allow more values than the conjunction, never fewer. */

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

const commonTypes = (conjuncts: Conjunct[]): ReadonlySet<Type> => {
  let types = ALL;
  for (const { schema } of conjuncts) {
    const allowed = namedTypes(schema);
    if (allowed) types = types === ALL ? allowed : intersect(types, allowed);
    const values = named(schema);
    if (values) types = intersect(types, new Set(values.map(typeOf)));
    const step = own(schema, 'multipleOf');
    if (typeof step === 'number' && Number.isInteger(step))
      types = new Set([...types].filter((type) => type !== 'fraction'));
  }
  return types;
};

/** Caches a fact about a conjunction: every keyword asks for it again. */
const remembered = <T>(tell: (conjuncts: Conjunct[]) => T): ((conjuncts: Conjunct[]) => T) => {
  const known = new WeakMap<Conjunct[], { value: T }>();
  return (conjuncts) => {
    const found = known.get(conjuncts);
    if (found) return found.value;
    const value = tell(conjuncts);
    known.set(conjuncts, { value });
    return value;
  };
};

/** The types that values of a conjunction can have. */
export const typesOf = remembered(commonTypes);

const MOST_VALUES = 1_000;

const fewValues = (conjuncts: Conjunct[]): Json[] | null => {
  const lists = conjuncts.flatMap(({ schema }): { values: Json[] }[] => {
    const values = named(schema);
    return values ? [{ values }] : [];
  });
  const types = typesOf(conjuncts);
  if ([...types].every((type) => type === 'null' || type === 'boolean')) {
    lists.push({ values: [...(types.has('null') ? [null] : []), ...(types.has('boolean') ? [true, false] : [])] });
  }
  const [shortest] = lists.sort((a, b) => a.values.length - b.values.length);
  if (shortest === undefined || shortest.values.length > MOST_VALUES) return null;
  return shortest.values.filter((value) =>
    conjuncts.every(({ schema, root, opaque }) => opaque || accepts(schema, root, value) !== false),
  );
};

/**
 * All values that a conjunction can accept, if they are listed: by `enum`, `const`, or because only booleans and null are
 * possible. Null if there is no such list, or more than 1,000 values.
 */
export const valuesOf = remembered(fewValues);

const numbers = (conjuncts: Conjunct[], key: string): number[] =>
  conjuncts.flatMap(({ schema }) => {
    const value = own(schema, key);
    return typeof value === 'number' ? [value] : [];
  });

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
    ...numbers(conjuncts, inclusive).map((at) => ({ at, open: false })),
    ...numbers(conjuncts, exclusive).map((at) => ({ at, open: true })),
  ];
  const found = bounds.reduce((a, b) => tighter(a, b, direction), {
    at: -direction * Number.POSITIVE_INFINITY,
    open: false,
  });
  return typesOf(conjuncts).has('fraction') ? found : whole(found, direction);
};

/** The tightest lower bound of numbers; minus infinity if there is none. */
export const lowerBound = (conjuncts: Conjunct[]): Bound => bound(conjuncts, 'minimum', 'exclusiveMinimum', 1);
/** The tightest upper bound of numbers; infinity if there is none. */
export const upperBound = (conjuncts: Conjunct[]): Bound => bound(conjuncts, 'maximum', 'exclusiveMaximum', -1);

/** Names of the properties that every object must have. */
export const requiredOf = (conjuncts: Conjunct[]): Set<string> => {
  const names = conjuncts.flatMap(({ schema }) => {
    const required = own(schema, 'required');
    return Array.isArray(required) ? required.filter((one): one is string => typeof one === 'string') : [];
  });
  return new Set(names);
};

/** A value if it is an object, else an empty object. */
export const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? (value as JsonObject) : {});

const objectAt = (schema: JsonObject, key: string): JsonObject => asObject(own(schema, key));

/** All values that the conjuncts have under a keyword, each with its document. */
export const operandsOf = (conjuncts: Conjunct[], keyword: string): { operand: Json; root: Json }[] =>
  conjuncts.flatMap(({ schema, root }) => {
    const operand = own(schema, keyword);
    return operand === undefined ? [] : [{ operand, root }];
  });

/** What the value of a property satisfies. */
export const propertyOf = (conjuncts: Conjunct[], name: string): Conjunct[] =>
  conjuncts.flatMap(({ schema, root }) => {
    const properties = objectAt(schema, 'properties');
    const patterns = Object.entries(objectAt(schema, 'patternProperties')).filter(([pattern]) =>
      matches(pattern, name),
    );
    const direct = Object.hasOwn(properties, name) ? [properties[name] as Json] : [];
    const rest = own(schema, 'additionalProperties');
    // An invalid pattern might match: then `additionalProperties` cannot be assumed.
    const unread = Object.keys(objectAt(schema, 'patternProperties')).some(
      (pattern) => matches(pattern, name) === undefined,
    );
    if (direct.length + patterns.length > 0)
      return [...direct, ...patterns.map(([, one]) => one)].flatMap((one) => assumptionsOf(one, root));
    return rest === undefined || unread ? [] : assumptionsOf(rest, root);
  });

/** Whether a schema says something about properties that it does not name: then a caller may pass such properties. */
export const isMap = (conjuncts: Conjunct[]): boolean =>
  conjuncts.some(({ schema }) => {
    const rest = own(schema, 'additionalProperties');
    return isObject(rest) || Object.keys(objectAt(schema, 'patternProperties')).length > 0;
  });

/** The patterns that undeclared properties must match, none if there can be no such property; null if the object is open. */
export const closedBy = (conjuncts: Conjunct[]): string[] | null => {
  const closed = conjuncts.filter(({ schema, opaque }) => !opaque && own(schema, 'additionalProperties') === false);
  if (closed.length === 0) return null;
  const patterns = closed.map(({ schema }) => Object.keys(objectAt(schema, 'patternProperties')));
  return patterns.sort((a, b) => a.length - b.length)[0] ?? [];
};

/** What the values of undeclared properties satisfy. */
export const restOf = (conjuncts: Conjunct[]): Conjunct[] =>
  conjuncts.flatMap(({ schema, root }) => {
    const rest = own(schema, 'additionalProperties');
    return rest === undefined || Object.keys(objectAt(schema, 'patternProperties')).length > 0
      ? []
      : assumptionsOf(rest, root);
  });

/** The schemas of an array by position (`prefix`), and for all further elements (`rest`), in any dialect. */
const arrayOf = (schema: JsonObject): { prefix: Json[]; rest: Json | undefined } => {
  const items = own(schema, 'items');
  const prefix = own(schema, 'prefixItems');
  if (Array.isArray(items)) return { prefix: items, rest: own(schema, 'additionalItems') };
  return { prefix: Array.isArray(prefix) ? prefix : [], rest: items };
};

/** The length of the longest tuple: behind it all positions are alike. */
export const prefixLength = (conjuncts: Conjunct[]): number =>
  Math.max(0, ...conjuncts.map(({ schema }) => arrayOf(schema).prefix.length));

/** What the element at an index satisfies. */
export const elementOf = (conjuncts: Conjunct[], index: number): Conjunct[] =>
  conjuncts.flatMap(({ schema, root }) => {
    const { prefix, rest } = arrayOf(schema);
    const one = index < prefix.length ? prefix[index] : rest;
    return one === undefined ? [] : assumptionsOf(one, root);
  });

/** How many elements an array can have at most; infinity if there is no limit. */
export const mostItems = (conjuncts: Conjunct[]): number => {
  const closed = conjuncts.map(({ schema }) => {
    const { prefix, rest } = arrayOf(schema);
    return rest === false ? prefix.length : Number.POSITIVE_INFINITY;
  });
  return Math.min(smallest(conjuncts, 'maxItems'), ...closed);
};

const DEEPEST = 6;

/** Whether a conjunction is known to accept no value. `false` means that it may accept some. */
export const isImpossible = (conjuncts: Conjunct[], depth = 0): boolean => {
  const types = typesOf(conjuncts);
  if (types.size === 0) return true;
  if (valuesOf(conjuncts)?.length === 0) return true;
  const only = (...few: Type[]) => [...types].every((type) => few.includes(type));
  if (only('integer', 'fraction')) {
    const [low, high] = [lowerBound(conjuncts), upperBound(conjuncts)];
    return low.at > high.at || (low.at === high.at && (low.open || high.open));
  }
  if (only('string')) return largest(conjuncts, 'minLength') > smallest(conjuncts, 'maxLength');
  if (only('array')) return largest(conjuncts, 'minItems') > mostItems(conjuncts);
  if (!only('object') || depth >= DEEPEST) return false;
  return [...requiredOf(conjuncts)].some((name) => isImpossible(propertyOf(conjuncts, name), depth + 1));
};

/** Whether no value is known to satisfy both conjunctions. `false` means that one may. */
export const areDisjoint = (a: Conjunct[], b: Conjunct[], depth = 0): boolean => {
  const both = [...a, ...b];
  if (isImpossible(both)) return true;
  if (depth >= DEEPEST) return false;
  const branches = (conjuncts: Conjunct[], other: Conjunct[]): boolean =>
    conjuncts.some(({ schema, root }) =>
      ['anyOf', 'oneOf'].some((key) => {
        const list = own(schema, key);
        return Array.isArray(list) && list.every((one) => areDisjoint(assumptionsOf(one, root), other, depth + 1));
      }),
    );
  if (branches(a, b) || branches(b, a)) return true;
  if (![...typesOf(both)].every((type) => type === 'object')) return false;
  return [...requiredOf(both)].some((name) => areDisjoint(propertyOf(a, name), propertyOf(b, name), depth + 1));
};

/** How many properties an object can have at most; infinity if there is no limit. */
export const mostKeys = (conjuncts: Conjunct[]): number =>
  Math.min(
    smallest(conjuncts, 'maxProperties'),
    closedBy(conjuncts)?.length === 0 ? declaredKeys(conjuncts).size : Number.POSITIVE_INFINITY,
  );

/** Whether both values are there, and equal. */
export const sameText = (a: Json | undefined, b: Json | undefined): boolean =>
  a !== undefined && b !== undefined && canonical(a) === canonical(b);
