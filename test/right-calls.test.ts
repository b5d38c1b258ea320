// Changes after which every old call is still right: the differ calls none of them breaking, and the guard sends the call.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '../scripts/contract/types.ts';
import { drive, sandbox } from './sandbox.ts';

const tool = (inputSchema: Json): JsonObject => ({ name: 'set', description: 'Sets it.', inputSchema });
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });
/** A tool with one parameter. */
const one = (schema: Json): JsonObject => object({ p: schema }, { required: ['p'] });
/** A tool with the parameter `m`, of which each form is one branch. */
const forms = (...schemas: Json[]): JsonObject => ({
  type: 'object',
  anyOf: schemas.map((m) => object({ m }, { required: ['m'] })),
});
const NAMED = object({ f: { type: 'object', properties: { name: { type: 'string' } } } });
const named = (more: JsonObject): JsonObject => object({ f: { type: 'object', ...more } });
const CALL = { f: { name: 'x' } };
const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };

const CASES: [what: string, before: JsonObject, after: JsonObject, args: JsonObject, harmsOthers?: string][] = [
  ['a record, as zod 4 writes it', NAMED, named({ propertyNames: TEXT, additionalProperties: {} }), CALL],
  ['no names, and any others', NAMED, named({ properties: {}, additionalProperties: true }), CALL],
  ['any names', NAMED, named({ additionalProperties: true }), CALL],
  // Only a call with a number under a name that was never listed is refused now.
  ['texts under any name', NAMED, named({ additionalProperties: TEXT }), CALL, 'input-object-closed'],
  [
    'a branch for each value',
    object({ m: { enum: ['a', 'b'] } }, { required: ['m'] }),
    forms({ const: 'a' }, { const: 'b' }),
    { m: 'b' },
  ],
  [
    'a branch for true and one for false',
    object({ m: { type: 'boolean' } }, { required: ['m'] }),
    forms({ const: true }, { const: false }),
    { m: false },
  ],
  [
    'a branch for null',
    object({ m: { type: ['string', 'null'] } }, { required: ['m'] }),
    forms(TEXT, { type: 'null' }),
    { m: null },
  ],
  [
    'a branch with it and one without',
    object({ m: TEXT, n: INTEGER }),
    {
      type: 'object',
      anyOf: [object({ m: TEXT, n: INTEGER }, { required: ['m'] }), object({ m: false, n: INTEGER })],
    },
    { n: 1 },
  ],
  [
    'a branch where it is there and one where it is not',
    object({ m: TEXT }),
    object({ m: TEXT }, { anyOf: [{ required: ['m'] }, { not: { required: ['m'] } }] }),
    { m: 'x' },
  ],
  ['a list and all else', one({}), one({ anyOf: [{ enum: ['ab', 1] }, { not: { enum: ['ab', 1] } }] }), { p: 'ab' }],
  ['at least one character', one({ not: { enum: [''] } }), one({ minLength: 1 }), { p: 'x' }],
  ['a bound that its steps pass over', one({ minimum: 4, multipleOf: 3 }), one({ exclusiveMinimum: 4 }), { p: 6 }],
  ['a date', one({ enum: ['2020-01-01'] }), one({ format: 'date' }), { p: '2020-01-01' }],
  [
    'a length that the pattern keeps',
    one({ ...TEXT, pattern: '^[0-9]{3}$' }),
    one({ ...TEXT, pattern: '^[0-9]{3}$', maxLength: 5 }),
    { p: '123' },
  ],
  [
    'a pattern that matches more',
    one({ ...TEXT, pattern: '^[a-z]+$' }),
    one({ ...TEXT, pattern: '^[a-z0-9]+$' }),
    { p: 'ab' },
  ],
  ['a length as a pattern', one({ ...TEXT, minLength: 1 }), one({ ...TEXT, pattern: '^[\\s\\S]+$' }), { p: 'x' }],
  ['the largest whole number', one(INTEGER), one({ ...INTEGER, maximum: 9007199254740991 }), { p: 7 }],
  ['the smallest whole number', one(INTEGER), one({ ...INTEGER, minimum: -9007199254740991 }), { p: -7 }],
  [
    'branches of elements, and no others',
    one({ anyOf: [{ items: INTEGER }, { prefixItems: [INTEGER] }] }),
    one({ anyOf: [{ items: INTEGER }, { prefixItems: [INTEGER] }], unevaluatedItems: {} }),
    { p: [1, 2] },
  ],
];

describe('a call that is still right', () => {
  for (const [what, before, after, args, harmsOthers] of CASES)
    it(`${what}: ${harmsOthers === undefined ? 'no change is breaking, and it is sent' : 'it is sent'}`, async (test) => {
      const box = await sandbox(test, [tool(before)] as never);
      const files = [before, after].map((schema, index) => {
        const file = join(box.project, `${index}.json`);
        writeFileSync(file, JSON.stringify({ tools: [tool(schema)] }));
        return file;
      });
      const compared = await drive(
        'cli.cjs',
        '',
        box.env,
        ['diff', ...files, '--level', 'unclassified', '--json'],
        true,
      );
      const { changes } = (JSON.parse(compared.stdout) as { data: { changes: { rule: string }[] } }).data;
      assert.deepEqual([...new Set(changes.map(({ rule }) => rule))], harmsOthers === undefined ? [] : [harmsOthers]);
      await box.start();
      box.release([tool(after)] as never, '2');
      const call = JSON.stringify(box.input('set', args));
      const explained = await drive('cli.cjs', call, box.env, ['explain', '--json'], true);
      const { verdict } = (JSON.parse(explained.stdout) as { data: { verdict: string } }).data;
      assert.ok(['silence', 'notice'].includes(verdict), verdict);
    });
});
