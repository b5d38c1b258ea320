// A program behind wrap, in the real client: the guard judges its calls, and wrap those that the guard could not judge.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { repo, type Version, versions } from './client.ts';
import type { Tool } from './fixture-server.ts';
import { type HeadlessRun, installHooks, installPlugin, removeSandboxes, runHeadless, sandbox } from './run.ts';
import { type Answer, type Json, toolResults } from './stub-model.ts';

after(removeSandboxes);

const end: Answer = { text: 'the end' };
const takes = (parameters: Json): Tool => ({
  name: 'weather',
  description: 'Weather.',
  inputSchema: {
    type: 'object',
    properties: parameters,
    required: Object.keys(parameters),
    additionalProperties: false,
  },
});
const text = { type: 'string' };
const old = takes({ city: text });
const now = takes({ location: text });
const other: Tool = { ...takes({ id: text }), name: 'other' };

const call = (input: Json, before?: () => unknown): Answer => ({
  tool: 'mcp__fx__weather',
  input,
  ...(before ? { before } : {}),
});
const results = ({ requests }: HeadlessRun) => toolResults(requests.at(-1)?.body);
/** All our messages to the model, in order. */
const told = ({ requests }: HeadlessRun): string[] =>
  (requests.at(-1)?.body.messages ?? [])
    .flatMap(({ content }) => (typeof content === 'string' ? [content] : content.map((block) => JSON.stringify(block))))
    .filter((block) =>
      /konnichiwagwan(?: stopped this call|: \W?(?:weather|mcp__fx))|changed on the server/.test(block),
    );

type Form = 'resident' | 'command' | 'none';

const world = (version: Version, form: Form) => {
  const box = sandbox();
  if (form === 'resident') installPlugin(box.home);
  if (form === 'command') installHooks(box.home);
  const folder = join(box.dir, 'server');
  mkdirSync(folder);
  const [control, log] = [join(folder, 'control.json'), join(folder, 'log.jsonl')];
  const set = (...tools: Tool[]): void => {
    // By rename: it may be read at any time.
    writeFileSync(`${control}.new`, JSON.stringify({ tools }));
    renameSync(`${control}.new`, control);
  };
  set(old, other);
  const logged = (event: string): Json[] =>
    existsSync(log)
      ? readFileSync(log, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
          .filter((entry) => entry.event === event)
      : [];
  // The guard recognises our program by its folder.
  symlinkSync(repo, join(box.dir, 'konnichiwagwan'), 'junction');
  const program = [join(repo, 'test/e2e/mcp-server.mjs'), control, log];
  const wrap = ['wrap', '--', process.execPath, ...program];
  const state = join(box.home, '.claude/konnichiwagwan');
  const run = (steps: Answer[], { args = [], isWrapped = true, env = {} }: Around = {}) =>
    runHeadless({
      version,
      ...box,
      mcp: {
        fx: isWrapped
          ? { command: process.execPath, args: [join(box.dir, 'konnichiwagwan/dist/cli.cjs'), ...wrap] }
          : { command: process.execPath, args: program },
      },
      steps,
      args,
      env,
      settings: { permissions: { allow: ['mcp__fx', 'mcp__plugin_konnichiwagwan_guard'] } },
    });
  /** What the guard wrote into its activity log: verdicts, in order. */
  const verdicts = (): string[] => {
    const days = join(state, 'activity');
    return readdirSync(days)
      .flatMap((file) => readFileSync(join(days, file), 'utf8').trim().split('\n'))
      .map((line) => JSON.parse(line).verdict);
  };
  return { box, state, set, run, verdicts, calls: () => logged('call').map((one) => one.arguments) };
};

interface Around {
  args?: string[];
  isWrapped?: boolean;
  env?: Record<string, string>;
}

for (const version of versions) {
  for (const form of ['resident', 'command'] as const) {
    describe(`Claude Code ${version}: a program behind wrap, and the ${form} guard`, () => {
      it('is judged, and a call is stopped once after a change that nobody announced', async () => {
        const { set, run, calls, verdicts, state } = world(version, form);
        const result = await run([
          call({ city: 'one' }),
          call({ city: 'two' }),
          call({ city: 'stale' }, () => set(now, other)),
          call({ location: 'right' }),
          call({ city: 'stale again' }),
          end,
        ]);
        assert.deepEqual(calls(), [{ city: 'one' }, { city: 'two' }, { location: 'right' }], result.stderr);
        const [first, second, stale, right, again] = results(result);
        assert.ok(!first?.isError && !second?.isError && !right?.isError);
        assert.match(stale?.text ?? '', /konnichiwagwan stopped this call[\s\S]*location/);
        assert.match(again?.text ?? '', /konnichiwagwan stopped this call[\s\S]*location/);
        assert.ok(!verdicts().includes('not-covered'), verdicts().join());
        assert.equal(verdicts().at(-1), 'deny');
        assert.equal(told(result).length, 2, told(result).join('\n'));
        assert.deepEqual(readdirSync(join(state, 'wrap')), []);
      });

      it('is judged by what the conversation shows, after a resume with a server of now', async () => {
        const { set, run, calls, verdicts } = world(version, form);
        const begun = await run([call({ city: 'one' }), end]);
        set(now, other);
        const resumed = await run([call({ city: 'stale' }), call({ location: 'right' }), end], {
          args: ['--resume', begun.sessionId],
        });
        const shown = JSON.stringify(resumed.requests[0]?.body.tools);
        const isShownTheOld = shown.includes('"city"');
        assert.equal(isShownTheOld, version === '2.1.332');
        if (isShownTheOld) {
          assert.deepEqual(calls(), [{ city: 'one' }, { location: 'right' }], resumed.stderr);
          assert.match(results(resumed)[1]?.text ?? '', /konnichiwagwan stopped this call[\s\S]*location/);
          assert.deepEqual(verdicts().slice(0, 2), ['silence', 'deny']);
        } else assert.deepEqual(calls().at(-1), { location: 'right' });
      });

      it('is not stopped where the server went back', async () => {
        const { set, run, calls } = world(version, form);
        const result = await run([
          call({ city: 'one' }),
          call({ city: 'stale' }, () => set(now, other)),
          call({ city: 'right again' }, () => set(old, other)),
          end,
        ]);
        assert.deepEqual(calls(), [{ city: 'one' }, { city: 'right again' }], result.stderr);
      });
    });
  }

  describe(`Claude Code ${version}: wrap and the guard, one of them alone`, () => {
    it('stops a call itself where there is no guard, and leaves nothing in the state folder', async () => {
      const { set, run, calls, state } = world(version, 'none');
      const result = await run([
        call({ city: 'one' }),
        call({ city: 'stale' }, () => set(now, other)),
        call({ location: 'right' }),
        end,
      ]);
      assert.deepEqual(calls(), [{ city: 'one' }, { location: 'right' }], result.stderr);
      assert.match(results(result)[1]?.text ?? '', /konnichiwagwan stopped this call/);
      assert.ok(!existsSync(join(state, 'wrap')));
    });

    it('says of a program without wrap what it always said', async () => {
      const { set, run, calls, verdicts } = world(version, 'command');
      await run([call({ city: 'one' }), call({ city: 'stale' }, () => set(now, other)), end], { isWrapped: false });
      assert.deepEqual(calls(), [{ city: 'one' }, { city: 'stale' }]);
      assert.deepEqual(verdicts(), ['not-covered', 'not-covered']);
    });
  });
}
