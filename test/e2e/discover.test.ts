// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as configuration names them
// Our answer to "which servers does this session have", compared with the client's own `claude mcp list`.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { discoverServers } from '../../scripts/servers/discover.ts';
import { remove } from '../../scripts/state/in-use.ts';
import { clientBinary, type Version, versions } from './client.ts';
import { clientEnv, type Env, removeSandboxes, type Sandbox, sandbox } from './run.ts';

type Json = Record<string, unknown>;

after(removeSandboxes);

/** No one listens there: `claude mcp` asks no model. */
const NO_MODEL = 'http://127.0.0.1:9';

const claude = (version: Version, { home, cwd }: Sandbox, args: string[], env: Env = {}): string => {
  const run = spawnSync(clientBinary(version), args, {
    cwd,
    env: clientEnv(home, NO_MODEL, env),
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.equal(run.status, 0, `claude ${args.join(' ')}\n${run.stdout}${run.stderr}`);
  return run.stdout;
};

const write = (path: string, value: unknown): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(value));
};

/** A server that writes a file with the name that it was started by, and ends. */
const leaves = (box: Sandbox, name: string): Json => {
  const marks = join(box.dir, 'started');
  mkdirSync(marks, { recursive: true });
  return { command: process.execPath, args: ['-e', `fs.writeFileSync(${JSON.stringify(join(marks, name))}, '')`] };
};

/** The servers that were started since the last call of this function. */
const started = (box: Sandbox): string[] => {
  const marks = join(box.dir, 'started');
  const found = existsSync(marks) ? readdirSync(marks).sort() : [];
  remove(marks);
  mkdirSync(marks, { recursive: true });
  return found;
};

const ours = (box: Sandbox, env: Env = {}) =>
  discoverServers({
    project: box.cwd,
    home: box.home,
    claudeHome: env.CLAUDE_CONFIG_DIR ?? join(box.home, '.claude'),
    env,
  });

/** The names in `claude mcp list`, with its text about each. */
const listed = (text: string, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const line = text.split('\n').find((one) => one.startsWith(`${name}: `));
      if (line === undefined) return [];
      const said = line.includes('Pending approval') ? 'unapproved' : line.includes('Disabled') ? 'disabled' : 'ready';
      return [[name, said]];
    }),
  );

