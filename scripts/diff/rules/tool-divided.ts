import type { Contract } from '../../contract/types.ts';
import { quoteName } from '../../text/quote.ts';
import { joined, type Shown, say } from '../../text/shown.ts';
import type { ListPair, Rule } from '../types.ts';

const names = (tools: Contract[]): Shown =>
  joined(
    tools.map((tool) => quoteName(tool.name)),
    ', ',
  );

export const toolDivided: Rule<ListPair> = {
  id: 'tool-divided',
  purpose: 'One tool became several, or several became one: told by names that extend one name, and shared parameters.',
  at: 'list',
  keywords: [],
  find: ({ divided }) =>
    divided.flatMap(({ before, after }) =>
      before.map((tool) => ({
        tool: tool.name,
        message: say`${after.length > 1 ? 'perhaps split' : 'perhaps merged'}: ${names(before)} → ${names(after)} (similar names and shared parameters)`,
        before: before.map(({ name }) => name),
        after: after.map(({ name }) => name),
      })),
    ),
  examples: [
    {
      what: 'one became two',
      before: [{ name: 'search', inputSchema: { type: 'object', properties: { query: {}, kind: {} } } }],
      after: [
        { name: 'search_files', inputSchema: { type: 'object', properties: { query: { type: 'string' } } } },
        { name: 'search_users', inputSchema: { type: 'object', properties: { query: { type: 'string' } } } },
      ],
      gives: ['breaking tool-divided '],
    },
    {
      what: 'two became one',
      before: [
        { name: 'read_text_file', inputSchema: { type: 'object', properties: { path: {}, head: {} } } },
        { name: 'read_media_file', inputSchema: { type: 'object', properties: { path: {} } } },
        { name: 'file_read', inputSchema: { type: 'object', required: ['x'] } },
      ],
      after: [
        { name: 'file', inputSchema: { type: 'object', properties: { path: { type: 'string' }, as: {} } } },
        { name: 'file_read', inputSchema: { type: 'object', required: ['x'] } },
      ],
      gives: ['breaking tool-divided ', 'breaking tool-divided '],
    },
    {
      what: 'similar names alone say nothing',
      before: [{ name: 'search', inputSchema: { type: 'object', properties: { query: {} } } }],
      after: [
        { name: 'search_files', inputSchema: { type: 'object', properties: { path: {} } } },
        { name: 'search_users', inputSchema: { type: 'object', properties: { user: {} } } },
      ],
      gives: ['breaking tool-removed ', 'compatible tool-added ', 'compatible tool-added '],
    },
  ],
};
