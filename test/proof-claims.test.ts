// What the proof must prove, and what it must not: each pair of claims differs in one of its conditions.
// biome-ignore-all lint/suspicious/noThenProperty: the keyword of JSON Schema
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IGNORED } from '../scripts/contract/dialect.ts';
import type { Json, JsonObject } from '../scripts/contract/types.ts';
import { accepts } from '../scripts/proof/check.ts';
import { fits } from '../scripts/proof/sizes.ts';
import { isSubset, proverFor } from '../scripts/proof/subset.ts';
import { holds } from './ajv-judge.ts';

const self: JsonObject = { $ref: '#/$defs/a' };
/** Lists of another value differ only in a definition: the schemas that refer to it are equal. */
const listOf = (value: Json, key = '$defs'): JsonObject => ({
  $ref: `#/${key}/list`,
  [key]: {
    list: { type: 'object', properties: { value: { $ref: `#/${key}/value` }, next: { $ref: `#/${key}/list` } } },
    value,
  },
});
/** Its second form leads back to itself without a step into the value. */
const LOOP: JsonObject = {
  anyOf: [{ type: ['integer', 'string', 'object'] }, { $ref: '#/$defs/loop' }],
  $defs: { loop: { anyOf: [{ type: 'boolean' }, { $ref: '#/$defs/loop' }] } },
};
const TEXT = { type: 'string' };
const NUMBER = { type: 'number' };
const object = (more: JsonObject): JsonObject => ({ type: 'object', ...more });

const isM = (schema: Json): JsonObject => ({ properties: { m: schema }, required: ['m'] });
const chosen = (schema: Json): JsonObject => object(isM(schema));

/** One property is what another document says. */
const elsewhere = (other: Json, more: JsonObject = {}): JsonObject =>
  object({ properties: { a: { $ref: 'a.json' }, b: other }, ...more });

