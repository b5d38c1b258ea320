import { canonical } from '../contract/canonical.ts';
import { IGNORED } from '../contract/dialect.ts';
import { toRegExp } from '../contract/pattern.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { conjunctsOf } from './conjuncts.ts';

/** Keywords that assert nothing about a value. */
const ANNOTATIONS = new Set([
  '$anchor',
  '$comment',
  '$defs',
  '$id',
  '$schema',
  '$vocabulary',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  'default',
  'definitions',
  'deprecated',
  'description',
  'examples',
  'readOnly',
  'title',
  'writeOnly',
]);

export const TYPES = ['array', 'boolean', 'fraction', 'integer', 'null', 'object', 'string'] as const;
export type Type = (typeof TYPES)[number];

/** The type of a value; a number that is not whole is a `fraction`. */
export const typeOf = (value: Json): Type => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  return typeof value as Type;
};

const typesOfSchema = new WeakMap<object, Set<Type> | null>();

const readTypes = (schema: JsonObject): Set<Type> | null => {
  const type = own(schema, 'type');
  if (type === undefined) return null;
  const names = (Array.isArray(type) ? type : [type]).filter((one): one is string => typeof one === 'string');
  const types = new Set(names.flatMap((name) => (name === 'number' ? ['integer', 'fraction'] : [name])) as Type[]);
  if (own(schema, 'nullable') === true) types.add('null');
  return types;
};

/** The types that a schema's `type` allows; null for all. `number` allows `integer` and `fraction`. */
export const namedTypes = (schema: JsonObject): ReadonlySet<Type> | null => {
  const known = typesOfSchema.get(schema);
  if (known !== undefined) return known;
  const types = readTypes(schema);
  typesOfSchema.set(schema, types);
  return types;
};

type Truth = boolean | undefined;

const all = (answers: Truth[]): Truth =>
  answers.includes(false) ? false : answers.includes(undefined) ? undefined : true;
const some = (answers: Truth[]): Truth =>
  answers.includes(true) ? true : answers.includes(undefined) ? undefined : false;
const not = (answer: Truth): Truth => (answer === undefined ? undefined : !answer);

/** Whether a pattern matches a text; undefined if nobody can read it. */
export const matches = (pattern: string, text: string): Truth => toRegExp(pattern)?.test(text);

const length = (text: string): number => Array.from(text).length;

const listTexts = new WeakMap<object, Set<string>>();

/** The canonical texts of an `enum`. Cached, because lists can be as long as that of all countries. */
const textsOf = (values: Json[]): Set<string> => {
  const known = listTexts.get(values) ?? new Set(values.map(canonical));
  listTexts.set(values, known);
  return known;
};

type KeywordCheck = (operand: Json, value: Json, schema: JsonObject, root: Json) => Truth;

const onNumber =
  (test: (value: number, limit: number) => boolean): KeywordCheck =>
  (limit, value) =>
    typeof value !== 'number' || (typeof limit === 'number' ? test(value, limit) : undefined);
const onText =
  (test: (value: string, operand: Json) => Truth): KeywordCheck =>
  (operand, value) =>
    typeof value !== 'string' || test(value, operand);
const onList =
  (test: (value: Json[], operand: Json, schema: JsonObject, root: Json) => Truth): KeywordCheck =>
  (operand, value, schema, root) =>
    !Array.isArray(value) || test(value, operand, schema, root);
const onObject =
  (test: (value: JsonObject, operand: Json, schema: JsonObject, root: Json) => Truth): KeywordCheck =>
  (operand, value, schema, root) =>
    !isObject(value) || test(value as JsonObject, operand, schema, root);

const size =
  <V>(test: (has: number, limit: number) => boolean, measure: (value: V) => number) =>
  (value: V, limit: Json): Truth =>
    typeof limit === 'number' ? test(measure(value), limit) : undefined;
const atLeast = (has: number, limit: number) => has >= limit;
const atMost = (has: number, limit: number) => has <= limit;

