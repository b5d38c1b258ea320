import { quoteValue } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import type { Rule, ToolPair } from '../types.ts';

export const toolDescriptionChanged: Rule<ToolPair> = {
  id: 'tool-description-changed',
  purpose: 'The words that tell the model what the tool does changed.',
  at: 'tool',
  keywords: ['description'],
  find: ({ before, after }) =>
    before.description === after.description
      ? []
      : [
          {
            path: '/description',
            message: say`description changed: ${quoteValue(before.description)} → ${quoteValue(after.description)}`,
            brief: say`the description changed`,
            before: before.description,
            after: after.description,
          },
        ],
  examples: [
    {
      what: 'the tool now does more',
      before: { name: 'a', description: 'Lists files.', inputSchema: { type: 'object' } },
      after: { name: 'a', description: 'Lists and deletes files.', inputSchema: { type: 'object' } },
      gives: ['tool-description-changed /description'],
    },
  ],
};
