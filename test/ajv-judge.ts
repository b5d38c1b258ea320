import Ajv from 'ajv/dist/2020.js';
import type { JsonObject } from '../scripts/contract/types.ts';

const newAjv = () =>
  new Ajv({
    strict: false,
    ownProperties: true,
    validateFormats: false,
    validateSchema: false,
    meta: false,
    logger: false,
    // Whether a value is valid is all that is asked: the code for sentences takes a third of the time.
    messages: false,
    code: { optimize: false },
  });
let ajv = newAjv();
let compiled = 0;
/** Compiles a schema with ajv, the judge of the random tests. */
export const compile = (schema: JsonObject) => {
  // It remembers every schema: a new one now and then keeps memory flat.
  if (++compiled % 200 === 0) ajv = newAjv();
  return ajv.compile(schema);
};
