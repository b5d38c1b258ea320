import { targetOf } from '../../contract/references.ts';
import { isObject, type Json, type JsonObject, own } from '../../contract/types.ts';
import { isAnnotation } from '../annotations.ts';
import { covered, opened } from '../references.ts';

/** Keywords whose value has a schema for each name. Titles there are the names again, as libraries write them. */
const NAMED = new Set(['$defs', 'definitions', 'properties']);
/** Keywords whose value has something for each name, and no keywords beside it. */
const MAPS = new Set(['dependencies', 'dependentRequired', 'dependentSchemas', 'patternProperties', ...NAMED]);
/** Keywords that hold values: their keys are no keywords. */
const VALUES = new Set(['const', 'enum', 'example', 'examples']);

const lettersOf = (said: Json | undefined): string =>
  String(said)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

/** Whether a title is the only value in words, "Light rail" for `light_rail`. */
export const saysTheValue = (schema: JsonObject): boolean => {
  const value = own(schema, 'const');
  return typeof value === 'string' && lettersOf(value) !== '' && lettersOf(value) === lettersOf(own(schema, 'title'));
};

const isTitled = (key: string, schema: JsonObject, isNamed: boolean): boolean =>
  key === 'description' || (key === 'title' && !isNamed && !saysTheValue(schema));

/** All descriptions, titles of forms, defaults and annotations in a part of a schema, and in what it refers to. */
export const toldIn = (value: Json | undefined, root: Json): Json[] => {
  const seen = new Set<Json>();
  const collect = (one: Json | undefined, isNamed: boolean): Json[] => {
    if (Array.isArray(one)) return one.flatMap((member) => collect(member, false));
    if (!isObject(one)) return [];
    const { schema, target = one as JsonObject } = opened(one as JsonObject, root);
    if (seen.has(target)) return [];
    seen.add(target);
    const left = own(schema, '$ref');
    const behind = typeof left === 'string' ? collect(targetOf(left, root), isNamed) : [];
    const hidden = schema === target ? [] : covered(one as JsonObject, target).map((key) => own(target, key) as Json);
    // The order of keys means nothing.
    const here = Object.keys(schema)
      .sort()
      .flatMap((key) => {
        const held = own(schema, key);
        if ((isTitled(key, schema, isNamed) && typeof held === 'string') || key === 'default') return [held as Json];
        if (VALUES.has(key)) return [];
        if (held !== undefined && isAnnotation(key, schema)) return [[key, held]];
        if (!MAPS.has(key) || !isObject(held)) return collect(held, false);
        return Object.keys(held)
          .sort()
          .flatMap((name) => collect(own(held, name), NAMED.has(key)));
      });
    return [...here, ...hidden, ...behind];
  };
  return collect(value, false);
};