/** The claim, a schema, and one that accepts every value that fits the first. */
const PROVEN: [string, Json, Json][] = [
  ['a format that only hides what is typed', TEXT, { format: 'password' }],
  ['a format within another one', { ...TEXT, format: 'uri' }, { format: 'iri-reference' }],
  ['values that one form takes, beside one that leads back to itself', { enum: [1, 'x'] }, LOOP],
  [
    'evaluated values, where a form leads back to itself',
    { enum: [{ a: 1 }, { a: 2 }] },
    { properties: { a: true }, ...LOOP, unevaluatedProperties: false },
  ],
  ['an open upper bound from the same', { ...NUMBER, exclusiveMaximum: 9 }, { exclusiveMaximum: 9 }],
  ['an open bound from the same', { ...NUMBER, exclusiveMinimum: 1, maximum: 9 }, { exclusiveMinimum: 1 }],
  ['an open bound from a tighter closed one', { ...NUMBER, minimum: 2 }, { exclusiveMinimum: 1 }],
  ['an open bound of whole numbers', { type: 'integer', exclusiveMaximum: 10 }, { maximum: 9 }],
  ['a step from a multiple of it', { type: 'integer', multipleOf: 4 }, { multipleOf: 2 }],
  ['steps of a hundredth', { enum: [4.35, 0.07] }, { multipleOf: 0.01 }],
  ['unique elements of one', { type: 'array', maxItems: 1 }, { uniqueItems: true }],
  ['a longer tuple than there can be', { type: 'array', items: TEXT, maxItems: 1 }, { prefixItems: [TEXT, NUMBER] }],
  ['a longer text', { ...TEXT, minLength: 3 }, { minLength: 2 }],
  ['a pattern that matches more', { ...TEXT, pattern: '^a' }, { pattern: 'a' }],
  ['a length by a pattern', { ...TEXT, pattern: '^[0-9]{3}$' }, { pattern: '^[0-9]{3}$', maxLength: 5, minLength: 3 }],
  [
    'a pattern for names',
    object({ propertyNames: { pattern: '^[a-c]$' } }),
    { propertyNames: { pattern: '^[a-z]+$' } },
  ],
  ['no bound of whole numbers', { type: 'integer' }, { maximum: 2 ** 53 - 1, minimum: 1 - 2 ** 53 }],
  ['a bound by the next step', { minimum: 4, multipleOf: 3 }, { exclusiveMinimum: 5 }],
  ['a bound by the step before', { type: 'integer', exclusiveMaximum: 12, multipleOf: 5 }, { maximum: 10 }],
  ['a date', { enum: ['2024-02-29', 5] }, { format: 'date' }],
  ['moments', { enum: ['2024-02-29T23:59:59Z', '1999-12-31T00:00:00.125Z'] }, { format: 'date-time' }],
  ['times of day', { enum: ['00:00:00Z', '23:59:59Z'] }, { format: 'time' }],
  ['addresses of mail', { enum: ['a1@b2.org', 'first.last@mail.example.com'] }, { format: 'email' }],
  ['addresses of pages', { enum: ['https://example.com', 'http://a.b.org/c_d/~e-1/'] }, { format: 'uri' }],
  ['a UUID', { const: '3F2504e0-4f89-41d3-9a0c-0305e82c3301' }, { format: 'uuid' }],
  ['addresses of machines', { enum: ['0.0.0.0', '255.249.199.99'] }, { format: 'ipv4' }],
  ['a text that is hidden', { const: 'correct horse' }, { format: 'password' }],
  ['a number where a format is of texts', { enum: [7] }, { format: 'uuid' }],
  ['numbers within the bits of a format', { enum: [2147483647, -2147483648] }, { format: 'int32' }],
  ['numbers within the bits of a format without a sign', { enum: [65535, 0] }, { format: 'uint16' }],
  [
    'values behind a tuple of an older draft',
    { enum: [['a', 1, 2], ['b']] },
    { items: [TEXT], additionalItems: NUMBER },
  ],
  [
    'values without a tuple, for which the rest says nothing',
    { enum: [['a']] },
    { items: TEXT, additionalItems: false },
  ],
  ['values that hold enough of another', { enum: [['a', 1, 2]] }, { contains: NUMBER, minContains: 2, maxContains: 2 }],
  ['more than the empty text', { not: { enum: ['', 'x'] } }, { minLength: 1 }],
  ['more than the empty list', { type: 'array', not: { const: [] } }, { minItems: 1 }],
  ['a branch for each value', chosen({ enum: ['a', 'b'] }), { anyOf: [isM({ const: 'a' }), isM({ const: 'b' })] }],
  ['exactly one branch', chosen({ type: 'boolean' }), { oneOf: [isM({ const: true }), isM({ const: false })] }],
  ['a branch for each type', chosen({ type: ['string', 'null'] }), { anyOf: [isM(TEXT), isM({ type: 'null' })] }],
  [
    'a branch for those without',
    object({ properties: { m: TEXT, n: NUMBER } }),
    { anyOf: [isM(TEXT), { properties: { m: false } }] },
  ],
  [
    'a branch for presence',
    object({ properties: { m: TEXT } }),
    { anyOf: [{ required: ['m'] }, { not: { required: ['m'] } }] },
  ],
  [
    'a branch for one text and one for all others',
    chosen(TEXT),
    { oneOf: [isM({ const: 'a' }), { properties: { m: { type: 'string', not: { const: 'a' } } } }] },
  ],
  ['a list and all else', {}, { anyOf: [{ enum: ['ab', 1] }, { not: { enum: ['ab', 1] } }] }],
  ['one of two branches that exclude each other', TEXT, { oneOf: [TEXT, NUMBER] }],
  ['a branch by cases', { type: ['string', 'null'] }, { anyOf: [TEXT, { type: 'null' }] }],
  ['what a given negation excludes', { not: TEXT, minimum: 1 }, { not: { ...TEXT, minLength: 1 } }],
  ['a list from a list that is stricter all the way', listOf({ type: 'integer' }), listOf(NUMBER)],
  [
    'the same definitions of an older draft',
    listOf(TEXT, 'definitions'),
    { ...listOf(TEXT, 'definitions'), title: 'x' },
  ],
  [
    'a property that the pattern does not match',
    object({ properties: { a: TEXT }, additionalProperties: false }),
    { patternProperties: { '^b': NUMBER } },
  ],
  [
    'what a pattern matches, from what all properties hold',
    object({ additionalProperties: NUMBER }),
    { patternProperties: { b: NUMBER } },
  ],
  [
    'a property, from what all properties hold',
    object({ additionalProperties: NUMBER }),
    { properties: { x: NUMBER } },
  ],
  ['a property that must be there', object({ required: ['a', 'b'] }), { required: ['b'] }],
  [
    'a dependent that is required',
    object({ properties: { a: {} }, required: ['b'] }),
    { dependentRequired: { a: ['b'] } },
  ],
  [
    'what a required property asks for, of objects',
    object({ required: ['a'], dependentSchemas: { a: { minProperties: 2 } } }),
    { minProperties: 2 },
  ],
  [
    '… among other values',
    { required: ['a'], dependentSchemas: { a: { minProperties: 2 } } },
    { anyOf: [{ minProperties: 2 }, { minItems: 7 }] },
  ],
  [
    'a property that is evaluated where it is there, among other values',
    { type: ['array', 'object'], properties: { a: TEXT }, additionalProperties: false },
    { dependentSchemas: { a: { properties: { a: TEXT } } }, unevaluatedProperties: false },
  ],
  ['a condition that never applies', TEXT, { if: NUMBER, then: false }],
  [
    'elements of listed values that a condition does not concern',
    { enum: [[1], [2]] },
    { items: { if: TEXT, then: false } },
  ],
  ['elements of listed values that all meet a condition', { enum: [['a']] }, { items: { if: TEXT, else: false } }],
  ['bounds from tighter ones', { ...NUMBER, minimum: 5, maximum: 7 }, { minimum: 3, maximum: 9 }],
  [
    'an open bound of draft-04 from the same, beside more that is given',
    { allOf: [{ ...NUMBER, minimum: 5, exclusiveMinimum: true }, { maximum: 9 }] },
    { ...NUMBER, minimum: 5, exclusiveMinimum: true, maximum: 20 },
  ],
  ['an element from one of a stricter kind', { type: 'array', contains: { type: 'integer' } }, { contains: NUMBER }],
  ['a double negation', { not: { not: TEXT } }, TEXT],
  ['more than the empty object', object({ not: { const: {} } }), { minProperties: 1 }],
  [
    'a name that is refused by what is given about names',
    object({ properties: { B1: TEXT }, propertyNames: { pattern: '^[a-c]$' } }),
    { propertyNames: { pattern: '^[a-z]+$' } },
  ],
  [
    'a name that no value has',
    object({ properties: { B1: false, a: TEXT }, additionalProperties: false }),
    { propertyNames: { pattern: '^[a-z]+$' } },
  ],
  ...['dependentSchemas', 'dependencies'].map((keyword): [string, Json, Json] => [
    `what the ${keyword} of a property that is there evaluate`,
    { enum: [{ a: 1, b: 2 }] },
    { [keyword]: { a: { properties: { a: true, b: true } } }, unevaluatedProperties: false },
  ]),
  [
    'a limit that the dialect ignores, from one that nothing meets where it is heeded',
    { ...TEXT, [IGNORED]: { not: {} } },
    { ...TEXT, [IGNORED]: { minLength: 3 } },
  ],
  ['one that was tighter', { ...TEXT, [IGNORED]: { maxLength: 3 } }, { ...TEXT, [IGNORED]: { maxLength: 5 } }],
  ['what the same other document says', elsewhere(TEXT), elsewhere({})],
  [
    'what a document of the same base says',
    elsewhere(TEXT, { $id: 'https://a.test/' }),
    elsewhere({}, { $id: 'https://a.test/' }),
  ],
];

