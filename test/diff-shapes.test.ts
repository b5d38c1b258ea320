// A change of meaning is found in whatever shape generators write a schema: flat, in `allOf`, behind a reference beside other
// keywords, as a union with null, with a bound that is excluded. And the shape alone is no change.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defined } from '../scripts/contract/defined.ts';
import type { Json, JsonObject } from '../scripts/contract/types.ts';
import { diffContract } from '../scripts/diff/diff.ts';

type Shape = (schema: JsonObject) => JsonObject;

const contract = (schema: JsonObject) => ({ name: 't', description: 'Does it.', inputSchema: schema });

/** The same object in other shapes. Its properties are one object's, which stands at the root. */
const OBJECTS: Record<string, Shape> = {
  flat: (schema) => schema,
  'in one part': (schema) => ({ type: 'object', allOf: [schema] }),
  'behind a reference in a part': (schema) => ({
    type: 'object',
    allOf: [{ $ref: '#/$defs/In' }],
    $defs: { In: schema },
  }),
  'behind a reference beside its type': ({ type, ...rest }) => ({
    type: type ?? 'object',
    $ref: '#/definitions/In',
    definitions: { In: { type: 'object', ...rest } },
  }),
  'behind two references': (schema) => ({
    allOf: [{ $ref: '#/$defs/Outer' }],
    $defs: { Outer: { allOf: [{ $ref: '#/$defs/Inner' }] }, Inner: schema },
  }),
  'in a part of its own each': ({ properties = {}, required = [], ...rest }) => ({
    ...rest,
    allOf: Object.entries(properties as JsonObject).map(([name, one]) => ({
      type: 'object',
      properties: { [name]: one },
      required: (required as string[]).filter((other) => other === name),
    })),
  }),
};

/** The same value in other shapes. */
const VALUES: Record<string, Shape> = {
  'with a list of types': ({ type, ...rest }) => ({ type: [type as string, 'null'], ...rest }),
  'a union with null': (schema) => ({ anyOf: [schema, { type: 'null' }] }),
  'a union with null, which goes first': (schema) => ({ oneOf: [{ type: 'null' }, schema] }),
  'a union whose words stand outside': ({ description = 'A value.', ...schema }) => ({
    description,
    anyOf: [schema, { type: 'null' }],
  }),
};

const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...rest });
const NOTE: JsonObject = { type: 'string', description: 'A note.' };

/** What the diff says first, and whether a call is asked about. */
const found = (before: JsonObject, after: JsonObject): [string?, string?] => {
  const [first] = diffContract(contract(before), contract(after));
  return first === undefined ? [] : [first.level, first.effect?.verdict ?? 'none'];
};

const pairs = (shapes: Record<string, Shape>): [string, Shape, Shape][] =>
  Object.entries(shapes).flatMap(([from, one]) =>
    Object.entries(shapes).map(([to, other]): [string, Shape, Shape] => [`${from} → ${to}`, one, other]),
  );
/** Between two shapes that are both spread over several schemas, no more is promised than between the same parts. */
const isToFlat = (what: string): boolean => what.startsWith('flat →') || what.endsWith('→ flat');

