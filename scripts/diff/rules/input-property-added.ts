import { pointer } from '../../contract/json-pointer.ts';
import { isObject, own } from '../../contract/types.ts';
import { quoteName } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import type { Rule, SchemaPair } from '../types.ts';
import { requiredNames } from './input-property-became-required.ts';

export const inputPropertyAdded: Rule<SchemaPair> = {
  id: 'input-property-added',
  purpose: 'There is a parameter that was not there. A required one makes every old call invalid.',
  at: 'schema',
  keywords: ['properties'],
  find: (pair) => {
    const names = new Set(requiredNames(pair.after));
    return pair.added.map((name) => {
      const schema = own(own(pair.after, 'properties'), name);
      const required = names.has(name);
      return {
        kind: required ? 'required' : 'optional',
        path: `/properties${pointer(name)}`,
        parameter: name,
        message: say`added: ${required ? 'required' : 'optional'} ${quoteName(name)}`,
        after: isObject(schema) ? schema : undefined,
      };
    });
  },
  examples: [
    {
      what: 'an optional parameter',
      before: { type: 'object', properties: { dataset: { type: 'string' } } },
      after: { type: 'object', properties: { dataset: { type: 'string' }, region: { type: 'string' } } },
      gives: ['input-property-added /inputSchema/properties/region'],
    },
    {
      what: 'a required parameter: one line, not two',
      before: { type: 'object', properties: { dataset: { type: 'string' } }, required: ['dataset'] },
      after: {
        type: 'object',
        properties: { dataset: { type: 'string' }, region: { type: 'string' } },
        required: ['dataset', 'region'],
      },
      gives: ['input-property-added /inputSchema/properties/region'],
    },
  ],
};
