// What the files of a repository may do: make things stricter, and never crash, loosen or redirect anything.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import type { JsonObject } from '../scripts/contract/types.ts';
import { loadConfig, MODES, policyFor } from '../scripts/state/config.ts';
import { sandbox, tool } from './sandbox.ts';

const OLD = tool('search', { query: { type: 'string' } });
const NOW = tool('search', { text: { type: 'string' } }, { required: ['text'] });
const STALE = { query: 'x' };

type Box = Awaited<ReturnType<typeof sandbox>>;

/** A session that began under the old contract; the server runs the new one. */
const stale = async (test: TestContext, config: JsonObject = { freshFor: 0 }): Promise<Box> => {
  const box = await sandbox(test, [OLD], config);
  await box.start();
  box.release([NOW]);
  return box;
};

const decision = ({ answer }: { answer?: { hookSpecificOutput?: { permissionDecision?: string } } }) =>
  answer?.hookSpecificOutput?.permissionDecision;

const projectFile = (box: Box, text: string): void =>
  writeFileSync(join(box.project, '.claude', 'konnichiwagwan.json'), text);

describe('the settings of a project', { concurrency: 2 }, () => {
  const junk = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`junk${index}`, 1]));
  const called = 'mcp__demo__search';
  const deep = (levels: number): string => `{"mode": ${'['.repeat(levels)}${']'.repeat(levels)}}`;

  for (const [what, text] of [
    ['one mistake', JSON.stringify({ invokers: { [called]: null } })],
    ['many mistakes, and one that matters', JSON.stringify({ ...junk(101), invokers: { [called]: null } })],
    ['many of one kind', JSON.stringify({ invokers: { ...junk(5_000), [called]: { tool: 5, arguments: {} } } })],
    ['many, and a mode that is none', JSON.stringify({ ...junk(300), mode: { off: true }, servers: 5 })],
    ['many, and what would loosen', JSON.stringify({ ...junk(300), mode: 'off', servers: { demo: { mode: 'off' } } })],
    [
      'names of every object',
      '{"__proto__": {"mode": "off"}, "servers": {"__proto__": {"mode": "off"}, "constructor": 1}}',
    ],
    ['very deep', deep(100_000)],
    ['a very long name', JSON.stringify({ ['x'.repeat(500_000)]: 1, servers: { ['y'.repeat(400_000)]: 5 } })],
    ['nothing but a list', '[]'],
    ['not JSON', '{"mode": "strict",}'],
  ] as const) {
    it(`with ${what}: the guard stops what is stale, and says in few words what is wrong`, async (test) => {
      const box = await stale(test);
      projectFile(box, text);
      assert.equal(decision(await box.call('search', STALE)), 'deny');
      const { code, answer } = await box.start({ session_id: 's2' });
      assert.equal(code, 0);
      assert.match(answer.systemMessage, /\.claude\/konnichiwagwan\.json: /);
      assert.ok(answer.systemMessage.length < 2_500, `${answer.systemMessage.length} characters`);
    });
  }

  it('that hold more mistakes than are told say how many more there are', async (test) => {
    const box = await sandbox(test, [OLD]);
    projectFile(box, JSON.stringify(junk(50)));
    const { problems } = loadConfig(box.state, box.project, {});
    assert.equal(problems.length, 9);
    assert.match(problems.at(-1) ?? '', /and 42 more/);
  });

  it('that are no valid JSON are said to be that', async (test) => {
    const box = await sandbox(test, [OLD]);
    projectFile(box, '{"mode": "strict",}');
    assert.deepEqual(loadConfig(box.state, box.project, {}).problems, [
      '.claude/konnichiwagwan.json: is not valid JSON; the defaults apply',
    ]);
  });

  const words = [
    ...[
      '__proto__',
      'constructor',
      'toString',
      'mode',
      'servers',
      'invokers',
      'ignore',
      'lint',
      'gateways',
      'freshFor',
    ],
    ...['demo', called, 'tool', 'arguments', 'server', 'url', 'headers', 'timeout', 'trusted', '', 'a.b', '\u001b[2J'],
  ];
  const leaf = fc.constantFrom(...MODES, ...words, null, true, false, 0, -1, 61, 1e308, 'http://127.0.0.1:9/');
  const { value: anything } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc
        .array(fc.tuple(fc.constantFrom(...words), tie('value')), { maxLength: 6 })
        .map((all) => Object.fromEntries(all)),
    ),
  }));
  const shaped = fc
    .record(
      {
        mode: anything,
        freshFor: anything,
        servers: fc.dictionary(fc.constantFrom('demo', '__proto__', 'x'), anything),
        gateways: fc.dictionary(fc.constantFrom('one', 'constructor'), anything),
        invokers: fc.dictionary(fc.constantFrom(called, 'mcp__a__b'), anything),
        ignore: anything,
        lint: anything,
      },
      { requiredKeys: [] },
    )
    .chain((known) => fc.integer({ min: 0, max: 200 }).map((count) => ({ ...junk(count), ...known })));
  const file = fc.oneof(anything, shaped);

  /** What may come out of any file: another way of saying it than the one that reads it. */
  const strings = { type: 'object', additionalProperties: { type: 'string' } };
  const full = { type: 'string', minLength: 1 };
  const mode = { enum: MODES };
  const invoker = {
    type: 'object',
    required: ['tool', 'arguments'],
    properties: { server: full, tool: full, arguments: full },
    additionalProperties: false,
  };
  const server = (properties: object) => ({
    type: 'object',
    additionalProperties: { type: 'object', properties, additionalProperties: false },
  });
  const loaded = new Ajv({ ownProperties: true }).compile({
    type: 'object',
    properties: {
      user: {
        type: 'object',
        required: ['mode', 'freshFor', 'servers', 'gateways', 'invokers'],
        properties: {
          mode,
          freshFor: { type: 'number', minimum: 0, maximum: 60 },
          servers: server({ mode, trusted: { type: 'boolean' } }),
          gateways: {
            type: 'object',
            additionalProperties: {
              type: 'object',
              required: ['url'],
              properties: {
                url: full,
                headers: strings,
                servers: { type: 'array', items: { type: 'string' } },
                timeout: { type: 'number', exclusiveMinimum: 0, maximum: 60 },
              },
              additionalProperties: false,
            },
          },
          invokers: { type: 'object', additionalProperties: { anyOf: [invoker, { const: false }] } },
        },
        additionalProperties: false,
      },
      project: {
        type: 'object',
        properties: {
          mode: { enum: [...MODES, null] },
          servers: server({ mode }),
          invokers: { type: 'object', additionalProperties: invoker },
          ignore: { type: 'array' },
        },
        additionalProperties: false,
      },
      problems: { type: 'array', maxItems: 20, items: { type: 'string', maxLength: 400 } },
    },
  });

  it('whatever they hold, only what is valid is used, and nothing gets looser by it', async (test) => {
    const box = await sandbox(test, [OLD]);
    const config = join(box.state, 'config.json');
    fc.assert(
      fc.property(file, file, (users, theirs) => {
        writeFileSync(config, JSON.stringify(users) ?? '');
        rmSync(join(box.project, '.claude', 'konnichiwagwan.json'), { force: true });
        const alone = loadConfig(box.state, box.project, {});
        projectFile(box, JSON.stringify(theirs) ?? '');
        const both = loadConfig(box.state, box.project, {});
        const plain = JSON.parse(
          JSON.stringify({ ...both, project: { ...both.project, mode: both.project.mode ?? null } }),
        );
        assert.ok(loaded(plain), JSON.stringify(loaded.errors));
        assert.deepEqual(both.user, alone.user);
        for (const name of ['demo', '__proto__', 'constructor', 'other']) {
          const [before, after] = [policyFor(alone, name), policyFor(both, name)];
          assert.ok(MODES.indexOf(after.mode) >= MODES.indexOf(before.mode), `${name}: ${before.mode} → ${after.mode}`);
          assert.equal(after.trusted, before.trusted);
        }
      }),
      { numRuns: 1_500, seed: 11 },
    );
  });

  it('whatever they hold, the built guard stops what is stale and the built start of a session goes on', async (test) => {
    const box = await stale(test);
    for (const [index, theirs] of fc.sample(file, { numRuns: 24, seed: 5 }).entries()) {
      projectFile(box, JSON.stringify(theirs) ?? '');
      assert.equal(decision(await box.call('search', STALE)), 'deny', JSON.stringify(theirs));
      if (index % 6 === 0) assert.equal((await box.start({ session_id: `f${index}` })).code, 0, JSON.stringify(theirs));
    }
  });
});
