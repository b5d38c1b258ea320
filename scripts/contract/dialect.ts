import { isObject, type Json, type JsonObject, own } from './types.ts';

/** The versions of JSON Schema that validators tell apart. `legacy`: draft-07 and before; `unnamed`: taken as 2020-12. */
export type Dialect = 'legacy' | '2019-09' | '2020-12' | 'unnamed';

/** The dialect that a document's root schema names in its `$schema`. */
export const dialectOf = (root: Json): Dialect => {
  const named = own(root, '$schema');
  if (typeof named !== 'string') return 'unnamed';
  if (/draft-0[3-7]/.test(named)) return 'legacy';
  if (named.includes('2019-09')) return '2019-09';
  return named.includes('2020-12') ? '2020-12' : 'unnamed';
};

/**
 * The key under which `setApart` puts the keywords that the dialect ignores in their place. Some validators apply them
 * anyway, so they can neither be relied on nor dropped.
 */
export const IGNORED = 'ignoredByDialect';

/**
 * Whether a document's open bounds are those of draft-04: it says so; or it names no draft, and no other one gives them a
 * meaning. A document that has both kinds, or names another dialect, is left as it is.
 */
export const hasOldBounds = (root: Json): boolean => {
  const named = own(root, '$schema');
  if (named !== undefined) return typeof named === 'string' && /draft-0[34]/.test(named);
  let found = false;
  const open: JsonObject[] = isObject(root) ? [root as JsonObject] : [];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    for (const key of Object.keys(value)) {
      const inside = value[key] as Json;
      if (typeof inside === 'object') {
        if (inside !== null) open.push(inside as JsonObject);
      } else if (key === 'exclusiveMaximum' || key === 'exclusiveMinimum') {
        if (typeof inside === 'number') return false;
        found ||= typeof inside === 'boolean';
      }
    }
  }
  return found;
};

const BOUNDS = [
  ['exclusiveMaximum', 'maximum'],
  ['exclusiveMinimum', 'minimum'],
] as const;

/** A schema of draft-04 with its bounds as later drafts write them; the same object if there are none that are open. */
export const withLaterBounds = (schema: JsonObject): JsonObject => {
  if (!BOUNDS.some(([open]) => Object.hasOwn(schema, open))) return schema;
  const later = { ...schema };
  const ignored: JsonObject = {};
  for (const [open, bound] of BOUNDS) {
    const [isOpen, at] = [own(schema, open), own(schema, bound)];
    // Without a bound beside it, it means nothing; and draft-04 knows no number there.
    if (isOpen === true && typeof at === 'number') {
      later[open] = at;
      delete later[bound];
    } else if (isOpen !== undefined) {
      delete later[open];
      if (isOpen !== false) ignored[open] = isOpen;
    }
  }
  if (Object.keys(ignored).length === 0) return later;
  return { ...later, [IGNORED]: { ...(own(later, IGNORED) as JsonObject | undefined), ...ignored } };
};

const SINCE_2019 = [
  '$dynamicRef',
  '$recursiveRef',
  'dependentRequired',
  'dependentSchemas',
  'maxContains',
  'minContains',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const SINCE_2020 = ['prefixItems'];

/** Keywords that constrain values, and that `legacy` ignores at a `$ref`. It reads annotations and definitions there. */
const ASSERTING = new Set(
  `additionalItems additionalProperties allOf anyOf const contains dependencies else enum exclusiveMaximum
  exclusiveMinimum format if items maxItems maxLength maxProperties maximum minItems minLength minProperties minimum
  multipleOf not nullable oneOf pattern patternProperties properties propertyNames required then type uniqueItems`
    .split(/\s+/)
    .concat(SINCE_2019, SINCE_2020),
);

const isIgnored = (dialect: Dialect, schema: JsonObject): ((key: string) => boolean) => {
  if (dialect === 'legacy') {
    if (typeof schema.$ref === 'string') return (key) => ASSERTING.has(key);
    return (key) => SINCE_2019.includes(key) || SINCE_2020.includes(key);
  }
  if (dialect === '2019-09') return (key) => SINCE_2020.includes(key);
  // In 2020-12 a list of schemas is `prefixItems`.
  const isList = dialect === '2020-12' && Array.isArray(schema.items);
  return (key) => isList && (key === 'items' || key === 'additionalItems');
};

/** Whether anything in a schema could be ignored: most hold only what every dialect reads alike. */
const holdsNew = (schema: JsonObject): boolean => {
  for (const key of Object.keys(schema)) if (NOT_ALIKE.has(key)) return true;
  return false;
};
const NOT_ALIKE: ReadonlySet<string> = new Set([...SINCE_2019, ...SINCE_2020, '$ref', 'items', 'additionalItems']);

/** A schema with the keywords that its dialect ignores moved under `IGNORED`; the same object if there are none. */
export const setApart = (schema: JsonObject, dialect: Dialect): JsonObject => {
  if (dialect === 'unnamed' || !holdsNew(schema)) return schema;
  const ignored = isIgnored(dialect, schema);
  const keys = Object.keys(schema).filter(ignored);
  if (keys.length === 0) return schema;
  const entries = Object.entries(schema);
  return {
    ...Object.fromEntries(entries.filter(([key]) => !keys.includes(key))),
    [IGNORED]: Object.fromEntries(entries.filter(([key]) => keys.includes(key))),
  };
};