const UNPROVEN: [string, Json, Json][] = [
  ['an open bound from the closed one at the same place', { ...NUMBER, minimum: 1 }, { exclusiveMinimum: 1 }],
  ['an open upper bound, likewise', { ...NUMBER, maximum: 1 }, { exclusiveMaximum: 1 }],
  ['an open bound of fractions', { ...NUMBER, exclusiveMaximum: 10 }, { maximum: 9 }],
  ['a step from a divisor of it', { type: 'integer', multipleOf: 2 }, { multipleOf: 4 }],
  ['half a hundredth', { enum: [4.35, 0.075] }, { multipleOf: 0.01 }],
  ['unique elements of two', { type: 'array', maxItems: 2 }, { uniqueItems: true }],
  ['a tuple that is reached', { type: 'array', items: TEXT, maxItems: 2 }, { prefixItems: [TEXT, NUMBER] }],
  ['a shorter text', { ...TEXT, minLength: 2 }, { minLength: 3 }],
  ['one of two branches that both hold', { type: 'integer' }, { oneOf: [{ type: 'integer' }, NUMBER, TEXT] }],
  ['a branch that one case lacks', { type: ['string', 'null'] }, { anyOf: [TEXT, NUMBER] }],
  [
    'what a given negation does not exclude: an object with a property that nobody declared',
    { not: object({ properties: { a: TEXT } }) },
    { not: { type: 'object' } },
  ],
  ['a list from a list that is looser', listOf(NUMBER), listOf({ type: 'integer' })],
  ['a list whose definition changed, of an older draft', listOf(NUMBER, 'definitions'), listOf(TEXT, 'definitions')],
  ['a format from one that only hides what is typed', { ...TEXT, format: 'password' }, { format: 'uuid' }],
  ['a format from one that takes more', { ...TEXT, format: 'idn-email' }, { format: 'email' }],
  ['a claim from itself', TEXT, { ...self, $defs: { a: { anyOf: [self, NUMBER] } } }],
  [
    'a claim from itself through two others',
    TEXT,
    { ...self, $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { anyOf: [self] } } },
  ],
  [
    'what a reference through a list of one form leads to',
    object({ properties: { b: {} } }),
    object({
      properties: { a: { allOf: [{ allOf: [{}], type: 'string' }] }, b: { $ref: '#/properties/a/allOf/0' } },
    }),
  ],
  ['a property that the pattern matches', object({ properties: { a: TEXT } }), { patternProperties: { '^a': NUMBER } }],
  [
    'a property that an unreadable pattern may match',
    object({ properties: { a: TEXT }, additionalProperties: false }),
    { patternProperties: { '(': NUMBER } },
  ],
  [
    'what a pattern matches, from what all others hold',
    object({ patternProperties: { '^a': TEXT }, additionalProperties: NUMBER }),
    { patternProperties: { b: NUMBER } },
  ],
  [
    'a property that a given pattern may match, which is unreadable here',
    object({ patternProperties: { '(?i)^x': TEXT }, additionalProperties: NUMBER }),
    { properties: { x: NUMBER } },
  ],
  ['a property that may be missing', object({ properties: { b: TEXT }, required: ['a'] }), { required: ['b'] }],
  ['a dependent that may be missing', object({ properties: { a: {}, b: {} } }), { dependentRequired: { a: ['b'] } }],
  ['a condition that may apply', { type: ['string', 'number'] }, { if: NUMBER, then: false }],
  ['a condition whose other way is closed', TEXT, { if: NUMBER, then: true, else: false }],
  ['a reference that leads nowhere', TEXT, { $ref: '#/$defs/nothing' }],
  ['a pattern that matches less', { ...TEXT, pattern: 'a' }, { pattern: '^a' }],
  ['a bound that numbers may pass', NUMBER, { maximum: Number.MAX_SAFE_INTEGER }],
  ['a bound that whole numbers pass', { type: 'integer' }, { maximum: Number.MAX_SAFE_INTEGER - 1 }],
  ['a value that is no date', { enum: ['2021-02-29'] }, { format: 'date' }],
  ['a moment on no date', { enum: ['2023-02-29T10:00:00Z'] }, { format: 'date-time' }],
  ['a moment in hour 24', { enum: ['2023-02-28T24:00:00Z'] }, { format: 'date-time' }],
  ['a moment that names no zone', { enum: ['2023-02-28T10:00:00'] }, { format: 'date-time' }],
  ['a time with minute 60', { enum: ['12:60:00Z'] }, { format: 'time' }],
  ['an address of mail on a bare name', { enum: ['a@localhost'] }, { format: 'email' }],
  ['an address of mail of sixty letters', { enum: [`${'a'.repeat(55)}@b.co`] }, { format: 'email' }],
  ['an address of another scheme', { enum: ['ftp://example.com/'] }, { format: 'uri' }],
  ['a UUID of a later version', { enum: ['3f2504e0-4f89-71d3-9a0c-0305e82c3301'] }, { format: 'uuid' }],
  ['an address of a machine with a part that is too large', { enum: ['1.2.3.256'] }, { format: 'ipv4' }],
  ['one that ends in a point', { enum: ['1.2.3.4.'] }, { format: 'ipv4' }],
  ['a text of a format that no validator is known for', { enum: ['x'] }, { format: 'colour' }],
  ['a number beyond the bits of a format', { enum: [2147483648] }, { format: 'int32' }],
  ['a number beyond the bits of a format without a sign', { enum: [65536] }, { format: 'uint16' }],
  ['a value behind a tuple of an older draft', { enum: [['a', 'b']] }, { items: [TEXT], additionalItems: NUMBER }],
  ['values that hold too few of another', { enum: [['a', 1]] }, { contains: NUMBER, minContains: 2 }],
  ['values that hold too many of another', { enum: [[1, 'a', 2]] }, { contains: NUMBER, maxContains: 1 }],
  ['a step that passes the bound', { type: 'integer', minimum: 4, multipleOf: 3 }, { minimum: 7 }],
  ['a whole number between two branches', { type: 'integer' }, { anyOf: [{ maximum: 5 }, { minimum: 7 }] }],
  ['a number above one branch and below the other', NUMBER, { oneOf: [{ maximum: 2 }, { minimum: 2.5 }] }],
  [
    'a value that no branch takes',
    chosen({ enum: ['a', 'b', 'c'] }),
    { anyOf: [isM({ const: 'a' }), isM({ const: 'b' })] },
  ],
  ['a branch for what is there alone', object({ properties: { m: TEXT } }), { anyOf: [isM(TEXT)] }],
  ['two branches that both hold', chosen({ enum: ['a', 'b'] }), { oneOf: [isM({ const: 'a' }), isM(TEXT)] }],
  ['a list and less than all else', {}, { anyOf: [{ enum: ['ab', 1] }, { not: { enum: ['ab', 1, 2] } }] }],
  ['a text that may be another than the empty one', { not: { enum: ['a'] } }, { minLength: 1 }],
  ['a listed value that was dropped', { enum: ['a', 'b'] }, { enum: ['a'] }],
  [
    'what a document of another base says',
    elsewhere(TEXT, { $id: 'https://a.test/' }),
    elsewhere({}, { $id: 'https://b.test/' }),
  ],
  ['a length that no limit of texts excluded', { ...TEXT, not: { minLength: '3' } }, { maxLength: 2 }],
  ['a limit that the dialect ignores', TEXT, { ...TEXT, [IGNORED]: { maxLength: 3 } }],
  ['a tighter one', { ...TEXT, [IGNORED]: { maxLength: 5 } }, { ...TEXT, [IGNORED]: { maxLength: 3 } }],
  ...[{ $ref: '#/$defs/none' }, { $dynamicRef: '#none' }].map((reference): [string, Json, Json] => [
    `a property that ${Object.keys(reference)} may have evaluated: it leads nowhere`,
    { enum: [{ a: 1 }], ...reference, unevaluatedProperties: false },
    { required: ['b'] },
  ]),
];

