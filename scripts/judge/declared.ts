import { boundedForCall } from '../contract/bounded.ts';
import { listsNames } from '../contract/other-names.ts';
import { asOneDocument, targetOf } from '../contract/references.ts';
import { sameJson } from '../contract/same.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { accepts, matches } from '../proof/check.ts';

/** Everything that one contract says about one value of a call. */
interface Applying {
  schemas: JsonObject[];
  root: Json;
  /** Part of it could not be read. */
  opaque: boolean;
}

/** Whether a schema takes a value; undefined if unknown. */
const takes = (schema: Json, root: Json, value: Json | undefined): boolean | undefined => {
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

/** Schemas inside a schema that apply to the same value, as far as the value selects them. */
const inPlace = (schema: JsonObject, root: Json, value: Json | undefined): Json[] => {
  const all = own(schema, 'allOf');
  const found = Array.isArray(all) ? [...all] : [];
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = own(schema, keyword);
    if (!Array.isArray(branches)) continue;
    const chosen = branches.filter((branch) => takes(branch, root, value) !== false);
    // A value that none takes is refused; it may have been meant for any of them, so all apply.
    found.push(...(chosen.length > 0 ? chosen : branches));
  }
  const condition = own(schema, 'if');
  if (condition !== undefined) {
    const holds = takes(condition, root, value);
    if (holds !== false) found.push(condition, own(schema, 'then') ?? true);
    if (holds !== true) found.push(own(schema, 'else') ?? true);
  }
  for (const keyword of ['dependentSchemas', 'dependencies']) {
    for (const [name, one] of Object.entries(objectAt(schema, keyword))) {
      if (!isObject(value) || Object.hasOwn(value, name)) found.push(one);
    }
  }
  return found;
};

/** All that applies to a value: through references, `allOf`, and the branches and conditions that the value selects. */
const applyingTo = (schemas: Json[], root: Json, value: Json | undefined): Applying => {
  const found: Applying = { schemas: [], root, opaque: false };
  const seen = new Set<Json>();
  const open = [...schemas];
  for (let one = open.shift(); one !== undefined; one = open.shift()) {
    if (!isObject(one) || seen.has(one as JsonObject)) continue;
    const schema = one as JsonObject;
    seen.add(schema);
    found.schemas.push(schema);
    open.push(...inPlace(schema, root, value));
    const reference = own(schema, '$ref');
    const target = typeof reference === 'string' ? targetOf(reference, root) : true;
    if (target !== undefined) open.push(target);
    if (target === undefined || Object.hasOwn(schema, '$dynamicRef') || Object.hasOwn(schema, '$recursiveRef'))
      found.opaque = true;
  }
  return found;
};

const isWord = (value: Json | undefined): value is JsonObject => isObject(value) && Object.keys(value).length > 0;

/** All schemas that are declared for a property, wherever they are. */
const ofProperty = ({ schemas }: Applying, name: string): Json[] => {
  const found = schemas.flatMap((schema) => {
    const named = own(own(schema, 'properties'), name);
    const patterns = Object.entries(objectAt(schema, 'patternProperties'));
    const direct = [
      ...(named === undefined ? [] : [named]),
      ...patterns.filter(([pattern]) => matches(pattern, name) !== false).map(([, one]) => one),
    ];
    const rest = own(schema, 'additionalProperties');
    return direct.length === 0 && isWord(rest) ? [rest] : direct;
  });
  if (found.length > 0) return found;
  return schemas.map((schema) => own(schema, 'unevaluatedProperties')).filter(isWord);
};

/** The schemas that are declared for an element. */
const ofElement = ({ schemas, root }: Applying, index: number, value: Json): Json[] =>
  schemas.flatMap((schema) => {
    const [items, prefix, contains] = ['items', 'prefixItems', 'contains'].map((keyword) => own(schema, keyword));
    const tuple = Array.isArray(items) ? items : Array.isArray(prefix) ? prefix : [];
    const rest = Array.isArray(items) ? own(schema, 'additionalItems') : items;
    const here = index < tuple.length ? tuple[index] : (rest ?? own(schema, 'unevaluatedItems'));
    const contained = contains !== undefined && takes(contains, root, value) !== false ? [contains] : [];
    return [...(here === undefined ? [] : [here]), ...contained];
  });

const REST = ['additionalProperties', 'unevaluatedProperties'];

/**
 * Whether a property is declared. `free`: the object says nothing about any property; a tool that does so takes none, so
 * that is `no`. `open`: the object names others and says that it takes any.
 */
