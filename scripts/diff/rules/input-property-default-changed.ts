import { sameJson } from '../../contract/same.ts';
import { type Json, own } from '../../contract/types.ts';
import { quoteValue } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import type { Rule, SchemaPair } from '../types.ts';

/** Libraries write `null`, or nothing, for a parameter without a default. */
const kindOf = ({ wasRequired }: SchemaPair, had: Json | undefined, has: Json | undefined): string => {
  if (wasRequired) return 'unused';
  return (had ?? null) === null && (has ?? null) === null ? 'none' : 'other';
};

export const inputPropertyDefaultChanged: Rule<SchemaPair> = {
  id: 'input-property-default-changed',
  purpose: 'Leaving the parameter out means something else now.',
  at: 'schema',
  keywords: ['default'],
  find: (pair) => {
    const had = own(pair.before, 'default');
    const has = own(pair.after, 'default');
    if (sameJson(had, has)) return [];
    // A default can be prose, which the model does not get: it gets only names and enum values.
    const plain = [had, has].every((value) => typeof value !== 'object' && /^[\w.-]{0,40}$/.test(String(value)));
    const message = say`default changed: ${quoteValue(had)} → ${quoteValue(has)}`;
    const kind = kindOf(pair, had, has);
    return [
      { kind, path: '/default', message, brief: plain ? message : say`the default changed`, before: had, after: has },
    ];
  },
  examples: [
    {
      what: 'a smaller page',
      before: { type: 'object', properties: { max_results: { type: 'integer', default: 10 } } },
      after: { type: 'object', properties: { max_results: { type: 'integer', default: 5 } } },
      gives: ['silent input-property-default-changed /inputSchema/properties/max_results/default, ask when omitted'],
    },
    {
      what: 'nothing is what it was: a library writes it as null',
      before: { type: 'object', properties: { region: { type: ['string', 'null'] } } },
      after: { type: 'object', properties: { region: { type: ['string', 'null'], default: null } } },
      gives: ['compatible input-property-default-changed /inputSchema/properties/region/default, quiet'],
    },
    {
      what: 'callers could not leave it out',
      before: { type: 'object', properties: { region: { type: 'string' } }, required: ['region'] },
      after: { type: 'object', properties: { region: { type: 'string', default: 'eu' } } },
      gives: [
        'compatible input-property-became-optional /inputSchema/properties/region, quiet',
        'compatible input-property-default-changed /inputSchema/properties/region/default, quiet',
      ],
    },
    {
      what: 'null is another value than the one that was taken',
      before: { type: 'object', properties: { sort: { type: ['string', 'null'], default: 'name' } } },
      after: { type: 'object', properties: { sort: { type: ['string', 'null'], default: null } } },
      gives: ['silent input-property-default-changed /inputSchema/properties/sort/default, ask when omitted'],
    },
  ],
};
