import { pointer } from '../../contract/json-pointer.ts';
import { quoteName } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import type { Rule, SchemaPair } from '../types.ts';
import { requiredOfCalls } from './input-property-became-required.ts';

export const inputPropertyBecameOptional: Rule<SchemaPair> = {
  id: 'input-property-became-optional',
  purpose: 'A parameter that had to be given may be left out.',
  at: 'schema',
  keywords: ['required'],
  find: (pair) =>
    requiredOfCalls(pair, 'before').map((name) => ({
      path: `/properties${pointer(name)}`,
      parameter: name,
      message: say`no longer required: ${quoteName(name)}`,
      before: true,
      after: false,
    })),
  examples: [
    {
      what: 'required before',
      before: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      after: { type: 'object', properties: { a: { type: 'string' } } },
      gives: ['compatible input-property-became-optional /inputSchema/properties/a, quiet'],
    },
  ],
};
