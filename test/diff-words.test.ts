// What `diff` says about a change, in words that a caller of the tool understands.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { diffContract } from '../scripts/diff/diff.ts';
import { drive, sandbox, tool } from './sandbox.ts';

/** The changes that the built `diff` finds between two lists. */
const diff = async (test: TestContext, before: Contract[], after: Contract[]): Promise<JsonObject[]> => {
  const box = await sandbox(test, []);
  const files = [before, after].map((tools, index) => {
    const file = join(box.home, `${index}.json`);
    writeFileSync(file, JSON.stringify({ tools }));
    return file;
  });
  const { answer } = await drive('cli.cjs', null, box.env, ['diff', ...files, '--json']);
  return answer.data.changes;
};

const lines = async (test: TestContext, before: Contract, after: Contract): Promise<string[]> =>
  (await diff(test, [before], [after])).map(({ level, message }) => `${level}: ${message}`);

const one = (schema: JsonObject, rest: JsonObject = {}): Contract => tool('t', { a: schema }, rest);
const text: JsonObject = { type: 'string' };
const WHO: JsonObject = { ...text, description: 'Who' };

describe('values that are listed without their titles now', () => {
  const titled = (...titles: string[]): Contract =>
    one({ oneOf: titles.map((title, index) => ({ const: `line_${index}`, title })) });
  const listed = one({ enum: ['line_0', 'line_1'] });
  const told = (...titles: string[]): string[] =>
    diffContract(titled(...titles), listed).flatMap(({ rule, level }) =>
      rule === 'input-schema-rewritten' ? [level] : [],
    );

  it('lose words, unless these were the values again', () => {
    assert.deepEqual(told('North', 'South'), ['semantic']);
    assert.deepEqual(told('Line 0', 'South'), ['semantic'], 'of the second one');
    assert.deepEqual(told('Line 0', 'Line 1'), []);
  });
});

