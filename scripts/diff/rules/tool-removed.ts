import { say } from '../../text/shown.ts';
import type { ListPair, Rule } from '../types.ts';

export const toolRemoved: Rule<ListPair> = {
  id: 'tool-removed',
  purpose: 'The server no longer has the tool: every call of it fails.',
  at: 'list',
  keywords: [],
  find: ({ removed }) => removed.map((tool) => ({ tool: tool.name, message: say`the tool is gone` })),
  examples: [
    {
      what: 'the second tool went away',
      before: [
        { name: 'a', inputSchema: { type: 'object' } },
        { name: 'b', inputSchema: { type: 'object', required: ['x'] } },
      ],
      after: [{ name: 'a', inputSchema: { type: 'object' } }],
      gives: ['breaking tool-removed '],
    },
  ],
};
