import { canonical } from '../contract/canonical.ts';
import { IGNORED } from '../contract/dialect.ts';
import { toRegExp } from '../contract/pattern.ts';
import { isMultipleOf } from '../contract/steps.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { type Conjunct, conjunctsOf } from './conjuncts.ts';
import { SchemaScope } from './scope.ts';
import { fits } from './sizes.ts';

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

/** Whether a pattern matches a text; undefined if the pattern is unreadable. */
export const matches = (pattern: string, text: string): Truth => toRegExp(pattern)?.test(text);

/**
 * Answers about a schema and a value, except while the same is being asked: a reference can lead back to its own schema
 * without a step into the value. Nothing is known then, and asking on would not end.
 */
const askedOnce = () => {
  const asked = new Map<Json, Json[]>();
  return (schema: Json, value: Json, answer: () => Truth): Truth => {
    const values = asked.get(schema) ?? [];
    if (values.includes(value)) return undefined;
    asked.set(schema, [...values, value]);
    try {
      return answer();
    } finally {
      if (values.length > 0) asked.set(schema, values);
      else asked.delete(schema);
    }
  };
};

const length = (text: string): number => Array.from(text).length;

const listTexts = new WeakMap<object, Set<string>>();

/** The canonical texts of an `enum`. Cached, because lists can be long, such as all countries. */
const textsOf = (values: Json[]): Set<string> => {
  const known = listTexts.get(values) ?? new Set(values.map(canonical));
  listTexts.set(values, known);
  return known;
};

type KeywordCheck = (operand: Json, value: Json, schema: JsonObject, scope: SchemaScope) => Truth;

const onNumber =
  (test: (value: number, limit: number) => boolean): KeywordCheck =>
  (limit, value) =>
    typeof value !== 'number' || (typeof limit === 'number' ? test(value, limit) : undefined);
const onText =
  (test: (value: string, operand: Json) => Truth): KeywordCheck =>
  (operand, value) =>
    typeof value !== 'string' || test(value, operand);
const onList =
  (test: (value: Json[], operand: Json, schema: JsonObject, scope: SchemaScope) => Truth): KeywordCheck =>
  (operand, value, schema, scope) =>
    !Array.isArray(value) || test(value, operand, schema, scope);
const onObject =
  (test: (value: JsonObject, operand: Json, schema: JsonObject, scope: SchemaScope) => Truth): KeywordCheck =>
  (operand, value, schema, scope) =>
    !isObject(value) || test(value as JsonObject, operand, schema, scope);

const size =
  <V>(test: (has: number, limit: number) => boolean, measure: (value: V) => number) =>
  (value: V, limit: Json): Truth =>
    typeof limit === 'number' ? test(measure(value), limit) : undefined;
const atLeast = (has: number, limit: number) => has >= limit;
const atMost = (has: number, limit: number) => has <= limit;

type LimitCheck = (limit: Json, value: Json) => Truth;
const isAbove = onNumber((value, limit) => value > limit) as LimitCheck;
const isBelow = onNumber((value, limit) => value < limit) as LimitCheck;

const constants = new WeakMap<Json[], Map<string, number[]>>();

/** The texts of values that only some branches can accept, and which branches; other branches are under an empty text. */
const constantsIn = (branches: Json[]): Map<string, number[]> => {
  const known = constants.get(branches);
  if (known !== undefined) return known;
  const found = new Map<string, number[]>();
  for (const [index, branch] of branches.entries()) {
    const constant = own(branch, 'const');
    const text = constant === undefined ? '' : canonical(constant);
    const members = found.get(text);
    if (members) members.push(index);
    else found.set(text, [index]);
  }
  constants.set(branches, found);
  return found;
};

/** The answers about a value from the branches that do not refuse it as another constant. */
const answersOf = (branches: Json[], value: Json, scope: SchemaScope): Truth[] => {
  const by = constantsIn(branches);
  return [...(by.get(canonical(value)) ?? []), ...(by.get('') ?? [])].map((index) =>
    takes(branches[index] as Json, scope, value),
  );
};

const isDate = (text: string): boolean => {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined || year < 1000 || day < 1) return false;
  return month >= 1 && month <= 12 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
};