describe('the words of a diff', { concurrency: 2 }, () => {
  it('show of long texts that begin alike the part that differs, from a word on', async (test) => {
    const long = 'Looks for whatever is there and gives it back as it was found, one after the other. ';
    const [before, after] = ['It is free.', 'It costs a coin.'].map((end) => `${long.repeat(3)}${end}`);
    const inTool = await lines(
      test,
      { ...one(text), description: before as string },
      { ...one(text), description: after as string },
    );
    assert.deepEqual(inTool, [
      'semantic: description changed: "…after the other. It is free." → "…after the other. It costs a coin."',
    ]);
    const inParameter = await lines(
      test,
      one({ ...text, description: before as string }),
      one({ ...text, description: after as string }),
    );
    assert.deepEqual(inParameter, [
      'semantic: new description: "…after the other. It is free." → "…after the other. It costs a coin."',
    ]);
    const [had, has] = [`${'🙂'.repeat(300)}a`, `${'🙂'.repeat(300)}b`];
    const [signs] = await lines(test, { ...one(text), description: had }, { ...one(text), description: has });
    assert.match(String(signs), /^semantic: description changed: "…🙂+a" → "…🙂+b"$/u);
  });

  it('say once that words moved', async (test) => {
    const same = 'says the same: "Who"';
    for (const [before, after, place] of [
      [one({ ...text, title: 'Who' }), one(WHO), 'its title stands elsewhere now as `description`, and'],
      [one(WHO), one({ anyOf: [WHO, { type: 'integer' }] }), 'its description stands elsewhere now, and'],
    ] as const)
      assert.deepEqual(
        (await lines(test, before, after)).filter((line) => line.includes('Who')),
        [`compatible: ${place} ${same}`],
      );
    const who: JsonObject = { $ref: '#/$defs/who' };
    for (const same of [who, { allOf: [who] }])
      assert.deepEqual(await lines(test, one(WHO), one(same, { $defs: { who: WHO } })), []);
    assert.deepEqual(await lines(test, { ...one(text), title: 'Who' }, { ...one(text), description: 'Who' }), [
      `semantic: its title stands elsewhere now as \`description\`, and ${same}`,
    ]);
    const hinted = { ...one(text), annotations: { title: 'Who' } };
    assert.deepEqual(await lines(test, { ...one(text), title: 'Who' }, hinted), [
      `compatible: its title stands elsewhere now, and ${same}`,
    ]);
  });

  it('that moved are those of their parameter', () => {
    const [change] = diffContract(one({ ...text, title: 'Who' }), one(WHO));
    assert.deepEqual([change?.tool, change?.parameter, change?.before, change?.after], ['t', ['a'], 'Who', 'Who']);
  });

  it('have not moved where they stand at another parameter now', async (test) => {
    const two = (a: JsonObject, b: JsonObject): Contract => tool('t', { a, b });
    assert.deepEqual(await lines(test, two(WHO, text), two(text, WHO)), [
      'semantic: new description: "Who" → none',
      'compatible: new description: none → "Who"',
    ]);
  });

  it('have not moved where they are said of another form now', async (test) => {
    const forms = (...said: [JsonObject, JsonObject]) =>
      one({
        oneOf: [
          { const: 1, ...said[0] },
          { const: 2, ...said[1] },
        ],
      });
    assert.deepEqual(
      await lines(test, forms({ description: 'Erases all' }, {}), forms({}, { description: 'Erases all' })),
      ['semantic: new description of 1: "Erases all" → none', 'semantic: new description of 2: none → "Erases all"'],
    );
  });

  it('have not moved where others came', async (test) => {
    assert.deepEqual(await lines(test, one({ ...text, title: 'Payer' }), one({ ...text, description: 'Payee' })), [
      'semantic: new title: "Payer" → none',
      'semantic: new description: none → "Payee"',
    ]);
    for (const [had, has] of [
      [{ title: 'Payer', description: 'Payee' }, { description: 'Payer' }],
      [{ title: 'Payer' }, { title: 'Payee', description: 'Payer' }],
    ] as const)
      assert.equal((await lines(test, one({ ...text, ...had }), one({ ...text, ...has }))).length, 2);
    const [value, words] = [one({ ...text, default: 'north' }), one({ ...text, description: 'north' })];
    assert.deepEqual(await lines(test, value, words), [
      'silent: default changed: "north" → none',
      'semantic: new description: none → "north"',
    ]);
    assert.deepEqual(await lines(test, words, value), [
      'silent: default changed: none → "north"',
      'semantic: new description: "north" → none',
    ]);
  });

  it('say once what was reworded in a parameter and in a form of it', async (test) => {
    const said = (description: string) => one({ description, anyOf: [{ ...text, description }, { type: 'null' }] });
    assert.deepEqual(await lines(test, said('Who'), said('Whom')), ['semantic: new description: "Who" → "Whom"']);
    const other = one({ description: 'Whom', anyOf: [{ ...text, description: 'Whose' }, { type: 'null' }] });
    assert.equal((await lines(test, said('Who'), other)).length, 2, 'different words are two changes');
  });

  it('say of forms and conditions what they mean for a call', async (test) => {
    const forms = (keyword: string, ...branches: JsonObject[]) => one({ [keyword]: branches });
    const integer: JsonObject = { type: 'integer' };
    for (const [before, after, wanted] of [
      [one(text), one({ anyOf: [text, { type: 'null' }] }), 'type changed: "string" → "null" or "string"'],
      [
        one({ anyOf: [text, integer] }),
        one({ anyOf: [text, integer, { type: 'null' }] }),
        'one more form is taken: `null`',
      ],
      [forms('anyOf', text, integer), forms('anyOf', text), 'one form is no longer taken: `integer`'],
      [forms('anyOf', text), forms('anyOf', text, { enum: [1, 2] }), 'one more form is taken: 1, 2'],
      [forms('oneOf', text), forms('oneOf', text, { const: 3 }), 'one more form is taken: 3'],
      [
        forms('allOf', text),
        forms('allOf', text, { type: ['string', 'null'] }),
        'one condition more has to be met: `null` | `string`',
      ],
      [
        one({ type: 'object', minProperties: 1 }),
        one({ type: 'object', minProperties: 1, oneOf: [{ required: ['x'], properties: { x: text } }, integer] }),
        'has to have exactly one of these forms now: { x }, `integer`',
      ],
      [
        one({ type: 'object', minProperties: 1 }),
        one({ type: 'object', minProperties: 1, anyOf: [...'klmnop'].map((x) => ({ properties: { [x]: text } })) }),
        'has to have one of these forms now: { k }, { l }, { m }, { n } and 2 more',
      ],
    ] as const) {
      const found = await lines(test, before, after);
      assert.ok(
        found.some((line) => line.endsWith(`: ${wanted}`)),
        found.join('\n'),
      );
    }
  });

  it('name no keyword alone where nobody can tell what it means', async (test) => {
    const before = one({ type: 'object', properties: { x: text, y: text } });
    const cases: [keyword: string, value: JsonObject, wanted: string][] = [
      ['dependentSchemas', { x: { minProperties: 2 } }, 'the limits where a certain parameter is given changed'],
      ['not', { required: ['x'], title: 'Without x' }, 'the excluded values changed'],
      ['if', { minProperties: 2 }, 'the condition on which other limits depend changed'],
    ];
    for (const [keyword, value, wanted] of cases) {
      const after = one({
        type: 'object',
        properties: { x: text, y: text },
        [keyword]: value,
        else: { required: ['y'] },
      });
      const found = (await lines(test, before, after)).filter((line) => line.startsWith('unclassified'));
      assert.ok(found.includes(`unclassified: ${wanted}; what that means for a call cannot be told`), found.join('\n'));
    }
    // Names of parameters are not keywords, even if they look like them.
    const named = (value: boolean) => tool('t', { not: value, constructor: value } as unknown as JsonObject);
    assert.deepEqual(await lines(test, named(true), named(false)), [
      'unclassified: `not` changed; what that means for a call cannot be told',
      'unclassified: `constructor` changed; what that means for a call cannot be told',
    ]);
  });

  it('do not show true and false below a sentence that says it', async (test) => {
    const box = await sandbox(test, []);
    const [before, after] = [one(text), one(text, { required: ['a'] })].map((contract, index) => {
      const file = join(box.home, `${index}.json`);
      writeFileSync(file, JSON.stringify({ tools: [contract] }));
      return file;
    });
    const { stdout } = await drive('cli.cjs', null, box.env, ['diff', before as string, after as string], true);
    assert.equal(stdout, 't\n  breaking  now required: `a`\n\n1 breaking\n');
  });
});