/** The claim, a schema, another one, and a value that fits the first alone. */
const REFUTED: [string, JsonObject, JsonObject, Json][] = [
  ['a tighter lower bound', { ...NUMBER, minimum: 3 }, { minimum: 5 }, 4],
  ['a tighter upper bound', { ...NUMBER, maximum: 5 }, { maximum: 3 }, 4],
  ['an element from what may be empty', { type: 'array' }, { contains: true }, []],
  ['… whose elements are known', { type: 'array', items: TEXT }, { contains: true }, []],
  ['an element of a stricter kind', { type: 'array', contains: NUMBER }, { contains: { type: 'integer' } }, [1.5]],
  ['more such elements', { type: 'array', contains: NUMBER }, { contains: NUMBER, minContains: 3 }, [1]],
  [
    'fewer such elements',
    { type: 'array', contains: NUMBER, maxContains: 5 },
    { contains: NUMBER, maxContains: 2 },
    [1, 2, 3],
  ],
  ['an element', { type: 'array', items: TEXT }, { minItems: 1 }, []],
  ['a property of any name', object({ properties: { a: TEXT } }), { minProperties: 1 }, {}],
  ['a second one', object({ required: ['a'] }), { minProperties: 2 }, { a: 1 }],
  [
    'a name that the pattern of names does not match',
    object({ properties: { B1: TEXT }, propertyNames: { pattern: '^[a-cB]' } }),
    { propertyNames: { pattern: '^[a-z]+$' } },
    { B1: 'x' },
  ],
  [
    'that no others are evaluated, where one of two is',
    object({ properties: { a: {}, b: {} }, unevaluatedProperties: false }),
    { properties: { a: {} }, unevaluatedProperties: false },
    { b: 1 },
  ],
  ...['dependentSchemas', 'dependencies'].map((keyword): [string, JsonObject, JsonObject, Json] => [
    `that a value is refused whose properties its ${keyword} evaluate`,
    { enum: [{ a: 1, b: 2 }], [keyword]: { a: { properties: { a: true, b: true } } }, unevaluatedProperties: false },
    { required: ['c'] },
    { a: 1, b: 2 },
  ]),
  ...[{ $ref: '#/$defs/a' }, { allOf: [NUMBER] }, NUMBER].map((beside): [string, JsonObject, JsonObject, Json] => [
    `what is negated twice, beside ${Object.keys(beside)}`,
    { not: { ...beside, not: TEXT }, $defs: { a: NUMBER } },
    TEXT,
    true,
  ]),
  ...[TEXT, { not: {} }].flatMap((need) =>
    ['dependentSchemas', 'dependencies'].map((keyword): [string, JsonObject, JsonObject, Json] => [
      `what the ${keyword} of a required property say: ${JSON.stringify(need)}, of what is no object`,
      { required: ['a'], [keyword]: { a: need } },
      TEXT,
      5,
    ]),
  ),
  [
    'that all elements are evaluated, since those of an object with a property would be',
    { type: ['array', 'object'], required: ['a'] },
    { dependentSchemas: { a: { items: true } }, unevaluatedItems: false },
    [1],
  ],
  [
    'anything of what does not fit the whole',
    object({ properties: { a: { not: { $ref: '' } } } }),
    { properties: { a: TEXT } },
    { a: 5 },
  ],
];

