import { pointer } from '../../contract/json-pointer.ts';
import { quoteName } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import type { Rule, SchemaPair } from '../types.ts';
import { requiredNames } from './input-property-became-required.ts';
import { refusesUnknown } from './input-property-removed.ts';

const requires = (pair: SchemaPair, name: string): boolean => requiredNames(pair.after).includes(name);

export const inputPropertyRenamed: Rule<SchemaPair> = {
  id: 'input-property-renamed',
  purpose: 'A parameter has a new name. Replaces what the rename does to the lists of properties and required ones.',
  at: 'schema',
  keywords: ['properties'],
  find: (pair) =>
    pair.renamed.map(({ from, to, evidence, isSure }) => ({
      kind: refusesUnknown(pair) || requires(pair, to) ? 'refused' : 'ignored',
      path: `/properties${pointer(from)}`,
      parameter: from,
      renamedTo: to,
      ...(isSure ? {} : { isLikely: true }),
      message: say`${isSure ? '' : 'maybe '}renamed: ${quoteName(from)} → ${quoteName(to)} (${evidence})${
        isSure ? '' : say`; pass ${quoteName(to)} only if it means the same`
      }${
        refusesUnknown(pair)
          ? ''
          : requires(pair, to)
            ? say`; a call without ${quoteName(to)} fails`
            : say`${isSure ? say`; pass ${quoteName(to)}` : ''}: ${quoteName(from)} is no longer listed, only accepted like any unknown name`
      }`,
      before: from,
      after: to,
    })),
  examples: [
    {
      what: 'the silent one: optional now, in an open object',
      before: {
        type: 'object',
        properties: { query: { type: 'string', description: 'free-text search' }, limit: { type: 'integer' } },
        required: ['query'],
      },
      after: {
        type: 'object',
        properties: { q: { type: 'string', description: 'free-text search' }, limit: { type: 'integer' } },
      },
      gives: ['silent input-property-renamed /inputSchema/properties/query, deny when used'],
    },
    {
      what: 'the loud one: required before and after',
      before: { type: 'object', properties: { ref: { type: 'string' } }, required: ['ref'] },
      after: { type: 'object', properties: { target: { type: 'string' } }, required: ['target'] },
      gives: ['breaking input-property-renamed /inputSchema/properties/ref, deny when used'],
    },
    {
      what: 'with another type: the words tell',
      before: { type: 'object', properties: { page: { type: 'integer', description: 'where to go on' } } },
      after: { type: 'object', properties: { cursor: { type: 'string', description: 'where to go on' } } },
      gives: [
        'silent input-property-renamed /inputSchema/properties/page, deny when used',
        'silent input-property-type-changed /inputSchema/properties/page/type',
      ],
    },
    {
      what: 'in another spelling, and within other bounds',
      before: { type: 'object', properties: { per_page: { type: 'integer', maximum: 100 } } },
      after: { type: 'object', properties: { perPage: { type: 'integer', maximum: 50 } } },
      gives: [
        'silent input-property-renamed /inputSchema/properties/per_page, deny when used',
        'silent input-constraint-changed /inputSchema/properties/per_page/maximum',
      ],
    },
    {
      what: 'names in other letters, and signs, are no other spelling',
      before: {
        type: 'object',
        properties: { 金额: { type: 'number' }, größe: { type: 'string' }, '+1': { type: 'boolean' } },
      },
      after: {
        type: 'object',
        properties: { 数量: { type: 'number' }, grüße: { type: 'string' }, '-1': { type: 'boolean' } },
      },
      gives: [
        'silent input-property-removed /inputSchema/properties/金额, deny when used',
        'silent input-property-removed /inputSchema/properties/größe, deny when used',
        'silent input-property-removed /inputSchema/properties/+1, deny when used',
        'compatible input-property-added /inputSchema/properties/数量, quiet',
        'compatible input-property-added /inputSchema/properties/grüße, quiet',
        'compatible input-property-added /inputSchema/properties/-1, quiet',
      ],
    },
    {
      what: 'two that are equally likely are no rename',
      before: { type: 'object', properties: { per_page: { type: 'integer' } } },
      after: { type: 'object', properties: { perPage: { type: 'integer' }, 'per-page': { type: 'integer' } } },
      gives: [
        'silent input-property-removed /inputSchema/properties/per_page, deny when used',
        'compatible input-property-added /inputSchema/properties/perPage, quiet',
        'compatible input-property-added /inputSchema/properties/per-page, quiet',
      ],
    },
    {
      what: 'several at once, inside an object',
      before: {
        type: 'object',
        properties: {
          at: { type: 'object', properties: { start_ref: { type: 'string' }, end_ref: { type: 'string' } } },
        },
      },
      after: {
        type: 'object',
        properties: {
          at: { type: 'object', properties: { startRef: { type: 'string' }, endRef: { type: 'string' } } },
        },
      },
      gives: [
        'silent input-property-renamed /inputSchema/properties/at/properties/start_ref, deny when used',
        'silent input-property-renamed /inputSchema/properties/at/properties/end_ref, deny when used',
      ],
    },
    {
      what: 'another type and other words are a removal and an addition, not a rename',
      before: { type: 'object', properties: { page: { type: 'integer' } } },
      after: { type: 'object', properties: { cursor: { type: 'string' } } },
      gives: [
        'silent input-property-removed /inputSchema/properties/page, deny when used',
        'compatible input-property-added /inputSchema/properties/cursor, quiet',
      ],
    },
  ],
};