const [KEEPS, DELETES] = ['Keeps the files', 'Deletes the files'];
const said = (description: string, schema: JsonObject): JsonObject => ({ ...schema, description });
const only = (value: string, description: string): JsonObject => said(description, { const: value });
const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const kind = (value: string): JsonObject => ({ type: 'object', properties: { kind: { const: value } } });
const some = (description: string, ...values: string[]): JsonObject => said(description, { enum: values });
const oneOf = (...branches: JsonObject[]): Contract => one({ oneOf: branches });
const anyOf = (...branches: JsonObject[]): Contract => one({ anyOf: branches });
const behind = ($defs: JsonObject): Contract => one({ oneOf: Object.keys($defs).map(ref) }, { $defs });
const integer: JsonObject = { type: 'integer' };

describe('a title', () => {
  const titled = (name: string, title?: string): Contract =>
    tool('t', { [name]: { ...text, ...(title === undefined ? {} : { title }) } });
  const found = (name: string, had?: string, has?: string) =>
    diffContract(titled(name, had), titled(name, has)).map(({ level, quiet, effect }) => [
      level,
      quiet,
      effect?.verdict,
    ]);

  const toName: [name: string, had: string, has?: string][] = [
    ['owner_id', 'ID of the owner', 'Owner Id'],
    ['ownerId', 'ID of owner', 'Ownerid'],
    ['due_date', 'The due-date', 'Due Date'],
    ['owner_id', 'ID of the owner'],
    ['slot_2', 'Slot 2.', 'Slot 2'],
    ['number_of_days', 'The number of days', 'Number Of Days'],
  ];
  for (const [name, had, has] of toName)
    it(`that only says the name becomes the name: ${had} → ${has}`, () =>
      assert.deepEqual(found(name, had, has), [['compatible', true, undefined]]));

  const others: [name: string, had: string, has: string][] = [
    ['hit_limit', 'Hit limit (max 40)', 'Hit Limit'],
    ['hit_limit', 'Hit limit (1-40)', 'Hit Limit'],
    ['amount', 'Amount ($)', 'Amount'],
    ['pause', 'Pause in seconds', 'Pause'],
    ['slot_2', 'Slot 1', 'Slot 2'],
    ['owner_id', 'Author id', 'Owner Id'],
    ['not_before', 'Before', 'Not Before'],
    ['days_per_hour', 'Hour per days', 'Days Per Hour'],
    ['owner_id', 'Owner Id', 'ID of the author'],
  ];
  for (const [name, had, has] of others)
    it(`that says more or something else is asked about: ${had} → ${has}`, () =>
      assert.deepEqual(found(name, had, has), [['semantic', undefined, 'ask']]));
});