const CHECKS: Record<string, KeywordCheck> = {
  type: (_type, value, schema) => namedTypes(schema)?.has(typeOf(value)),
  enum: (values, value) => (Array.isArray(values) ? textsOf(values).has(canonical(value)) : undefined),
  const: (constant, value) => canonical(constant) === canonical(value),
  minimum: onNumber((value, limit) => value >= limit),
  maximum: onNumber((value, limit) => value <= limit),
  exclusiveMinimum: onNumber((value, limit) => value > limit),
  exclusiveMaximum: onNumber((value, limit) => value < limit),
  multipleOf: onNumber((value, divisor) => Number.isInteger(value / divisor)),
  minLength: onText(size(atLeast, length)),
  maxLength: onText(size(atMost, length)),
  pattern: onText((value, pattern) => (typeof pattern === 'string' ? matches(pattern, value) : undefined)),
  minItems: onList(size(atLeast, (value: Json[]) => value.length)),
  maxItems: onList(size(atMost, (value: Json[]) => value.length)),
  uniqueItems: onList((value, unique) => unique !== true || new Set(value.map(canonical)).size === value.length),
  items: onList((value, items, schema, root) => {
    if (Array.isArray(items))
      return all(value.slice(0, items.length).map((one, index) => accepts(items[index] ?? true, root, one)));
    const prefix = own(schema, 'prefixItems');
    return all(value.slice(Array.isArray(prefix) ? prefix.length : 0).map((one) => accepts(items, root, one)));
  }),
  prefixItems: onList((value, prefix, _schema, root) =>
    Array.isArray(prefix)
      ? all(prefix.slice(0, value.length).map((one, index) => accepts(one, root, value[index] as Json)))
      : undefined,
  ),
  required: onObject((value, names) =>
    Array.isArray(names) ? names.every((name) => typeof name === 'string' && Object.hasOwn(value, name)) : undefined,
  ),
  minProperties: onObject(size(atLeast, (value: JsonObject) => Object.keys(value).length)),
  maxProperties: onObject(size(atMost, (value: JsonObject) => Object.keys(value).length)),
  properties: onObject((value, properties, _schema, root) =>
    isObject(properties)
      ? all(
          Object.entries(properties as JsonObject).map(
            ([name, schema]) => !Object.hasOwn(value, name) || accepts(schema, root, value[name] as Json),
          ),
        )
      : undefined,
  ),
  additionalProperties: onObject((value, rest, schema, root) => {
    const properties = own(schema, 'properties');
    const patterns = Object.keys((own(schema, 'patternProperties') as JsonObject) ?? {});
    return all(
      Object.entries(value).map(([name, one]) => {
        if (isObject(properties) && Object.hasOwn(properties, name)) return true;
        return some([...patterns.map((pattern) => matches(pattern, name)), accepts(rest, root, one)]);
      }),
    );
  }),
  patternProperties: onObject((value, patterns, _schema, root) =>
    isObject(patterns)
      ? all(
          Object.entries(patterns as JsonObject).flatMap(([pattern, schema]) =>
            Object.entries(value).map(([name, one]) => {
              const isMeant = matches(pattern, name);
              return isMeant === false ? true : some([not(isMeant), accepts(schema, root, one)]);
            }),
          ),
        )
      : undefined,
  ),
  propertyNames: onObject((value, schema, _schema, root) =>
    all(Object.keys(value).map((name) => accepts(schema, root, name))),
  ),
  dependentRequired: onObject((value, needs) =>
    isObject(needs)
      ? all(
          Object.entries(needs as JsonObject).map(([name, names]) =>
            Object.hasOwn(value, name) ? accepts({ required: names }, true, value) : true,
          ),
        )
      : undefined,
  ),
  dependentSchemas: onObject((value, schemas, _schema, root) =>
    isObject(schemas)
      ? all(
          Object.entries(schemas as JsonObject).map(([name, schema]) =>
            Object.hasOwn(value, name) ? accepts(schema, root, value) : true,
          ),
        )
      : undefined,
  ),
  if: (condition, value, schema, root) => {
    const holds = accepts(condition, root, value);
    const branch = (keyword: string): Truth => accepts(own(schema, keyword) ?? true, root, value);
    if (holds !== undefined) return branch(holds ? 'then' : 'else');
    return all([branch('then'), branch('else')]) === true ? true : undefined;
  },
  // Heeded beside `if` alone.
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  then: () => true,
  else: () => true,
  anyOf: (branches, value, _schema, root) =>
    Array.isArray(branches) ? some(branches.map((one) => accepts(one, root, value))) : undefined,
  oneOf: (branches, value, _schema, root) => {
    const answers = Array.isArray(branches) ? branches.map((one) => accepts(one, root, value)) : [undefined];
    return answers.includes(undefined) ? undefined : answers.filter(Boolean).length === 1;
  },
  not: (schema, value, _schema, root) => not(accepts(schema, root, value)),
  // A validator may apply these keywords or not: without them the value is accepted, with them perhaps not.
  [IGNORED]: (keywords, value, _schema, root) => accepts(keywords, root, value) || undefined,
};

const OPENED = new Set(['allOf', '$ref']);

/** Whether a schema accepts a value; undefined if that depends on keywords that are not checked here. */
export const accepts = (schema: Json, root: Json, value: Json): Truth => {
  const conjuncts = conjunctsOf(schema, root);
  if (conjuncts === false) return false;
  return all(
    conjuncts.map((one) => {
      if (one.opaque) return undefined;
      return all(
        Object.entries(one.schema).map(([key, operand]) => {
          if (ANNOTATIONS.has(key) || OPENED.has(key) || key === 'nullable') return true;
          const check = Object.hasOwn(CHECKS, key) ? CHECKS[key] : undefined;
          if (check) return check(operand, value, one.schema, one.root);
          return ASSERTIONS.has(key) ? undefined : true;
        }),
      );
    }),
  );
};

/** Assertions that are not checked here: only the proof and real validators know them. */
const ASSERTIONS = new Set([
  'additionalItems',
  'contains',
  'dependencies',
  'format',
  'maxContains',
  'minContains',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
