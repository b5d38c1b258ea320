import type { ErrorObject } from 'ajv';
import { bounded } from '../../contract/bounded.ts';
import { type Json, own } from '../../contract/types.ts';
import { quoteText } from '../../text/quote.ts';
import type { RuleFinding, ToolRule } from '../types.ts';

const META_SCHEMA = 'https://json-schema.org/draft/2020-12/schema';
/** How long one check may take, in ms; for real schemas it takes microseconds. */
const BUDGET_MS = 250;

/** Compiled once, because that takes longer than checking a hundred schemas. */
let check: ((schema: Json) => ErrorObject | undefined) | undefined;

const compile = (): ((schema: Json) => ErrorObject | undefined) => {
  const { default: Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  // The formats of the meta-schema (URIs, regular expressions) are annotations: clients do not check them either.
  const validate = new Ajv2020({ strict: false, validateFormats: false, logger: false }).getSchema(META_SCHEMA);
  if (validate === undefined) throw new Error('ajv has lost the meta-schema of 2020-12');
  return (schema) => (validate(schema) ? undefined : (validate.errors?.at(0) ?? undefined));
};

/** Why a schema is invalid by JSON Schema 2020-12, and where; undefined if it is valid, or that could not be found out. */
const notIn2020 = (schema: Json): { path: string; why: string } | undefined => {
  check ??= compile();
  const validate = check;
  const found = bounded(() => validate(schema), BUDGET_MS);
  if (!found.done || found.value === undefined) return undefined;
  const { instancePath, message = 'is not allowed', params } = found.value;
  const allowed = (params as { allowedValues?: unknown }).allowedValues;
  return { path: instancePath, why: Array.isArray(allowed) ? `${message}: ${allowed.join(', ')}` : message };
};

/** The dialects that the validators of MCP's own libraries support. */
const KNOWN = /^https?:\/\/json-schema\.org\/(draft\/(2020-12|2019-09)|draft-0[67])\/schema#?$/;

const tool = (schema: Json, more = {}) => ({
  name: 'look',
  annotations: { readOnlyHint: true },
  inputSchema: { type: 'object', properties: { at: schema }, ...more },
});

const declared = (key: 'inputSchema' | 'outputSchema', schema: Json | undefined): RuleFinding[] => {
  const dialect = own(schema, '$schema');
  if (dialect === undefined || (typeof dialect === 'string' && KNOWN.test(dialect))) return [];
  const message = `${quoteText(String(dialect), 100)} is no dialect that clients know`;
  return [{ kind: 'declared', path: `/${key}/$schema`, message }];
};

export const schemaDialect: ToolRule = {
  id: 'schema-dialect',
  purpose:
    "An input is a schema of JSON Schema 2020-12, whatever older dialect it declares: Claude's API checks it as that and refuses the whole request. A `$schema` names a dialect that clients know.",
  at: 'tool',
  find: ({ inputSchema, outputSchema }) => {
    const wrong = notIn2020(inputSchema);
    return [
      ...(wrong === undefined
        ? []
        : [{ path: `/inputSchema${wrong.path}`, message: `is not JSON Schema 2020-12: ${quoteText(wrong.why, 200)}` }]),
      ...declared('inputSchema', inputSchema),
      ...declared('outputSchema', outputSchema),
    ];
  },
  examples: [
    {
      what: 'what draft 4 and draft 7 spell otherwise',
      tools: [
        { ...tool({ type: 'integer', minimum: 0, exclusiveMinimum: true }), name: 'a' },
        { ...tool({ type: 'array', items: [{ type: 'string' }] }), name: 'b' },
      ],
      gives: [
        'error schema-dialect a /inputSchema/properties/at/exclusiveMinimum',
        'error schema-dialect b /inputSchema/properties/at/items',
      ],
    },
    {
      what: 'a misspelt type',
      tools: [tool({ type: 'strng' })],
      gives: ['error schema-dialect look /inputSchema/properties/at/type'],
    },
    {
      what: 'draft 7 in name, and nothing that 2020-12 spells otherwise',
      tools: [tool({ type: 'string' }, { $schema: 'http://json-schema.org/draft-07/schema#' })],
      gives: [],
    },
    {
      what: 'a dialect of its own',
      tools: [tool({ type: 'string' }, { $schema: 'https://spec.openapis.org/oas/3.1/dialect/base' })],
      gives: ['warning schema-dialect look /inputSchema/$schema'],
    },
  ],
};