const agree = (version: Version, box: Sandbox, env: Env = {}): string[] => {
  const text = claude(version, box, ['mcp', 'list'], env);
  const { servers } = ours(box, env);
  const visible = servers.filter(({ state }) => state !== 'rejected');
  const names = servers.map(({ name }) => name);
  assert.deepEqual(listed(text, names), Object.fromEntries(visible.map(({ name, state }) => [name, state])), text);
  // The client started the servers that we say it starts, from the place that we say.
  const marks = servers.flatMap(({ state, launch }) =>
    state === 'ready' && launch.type === 'stdio' ? [/started\/([^"]+)"/.exec(launch.args[1] ?? '')?.[1]] : [],
  );
  const ran = started(box);
  assert.deepEqual(ran, marks.sort(), text);
  return ran;
};

for (const version of versions) {
  describe(`the servers that Claude Code ${version} has`, () => {
    it('are those we find: by scope, name and approval', () => {
      const box = sandbox();
      const entry = (name: string) => leaves(box, name);
      write(join(dirname(box.cwd), '.mcp.json'), { mcpServers: { above: entry('above'), near: entry('near-above') } });
      write(join(box.cwd, '.mcp.json'), {
        mcpServers: {
          near: entry('near-here'),
          yes: entry('yes-project'),
          no: entry('no'),
          pending: entry('pending'),
          shadow: entry('shadow-project'),
          both: entry('both-project'),
        },
      });
      write(join(box.home, '.claude.json'), {
        hasCompletedOnboarding: true,
        mcpServers: {
          user: entry('user'),
          yes: entry('yes-user'),
          shadow: entry('shadow-user'),
          both: entry('both-user'),
          'a b': entry('spaces'),
          untyped: { url: NO_MODEL },
        },
        projects: {
          [box.cwd]: { hasTrustDialogAccepted: true, mcpServers: { both: entry('both-local'), local: entry('local') } },
        },
      });
      write(join(box.home, '.claude/settings.json'), { enabledMcpjsonServers: ['above', 'yes', 'both'] });
      write(join(box.cwd, '.claude/settings.local.json'), {
        enabledMcpjsonServers: ['near'],
        disabledMcpjsonServers: ['no'],
      });
      const expected = ['above', 'both-local', 'local', 'near-here', 'shadow-user', 'spaces', 'user', 'yes-project'];
      assert.deepEqual(agree(version, box), expected);
    });

    it('a repository approves its own servers in a trusted folder, and in no other', () => {
      const box = sandbox();
      write(join(box.cwd, '.mcp.json'), { mcpServers: { p: leaves(box, 'p') } });
      write(join(box.cwd, '.claude/settings.json'), { enableAllProjectMcpServers: true });
      for (const hasTrustDialogAccepted of [false, true]) {
        write(join(box.home, '.claude.json'), { projects: { [box.cwd]: { hasTrustDialogAccepted } } });
        assert.deepEqual(agree(version, box), hasTrustDialogAccepted ? ['p'] : []);
      }
    });

    it('of plugins, under the names of plugins', () => {
      const box = sandbox();
      const market = join(box.dir, 'market');
      const plugins = [
        { name: 'alpha', source: './alpha' },
        { name: 'beta', source: './beta', strict: false, mcpServers: { b: leaves(box, 'beta') } },
      ];
      write(join(market, '.claude-plugin/marketplace.json'), { name: 'mk', owner: { name: 'mk' }, plugins });
      write(join(market, 'alpha/.claude-plugin/plugin.json'), { name: 'alpha', mcpServers: ['./more.json'] });
      write(join(market, 'alpha/.mcp.json'), { mcpServers: { a: leaves(box, 'alpha') } });
      write(join(market, 'alpha/more.json'), { more: leaves(box, 'more'), twin: leaves(box, 'twin') });
      mkdirSync(join(market, 'beta'), { recursive: true });
      claude(version, box, ['plugin', 'marketplace', 'add', market]);
      for (const name of ['alpha', 'beta']) claude(version, box, ['plugin', 'install', `${name}@mk`]);
      claude(version, box, ['mcp', 'add-json', '-s', 'user', 'mine', JSON.stringify(leaves(box, 'twin'))]);
      started(box);
      assert.deepEqual(agree(version, box), ['alpha', 'beta', 'more', 'twin']);
      const names = ours(box).servers.map(({ name }) => name);
      assert.deepEqual(names.sort(), ['mine', 'plugin:alpha:a', 'plugin:alpha:more', 'plugin:beta:b']);
    });

    it('of a configuration folder of its own, and of a repository from a folder in it', () => {
      const box = sandbox();
      const config = join(box.dir, 'config');
      mkdirSync(join(box.cwd, '.git'));
      const env = { CLAUDE_CONFIG_DIR: config };
      mkdirSync(config);
      const inside = { ...box, cwd: join(box.cwd, 'inside') };
      mkdirSync(inside.cwd);
      const add = (scope: string) =>
        claude(version, inside, ['mcp', 'add-json', '-s', scope, scope, JSON.stringify(leaves(box, scope))], env);
      for (const scope of ['user', 'local', 'project']) add(scope);
      started(box);
      assert.deepEqual(agree(version, inside, env), ['local', 'user']);
    });
  });
}

describe('what only the newer client shows', () => {
  const [version] = versions;

  it('what /mcp disabled is not started', () => {
    const box = sandbox();
    write(join(box.home, '.claude.json'), {
      mcpServers: { on: leaves(box, 'on'), off: leaves(box, 'off') },
      projects: { [box.cwd]: { disabledMcpServers: ['off'] } },
    });
    assert.deepEqual(agree(version, box), ['on']);
  });

  it("the user's settings approve in a folder that nobody trusts: not for us", () => {
    const box = sandbox();
    write(join(box.cwd, '.mcp.json'), { mcpServers: { p: leaves(box, 'p') } });
    write(join(box.home, '.claude/settings.json'), { enableAllProjectMcpServers: true });
    claude(version, box, ['mcp', 'list']);
    assert.deepEqual(
      started(box),
      ['p'],
      'if this fails, the client became as strict as we are: say so in approval.ts',
    );
    assert.equal(ours(box).servers[0]?.state, 'unapproved');
  });

  it('variables reach a server as the client fills them in', () => {
    const box = sandbox();
    const out = join(box.dir, 'out.json');
    const code = `fs.writeFileSync(${JSON.stringify(out)}, JSON.stringify([process.argv.slice(1), process.env.X, process.env.CLAUDE_PROJECT_DIR, process.cwd()]))`;
    const args = ['${A}', '${NO}', '${NO:-d}', '${EMPTY:-d}', '${CLAUDE_CODE_OAUTH_TOKEN}', '${CLAUDE_PROJECT_DIR}'];
    const env = { A: 'a', CLAUDE_CODE_OAUTH_TOKEN: 'fake' };
    write(join(box.home, '.claude.json'), {
      mcpServers: { s: { command: process.execPath, args: ['-e', code, ...args], env: { X: '<${A}>' }, cwd: '/' } },
    });
    claude(version, box, ['mcp', 'list'], env);
    assert.ok(existsSync(out));
    const { launch } = ours(box, env).servers[0] ?? {};
    assert.ok(launch?.type === 'stdio');
    const [seen, x, folder, cwd] = JSON.parse(readFileSync(out, 'utf8'));
    assert.deepEqual(seen, launch.args.slice(2));
    assert.deepEqual([x, folder, cwd], [launch.env.X, launch.env.CLAUDE_PROJECT_DIR, launch.cwd]);
  });
});
