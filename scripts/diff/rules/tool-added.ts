import { say } from '../../text/shown.ts';
import type { ListPair, Rule } from '../types.ts';

export const toolAdded: Rule<ListPair> = {
  id: 'tool-added',
  purpose: 'The server has a tool that it did not have.',
  at: 'list',
  keywords: [],
  find: ({ added }) => added.map((tool) => ({ tool: tool.name, message: say`the tool is new` })),
  examples: [
    {
      what: 'a second tool',
      before: [{ name: 'a', inputSchema: { type: 'object' } }],
      after: [
        { name: 'a', inputSchema: { type: 'object' } },
        { name: 'b', inputSchema: { type: 'object', required: ['x'] } },
      ],
      gives: ['compatible tool-added '],
    },
  ],
};
