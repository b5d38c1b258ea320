// Full tier: a real program.
// A server behind a sign-in, wrapped as `wrap -- npx mcp-remote URL`: mcp-remote signs in, and wrap reads no credentials.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { type Installed, installServer } from '../scripts/dev/corpus/install.ts';
import { remove } from '../scripts/state/in-use.ts';
import { tool } from './sandbox.ts';
import { startSignInServer } from './sign-in-server.ts';
import { hostOfProgram } from './wrap-host.ts';

const root = mkdtempSync(join(tmpdir(), 'konnichiwagwan-sign-in-'));
const installed: Installed | undefined = await installServer(root, 'mcp-remote', '0.15.1').catch(() => undefined);
// If it could not be installed, neither the tests nor their clean-up run.
if (installed === undefined) remove(root);
const skip =
  process.platform !== 'linux'
    ? 'the browser of this system cannot be replaced by a program of ours'
    : installed === undefined && 'mcp-remote cannot be installed here';

/** Plays a person with a browser: opens the address, and follows the redirect. */
const BROWSER = `#!${process.execPath}
require('node:fs').appendFileSync(process.env.OPENED, process.argv[2] + '\\n');
fetch(process.argv[2]).then((answer) => answer.text());
`;

/** Records every file that a process opens, with the process. Loaded into wrap and into everything that it starts. */
const NOTES = `
const fs = require('node:fs');
const note = fs.appendFileSync;
const said = (path) => { if (typeof path === 'string') note(process.env.OPENS, process.pid + ' ' + path + '\\n'); };
for (const [holder, names] of [
  [fs, ['open', 'openSync', 'readFile', 'readFileSync', 'readdir', 'readdirSync', 'createReadStream', 'watch']],
  [fs.promises, ['open', 'readFile', 'readdir']],
])
  for (const name of names) {
    const real = holder[name];
    holder[name] = function (path, ...rest) { said(path); return real.call(this, path, ...rest); };
  }
require('node:module').syncBuiltinESMExports();
`;

describe('a server behind a sign-in', { skip }, () => {
  const wait: (() => Promise<unknown> | unknown)[] = [];
  after(async () => {
    for (const end of wait.reverse()) await end();
    remove(root);
  });

  it('is signed in to by mcp-remote, behind wrap, which opens none of its files and stops a stale call', async () => {
    const text = { type: 'string' };
    const closed = { additionalProperties: false };
    const server = await startSignInServer([tool('weather', { city: text }, { required: ['city'], ...closed })]);
    wait.push(server.close);
    const [bin, tokens, opens, opened] = ['bin', 'tokens', 'opens', 'opened'].map((name) => join(root, name)) as [
      string,
      string,
      string,
      string,
    ];
    mkdirSync(bin);
    for (const name of ['browser', 'xdg-open']) {
      writeFileSync(join(bin, name), BROWSER);
      chmodSync(join(bin, name), 0o755);
    }
    writeFileSync(join(root, 'notes.cjs'), NOTES);
    const program = join(installed?.folder ?? '', 'node_modules/mcp-remote/dist/proxy.js');
    const wrap = [resolve('dist/cli.cjs'), 'wrap', '--name', 'remote', '--', process.execPath, program, server.url];
    const host = hostOfProgram(process.execPath, wrap, {
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      HOME: root,
      KONNICHIWAGWAN_HOME: join(root, 'state'),
      MCP_REMOTE_CONFIG_DIR: tokens,
      BROWSER: join(bin, 'browser'),
      NODE_OPTIONS: `--require=${join(root, 'notes.cjs')}`,
      OPENS: opens,
      OPENED: opened,
    });
    const { child } = host;
    const ended = new Promise((done) => child.once('close', done));
    wait.push(() => {
      child.kill('SIGTERM');
      return ended;
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      said += part;
    });

    await host.begin();
    assert.deepEqual(
      (await host.tools()).map(({ name }) => name),
      ['weather'],
    );
    assert.deepEqual(server.steps, ['register', 'authorize', 'token'], said);
    assert.match(readFileSync(opened, 'utf8'), /\/authorize\?/);

    assert.equal(await host.call('weather', { city: 'Kingston' }), 'served {"city":"Kingston"}');
    server.release([tool('weather', { location: text }, { required: ['location'], ...closed })]);
    assert.match(await host.call('weather', { city: 'Kingston' }), /^!konnichiwagwan stopped this call[\s\S]*location/);
    await host.call('weather', { location: 'Kingston' });
    assert.deepEqual(
      server.calls.map((call) => call.arguments),
      [{ city: 'Kingston' }, { location: 'Kingston' }],
    );

    const lines = readFileSync(opens, 'utf8').trim().split('\n');
    const inTokens = lines.filter((line) => line.includes(tokens));
    const byWrap = lines.filter((line) => line.startsWith(`${child.pid} `));
    assert.ok(byWrap.length > 0 && inTokens.length > 0, 'nothing was noted');
    assert.deepEqual(
      byWrap.filter((line) => line.includes(tokens)),
      [],
    );
    // Nor are the credentials in any file that wrap writes.
    const written = readdirSync(join(root, 'state'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    assert.ok(!written.some((one) => one.includes('secret-')));
  });
});
