import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { bounded, patiently } from '../scripts/contract/bounded.ts';
import { toJson } from '../scripts/contract/to-json.ts';
import { type Contract, isObject, type Json, type JsonObject } from '../scripts/contract/types.ts';
import { BUDGET_MS, diffContract } from '../scripts/diff/diff.ts';
import { judge } from '../scripts/judge/judge.ts';
import { stopwatch } from './sandbox.ts';

const tool = (inputSchema: Json): Contract => ({ name: 'a', inputSchema });

const many = (count: number, type: string): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type, description: type }]));

/** Input may have 100 levels. Each takes about eight calls, and a program that just started has room for 8,000 or so. */
const LEVELS = 400;
const deep = (depth: number, end: Json): Json => {
  let schema = end;
  for (let level = 0; level < depth; level++) schema = { type: 'object', properties: { a: schema } };
  return schema;
};

/** Every level refers to the next one twice. */
const bomb = (levels: number, keyword: string, end: Json): JsonObject => {
  const $defs: JsonObject = { [`d${levels}`]: end };
  for (let level = 0; level < levels; level++) {
    const next = { $ref: `#/$defs/d${level + 1}` };
    $defs[`d${level}`] =
      keyword === 'properties' ? { properties: { a: next, b: next } } : { [keyword]: [next, { ...next, title: 'x' }] };
  }
  return { type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs };
};

const pattern = (source: string) => ({ type: 'object', properties: { a: { type: 'string', pattern: source } } });

/** Less than 5,000 characters in all. */
const shortBranches = (name: string): Json => Array.from({ length: 250 }, (_, index) => ({ const: `${name}${index}` }));

const cases: [string, Json, Json, JsonObject][] = [
  [
    'a pattern that runs away',
    { type: 'object', properties: { a: { enum: [`${'a'.repeat(40)}!`] } } },
    pattern('^(a+)+$'),
    { a: `${'a'.repeat(40)}!` },
  ],
  [
    'a pattern of property names that runs away',
    { type: 'object', properties: { [`${'a'.repeat(40)}!`]: true } },
    { type: 'object', patternProperties: { '^(a+)+$': { type: 'string' } } },
    {},
  ],
  ...(
    [
      ['of repetitions inside of each other', '^((a{1,1000}){1,1000}){1,1000}$'],
      ['of many letters, repeated', '^((\\p{L}|\\p{N}|\\p{S}){0,99}){0,99}$'],
      ['of 50,000 groups', `${'('.repeat(50_000)}a${')'.repeat(50_000)}`],
      ['of 20,000 words', Array.from({ length: 20_000 }, (_, index) => `k${index}`).join('|')],
    ] as const
  ).map(([what, source]): [string, Json, Json, JsonObject] => [
    `a pattern that is slow to be compiled, ${what}`,
    { type: 'object', properties: { a: { type: 'string' } } },
    pattern(source),
    { a: `${'a'.repeat(40)}!` },
  ]),
  [
    'a list of 100,000 values',
    { type: 'object', properties: { a: { type: 'string' } } },
    { type: 'object', properties: { a: { enum: Array.from({ length: 100_000 }, (_, index) => `v${index}`) } } },
    { a: 'x' },
  ],
  [
    'references that double at each level, in allOf',
    bomb(30, 'allOf', { type: 'string' }),
    bomb(30, 'allOf', { type: 'integer' }),
    { a: 'x' },
  ],
  [
    'references that double at each level, in anyOf',
    bomb(30, 'anyOf', { type: 'string' }),
    bomb(30, 'anyOf', { type: 'integer' }),
    { a: 'x' },
  ],
  [
    'references that double at each level, in properties',
    bomb(30, 'properties', { type: 'string' }),
    bomb(30, 'properties', { type: 'integer' }),
    { a: {} },
  ],
  ['a reference to itself', { $ref: '#' }, { $ref: '#', type: 'object' }, {}],
  [
    'definitions that refer to each other',
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    { $ref: '#/$defs/b', $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ $ref: '#/$defs/a' }, true] } } },
    {},
  ],
  [
    '10,000 properties of another type',
    { type: 'object', properties: many(10_000, 'string') },
    { type: 'object', properties: many(10_000, 'integer') },
    { p1: 'x' },
  ],
  [
    '10,000 properties that went, and as many that came',
    { type: 'object', properties: many(10_000, 'string') },
    {
      type: 'object',
      properties: Object.fromEntries(Object.entries(many(10_000, 'string')).map(([name, one]) => [`q${name}`, one])),
    },
    { p1: 'x' },
  ],
  [`${LEVELS} levels`, deep(LEVELS, { type: 'string' }), deep(LEVELS, { type: 'integer' }), {}],
  [
    '1,000 branches',
    {
      type: 'object',
      properties: {
        a: { anyOf: Object.values(many(1_000, 'string')).map((one, index) => ({ ...(one as object), const: index })) },
      },
    },
    {
      type: 'object',
      properties: {
        a: {
          anyOf: Object.values(many(1_000, 'integer')).map((one, index) => ({ ...(one as object), minimum: index })),
        },
      },
    },
    { a: 1 },
  ],
  [
    'short branches, each tried on each of 2,000 elements',
    { type: 'object', properties: { a: { items: { anyOf: shortBranches('x') } } } },
    { type: 'object', properties: { a: { items: { anyOf: shortBranches('y') } } } },
    { a: Array.from({ length: 2_000 }, (_, index) => index % 10) },
  ],
];

