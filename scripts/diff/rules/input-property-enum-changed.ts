import { canonical } from '../../contract/canonical.ts';
import { listsIn } from '../../contract/meaning.ts';
import { sameJson } from '../../contract/same.ts';
import { type Json, own } from '../../contract/types.ts';
import { quoteList } from '../../text/quote.ts';
import { joined, say } from '../../text/shown.ts';
import type { Rule, SchemaPair } from '../types.ts';

const without = (values: Json[], others: Json[]): Json[] => {
  const known = new Set(others.map(canonical));
  return values.filter((value) => !known.has(canonical(value)));
};

export const inputPropertyEnumChanged: Rule<SchemaPair> = {
  id: 'input-property-enum-changed',
  purpose: 'The list of allowed values changed. A server may refuse a value that went, or quietly take its default.',
  at: 'schema',
  keywords: ['enum'],
  find: ({ before, after }) => {
    const had = own(before, 'enum');
    const has = own(after, 'enum');
    if (sameJson(had, has)) return [];
    if (!Array.isArray(had) && !Array.isArray(has)) return [];
    if (!Array.isArray(has)) {
      return [
        { kind: 'wider', path: '/enum', message: say`enum dropped: any value is allowed`, before: had, after: has },
      ];
    }
    if (!Array.isArray(had)) {
      return [
        {
          kind: 'narrower',
          path: '/enum',
          message: say`enum introduced: only ${quoteList(has)}`,
          before: had,
          after: has,
        },
      ];
    }
    const dropped = without(had, has);
    const gained = without(has, had);
    if (dropped.length + gained.length === 0 && had.length === has.length) {
      const isOrdered = listsIn(before).length > 0 === listsIn(after).length > 0;
      return [
        {
          kind: isOrdered ? 'reordered' : 'wider',
          path: '/enum',
          values: had.filter((value, at) => !sameJson(value, has[at])),
          message: say`enum reordered: what else is listed may belong to other values now`,
          before: had,
          after: has,
        },
      ];
    }
    const parts = [
      ...(dropped.length > 0 ? [say`dropped ${quoteList(dropped)}`] : []),
      ...(gained.length > 0 ? [say`added ${quoteList(gained)}`] : []),
    ];
    return [
      {
        kind: dropped.length > 0 ? 'narrower' : 'wider',
        path: '/enum',
        message: say`enum ${dropped.length > 0 ? 'narrowed' : 'widened'}: ${joined(parts, ', ')}`,
        before: had,
        after: has,
      },
    ];
  },
  examples: [
    {
      what: 'two values went, one came',
      before: { type: 'object', properties: { format: { type: 'string', enum: ['text', 'html'] } } },
      after: { type: 'object', properties: { format: { type: 'string', enum: ['markdown'] } } },
      gives: ['breaking input-property-enum-changed /inputSchema/properties/format/enum'],
    },
    {
      what: 'one more value',
      before: { type: 'object', properties: { format: { enum: ['text'] } } },
      after: { type: 'object', properties: { format: { enum: ['text', 'html'] } } },
      gives: ['compatible input-property-enum-changed /inputSchema/properties/format/enum, quiet'],
    },
    {
      what: 'another order is no change',
      before: { type: 'object', properties: { format: { enum: ['text', 'html'] } } },
      after: { type: 'object', properties: { format: { enum: ['html', 'text'] } } },
      gives: [],
    },
    {
      what: 'another order, under a list that may follow it',
      before: { type: 'object', properties: { mode: { enum: ['a', 'b'], 'x-shown': ['all of them', 'none'] } } },
      after: { type: 'object', properties: { mode: { enum: ['b', 'a'], 'x-shown': ['all of them', 'none'] } } },
      gives: ['semantic input-property-enum-changed /inputSchema/properties/mode/enum, ask when used'],
    },
    {
      what: 'a free text became a choice',
      before: { type: 'object', properties: { lang: { type: 'string' } } },
      after: { type: 'object', properties: { lang: { type: 'string', enum: ['de', 'ja'] } } },
      gives: ['breaking input-property-enum-changed /inputSchema/properties/lang/enum'],
    },
  ],
};
