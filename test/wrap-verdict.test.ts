// The decision on a call, from everything that a host got, for random contracts and calls.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { meaningHash } from '../scripts/contract/meaning.ts';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import type { Policy } from '../scripts/judge/judge.ts';
import { Redactor } from '../scripts/servers/secrets.ts';
import { remove } from '../scripts/state/in-use.ts';
import { judgeServed } from '../scripts/wrap/judge-served.ts';
import type { HeldCall } from '../scripts/wrap/types.ts';
import { decide, type ToldByTool, type VerdictQuestion } from '../scripts/wrap/verdict.ts';
import { changedLine } from '../scripts/wrap/words.ts';
import { holds } from './ajv-judge.ts';
import { checkRandomly } from './random-runs.ts';
import { type Random, random } from './random-schema.ts';

const NAMES = ['room', 'Room', 'floor', 'guests', 'day'];
const TYPES: JsonObject[] = [
  { type: 'string' },
  { type: 'integer' },
  { type: 'string', enum: ['one', 'two'] },
  { type: 'string', enum: ['one', 'two', 'three'] },
  { type: 'array', items: { type: 'string' } },
];
const WORDS = ['The room to be booked.', 'How many people will come.', 'A day in UTC.'];

const property = (source: Random): JsonObject => ({
  ...source.pick(TYPES),
  ...(source.chance(0.6) ? { description: source.pick(WORDS) } : {}),
  ...(source.chance(0.2) ? { default: source.pick(['one', 'two']) } : {}),
});

interface Input extends JsonObject {
  properties: Record<string, JsonObject>;
  required: string[];
}

const inputSchema = (source: Random): Input => {
  const names = NAMES.filter(() => source.chance(0.6));
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, property(source)])),
    required: names.filter(() => source.chance(0.4)),
    ...(source.chance(0.5) ? { additionalProperties: false } : {}),
  };
};

/** Another contract of the same tool: one to three properties came, went or changed. */
const changed = (source: Random, before: Input): Input => {
  const properties = { ...before.properties };
  let { required } = before;
  const { room } = properties;
  if (room && !properties.Room && source.chance(0.4)) {
    properties.Room = room;
    delete properties.room;
    required = required.map((name) => (name === 'room' ? 'Room' : name));
  }
  for (let count = 1 + source.below(3); count > 0; count--) {
    const name = source.pick(NAMES);
    const had = properties[name];
    if (had === undefined || source.chance(0.4)) properties[name] = property(source);
    else if (source.chance(0.5)) {
      delete properties[name];
      required = required.filter((one) => one !== name);
    } else properties[name] = { ...had, description: source.pick(WORDS) };
    if (properties[name] && source.chance(0.3)) required = [...new Set([...required, name])];
  }
  return { ...before, properties, required };
};

const value = (source: Random, { type, enum: values }: JsonObject): Json => {
  if (Array.isArray(values)) return source.pick(values);
  if (type === 'array') return ['x'];
  return type === 'integer' ? source.below(5) : source.pick(['one', 'x']);
};

/** A call that fits the contract. */
const callOf = (source: Random, { properties, required }: Input): JsonObject =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name) || source.chance(0.5))
      .map(([name, schema]) => [name, value(source, schema)]),
  );

/** `right`: valid, with only declared properties. `wrong`: invalid. `ignored`: valid, but a part would be ignored. */
const fits = (schema: Input, args: JsonObject): 'right' | 'wrong' | 'ignored' => {
  if (!holds(schema, args)) return 'wrong';
  return Object.keys(args).every((name) => Object.hasOwn(schema.properties, name)) ? 'right' : 'ignored';
};

const contract = (schema: JsonObject): Contract => ({ name: 'book', description: 'Books.', inputSchema: schema });

/** What is decided; its text reaches the model. */
const decided = (asked: VerdictQuestion) => {
  const { decided: found } = decide(asked);
  if (found.verdict === 'deny') found.delivered(0);
  return found;
};

/** One connection: earlier messages about calls count for the next one. */
const connection = (served: Contract[], live: Contract) => {
  const told: ToldByTool = new Map();
  return (args: JsonObject) =>
    decided({
      believed: served,
      live,
      tools: [live],
      earlier: new Set(),
      policy: { mode: 'guard', trusted: false },
      about: { tool: 'book', server: undefined, args, trusted: false, host: undefined },
      told,
    });
};

const proposedBy = (text: string): JsonObject | undefined => {
  const found = /with its new names: book (\{.*\})$/m.exec(text);
  return found ? JSON.parse(found[1] as string) : undefined;
};

