import { IGNORED } from '../contract/dialect.ts';
import {
  changed,
  LIMIT_KEYWORDS,
  SCHEMA_KEYWORDS,
  SCHEMA_LIST_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
} from '../contract/meaning.ts';
import { holdsDocuments, referencesIn, targetOf } from '../contract/references.ts';
import { sameJson } from '../contract/same.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { derived, without } from './derived.ts';
import { MADE, type SchemaScope } from './scope.ts';

/**
 * A schema, with the scope that gives its references their meaning. A schema that we do not fully understand, such as an
 * unresolvable reference, is `opaque`. In an assumption we ignore the part that we do not understand, which only allows more
 * values; as a claim, an opaque schema is proven only if the same one is given.
 */
export interface Conjunct {
  schema: JsonObject;
  scope: SchemaScope;
  opaque?: boolean;
  /** For `unevaluatedProperties` and `unevaluatedItems`, which are alone here: the schema whose other keywords evaluate. */
  within?: JsonObject;
}

/** Schemas that all hold at once; `false` if no value can satisfy them. */
export type Conjunction = Conjunct[] | false;

/** Keywords that apply other schemas to the same value. */
const IN_PLACE = ['anyOf', 'oneOf', 'if', 'then', 'else', 'not', 'dependentSchemas', 'dependencies', 'allOf', '$ref'];

const DYNAMIC = ['$dynamicRef', '$recursiveRef'];
const UNEVALUATED = ['unevaluatedProperties', 'unevaluatedItems'] as const;

/** Keywords that each assert something by themselves. A schema without any of them accepts every value. */
const ASSERTING = new Set([
  ...LIMIT_KEYWORDS,
  'additionalItems',
  'additionalProperties',
  'anyOf',
  'const',
  'contains',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'enum',
  'format',
  'if',
  'items',
  'not',
  'oneOf',
  'pattern',
  'patternProperties',
  'prefixItems',
  'properties',
  'propertyNames',
  'required',
  'type',
  'uniqueItems',
  IGNORED,
  ...DYNAMIC,
  ...UNEVALUATED,
]);

const READ_WITH_OTHERS = new Set(['$ref', 'allOf', 'else', 'maxContains', 'minContains', 'nullable', 'then']);

/** Whether a keyword restricts values. All others only describe them. */
export const isChecked = (keyword: string): boolean => ASSERTING.has(keyword) || READ_WITH_OTHERS.has(keyword);

const asserts = (schema: JsonObject): boolean => Object.keys(schema).some((key) => ASSERTING.has(key));

/** Whether a schema accepts every value, as `true` and `{}` do. False if finding out takes a closer look. */
const isAlways = (schema: Json): boolean =>
  schema === true ||
  (isObject(schema) &&
    !asserts(schema as JsonObject) &&
    own(schema, '$ref') === undefined &&
    own(schema, 'allOf') === undefined);

/** Whether a schema accepts no value, as `false` and `{not: {}}` do. False if finding out takes a closer look. */
export const isNever = (schema: Json | undefined): boolean => {
  if (schema === false) return true;
  const negated = own(schema, 'not');
  return negated !== undefined && isAlways(negated);
};

/** What a schema negates twice: this is the same without both negations. */
const twiceNegated = (schema: JsonObject): Json | undefined => {
  const negated = own(schema, 'not');
  if (!isObject(negated) || own(negated, '$ref') !== undefined || own(negated, 'allOf') !== undefined) return undefined;
  return Object.keys(negated).every((key) => key === 'not' || !ASSERTING.has(key)) ? own(negated, 'not') : undefined;
};

