import { canonical } from '../contract/canonical.ts';
import { type Contract, isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { findRenames } from './rename.ts';
import type { SchemaPair } from './types.ts';

/** One step of a JSON Pointer. */
export const pointer = (key: string): string => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? (value as JsonObject) : {});

export const sameJson = (a: Json | undefined, b: Json | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && canonical(a) === canonical(b));

const propertiesOf = (schema: JsonObject): JsonObject => asObject(own(schema, 'properties'));

const pairSchemas = (path: string, parameter: readonly string[], before: JsonObject, after: JsonObject): SchemaPair => {
  const had = propertiesOf(before);
  const has = propertiesOf(after);
  const removed = Object.entries(had).filter(([name]) => !Object.hasOwn(has, name)) as [string, JsonObject][];
  const added = Object.entries(has).filter(([name]) => !Object.hasOwn(had, name)) as [string, JsonObject][];
  const renamed = findRenames(removed, added);
  const from = new Set(renamed.map((rename) => rename.from));
  const to = new Set(renamed.map((rename) => rename.to));
  return {
    at: 'schema',
    path,
    parameter,
    before,
    after,
    added: added.map(([name]) => name).filter((name) => !to.has(name)),
    removed: removed.map(([name]) => name).filter((name) => !from.has(name)),
    renamed,
  };
};

/**
 * Every place of two input schemas that both have: the root, properties of objects, elements of arrays, in the order of
 * the old contract. Both contracts are free of noise. A place whose two sides are equal is not visited.
 */
export function* walk(before: Contract, after: Contract): Generator<SchemaPair> {
  type Place = [path: string, parameter: readonly string[], before: Json | undefined, after: Json | undefined];
  const open: Place[] = [['/inputSchema', [], before.inputSchema, after.inputSchema]];
  for (let place = open.pop(); place; place = open.pop()) {
    const [path, parameter, old, now] = place;
    if (!isObject(old) || !isObject(now) || sameJson(old as Json, now as Json)) continue;
    const pair = pairSchemas(path, parameter, old as JsonObject, now as JsonObject);
    yield pair;
    const had = propertiesOf(pair.before);
    const has = propertiesOf(pair.after);
    const deeper: Place[] = [];
    for (const name of Object.keys(had)) {
      const goesOnAs = Object.hasOwn(has, name) ? name : pair.renamed.find(({ from }) => from === name)?.to;
      if (goesOnAs === undefined) continue;
      deeper.push([`${path}/properties${pointer(name)}`, [...parameter, name], had[name], has[goesOnAs]]);
    }
    if (isObject(own(old, 'items')) && isObject(own(now, 'items'))) {
      deeper.push([`${path}/items`, [...parameter, '*'], own(old, 'items'), own(now, 'items')]);
    }
    open.push(...deeper.reverse());
  }
}

/** Keywords that `walk` follows into where both sides are objects: their insides are compared at their own place. */
export const followed = (keyword: string, before: Json | undefined, after: Json | undefined): boolean =>
  keyword === 'items' && isObject(before) && isObject(after);
