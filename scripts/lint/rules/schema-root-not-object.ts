import { present } from '../../contract/defined.ts';
import { own } from '../../contract/types.ts';
import type { ToolRule } from '../types.ts';

export const schemaRootNotObject: ToolRule = {
  id: 'schema-root-not-object',
  purpose:
    'The root of an input says `"type": "object"`, as MCP asks: clients made with version 1 of its library refuse the whole list otherwise. They ask the same of an output, which MCP itself no longer does.',
  at: 'tool',
  find: ({ inputSchema, outputSchema }) =>
    present([
      !(own(inputSchema, 'type') === 'object') && {
        path: '/inputSchema',
        message:
          'the root of the input does not say `"type": "object"`, as MCP asks: clients with version 1 of its library refuse the whole list',
      },
      !(outputSchema === undefined || own(outputSchema, 'type') === 'object') && {
        kind: 'output',
        path: '/outputSchema',
        message:
          'the root of the output does not say `"type": "object"`: clients with version 1 of the MCP library refuse the whole list',
      },
    ]),
  examples: [
    {
      what: 'no type, another type, no schema at all',
      tools: [
        { name: 'a', inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#' } },
        { name: 'b', inputSchema: { type: ['object', 'null'] } },
        { name: 'c', inputSchema: true },
      ],
      gives: [
        'error schema-root-not-object a /inputSchema',
        'error schema-root-not-object b /inputSchema',
        'error schema-root-not-object c /inputSchema',
      ],
    },
    {
      what: 'an output that is a list',
      tools: [{ name: 'a', inputSchema: { type: 'object' }, outputSchema: { type: 'array' } }],
      gives: ['warning schema-root-not-object a /outputSchema'],
    },
  ],
};