/** Plain texts that every validator accepts for a format. */
const PLAIN: Record<string, (text: string) => boolean> = {
  date: isDate,
  // Tells a form to hide what is typed (OpenAPI).
  password: () => true,
  'date-time': (text) =>
    isDate(text.slice(0, 10)) && /^T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?Z$/.test(text.slice(10)),
  time: (text) => /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/.test(text),
  email: (text) => /^[a-z0-9]+(?:\.[a-z0-9]+)*@[a-z0-9]+(?:\.[a-z0-9]+)*\.[a-z]{2,6}$/i.test(text) && text.length < 60,
  uri: (text) => /^https?:\/\/[a-z0-9]+(?:\.[a-z0-9]+)*\.[a-z]{2,6}(?:\/[a-z0-9._~-]+)*\/?$/i.test(text),
  uuid: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.test(text),
  ipv4: (text) => /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text),
};

const isPlain = (format: string, value: Json): boolean => {
  if (typeof value !== 'string') return typeof value !== 'number' || fits(value, format);
  return Object.hasOwn(PLAIN, format) && PLAIN[format]?.(value) === true;
};

const CHECKS: Record<string, KeywordCheck> = {
  type: (_type, value, schema) => namedTypes(schema)?.has(typeOf(value)),
  enum: (values, value) => (Array.isArray(values) ? textsOf(values).has(canonical(value)) : undefined),
  const: (constant, value) => canonical(constant) === canonical(value),
  minimum: onNumber((value, limit) => value >= limit),
  maximum: onNumber((value, limit) => value <= limit),
  exclusiveMinimum: (limit, value) => limit === false || isAbove(limit, value),
  exclusiveMaximum: (limit, value) => limit === false || isBelow(limit, value),
  multipleOf: onNumber(isMultipleOf),
  minLength: onText(size(atLeast, length)),
  maxLength: onText(size(atMost, length)),
  pattern: onText((value, pattern) => (typeof pattern === 'string' ? matches(pattern, value) : undefined)),
  // Only real validators know what else a format takes, and they differ.
  format: (format, value) => isPlain(String(format), value) || undefined,
  minItems: onList(size(atLeast, (value: Json[]) => value.length)),
  maxItems: onList(size(atMost, (value: Json[]) => value.length)),
  uniqueItems: onList((value, unique) => {
    if (unique === false || new Set(value.map(canonical)).size === value.length) return true;
    return unique === true ? false : undefined;
  }),
  items: onList((value, items, schema, scope) => {
    if (Array.isArray(items))
      return all(value.slice(0, items.length).map((one, index) => takes(items[index] ?? true, scope, one)));
    const prefix = own(schema, 'prefixItems');
    return all(value.slice(Array.isArray(prefix) ? prefix.length : 0).map((one) => takes(items, scope, one)));
  }),
  prefixItems: onList((value, prefix, _schema, scope) =>
    Array.isArray(prefix)
      ? all(prefix.slice(0, value.length).map((one, index) => takes(one, scope, value[index] as Json)))
      : undefined,
  ),
  additionalItems: onList((value, rest, schema, scope) => {
    const tuple = own(schema, 'items');
    return !Array.isArray(tuple) || all(value.slice(tuple.length).map((one) => takes(rest, scope, one)));
  }),
  contains: onList((value, wanted, schema, scope) => {
    const answers = value.map((one) => takes(wanted, scope, one));
    const [least, most] = [own(schema, 'minContains') ?? 1, own(schema, 'maxContains') ?? value.length];
    if (typeof least !== 'number' || typeof most !== 'number') return undefined;
    const sure = answers.filter(Boolean).length;
    const possible = answers.filter((answer) => answer !== false).length;
    if (possible < least || sure > most) return false;
    return (sure >= least && possible <= most) || undefined;
  }),
  required: onObject((value, names) =>
    Array.isArray(names) ? names.every((name) => typeof name === 'string' && Object.hasOwn(value, name)) : undefined,
  ),
  minProperties: onObject(size(atLeast, (value: JsonObject) => Object.keys(value).length)),
  maxProperties: onObject(size(atMost, (value: JsonObject) => Object.keys(value).length)),
  properties: onObject((value, properties, _schema, scope) =>
    isObject(properties)
      ? all(
          Object.entries(properties as JsonObject).map(
            ([name, schema]) => !Object.hasOwn(value, name) || takes(schema, scope, value[name] as Json),
          ),
        )
      : undefined,
  ),
  additionalProperties: onObject((value, rest, schema, scope) => {
    const properties = own(schema, 'properties');
    const patterns = Object.keys((own(schema, 'patternProperties') as JsonObject) ?? {});
    return all(
      Object.entries(value).map(([name, one]) => {
        if (isObject(properties) && Object.hasOwn(properties, name)) return true;
        return some([...patterns.map((pattern) => matches(pattern, name)), takes(rest, scope, one)]);
      }),
    );
  }),
  patternProperties: onObject((value, patterns, _schema, scope) =>
    isObject(patterns)
      ? all(
          Object.entries(patterns as JsonObject).flatMap(([pattern, schema]) =>
            Object.entries(value).map(([name, one]) => {
              const isMeant = matches(pattern, name);
              return isMeant === false ? true : some([not(isMeant), takes(schema, scope, one)]);
            }),
          ),
        )
      : undefined,
  ),
  propertyNames: onObject((value, schema, _schema, scope) =>
    all(Object.keys(value).map((name) => takes(schema, scope, name))),
  ),
  dependentRequired: onObject((value, needs, _schema, scope) =>
    isObject(needs)
      ? all(
          Object.entries(needs as JsonObject).map(([name, names]) =>
            Object.hasOwn(value, name) ? takes({ required: names }, scope, value) : true,
          ),
        )
      : undefined,
  ),
  dependentSchemas: onObject((value, schemas, _schema, scope) =>
    isObject(schemas)
      ? all(
          Object.entries(schemas as JsonObject).map(([name, schema]) =>
            Object.hasOwn(value, name) ? takes(schema, scope, value) : true,
          ),
        )
      : undefined,
  ),
  dependencies: onObject((value, needs, _schema, scope) =>
    isObject(needs)
      ? all(
          Object.entries(needs as JsonObject).map(([name, need]) => {
            if (!Object.hasOwn(value, name)) return true;
            return takes(Array.isArray(need) ? { required: need } : need, scope, value);
          }),
        )
      : undefined,
  ),
  if: (condition, value, schema, scope) => {
    const holds = takes(condition, scope, value);
    const branch = (keyword: string): Truth => takes(own(schema, keyword) ?? true, scope, value);
    if (holds !== undefined) return branch(holds ? 'then' : 'else');
    const then = branch('then');
    return then === branch('else') ? then : undefined;
  },
  // Only has an effect next to `if`.
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  then: () => true,
  else: () => true,
  anyOf: (branches, value, _schema, scope) =>
    Array.isArray(branches) ? some(answersOf(branches, value, scope)) : undefined,
  oneOf: (branches, value, _schema, scope) => {
    const answers = Array.isArray(branches) ? answersOf(branches, value, scope) : [undefined];
    const held = answers.filter((answer) => answer === true).length;
    if (held > 1) return false;
    return answers.includes(undefined) ? undefined : held === 1;
  },
  not: (schema, value, _schema, scope) => not(takes(schema, scope, value)),
  // A validator may apply these keywords or not: without them the value is accepted, with them it may be refused.
  [IGNORED]: (keywords, value, _schema, scope) => takes(keywords, scope, value) || undefined,
};