describe('an object in another shape', () => {
  const CHANGES: [what: string, JsonObject, JsonObject, level: string, verdict: string][] = [
    [
      'pages count from 0',
      object({ page: { type: 'integer', minimum: 1 }, note: NOTE }),
      object({ page: { type: 'integer', minimum: 0 }, note: NOTE }),
      'semantic',
      'ask',
    ],
    [
      'a default is another one',
      object({ dry: { type: 'boolean', default: true }, note: NOTE }),
      object({ dry: { type: 'boolean', default: false }, note: NOTE }),
      'silent',
      'ask',
    ],
    [
      'a trial run is the default',
      object({ note: NOTE }),
      object({ note: NOTE, dry_run: { type: 'boolean', default: true } }),
      'silent',
      'ask',
    ],
    [
      'a parameter is gone',
      object({ berth: { type: 'string' }, note: NOTE }),
      object({ note: NOTE }),
      'silent',
      'deny',
    ],
    [
      'a parameter has another name',
      object({ berth_id: { type: 'string' }, note: NOTE }),
      object({ berthId: { type: 'string' }, note: NOTE }),
      'silent',
      'deny',
    ],
    [
      'a title says another thing',
      object({ to: { type: 'string', title: 'Sender' }, note: NOTE }),
      object({ to: { type: 'string', title: 'Carrier' }, note: NOTE }),
      'semantic',
      'ask',
    ],
    [
      'a parameter is required',
      object({ berth: { type: 'string' }, note: NOTE }),
      object({ berth: { type: 'string' }, note: NOTE }, { required: ['berth'] }),
      'breaking',
      'none',
    ],
  ];
  for (const [what, before, after, level, verdict] of CHANGES)
    it(what, () => {
      for (const [shapes, one, other] of pairs(OBJECTS).filter(([shapes]) => isToFlat(shapes))) {
        const [its, call] = found(one(before), other(after));
        assert.equal(its, level, shapes);
        if (verdict !== 'none') assert.equal(call, verdict, shapes);
      }
    });

  it('is the same', () => {
    const same = object({ berth: { type: 'string', title: 'Berth' }, note: NOTE }, { required: ['note'] });
    for (const [shapes, one, other] of pairs(OBJECTS).filter(([shapes]) => isToFlat(shapes)))
      assert.deepEqual(diffContract(contract(one(same)), contract(other(same))), [], shapes);
  });

  it('is another one where parts do not add up to what is written as one', () => {
    const berth: JsonObject = { type: 'string' };
    for (const [before, after] of [
      // Closed to the names of the other part.
      [
        object({ berth, note: NOTE }, { additionalProperties: false }),
        { allOf: [object({ berth }), object({ note: NOTE }, { additionalProperties: false })] },
      ],
      // A name that both have.
      [object({ berth }), { allOf: [object({ berth }), object({ berth: { maxLength: 3 } })] }],
      // Another type.
      [object({ berth }), { allOf: [object({ berth }), { type: 'array' }] }],
      // A part that nothing meets, and one that leads nowhere.
      [object({ berth }), { allOf: [object({ berth }), false] }],
      [object({ berth }), { allOf: [object({ berth }), { $ref: '#/$defs/None' }] }],
    ] as [JsonObject, JsonObject][])
      assert.match(String(found(before, after)[0]), /^(?:breaking|unclassified)$/, JSON.stringify(after));
  });

  it('ends where parts lead round in a circle', () => {
    const round: JsonObject = {
      allOf: [{ $ref: '#/$defs/A' }],
      $defs: { A: { allOf: [{ $ref: '#/$defs/B' }] }, B: { allOf: [{ $ref: '#/$defs/A' }] } },
    };
    assert.ok(diffContract(contract(object({ note: NOTE })), contract(round)).length > 0);
  });
});

describe('a value in another shape', () => {
  const both = (value: JsonObject): JsonObject => object({ share: value });
  for (const [what, before, after, level] of [
    [
      'a share is a percentage',
      { type: 'number', minimum: 0, maximum: 1 },
      { type: 'number', minimum: 0, maximum: 100 },
      'semantic',
    ],
    [
      'other words',
      { type: 'integer', description: 'In hours.' },
      { type: 'integer', description: 'In days.' },
      'semantic',
    ],
    ['fewer values', { type: 'integer', maximum: 9 }, { type: 'integer', maximum: 8 }, 'breaking'],
  ] as [string, JsonObject, JsonObject, string][])
    it(`${what}`, () => {
      for (const [shapes, one, other] of pairs(VALUES))
        assert.deepEqual(found(both(one(before)), both(other(after)))[0], level, shapes);
    });

  it('is the same', () => {
    const same: JsonObject = { type: 'array', items: { type: 'string' }, maxItems: 3, description: 'Names.' };
    for (const [shapes, one, other] of pairs(VALUES)) {
      const changes = diffContract(contract(both(one(same))), contract(both(other(same))));
      assert.deepEqual(
        changes.filter(({ level }) => level !== 'compatible'),
        [],
        shapes,
      );
    }
  });

  it('accepts null, or does not', () => {
    const values: JsonObject = { type: 'string', enum: ['a', 'b'] };
    const union = VALUES['a union with null'] as Shape;
    assert.equal(
      found(both(union(values)), both({ ...values, type: ['string', 'null'] }))[0],
      'breaking',
      'an enum without null',
    );
    assert.equal(found(both(union({ type: 'string' })), both({ type: 'string' }))[0], 'breaking');
  });
});