/** Keywords with operands that they do not have: no validator reads them, or each reads them in its own way. */
const MISWRITTEN: [string, ...Json[]][] = [
  ['allOf', { required: ['a'] }, null],
  ['contains', null, 1],
  ...['dependencies', 'dependentRequired', 'dependentSchemas'].map((one): [string, ...Json[]] => [
    one,
    ['a', 'b'],
    null,
  ]),
  ['patternProperties', ['^a'], null],
  ['prefixItems', {}, true],
  ['properties', [{ name: 'a' }], null],
  ['unevaluatedItems', null],
  ['unevaluatedProperties', null],
  ['uniqueItems', 1, 'true'],
];

describe('the proof', () => {
  for (const [what, before, after] of PROVEN) it(`proves: ${what}`, () => assert.equal(isSubset(before, after), true));
  for (const [what, before, after] of UNPROVEN)
    it(`does not prove: ${what}`, () => assert.equal(isSubset(before, after), false));
  for (const [what, before, after, value] of REFUTED)
    it(`does not prove: ${what}`, () => {
      assert.equal(isSubset(before, after), false);
      assert.deepEqual([holds(before, value), holds(after, value)], [true, false]);
    });
  for (const [keyword, ...operands] of MISWRITTEN)
    it(`neither relies on nor proves a miswritten \`${keyword}\`, and goes on`, () => {
      for (const operand of operands) {
        const miswritten: JsonObject = { type: ['array', 'object'], [keyword]: operand };
        const named = { type: ['array', 'object'], properties: { a: TEXT } };
        const claims: [Json, Json][] = [
          [named, miswritten],
          [miswritten, { minItems: 3, required: ['a'] }],
          [
            { ...named, not: { [keyword]: operand } },
            { minItems: 3, required: ['a'] },
          ],
          [
            { ...miswritten, ...named, $comment: '' },
            { ...named, properties: { a: NUMBER } },
          ],
        ];
        for (const [before, after] of claims)
          assert.equal(isSubset(before, after), false, JSON.stringify([before, after]));
        assert.equal(isSubset({ ...miswritten, title: 'x' }, miswritten), true, 'the same');
      }
    });
});

