// The folder that `install` makes, in the real client: loaded without an entry in the settings, and gone after uninstall.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { clientBinary, repo, type Version, versions } from './client.ts';
import type { Tool } from './fixture-server.ts';
import { release } from './forms.ts';
import { HttpServer } from './http-server.ts';
import { installHooks, removeSandboxes, runHeadless, type Sandbox, sandbox } from './run.ts';
import { type Answer, type Json, toolResults } from './stub-model.ts';

const takes = (name: string): Tool => ({
  name: 'weather',
  description: 'Weather.',
  inputSchema: { type: 'object', properties: { [name]: { type: 'string' } }, required: [name] },
});
const end: Answer = { text: 'the end' };
const call = (input: Json, before?: () => unknown): Answer => ({
  tool: 'mcp__fx__weather',
  input,
  ...(before ? { before } : {}),
});

const open: HttpServer[] = [];
after(async () => {
  await Promise.all(open.map((server) => server.close()));
  await removeSandboxes();
});

const ALLOW = { allow: ['mcp__fx'] };

/** Runs one of our commands, with this client on the PATH. */
const ours = (version: Version, { dir, home }: Sandbox, ...args: string[]) => {
  const bin = join(dir, 'bin');
  if (!existsSync(bin)) {
    mkdirSync(bin);
    symlinkSync(clientBinary(version), join(bin, 'claude'));
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(repo, 'dist/cli.cjs'), ...args], {
    cwd: home,
    env: { HOME: home, PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}` },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, stdout, out: stdout + stderr };
};

for (const version of versions) {
  // The older client would not restart the guard after it died, and so keeps the hooks.
  const form = version === '2.1.332' ? 'resident' : 'command';
  describe(`Claude Code ${version}: an installation of one folder`, () => {
    const world = async () => {
      const box = sandbox();
      const server = await HttpServer.start({ era: 'session', tools: [takes('city')] });
      open.push(server);
      const change = (tool: Tool) => () => release({ version, form }, server, [tool]);
      const run = (steps: Answer[], env: Record<string, string> = {}) =>
        runHeadless({
          version,
          ...box,
          mcp: { fx: server.entry } as never,
          steps,
          settings: { permissions: ALLOW },
          env,
        });
      const settings = () => JSON.parse(readFileSync(join(box.home, '.claude/settings.json'), 'utf8'));
      return { box, server, run, change, settings };
    };

    it('takes over from hooks in the settings, stops a stale call, and is gone after uninstall', async () => {
      const { box, server, run, change, settings } = await world();
      writeFileSync(join(box.home, '.claude/settings.json'), JSON.stringify({ permissions: ALLOW }));
      const before = settings();
      installHooks(box.home);
      assert.ok(settings().hooks.PreToolUse);
      const installed = ours(version, box, 'install', '--json');
      assert.equal(installed.status, 0, installed.out);
      assert.equal(JSON.parse(installed.stdout).data.guard, form);
      assert.equal(settings().hooks === undefined, form === 'resident');

      const first = await run([call({ city: 'one' }), call({ city: 'stale' }, change(takes('location'))), end]);
      const results = toolResults(first.requests.at(-1)?.body);
      assert.ok(!results[0]?.isError, results[0]?.text);
      assert.match(results[1]?.text ?? '', /konnichiwagwan stopped this call/);
      // Only one guard judges: every call is in the log once.
      const log = join(box.home, '.claude/konnichiwagwan/activity');
      const lines = readdirSync(log).flatMap((file) => readFileSync(join(log, file), 'utf8').trim().split('\n'));
      assert.deepEqual(
        lines.map((line) => JSON.parse(line).verdict),
        ['silence', 'deny'],
      );
      assert.equal(server.calls.length, 1);

      const doctor = ours(version, box, 'doctor');
      const judge =
        form === 'resident'
          ? 'the resident guard of plugin konnichiwagwan@skills-dir'
          : 'a process for each call, with the hooks of your settings.json';
      assert.ok(doctor.out.replace(/ +/g, ' ').includes(`calls are judged by ${judge}`), doctor.out);

      assert.equal(ours(version, box, 'uninstall', '--purge').status, 0);
      assert.deepEqual(settings(), before);
      assert.equal(existsSync(join(box.home, '.claude/skills')), false);
      assert.equal(existsSync(join(box.home, '.local')), false);
      const second = await run([call({ city: 'again' }), end]);
      assert.equal(server.calls.length, 2);
      assert.deepEqual(second.hooks, []);
      const left = readdirSync(box.home, { recursive: true, encoding: 'utf8' });
      assert.deepEqual(
        // The client's own logs of the servers that it started are not ours.
        left.filter((path) => /konnichiwagwan/.test(path) && !path.startsWith('.cache')),
        [],
      );
    });

    it('guards where a menu started the client, whose PATH has no node', async () => {
      const { box, server, run, change } = await world();
      const installed = ours(version, box, 'install');
      assert.equal(installed.status, 0, installed.out);
      const menu = join(box.dir, 'menu');
      mkdirSync(menu);
      symlinkSync('/bin/sh', join(menu, 'sh'));
      const steps = [call({ city: 'one' }), call({ city: 'stale' }, change(takes('location'))), end];
      const { requests, hooks } = await run(steps, { PATH: menu });
      const results = toolResults(requests.at(-1)?.body);
      assert.ok(!results[0]?.isError, results[0]?.text);
      assert.match(results[1]?.text ?? '', /konnichiwagwan stopped this call/);
      assert.equal(server.calls.length, 1);
      assert.deepEqual(
        hooks.filter(({ exitCode = 0 }) => exitCode !== 0),
        [],
      );
    });
  });
}
