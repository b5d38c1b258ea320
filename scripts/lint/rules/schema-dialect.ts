import { type Json, own } from '../../contract/types.ts';
import { quoteText } from '../../text/quote.ts';
import { notIn2020 } from '../meta-schema.ts';
import type { RuleFinding, ToolRule } from '../types.ts';

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