describe('the proof of calls', () => {
  const some = { properties: { n: TEXT, m: TEXT } };
  const needs = (...names: string[]): JsonObject => ({ ...some, dependentRequired: { c: names } });
  const cases: [string, JsonObject, JsonObject, boolean][] = [
    ['a property that was never named, and now has a dependent', some, needs('m'), true],
    ['one that has a dependent has another one', needs('n'), needs('n', 'm'), false],
    [
      'the same in the older form',
      { ...some, dependencies: { c: ['n'] } },
      { ...some, dependencies: { c: ['n', 'm'] } },
      false,
    ],
    [
      'the same in the form of schemas',
      { ...some, dependentSchemas: { c: { required: ['n'] } } },
      { ...some, dependentSchemas: { c: { required: ['m'] } } },
      false,
    ],
    [
      'one that is a dependent has one itself',
      { ...some, dependentRequired: { n: ['c'] } },
      { ...some, dependentRequired: { n: ['c'], c: ['m'] } },
      false,
    ],
    ['one that has a dependent has none', needs('n'), some, true],
  ];
  for (const [what, before, after, expected] of cases)
    it(`${expected ? 'proves' : 'does not prove'}: ${what}`, () => {
      const [old, now] = [object(before), object(after)];
      assert.equal(proverFor(old, now)(old, now, true), expected);
    });
});

/** A schema that nothing is known of: it may take any value, and may refuse it. */
const UNKNOWN = { $dynamicRef: '#unknown' };