describe('the words of forms', () => {
  const titled = (form: JsonObject): JsonObject => ({ ...form, title: 'Mode' });
  const soft = [only('soft', KEEPS), only('hard', DELETES)] as const;
  const swapped = [only('soft', DELETES), only('hard', KEEPS)] as const;

  const told: [what: string, before: Contract, after: Contract][] = [
    ['of single values', oneOf(...soft), oneOf(...swapped)],
    ['in another order', oneOf(...soft), oneOf(swapped[1], swapped[0])],
    [
      'as titles',
      oneOf({ const: 1, title: 'Keep' }, { const: 2, title: 'Delete' }),
      oneOf({ const: 1, title: 'Delete' }, { const: 2, title: 'Keep' }),
    ],
    [
      'of single values with a type',
      anyOf({ ...text, ...soft[0] }, { ...text, ...soft[1] }),
      anyOf({ ...text, ...swapped[0] }, { ...text, ...swapped[1] }),
    ],
    ['of values that are listed now', oneOf(...soft), oneOf(some(DELETES, 'soft'), some(KEEPS, 'hard'))],
    [
      'of several values, of which there are more now',
      anyOf({ ...text, ...some(KEEPS, 'a', 'b') }, { ...text, ...some(DELETES, 'c', 'd') }),
      anyOf({ ...text, ...some(KEEPS, 'c', 'd', 'f') }, { ...text, ...some(DELETES, 'a', 'b', 'e') }),
    ],
    [
      'of two types',
      anyOf(said(KEEPS, text), said(DELETES, integer)),
      anyOf(said(DELETES, text), said(KEEPS, integer)),
    ],
    [
      'of objects with a kind each',
      oneOf(said(KEEPS, kind('a')), said(DELETES, kind('b'))),
      oneOf(said(DELETES, kind('a')), said(KEEPS, kind('b'))),
    ],
    [
      'in elements',
      one({ type: 'array', items: { oneOf: [...soft] } }),
      one({ type: 'array', items: { oneOf: [...swapped] } }),
    ],
    ['under another keyword', oneOf(...soft), anyOf(...swapped)],
    ['under another keyword, beside a type', one({ ...text, anyOf: [...soft] }), one({ ...text, oneOf: [...swapped] })],
    [
      'behind references that are renamed',
      behind({ A: soft[0], B: soft[1] }),
      behind({ C: swapped[0], D: swapped[1] }),
    ],
    [
      'behind references to types, renamed and widened',
      behind({ A: said(KEEPS, { ...text, maxLength: 9 }), B: said(DELETES, integer) }),
      behind({ C: said(DELETES, text), D: said(KEEPS, { type: 'number' }) }),
    ],
    ['behind the same references', behind({ A: soft[0], B: soft[1] }), behind({ A: swapped[1], B: swapped[0] })],
    ['of references that are written in place', behind({ A: soft[0], B: soft[1] }), oneOf(swapped[1], swapped[0])],
    [
      'of values that patterns take now',
      anyOf(only('a', KEEPS), only('b', DELETES)),
      anyOf(said(KEEPS, { pattern: '^b' }), said(DELETES, { pattern: '^a' })),
    ],
    [
      'of values that patterns take now, beside others that stay',
      anyOf(only('a', KEEPS), only('b', DELETES), said('Moves the files', integer)),
      anyOf(said(KEEPS, { pattern: '^b' }), said(DELETES, { pattern: '^a' }), said('Moves the files', integer)),
    ],
    [
      'of values that patterns take now, under one title',
      anyOf(titled(only('a', KEEPS)), titled(only('b', DELETES))),
      anyOf(titled(said(KEEPS, { pattern: '^b' })), titled(said(DELETES, { pattern: '^a' }))),
    ],
    [
      'of numbers that the other form takes now',
      anyOf(said(DELETES, { ...integer, maximum: 0 }), said(KEEPS, { ...integer, minimum: 1 })),
      anyOf(said(DELETES, { ...integer, minimum: 0 }), said(KEEPS, { ...integer, maximum: 0 })),
    ],
    [
      'of one of two values that had the same',
      anyOf(some(KEEPS, 'a', 'b'), text),
      anyOf(only('a', KEEPS), only('b', DELETES), text),
    ],
    [
      'of a value that has those of another one, too',
      anyOf(only('a', KEEPS), only('b', DELETES)),
      anyOf(only('a', KEEPS), only('b', DELETES), only('b', KEEPS)),
    ],
    ['of a value that any form took', anyOf(text, integer), anyOf(text, integer, only('x', DELETES))],
    ['that are gone with the list', one({ ...text, oneOf: [...soft] }), one({ ...text, enum: ['soft', 'hard'] })],
    ['that came with the list', one({ ...text, enum: ['soft', 'hard'] }), one({ ...text, oneOf: [...soft] })],
    [
      'of one of several conditions that are gone',
      one({ allOf: [said(KEEPS, { minLength: 1 }), { maxLength: 9 }, text] }),
      one({ allOf: [text] }),
    ],
    ['of one of several conditions that came', one({ allOf: [text] }), one({ allOf: [text, {}, said(DELETES, {})] })],
    [
      'of a condition that is gone, but not its title',
      one({ allOf: [titled(said(KEEPS, { minLength: 1 })), titled(text)] }),
      one({ allOf: [titled(text)] }),
    ],
    [
      'of a condition that came with a title that was there',
      one({ allOf: [titled(text)] }),
      one({ allOf: [titled(text), titled(said(DELETES, {}))] }),
    ],
    ['of a condition that is gone', one({ allOf: [said(KEEPS, { minLength: 1 }), text] }), one({ allOf: [text] })],
  ];
  for (const [what, before, after] of told)
    it(`${what}: are told, and nothing is harmful`, () => {
      const changes = diffContract(before, after);
      const levels = new Set(changes.map(({ level }) => level));
      assert.ok(levels.has('semantic'), JSON.stringify(changes));
      levels.delete('compatible');
      assert.deepEqual([...levels], ['semantic'], JSON.stringify(changes));
    });

  const quiet: [what: string, before: Contract, after: Contract][] = [
    ['in another order', oneOf(...soft), oneOf(soft[1], soft[0])],
    ['beside one more form', oneOf(...soft), oneOf(only('new', 'Moves the files'), ...soft)],
    [
      'in another case',
      oneOf(only('a', 'Keeps files.'), only('b', 'Deletes files.')),
      oneOf(only('a', 'keeps files'), only('b', 'deletes files')),
    ],
    ['with examples', anyOf(said(KEEPS, text), integer), anyOf({ ...said(KEEPS, text), examples: ['x'] }, integer)],
    ['under another keyword', oneOf(...soft), anyOf(...soft)],
    [
      'under another keyword, beside a type',
      one({ ...text, oneOf: [...soft] }),
      one({ ...text, anyOf: [soft[1], soft[0]] }),
    ],
    ['behind references that are renamed', behind({ A: soft[0], B: soft[1] }), behind({ C: soft[1], D: soft[0] })],
    ['of references that are written in place', behind({ A: soft[0], B: soft[1] }), oneOf(soft[1], soft[0])],
    ['as a list each', oneOf(...soft), oneOf(some(KEEPS, 'soft'), some(DELETES, 'hard'))],
    [
      'of a list in two parts',
      anyOf(some(KEEPS, 'a', 'b'), integer),
      anyOf(only('a', KEEPS), only('b', KEEPS), integer),
    ],
    [
      'of two parts in one list',
      anyOf(only('a', KEEPS), only('b', KEEPS), integer),
      anyOf(some(KEEPS, 'a', 'b'), integer),
    ],
    [
      'beside a form without words, whose values another one takes',
      anyOf(said(KEEPS, text), said(DELETES, integer)),
      anyOf(said(KEEPS, text), said(DELETES, integer), { ...text, maxLength: 5 }),
    ],
    [
      'of forms that are wider',
      anyOf(said(KEEPS, { ...text, maxLength: 5 }), said(DELETES, integer)),
      anyOf(said(KEEPS, text), said(DELETES, { type: 'number' })),
    ],
    [
      'of a form that another one includes',
      anyOf(said(KEEPS, { ...text, maxLength: 5 }), said(KEEPS, text)),
      one(said(KEEPS, text)),
    ],
    [
      'that stand above the forms now',
      anyOf(said(KEEPS, text), { type: 'null' }),
      one({ description: KEEPS, anyOf: [text, { type: 'null' }] }),
    ],
    [
      'of which there are none',
      one({ ...text, enum: ['a', 'b'] }),
      one({ ...text, oneOf: [{ const: 'a' }, { const: 'b' }] }),
    ],
    [
      'of types that are listed apart',
      anyOf({ type: ['string', 'integer'] }, { type: 'null' }),
      anyOf(text, integer, { type: 'null' }),
    ],
  ];
  for (const [what, before, after] of quiet)
    it(`${what}: say the same`, () => {
      const changes = diffContract(before, after);
      assert.deepEqual(
        changes.filter((change) => change.level !== 'compatible' || !change.quiet),
        [],
      );
    });

  it('are told where they belong, and no form that is still taken is called gone', () => {
    assert.deepEqual(
      diffContract(oneOf(...soft), oneOf(...swapped)).map(({ level, path, message }) => `${level} ${path}: ${message}`),
      [
        `semantic /inputSchema/properties/a/oneOf/0/description: new description of "soft": "${KEEPS}" → "${DELETES}"`,
        `semantic /inputSchema/properties/a/oneOf/1/description: new description of "hard": "${DELETES}" → "${KEEPS}"`,
      ],
    );
  });

  it('are those of their parameter, where the list went', () => {
    const [change] = diffContract(one({ ...text, oneOf: [...soft] }), one({ ...text, enum: ['soft', 'hard'] }));
    assert.deepEqual([change?.level, change?.parameter, change?.ways], ['semantic', ['a'], [['a']]]);
  });

  it('fail where no form takes the value', () => {
    const changes = diffContract(anyOf(...soft, integer), anyOf(only('soft', KEEPS), integer));
    assert.deepEqual(
      changes.map(({ level, message }) => `${level}: ${message}`),
      ['breaking: one form is no longer taken: "hard"'],
    );
  });
});

