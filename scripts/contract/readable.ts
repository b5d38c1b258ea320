import type { default as Ajv } from 'ajv';
import { dialectOf } from './dialect.ts';
import { pointer } from './json-pointer.ts';
import { SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS } from './meaning.ts';
import { toRegExp } from './pattern.ts';
import { holdsDocuments, targetOf } from './references.ts';
import { isObject, type Json, type JsonObject, own } from './types.ts';

/** The keyword that replaces an unreadable part: it accepts every value, and reports that it was reached. */
export const UNREAD = 'konnichiwagwan:unread';

const TYPES = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

/** The type of a value in the words of JSON Schema. */
export const typeOf = (value: Json): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

/** Whether a schema accepts no value of a type. One that is unknown, such as `any`, may stand for each. */
export const excludesType = (schema: JsonObject, type: string): boolean => {
  const types = [own(schema, 'type') ?? []].flat();
  return types.length > 0 && types.every((one) => one !== type && TYPES.has(String(one)));
};

const isSchema = (value: Json | undefined): boolean => isObject(value) || typeof value === 'boolean';

/** Whether a reference cannot be followed: nothing is there, or it leads to another document. */
const isDangling = (reference: string, root: Json): boolean => {
  if (holdsDocuments(root)) return false;
  if (reference.startsWith('#') && reference !== '#' && !reference.startsWith('#/')) {
    return !JSON.stringify(root).includes(`nchor":${JSON.stringify(reference.slice(1))}`);
  }
  return !isSchema(targetOf(reference, root));
};

const isNames = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === 'string');

/** Misread keywords for which the library has no table. */
const MISREAD: Record<string, (operand: Json, schema: JsonObject, root: Json) => boolean> = {
  $ref: (reference, _schema, root) => typeof reference !== 'string' || isDangling(reference, root),
  dependentRequired: (map) => !isObject(map) || !Object.values(map as JsonObject).every(isNames),
  enum: (values) => !Array.isArray(values) || values.length === 0,
  items: (items) => !isSchema(items) && !Array.isArray(items),
  nullable: (_nullable, schema) => !Object.hasOwn(schema, 'type'),
  pattern: (pattern) => typeof pattern !== 'string' || toRegExp(pattern) === undefined,
  patternProperties: (map) => !isObject(map) || Object.keys(map).some((pattern) => toRegExp(pattern) === undefined),
  required: (names) => !isNames(names),
  type: (type) =>
    [type].flat().some((name) => typeof name !== 'string' || !TYPES.has(name)) || [type].flat().length === 0,
};

/** Whether a keyword would make the validator give up on the whole schema. */
const isMisread = (ajv: Ajv, keyword: string, operand: Json, schema: JsonObject, root: Json): boolean => {
  if (Object.hasOwn(MISREAD, keyword) && MISREAD[keyword]?.(operand, schema, root)) return true;
  if (SCHEMA_LIST_KEYWORDS.has(keyword) && Array.isArray(operand)) return operand.length === 0 && keyword !== 'items';
  if (SCHEMA_MAP_KEYWORDS.has(keyword)) return !isObject(operand);
  const known = ajv.getKeyword(keyword);
  if (typeof known === 'boolean' || known.schemaType === undefined) return false;
  const types = [known.schemaType].flat() as string[];
  // Members that are not schemas are found at their own places.
  return types.length > 0 && !types.includes(typeOf(operand)) && !SCHEMA_KEYWORDS.has(keyword);
};

/** The same schema in today's keywords; `id` and `nullable` alone say nothing. */
const modern = (schema: JsonObject): JsonObject => {
  const { id: _id, nullable, ...rest } = schema;
  const kept: JsonObject = Object.hasOwn(rest, 'type') && nullable !== undefined ? { ...rest, nullable } : rest;
  for (const [open, closed] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const isOpen = kept[open];
    if (typeof isOpen !== 'boolean') continue;
    delete kept[open];
    if (!isOpen || kept[closed] === undefined) continue;
    kept[open] = kept[closed] as Json;
    delete kept[closed];
  }
  return kept;
};

/** Keywords that depend on others next to them: without these they would reject what was allowed. */
const LEANS_ON: Record<string, readonly string[]> = {
  contains: ['minContains', 'maxContains'],
  if: ['then', 'else'],
  items: ['additionalItems'],
  patternProperties: ['additionalProperties'],
  prefixItems: ['items'],
  properties: ['additionalProperties'],
  type: ['nullable'],
};

/** Whether accepting more inside means accepting less outside. */
const turnsRound = (keyword: string, schema: JsonObject): boolean =>
  keyword === 'not' || keyword === 'if' || (keyword === 'contains' && Object.hasOwn(schema, 'maxContains'));

const isStructural = (keyword: string): boolean =>
  keyword === '$ref' ||
  SCHEMA_KEYWORDS.has(keyword) ||
  SCHEMA_LIST_KEYWORDS.has(keyword) ||
  SCHEMA_MAP_KEYWORDS.has(keyword);