describe('whether a value fits is known', () => {
  for (const [what, schema, value, expected] of [
    ['if it lacks what another name asks for', { dependencies: { a: ['b'] } }, { a: 1 }, false],
    ['if it has what another name asks for', { dependencies: { a: ['b'] } }, { a: 1, b: 1 }, true],
    ['if nothing asks for it', { dependencies: { a: ['b'] } }, { c: 1 }, true],
    ['if it is not what goes with a name', { dependencies: { a: { maxProperties: 1 } } }, { a: 1, b: 1 }, false],
    ['not if it depends on an unknown condition', { if: UNKNOWN, then: TEXT, else: NUMBER }, 1, undefined],
    ['if it fits whatever an unknown condition says', { if: UNKNOWN, then: NUMBER, else: NUMBER }, 1, true],
    ['if it fits in neither case of an unknown condition', { if: UNKNOWN, then: TEXT, else: { minimum: 2 } }, 1, false],
    ['not if one case of an unknown condition is unknown', { if: UNKNOWN, then: TEXT, else: UNKNOWN }, 1, undefined],
    ['not if one of two forms is unknown', { anyOf: [TEXT, UNKNOWN] }, 1, undefined],
    ['if the other one of two forms takes it', { anyOf: [NUMBER, UNKNOWN] }, 1, true],
    ['not if exactly one of two forms has to', { oneOf: [NUMBER, UNKNOWN] }, 1, undefined],
    ['not if no known form of an exclusive choice fits', { oneOf: [TEXT, UNKNOWN] }, 1, undefined],
    ['if two forms fit, of which one alone may', { oneOf: [NUMBER, UNKNOWN, { minimum: 0 }] }, 1, false],
    ['if two of three forms take it, and exactly one has to', { oneOf: [NUMBER, { minimum: 0 }, TEXT] }, 1, false],
    ['not if what it must not be is unknown', { not: UNKNOWN }, 1, undefined],
    ['if one part refuses it, beside an unknown one', { allOf: [TEXT, UNKNOWN] }, 1, false],
    ['not if an element is unknown', { items: UNKNOWN }, [1], undefined],
    ['if there is no element that would be unknown', { items: UNKNOWN }, [], true],
    ['if enough elements are known to be contained', { contains: { anyOf: [TEXT, UNKNOWN] } }, [1, 'x'], true],
    ['not if only an unknown one may be contained', { contains: UNKNOWN }, [1], undefined],
  ] as [string, Json, Json, boolean | undefined][])
    it(what, () => assert.equal(accepts(schema, schema, value), expected));
});

/** What the second schema refuses, of what the first one takes. */
const LOST: [string, Json, Json, Json][] = [
  [
    'a pattern for names that only one of two declared names satisfies',
    object({ properties: { a_b: TEXT, c: TEXT }, additionalProperties: false }),
    { patternProperties: { '^a': NUMBER } },
    { a_b: 'x' },
  ],
  [
    'what stands beside a single form',
    object({ anyOf: [{ minProperties: 0 }] }),
    { anyOf: [{}], minProperties: 1 },
    {},
  ],
  [
    'a list of texts, from a pattern that other values do not have to match',
    { pattern: '^(?:a|b)$' },
    { enum: ['a', 'b'] },
    5,
  ],
  [
    'a name that only one branch of a condition leaves open',
    object({ if: { required: ['a'] }, then: { properties: { b: TEXT } } }),
    { properties: { c: NUMBER } },
    { c: 'x' },
  ],
  [
    'that what a form evaluates as the rest is evaluated where only names are',
    object({ anyOf: [{ properties: { a: true }, additionalProperties: TEXT }], unevaluatedProperties: false }),
    { anyOf: [{ properties: { a: true } }], unevaluatedProperties: false },
    { b: 'x' },
  ],
  [
    'a reference that means something else in an embedded document',
    object({
      properties: {
        p: { $id: 'https://example.com/p', properties: { a: { $ref: '#/$defs/n' } }, $defs: { n: TEXT } },
      },
      $defs: { n: NUMBER },
    }),
    { properties: { p: { properties: { a: { $ref: '#/$defs/n' } } } }, $defs: { n: NUMBER } },
    { p: { a: 'x' } },
  ],
  [
    'the same where the other one embeds the document',
    object({ properties: { p: { properties: { a: { $ref: '#/$defs/n' } } } }, $defs: { n: TEXT } }),
    {
      properties: {
        p: { $id: 'https://example.com/p', properties: { a: { $ref: '#/$defs/n' } }, $defs: { n: NUMBER } },
      },
      $defs: { n: TEXT },
    },
    { p: { a: 'x' } },
  ],
  [
    'a reference after an embedded document, which is relative to the whole again',
    object({
      properties: {
        p: { $id: 'https://example.com/p', $defs: { n: NUMBER }, properties: { x: { $ref: '#/$defs/n' } } },
        q: { $ref: '#/$defs/n' },
      },
      $defs: { n: TEXT },
    }),
    { properties: { q: NUMBER } },
    { p: { x: 1 }, q: 'x' },
  ],
];

