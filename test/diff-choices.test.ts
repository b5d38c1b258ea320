// A `discriminator` names definitions: what it says is compared, and not how these are called.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '../scripts/contract/types.ts';
import { diffContract } from '../scripts/diff/diff.ts';

const form = (kind: unknown, of: string, more: object = { required: ['kind'] }): object => ({
  type: 'object',
  properties: { kind, [of]: { type: 'number' } },
  ...more,
});
const CIRCLE = form({ const: 'circle' }, 'radius');
const SQUARE = form({ enum: ['square', 'tile'] }, 'side');
const refer = (name: string) => ({ $ref: `#/$defs/${name}` });

interface Said {
  mapping?: Record<string, string> | undefined;
  property?: string;
  /** How the choice stands in the parameter. */
  within?: (choice: object) => object;
}

const shapes = (defs: Record<string, object>, said?: Said): JsonObject => {
  const { mapping, property = 'kind', within = (choice: object) => choice }: Said = said ?? {};
  const targets = Object.entries(mapping ?? {}).map(([tag, name]) => [tag, refer(name).$ref]);
  const more = mapping === undefined ? {} : { mapping: Object.fromEntries(targets) };
  const choice = {
    oneOf: Object.keys(defs).map(refer),
    ...(said === undefined ? {} : { discriminator: { propertyName: property, ...more } }),
  };
  return { type: 'object', properties: { shape: within(choice) }, $defs: defs } as unknown as JsonObject;
};

const changesOf = (before: Json, after: Json): string[] =>
  diffContract({ name: 'draw', inputSchema: before }, { name: 'draw', inputSchema: after }).map(
    ({ level, rule, path, effect }) => [level, rule, path, effect?.verdict].filter(Boolean).join(' '),
  );

const OLD = { Circle: CIRCLE, Square: SQUARE };
const NEW = { geo__Circle: CIRCLE, Square: SQUARE };
const SAID = { mapping: { circle: 'Circle', square: 'Square', tile: 'Square' } };
const RENAMED = { mapping: { circle: 'geo__Circle', square: 'Square', tile: 'Square' } };

describe('a discriminator', () => {
  it('is the same where a definition has another name', () => {
    assert.deepEqual(changesOf(shapes(OLD, SAID), shapes(NEW, RENAMED)), []);
    const within = (choice: object) => ({ anyOf: [choice, { type: 'null' }] });
    assert.deepEqual(changesOf(shapes(OLD, { ...SAID, within }), shapes(NEW, { ...RENAMED, within })), []);
  });
  it('is the same where a form may leave its value out', () => {
    const circle = form({ const: 'circle', default: 'circle' }, 'radius', {});
    const [before, after] = [
      { ...OLD, Circle: circle },
      { geo__Circle: circle, Square: SQUARE },
    ];
    assert.deepEqual(changesOf(shapes(before, SAID), shapes(after, RENAMED)), []);
  });
  it('that the forms say themselves comes and goes without a word', () => {
    for (const said of [SAID, {}]) {
      assert.deepEqual(changesOf(shapes(OLD), shapes(OLD, said)), []);
      assert.deepEqual(changesOf(shapes(OLD, said), shapes(OLD)), []);
    }
  });
  it('is told of where it comes and a form may leave its value out', () => {
    const open = { ...OLD, Circle: form({ const: 'circle' }, 'radius', {}) };
    assert.deepEqual(changesOf(shapes(open), shapes(open, SAID)), [
      'semantic input-annotation-changed /inputSchema/properties/shape/discriminator',
    ]);
  });
  it('that alone tells the forms apart is compared by what it refers to', () => {
    const [one, other] = [form({ type: 'string' }, 'radius'), form({ type: 'string' }, 'side')];
    const mapping = { circle: 'Circle', square: 'Square' };
    const before = shapes({ Circle: one, Square: other }, { mapping });
    const path = 'input-annotation-changed /inputSchema/properties/shape/discriminator';
    const renamed = { mapping: { circle: 'geo__Circle', square: 'Square' } };
    assert.deepEqual(changesOf(before, shapes({ geo__Circle: one, Square: other }, renamed)), [`compatible ${path}`]);
    const swapped = { mapping: { circle: 'Square', square: 'geo__Circle' } };
    assert.deepEqual(changesOf(before, shapes({ geo__Circle: one, Square: other }, swapped)), [`semantic ${path} ask`]);
    assert.deepEqual(changesOf(before, shapes({ Circle: one, Square: other })), [`semantic ${path}`]);
  });
  it('asks where it names another property', () => {
    const before = shapes(OLD, SAID);
    const after = shapes(OLD, { ...SAID, property: 'sort' });
    assert.deepEqual(changesOf(before, after), [
      'semantic input-annotation-changed /inputSchema/properties/shape/discriminator ask',
    ]);
  });
  it('that says other than the forms is not left out', () => {
    const wrong = { mapping: { circle: 'Square', square: 'Circle', tile: 'Circle' } };
    assert.deepEqual(changesOf(shapes(OLD, SAID), shapes(OLD, wrong)), [
      'semantic input-annotation-changed /inputSchema/properties/shape/discriminator ask',
    ]);
  });
});