/** Replaces every schema directly inside another one. */
const mapInside = (schema: JsonObject, path: string, change: (one: Json, path: string) => Json): JsonObject =>
  Object.fromEntries(
    Object.entries(schema).map(([key, value]): [string, Json] => {
      const at = path + pointer(key);
      if (SCHEMA_LIST_KEYWORDS.has(key) && Array.isArray(value))
        return [key, value.map((one, index) => change(one, `${at}/${index}`))];
      if (SCHEMA_MAP_KEYWORDS.has(key) && isObject(value)) {
        const members = Object.entries(value as JsonObject).map(([name, one]): [string, Json] => [
          name,
          key === 'dependencies' && Array.isArray(one) ? one : change(one, at + pointer(name)),
        ]);
        return [key, Object.fromEntries(members)];
      }
      return [key, SCHEMA_KEYWORDS.has(key) ? change(value, at) : value];
    }),
  );

/** An unreadable part: its place as a JSON Pointer, and the types of values that it may restrict. */
export interface UnreadPart {
  at: string;
  /** Absent if it may restrict every value. */
  types?: string[];
}

const marked = (unread: UnreadPart[]): JsonObject => (unread.length > 0 ? { [UNREAD]: unread as unknown as Json } : {});

/** A form with parts left out may accept what another one does: only "at least one accepts" still holds. */
const withLooseForms = ({ oneOf, ...rest }: JsonObject, unread: UnreadPart[]): JsonObject => ({
  ...rest,
  allOf: [...(Array.isArray(rest.allOf) ? rest.allOf : []), { anyOf: oneOf as Json, ...marked(unread) }],
});

/**
 * A schema that the validator can read. Unreadable parts are left out, so it accepts every value that the original accepts:
 * the original refuses what it refuses. `UNREAD` takes their place and names them.
 */
export const readable = (root: JsonObject, ajv: Ajv): JsonObject => {
  const isLegacy = dialectOf(root) === 'legacy';
  const misread = new Map<object, string[]>();
  let losesNames = false;
  const look = (schema: Json): Json => {
    if (!isObject(schema) || misread.has(schema)) {
      losesNames ||= !isSchema(schema);
      return schema;
    }
    const object = modern(schema as JsonObject);
    const isAlone = isLegacy && typeof object.$ref === 'string';
    const keys = Object.keys(object).filter(
      (key) => (!isAlone || key === '$ref') && isMisread(ajv, key, object[key] as Json, object, root),
    );
    misread.set(schema, keys);
    losesNames ||= keys.some(isStructural);
    mapInside(object, '', look);
    return schema;
  };
  look(root);

  const unreadOf = (keyword: string, at: string): UnreadPart => {
    const known = ajv.getKeyword(keyword);
    const types = typeof known === 'boolean' || known.type === undefined ? [] : [known.type].flat();
    return { at: at + pointer(keyword), ...(types.length > 0 ? { types } : {}) };
  };

  /** Everything that is not read in a schema, and in what it refers to. */
  const unreadIn = (schema: Json, at: string, seen = new Set<Json>()): UnreadPart[] => {
    if (!isSchema(schema)) return [{ at }];
    if (!isObject(schema) || seen.has(schema as JsonObject)) return [];
    seen.add(schema as JsonObject);
    const found: UnreadPart[] = (misread.get(schema) ?? []).map((key) => ({ at: at + pointer(key) }));
    const open = (one: Json, path: string): Json => {
      found.push(...unreadIn(one, path, seen));
      return one;
    };
    mapInside(schema as JsonObject, at, open);
    const target = typeof schema.$ref === 'string' ? targetOf(schema.$ref, root) : undefined;
    if (target !== undefined) open(target, (schema.$ref as string).slice(1));
    return found;
  };

  const rebuild = (schema: Json, at: string): Json => {
    if (!isSchema(schema)) return marked([{ at }]);
    if (!isObject(schema)) return schema;
    const dropped = new Set(misread.get(schema) ?? []);
    const unread = [...dropped].map((key) => unreadOf(key, at));
    if (isLegacy && dropped.has('$ref')) return marked(unread.map(({ at }) => ({ at })));
    const object = modern(schema as JsonObject);
    const turned = Object.keys(object).filter((key) => !dropped.has(key) && turnsRound(key, object));
    for (const key of turned) {
      const inside = unreadIn(object[key] as Json, at + pointer(key));
      if (inside.length > 0) dropped.add(key);
      unread.push(...inside);
    }
    for (const key of [...dropped]) for (const one of LEANS_ON[key] ?? []) dropped.add(one);
    const isKept = (key: string): boolean => !dropped.has(key) && !(losesNames && key.startsWith('unevaluated'));
    const kept = Object.fromEntries(Object.entries(object).filter(([key]) => isKept(key)));
    const forms = Array.isArray(kept.oneOf) ? kept.oneOf : [];
    const inForms = forms.flatMap((one, index) => unreadIn(one, `${at}/oneOf/${index}`));
    const rebuilt = mapInside(kept, at, rebuild);
    return { ...(inForms.length > 0 ? withLooseForms(rebuilt, inForms) : rebuilt), ...marked(unread) };
  };
  return rebuild(root, '') as JsonObject;
};
