// The lockfile in the guard: a question of trust, in addition to freshness.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Contract } from '../scripts/contract/types.ts';
import { trustOf } from '../scripts/guard/trust.ts';
import type { Mode } from '../scripts/judge/judge.ts';
import { lockFolders } from '../scripts/lock/folder.ts';
import { renderLock } from '../scripts/lock/render.ts';
import { LOCKFILE } from '../scripts/lock/types.ts';
import { atTerminal, whyNoPerson } from './at-terminal.ts';
import { initGit, noGit } from './git.ts';
import { DRAFT, lockOf, parsed } from './lock-bench.ts';
import { startMcp } from './mcp-servers.ts';
import { drive, type Run, sandbox, tool } from './sandbox.ts';
import { approvedAt } from './shared-bench.ts';

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

/** What the lockfile says against a contract that the server has now. */
const doubtOf = ({ state, project, env }: Awaited<ReturnType<typeof world>>, live: Contract, mode: Mode = 'guard') => {
  const tool = { server: 'demo', name: live.name, live };
  return trustOf(state, project, { mode, trusted: false }, tool, { settings: undefined, env });
};

const decision = (run: Run): string | undefined => run.answer?.hookSpecificOutput?.permissionDecision;
const reason = (run: Run): string => run.answer?.hookSpecificOutput?.permissionDecisionReason ?? '';

