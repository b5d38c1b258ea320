import { propertiesOf } from '../contract/object-schema.ts';
import { targetOf } from '../contract/references.ts';
import { type Contract, isObject, type Json, own } from '../contract/types.ts';

const MOST_STEPS = 8;
/** Keywords with which a schema has alternatives, or lists its values. */
const BRANCHING = ['anyOf', 'oneOf', 'allOf', 'if', 'enum', 'const', 'not'];
const ROOT_BRANCHING = ['anyOf', 'oneOf', 'allOf', 'if', 'dependentSchemas', 'patternProperties'];

/** A schema with local references followed; any other is returned unchanged. */
export const resolved = (schema: Json, root: Json): Json => {
  let at = schema;
  for (let step = 0; step < MOST_STEPS; step++) {
    const reference = own(at, '$ref');
    const found = typeof reference === 'string' ? targetOf(reference, root) : undefined;
    if (found === undefined) return at;
    at = found;
  }
  return at;
};

/** Whether a schema is a plain string, possibly null: no client gets that wrong. */
const isPlainText = (schema: Json, root: Json): boolean => {
  const found = resolved(schema, root);
  const types = [own(found, 'type')].flat().filter((type) => type !== 'null');
  const nullable = own(found, 'anyOf');
  if (Array.isArray(nullable) && types.length === 1 && types[0] === undefined)
    return nullable.filter((branch) => own(branch, 'type') !== 'null').every((branch) => isPlainText(branch, root));
  return types.length === 1 && types[0] === 'string' && !BRANCHING.some((key) => own(found, key) !== undefined);
};

/**
 * Whether an input is structured or evolves: it has unions, parameters that are no plain strings, enums, a schema for
 * unknown properties, or branches that a gateway names.
 */
export const isStructured = ({ inputSchema, branches, extra }: Contract): boolean => {
  if (branches !== undefined || extra?.evolving === true) return true;
  const root = resolved(inputSchema, inputSchema);
  if (ROOT_BRANCHING.some((key) => own(root, key) !== undefined)) return true;
  const more = own(root, 'additionalProperties');
  if (isObject(more) && Object.keys(more).length > 0) return true;
  return Object.values(propertiesOf(root)).some((schema) => !isPlainText(schema, inputSchema));
};
