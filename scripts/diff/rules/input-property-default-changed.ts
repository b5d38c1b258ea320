import { sameJson } from '../../contract/same.ts';
import { own } from '../../contract/types.ts';
import { quoteValue } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import type { Rule, SchemaPair } from '../types.ts';

export const inputPropertyDefaultChanged: Rule<SchemaPair> = {
  id: 'input-property-default-changed',
  purpose: 'Leaving the parameter out means something else now.',
  at: 'schema',
  keywords: ['default'],
  find: ({ before, after }) => {
    const had = own(before, 'default');
    const has = own(after, 'default');
    if (sameJson(had, has)) return [];
    // A default can be prose, which the model does not get: it gets only names and enum values.
    const plain = [had, has].every((value) => typeof value !== 'object' && /^[\w.-]{0,40}$/.test(String(value)));
    const message = say`default changed: ${quoteValue(had)} → ${quoteValue(has)}`;
    return [{ path: '/default', message, brief: plain ? message : say`the default changed`, before: had, after: has }];
  },
  examples: [
    {
      what: 'a smaller page',
      before: { type: 'object', properties: { max_results: { type: 'integer', default: 10 } } },
      after: { type: 'object', properties: { max_results: { type: 'integer', default: 5 } } },
      gives: ['input-property-default-changed /inputSchema/properties/max_results/default'],
    },
  ],
};