describe('a call by what was served', () => {
  it('passes if it is right, at once or when it was told once, and never if it is wrong', (t) => {
    const seen = new Map<string, number>();
    const count = (what: string): unknown => seen.set(what, (seen.get(what) ?? 0) + 1);
    const pairs = fc.property(fc.integer(), (seed) => {
      const source = random(seed);
      const before = inputSchema(source);
      const after = changed(source, before);
      const [A, B] = [contract(before), contract(after)];
      if (meaningHash(A) === meaningHash(B)) return;
      for (const from of [before, after]) {
        const args = callOf(source, from);
        const [byA, byB] = [fits(before, args), fits(after, args)];
        for (const served of [[A], [A, B]]) {
          const call = connection(served, B);
          const [first, ...later] = [call(args), call(args), call(args)];
          const about = JSON.stringify({ seed, args, byA, byB, served: served.length, first, later, before, after });
          count(`${byA} then ${byB}, ${served.length} served: ${first.verdict}`);
          if (byB === 'wrong' || byB === 'ignored') {
            // By none of the served contracts does the server understand the call as meant.
            for (const one of [first, ...later]) assert.equal(one.verdict, 'deny', about);
          } else if (byA === 'right' || served.length === 2) {
            for (const one of later) assert.notEqual(one.verdict, 'deny', about);
            if (first.verdict === 'deny') assert.match(first.text, /make it again/, about);
          }
          const proposed = first.verdict === 'deny' ? proposedBy(first.text) : undefined;
          if (proposed !== undefined) {
            count('proposed');
            assert.equal(fits(after, proposed), 'right', about);
            assert.notEqual(call(proposed).verdict, 'deny', about);
          }
        }
      }
    });
    checkRandomly(t, pairs, { numRuns: 200, endOnFailure: true });
    t.diagnostic(JSON.stringify(Object.fromEntries(seen)));
    for (const needed of [
      'right then right, 1 served: deny',
      'right then right, 1 served: notice',
      'right then right, 2 served: deny',
      'right then right, 2 served: notice',
      'right then wrong, 1 served: deny',
      'right then wrong, 2 served: deny',
      'right then ignored, 1 served: deny',
      'right then ignored, 2 served: deny',
      'wrong then right, 2 served: notice',
      'proposed',
    ])
      assert.ok((seen.get(needed) ?? 0) > 0, `${needed} was never seen`);
  });

  it('is stopped three times at most for words that differ at each look, and told from then on', () => {
    const at = (time: string, unit = 'ms'): Contract => ({
      name: 'book',
      description: `Books a room. It is ${time} now.`,
      inputSchema: { type: 'object', properties: { wait: { type: 'integer', description: `Given in ${unit}.` } } },
    });
    const told: ToldByTool = new Map();
    const call = (live: Contract, args: JsonObject = {}, tool = 'book') =>
      decided({
        believed: [at('09:00')],
        live,
        tools: [live],
        earlier: new Set(),
        policy: { mode: 'guard', trusted: false },
        about: { tool, server: 's', args, trusted: false, host: undefined },
        told,
      });
    const verdicts = ['09:01', '09:02', '09:03', '09:04', '09:05'].map((time) => call(at(time)));
    assert.deepEqual(
      verdicts.map(({ verdict }) => verdict),
      ['deny', 'deny', 'deny', 'notice', 'notice'],
    );
    const [fourth] = verdicts.slice(3);
    assert.ok(fourth?.verdict === 'notice' && fourth.isRestless && fourth.judgement.reasons.length > 0);
    assert.equal(call(at('09:06'), {}, 'cancel').verdict, 'deny', 'another tool');
    assert.equal(call(at('09:07', 's'), { wait: 5 }).verdict, 'deny', 'other words, at another place');
    const later = ['09:08', '09:09', '09:10'].map((time) => call(at(time, 's'), { wait: 5 }).verdict);
    assert.deepEqual(later, ['deny', 'deny', 'notice']);
    const fromMoon = (count: number): JsonObject => ({ type: 'integer', default: count });
    const moons = ['one', 'two', 'three', 'four'].map(
      (_, count) =>
        call({ ...at('09:00'), inputSchema: { type: 'object', properties: { wait: fromMoon(count) } } }).verdict,
    );
    assert.deepEqual(moons, ['deny', 'deny', 'deny', 'deny'], 'only words can be that restless');
    assert.equal(
      call({ ...at('09:11'), inputSchema: { type: 'object', additionalProperties: false } }, { wait: 5 }).verdict,
      'deny',
      'what no longer fits is always stopped',
    );
  });

  it('is stopped again if the model cannot have read the stop before it, or was given or told another contract since', () => {
    const in_ = (unit: string): Contract =>
      contract({ type: 'object', properties: { wait: { type: 'integer', description: `Given in ${unit}.` } } });
    const [A, B, C] = [in_('hours'), in_('days'), in_('weeks')];
    const told: ToldByTool = new Map();
    let calls = 0;
    const ask = (believed: Contract[], live: Contract, given: number, order: number) => {
      const args = { wait: 5 };
      return decide({
        ...{ believed, live, tools: [live], earlier: new Set<string>(), told, given, order },
        policy: { mode: 'guard', trusted: false },
        about: { tool: 'book', server: 's', args, trusted: false, host: undefined },
      }).decided;
    };
    /** Of calls that come together. */
    const verdicts = (many: number, believed: Contract[], live: Contract, given: number): string[] => {
      const from = calls;
      calls += many;
      return Array.from({ length: many }, (_, at) => {
        const found = ask(believed, live, given, from + at + 1);
        if (found.verdict === 'deny') found.delivered(calls);
        return found.verdict;
      });
    };
    assert.equal(ask([A], B, 1, ++calls).verdict, 'deny', 'it is taken back before the model is told');
    assert.deepEqual(verdicts(5, [A], B, 1), ['deny', 'deny', 'deny', 'deny', 'deny']);
    assert.deepEqual(verdicts(2, [A], B, 1), ['notice', 'notice']);
    assert.deepEqual(verdicts(1, [A, B], B, 2), ['notice']);
    assert.deepEqual(verdicts(1, [B, A], B, 3), ['deny'], 'it was given the old one again');
    assert.deepEqual(verdicts(2, [B, A], B, 3).slice(1), ['notice']);
    assert.deepEqual(verdicts(1, [B, A], C, 3), ['deny']);
    // The words were told so often that the call is sent, with a message.
    const back = ask([B, A], B, 3, ++calls);
    assert.ok(back.verdict === 'notice' && back.isRestless);
  });

  it('is stopped each time if it uses an old name, unless the model may know the new one', () => {
    const takes = (name: string): Contract =>
      contract({ type: 'object', properties: { [name]: { type: 'integer' }, inner: { $ref: '#' } } });
    const [old, now] = [takes('guests'), takes('visitors')];
    // Too deep for a comparison with both contracts.
    let args: JsonObject = {};
    for (let depth = 0; depth < 300; depth++) args = { inner: args };
    args.guests = 2;
    const verdicts = (served: Contract[], live: Contract): string[] => {
      const call = connection(served, live);
      return [call(args).verdict, call(args).verdict];
    };
    assert.deepEqual(verdicts([old], now), ['deny', 'deny']);
    assert.deepEqual(verdicts([old, old], now), ['deny', 'deny']);
    assert.equal(verdicts([old, now], now)[0], 'deny');
    assert.notEqual(verdicts([old, now], now)[1], 'deny', 'it was told, and may mean what it says');
  });

  it('that is invalid now is stale, and is not to be made again, also where the host was given the current contract', () => {
    const takes = (properties: JsonObject, ...required: string[]): Contract =>
      contract({ type: 'object', properties, required });
    const [text, number] = [{ type: 'string' }, { type: 'integer' }];
    const old = takes({ room: text });
    for (const now of [takes({ room: number }), takes({ room: text, day: text }, 'day')])
      for (const served of [[old], [old, now]]) {
        const call = connection(served, now);
        for (const found of [call({ room: 'x' }), call({ room: 'x' })]) {
          assert.ok(found.verdict === 'deny' && found.isStale, JSON.stringify(found));
          assert.doesNotMatch(found.text, /make it again/);
        }
      }
    const [oslo, rome] = ['Oslo', 'Rome'].map((town) => takes({ room: { ...text, description: `In ${town}.` } }));
    const found = connection([oslo, rome] as Contract[], rome as Contract)({ room: 'x' });
    assert.ok(found.verdict === 'deny' && !found.isStale, JSON.stringify(found));
    assert.match(found.text, /make it again/, 'it may be meant so');
  });

  it('is also judged by the contract that a stop named to the model, whatever its host was given', () => {
    const takes = (name: string, description = 'Its name.'): Contract =>
      contract({ type: 'object', properties: { [name]: { type: 'string', description } } });
    const [given, named] = [takes('room'), takes('hall')];
    const verdict = (
      args: JsonObject,
      live: Contract | null,
      taught: Contract | undefined,
      { mode = 'guard', trusted = false }: Partial<Policy> = {},
    ): string =>
      decide({
        ...{ believed: [given], taught, live, tools: live === null ? [] : [live], earlier: new Set(), told: new Map() },
        policy: { mode, trusted },
        about: { tool: 'book', server: 's', args, trusted, host: undefined },
      }).decided.verdict;
    const call = { hall: 'x' };
    for (const live of [takes('place'), given]) {
      assert.equal(verdict(call, live, named), 'deny', 'the server would ignore it');
      assert.notEqual(verdict(call, live, undefined), 'deny', 'nothing tells that it ever meant something');
    }
    for (const mode of ['guard', 'strict'] as const) {
      assert.equal(verdict(call, given, named, { mode }), 'deny');
      for (const taught of [named, undefined]) assert.equal(verdict({ room: 'x' }, given, taught, { mode }), 'silence');
    }
    assert.equal(verdict({ room: 'x' }, takes('place'), named), 'deny', 'by what the host was given');
    assert.equal(verdict(call, given, named, { mode: 'warn' }), 'notice');
    assert.equal(verdict(call, null, named), 'deny', 'the tool is gone');
    // The words of a server that is not trusted were never named to the model.
    const [said, now] = [takes('room', 'In Berlin.'), takes('room')];
    const byWords = [true, false].map((trusted) => verdict({ room: 'x' }, now, said, { trusted }));
    assert.deepEqual(byWords, ['deny', 'silence']);
  });

  it('is explained by what changed since the newest contract, where it passes or the mode is strict', () => {
    const says = (description: string): Contract => ({ ...contract({ type: 'object' }), description });
    const [older, newer, live] = [says('Books a hall.'), says('Books a room.'), says('Books a room for the team.')];
    const about = { tool: 'book', server: undefined, args: {}, trusted: true, host: undefined };
    const told = (mode: 'strict' | 'warn'): string => {
      const found = decided({
        ...{ believed: [older, newer], live, tools: [live], earlier: new Set(), told: new Map() },
        policy: { mode, trusted: true },
        about,
      });
      assert.ok(found.verdict === 'deny' || found.verdict === 'notice', found.verdict);
      if (found.verdict === 'notice') return changedLine(found, about, 'people');
      assert.equal(found.isStale, false, 'no call of it would pass');
      return found.text;
    };
    for (const mode of ['strict', 'warn'] as const) {
      assert.match(told(mode), /for the team/);
      assert.doesNotMatch(told(mode), /hall/);
    }
  });

  it('is explained by the newest contract that it fits', () => {
    const takes = (name: string, description: string): Contract =>
      contract({
        type: 'object',
        properties: { [name]: { type: 'string', description } },
        required: [name],
        additionalProperties: false,
      });
    const [older, newer, live] = [takes('town', 'Its name.'), takes('town', 'Where.'), takes('place', 'Where.')];
    const other = takes('id', 'A number.');
    const told = (...served: Contract[]): string => {
      const found = connection(served, live)({ town: 'x' });
      return found.verdict === 'deny' ? found.text : found.verdict;
    };
    const byWords = /- renamed: `town` → `place` \(the same type and the same words\)/;
    assert.match(told(older, newer), byWords);
    assert.match(told(older, newer, other), byWords, 'the newest of all does not fit');
    assert.match(told(newer, older), /- renamed: `town` → `place` \(the same type; no other/);
  });

  it('is unchecked where one of the contracts that the host got cannot be read', (test) => {
    const root = mkdtempSync(join(tmpdir(), 'konnichiwagwan-served-'));
    test.after(() => remove(root));
    const live = { name: 'book', inputSchema: { type: 'object', properties: { room: { type: 'string' } } } };
    const readable = JSON.stringify(live);
    const call = (served: string[], mode: string) => {
      writeFileSync(join(root, 'config.json'), JSON.stringify({ mode }));
      return judgeServed(
        {
          name: 'book',
          args: { room: 'x' },
          served,
          listed: { tools: [live], result: {} },
          beside: () => new Set(),
        } satisfies HeldCall,
        {
          ...{ name: 's', trusted: false, project: root, secrets: new Redactor([]) },
          env: { KONNICHIWAGWAN_HOME: root, HOME: root },
          memory: { told: new Map(), said: new Set(['unchecked what the server listed for it cannot be read']) },
        },
      );
    };
    assert.deepEqual(call([readable], 'strict'), { pass: true });
    for (const served of [
      [readable, '{"name": "book", '],
      ['["book"]', readable],
    ]) {
      const [sent, held] = [call(served, 'guard'), call(served, 'strict')];
      assert.match((sent.pass && sent.told) || '', /what the server listed for it cannot be read/);
      assert.match((!held.pass && held.text) || '', /what the server listed for it cannot be read/);
    }
  });
});
