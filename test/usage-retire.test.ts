// Whether a legacy tool can be removed: by which sessions, and which calls of them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '../scripts/contract/types.ts';
import { mayCarry } from '../scripts/usage/carries.ts';
import { retire } from '../scripts/usage/retire.ts';
import { type NamedUse, sorter } from '../scripts/usage/summary.ts';
import type { Use } from '../scripts/usage/tally.ts';

const DAY = 86_400_000;
/** Calls of a tool of `demo`, all of which went out. */
const used = (session: string, tool: string, day: number, more: Partial<Use> = {}): NamedUse => ({
  server: 'demo',
  tool,
  use: { session, tool: `mcp__demo__${tool}`, calls: 1, first: day * DAY, last: day * DAY, days: [], sent: 1, ...more },
});
type Offered = Parameters<typeof retire>[0]['offered'];
const asked = (uses: NamedUse[], wanted: number, offered: Offered = []) =>
  retire(
    { uses, offered, own: new Set(['demo']), logged: new Set(), gaps: [] },
    { server: 'demo', tool: 'note' },
    wanted,
  );

describe('a legacy tool', () => {
  it('is judged by the sessions that called its server last, each by its last call', () => {
    // Session `a` called the tool on day 1, and went on after `b`.
    const uses = [used('a', 'other', 9), used('a', 'note', 1), used('b', 'note_raw', 5), used('c', 'note', 2)];
    const { answer, legacy, from, to } = asked(uses, 2);
    assert.deepEqual([answer, legacy.sessions, from, to], ['no', 1, 5 * DAY, 9 * DAY]);
  });
  it('can go when only older sessions called it; its last call ever is named', () => {
    const uses = [used('a', 'note', 1), used('b', 'note_raw', 2), used('c', 'note_raw', 3)];
    const { answer, legacy } = asked(uses, 2);
    assert.deepEqual([answer, legacy.calls, legacy.last], ['yes', 0, DAY]);
    assert.equal(asked(uses, 3).answer, 'no');
  });
  it('may be meant by a name that no server is known to offer: a gateway may use names of its own', () => {
    const through = used('a', 'Note', 1, { through: 1 });
    const offering = (gateway: boolean): Offered => [
      { source: 'demo', gateway, tools: new Set(['Note']), contracts: [] },
    ];
    const answers = [[], offering(true), offering(false)].map(
      (offered) => asked([through, used('a', 'note_raw', 2)], 1, offered).answer,
    );
    assert.deepEqual(answers, ['not-enough-data', 'not-enough-data', 'yes']);
  });
});

describe('whether calls of a tool may be calls of another', () => {
  const text = { type: 'string' };
  const list = (items: Json): JsonObject => ({ type: 'array', items });
  const $defs = {
    Words: text,
    Kind: { ...text, enum: ['find'] },
    Step: { type: 'object', properties: { name: text } },
    Count: { properties: { n: { type: 'integer' }, more: list({ $ref: '#/$defs/Count' }) } },
    Circle: { anyOf: [{ $ref: '#/$defs/Circle' }, { $ref: '#/$defs/Circle' }] },
  };
  const carries = (properties: JsonObject): boolean =>
    mayCarry('memory', { name: 'memory', inputSchema: { type: 'object', properties, $defs } }, 'note');
  const orNull = (schema: Json): JsonObject => ({ anyOf: [schema, { type: 'null' }] });
  const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });

  it('is told by a parameter for actions that takes any text, however its schema says so', () => {
    for (const action of [
      ...[text, { type: ['string', 'null'] }, {}, true, { type: 'object' }, orNull(text), { oneOf: [text] }],
      ...[{ allOf: [text, { minLength: 1 }] }, ref('Words'), orNull(ref('Words')), ref('Gone'), ref('Circle')],
    ])
      assert.ok(carries({ action }), JSON.stringify(action));
    for (const action of [
      ...[{ type: 'integer' }, { ...text, enum: ['find'] }, { const: 'find' }, { type: 'object', properties: {} }],
      ...[{ properties: {} }, false, orNull({ enum: ['find'] }), orNull({ type: 'integer' }), ref('Kind')],
      { allOf: [text, ref('Kind')] },
    ])
      assert.ok(!carries({ action }), JSON.stringify(action));
  });

  it('is told by a listed value that is the name, and not by words about it', () => {
    for (const kind of [{ enum: ['find', 'note'] }, { const: 'note' }, { oneOf: [{ const: 'Note' }] }])
      assert.ok(carries({ kind }), JSON.stringify(kind));
    for (const kind of [{ enum: ['find', 'notes'] }, { ...text, description: 'note', default: 'note' }])
      assert.ok(!carries({ kind }), JSON.stringify(kind));
  });

  it('is told by names in a list of steps, also where the step is defined elsewhere', () => {
    const named = list({ properties: { name: text } });
    for (const steps of [named, orNull(named), list(text), list(ref('Step')), orNull(list(ref('Step')))])
      assert.ok(carries({ steps }), JSON.stringify(steps));
    for (const properties of [{ steps: list(ref('Count')) }, { person: ref('Step') }, { people: named }])
      assert.ok(!carries(properties as JsonObject), JSON.stringify(properties));
  });

  it('is told by its name, with anything that takes texts, or where nothing else is known', () => {
    const runs = (properties: JsonObject, name = 'runAny'): boolean =>
      mayCarry(name, { name, inputSchema: { type: 'object', properties } }, 'note');
    assert.deepEqual([runs({ query: text }), runs({ query: text }, 'memory')], [true, false]);
    assert.ok(!runs({ query: { type: 'integer' }, limit: text }));
    assert.deepEqual(
      ['run-batch', 'memory'].map((name) => mayCarry(name, undefined, 'note')),
      [true, false],
    );
  });
});

it('a tool named like a twin is one only if the tool that it would stand for is there', () => {
  const roles = (...tools: string[]) => {
    const named = tools.map((tool) => ({ server: 'demo', tool }));
    return named.map(sorter(named, [], {}));
  };
  assert.deepEqual(roles('note', 'note_raw'), ['legacy', 'twin']);
  assert.deepEqual(roles('note_raw', 'list'), ['other', 'other']);
});
