// How many servers are guarded: reported once at a session's start, and by `doctor` and `status`, with the command for the
// rest.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { JsonObject } from '../scripts/contract/types.ts';
import { drive, needProcesses, sandbox } from './sandbox.ts';

const PROGRAM = { command: 'npx', args: ['-y', 'server'] };
/** A server that hooks ask; that it is down does not matter. */
const ASKED = { type: 'http', url: 'http://127.0.0.1:9/mcp' };
const WRAPPED = { command: 'konnichiwagwan', args: ['wrap', '--', 'npx', '-y', 'server'] };

/** A HOME without a gateway, with some of the user's servers. */
const world = async (test: TestContext, servers: JsonObject) => {
  const box = await sandbox(test, []);
  box.env.GATEWAY_URL = undefined;
  const set = (mcpServers: JsonObject): void =>
    writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers }));
  set(servers);
  let count = 0;
  const told = async (env: NodeJS.ProcessEnv = {}, more: JsonObject = {}): Promise<string> => {
    Object.assign(box.env, { CLAUDE_CODE_ENTRYPOINT: 'cli', CI: undefined, ...env });
    const { code, answer } = await box.greet({ session_id: `guarded-${++count}`, ...more });
    delete box.env.CLAUDE_CODE_ENTRYPOINT;
    assert.equal(code, 0);
    assert.equal(answer?.hookSpecificOutput, undefined, 'nothing of it is for the model');
    return answer?.systemMessage ?? '';
  };
  const cli = (...args: string[]) => drive('cli.cjs', null, box.env, args, true, box.project);
  return { ...box, set, told, cli };
};

