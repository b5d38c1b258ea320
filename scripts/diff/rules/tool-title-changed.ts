import { quoteChange } from '../../text/quote-change.ts';
import { say } from '../../text/shown.ts';
import type { Rule, ToolPair } from '../types.ts';
import { warns } from '../words/warns.ts';

export const toolTitleChanged: Rule<ToolPair> = {
  id: 'tool-title-changed',
  purpose: 'The title that people see changed; the model does not see it.',
  at: 'tool',
  keywords: ['title'],
  find: ({ before, after }) => [
    {
      kind: warns(before.title, after.title) ? 'warning' : 'name',
      path: '/title',
      message: say`title changed: ${quoteChange(before.title, after.title)}`,
      brief: say`the title changed`,
      before: before.title,
      after: after.title,
    },
  ],
  examples: [
    {
      what: 'another title',
      before: { name: 'a', title: 'A', inputSchema: { type: 'object' } },
      after: { name: 'a', title: 'B', inputSchema: { type: 'object' } },
      gives: ['semantic tool-title-changed /title, quiet'],
    },
    {
      what: 'a title that warns',
      before: { name: 'a', title: 'A', inputSchema: { type: 'object' } },
      after: { name: 'a', title: 'A (deprecated: use b)', inputSchema: { type: 'object' } },
      gives: ['semantic tool-title-changed /title'],
    },
  ],
};
