// The lockfile in the guard: a question of trust, in addition to freshness.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Contract } from '../scripts/contract/types.ts';
import { startMcp } from './mcp-servers.ts';
import { drive, type Run, sandbox, tool } from './sandbox.ts';

const weatherA = tool('weather', { city: { type: 'string' } }, {}, { description: 'Weather of a city' });
const weatherB = { ...weatherA, description: 'Weather of a city QUOKKA' };

const world = async (test: TestContext, tools: Contract[], pinned = true) => {
  const box = await sandbox(test, []);
  const server = await startMcp('modern', { tools });
  test.after(() => server.close());
  box.env.GATEWAY_URL = undefined;
  const servers = { mcpServers: { demo: { type: 'http', url: server.url } } };
  writeFileSync(join(box.home, '.claude.json'), JSON.stringify(servers));
  const cli = (...args: string[]) =>
    drive('cli.cjs', null, { ...box.env, CLAUDE_PROJECT_DIR: box.project }, args, true);
  if (pinned) {
    const done = await cli('pin', '--all');
    assert.equal(done.code, 0, done.stdout + done.stderr);
  }
  return { ...box, server, cli, lock: join(box.project, 'mcp-contracts.lock.json') };
};

const decision = (run: Run): string | undefined => run.answer?.hookSpecificOutput?.permissionDecision;
const reason = (run: Run): string => run.answer?.hookSpecificOutput?.permissionDecisionReason ?? '';

