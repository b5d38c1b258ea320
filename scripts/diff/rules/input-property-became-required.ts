import { pointer } from '../../contract/json-pointer.ts';
import { own } from '../../contract/types.ts';
import { quoteName } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import type { Rule, SchemaPair } from '../types.ts';

/** The names in a schema's `required`. */
export const requiredNames = (schema: SchemaPair['before']): string[] => {
  const required = own(schema, 'required');
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : [];
};

/** Names that only one side's `required` has, without properties that were added, removed or renamed. */
export const requiredOnlyIn = (pair: SchemaPair, side: 'before' | 'after'): string[] => {
  const there = new Set(requiredNames(side === 'after' ? pair.before : pair.after));
  const moved = new Set([...pair.added, ...pair.removed, ...pair.renamed.flatMap(({ from, to }) => [from, to])]);
  return requiredNames(pair[side]).filter((name) => !there.has(name) && !moved.has(name));
};

export const inputPropertyBecameRequired: Rule<SchemaPair> = {
  id: 'input-property-became-required',
  purpose:
    'A parameter that could be left out must be given. A default does not save it: it is the caller who is asked.',
  at: 'schema',
  keywords: ['required'],
  find: (pair) =>
    requiredOnlyIn(pair, 'after').map((name) => ({
      path: `/properties${pointer(name)}`,
      parameter: name,
      message: say`now required: ${quoteName(name)}`,
      before: false,
      after: true,
    })),
  examples: [
    {
      what: 'optional before',
      before: { type: 'object', properties: { a: { type: 'string' } } },
      after: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      gives: ['breaking input-property-became-required /inputSchema/properties/a'],
    },
  ],
};