const expanded = (schema: Json, from: SchemaScope): Conjunction => {
  const found: Conjunct[] = [];
  const seen = new Set<Json>();
  const open: [Json, SchemaScope][] = [[schema, from]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [one, around] = next;
    if (one === true || seen.has(one)) continue;
    if (isNever(one)) return false;
    if (!isObject(one)) {
      found.push({ schema: {}, scope: around, opaque: true });
      continue;
    }
    seen.add(one as JsonObject);
    const object = one as JsonObject;
    const scope = around.at(object);
    const isDynamic = DYNAMIC.some((key) => Object.hasOwn(object, key));
    const left = UNEVALUATED.filter((key) => Object.hasOwn(object, key) && object[key] !== true);
    const plain = left.length === 0 ? object : without(object, ...left);
    if (asserts(plain)) found.push({ schema: plain, scope, ...(isDynamic ? { opaque: true } : {}) });
    if (left.length > 0) {
      const alone = derived(object, 'unevaluated', () =>
        Object.fromEntries(left.map((key) => [key, object[key] as Json])),
      );
      found.push({ schema: alone, scope, within: object });
    }
    const all = own(object, 'allOf');
    if (Array.isArray(all)) open.push(...all.map((each): [Json, SchemaScope] => [each, scope]));
    else if (all !== undefined) found.push({ schema: { allOf: all }, scope, opaque: true });
    const inner = twiceNegated(object);
    if (inner !== undefined) open.push([inner, scope]);
    const ref = own(object, '$ref');
    if (ref !== undefined) {
      const target = scope.resolve(ref);
      if (target === undefined) found.push({ schema: { $ref: ref }, scope, opaque: true });
      else open.push(target);
    }
  }
  return found;
};

const known = new WeakMap<SchemaScope, WeakMap<object, Conjunction>>();

/** A schema as a flat conjunction: `allOf` and `$ref` are expanded, and parts that assert nothing are left out. */
export const conjunctsOf = (schema: Json, scope: SchemaScope): Conjunction => {
  if (!isObject(schema)) return expanded(schema, scope);
  const inScope = known.get(scope) ?? new WeakMap<object, Conjunction>();
  known.set(scope, inScope);
  const found = inScope.get(schema) ?? expanded(schema as JsonObject, scope);
  inScope.set(schema, found);
  return found;
};

/** Accepts no value. */
export const NOTHING: Conjunct = { schema: { enum: [] }, scope: MADE };

/** What holds for every value that a schema accepts. */
export const assumptionsOf = (schema: Json, scope: SchemaScope): Conjunct[] => conjunctsOf(schema, scope) || [NOTHING];

/** The schemas that may apply to the same value as the given ones, with themselves: in any branch and condition. */
export function* inPlace(conjuncts: Conjunct[], besides = IN_PLACE): Generator<[JsonObject, SchemaScope]> {
  // Kept by scope: the same reference can mean something else in another document.
  const seen = new Map<SchemaScope, Set<Json>>();
  const open = conjuncts.map(({ schema, within, scope }): [Json, SchemaScope] => [within ?? schema, scope]);
  for (let one = open.pop(); one; one = open.pop()) {
    const [schema, around] = one;
    if (!isObject(schema)) continue;
    const scope = around.at(schema as JsonObject);
    const visited = seen.get(scope) ?? new Set();
    if (visited.has(schema as Json)) continue;
    seen.set(scope, visited.add(schema as Json));
    yield [schema as JsonObject, scope];
    for (const keyword of besides) {
      const inside = own(schema, keyword);
      if (inside === undefined) continue;
      if (keyword === '$ref') open.push(scope.resolve(inside) ?? [true, scope]);
      else if (Array.isArray(inside)) open.push(...inside.map((branch): [Json, SchemaScope] => [branch, scope]));
      else if (keyword === 'dependentSchemas' || keyword === 'dependencies') {
        if (isObject(inside))
          open.push(...Object.values(inside as JsonObject).map((branch): [Json, SchemaScope] => [branch, scope]));
      } else open.push([inside, scope]);
    }
  }
}

const namesOf = (conjuncts: Conjunct[], keywords?: string[]): Set<string> => {
  const names = new Set<string>();
  for (const [schema] of inPlace(conjuncts, keywords)) {
    const properties = own(schema, 'properties');
    if (isObject(properties)) for (const name of Object.keys(properties)) names.add(name);
    const required = own(schema, 'required');
    for (const name of Array.isArray(required) ? required : []) {
      if (typeof name === 'string') names.add(name);
    }
    const values = own(schema, 'enum');
    for (const value of [own(schema, 'const'), ...(Array.isArray(values) ? values : [])]) {
      if (isObject(value)) for (const name of Object.keys(value)) names.add(name);
    }
  }
  return names;
};