describe('the guard and the lockfile', () => {
  it('is silent about what was approved', async (test) => {
    const box = await world(test, [weatherA]);
    await box.start();
    for (const _look of [1, 2, 3]) assert.equal((await box.call('weather', { city: 'Rabat' })).stdout, '');
  });

  it('asks about a contract that differs from its pin, though nothing is stale; without words of the server', async (test) => {
    const box = await world(test, [weatherA]);
    box.server.offer.tools = [weatherB];
    await box.start();
    const asked = await box.call('weather', { city: 'Rabat' });
    assert.equal(decision(asked), 'ask', asked.stdout);
    assert.match(reason(asked), /is not the contract that is pinned/);
    assert.match(reason(asked), /konnichiwagwan approve demo\/weather/);
    assert.doesNotMatch(reason(asked), /QUOKKA/);
    assert.equal(decision(await box.call('weather', { city: 'Rabat' })), 'ask', 'nobody granted it');
    const attended = await box.call('weather', { city: 'Rabat' }, {}, { CLAUDE_CODE_ENTRYPOINT: 'cli' });
    assert.match(reason(attended), /QUOKKA/);
  });

  it('what a person granted in this session is not asked again, and another contract is', async (test) => {
    const box = await world(test, [weatherA]);
    box.server.offer.tools = [weatherB];
    await box.start();
    box.show([weatherB], 'aaa1');
    assert.equal(decision(await box.call('weather', { city: 'Rabat' })), 'ask');
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'served' };
    appendFileSync(box.transcript, `${JSON.stringify({ type: 'user', message: { content: [result] } })}\n`);
    for (const _look of [1, 2]) assert.equal((await box.call('weather', { city: 'Rabat' })).stdout, '');
    box.server.offer.tools = [{ ...weatherB, description: 'Weather of a city QUOKKA QUOKKA' }];
    assert.equal(decision(await box.call('weather', { city: 'Rabat' })), 'ask');
  });

  it('rests on an answer from after the call: one that is older is not enough to ask', async (test) => {
    const box = await world(test, [weatherA]);
    writeFileSync(join(box.state, 'config.json'), JSON.stringify({ freshFor: 60 }));
    box.server.offer.tools = [weatherB];
    await box.start();
    box.show([weatherB], 'aaa1');
    box.server.offer.tools = [weatherA];
    assert.doesNotMatch((await box.call('weather', { city: 'Rabat' })).stdout, /pinned/);
    box.server.offer.tools = [weatherB];
    assert.doesNotMatch((await box.call('weather', { city: 'Rabat' })).stdout, /pinned/, 'the answer still counts');
  });

  it('strict denies, warn tells once', async (test) => {
    const box = await world(test, [weatherA]);
    box.server.offer.tools = [weatherB];
    await box.start();
    const config = join(box.state, 'config.json');
    writeFileSync(config, JSON.stringify({ freshFor: 0, mode: 'strict' }));
    assert.equal(decision(await box.call('weather', { city: 'Rabat' })), 'deny');
    writeFileSync(config, JSON.stringify({ freshFor: 0, mode: 'warn' }));
    const told = await box.call('weather', { city: 'Rabat' });
    assert.equal(decision(told), undefined);
    assert.match(told.answer.systemMessage, /approve demo\/weather/);
    assert.equal((await box.call('weather', { city: 'Rabat' })).stdout, '');
  });

  it('a lockfile that changes under a memo is read again', async (test) => {
    const box = await world(test, [weatherA]);
    await box.start();
    for (const _look of [1, 2]) assert.equal((await box.call('weather', { city: 'Rabat' })).stdout, '');
    const pinned = readFileSync(box.lock, 'utf8');
    writeFileSync(box.lock, pinned.replace('Weather of a city', 'Weather of a town'));
    const edited = await box.call('weather', { city: 'Rabat' });
    assert.equal(decision(edited), 'ask');
    assert.match(reason(edited), /edited by hand/);
    writeFileSync(box.lock, '<<<<<<< ours\n');
    const unreadable = await box.call('weather', { city: 'Rabat' });
    assert.equal(decision(unreadable), 'ask');
    assert.match(reason(unreadable), /mcp-contracts\.lock\.json cannot be read/);
    writeFileSync(box.lock, pinned);
    assert.equal((await box.call('weather', { city: 'Rabat' })).stdout, '');
  });

  it('a lockfile is read again though its size and its time are as they were', {
    skip: process.platform === 'win32' && 'there is no touch',
  }, async (test) => {
    const box = await world(test, [weatherA]);
    await box.start();
    for (const _look of [1, 2]) assert.equal((await box.call('weather', { city: 'Rabat' })).stdout, '');
    const [before, twin] = [statSync(box.lock), `${box.lock}.twin`];
    copyFileSync(box.lock, twin);
    // Node's dates only have milliseconds.
    execFileSync('touch', ['-r', box.lock, twin]);
    const file = openSync(box.lock, 'r+');
    writeSync(file, readFileSync(box.lock, 'utf8').replace('Weather of a city', 'Weather of a town'), 0);
    closeSync(file);
    execFileSync('touch', ['-r', twin, box.lock]);
    const { size, mtimeMs } = statSync(box.lock);
    assert.deepEqual([size, mtimeMs], [before.size, before.mtimeMs]);
    assert.equal(decision(await box.call('weather', { city: 'Rabat' })), 'ask');
  });

  it('a yes to one call under an unreadable lockfile is no yes to another tool', async (test) => {
    const box = await world(test, [weatherA, { ...weatherA, name: 'forecast' }]);
    await box.start();
    writeFileSync(box.lock, '{');
    assert.equal(decision(await box.call('weather', { city: 'Rabat' })), 'ask');
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'served' };
    appendFileSync(box.transcript, `${JSON.stringify({ type: 'user', message: { content: [result] } })}\n`);
    assert.equal((await box.call('weather', { city: 'Rabat' })).stdout, '');
    assert.equal(decision(await box.call('forecast', { city: 'Rabat' })), 'ask');
  });

  it('a stale call is stopped as such, and the person is told of the pin', async (test) => {
    const box = await world(test, [weatherA]);
    await box.start();
    box.server.offer.tools = [tool('weather', { place: { type: 'string' } }, { required: ['place'] })];
    const stopped = await box.call('weather', { city: 'Rabat' });
    assert.equal(decision(stopped), 'deny');
    assert.match(reason(stopped), /changed after this conversation learned it/);
    assert.match(stopped.answer.systemMessage, /approve demo\/weather/);
  });

  it('a program is compared by what the model sees of it', async (test) => {
    const box = await world(test, [weatherA]);
    const program = { command: process.execPath, args: ['-e', ''] };
    writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers: { demo: program } }));
    await box.start();
    box.show([weatherA], 'aaa1');
    assert.equal((await box.call('weather', { city: 'Rabat' })).stdout, '');
    box.show([weatherB], 'aaa2');
    assert.equal(decision(await box.call('weather', { city: 'Rabat' })), 'ask');
  });

  it('a server that nobody pinned is nobody else’s business, but for strict', async (test) => {
    const box = await world(test, [weatherA]);
    writeFileSync(box.lock, readFileSync(box.lock, 'utf8').replace('"demo"', '"other"'));
    await box.start();
    assert.equal((await box.call('weather', { city: 'Rabat' })).stdout, '');
    writeFileSync(join(box.state, 'config.json'), JSON.stringify({ freshFor: 0, mode: 'strict' }));
    assert.equal(decision(await box.call('weather', { city: 'Rabat' })), 'deny');
  });
});