/** Keywords that are read with another one, or earlier: `allOf` and `$ref` are expanded. */
const READ_ELSEWHERE = new Set(['allOf', '$ref', 'nullable']);

/** Keywords that may evaluate anything, or nothing. */
const UNKNOWN = ['$dynamicRef', '$recursiveRef', IGNORED];

/** Whether the keywords of a schema that name places in a value evaluate the one under this key. */
const evaluatesHere = (schema: JsonObject, scope: SchemaScope, value: Json, key: string): Truth => {
  if (isObject(value)) {
    if (own(own(schema, 'properties'), key) !== undefined || own(schema, 'additionalProperties') !== undefined)
      return true;
    const patterns = own(schema, 'patternProperties');
    return some(isObject(patterns) ? Object.keys(patterns).map((pattern) => matches(pattern, key)) : []);
  }
  const [items, prefix, contains] = ['items', 'prefixItems', 'contains'].map((keyword) => own(schema, keyword));
  const tuple = Array.isArray(items) ? items : Array.isArray(prefix) ? prefix : [];
  const rest = Array.isArray(items) ? own(schema, 'additionalItems') : items;
  if (rest !== undefined || Number(key) < tuple.length) return true;
  // Only in some dialects do contained elements count as evaluated.
  if (contains === undefined) return false;
  return takes(contains, scope, (value as Json[])[Number(key)] as Json) === false ? false : undefined;
};

