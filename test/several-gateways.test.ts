// A tool that several gateways list: which of them speaks for its server.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { defined } from '../scripts/contract/defined.ts';
import type { JsonObject } from '../scripts/contract/types.ts';
import { startGateway } from '../scripts/demo/loopback.ts';
import { drive, sandbox, tool } from './sandbox.ts';

const before = tool(
  'ship',
  { parcel: { type: 'string' } },
  { required: ['parcel'] },
  { description: 'Ships a parcel.' },
);
const after = tool(
  'ship',
  { parcel: { type: 'string' }, carrier: { enum: ['post', 'van'] } },
  { required: ['parcel', 'carrier'] },
  { description: 'Ships a parcel.' },
);
const CALL: JsonObject = { parcel: 'p7' };

type Name = 'depot' | 'yard';

/** A session in which the model sees the tool as the gateways list it. @param naming the gateways that name the server */
const world = async (
  test: TestContext,
  order: readonly Name[],
  naming: readonly Name[],
  more: JsonObject = {},
  yardsTtl?: number,
) => {
  const [depot, yard] = [await startGateway('1', [before]), await startGateway('1', [before], yardsTtl)];
  test.after(() => {
    depot.close();
    yard.close();
  });
  const gateways = { depot, yard };
  const settings = order.map((name) => [
    name,
    { url: gateways[name].url, ...defined({ servers: naming.includes(name) ? ['demo'] : undefined }) },
  ]);
  const box = await sandbox(test, [], { freshFor: 0, gateways: Object.fromEntries(settings), ...more });
  box.env.GATEWAY_URL = undefined;
  const mcpServers = { demo: { command: 'node', args: ['server.js'] } };
  writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers }));
  await box.start();
  box.show([before], 'aaa1');
  assert.equal((await box.call('ship', CALL)).stdout, '', 'before the release');
  return { ...box, ...gateways };
};

const decision = (run: { answer?: { hookSpecificOutput?: JsonObject } }) =>
  run.answer?.hookSpecificOutput?.permissionDecision;

for (const order of [
  ['depot', 'yard'],
  ['yard', 'depot'],
] as const) {
  describe(`gateways in the order ${order.join(', ')}`, () => {
    it('one that names the server speaks for it, and one that names none does not', async (test) => {
      const { call, depot, yard, env, input } = await world(test, order, ['yard']);
      depot.set('1', [after]);
      assert.equal((await call('ship', CALL)).stdout, '');
      depot.set('1', [before]);
      yard.set('1', [after]);
      assert.equal(decision(await call('ship', CALL)), 'deny');
      const { stdout } = await drive('cli.cjs', JSON.stringify(input('ship', CALL)), env, ['explain', '--json']);
      assert.ok(stdout.includes(yard.url), stdout);
    });

    it('what the naming one dropped is gone, although the other one still lists it', async (test) => {
      const { call, yard } = await world(test, order, ['yard']);
      yard.set('1', []);
      assert.equal(decision(await call('ship', CALL)), 'deny');
    });

    it('if the naming one does not answer, the other one does not speak in its place', async (test) => {
      const { call, yard } = await world(test, order, ['yard']);
      yard.close();
      assert.match((await call('ship', CALL)).answer.systemMessage, /could not check .* cannot be reached/);
    });

    for (const [what, now] of [
      ['changed', [after]],
      ['dropped', []],
    ] as const)
      for (const one of ['depot', 'yard'] as const) {
        it(`a tool that ${one} ${what} cannot be checked, if both name its server`, async (test) => {
          const { call, ...gateways } = await world(test, order, ['depot', 'yard']);
          gateways[one].set('1', [...now]);
          const run = await call('ship', CALL);
          assert.match(
            run.answer.systemMessage,
            /could not check .* differ about its tool\. They go through unchecked/,
          );
          assert.equal(decision(run), undefined);
          gateways[one].set('1', [before]);
          assert.equal((await call('ship', CALL)).stdout, '', 'they agree again');
        });
      }

    it('where one answered before a release that both have, it is asked again', async (test) => {
      const { call, depot, yard } = await world(test, order, ['depot', 'yard'], {}, 60_000);
      for (const gateway of [depot, yard]) gateway.set('1', [after]);
      assert.equal(decision(await call('ship', CALL)), 'deny');
    });

    it('a tool that went from one to the other has moved, if both name its server', async (test) => {
      const { call, depot, yard, start, show, transcript } = await world(test, order, ['depot', 'yard']);
      yard.set('1', []);
      const later = { session_id: 's2', transcript_path: `${transcript}2` };
      await start(later);
      show([before], 'aaa2', later.transcript_path);
      depot.set('1', []);
      yard.set('1', [before]);
      assert.equal((await call('ship', CALL, later)).stdout, '');
      yard.set('1', [after]);
      assert.equal(decision(await call('ship', CALL, later)), 'deny');
    });

    it('in mode strict, a person is asked about a call that cannot be checked', async (test) => {
      const { call, yard } = await world(test, order, ['depot', 'yard'], { mode: 'strict' });
      yard.set('1', [after]);
      assert.equal(decision(await call('ship', CALL)), 'ask');
    });
  });
}

describe('a tool behind an invoker', () => {
  const INVOKER = { mcp__demo__run: { server: 'server', tool: 'tool', arguments: 'arguments' } };
  for (const naming of ['depot-server', 'demo'])
    it(`is judged by the gateway that names ${naming === 'demo' ? 'the hub' : 'its server'}, not by one that names none`, async (test) => {
      const [plain, named] = [await startGateway('1', [before]), await startGateway('1', [before])];
      test.after(() => {
        plain.close();
        named.close();
      });
      const gateways = { plain: { url: plain.url }, named: { url: named.url, servers: [naming] } };
      const box = await sandbox(test, [], { freshFor: 0, gateways, invokers: INVOKER });
      box.env.GATEWAY_URL = undefined;
      await box.start();
      const call = () => box.call('run', { server: 'depot-server', tool: 'ship', arguments: CALL });
      assert.equal(decision(await call()), undefined);
      named.set('1', [after]);
      assert.equal(decision(await call()), 'deny');
    });
});