/** A server that requires signing in. */
const signIn = async (test: TestContext): Promise<string> => {
  const server = createServer((_request, response) => response.writeHead(401).end()).listen(0, '127.0.0.1');
  test.after(() => server.close());
  await new Promise((listening) => server.once('listening', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
};

describe('the first session of a person, and each new server', () => {
  it('counts the servers once, and tells of each new one once', async (test) => {
    const box = await world(test, { a: PROGRAM, b: PROGRAM, safe: ASKED });
    assert.equal(
      await box.told(),
      'konnichiwagwan is on: 1 of 3 servers guarded. For the others: kwg wrap --add --all',
    );
    assert.equal(await box.told(), '');
    box.set({ a: PROGRAM, b: PROGRAM, safe: ASKED, tracker: PROGRAM });
    assert.equal(await box.told(), 'konnichiwagwan: `tracker` is new and not guarded: kwg wrap --add tracker');
    assert.equal(await box.told(), '');
    box.set({ a: PROGRAM, b: PROGRAM, safe: ASKED, tracker: ASKED, also: ASKED });
    assert.equal(await box.told(), '', 'one that is guarded is no news');
    box.set(Object.fromEntries(['v', 'w', 'x', "y'; rm -rf ~", 'z'].map((name) => [name, PROGRAM])));
    const many = (await box.told()).split('\n');
    assert.equal(many.length, 4);
    assert.equal(many[3], 'konnichiwagwan: and 2 more new servers: kwg wrap --add --all');
  });

  it('a name that a shell would read is quoted', async (test) => {
    const box = await world(test, { a: PROGRAM });
    assert.match(await box.told(), /is on: 0 of 1 server guarded\. Not guarded: a → kwg wrap --add a$/);
    box.set({ a: PROGRAM, "y'; rm -rf ~": PROGRAM });
    assert.match(await box.told(), /kwg wrap --add 'y'\\'{2}; rm -rf ~'$/);
  });

  it('one of a folder is new in that folder alone', async (test) => {
    const box = await world(test, { a: PROGRAM });
    await box.told();
    const local = (folder: string) => ({ projects: { [folder]: { mcpServers: { here: PROGRAM } } } });
    writeFileSync(
      join(box.home, '.claude.json'),
      JSON.stringify({ mcpServers: { a: PROGRAM }, ...local(box.project) }),
    );
    assert.match(await box.told(), /`here` is new/);
    assert.equal(await box.told(), '');
    const other = join(box.home, 'other');
    mkdirSync(other);
    assert.equal(await box.told({ CLAUDE_PROJECT_DIR: other }), '', 'it is not configured there');
  });

  it('nothing where all are guarded, nobody sits, the guard is off, or a gateway may speak for them', async (test) => {
    const box = await world(test, { a: ASKED });
    assert.equal(await box.told(), '');
    box.set({ a: PROGRAM });
    assert.equal(await box.told({ CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' }), '');
    assert.equal(await box.told({ CI: '1' }), '');
    assert.equal(await box.told({}, { source: 'compact' }), '');
    assert.equal(await box.told({ GATEWAY_URL: box.gateway.url }), '');
    box.env.GATEWAY_URL = undefined;
    writeFileSync(join(box.state, 'config.json'), JSON.stringify({ mode: 'off' }));
    assert.equal(await box.told(), '');
    writeFileSync(join(box.state, 'config.json'), '{}');
    assert.match(await box.told(), /`a` is new and not guarded: kwg wrap --add a$/);
  });
});

describe('doctor and status', () => {
  it('one line for each server that is not guarded, with the command; and exit 1', async (test) => {
    const url = await signIn(test);
    const box = await world(test, { a: PROGRAM, safe: WRAPPED, far: { type: 'http', url } });
    assert.equal((await box.cli('install', '--no-wrap')).code, 0);
    const { code, stdout } = await box.cli('doctor');
    assert.equal(code, 1, stdout);
    assert.match(stdout, /server `a` +local \(stdio\) server, not guarded\n +→ kwg wrap --add a\n/);
    assert.match(
      stdout,
      /server `far` +it wants a sign-in.*, so it is not guarded\n +→ claude mcp remove far -s user && /,
    );
    const command = `claude mcp add far -s user -- kwg wrap --name far -- npx -y mcp-remote ${url}`;
    assert.ok(stdout.includes(command), stdout);
    assert.match(stdout, /\nno problem, 1 of 3 servers guarded\. For the others: kwg wrap --add a\n$/);
    const status = await box.cli('status');
    assert.equal(status.code, 2);
    assert.match(
      status.stdout,
      /\n {2}1 of 3 servers guarded\n {2}a: local \(stdio\) server, not guarded → kwg wrap --add a\n/,
    );
    assert.doesNotMatch(status.stdout, /✅/);
    assert.match(status.stdout, /not guarded; konnichiwagwan probe --spawn starts it for a moment/);
    assert.doesNotMatch(status.stdout, /(?<!probe )--spawn/, 'status has no such option');
  });

  it('names of servers stand in one column, and a broken file is to be corrected', async (test) => {
    const box = await world(test, { a: PROGRAM, 'sequential-thinking': PROGRAM });
    await box.cli('install', '--no-wrap');
    const columns = async () =>
      [...(await box.cli('doctor')).stdout.matchAll(/^. (?:node|server .*?`|state) +/gm)].map(
        ([found]) => found.length,
      );
    const found = await columns();
    assert.equal(found.length, 4);
    assert.equal(new Set(found).size, 1, String(found));
    box.set({
      far: { type: 'http', url: 'mcp.test/mcp' },
      near: { type: 'http', url: `http://127.0.0.1:9/$\{KWG_PORT_X}` },
    });
    const { stdout: addresses } = await box.cli('doctor');
    assert.match(addresses, /✘ server `far` +its url is not a.* URL\n +→ correct its entry\n/);
    assert.match(addresses, /KWG_PORT_X is not set\n +→ set it where Claude Code is started\n/);
    writeFileSync(join(box.home, '.claude.json'), '{"mcpServers":{},}');
    const { stdout } = await box.cli('doctor');
    assert.match(
      stdout,
      /✘ settings +~[/\\]\.claude\.json is not valid JSON: a comma too many in line 1\n +→ correct the file\n/,
    );
  });

  it('a name in our settings that is a server’s but for case and signs; any other may be another project’s', async (test) => {
    const box = await world(test, { 'parcel.Desk': WRAPPED, mail: WRAPPED });
    const hub = { url: box.gateway.url, servers: ['parcel_desk', 'mail', 'elsewhere'] };
    const servers = { 'Parcel-desk': { mode: 'strict' }, 'parcel.Desk': { mode: 'guard' }, other: { mode: 'off' } };
    writeFileSync(join(box.state, 'config.json'), JSON.stringify({ gateways: { hub }, servers }));
    const told = async () =>
      JSON.parse((await box.cli('doctor', '--json')).stdout).data.checks.filter(({ message }: { message: string }) =>
        message.includes('not configured here'),
      );
    const fix = 'if `parcel.Desk` is meant, write it like that';
    assert.deepEqual(
      (await told()).map(({ id, level, name, message, fix }: JsonObject) => ({ id, level, name, message, fix })),
      [
        {
          ...{ id: 'servers', level: 'warning', name: 'gateway `hub`' },
          ...{ message: 'names `parcel_desk`, which is not configured here', fix },
        },
        {
          ...{ id: 'servers', level: 'warning', name: 'servers in settings' },
          ...{ message: 'names `Parcel-desk`, which is not configured here', fix },
        },
      ],
    );
    writeFileSync(join(box.project, '.mcp.json'), '{');
    assert.deepEqual(await told(), [], 'a file that cannot be read may name it');
  });

  it('a server whose entry is wrong is not counted as guarded, and is the reason why there is no baseline', async (test) => {
    const far = { type: 'http', url: 'gopher://127.0.0.1/mcp' };
    const near = { type: 'http', url: `http://127.0.0.1:9/$\{KWG_PORT_X}` };
    const box = await world(test, { far, near });
    await box.cli('install', '--no-wrap');
    assert.equal(await box.told(), '', 'Claude Code reports such an entry');
    const { stdout } = await box.cli('doctor');
    assert.match(stdout, /\n2 problems, 0 of 2 servers guarded\n$/);
    assert.equal(stdout.match(/server `near`/g)?.length, 1, stdout);
    const status = await box.cli('status');
    assert.match(status.stdout, /\n {2}no baseline: none of the servers can be asked, see phase F\n/);
    assert.match(status.stdout, /\n {2}0 of 2 servers guarded\n/);
    assert.doesNotMatch(status.stdout, /start Claude Code once/);
  });

  it('without the hooks, only what wrap starts is guarded', async (test) => {
    const box = await world(test, { safe: WRAPPED, far: ASKED });
    const { stdout } = await box.cli('doctor');
    assert.match(stdout, /✘ hooks +not registered: no call is checked/);
    assert.match(stdout, /\n\d problems, 1 of 2 servers guarded\n$/);
    await box.cli('install', '--no-wrap');
    assert.match((await box.cli('doctor')).stdout, /, 2 of 2 servers guarded\n$/);
  });

  it('switched off: a problem, not counted as guarded, and its calls not as checked', async (test) => {
    const box = await world(test, {
      mail: { ...ASKED, headers: { Authorization: 'Bearer quince' } },
      disk: { command: 'kwg', args: ['wrap', '--off', '--', 'npx', 'disk'] },
      safe: { ...WRAPPED, args: ['wrap', '--', 'npx', 'disk', '--off'] },
    });
    await box.cli('install', '--no-wrap');
    const config = (value: JsonObject) => writeFileSync(join(box.state, 'config.json'), JSON.stringify(value));
    config({ servers: { mail: { mode: 'off' } } });
    const one = await box.cli('doctor');
    assert.equal(one.code, 1, one.stdout);
    assert.match(
      one.stdout,
      /✘ server `mail` +switched off by "mode": "off" in config\.json: its calls are not checked/,
    );
    assert.match(one.stdout, /✘ server `disk` +switched off by --off in its entry: its calls are not checked/);
    assert.match(one.stdout, /\n2 problems, 1 of 3 servers guarded\n/);
    config({ mode: 'off', servers: { mail: { mode: 'guard' } } });
    const all = await box.cli('doctor');
    assert.match(all.stdout, /✘ switch +"mode": "off" in config\.json: calls are not checked/);
    assert.match(all.stdout, /, 1 of 3 servers guarded/);
    assert.equal(all.code, 1);

    config({ mode: 'off' });
    const call = { tool_name: 'mcp__mail__send', mcp_server: { name: 'mail' } };
    // The second call takes the fast path.
    for (const id of ['one', 'two'])
      assert.equal((await box.call('send', {}, { ...call, tool_use_id: id })).stdout, '');
    const { stdout } = await box.cli('status', '--session', 's1');
    assert.match(stdout, /0 of 3 servers guarded/);
    assert.match(stdout, /calls in this session, of mail \(2 calls\): not checked \(switched off\)/);
    assert.doesNotMatch((await box.cli('status', '--session', 's1', '--json')).stdout, /quince/);
    box.env.KONNICHIWAGWAN = 'off';
    assert.match((await box.cli('status', '--session', 's1')).stdout, /KONNICHIWAGWAN=off: the hooks do nothing/);
  });

  it('all guarded: all is well, and exit 0', async (test) => {
    const box = await world(test, { safe: WRAPPED });
    await box.cli('install', '--no-wrap');
    needProcesses(test);
    const { code, stdout } = await box.cli('doctor');
    assert.equal(code, 0, stdout);
    assert.match(stdout, /\nall is well, 1 of 1 server guarded\n$/);
  });
});
