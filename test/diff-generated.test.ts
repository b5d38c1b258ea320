// What generators of schemas write one way or another: it says nothing to a caller, and no call is told of it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import { judgedCall } from './judged-call.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const ORDERS = { type: 'string', enum: ['asc', 'desc'] };
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });
const one = (p: Json, more: JsonObject = {}): JsonObject => object({ p }, more);
const asTool = (inputSchema: JsonObject): Contract => ({ name: 'find', inputSchema });

const decided = (before: JsonObject, after: JsonObject, p: Json): string => {
  return judgedCall(asTool(before), asTool(after), { p }).decision;
};

/** A choice as forms with one value each, with titles. */
const titled = (asc: string, desc: string, more: JsonObject = {}): JsonObject => ({
  ...more,
  oneOf: [
    { const: 'asc', title: asc },
    { const: 'desc', title: desc },
  ],
});
const kinds = (more: JsonObject = {}): JsonObject => ({
  oneOf: ['a', 'b'].map((name) => object({ kind: { const: name } }, { required: ['kind'] })),
  ...more,
});

const SILENT: [what: string, before: JsonObject, after: JsonObject, p: Json][] = [
  ['the title of a class', one(TEXT), one(TEXT, { title: 'FindArgs' }), 'x'],
  ['the title of a class inside', one(object({ a: TEXT })), one(object({ a: TEXT }, { title: 'Options' })), { a: 'x' }],
  ['a choice, and its values as titles', one(ORDERS), one(titled('Asc', 'Desc')), 'asc'],
  ['a choice beside its type, and its values as titles', one(ORDERS), one(titled('Asc', 'Desc', TEXT)), 'asc'],
  [
    'a choice as a class of its own',
    one(ORDERS),
    one({ $ref: '#/$defs/ListOrder' }, { $defs: { ListOrder: { ...ORDERS, title: 'ListOrder' } } }),
    'asc',
  ],
  [
    'a discriminator without a mapping',
    one(kinds()),
    one(kinds({ discriminator: { propertyName: 'kind' } })),
    { kind: 'a' },
  ],
  ['an id', one(TEXT, { $id: 'https://a.example/1' }), one(TEXT, { $id: 'https://a.example/2' }), 'x'],
  ['a comment', one(TEXT), one({ ...TEXT, $comment: 'generated' }), 'x'],
  ['an example of the same form', one({ ...TEXT, examples: ['a'] }), one({ ...TEXT, examples: ['b'] }), 'x'],
  ['how a number is stored, if it fits', one(INTEGER), one({ ...INTEGER, format: 'int32' }), 3],
  [
    'a number that is stored in more bits',
    one({ ...INTEGER, format: 'int32' }),
    one({ ...INTEGER, format: 'int64' }),
    3,
  ],
  ['null, which may be passed', one(TEXT), one({ ...TEXT, nullable: true }), 'x'],
  ['null, which may not be passed as before', one(TEXT), one({ ...TEXT, nullable: false }), 'x'],
  ['the place of a field in a form', one(TEXT), one({ ...TEXT, 'x-order': 1 }), 'x'],
];

const TOLD: [what: string, before: JsonObject, after: JsonObject, p: Json, decision: string][] = [
  ['a number that does not fit', one(INTEGER), one({ ...INTEGER, format: 'int32' }), 3_000_000_000, 'ask'],
  ['titles that say more than the values', one(ORDERS), one(titled('Oldest first', 'Newest first')), 'asc', 'notice'],
  ['titles that changed places', one(titled('Asc', 'Desc')), one(titled('Desc', 'Asc')), 'asc', 'ask'],
  ['the title of a choice, and it is a unit', one(ORDERS), one({ ...ORDERS, title: 'Seconds' }), 'asc', 'ask'],
  [
    'the title of a choice, and it is another unit',
    one({ ...ORDERS, title: 'TimeUnit' }),
    one({ ...ORDERS, title: 'LengthUnit' }),
    'asc',
    'ask',
  ],
  [
    'a format that was more than how a number is stored',
    one({ ...TEXT, format: 'currency' }),
    one({ ...TEXT, format: 'float' }),
    'x',
    'notice',
  ],
  ['the title of a value, where it is a unit', one(TEXT), one({ ...TEXT, title: 'Seconds' }), 'x', 'ask'],
  ['what no form shows', one({ ...TEXT, 'x-unit': 's' }), one({ ...TEXT, 'x-unit': 'ms' }), 'x', 'ask'],
];

describe('a schema that a generator writes in another way', () => {
  for (const [what, before, after, p] of SILENT)
    it(`changes nothing for a call: ${what}`, () => assert.equal(decided(before, after, p), 'silence'));

  for (const [what, before, after, p, decision] of TOLD)
    it(`is told where it says something: ${what}`, () => assert.equal(decided(before, after, p), decision));
});