describe('a choice beside other keywords', () => {
  it('is told as one that came, whatever the order of the keywords', () => {
    const of = (id: JsonObject) => contract({ type: 'object', properties: { id } });
    const before: JsonObject = { type: 'string' };
    const choice: JsonObject = { anyOf: [{ minLength: 3 }, { pattern: '^a' }] };
    for (const after of [
      { ...before, ...choice },
      { ...choice, ...before },
    ])
      assert.deepEqual(
        diffContract(of(before), of(after)).map(({ level, path, message }) => `${level} ${path}: ${message}`),
        ['breaking /inputSchema/properties/id/anyOf: has to have one of these forms now: minLength 3, another one'],
      );
  });
});

describe('a list by position', () => {
  const number = (description: string, rest: JsonObject = {}): JsonObject => ({ type: 'number', description, ...rest });
  const [LONGITUDE, LATITUDE] = [number('Longitude'), number('Latitude')];
  type Written = (first: JsonObject[], others?: Json) => JsonObject;
  const draft = (name: string): JsonObject => ({ $schema: name });
  const asItems =
    (root: JsonObject): Written =>
    (items, additionalItems) =>
      object({ at: { type: 'array', items, ...defined({ additionalItems }) } }, root);
  const asPrefix =
    (root: JsonObject): Written =>
    (prefixItems, items) =>
      object({ at: { type: 'array', prefixItems, ...defined({ items }) } }, root);
  const WRITTEN: [what: string, one: Written, other: Written][] = [
    [
      'in two drafts',
      asItems(draft('http://json-schema.org/draft-07/schema#')),
      asPrefix(draft('https://json-schema.org/draft/2020-12/schema')),
    ],
    ['in drafts that are not named', asItems({}), asPrefix({})],
    [
      'in an earlier draft',
      asPrefix(draft('https://json-schema.org/draft/2020-12/schema')),
      asItems(draft('https://json-schema.org/draft/2019-09/schema')),
    ],
  ];
  for (const [what, one, other] of WRITTEN) {
    it(`is the same ${what}`, () => {
      for (const others of [undefined, false, number('Height')] as (Json | undefined)[])
        assert.deepEqual(found(one([LONGITUDE, LATITUDE], others), other([LONGITUDE, LATITUDE], others)), []);
    });

    it(`is another one ${what}`, () => {
      const before = one([LONGITUDE, LATITUDE], false);
      for (const [after, level, verdict] of [
        [other([LATITUDE, LONGITUDE], false), 'semantic', 'ask'],
        [other([LONGITUDE, number('Latitude', { maximum: 90 })], false), 'breaking', undefined],
        [other([LONGITUDE, LATITUDE, number('Height')], false), 'semantic'],
        [other([LONGITUDE], false), 'unclassified', 'ask'],
      ] as [JsonObject, string, string?][]) {
        const [its, call] = found(before, after);
        assert.equal(its, level, JSON.stringify(after));
        if (verdict !== undefined) assert.equal(call, verdict, JSON.stringify(after));
      }
    });
  }

  it('is none in a draft that does not know it', () => {
    const later = asPrefix(draft('http://json-schema.org/draft-07/schema#'));
    assert.notDeepEqual(found(asItems({})([LONGITUDE, LATITUDE]), later([LONGITUDE, LATITUDE])), []);
  });

  it('ends where its elements are lists like it', () => {
    const round = (rest: JsonObject): JsonObject => object({ at: { $ref: '#/$defs/At' } }, { $defs: { At: rest } });
    const one: JsonObject = { $ref: '#/$defs/At' };
    const before = round({ type: 'array', items: [LONGITUDE, one] });
    assert.deepEqual(found(before, round({ type: 'array', prefixItems: [LONGITUDE, one] })), []);
    assert.equal(found(before, round({ type: 'array', prefixItems: [LATITUDE, one] }))[0], 'semantic');
  });
});

