// Other people's servers behind wrap, in the real client: the model is shown the same bytes as without it. All ten with
// KONNICHIWAGWAN_E2E_SERVERS=all, otherwise the first two.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { installServer } from '../../scripts/dev/corpus/install.ts';
import { PACKAGES } from '../../scripts/dev/corpus/packages.ts';
import { remove } from '../../scripts/state/in-use.ts';
import { repo } from './client.ts';
import { removeSandboxes, runHeadless, sandbox } from './run.ts';

const version = '2.1.332';
const wanted = process.env.KONNICHIWAGWAN_E2E_SERVERS === 'all' ? PACKAGES : PACKAGES.slice(0, 2);
const root = mkdtempSync(join(tmpdir(), 'kwg-servers-'));

after(async () => {
  remove(root);
  await removeSandboxes();
});

/** A server's tools as the client sent them to the model. */
const shown = async (command: string, args: string[], env: Record<string, string>): Promise<string[]> => {
  const { home, cwd } = sandbox();
  const run = await runHeadless({
    version,
    home,
    cwd,
    // The client first asks a server whether it speaks the newer revision, and gives it little time to answer.
    steps: [{ tool: 'Bash', input: { command: 'true' }, delayMs: 8_000 }, { text: 'the end' }],
    mcp: { real: { command, args, env } } as never,
    env: { MCP_TIMEOUT: '60000' },
  });
  const tools = run.requests.at(-1)?.body.tools ?? [];
  return tools.filter(({ name }) => name.startsWith('mcp__real__')).map((tool) => JSON.stringify(tool));
};

describe(`Claude Code ${version}, servers from npm behind wrap`, () => {
  for (const { name, args = () => [], env = {} } of wanted) {
    it(`${name} is shown byte for byte as it is without wrap`, async (t) => {
      let installed: Awaited<ReturnType<typeof installServer>>;
      try {
        installed = await installServer(root, name, 'latest');
      } catch (error) {
        return t.skip(`it cannot be installed here: ${String(error).slice(0, 200)}`);
      }
      const work = join(installed.folder, 'work');
      mkdirSync(work);
      const direct = [join(installed.folder, 'node_modules/.bin', installed.bin), ...args(work)];
      const [program = '', ...rest] = direct;
      const without = await shown(program, rest, env);
      const wrap = [join(repo, 'dist/cli.cjs'), 'wrap', '--name', 'real', '--', ...direct];
      const behind = await shown(process.execPath, wrap, env);
      t.diagnostic(`${installed.version}: ${without.length} tools, ${without.join().length} characters`);
      assert.ok(without.length > 0, 'the client listed no tools');
      assert.deepEqual(behind, without);
    });
  }
});
