import type { Contract } from '../../contract/types.ts';
import { quoteChange } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import { clarifies } from '../clarify.ts';
import { keepsWords } from '../keeps-words.ts';
import type { Rule, ToolPair } from '../types.ts';

const isPlainer = (before: Contract, after: Contract): boolean =>
  before.description !== undefined &&
  after.description !== undefined &&
  keepsWords(before.description, after.description) &&
  clarifies(before.description, after.description, {
    names: [before.name],
    parameters: JSON.stringify(before.inputSchema),
  });

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
            kind: isPlainer(before, after) ? 'plainer' : 'words',
            path: '/description',
            message: say`description changed: ${quoteChange(before.description, after.description)}`,
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
    {
      what: 'the same words, and some that the tool was known by',
      before: { name: 'list_files', description: 'Lists all files', inputSchema: { type: 'object' } },
      after: {
        name: 'list_files',
        description: 'Lists all files (for a list of files).',
        inputSchema: { type: 'object' },
      },
      gives: ['tool-description-changed /description'],
    },
  ],
};
