// wrap between the real client and a server: even without our hooks, a stale call does not arrive, and the model reads what
// to do instead.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { repo, type Version, versions } from './client.ts';
import { FixtureServer, type Tool } from './fixture-server.ts';
import { type HeadlessRun, type McpServers, removeSandboxes, runHeadless, sandbox } from './run.ts';
import { type Answer, type Json, type Script, toolResults } from './stub-model.ts';

after(removeSandboxes);

const weather = (properties: Json, required: string[], description = 'Weather of today'): Tool => ({
  name: 'weather',
  description,
  inputSchema: { type: 'object', properties, required, additionalProperties: false },
});
const city = { type: 'string', description: 'Name of the city' };
const A = weather({ city }, ['city']);
const B = weather({ location: city, units: { type: 'string', enum: ['c', 'f'] } }, ['location', 'units']);
/** Only the parameter's name changed: the proposed call needs nothing more. */
const RENAMED = weather({ location: city }, ['location']);

const call = (input: Json, before?: () => unknown, tool = 'weather'): Answer => ({
  tool: `mcp__fx__${tool}`,
  input,
  before,
});
const end: Answer = { text: 'the end' };

const wrapped = ({ command, args }: { command: string; args: string[] }, ...words: string[]): McpServers => ({
  fx: {
    command: process.execPath,
    args: [join(repo, 'dist/cli.cjs'), 'wrap', '--name', 'fx', ...words, '--', command, ...args],
  },
});

const world = async (t: TestContext, version: Version, tools: Tool[], words: string[] = [], flags: string[] = []) => {
  const { dir, home, cwd } = sandbox();
  const server = await FixtureServer.start(dir, tools, '1');
  t.after(() => server.close());
  return {
    server,
    /** Releases tools, and waits until the client has heard of the change, if anyone announces it. */
    release: (now: Tool[]) => async () => {
      server.set(now, '2');
      await sleep(300);
    },
    run: (steps: Script): Promise<HeadlessRun> =>
      runHeadless({ version, home, cwd, mcp: wrapped(server.mcp(...flags), ...words), steps }),
  };
};

const arrived = (server: FixtureServer): Json[] => server.calls().map(({ arguments: args }) => args);
const results = (run: HeadlessRun) => toolResults(run.requests.at(-1)?.body);

for (const version of versions) {
  describe(`Claude Code ${version}, a server behind wrap`, () => {
    for (const [how, flags] of [
      ['a silent', []],
      ['an announced', ['--list-changed']],
    ] as const) {
      test(`${how} change: the stale call does not arrive, the corrected one does`, async (t) => {
        const { server, release, run } = await world(t, version, [A], [], [...flags]);
        const ran = await run([
          call({ city: 'Utrecht' }),
          call({ city: 'Utrecht' }, release([B])),
          call({ location: 'Utrecht', units: 'c' }),
          end,
        ]);
        assert.deepEqual(arrived(server), [{ city: 'Utrecht' }, { location: 'Utrecht', units: 'c' }]);
        const [fresh, stale, corrected] = results(ran);
        assert.match(fresh?.text ?? '', /^served weather/);
        assert.ok(stale?.isError, stale?.text);
        assert.match(stale.text, /konnichiwagwan stopped this call: `weather` \(server `fx`\) changed/);
        assert.match(stale.text, /Call it like this now: weather\(location: string, units: "c" \| "f"\)/);
        assert.match(stale.text, /Call it in its current form/);
        assert.match(corrected?.text ?? '', /^served weather/);
        assert.equal(ran.code, 0);
        assert.deepEqual(ran.hooks, [], 'nothing of ours is installed');
      });
    }

    test('the call that is proposed is the one that arrives', async (t) => {
      const { server, release, run } = await world(t, version, [A]);
      const ran = await run([
        call({ city: 'Utrecht' }, release([RENAMED])),
        call({ city: 'Utrecht' }, release([RENAMED])),
        (body) => {
          const [, args = '{}'] =
            /with its new names: weather (\{.*\})/.exec(toolResults(body).at(-1)?.text ?? '') ?? [];
          return call(JSON.parse(args));
        },
        end,
      ]);
      assert.deepEqual(arrived(server).at(-1), { location: 'Utrecht' });
      assert.match(results(ran).at(-1)?.text ?? '', /^served weather/);
    });

    test('after a silent change the client lists the tools again, since wrap announces it', async (t) => {
      const { server, release, run } = await world(t, version, [A]);
      const added = { ...A, name: 'tides' };
      const ran = await run([
        call({ city: 'Utrecht' }),
        call({ city: 'Utrecht' }, release([A, added])),
        call({ city: 'Utrecht' }),
        call({ city: 'Utrecht' }, undefined, 'tides'),
        end,
      ]);
      assert.deepEqual(
        server.calls().map(({ name }) => name),
        ['weather', 'weather', 'weather', 'tides'],
      );
      const shown = ran.requests.at(-1)?.body.tools?.map(({ name }) => name) ?? [];
      assert.ok(shown.includes('mcp__fx__tides'), shown.join());
    });

    test('--hot-swap: the new name is shown with the contract of now, and its call arrives', async (t) => {
      const { server, release, run } = await world(t, version, [A], ['--hot-swap']);
      const ran = await run([
        call({ city: 'Utrecht' }),
        call({ city: 'Utrecht' }, release([B])),
        // The model follows what it reads; and the client may need a moment for the list.
        { ...call({ city: 'Utrecht' }), delayMs: 700 },
        (body) => {
          const [, name] = /current contract as `(\w+)`/.exec(toolResults(body).at(-1)?.text ?? '') ?? [];
          return call({ location: 'Utrecht', units: 'c' }, undefined, name);
        },
        end,
      ]);
      const tools = ran.requests.at(-1)?.body.tools ?? [];
      const shown = tools.find(({ name }) => name === 'mcp__fx__weather_v2');
      assert.deepEqual(shown?.input_schema?.properties, B.inputSchema.properties);
      const old = tools.find(({ name }) => name === 'mcp__fx__weather');
      t.diagnostic(`the old name shows ${Object.keys(old?.input_schema?.properties as object)}`);
      assert.deepEqual(server.calls(), [
        { name: 'weather', arguments: { city: 'Utrecht' } },
        { name: 'weather', arguments: { location: 'Utrecht', units: 'c' } },
      ]);
      assert.match(results(ran).at(-1)?.text ?? '', /^served weather/);
    });
  });
}
