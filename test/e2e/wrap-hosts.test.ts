// Entries that the real Claude Code wrote: wrapped, started by it, and restored.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { remove } from '../../scripts/state/in-use.ts';
import { clientBinary, repo, versions } from './client.ts';

/** A server that records how it was started. */
const SERVER = `
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const words = readFileSync(\`/proc/\${process.ppid}/cmdline\`, 'utf8').split('\\0');
writeFileSync(process.argv[2], JSON.stringify({ words, key: process.env.KEY }));
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const serverInfo = { name: 'noted', version: '1' };
  const result = method === 'initialize'
    ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo }
    : { tools: [] };
  process.stdout.write(\`\${JSON.stringify({ jsonrpc: '2.0', id, result })}\\n\`);
});`;

const root = realpathSync(mkdtempSync(join(tmpdir(), 'konnichiwagwan-wrapped-')));
after(() => remove(root));

/** Tests under an agent cannot remove wrap, and only Linux shows how a program was started. */
const skip = process.platform !== 'linux' || process.env.CLAUDECODE ? 'for a person, on Linux' : false;

describe('an entry in the real client', { skip }, () => {
  for (const version of versions)
    it(`${version}: wrapped, started, and put back`, () => {
      const [home, project] = ['home', 'project'].map((name) => join(root, version, name)) as [string, string];
      for (const folder of [home, project]) mkdirSync(folder, { recursive: true });
      const [program, noted] = [join(root, version, 'server.mjs'), join(root, version, 'noted.json')];
      writeFileSync(program, SERVER);
      const env = {
        PATH: process.env.PATH,
        HOME: home,
        TOKEN: 'not-in-a-command-line',
        DISABLE_TELEMETRY: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      };
      const run = (command: string, ...args: string[]): string => {
        const ran = spawnSync(command, args, { cwd: project, env, encoding: 'utf8', timeout: 120_000 });
        assert.equal(ran.status, 0, ran.stdout + ran.stderr);
        return ran.stdout;
      };
      const claude = (...args: string[]): string => run(clientBinary(version), 'mcp', ...args);
      const kwg = (...args: string[]): string => run(process.execPath, join(repo, 'dist/cli.cjs'), ...args);
      const servers = (): unknown => {
        const state = JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8'));
        return [state.mcpServers, state.projects[project].mcpServers];
      };

      kwg('install');
      claude('add', '-s', 'user', 'noted', '-e', `KEY=\${TOKEN}`, '--', process.execPath, program, noted);
      claude('add', '-s', 'local', '-t', 'http', 'web', 'http://127.0.0.1:9/mcp', '-H', `X-Key: \${TOKEN}`);
      const before = servers();
      for (const name of ['noted', 'web']) kwg('wrap', '--add', name, '--yes');

      const listed = claude('list');
      assert.match(listed, /^noted: .*\/konnichiwagwan wrap --name noted -- .* Connected$/m);
      assert.match(listed, /^web: .*\/konnichiwagwan wrap --name web .* --header-env X-Key=KWG_HEADER_1/m);
      assert.doesNotMatch(listed, /not-in-a-command-line|[Mm]issing environment/);
      assert.ok(existsSync(noted), listed);
      const { words, key } = JSON.parse(readFileSync(noted, 'utf8'));
      assert.ok(words.includes('wrap'), words.join(' '));
      assert.equal(key, env.TOKEN, 'variables are expanded as before');

      for (const name of ['noted', 'web']) kwg('wrap', '--remove', name, '--yes');
      assert.deepEqual(servers(), before);
    });
});
