// A parameter that moved from one form of a value to another one: told as that, and judged by what the call holds.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import { validateArguments } from '../scripts/contract/validate.ts';
import { diffContract } from '../scripts/diff/diff.ts';
import { reasonLine } from '../scripts/guard/change-lines.ts';
import { judgedCall } from './judged-call.ts';

const TEXT = { type: 'string' };
const CLOSED = { additionalProperties: false };
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });
const kind = (name: string, properties: JsonObject, more: JsonObject = {}): JsonObject =>
  object({ kind: { const: name }, ...properties }, { required: ['kind'], ...more });
const oneOf = (...forms: JsonObject[]): Contract => ({
  name: 'set',
  inputSchema: object({ target: { oneOf: forms } }, { required: ['target'] }),
});
/** The same with definitions, as generators write them. */
const referred = (a?: JsonObject, b?: JsonObject): Contract => ({
  name: 'set',
  inputSchema: {
    ...object({ target: { oneOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }] } }, { required: ['target'] }),
    $defs: { A: a ?? {}, B: b ?? {} },
  },
});

const judged = (believed: Contract, live: Contract, target: JsonObject) => {
  return judgedCall(believed, live, { target });
};

const MOVED_OPEN =
  'silent moved: `y` to the form { kind: "b", z }; { kind: "a", x } only accepts it, like any unknown name';

describe('a parameter that moved to another form', () => {
  for (const [what, make] of [
    ['in its place', oneOf],
    ['in a definition', referred],
  ] as const) {
    const before = make(kind('a', { x: TEXT, y: TEXT }), kind('b', { z: TEXT }));
    const after = make(kind('a', { x: TEXT }), kind('b', { z: TEXT, y: TEXT }));

    it(`is told with both forms, and what keeps the proof back: ${what}`, () => {
      assert.deepEqual(
        diffContract(before, after).map(({ level, message }) => `${level} ${message}`),
        ['breaking `y` is listed in the form { kind: "b", z } now, and must be `string` there', MOVED_OPEN],
      );
    });

    it(`concerns the calls that have it: ${what}`, () => {
      for (const [target, decision] of [
        [{ kind: 'a', y: '1' }, 'deny'],
        [{ kind: 'a', x: '1' }, 'notice'],
        [{ kind: 'b', z: '1' }, 'notice'],
        [{ kind: 'b', y: 1 }, 'deny'],
      ] as const)
        assert.equal(judged(before, after, target).decision, decision, JSON.stringify(target));
    });
  }

  it('is refused by a closed form', () => {
    const before = oneOf(kind('a', { x: TEXT, y: TEXT }, CLOSED), kind('b', { z: TEXT }, CLOSED));
    const after = oneOf(kind('a', { x: TEXT }, CLOSED), kind('b', { z: TEXT, y: TEXT }, CLOSED));
    assert.equal(
      diffContract(before, after)[0]?.message,
      'moved: `y` to the form { kind: "b", z }; { kind: "a", x } refuses it',
    );
    assert.equal(judged(before, after, { kind: 'a', y: '1' }).decision, 'deny');
    assert.equal(judged(before, after, { kind: 'a', x: '1' }).decision, 'notice');
  });

  it('is told as required to a call of the form that requires it now', () => {
    const before = oneOf(kind('a', { x: TEXT, y: TEXT }), kind('b', { z: TEXT }));
    const after = oneOf(kind('a', { x: TEXT }), kind('b', { z: TEXT, y: TEXT }, { required: ['kind', 'y'] }));
    const { decision, reasons } = judged(before, after, { kind: 'b', z: '1' });
    assert.equal(decision, 'deny');
    assert.deepEqual(
      reasons.map((reason) => reasonLine(reason, true)),
      ['`target.y`: added: required `y`'],
    );
  });

  it('is a plain removal where two forms have it now', () => {
    const before = oneOf(kind('a', { y: TEXT }), kind('b', {}), kind('c', {}));
    const after = oneOf(kind('a', {}), kind('b', { y: TEXT }), kind('c', { y: TEXT }));
    assert.match(
      diffContract(before, after)
        .map(({ message }) => message)
        .join('\n'),
      /^removed: `y` /m,
    );
  });
});

describe('a parameter that one form no longer takes, and another one does', () => {
  const anyOf = (...forms: JsonObject[]): Contract => ({
    name: 'set',
    inputSchema: object({ target: { anyOf: forms } }, { required: ['target'] }),
  });
  const other = object({ y: TEXT, q: TEXT }, { required: ['q'] });
  const [had, has] = [object({ x: TEXT, y: TEXT }, CLOSED), object({ x: TEXT }, CLOSED)];

  it('is still declared, and ignored where no form has it', () => {
    const open = object({ z: TEXT });
    const levels = (before: Contract, after: Contract) => diffContract(before, after).map(({ level }) => level);
    assert.deepEqual(levels(anyOf(had, other, open), anyOf(has, other, open)), ['compatible']);
    assert.deepEqual(levels(anyOf(had, open), anyOf(has, open)), ['silent']);
    for (const forms of [[other], []])
      assert.equal(judged(anyOf(had, ...forms, open), anyOf(has, ...forms, open), { y: '1' }).decision, 'deny');
  });
});

describe('a form that was divided', () => {
  it('goes on as the one of its name, whichever comes first', () => {
    const shape = (title: string, kinds: string[], name: string): JsonObject => ({
      title,
      ...object({ kind: { enum: kinds }, [name]: { type: 'number' } }, { required: ['kind'] }),
    });
    const square = shape('Square', ['square'], 'side');
    const before = oneOf(shape('Square', ['square', 'disc'], 'side'));
    for (const after of [
      oneOf(shape('Disc', ['disc'], 'radius'), square),
      oneOf(square, shape('Disc', ['disc'], 'radius')),
    ])
      assert.doesNotMatch(
        diffContract(before, after)
          .map(({ message }) => message)
          .join('\n'),
        /side` went|(?:removed|renamed|moved): `side`/,
      );
  });
});

describe('what is wrong with a call that is marked as one of several forms', () => {
  const forms = [
    kind('a', { x: TEXT }, { required: ['kind', 'x'] }),
    kind('b', { z: TEXT }, { required: ['kind', 'z'] }),
  ];
  const inPlace = (keyword = 'oneOf') => object({ target: { [keyword]: forms } });
  const errors = (target: JsonObject, schema: Json = inPlace()): string[] => {
    const found = validateArguments(schema, { target });
    return found.valid === false ? found.errors.map(({ text }) => text) : [];
  };

  it('is told of that form alone', () => {
    for (const schema of [inPlace(), inPlace('anyOf'), referred(...forms).inputSchema]) {
      assert.deepEqual(errors({ kind: 'a' }, schema), ['`x` is required in `target`']);
      assert.deepEqual(errors({ kind: 'b', z: 5 }, schema), ['`target.z` must be string']);
    }
  });

  it('is told of all, where no form or more than one is meant', () => {
    assert.ok(errors({ kind: 'c' }).length > 1);
    assert.ok(errors({}).length > 1);
  });
});