describe('judging ends in time', () => {
  for (const [what, before, after, args] of cases) {
    it(what, () => {
      /** Each attempt has its own schemas, so that none profits from earlier results. */
      const attempt = (nth: number) => {
        const [old, now] = [before, after].map((schema) =>
          tool(isObject(schema) ? { ...schema, $comment: `attempt ${nth}` } : schema),
        ) as [Contract, Contract];
        const start = stopwatch();
        const changes = diffContract(old, now);
        const diffed = start();
        const policy = { mode: 'guard', trusted: false } as const;
        const judging = stopwatch();
        const { decision } = judge({ believed: old, live: now, tools: [now], args, policy, settled: () => false });
        const took = judging();
        assert.equal(decision === 'silence', changes.length === 0);
        console.log(
          `# ${what}: diff ${diffed.toFixed(0)} ms, verdict ${took.toFixed(0)} ms, ${decision}, ${changes.length} changes`,
        );
        return {
          // What the diff cannot finish takes all of its time, on a fast machine, too.
          isInTime: diffed < BUDGET_MS * 1.2 && took < 1_200,
          said: `diff ${diffed.toFixed(0)} ms, verdict ${took.toFixed(0)} ms`,
        };
      };
      // On a busy machine, work that did not get its time starts again, and the sum means nothing.
      const attempts = [attempt(1)];
      while (attempts.length < 4 && !attempts.at(-1)?.isInTime) attempts.push(attempt(attempts.length + 1));
      assert.ok(attempts.at(-1)?.isInTime, attempts.map(({ said }) => said).join('; '));
    });
  }
});

/**
 * A processor clock that only the returned function moves on, by ms. With the real one, other programs, and threads of Node
 * that earlier tests keep busy, would decide how much time the work had.
 */
const ownClock = (test: TestContext): ((ms: number) => void) => {
  const clock = process as typeof process & { threadCpuUsage?: () => NodeJS.CpuUsage };
  const { threadCpuUsage } = clock;
  test.after(() => {
    clock.threadCpuUsage = threadCpuUsage as NonNullable<typeof threadCpuUsage>;
  });
  let used = 0;
  clock.threadCpuUsage = () => ({ user: used, system: 0 });
  return (ms) => {
    used += ms * 1_000;
  };
};

describe('work with a time limit', () => {
  it('that is ended while work inside it has a limit of its own, is the work that is tried again', (test) => {
    ownClock(test);
    const cell = new Int32Array(new SharedArrayBuffer(4));
    let tries = 0;
    const outer = () => {
      tries++;
      // Time passes without being used, as on a busy machine.
      if (tries === 1) bounded(() => Atomics.wait(cell, 0, 0, 400), 5_000);
      return 'outer';
    };
    assert.deepEqual(bounded(outer, 100), { done: true, value: 'outer' });
    assert.equal(tries, 2);
  });

  it('that had most of it, but not all, is tried again if no call waits', (test) => {
    const cell = new Int32Array(new SharedArrayBuffer(4));
    const use = ownClock(test);
    let tries = 0;
    const work = () => {
      tries++;
      use(70);
      if (tries === 1) Atomics.wait(cell, 0, 0, 5_000);
      return 'work';
    };
    assert.deepEqual(bounded(work, 100), { done: false, timedOut: true });
    assert.equal(tries, 1);
    tries = 0;
    assert.deepEqual(
      patiently(() => bounded(work, 100)),
      { done: true, value: 'work' },
    );
    assert.ok(tries > 1);
  });
});

describe('a value of JSON', () => {
  it('is written as JSON however deeply it is nested', () => {
    const levels = 9_000;
    const inner = '[[],{},{"b":"\\n","c":[1,null,true]},-0.5]';
    const text = `${'{"a":['.repeat(levels)}${inner}${']}'.repeat(levels)}`;
    assert.throws(() => JSON.stringify(JSON.parse(text)), RangeError);
    assert.equal(toJson(JSON.parse(text)), text);
    assert.equal(toJson(JSON.parse(inner)), inner);
  });
});