const declares = (applying: Applying, name: string, isRoot: boolean): 'yes' | 'no' | 'free' | 'open' | 'unknown' => {
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

const isNamed = ({ schemas }: Applying, name: string): boolean =>
  schemas.some((schema) => Object.hasOwn(objectAt(schema, 'properties'), name));

/** Something that a call relies on and about which its contract now says something else. */
export type Shift = { way: string[] } & (
  | { kind: 'gone' }
  | { kind: 'reworded'; before: string[]; after: string[] }
  | { kind: 'default'; before: Json | undefined; after: Json | undefined }
  /** What is declared from here on is unknown. */
  | { kind: 'unknown' }
);

/** All that is said about a value, wherever: descriptions, and titles of the forms that the value has. */
const textsOf = ({ schemas }: Applying): Set<string> =>
  new Set(
    schemas.flatMap((schema) =>
      ['description', 'title'].flatMap((keyword) => {
        const text = own(schema, keyword);
        return typeof text === 'string' && text.trim() !== '' ? [text] : [];
      }),
    ),
  );

/** The words that were removed and added; undefined if there are none. */
const reworded = (before: Applying, after: Applying): { before: string[]; after: string[] } | undefined => {
  const [had, has] = [textsOf(before), textsOf(after)];
  const lost = [...had].filter((text) => !has.has(text));
  const came = [...has].filter((text) => !had.has(text));
  return lost.length + came.length > 0 ? { before: lost, after: came } : undefined;
};

const defaultOf = ({ schemas }: Applying): Json | undefined =>
  schemas.map((schema) => own(schema, 'default')).find((value) => value !== undefined);

/** Deeper arguments are not compared; that gives no verdict. */
const DEEPEST = 200;

class TooDeep extends Error {}

const compare = (before: Applying, after: Applying, value: Json, way: string[], found: Shift[]): void => {
  if (way.length > DEEPEST) throw new TooDeep();
  const go = (had: Json[], has: Json[], inside: Json, step: string): void => {
    const [old, now] = [applyingTo(had, before.root, inside), applyingTo(has, after.root, inside)];
    const place = [...way, step];
    const words = reworded(old, now);
    if (words) found.push({ kind: 'reworded', way: place, ...words });
    compare(old, now, inside, place, found);
  };
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries())
      go(ofElement(before, index, one), ofElement(after, index, one), one, '*');
    return;
  }
  if (!isObject(value)) return;
  const isRoot = way.length === 0;
  for (const [name, inside] of Object.entries(value as JsonObject)) {
    const [had, has] = [declares(before, name, isRoot), declares(after, name, isRoot)];
    if (had === 'unknown' || has === 'unknown') found.push({ kind: 'unknown', way: [...way, name] });
    else if (had === 'yes' && (has === 'no' || (has === 'open' && isNamed(before, name))))
      found.push({ kind: 'gone', way: [...way, name] });
    else if (had === 'yes' && has === 'yes') go(ofProperty(before, name), ofProperty(after, name), inside, name);
  }
  const optional = new Set(before.schemas.flatMap((schema) => Object.keys(objectAt(schema, 'properties'))));
  for (const name of optional) {
    if (Object.hasOwn(value, name)) continue;
    const has = ofProperty(after, name);
    if (has.length === 0) continue;
    const [old, now] = [
      defaultOf(applyingTo(ofProperty(before, name), before.root, undefined)),
      defaultOf(applyingTo(has, after.root, undefined)),
    ];
    if (!sameJson(old, now)) found.push({ kind: 'default', way: [...way, name], before: old, after: now });
  }
};

/** How long this may take, in ms, whatever the schemas are. */
const BUDGET_MS = 150;

/**
 * What a call relies on that no longer holds: compares what both contracts declare, anywhere, for the call's own values.
 * Undefined if that took too long, or the arguments are nested too deep.
 */
export const shiftsFor = (believed: Json, live: Json, args: JsonObject): Shift[] | undefined => {
  const work = (): Shift[] => {
    const found: Shift[] = [];
    const [before, after] = [asOneDocument(believed), asOneDocument(live)];
    const [old, now] = [applyingTo([before], before, args), applyingTo([after], after, args)];
    const words = reworded(old, now);
    if (words) found.push({ kind: 'reworded', way: [], ...words });
    compare(old, now, args, [], found);
    return found;
  };
  try {
    const result = boundedForCall({ schemas: [believed, live], args }, work, BUDGET_MS);
    return result.done ? result.value : undefined;
  } catch (error) {
    if (error instanceof TooDeep) return undefined;
    throw error;
  }
};
