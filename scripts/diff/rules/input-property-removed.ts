import { pointer } from '../../contract/json-pointer.ts';
import { own } from '../../contract/types.ts';
import { quoteName } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import type { Rule, SchemaPair } from '../types.ts';

/** Whether the new schema refuses a property that it does not name; if not, it accepts and ignores it. */
export const refusesUnknown = (pair: SchemaPair): boolean => {
  const rest = own(pair.after, 'additionalProperties') ?? own(pair.after, 'unevaluatedProperties') ?? true;
  return rest !== true;
};

export const inputPropertyRemoved: Rule<SchemaPair> = {
  id: 'input-property-removed',
  purpose: 'A parameter is gone. An open object goes on accepting it, and ignores it.',
  at: 'schema',
  keywords: ['properties'],
  find: (pair) =>
    pair.removed.map((name) => ({
      kind: refusesUnknown(pair) ? 'refused' : 'ignored',
      path: `/properties${pointer(name)}`,
      parameter: name,
      message: say`removed: ${quoteName(name)} (${refusesUnknown(pair) ? 'the server refuses it now' : 'still accepted, and ignored'})`,
      before: own(own(pair.before, 'properties'), name),
    })),
  examples: [
    {
      what: 'from an open object: the value is dropped without an error',
      before: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } } },
      after: { type: 'object', properties: { a: { type: 'string' } } },
      gives: ['input-property-removed /inputSchema/properties/b'],
    },
    {
      what: 'from a closed object: the call fails',
      before: {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'integer' } },
        additionalProperties: false,
      },
      after: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
      gives: ['input-property-removed /inputSchema/properties/b'],
    },
  ],
};
