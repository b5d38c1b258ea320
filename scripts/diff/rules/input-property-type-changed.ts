import { sameJson } from '../../contract/same.ts';
import { type Json, type JsonObject, own } from '../../contract/types.ts';
import { quoteList } from '../../text/quote.ts';
import { type Shown, say } from '../../text/shown.ts';
import type { Rule, SchemaPair } from '../types.ts';

const ALL = ['array', 'boolean', 'null', 'number', 'object', 'string'];

/** The type that a schema names. OpenAPI writes `nullable` for one that may be null, too. */
const typeOf = (schema: JsonObject): Json | undefined => {
  const type = own(schema, 'type');
  if (type === undefined || own(schema, 'nullable') !== true) return type;
  return [...new Set([...[type].flat(), 'null'])] as Json;
};

/** The types that a schema allows; `number` includes `integer`. */
const types = (schema: JsonObject): Set<Json> => {
  const type = typeOf(schema);
  const named = type === undefined ? ALL : [type].flat();
  return new Set(named.includes('number') ? [...named, 'integer'] : named);
};

const MOST_VALUES = 4;

/** The types of a schema or, if it names none, the values that it lists. */
const show = (schema: JsonObject): Shown => {
  const [type, only, some] = [typeOf(schema), own(schema, 'const'), own(schema, 'enum')];
  if (type !== undefined) return quoteList([type].flat()).replaceAll(', ', ' or ') as Shown;
  if (only !== undefined) return quoteList([only]);
  return Array.isArray(some) ? say`one of ${quoteList(some, MOST_VALUES)}` : say`anything`;
};

export const inputPropertyTypeChanged: Rule<SchemaPair> = {
  id: 'input-property-type-changed',
  purpose: 'Another type of value is expected. Fewer types break callers, more types do not.',
  at: 'schema',
  keywords: ['type', 'nullable'],
  find: ({ before, after }) => {
    const isSame = (keyword: string) => sameJson(own(before, keyword), own(after, keyword));
    if (isSame('type') && isSame('nullable')) return [];
    const [had, has] = [typeOf(before), typeOf(after)];
    const allowed = types(after);
    const wider = [...types(before)].every((type) => allowed.has(type));
    return [
      {
        kind: wider ? 'wider' : 'narrower',
        path: isSame('type') ? '/nullable' : '/type',
        message: say`type changed: ${show(before)} → ${show(after)}`,
        before: had,
        after: has,
      },
    ];
  },
  examples: [
    {
      what: 'a number became a text',
      before: { type: 'object', properties: { id: { type: 'integer' } } },
      after: { type: 'object', properties: { id: { type: 'string' } } },
      gives: ['breaking input-property-type-changed /inputSchema/properties/id/type'],
    },
    {
      what: 'a text became a list: what its elements may be is no change of its own',
      before: { type: 'object', properties: { to: { type: 'string' } } },
      after: { type: 'object', properties: { to: { type: 'array', items: { type: 'string' } } } },
      gives: ['breaking input-property-type-changed /inputSchema/properties/to/type'],
    },
    {
      what: 'a text became an object: its parts are nothing that callers passed',
      before: { type: 'object', properties: { sort: { type: 'string' } } },
      after: { type: 'object', properties: { sort: { type: 'object', properties: { by: { type: 'string' } } } } },
      gives: [
        'breaking input-property-type-changed /inputSchema/properties/sort/type',
        'compatible input-property-added /inputSchema/properties/sort/properties/by, quiet',
      ],
    },
    {
      what: 'whole numbers became numbers: wider',
      before: { type: 'object', properties: { id: { type: 'integer' } } },
      after: { type: 'object', properties: { id: { type: 'number' } } },
      gives: ['compatible input-property-type-changed /inputSchema/properties/id/type, quiet'],
    },
    {
      what: 'null is no longer accepted, inside an array',
      before: { type: 'object', properties: { ids: { type: 'array', items: { type: ['string', 'null'] } } } },
      after: { type: 'object', properties: { ids: { type: 'array', items: { type: 'string' } } } },
      gives: ['breaking input-property-type-changed /inputSchema/properties/ids/items/type'],
    },
    {
      what: 'null is no longer accepted, as OpenAPI says it',
      before: { type: 'object', properties: { id: { type: 'string', nullable: true } } },
      after: { type: 'object', properties: { id: { type: 'string' } } },
      gives: ['breaking input-property-type-changed /inputSchema/properties/id/nullable'],
    },
    {
      what: 'null is accepted, and said in another way',
      before: { type: 'object', properties: { id: { type: 'string', nullable: true } } },
      after: { type: 'object', properties: { id: { type: ['string', 'null'] } } },
      gives: ['compatible input-property-type-changed /inputSchema/properties/id/type, quiet'],
    },
  ],
};
