// What `diff` says about a change, in words that a caller of the tool understands.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
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
      [
        one(WHO),
        one({ allOf: [{ $ref: '#/$defs/who' }] }, { $defs: { who: WHO } }),
        'its description stands elsewhere now, and',
      ],
    ] as const)
      assert.deepEqual(
        (await lines(test, before, after)).filter((line) => line.includes('Who')),
        [`compatible: ${place} ${same}`],
      );
    assert.deepEqual(await lines(test, one(WHO), one({ $ref: '#/$defs/who' }, { $defs: { who: WHO } })), []);
    assert.deepEqual(await lines(test, { ...one(text), title: 'Who' }, { ...one(text), description: 'Who' }), [
      `semantic: its title stands elsewhere now as \`description\`, and ${same}`,
    ]);
  });

  it('have not moved where they stand at another parameter now', async (test) => {
    const two = (a: JsonObject, b: JsonObject): Contract => tool('t', { a, b });
    assert.deepEqual(await lines(test, two(WHO, text), two(text, WHO)), [
      'semantic: new description: "Who" → none',
      'compatible: new description: none → "Who"',
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
      [one(text), one({ anyOf: [text, { type: 'null' }] }), 'one more form is taken: `null`'],
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
      ['dependentSchemas', { x: { required: ['y'] } }, 'what has to hold where a certain parameter is given changed'],
      ['not', { required: ['x'] }, 'what it may not be changed'],
      ['if', { required: ['x'] }, 'the condition under which something has to hold changed'],
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