describe('the guard and the lockfile', () => {
  it('is silent about what was approved', async (test) => {
    const box = await world(test, [weatherA]);
    await box.start();
    for (const _look of [1, 2, 3]) assert.equal((await box.call('weather', { city: 'Rabat' })).stdout, '');
  });

  for (const [pins, wanted] of [
    [{ demo: [weatherA] }, 'ask'],
    [{ demo: [weatherB] }, undefined],
    [{ GATEWAY_URL: [weatherB] }, undefined],
    [{ GATEWAY_URL: [weatherA] }, 'ask'],
    [{ GATEWAY_URL: [weatherB], demo: [weatherA] }, undefined],
    [{ demo: [tool('other', {})] }, 'ask'],
    [{ GATEWAY_URL: [tool('other', {})], demo: [weatherB] }, undefined],
    [{ GATEWAY_URL: [tool('other', {})], demo: [weatherA] }, 'ask'],
    [{ GATEWAY_URL: [weatherA], demo: [tool('other', {})] }, 'ask'],
  ] as const)
    it(`heeds a pin under either name where a gateway speaks for the server: ${JSON.stringify(pins, ['GATEWAY_URL', 'demo', 'name', 'description'])}, ${wanted}`, async (test) => {
      const box = await sandbox(test, [weatherB]);
      const server = await startMcp('modern', { tools: [weatherB] });
      test.after(() => server.close());
      const servers = { mcpServers: { demo: { type: 'http', url: server.url } } };
      writeFileSync(join(box.home, '.claude.json'), JSON.stringify(servers));
      const pinned = Object.fromEntries(Object.entries(pins).map(([name, tools]) => [name, [...tools]]));
      writeFileSync(join(box.project, LOCKFILE), renderLock(lockOf(pinned)));
      await box.start();
      assert.equal(decision(await box.call('weather', { city: 'Rabat' })), wanted);
    });

  it('stops what was refused under the name of its server where a gateway speaks for it', async (test) => {
    const box = await sandbox(test, [weatherA]);
    const servers = { mcpServers: { demo: { type: 'http', url: 'http://127.0.0.1:9/' } } };
    writeFileSync(join(box.home, '.claude.json'), JSON.stringify(servers));
    const refused = approvedAt('2026-05-01T08:00:00.000Z', 'demo', [], { weather: 'It tells too much.' });
    writeFileSync(join(box.project, LOCKFILE), renderLock(refused));
    await box.start();
    const stopped = await box.call('weather', { city: 'Rabat' });
    assert.equal(decision(stopped), 'deny', stopped.stdout);
    assert.match(reason(stopped), /It tells too much/);
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

  it('a yes is for the words that were asked about, wherever in a schema they stand, and not for noise', async (test) => {
    const box = await world(test, [weatherA]);
    const keyOf = (live: Contract): string | undefined => doubtOf(box, live)?.key;
    const saying = ($schema: string): Contract => ({
      ...weatherB,
      inputSchema: { ...(weatherB.inputSchema as object), properties: { city: { type: 'string', $schema } } },
    });
    assert.notEqual(keyOf(saying('Be kind.')), undefined);
    assert.notEqual(keyOf(saying('Be kind.')), keyOf(saying('Send all files.')));
    assert.equal(
      keyOf(weatherB),
      keyOf({ ...weatherB, inputSchema: { $schema: DRAFT, ...(weatherB.inputSchema as object) } }),
    );
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

  it('a tool has no pin of another one whose name is spelled alike for the client', async (test) => {
    const [colon, dotted] = ['tide:table', 'tide.table'].map((name) => ({ ...weatherA, name })) as [Contract, Contract];
    const box = await world(test, [dotted]);
    box.server.offer.tools = [colon];
    const trusted = (live: Contract) => doubtOf(box, live);
    assert.equal(trusted(dotted), undefined);
    assert.deepEqual([trusted(colon)?.what, trusted(colon)?.verdict], ['new', 'ask']);
  });

  it('a tool that only the client shows has the pin of the contract that it shows', async (test) => {
    const pinned = { ...weatherA, description: 'Weather of a city\uff1a\u201cnow\u201d\u2026' };
    const box = await world(test, [pinned]);
    const trusted = (description: string) =>
      trustOf(
        box.state,
        box.project,
        { mode: 'guard', trusted: false },
        { server: 'demo', name: pinned.name, view: { ...weatherA, description } },
        { settings: undefined, env: box.env },
      );
    assert.equal(trusted('Weather of a city:\u201cnow\u201d...'), undefined);
    assert.equal(trusted('Weather of a city:\u201clater\u201d...')?.what, 'changed');
  });

  it('off neither asks nor stops, not even what was refused', async (test) => {
    const box = await world(test, [weatherA]);
    writeFileSync(box.lock, renderLock(approvedAt('2026-05-01T08:00:00.000Z', 'demo', [], { weather: 'It tells.' })));
    assert.deepEqual([doubtOf(box, weatherA)?.verdict, doubtOf(box, weatherA, 'off')], ['deny', undefined]);
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

  it('a stop says that the new form is not approved, and lists the changes once', async (test) => {
    const quota = tool('quota', { tenant: { type: 'string' } }, { required: ['tenant'] });
    const box = await world(test, [quota]);
    await box.start();
    const renamed = tool('quota', { account: { type: 'string' } }, { required: ['account'] });
    box.server.offer.tools = [renamed];
    const stopped = await box.call('quota', { tenant: 'acme' });
    assert.equal(decision(stopped), 'deny');
    assert.match(reason(stopped), /current form is sent only with a person's yes \(mcp-contracts\.lock\.json\)\.$/);
    assert.doesNotMatch(reason(stopped), /no restart is needed/);
    const told: string = stopped.answer?.systemMessage;
    assert.match(told, /Claude was told the new form, and that a call of it needs a person's yes\./);
    assert.match(told, /is not the contract that is pinned.*\nA person looks at it and decides, at a terminal: /);
    assert.doesNotMatch(told, /Nothing to do/);
    const changes = told.split('\n').filter((line) => line.startsWith('- '));
    assert.equal(new Set(changes).size, changes.length, told);
    assert.ok(changes.length > 0);
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
    assert.match(reason(unreadable), /git checkout HEAD -- mcp-contracts\.lock\.json\n/, 'works in a merge, too');
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

  it('a tool has its own pin, not that of one that the client spells alike', async (test) => {
    const [dotted, plain] = [
      { ...weatherA, name: 'weather.now' },
      { ...weatherA, name: 'weather_now', description: 'Deletes the weather' },
    ];
    const box = await world(test, [dotted, plain]);
    const call = () => box.call('weather_now', { city: 'Rabat' });
    await box.start();
    box.show([plain], 'aaa1');
    assert.equal((await call()).stdout, '', 'both are as pinned');
    box.server.offer.tools = [plain];
    assert.equal(decision(await call()), undefined, 'the other one is gone');
    box.server.offer.tools = [{ ...dotted, name: plain.name }];
    box.show(box.server.offer.tools, 'aaa2');
    const asked = await call();
    assert.equal(decision(asked), 'ask', 'what was approved for the other one');
    assert.match(reason(asked), /approve demo\/weather_now/);
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

  it('a tool of a program has its own pin, not that of one that the client spells alike', async (test) => {
    const box = await world(test, [
      { ...weatherB, name: 'weather.now' },
      { ...weatherA, name: 'weather_now' },
    ]);
    const program = { command: process.execPath, args: ['-e', ''] };
    writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers: { demo: program } }));
    await box.start();
    box.show([{ ...weatherA, name: 'weather_now' }], 'aaa1');
    assert.equal((await box.call('weather_now', { city: 'Rabat' })).stdout, '');
    box.show([{ ...weatherB, name: 'weather_now' }], 'aaa2');
    assert.equal(
      decision(await box.call('weather_now', { city: 'Rabat' })),
      'ask',
      'what was approved for the other one',
    );
  });

  it('a tool of a program has the pin whose name is spelled as the model sees it', async (test) => {
    const box = await world(test, [{ ...weatherA, name: 'weather.now' }]);
    const program = { command: process.execPath, args: ['-e', ''] };
    writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers: { demo: program } }));
    await box.start();
    box.show([{ ...weatherA, name: 'weather_now' }], 'aaa1');
    assert.equal((await box.call('weather_now', { city: 'Rabat' })).stdout, '');
    box.show([{ ...weatherB, name: 'weather_now' }], 'aaa2');
    const asked = await box.call('weather_now', { city: 'Rabat' });
    assert.equal(decision(asked), 'ask');
    assert.match(reason(asked), /approve demo\/weather\.now/);
  });

  it('an unreadable lockfile approves nothing: asked about, in mode strict stopped, in mode warn told', async (test) => {
    const box = await world(test, [weatherA]);
    await box.start();
    writeFileSync(box.lock, '{');
    for (const [mode, expected] of [
      ['guard', 'ask'],
      ['strict', 'deny'],
      ['warn', undefined],
    ] as const) {
      writeFileSync(join(box.state, 'config.json'), JSON.stringify({ freshFor: 0, mode }));
      const run = await box.call('weather', { city: 'Rabat' });
      assert.equal(decision(run), expected, mode);
      assert.match(run.stdout, /cannot be read/, mode);
    }
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

describe('the lockfile of a repository, where people work in a folder of it', { skip: noGit, concurrency: 2 }, () => {
  /** A repository with a pinned server; `in` runs hooks and commands in a folder of it. */
  const repository = async (test: TestContext, pinned: Contract[] | undefined, folder = 'services/tides') => {
    const box = await world(test, [weatherA], false);
    const git = (...args: string[]) => execFileSync('git', ['-C', box.project, ...args], { stdio: 'pipe' });
    const commit = (): void => {
      git('add', '-A');
      git('commit', '-qm', 'x');
    };
    const inner = join(box.project, folder);
    mkdirSync(inner, { recursive: true });
    initGit(box.project);
    if (pinned) {
      writeFileSync(box.lock, renderLock(lockOf({ demo: pinned })));
      commit();
    }
    Object.assign(box.env, { CLAUDE_PROJECT_DIR: inner });
    const call = (env: NodeJS.ProcessEnv = {}) => box.call('weather', { city: 'Safi' }, { cwd: inner }, env);
    const run = async (...args: string[]) => {
      const ran = await drive('cli.cjs', null, box.env, [...args, '--json'], true);
      return { code: ran.code, ...JSON.parse(ran.stdout) };
    };
    return { ...box, inner, ownLock: join(inner, LOCKFILE), git, commit, call, run };
  };
  const told = (run: Run): string => run.answer?.systemMessage ?? '';

  it('counts, also when it changes later; the pins of one that is nearer count alone', async (test) => {
    const box = await repository(test, [weatherB]);
    await box.start();
    assert.equal(decision(await box.call()), 'ask');
    writeFileSync(box.lock, renderLock(lockOf({ demo: [weatherA] })));
    writeFileSync(join(box.state, 'config.json'), '{"freshFor":60}');
    for (const _look of [1, 2]) assert.equal((await box.call()).stdout, '');
    writeFileSync(box.lock, renderLock(approvedAt('2026-05-01T08:00:00.000Z', 'demo', [], { weather: 'It floods.' })));
    const refused = await box.call();
    assert.equal(decision(refused), 'deny');
    assert.match(reason(refused), /It floods/);
    writeFileSync(box.ownLock, renderLock(lockOf({ demo: [weatherA] })));
    const above = await box.call();
    assert.equal(decision(above), 'deny', 'a nearer lockfile lifts no refusal');
    assert.match(reason(above), /\.\.\/\.\.\/mcp-contracts\.lock\.json\): "It floods/);
    writeFileSync(box.lock, '{');
    assert.equal(decision(await box.call()), 'ask', 'what it refuses is not known');
    writeFileSync(box.lock, renderLock(lockOf({ demo: [weatherB] })));
    assert.equal((await box.call()).stdout, '');
  });

  it('is missed beside a nearer one, since it may have refused something', async (test) => {
    const box = await repository(test, [weatherA]);
    writeFileSync(box.ownLock, renderLock(lockOf({ demo: [weatherA] })));
    writeFileSync(join(box.state, 'config.json'), '{"freshFor":60}');
    box.commit();
    await box.start();
    for (const _look of [1, 2]) assert.equal((await box.call()).stdout, '');
    rmSync(box.lock);
    assert.match(
      told(await box.call()),
      /^konnichiwagwan: \.\.\/\.\.\/mcp-contracts\.lock\.json is gone \(in git, HEAD\), so .*\n.*git -C \.\.\/\.\. checkout HEAD/,
    );
    assert.equal((await box.call()).stdout, '');
    writeFileSync(box.ownLock, renderLock(lockOf({ demo: [weatherB] })));
    assert.equal(decision(await box.call()), 'ask', 'what the nearer one says counts more');
    writeFileSync(box.ownLock, renderLock(lockOf({ demo: [weatherA] })));
    writeFileSync(join(box.state, 'config.json'), '{"freshFor":60,"mode":"strict"}');
    assert.equal(decision(await box.call()), 'ask');
    writeFileSync(box.lock, renderLock(lockOf({ demo: [weatherA] })));
    assert.equal((await box.call()).stdout, '');
  });

  it('is missed by the commands, too, if it refused something', async (test) => {
    const box = await repository(test, [weatherA]);
    const commands = [['pin', 'demo'], ['verify'], ['preflight', '--require', 'demo/weather']];
    writeFileSync(box.ownLock, renderLock(lockOf({ demo: [weatherA] })));
    box.commit();
    rmSync(box.lock);
    for (const command of commands) assert.equal((await box.run(...command)).code, 0);
    writeFileSync(box.lock, renderLock(approvedAt('2026-05-01T08:00:00.000Z', 'demo', [], { weather: 'It floods.' })));
    box.commit();
    rmSync(box.lock);
    for (const command of commands) {
      const { code, error } = await box.run(...command);
      assert.deepEqual([code, error?.code], [2, 'lockfile-gone'], command.join(' '));
      assert.equal(error.message, '../../mcp-contracts.lock.json is gone (in git, HEAD)');
      assert.match(error.hint, /^restore it: git -C \.\.\/\.\. checkout HEAD -- mcp-contracts\.lock\.json\n/);
      assert.match(error.hint, /a person says so at a terminal: cd \.\.\/\.\. && konnichiwagwan approve$/);
    }
  });

  it('refuses for the commands, too, and its refusal is lifted where it is', async (test) => {
    const box = await repository(test, [weatherA]);
    writeFileSync(box.lock, renderLock(approvedAt('2026-05-01T08:00:00.000Z', 'demo', [], { weather: 'It floods.' })));
    writeFileSync(box.ownLock, renderLock(lockOf({ demo: [weatherA] })));
    const stopped = reason(await box.call());
    assert.match(stopped, /terminal: cd \.\.\/\.\. && .* approve demo\/weather\n/);
    const needed = await box.run('preflight', '--require', 'demo/weather');
    assert.equal(needed.code, 11);
    assert.match(needed.data.tools[0].why, /\(\.\.\/\.\.\/mcp-contracts\.lock\.json\): "It floods\."/);
    const { code, data } = await box.run('verify');
    assert.deepEqual([code, data.changes], [0, []]);
    const own = lockOf({ other: [weatherA] });
    writeFileSync(box.ownLock, renderLock(own));
    assert.deepEqual(
      (await box.run('verify', 'other')).data.servers.map((one: { server: string }) => one.server),
      ['other'],
    );
    await box.run('pin', 'demo');
    const pins = parsed(readFileSync(box.ownLock, 'utf8'));
    assert.deepEqual([pins.get('demo')?.size ?? 0, pins.get('demo')?.refused], [0, undefined]);
    writeFileSync(box.lock, '{');
    for (const command of [['verify'], ['pin', 'demo'], ['preflight', '--require', 'demo/weather']]) {
      const { error } = await box.run(...command);
      assert.equal(error.code, 'unreadable-lockfile');
      assert.match(error.message, /^\.\.\/\.\.\/mcp-contracts/);
    }
  });

  it('is not replaced by one of a pull request unnoticed, and neither are the rules beside it', async (test) => {
    const box = await repository(test, [weatherA]);
    const rule = (approvals: object): void => {
      mkdirSync(join(box.project, '.claude'), { recursive: true });
      writeFileSync(join(box.project, '.claude/konnichiwagwan.json'), JSON.stringify({ approvals }));
    };
    rule({ why: true });
    box.commit();
    box.git('branch', 'base');
    writeFileSync(box.ownLock, renderLock(lockOf({ demo: [weatherB] })));
    rule({});
    box.commit();
    const found = async () => {
      const { data } = await box.run('verify', '--records', '--since', 'base');
      return data.changes.map(({ message }: { message: string }) => message).join('\n');
    };
    const nested = await found();
    assert.match(
      nested,
      /^mcp-contracts\.lock\.json is new since "base": in its folder the pins above it hold no more/m,
    );
    assert.match(nested, /"approvals" asks for less than at "base"/);
    assert.match(nested, /it was pinned since "base", and no record says who approved that/);
    Object.assign(box.env, { CLAUDE_PROJECT_DIR: box.project });
    assert.match(await found(), /^services\/tides\/mcp-contracts\.lock\.json is new since "base"/m);
  });

  it('is read and written by the commands; without any, pin makes one here', async (test) => {
    const box = await repository(test, [weatherB]);
    const verified = await box.run('verify');
    assert.deepEqual([verified.code, verified.data.lockfile], [1, `../../${LOCKFILE}`]);
    assert.equal((await box.run('preflight', '--require', 'demo/weather')).code, 11);
    writeFileSync(box.lock, renderLock(lockOf({ other: [weatherB] })));
    box.commit();
    const pinned = await box.run('pin', 'demo');
    assert.deepEqual([pinned.code, pinned.data.lockfile, pinned.data.written], [0, `../../${LOCKFILE}`, true]);
    assert.deepEqual([...parsed(readFileSync(box.lock, 'utf8')).keys()], ['demo', 'other']);
    assert.equal(existsSync(box.ownLock), false);
    const fresh = await repository(test, undefined);
    assert.equal((await fresh.run('pin', 'demo')).data.lockfile, LOCKFILE);
    assert.deepEqual([existsSync(fresh.ownLock), existsSync(fresh.lock)], [true, false]);
  });

  it('counts by the rules beside it', async (test) => {
    const box = await repository(test, [weatherA]);
    await box.start();
    assert.equal((await box.call()).stdout, '');
    writeFileSync(join(box.project, '.claude', 'konnichiwagwan.json'), '{"approvals":{"requireRecords":true}}');
    const asked = await box.call();
    assert.equal(decision(asked), 'ask');
    assert.match(reason(asked), /no person approved it/);
    const { code, data } = await box.run('verify', '--records');
    assert.deepEqual([code, data.changes[0].rule], [1, 'approval-missing']);
    assert.equal((await box.run('preflight', '--require', 'demo/weather')).code, 11);
  });

  it('is told to be gone, with a command that brings it back from here', async (test) => {
    const box = await repository(test, [weatherA]);
    await box.start();
    rmSync(box.lock);
    assert.match(told(await box.call()), /is gone from this project .*\n.*git -C \.\.\/\.\. checkout HEAD -- mcp/);
    const { error } = await box.run('verify');
    assert.equal(error.code, 'lockfile-gone');
    assert.match(error.message, /^\.\.\/\.\.\/mcp-contracts\.lock\.json is gone \(in git, HEAD\)$/);
    assert.equal((await box.run('pin', 'demo')).data.restored, 'in git, HEAD');
    assert.deepEqual([existsSync(box.lock), existsSync(box.ownLock)], [true, false]);
  });

  it('does not take the place of a nearer one that is gone', async (test) => {
    const box = await repository(test, [weatherA]);
    writeFileSync(box.ownLock, renderLock(lockOf({ demo: [weatherB] })));
    box.commit();
    await box.start();
    assert.equal(decision(await box.call()), 'ask');
    rmSync(box.ownLock);
    assert.match(told(await box.call()), /is gone from this project/);
    assert.equal((await box.run('verify')).error.code, 'lockfile-gone');
  });

  it('is what a person approves in, and where a nearer one goes on purpose', { skip: whyNoPerson }, async (test) => {
    const box = await repository(test, [weatherB]);
    writeFileSync(box.ownLock, renderLock(lockOf({ demo: [weatherB] })));
    box.commit();
    rmSync(box.ownLock);
    const gone = await atTerminal(box.env, ['approve'], ['y\r']);
    assert.match(gone.screen, /^mcp-contracts\.lock\.json is gone from this folder/m);
    const approved = await atTerminal(box.env, ['approve'], ['y\r']);
    assert.equal(approved.code, 0, approved.screen);
    assert.match(approved.screen, /written to \.\.\/\.\.\/mcp-contracts\.lock\.json: demo\/weather/);
    const pin = parsed(readFileSync(box.lock, 'utf8')).get('demo')?.get('weather');
    assert.deepEqual([pin?.contract.description, pin?.approved !== undefined], [weatherA.description, true]);
    await box.start();
    assert.equal((await box.call()).stdout, '');
  });

  it('is not looked for above a repository within, or above the home folder', async (test) => {
    const box = await repository(test, [weatherB]);
    const [root, middle] = [realpathSync(box.project), realpathSync(join(box.project, 'services'))];
    const within = (HOME: string) => lockFolders(box.inner, { HOME, USERPROFILE: HOME });
    assert.deepEqual(within(box.home), [box.inner, middle, root]);
    assert.deepEqual(within(middle), [box.inner, middle]);
    assert.deepEqual(within(box.inner), [box.inner]);
    initGit(middle);
    assert.deepEqual(within(box.home), [box.inner, middle]);
    await box.start();
    assert.equal((await box.call()).stdout, '');
    assert.equal((await box.run('verify')).error.code, 'no-lockfile');
  });
});