describe('what some values of the first schema break', () => {
  for (const [what, before, after, value] of LOST)
    it(`is not proven: ${what}`, () => {
      assert.equal(isSubset(before, after), false);
      assert.deepEqual([holds(before as JsonObject, value), holds(after as JsonObject, value)], [true, false]);
    });
  for (const keyword of ['$dynamicRef', '$recursiveRef'])
    it(`is not proven of a \`${keyword}\`, which may lead anywhere`, () => {
      for (const [before, after] of [
        [TEXT, { [keyword]: '#' }],
        [TEXT, { ...TEXT, [keyword]: '#' }],
        [{ [keyword]: '#' }, TEXT],
      ] as [Json, Json][])
        assert.equal(isSubset(before, after), false);
      assert.equal(accepts({ [keyword]: '#' }, { [keyword]: '#' }, 1), undefined);
    });
  it('is found in time where a form leads back to itself', () => {
    const back = { $defs: { me: { anyOf: [{ $ref: '#/$defs/me' }, { properties: { a: true } }] } } };
    const after = { ...back, $ref: '#/$defs/me', unevaluatedProperties: false };
    assert.equal(isSubset(object({ properties: { b: TEXT } }), after), false);
  });
});

describe('which places of a value a schema evaluates', () => {
  const a = { properties: { a: true } };
  const closed = (more: JsonObject): JsonObject => ({ ...more, unevaluatedProperties: false });
  const table: [string, JsonObject, boolean | undefined, boolean | undefined][] = [
    ['its own names', closed(a), true, false],
    ['those of a reference', closed({ $ref: '#/$defs/a', $defs: { a } }), true, false],
    ['those of a reference that leads nowhere', closed({ $ref: '#/$defs/b', $defs: { a } }), undefined, undefined],
    ['those of all parts', closed({ allOf: [{}, a] }), true, false],
    ['those of a form that fits', closed({ anyOf: [TEXT, a] }), true, false],
    ['not those of a form that does not', closed({ anyOf: [{ ...a, ...TEXT }, {}] }), false, false],
    ['those of a condition that holds', closed({ if: a }), true, false],
    ['not those of one that does not', closed({ if: { ...a, ...TEXT } }), false, false],
    ['those of what follows from it', closed({ if: true, then: a, else: { properties: { b: true } } }), true, false],
    ['those of what follows otherwise', closed({ if: false, then: { properties: { b: true } }, else: a }), true, false],
    ['those beside a name that is there', closed({ dependentSchemas: { a } }), true, false],
    ['the same in the older form', closed({ dependencies: { a } }), true, false],
    ['all names that match', closed({ patternProperties: { '^a': true } }), true, false],
    ['the rest', closed({ additionalProperties: true }), true, true],
    ['what is inside a part that leaves nothing', closed({ allOf: [{ unevaluatedProperties: true }] }), true, true],
    ['anything, if a reference is dynamic', closed({ allOf: [{ $dynamicRef: '#x' }] }), undefined, undefined],
  ];
  for (const [what, schema, ofA, ofB] of table)
    it(what, () => {
      const found = ['a', 'b'].map((name) => accepts(schema, schema, { [name]: 1 }));
      assert.deepEqual(found, [ofA, ofB]);
    });
  it('elements, by their positions', () => {
    const rest = { unevaluatedItems: false };
    for (const [schema, value, expected] of [
      [{ prefixItems: [true], ...rest }, [1], true],
      [{ prefixItems: [true], ...rest }, [1, 2], false],
      [{ items: [true], ...rest }, [1], true],
      [{ items: [true], ...rest }, [1, 2], false],
      [{ items: [true], additionalItems: TEXT, ...rest }, [1, 'x'], true],
      [{ prefixItems: [true], items: TEXT, ...rest }, [1, 'x'], true],
      [{ contains: TEXT, ...rest }, ['x'], undefined],
      [{ contains: TEXT, ...rest }, ['x', 1], false],
    ] as [JsonObject, Json, boolean | undefined][])
      assert.equal(accepts(schema, schema, value), expected, JSON.stringify([schema, value]));
  });
});

describe('which numbers a format can store', () => {
  for (const [format, inside, outside] of [
    ['int8', [-128, 127], [-129, 128, 0.5]],
    ['uint8', [0, 255], [-1, 256]],
    ['int32', [-2147483648, 2147483647], [-2147483649, 2147483648]],
    ['int', [5, -(2 ** 40)], [0.5]],
    ['integer', [5, -5], [0.5]],
    ['uint', [0, 2 ** 40], [-1, 0.5]],
    ['double', [0.5, -1], []],
    ['decimal', [0.5], []],
    ['date', [0.5], []],
  ] as [string, number[], number[]][])
    it(format, () => {
      for (const value of inside) assert.equal(fits(value, format), true, String(value));
      for (const value of outside) assert.equal(fits(value, format), false, String(value));
    });
});