/** Caches a fact about a conjunction: every keyword asks for it again. */
export const remembered = <T>(tell: (conjuncts: Conjunct[]) => T): ((conjuncts: Conjunct[]) => T) => {
  const told = new WeakMap<Conjunct[], { value: T }>();
  return (conjuncts) => {
    const before = told.get(conjuncts);
    if (before) return before.value;
    const value = tell(conjuncts);
    told.set(conjuncts, { value });
    return value;
  };
};

/** All properties that these schemas name, in any branch. */
export const declaredKeys = remembered((conjuncts: Conjunct[]): ReadonlySet<string> => namesOf(conjuncts));

const DEPENDENT = ['dependencies', 'dependentRequired', 'dependentSchemas'];

/** Properties that are named only as what others depend on, or as what depends on others. */
const dependentNames = (conjuncts: Conjunct[]): string[] =>
  [...inPlace(conjuncts)].flatMap(([schema]) =>
    DEPENDENT.flatMap((keyword) => {
      const map = own(schema, keyword);
      if (!isObject(map)) return [];
      const needed = Object.values(map).flat();
      return [...Object.keys(map), ...needed.filter((name): name is string => typeof name === 'string')];
    }),
  );

/** Properties that a caller who knows the schemas of `before` can pass. */
export const knownKeys = remembered((conjuncts: Conjunct[]): ReadonlySet<string> => {
  const its = conjuncts.filter(({ scope }) => scope.side !== 'after');
  return new Set([...namesOf(its), ...dependentNames(its)]);
});

/** Whether some way to satisfy a schema names no property; with several branches, that of any branch. */
const canNameNothing = (schema: Json, around: SchemaScope, seen: Set<Json>): boolean => {
  if (!isObject(schema) || seen.has(schema as JsonObject)) return true;
  const scope = around.at(schema as JsonObject);
  seen.add(schema as JsonObject);
  const can = (one: Json | undefined): boolean => one === undefined || canNameNothing(one, scope, seen);
  const [all, condition, dependent] = ['allOf', 'if', 'dependentSchemas'].map((keyword) => own(schema, keyword));
  const target = scope.resolve(own(schema, '$ref') ?? null);
  return (
    namesOf([{ schema: schema as JsonObject, scope }], []).size === 0 &&
    (target === undefined || canNameNothing(...target, seen)) &&
    (!Array.isArray(all) || all.every(can)) &&
    (!isObject(dependent) || (Object.values(dependent) as Json[]).every(can)) &&
    ['anyOf', 'oneOf'].every((keyword) => {
      const branches = own(schema, keyword);
      return !Array.isArray(branches) || branches.some(can);
    }) &&
    (condition === undefined || (can(condition) && can(own(schema, 'then'))) || can(own(schema, 'else')))
  );
};

/** Whether `before` may name no property of an object at all: then a caller may pass any. */
export const isFree = remembered((conjuncts: Conjunct[]): boolean =>
  conjuncts.every(
    ({ schema, within, scope }) => scope.side !== 'before' || canNameNothing(within ?? schema, scope, new Set()),
  ),
);

const saysOfOthers = (schema: JsonObject): boolean => {
  const [patterns, rest] = [own(schema, 'patternProperties'), own(schema, 'additionalProperties')];
  const others = rest ?? own(schema, 'unevaluatedProperties');
  return (isObject(patterns) && Object.keys(patterns).length > 0) || (isObject(others) && !isNever(others));
};

const ASSERTED_IN_PLACE = IN_PLACE.filter((keyword) => keyword !== 'not');

/** Whether `before` says something, in any branch, about properties that it does not name: then a caller may pass such. */
export const isMap = remembered((conjuncts: Conjunct[]): boolean => {
  const its = conjuncts.filter(({ scope }) => scope.side === 'before');
  for (const [schema] of inPlace(its, ASSERTED_IN_PLACE)) if (saysOfOthers(schema)) return true;
  return false;
});