const evaluatesOnce = askedOnce();

/**
 * Whether a schema that accepts an object or array evaluates the value under this key, so that no `unevaluated…` applies to
 * it.
 * @param besides leaves out the schema's own `unevaluated…`
 */
const evaluates = (schema: Json, around: SchemaScope, value: Json, key: string, besides = false): Truth => {
  if (!isObject(schema)) return false;
  const one = schema as JsonObject;
  const scope = around.at(one);
  const keyword = Array.isArray(value) ? 'unevaluatedItems' : 'unevaluatedProperties';
  if (!besides && own(one, keyword) !== undefined) return true;
  const here = evaluatesHere(one, scope, value, key);
  if (here === true) return true;
  const inside = (branch: Json, around = scope): Truth =>
    evaluatesOnce(branch, value, () => evaluates(branch, around, value, key));
  const where = (applies: Truth, branch: Json): Truth => (applies === false ? false : all([applies, inside(branch)]));
  const listed = (name: string): Json[] => [own(one, name) ?? []].flat() as Json[];
  const [reference, condition] = [own(one, '$ref'), own(one, 'if')];
  const target = reference === undefined ? undefined : scope.resolve(reference);
  const holds = condition === undefined ? false : takes(condition, scope, value);
  const present = ['dependentSchemas', 'dependencies'].flatMap((name) =>
    Object.entries((own(one, name) as JsonObject) ?? {}).filter(([other]) => Object.hasOwn(value as object, other)),
  );
  return some([
    here,
    ...(UNKNOWN.some((name) => Object.hasOwn(one, name)) || (reference !== undefined && !target) ? [undefined] : []),
    ...(target ? [inside(...target)] : []),
    ...listed('allOf').map((branch) => inside(branch)),
    ...[...listed('anyOf'), ...listed('oneOf')].map((branch) => where(takes(branch, scope, value), branch)),
    ...(condition === undefined ? [] : [where(holds, condition), where(holds, own(one, 'then') ?? true)]),
    ...(condition === undefined ? [] : [where(not(holds), own(one, 'else') ?? true)]),
    ...present.map(([, branch]) => inside(branch)),
  ]);
};

/** What `unevaluatedProperties` and `unevaluatedItems` say about a value, given the rest of their schema. */
const takesRest = ({ schema, scope }: Conjunct, within: JsonObject, value: Json): Truth => {
  const rest = own(schema, Array.isArray(value) ? 'unevaluatedItems' : 'unevaluatedProperties');
  if (rest === undefined || typeof value !== 'object' || value === null) return true;
  return all(
    Object.entries(value).map(([key, one]) =>
      some([evaluates(within, scope, value, key, true), takes(rest, scope, one as Json)]),
    ),
  );
};

const takesAll = (schema: JsonObject, scope: SchemaScope, value: Json): Truth =>
  all(
    Object.entries(schema).map(([key, operand]) => {
      if (READ_ELSEWHERE.has(key)) return true;
      const check = Object.hasOwn(CHECKS, key) ? CHECKS[key] : undefined;
      return check ? check(operand, value, schema, scope) : true;
    }),
  );

const takesOnce = askedOnce();

const takes = (schema: Json, scope: SchemaScope, value: Json): Truth => {
  const conjuncts = conjunctsOf(schema, scope);
  if (conjuncts === false) return false;
  return takesOnce(schema, value, () =>
    all(
      conjuncts.map((one) => {
        if (one.opaque) return undefined;
        return one.within ? takesRest(one, one.within, value) : takesAll(one.schema, one.scope, value);
      }),
    ),
  );
};

const scopes = new WeakMap<object, SchemaScope>();

/** Whether a schema accepts a value; undefined if that depends on keywords that are not checked here. */
export const accepts = (schema: Json, root: Json | SchemaScope, value: Json): Truth => {
  if (root instanceof SchemaScope) return takes(schema, root, value);
  if (!isObject(root)) return takes(schema, new SchemaScope(root, 'after'), value);
  const scope = scopes.get(root) ?? new SchemaScope(root as JsonObject, 'after');
  scopes.set(root, scope);
  return takes(schema, scope, value);
};

/** The same for one part of a schema: an `unevaluated…` is read with the keywords next to it. */
export const acceptsPart = (one: Conjunct, value: Json): Truth =>
  one.within ? takesRest(one, one.within, value) : takes(one.schema, one.scope, value);
