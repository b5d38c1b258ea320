import type { ErrorObject } from 'ajv';
import { bounded } from '../contract/bounded.ts';
import type { Json } from '../contract/types.ts';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
/** How long one check may take, in ms; for real schemas it takes microseconds. */
const BUDGET_MS = 250;

/** Compiled once, because that takes longer than checking a hundred schemas. */
let check: ((schema: Json) => ErrorObject | undefined) | undefined;

const compile = (): ((schema: Json) => ErrorObject | undefined) => {
  const { default: Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  // The formats of the meta-schema (URIs, regular expressions) are annotations: clients do not check them either.
  const validate = new Ajv2020({ strict: false, validateFormats: false, logger: false }).getSchema(DIALECT);
  if (validate === undefined) throw new Error('ajv has lost the meta-schema of 2020-12');
  return (schema) => (validate(schema) ? undefined : (validate.errors?.at(0) ?? undefined));
};

/** Why a schema is invalid by JSON Schema 2020-12, and where; undefined if it is valid, or that could not be found out. */
export const notIn2020 = (schema: Json): { path: string; why: string } | undefined => {
  check ??= compile();
  const validate = check;
  const found = bounded(() => validate(schema), BUDGET_MS);
  if (!found.done || found.value === undefined) return undefined;
  const { instancePath, message = 'is not allowed', params } = found.value;
  const allowed = (params as { allowedValues?: unknown }).allowedValues;
  return { path: instancePath, why: Array.isArray(allowed) ? `${message}: ${allowed.join(', ')}` : message };
};
