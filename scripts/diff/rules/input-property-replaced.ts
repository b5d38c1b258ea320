import { pointer } from '../../contract/json-pointer.ts';
import { sameJson } from '../../contract/same.ts';
import { type Json, type JsonObject, own } from '../../contract/types.ts';
import { quoteName } from '../../text/quote.ts';
import { quoteChange } from '../../text/quote-change.ts';
import { say } from '../../text/shown.ts';
import { inversionAt } from '../inverted.ts';
import type { Rule, SchemaPair } from '../types.ts';

const wordsOf = (schema: JsonObject, name: string): Json | undefined =>
  own(own(own(schema, 'properties'), name), 'description');

export const inputPropertyReplaced: Rule<SchemaPair> = {
  id: 'input-property-replaced',
  purpose:
    'A parameter came where another one went, and may mean something else: their names differ in more than form. A value that was meant for one may be wrong for the other; and if one is the opposite of the other, a call without them means the opposite, unless the default is the opposite, too.',
  at: 'schema',
  keywords: ['properties'],
  find: (pair) =>
    [...pair.replaced].map(([to, from]) => {
      const isTurned = inversionAt(pair, to) === 'turned';
      const means = isTurned
        ? say`and is its opposite: a call that gives neither means something else now`
        : say`and may mean something else`;
      const brief = say`${quoteName(to)} came where ${quoteName(from)} went, ${means}`;
      const [had, has] = [wordsOf(pair.before, from), wordsOf(pair.after, to)];
      return {
        kind: isTurned ? 'turned' : 'other',
        path: `/properties${pointer(to)}`,
        parameter: to,
        alsoParameter: from,
        message: sameJson(had, has) ? brief : say`${brief}: ${quoteChange(had, has, 160)}`,
        brief,
        before: from,
        after: to,
      };
    }),
  examples: [
    {
      what: 'another unit',
      before: { type: 'object', properties: { wait_seconds: { type: 'integer' } } },
      after: { type: 'object', properties: { wait_ms: { type: 'integer' } } },
      gives: [
        'silent input-property-removed /inputSchema/properties/wait_seconds, deny when used',
        'semantic input-property-replaced /inputSchema/properties/wait_ms, ask when used',
        'compatible input-property-added /inputSchema/properties/wait_ms, quiet',
      ],
    },
    {
      what: 'the opposite, and both are required',
      before: { type: 'object', properties: { keep: { type: 'boolean' } }, required: ['keep'] },
      after: { type: 'object', properties: { erase: { type: 'boolean' } }, required: ['erase'] },
      gives: [
        'breaking input-property-added /inputSchema/properties/erase',
        'silent input-property-removed /inputSchema/properties/keep, deny when used',
        'semantic input-property-replaced /inputSchema/properties/erase, ask when used',
      ],
    },
    {
      what: 'the opposite, and both are off by default: a call without them means the opposite now',
      before: { type: 'object', properties: { public: { type: 'boolean', default: false } } },
      after: { type: 'object', properties: { private: { type: 'boolean', default: false } } },
      gives: [
        'silent input-property-removed /inputSchema/properties/public, deny when used',
        'semantic input-property-replaced /inputSchema/properties/private, ask',
        'compatible input-property-added /inputSchema/properties/private, quiet',
      ],
    },
    {
      what: 'the opposite, with the opposite default: a call without them means what it meant',
      before: { type: 'object', properties: { execute: { type: 'boolean', default: false } } },
      after: { type: 'object', properties: { dry_run: { type: 'boolean', default: true } } },
      gives: [
        'silent input-property-removed /inputSchema/properties/execute, deny when used',
        'semantic input-property-replaced /inputSchema/properties/dry_run, ask when used',
        'compatible input-property-added /inputSchema/properties/dry_run, quiet',
      ],
    },
    {
      what: 'in an object, with other words',
      before: { type: 'object', properties: { wait: { type: 'integer', description: 'in seconds' } } },
      after: {
        type: 'object',
        properties: {
          options: { type: 'object', properties: { wait: { type: 'integer', description: 'in milliseconds' } } },
        },
      },
      gives: [
        'silent input-property-removed /inputSchema/properties/wait, deny when used',
        'semantic input-property-replaced /inputSchema/properties/options/properties/wait, ask when used',
        'compatible input-property-added /inputSchema/properties/options, quiet',
      ],
    },
  ],
};
