// The first hour: ten servers, one command, one yes, and every call is checked; then uninstall, and nothing is left. Some
// are other people's servers from npm: two, or with KONNICHIWAGWAN_E2E_SERVERS=all nine, and ten in the last test, where one of
// them is updated under a conversation.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { installServer } from '../../scripts/dev/corpus/install.ts';
import { PACKAGES } from '../../scripts/dev/corpus/packages.ts';
import { remove } from '../../scripts/state/in-use.ts';
import { listing } from '../install-home.ts';
import { runProgram } from '../run-program.ts';
import { answering, openRealTerminal, whyNoTerminal } from '../terminal.ts';
import { clientBinary, repo, type Version, versions } from './client.ts';
import { closeTerminals, hasTmux, Interactive } from './interactive.ts';
import { removeSandboxes, runHeadless, type Sandbox, sandbox } from './run.ts';
import { toolResults } from './stub-model.ts';

type Entry = { command: string; args: string[]; env?: Record<string, string> };

const ALL = process.env.KONNICHIWAGWAN_E2E_SERVERS === 'all';
const MOST_REAL = ALL ? 9 : 2;
/** One whose newest release broke what this one took: `includeStatic` is called `static` now. */
const OLD = { name: '@playwright/mcp', version: '0.0.61', tool: 'mcp__playwright-mcp__browser_network_requests' };
const root = mkdtempSync(join(tmpdir(), 'kwg-hour-'));
after(async () => {
  closeTerminals();
  remove(root);
  await removeSandboxes();
});

const weather = (parameter: string) => ({
  name: 'weather',
  description: 'Weather.',
  inputSchema: { type: 'object', properties: { [parameter]: { type: 'string' } }, required: [parameter] },
});

/** Entries of other people's servers; those that cannot be installed here are left out and reported. */
const realServers = async (t: TestContext, most: number): Promise<Record<string, Entry>> => {
  const found: Record<string, Entry> = {};
  for (const { name, args = () => [], env = {} } of PACKAGES) {
    if (Object.keys(found).length >= most) break;
    try {
      const { folder, bin, version } = await installServer(root, name, 'latest');
      const work = join(folder, 'work');
      mkdirSync(work, { recursive: true });
      found[name.replace(/^@/, '').replaceAll('/', '-')] = {
        command: join(folder, 'node_modules/.bin', bin),
        args: args(work),
        ...(Object.keys(env).length > 0 ? { env } : {}),
      };
      t.diagnostic(`${name} ${version}`);
    } catch (error) {
      t.diagnostic(`${name} cannot be installed here: ${String(error).slice(0, 120)}`);
    }
  }
  return found;
};

/** Adds programs whose tools come from a file, up to ten servers in all; `fx` is one of them. */
const filled = (box: Sandbox, real: Record<string, Entry>): Record<string, Entry> => {
  const names = ['fx', 'files', 'notes', 'mail', 'tickets', 'search', 'calendar', 'maps', 'shop', 'build'];
  const own = names.slice(0, 10 - Object.keys(real).length).map((name): [string, Entry] => {
    const control = join(box.dir, `${name}.json`);
    writeFileSync(control, JSON.stringify({ tools: [weather('city')] }));
    const args = [join(repo, 'test/e2e/mcp-server.mjs'), control, join(box.dir, `${name}.log`)];
    return [name, { command: process.execPath, args }];
  });
  return { ...Object.fromEntries(own), ...real };
};

/** A HOME with these servers, the client on its PATH, and our commands in it. */
const homeWith = (box: Sandbox, version: Version, mcpServers: Record<string, Entry>) => {
  const bin = join(box.dir, 'bin');
  mkdirSync(bin);
  symlinkSync(clientBinary(version), join(bin, 'claude'));
  const env = {
    HOME: box.home,
    PATH: `${join(box.home, '.local/bin')}:${bin}:${process.env.PATH}`,
    TMPDIR: join(box.dir, 'tmp'),
  };
  const ours = async (...args: string[]): Promise<string> => {
    const words = [join(repo, 'dist/cli.cjs'), ...args];
    const { code, stdout, stderr } = await runProgram(process.execPath, words, { env, cwd: box.cwd });
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  };
  const state = join(box.home, '.claude.json');
  writeFileSync(state, `${JSON.stringify({ hasCompletedOnboarding: true, mcpServers }, null, 2)}\n`);
  return { env, ours, state };
};

/** One command and one yes guard all ten; `uninstall` gives back every byte. */
const guardedAndBack = async (box: Sandbox, { env, ours }: ReturnType<typeof homeWith>): Promise<void> => {
  const before = listing(box.home);
  const { code, screen } = await answering(openRealTerminal)(env, ['install'], ['\r']);
  assert.equal(code, 0, screen);
  assert.match(
    screen,
    /0 of 10 servers are guarded\. 10 more can be guarded.*\[Y\/n\].*10 of 10 servers are guarded\./s,
  );
  assert.match(await ours('uninstall'), /10 servers of .* put back: the file has the same bytes as before/);
  assert.deepEqual(listing(box.home), before);
};

