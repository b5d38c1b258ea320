import type { ToolRule } from '../types.ts';

export const schemaNotListed: ToolRule = {
  id: 'schema-not-listed',
  purpose:
    'A tool that is listed by its branches alone is taken for one that takes any object: no call can be checked before it is sent, and no change of a field is seen.',
  at: 'tool',
  find: ({ schemaless }) =>
    schemaless
      ? [{ path: '/inputSchema', message: 'is listed by its branches alone: any object is taken for valid' }]
      : [],
  examples: [
    {
      what: 'branches alone',
      tools: [{ name: 'save', annotations: { readOnlyHint: true }, branches: ['note', 'link'] }],
      gives: ['note schema-not-listed save /inputSchema'],
    },
    {
      what: 'branches beside a schema',
      tools: [
        { name: 'save', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' }, branches: ['note'] },
      ],
      gives: [],
    },
  ],
};
