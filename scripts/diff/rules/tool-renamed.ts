import { quoteName } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import type { ListPair, Rule } from '../types.ts';

export const toolRenamed: Rule<ListPair> = {
  id: 'tool-renamed',
  purpose: 'A tool went and another with the same contract, or the same name in another spelling, came.',
  at: 'list',
  keywords: [],
  find: ({ renamed }) =>
    renamed.map(({ before, after, evidence }) => ({
      tool: before.name,
      renamedTo: after.name,
      message: say`renamed: ${quoteName(before.name)} → ${quoteName(after.name)} (${evidence})`,
      before: before.name,
      after: after.name,
    })),
  examples: [
    {
      what: 'hyphens became underscores',
      before: [{ name: 'API-get-user', inputSchema: { type: 'object' } }],
      after: [{ name: 'API_get_user', inputSchema: { type: 'object' } }],
      gives: ['tool-renamed '],
    },
    {
      what: 'a prefix that went away',
      before: [{ name: 'API-get-user', inputSchema: { type: 'object', properties: { id: { type: 'string' } } } }],
      after: [{ name: 'get-user', inputSchema: { type: 'object', properties: { id: { type: 'integer' } } } }],
      gives: ['tool-renamed ', 'input-property-type-changed /inputSchema/properties/id/type'],
    },
    {
      what: 'another name for the same contract',
      before: [{ name: 'find', inputSchema: { type: 'object', required: ['q'] } }],
      after: [{ name: 'lookup', inputSchema: { type: 'object', required: ['q'] } }],
      gives: ['tool-renamed '],
    },
  ],
};
