import { say } from '../../text/shown.ts';
import type { Rule, ToolPair } from '../types.ts';

const LISTED = { name: 'a', inputSchema: { type: 'object', required: ['title'] }, branches: ['note'] };
const UNLISTED = { ...LISTED, inputSchema: { type: 'object' }, schemaless: true };

export const toolInputUnlisted: Rule<ToolPair> = {
  id: 'tool-input-unlisted',
  purpose:
    'The tool is listed by its branches alone, and was listed with an input schema, or the other way round: what it takes cannot be compared.',
  at: 'tool',
  keywords: ['schemaless'],
  find: ({ after }) => {
    const message = after.schemaless
      ? say`its input schema is no longer listed: any object is taken for valid`
      : say`its input schema is listed now`;
    return [{ path: '/inputSchema', message }];
  },
  examples: [
    {
      what: 'no longer listed',
      before: LISTED,
      after: UNLISTED,
      gives: ['unclassified tool-input-unlisted /inputSchema'],
    },
    { what: 'listed now', before: UNLISTED, after: LISTED, gives: ['unclassified tool-input-unlisted /inputSchema'] },
    { what: 'never listed', before: UNLISTED, after: UNLISTED, gives: [] },
  ],
};
