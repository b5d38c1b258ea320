import { sameJson } from '../../contract/same.ts';
import { own } from '../../contract/types.ts';
import { say } from '../../text/shown.ts';
import type { Rule, SchemaPair } from '../types.ts';

export const inputObjectClosed: Rule<SchemaPair> = {
  id: 'input-object-closed',
  purpose: 'Whether parameters that the schema does not name are accepted changed.',
  at: 'schema',
  keywords: ['additionalProperties'],
  find: ({ before, after }) => {
    const had = own(before, 'additionalProperties');
    const has = own(after, 'additionalProperties');
    if (sameJson(had, has) || (has !== false && has !== undefined)) return [];
    return [
      {
        kind: has === false ? 'closed' : 'opened',
        path: '/additionalProperties',
        message: say`unknown parameters are ${has === false ? 'refused' : 'accepted'} now`,
        before: had,
        after: has,
      },
    ];
  },
  examples: [
    {
      what: 'closed',
      before: { type: 'object', properties: { a: { type: 'string' } } },
      after: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
      gives: ['input-object-closed /inputSchema/additionalProperties'],
    },
    {
      what: 'opened',
      before: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
      after: { type: 'object', properties: { a: { type: 'string' } } },
      gives: ['input-object-closed /inputSchema/additionalProperties'],
    },
  ],
};