const [CODE, NAME] = ['ISO 639 code of the language', 'Name of the language in English'];
const map = (names: JsonObject | undefined, rest: JsonObject = {}): JsonObject => ({
  type: 'object',
  ...(names === undefined ? {} : { propertyNames: names }),
  additionalProperties: text,
  ...rest,
});
const [code, name] = [said(CODE, text), said(NAME, text)];

describe('the words of names', () => {
  const pairs = (schema: (names: JsonObject) => Contract): [Contract, Contract] => [schema(code), schema(name)];
  const told: [what: string, before: Contract, after: Contract, path: string][] = [
    ['of a map', ...pairs((names) => one(map(names))), '/properties/a/propertyNames/description'],
    [
      'as a title',
      one(map({ ...text, title: 'Code' })),
      one(map({ ...text, title: 'English name' })),
      '/properties/a/propertyNames/title',
    ],
    [
      'behind a reference',
      ...pairs((names) => one(map(ref('Names')), { $defs: { Names: names } })),
      '/$defs/Names/description',
    ],
    [
      'behind a reference that is renamed',
      one(map(ref('Code')), { $defs: { Code: code } }),
      one(map(ref('Name')), { $defs: { Name: name } }),
      '/properties/a/propertyNames/description',
    ],
    [
      'of a map in a map',
      ...pairs((names) => one(map(text, { additionalProperties: map(names) }))),
      '/properties/a/additionalProperties/propertyNames/description',
    ],
    [
      'of a map in a list',
      ...pairs((names) => one({ type: 'array', items: map(names) })),
      '/properties/a/items/propertyNames/description',
    ],
    [
      'of forms of names',
      one(map({ anyOf: [only('de', KEEPS), only('en', DELETES)] })),
      one(map({ anyOf: [only('de', DELETES), only('en', KEEPS)] })),
      '/properties/a/propertyNames/anyOf/0/description',
    ],
    [
      'where more names are taken',
      one(map({ ...code, maxLength: 2 })),
      one(map(name)),
      '/properties/a/propertyNames/description',
    ],
    ['that are gone', one(map(code)), one(map(text)), '/properties/a/propertyNames/description'],
    [
      'that are gone with all that is said of names',
      one(map(code)),
      one(map(undefined)),
      '/properties/a/propertyNames/description',
    ],
    ['where there were none', one(map(undefined)), one(map(code)), '/properties/a/propertyNames/description'],
    [
      'that tell of the values now',
      one(map(code)),
      one(map(text, { additionalProperties: code })),
      '/properties/a/propertyNames/description',
    ],
    [
      'that changed places with those of the values',
      one(map(code, { additionalProperties: name })),
      one(map(name, { additionalProperties: code })),
      '/properties/a/propertyNames/description',
    ],
  ];
  for (const [what, before, after, path] of told)
    it(`${what}: are told, and nothing is harmful`, () => {
      const changes = diffContract(before, after);
      const loud = changes.filter(({ level }) => level !== 'compatible');
      assert.deepEqual([...new Set(loud.map(({ level }) => level))], ['semantic'], JSON.stringify(changes));
      assert.ok(
        loud.some((change) => change.path === `/inputSchema${path}`),
        JSON.stringify(changes),
      );
    });

  const quiet: [what: string, before: Contract, after: Contract][] = [
    ['that stay', one(map({ ...code, maxLength: 2 })), one(map({ ...code, maxLength: 3 }))],
    ['in another case', one(map(said('Code.', text))), one(map(said('the code', text)))],
    ['behind a reference now', one(map(code)), one(map(ref('Names')), { $defs: { Names: code } })],
    ['of which there are none', one(map(undefined)), one(map(text))],
  ];
  for (const [what, before, after] of quiet)
    it(`${what}: say the same`, () => {
      const changes = diffContract(before, after);
      assert.deepEqual(
        changes.filter((change) => change.level !== 'compatible' || !change.quiet),
        [],
      );
    });

  it('make no condition on them milder', () => {
    const changes = diffContract(one(map(code)), one(map({ ...name, maxLength: 2 })));
    assert.deepEqual(
      changes.map(({ level, path }) => `${level} ${path}`),
      [
        'breaking /inputSchema/properties/a/propertyNames',
        'semantic /inputSchema/properties/a/propertyNames/description',
      ],
    );
  });
});