describe('a bound that is excluded', () => {
  const number = (bounds: JsonObject, type = 'integer'): JsonObject => object({ page: { type, ...bounds } });
  for (const [what, before, after, level] of [
    ['from 1, and from 0', number({ exclusiveMinimum: 0 }), number({ minimum: 0 }), 'semantic'],
    ['from 0, and from 1', number({ minimum: 0 }), number({ exclusiveMinimum: 0 }), 'breaking'],
    ['from 1 both times', number({ exclusiveMinimum: 0 }), number({ minimum: 1 }), 'compatible'],
    [
      'up to 1, and up to 100',
      number({ minimum: 0, maximum: 1 }, 'number'),
      number({ minimum: 0, exclusiveMaximum: 101 }, 'number'),
      'semantic',
    ],
  ] as [string, JsonObject, JsonObject, string][])
    it(what, () => assert.equal(found(before, after)[0], level));
});

describe('parts that say something each', () => {
  const rules = (before: JsonObject, after: JsonObject): string[] =>
    diffContract(contract(before), contract(after)).map(({ level, rule }) => `${level} ${rule}`);
  const names = { a: { type: 'string' }, b: { type: 'string' } };

  it('say all of it together: their words, and what they require', () => {
    const apart = object({ city: { type: 'string', description: 'A city.', allOf: [{ description: 'In Japan.' }] } });
    const whole = object({ city: { type: 'string', description: 'A city.\n\nIn Japan.' } });
    const part = { ...object(names), required: ['b'], allOf: [{ required: ['a'] }] };
    const all = { ...object(names), required: ['a', 'b'] };
    for (const [before, after, told] of [
      [apart, whole, []],
      [whole, apart, []],
      [part, all, ['compatible input-schema-rewritten']],
      [all, part, ['compatible input-schema-rewritten']],
      [part, { ...object(names), required: ['a'] }, ['compatible input-property-became-optional']],
    ] as [JsonObject, JsonObject, string[]][])
      assert.deepEqual(rules(before, after), told);
  });

  it('are told one by one only if each of them can be told', () => {
    const before = object({ ...names, c: {} });
    const beside = (c: JsonObject) => ({ ...before, dependentSchemas: { a: { required: ['b'] }, c } });
    const told = 'breaking input-condition-changed';
    assert.deepEqual(rules(before, beside({ required: ['b'] })), [told, told]);
    assert.deepEqual(rules(before, beside({ minProperties: 3 })), ['unclassified unclassified']);
  });

  it('may be behind a reference that is looked up by the call: unknown where definitions changed, and else as it stands', () => {
    const dynamic = (words: string, type: string): JsonObject => ({
      ...object({ at: { $dynamicRef: '#node', description: words } }),
      $defs: { one: { $dynamicAnchor: 'node' }, other: { $id: 'other.json', $dynamicAnchor: 'node', type } },
    });
    const words = 'semantic input-property-words-changed';
    assert.deepEqual(rules(dynamic('in seconds', 'string'), dynamic('in hours', 'string')), [words]);
    assert.ok(
      rules(dynamic('in seconds', 'string'), dynamic('in hours', 'integer')).includes('unclassified unclassified'),
    );
  });
});

describe('a new parameter', () => {
  it('is worth no word if its default is nothing', () => {
    const isQuiet = (value: Json): boolean | undefined =>
      diffContract(contract(object({ a: {} })), contract(object({ a: {}, b: { default: value } })))[0]?.quiet;
    for (const nothing of [null, false, 0, '', [], {}]) assert.equal(isQuiet(nothing), true, JSON.stringify(nothing));
    for (const something of [true, 1, '0', [0], { a: 0 }])
      assert.equal(isQuiet(something), undefined, JSON.stringify(something));
  });
});