/** References of two documents that do not mean the same in both, directly or through other references. */
export const changedReferences = (before: Json, after: Json): ReadonlySet<string> => {
  const all = [...new Set([...referencesIn(before), ...referencesIn(after)])];
  if (all.length === 0 || sameJson(before, after)) return new Set();
  // Inside an embedded document the same text refers to something else.
  if (holdsDocuments(before) || holdsDocuments(after)) return new Set(all);
  const targets = new Map(all.map((ref) => [ref, targetOf(ref, before)]));
  // Another document has the same name only with the same base.
  const isBaseSame = sameJson(own(before, '$id') ?? null, own(after, '$id') ?? null);
  const isSame = (ref: string): boolean => {
    const [target, other] = [targets.get(ref), targetOf(ref, after)];
    if (target === undefined) return other === undefined && !ref.startsWith('#') && isBaseSame;
    return sameJson(target, other);
  };
  const changed = new Set(all.filter((ref) => !isSame(ref)));
  for (let grew = changed.size > 0; grew; ) {
    const more = all.filter(
      (ref) => !changed.has(ref) && [...referencesIn(targets.get(ref))].some((one) => changed.has(one)),
    );
    for (const ref of more) changed.add(ref);
    grew = more.length > 0;
  }
  return changed;
};

const bareSchemas = new WeakMap<object, JsonObject>();

const isScalar = (value: Json): boolean => typeof value !== 'object' || value === null;

/** Whether a schema is only a reference: there may be thousands, with nothing to leave out. */
const isReference = (schema: JsonObject): boolean => {
  for (const key of Object.keys(schema)) if (key !== '$ref') return false;
  return true;
};

/**
 * A schema without its descriptive parts: words, defaults, units. Two schemas that differ only in these become equal.
 * Returns the same object each time, and the schema itself if there is nothing to leave out.
 */
export const bare = (schema: Json): Json => {
  if (!isObject(schema)) return schema;
  if (isReference(schema as JsonObject)) return schema as JsonObject;
  const known = bareSchemas.get(schema);
  if (known !== undefined) return known;
  const found = changed(schema as JsonObject, (value, key) =>
    isTold(key, value) ? undefined : within(key, value, bare),
  );
  bareSchemas.set(schema, found);
  return found;
};

const isTold = (key: string, value: Json): boolean =>
  TOLD.has(key) || (isScalar(value) && !isChecked(key) && !key.startsWith('$') && !SCHEMA_KEYWORDS.has(key));

const TOLD = new Set(['default', 'description', 'examples', 'title']);

/** The value of a keyword, with the schemas in it in another form. */
const within = (key: string, value: Json, form: (schema: Json) => Json): Json => {
  if (Array.isArray(value)) {
    const members = SCHEMA_LIST_KEYWORDS.has(key) ? value.map(form) : value;
    return members.every((one, index) => one === value[index]) ? value : members;
  }
  if (SCHEMA_MAP_KEYWORDS.has(key) && isObject(value)) return changed(value as JsonObject, form);
  return SCHEMA_KEYWORDS.has(key) || key === IGNORED ? form(value) : value;
};

const FORMS = ['allOf', 'anyOf', 'oneOf'];

/**
 * What stands in a schema that consists of one form of one list: it accepts the same, and evaluates the same. A reference stays
 * where it is: a circle of nothing but references would seem to say nothing.
 */
const unwrapped = (schema: Json): Json => {
  const [entry, another] = isObject(schema) ? Object.entries(schema as JsonObject) : [];
  if (entry === undefined || another !== undefined) return schema;
  const [key, forms] = entry;
  const isOne = FORMS.includes(key) && Array.isArray(forms) && forms.length === 1;
  return isOne && own(forms[0], '$ref') === undefined ? (forms[0] as Json) : schema;
};

const plainSchemas = new WeakMap<object, Json>();

/**
 * As `bare`, and each list of a single form is that form: a schema that was only wrapped becomes equal. Not for a document
 * with references that lead through such a list.
 */
export const plain = (schema: Json): Json => {
  if (!isObject(schema)) return schema;
  const known = plainSchemas.get(schema);
  if (known !== undefined) return known;
  const found = unwrapped(changed(bare(schema) as JsonObject, (value, key) => within(key, value, plain)));
  plainSchemas.set(schema, found);
  return found;
};

/** Whether a reference may lead through a list of forms. */
export const leadsThroughForms = (reference: string): boolean => /\/(?:allOf|anyOf|oneOf)\/|%/.test(reference);
