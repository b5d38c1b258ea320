import { pointer } from '../../contract/json-pointer.ts';
import { own } from '../../contract/types.ts';
import { quoteName } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import { visible } from '../../text/visible.ts';
import { conditionAt, isConditional } from '../places.ts';
import type { Rule, SchemaPair } from '../types.ts';

/** The names in a schema's `required`. */
export const requiredNames = (schema: SchemaPair['before']): string[] => {
  const required = own(schema, 'required');
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : [];
};

/** Names that only one side's `required` has, without properties that were added, removed or renamed. */
export const requiredOfCalls = (pair: SchemaPair, side: 'before' | 'after'): string[] => {
  // Names that a condition needs to hold are not required of a call.
  if (conditionAt(pair.path) !== undefined) return [];
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
    requiredOfCalls(pair, 'after').map((name) => ({
      path: `/properties${pointer(name)}`,
      parameter: name,
      message: say`now required${visible(isConditional(pair.path) ? ' under a condition' : '')}: ${quoteName(name)}`,
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
    {
      what: 'what a condition needs to hold is not required of a call',
      before: {
        type: 'object',
        properties: { pay: { enum: ['card', 'cash'] }, card: { type: 'string' } },
        if: { properties: { pay: { const: 'card' } }, required: ['pay'] },
        // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
        then: { required: ['card'] },
      },
      after: {
        type: 'object',
        properties: { pay: { enum: ['card', 'cash'] }, card: { type: 'string' } },
        if: { properties: { pay: { const: 'card' } } },
        // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
        then: { required: ['card'] },
      },
      gives: ['unclassified unclassified /inputSchema/if/required'],
    },
    {
      what: 'nor is what a value may not have',
      before: {
        type: 'object',
        properties: { at: { type: 'object', not: { required: ['day', 'week'] } } },
      },
      after: { type: 'object', properties: { at: { type: 'object', not: { required: ['day'] } } } },
      gives: ['unclassified unclassified /inputSchema/properties/at/not/required, ask when used'],
    },
    {
      what: 'a parameter that is called like such a keyword',
      before: { type: 'object', properties: { if: { type: 'object', properties: { at: { type: 'string' } } } } },
      after: {
        type: 'object',
        properties: { if: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] } },
      },
      gives: ['breaking input-property-became-required /inputSchema/properties/if/properties/at'],
    },
  ],
};
