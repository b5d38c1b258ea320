import { isObject, type Json, type JsonObject } from '../../contract/types.ts';
import { derived, objectsWith } from '../derived.ts';
import { asObject } from '../facts.ts';
import { MADE } from '../scope.ts';
import { about, type Obligation } from './keyword.ts';

/** Given values with a property that a caller can pass satisfy what the claim says for values that have it. */
const withEach =
  (meant: (need: Json, operand: Json, name: string) => Json): Obligation =>
  (given, operand, { scope }, proof) =>
    isObject(operand) &&
    Object.entries(operand as JsonObject).every(([name, need]) => {
      if (proof.isUnused(given, name)) return true;
      const present = objectsWith(operand as JsonObject, name);
      return proof.proves([...given, { schema: present, scope: MADE }], meant(need, operand, name), scope);
    });

const requiring = (names: Json, operand: Json, name: string): Json =>
  derived(asObject(operand), `needs of ${name}`, () => ({ required: names }));

export const DEPENDENCIES = about(['object'], {
  dependentRequired: withEach(requiring),
  dependentSchemas: withEach((schema) => schema),
  /** The older form of both: entries that are lists are `dependentRequired`, schemas are `dependentSchemas`. */
  dependencies: withEach((need, operand, name) => (Array.isArray(need) ? requiring(need, operand, name) : need)),
});