for (const version of versions) {
  describe(`Claude Code ${version}`, { skip: whyNoTerminal }, () => {
    it('one command, one yes: ten of ten guarded, a stale call is stopped, and every byte comes back', async (t) => {
      const box = sandbox();
      const mcpServers = filled(box, await realServers(t, MOST_REAL));
      const place = homeWith(box, version, mcpServers);
      const { env, ours, state } = place;
      const before = listing(box.home);
      await guardedAndBack(box, place);

      await ours('install', '--yes');
      const run = await runHeadless({
        version,
        home: box.home,
        cwd: box.cwd,
        env: { MCP_TIMEOUT: '60000', PATH: env.PATH },
        steps: [
          { tool: 'mcp__fx__weather', input: { city: 'Fes' }, delayMs: 8_000 },
          {
            tool: 'mcp__fx__weather',
            input: { city: 'Rabat' },
            before: () => writeFileSync(join(box.dir, 'fx.json'), JSON.stringify({ tools: [weather('place')] })),
          },
          { tool: 'mcp__fx__weather', input: { place: 'Rabat' } },
          { text: 'the end' },
        ],
        timeoutMs: 120_000,
      });
      const answers = toolResults(run.requests.at(-1)?.body as never).map((one) => JSON.stringify(one));
      assert.match(answers[0] ?? '', /served weather/, run.stderr);
      assert.match(answers[1] ?? '', /renamed: `city` → `place`.*Nothing was sent/s);
      assert.match(answers[2] ?? '', /served weather.*Rabat/);
      const calls = readFileSync(join(box.dir, 'fx.log'), 'utf8')
        .split('\n')
        .filter((line) => line.includes('"call"'))
        .map((line) => JSON.parse(line).arguments);
      assert.deepEqual(calls, [{ city: 'Fes' }, { place: 'Rabat' }], 'the stale call never reached the server');
      // All ten were started, and the model was shown tools of each.
      const servers = new Set((run.requests.at(-1)?.body.tools ?? []).map(({ name }) => name.split('__')[1]));
      for (const name of Object.keys(mcpServers)) assert.ok(servers.has(name), `${name} of ${[...servers].join(', ')}`);

      await ours('uninstall', '--purge');
      // The client has written its own file meanwhile: our parts are gone from it, value for value.
      assert.deepEqual(JSON.parse(readFileSync(state, 'utf8')).mcpServers, mcpServers);
      const settings = join(box.home, '.claude/settings.json');
      assert.equal(listing(box.home)[settings], before[settings]);
      // The client's own logs name every server that it started.
      const name = /konnichiwagwan|\/kwg$/;
      const left = Object.keys(listing(box.home)).filter((path) => name.test(path) && !path.includes('/.cache/'));
      assert.deepEqual(left, []);
    });

    it('ten servers of other people, of which one is updated: the call by its old contract is stopped', {
      skip: ALL ? !hasTmux : 'only with KONNICHIWAGWAN_E2E_SERVERS=all',
    }, async (t) => {
      const box = sandbox();
      const mcpServers = await realServers(t, 10);
      assert.equal(Object.keys(mcpServers).length, 10);
      const old = await installServer(root, OLD.name, OLD.version);
      const entry = mcpServers['playwright-mcp'] as Entry;
      const [link, newest] = [join(box.dir, 'playwright-mcp'), entry.command];
      const update = (target: string): void => {
        remove(link);
        writeFileSync(link, `#!/bin/sh\nexec '${target}' "$@"\n`, { mode: 0o755 });
      };
      update(join(old.folder, 'node_modules/.bin', old.bin));
      entry.command = link;
      const place = homeWith(box, version, mcpServers);
      await guardedAndBack(box, place);
      await place.ours('install', '--yes');
      const session = await Interactive.start({
        version,
        ...box,
        settings: { permissions: { allow: ['mcp__playwright-mcp'] } },
        env: { MCP_TIMEOUT: '60000', PATH: place.env.PATH },
        steps: [
          { tool: OLD.tool, input: { includeStatic: false } },
          { text: 'the first answer' },
          { tool: OLD.tool, input: { includeStatic: true } },
          { tool: OLD.tool, input: { static: true } },
          { text: 'the second answer' },
        ],
      });
      t.after(() => session.kill());
      await session.type('one');
      await session.waitFor(/the first answer/, 60_000);
      update(newest);
      await session.type('/mcp reconnect playwright-mcp');
      await session.waitFor(/[Rr]econnected to playwright-mcp/, 60_000);
      await session.type('two');
      await session.waitFor(/the second answer/, 60_000);
      const answers = toolResults(session.requests.at(-1)?.body as never).map((one) => JSON.stringify(one));
      assert.doesNotMatch(answers[0] ?? '', /konnichiwagwan/);
      assert.match(answers[1] ?? '', /renamed: `includeStatic` → `static`.*Nothing was sent/s);
      assert.doesNotMatch(answers[2] ?? '', /konnichiwagwan stopped/);
      await session.kill();
      await place.ours('uninstall', '--purge');
      assert.deepEqual(JSON.parse(readFileSync(place.state, 'utf8')).mcpServers, mcpServers);
    });
  });
}
