import type Ajv from 'ajv/dist/2020.js';

let ajv: Ajv | undefined;

/**
 * Compiles one of our own schemas. `ownProperties`: without it `constructor` is a property of every object.
 * Checking our own schemas against the meta-schema would cost more than using them.
 */
export const compileSchema = (schema: object) => {
  // Loaded with the first schema: most hooks end without one.
  const { default: Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  ajv ??= new Ajv2020({ strict: false, ownProperties: true, validateSchema: false, meta: false, logger: false });
  return ajv.compile(schema);
};
