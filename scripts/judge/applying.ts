// What a contract says about one value of a call.
import { entriesAt, isEveryName, listsNames } from '../contract/other-names.ts';
import { targetOf } from '../contract/references.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { accepts, matches } from '../proof/check.ts';

/** Everything that one contract says about one value of a call. */
export interface Applying {
  /** The schemas that are declared for it. */
  declared: readonly Json[];
  /** These, and all that apply with them. */
  schemas: JsonObject[];
  root: Json;
  /** Part of it could not be read. */
  opaque: boolean;
}

/** Whether a schema takes a value; undefined if unknown. */
export const takes = (schema: Json, root: Json, value: Json | undefined): boolean | undefined => {
  if (value === undefined) return undefined;
  try {
    return accepts(schema, root, value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

const objectAt = (schema: JsonObject, keyword: string): JsonObject => {
  const value = own(schema, keyword);
  return isObject(value) ? (value as JsonObject) : {};
};

const targetIn = (schema: JsonObject, root: Json): Json | undefined => {
  const reference = own(schema, '$ref');
  return typeof reference === 'string' ? targetOf(reference, root) : true;
};

/**
 * Schemas that apply to the same value as a schema that holds or names them, as far as the value selects them. Each list
 * holds forms of which the value has at least one.
 */
export const inPlace = (schema: JsonObject, root: Json, value: Json | undefined): Json[][] => {
  const all = own(schema, 'allOf');
  const found = Array.isArray(all) ? all.map((one) => [one]) : [];
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = own(schema, keyword);
    if (!Array.isArray(branches)) continue;
    const chosen = branches.filter((branch) => takes(branch, root, value) !== false);
    // A value that none takes is refused; it may have been meant for any of them, so all apply.
    found.push(chosen.length > 0 ? chosen : branches);
  }
  const condition = own(schema, 'if');
  if (condition !== undefined) {
    const holds = takes(condition, root, value);
    if (holds !== false) found.push([condition], [own(schema, 'then') ?? true]);
    if (holds !== true) found.push([own(schema, 'else') ?? true]);
  }
  for (const keyword of ['dependentSchemas', 'dependencies']) {
    for (const [name, one] of Object.entries(objectAt(schema, keyword))) {
      if (!isObject(value) || Object.hasOwn(value, name)) found.push([one]);
    }
  }
  const target = targetIn(schema, root);
  return target === undefined ? found : [...found, [target]];
};

/** All that applies to a value: through references, `allOf`, and the branches and conditions that the value selects. */
export const applyingTo = (declared: Json[], root: Json, value: Json | undefined): Applying => {
  const found: Applying = { declared, schemas: [], root, opaque: false };
  const seen = new Set<Json>();
  const open = [...declared];
  for (let one = open.shift(); one !== undefined; one = open.shift()) {
    if (!isObject(one) || seen.has(one as JsonObject)) continue;
    const schema = one as JsonObject;
    seen.add(schema);
    found.schemas.push(schema);
    open.push(...inPlace(schema, root, value).flat());
    const isDynamic = Object.hasOwn(schema, '$dynamicRef') || Object.hasOwn(schema, '$recursiveRef');
    if (isDynamic || targetIn(schema, root) === undefined) found.opaque = true;
  }
  return found;
};

/** Whether a schema describes a value: `true`, `false` and `{}` do not. */
const saysSomething = (value: Json | undefined): value is JsonObject =>
  isObject(value) && Object.keys(value).length > 0;

/** All schemas that are declared for a property, wherever they are. */
export const ofProperty = ({ schemas }: Applying, name: string): Json[] => {
  const found = schemas.flatMap((schema) => {
    const named = own(own(schema, 'properties'), name);
    const patterns = Object.entries(objectAt(schema, 'patternProperties'));
    const direct = [
      ...(named === undefined ? [] : [named]),
      ...patterns.filter(([pattern]) => matches(pattern, name) !== false).map(([, one]) => one),
    ];
    const rest = own(schema, 'additionalProperties');
    return direct.length === 0 && saysSomething(rest) ? [rest] : direct;
  });
  if (found.length > 0) return found;
  return schemas.map((schema) => own(schema, 'unevaluatedProperties')).filter(saysSomething);
};

/** What a schema says of the elements of a list: of the first ones by their positions, and of the rest. */
export const positionsIn = (schema: JsonObject): { tuple: Json[]; rest: Json | undefined } => {
  const [items, prefix] = [own(schema, 'items'), own(schema, 'prefixItems')];
  const tuple = Array.isArray(items) ? items : Array.isArray(prefix) ? prefix : [];
  const rest = Array.isArray(items) ? own(schema, 'additionalItems') : items;
  return { tuple, rest: rest ?? own(schema, 'unevaluatedItems') };
};

/** The schemas that are declared for an element. */
export const ofElement = ({ schemas, root }: Applying, index: number, value: Json): Json[] =>
  schemas.flatMap((schema) => {
    const { tuple, rest } = positionsIn(schema);
    const contains = own(schema, 'contains');
    const here = index < tuple.length ? tuple[index] : rest;
    const contained = contains !== undefined && takes(contains, root, value) !== false ? [contains] : [];
    return [...(here === undefined ? [] : [here]), ...contained];
  });

/** The schemas that are declared for a position, whatever stands there. */
export const ofPosition = ({ schemas }: Applying, index: number): Json[] =>
  schemas.flatMap((schema) => positionsIn(schema).tuple[index] ?? []);

/**
 * Whether nothing is said of an element now, in a list that names what stands before it. Like a parameter that is no longer
 * declared: one whose position had been named goes even if anything may follow. If nothing may, a validator tells.
 */
export const isElementGone = (before: Applying, after: Applying, index: number, value: Json): boolean => {
  const now = after.schemas.map(positionsIn);
  const isNamedNow =
    now.some(({ tuple }) => index < tuple.length) || ofElement(after, index, value).some(saysSomething);
  if (after.opaque || isNamedNow || !now.some(({ tuple }) => tuple.length > 0)) return false;
  if (now.some(({ rest }) => rest === false)) return false;
  if (ofPosition(before, index).length > 0) return true;
  return now.every(({ rest }) => rest === undefined) && ofElement(before, index, value).some(saysSomething);
};

const REST = ['additionalProperties', 'unevaluatedProperties'];

/**
 * Whether a property is declared. `free`: the object says nothing about any property; a tool that does so takes none, so
 * that is `no`. `open`: the object names others and says that it takes any.
 */
export const declares = (
  applying: Applying,
  name: string,
  isRoot: boolean,
): 'yes' | 'no' | 'free' | 'open' | 'unknown' => {
  if (ofProperty(applying, name).length > 0) return 'yes';
  if (applying.opaque) return 'unknown';
  const { schemas } = applying;
  const says = (keywords: string[]): boolean =>
    schemas.some((schema) => keywords.some((keyword) => Object.hasOwn(schema, keyword)));
  const isClosed = schemas.some((schema) => REST.some((keyword) => own(schema, keyword) === false));
  if (isClosed) return 'no';
  if (schemas.some(listsNames)) return says(REST) ? 'open' : 'no';
  return isRoot && !says(REST) ? 'no' : 'free';
};

/** The schemas that the name of a property has to meet. */
export const ofName = ({ schemas }: Applying): Json[] =>
  schemas.flatMap((schema) => own(schema, 'propertyNames') ?? []);

/** Whether a property is declared by its name or by the form of it, and not as one of any name. */
export const isNamed = ({ schemas }: Applying, name: string): boolean =>
  schemas.some(
    (schema) =>
      Object.hasOwn(objectAt(schema, 'properties'), name) ||
      entriesAt(schema, 'patternProperties').some(([one]) => !isEveryName(one) && matches(one, name) === true),
  );

/** The names of all properties that are declared for an object. */
export const namesOf = ({ schemas }: Applying): Set<string> =>
  new Set(schemas.flatMap((schema) => Object.keys(objectAt(schema, 'properties'))));
