import stringify from 'fast-json-stable-stringify';
import { defined } from './defined.ts';
import type { Contract, Json, JsonObject } from './types.ts';

/** RFC 8785 canonical JSON of a value that came from `JSON.parse`. */
export const canonical = (value: Json): string => stringify(value);

/** SHA-256 over the UTF-8 bytes of a text, lower-case hex. */
export const sha256 = (text: string): string => {
  // Loaded when the first hash is made: most comparisons need none.
  const { createHash } = require('node:crypto') as typeof import('node:crypto');
  return createHash('sha256').update(text).digest('hex');
};

/**
 * The fields of a contract that go into its hash. The name does not: the hash is stored under it, and a renamed tool
 * keeps its hash. The input schema is called `schema`, so that a tool with nothing but a description and an input schema
 * has the hash of `{description, schema}`.
 */
export const hashed = (contract: Contract): JsonObject => ({
  ...defined({ description: contract.description }),
  schema: contract.inputSchema,
  ...defined({
    title: contract.title,
    outputSchema: contract.outputSchema,
    annotations: contract.annotations,
    branches: contract.branches,
    // An unreadable contract equals no readable one.
    defect: contract.defect,
  }),
});

/** The pin of a contract: SHA-256 of its canonical form exactly as the server sent it, noise included. */
export const contractHash = (contract: Contract): string => sha256(canonical(hashed(contract)));
