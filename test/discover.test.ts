// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as configuration names them
// Which servers Claude Code has in a session, from its configuration. test/e2e/discover.test.ts asks the client itself.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { lookUpLine, seenSystem, wordsOfPs, wordsOfWindows } from '../scripts/servers/client-line.ts';
import { readOptions } from '../scripts/servers/command-line.ts';
import { discoverServers } from '../scripts/servers/discover.ts';
import { projectKey } from '../scripts/servers/folder.ts';
import { thisSystem } from '../scripts/servers/system.ts';
import { remove } from '../scripts/state/in-use.ts';
import { noGit } from './git.ts';
import { stopwatch } from './sandbox.ts';

type Json = Record<string, unknown>;

const cmd = (...args: string[]): Json => ({ command: 'run', args });
const servers = (entries: Json): Json => ({ mcpServers: entries });

const world = (test: TestContext) => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'konnichiwagwan-discover-')));
  test.after(() => remove(dir));
  const [home, project, managed] = [join(dir, 'home'), join(dir, 'project'), join(dir, 'managed')];
  for (const folder of [join(home, '.claude'), join(project, '.claude'), managed])
    mkdirSync(folder, { recursive: true });
  const write = (path: string, content: unknown): string => {
    const file = join(dir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  };
  const state = (value: Json, entry: Json = {}, trusted = true): string =>
    write('home/.claude.json', { ...value, projects: { [project]: { hasTrustDialogAccepted: trusted, ...entry } } });
  const find = (more: { env?: NodeJS.ProcessEnv; words?: string[]; at?: string; claudeHome?: string } = {}) => {
    const { env = {}, words, at = project, claudeHome = join(home, '.claude') } = more;
    const place = { project: at, home, claudeHome, env, client: 7 };
    return discoverServers(place, { managed, commandLine: () => words && ['claude', ...words] });
  };
  /** name → "scope argument state" */
  const summary = (more: Parameters<typeof find>[0] = {}): Record<string, string> =>
    Object.fromEntries(
      find(more).servers.map(({ name, scope, launch, state: how }) => [
        name,
        `${scope} ${launch.type === 'stdio' ? launch.args.join(' ') : 'url' in launch ? launch.url : launch.what} ${how}`,
      ]),
    );
  return { dir, home, project, managed, write, state, find, summary };
};

describe('the servers of a session', () => {
  it('one of each name is left: --mcp-config, local, project, user', (test) => {
    const { write, state, summary, project } = world(test);
    write('project/.mcp.json', servers({ a: cmd('project'), b: cmd('project'), c: cmd('project'), p: cmd('project') }));
    state(servers({ a: cmd('user'), b: cmd('user'), c: cmd('user'), u: cmd('user') }), {
      ...servers({ a: cmd('local'), b: cmd('local') }),
      enableAllProjectMcpServers: true,
    });
    const words = ['--mcp-config', JSON.stringify(servers({ a: cmd('dynamic') })), '-p'];
    assert.deepEqual(summary({ words }), {
      a: 'dynamic dynamic ready',
      b: 'local local ready',
      c: 'project project ready',
      u: 'user user ready',
      p: 'project project ready',
    });
    assert.deepEqual(summary({ words: [...words, '--strict-mcp-config'] }), { a: 'dynamic dynamic ready' });
    assert.deepEqual(summary({ words: [...words, '--safe-mode'] }), {});
    assert.deepEqual(Object.keys(summary({ words: ['--setting-sources', 'user'] })).sort(), ['a', 'b', 'c', 'u']);
    assert.deepEqual(summary({ words: ['--mcp-config', 'x.json'] }).u, 'user user ready');
    write('project/x.json', servers({ u: cmd('file') }));
    assert.equal(summary({ words: ['--mcp-config', 'x.json'] }).u, 'dynamic file ready', 'relative to the project');
    assert.equal(project.replaceAll(sep, '/'), projectKey(project));
  });

  it('one that is left says whose place it took, the nearest first', (test) => {
    const { state, write, find } = world(test);
    state(
      servers({ near: cmd('user'), far: cmd('user'), alone: cmd('user') }),
      servers({ near: cmd('l'), far: cmd('l') }),
    );
    const config = write('project/more.json', servers({ near: cmd('dynamic') }));
    const found = find({ words: ['--mcp-config', config] }).servers;
    assert.deepEqual(
      found.map(({ name, scope, hides }) => [name, scope, hides]),
      [
        ['near', 'dynamic', ['local', 'user']],
        ['far', 'local', ['user']],
        ['alone', 'user', undefined],
      ],
    );
  });

  it('a configured folder has its own file, and an older file still counts', (test) => {
    const { dir, write, summary } = world(test);
    write('home/.claude.json', servers({ home: cmd() }));
    write('cfg/.claude.json', servers({ cfg: cmd() }));
    const more = { env: { CLAUDE_CONFIG_DIR: join(dir, 'cfg') }, claudeHome: join(dir, 'cfg') };
    assert.deepEqual(Object.keys(summary(more)), ['cfg']);
    write('cfg/.config.json', servers({ legacy: cmd() }));
    assert.deepEqual(Object.keys(summary(more)), ['legacy']);
    assert.deepEqual(Object.keys(summary()), ['home']);
  });

  it('the .mcp.json of folders above count, the nearest wins', (test) => {
    const { write, project, summary } = world(test);
    write('project/.mcp.json', servers({ up: cmd('above'), both: cmd('above') }));
    write('project/sub/deep/.mcp.json', servers({ both: cmd('here') }));
    write('home/.claude.json', { projects: { [project]: { hasTrustDialogAccepted: true } } });
    write('home/.claude/settings.json', { enableAllProjectMcpServers: true });
    const at = join(project, 'sub/deep');
    assert.deepEqual(summary({ at }), { up: 'project above ready', both: 'project here ready' });
  });

  it('what /mcp disabled stays disabled, wherever it comes from', (test) => {
    const { state, find } = world(test);
    state(servers({ u: cmd() }), { disabledMcpServers: ['u', 'd'] });
    const { servers: found } = find({ words: [`--mcp-config=${JSON.stringify(servers({ d: cmd(), e: cmd() }))}`] });
    assert.deepEqual(
      found.map(({ name, state: how }) => [name, how]),
      [
        ['u', 'disabled'],
        ['d', 'disabled'],
        ['e', 'ready'],
      ],
    );
    assert.match(found[0]?.why ?? '', /\/mcp/);
  });
});

describe("the approval of a project's servers", () => {
  const enabled = { enabledMcpjsonServers: ['p'] };
  const all = { enableAllProjectMcpServers: true };
  // [what, file, content, entry in ~/.claude.json, untrusted, trusted]
  const table: [string, string | null, unknown, Json, string, string][] = [
    ['nobody', null, null, {}, 'unapproved', 'unapproved'],
    ['the user, all', 'home/.claude/settings.json', all, {}, 'unapproved', 'ready'],
    ['the user, by name', 'home/.claude/settings.json', enabled, {}, 'unapproved', 'ready'],
    [
      'the user, another name',
      'home/.claude/settings.json',
      { enabledMcpjsonServers: ['P', 'p.'] },
      {},
      'unapproved',
      'unapproved',
    ],
    [
      'a text that is not true',
      'home/.claude/settings.json',
      { enableAllProjectMcpServers: 'true' },
      {},
      'unapproved',
      'unapproved',
    ],
    ['the user, a lone text', 'home/.claude/settings.json', { enabledMcpjsonServers: 'p' }, {}, 'unapproved', 'ready'],
    // Measured: trusting a folder lets its own settings approve. Untrusted, they must not.
    ['the repository', 'project/.claude/settings.json', all, {}, 'unapproved', 'ready'],
    ['local settings', 'project/.claude/settings.local.json', enabled, {}, 'unapproved', 'ready'],
    ['an organization', 'managed/managed-settings.json', enabled, {}, 'unapproved', 'ready'],
    ["the client's state", null, null, enabled, 'unapproved', 'ready'],
    [
      'the user refuses',
      'home/.claude/settings.json',
      { ...all, disabledMcpjsonServers: ['p'] },
      {},
      'rejected',
      'rejected',
    ],
    [
      'the repository refuses',
      'project/.claude/settings.json',
      { disabledMcpjsonServers: ['p'] },
      all,
      'rejected',
      'rejected',
    ],
    ["the client's state refuses", null, null, { ...all, disabledMcpjsonServers: ['p'] }, 'rejected', 'rejected'],
    ['broken settings', 'home/.claude/settings.json', '{', {}, 'unapproved', 'unapproved'],
  ];
  for (const [what, file, content, entry, untrusted, trusted] of table) {
    it(what, (test) => {
      const { write, state, find } = world(test);
      write('project/.mcp.json', servers({ p: cmd() }));
      if (file !== null) write(file, content);
      for (const [trust, expected] of [
        [false, untrusted],
        [true, trusted],
      ] as const) {
        state({}, entry, trust);
        const [found] = find().servers;
        assert.equal(found?.state, expected, `trusted: ${trust}`);
        assert.equal(found?.why !== undefined, expected !== 'ready');
      }
    });
  }

  it('trust in a folder above lets the user approve, not the folder itself', (test) => {
    const { write, project, summary } = world(test);
    const at = join(project, 'sub');
    write('project/sub/.mcp.json', servers({ p: cmd('x'), q: cmd('x'), r: cmd('x') }));
    write('project/sub/.claude/settings.json', { enabledMcpjsonServers: ['q'] });
    write('project/sub/.claude/settings.local.json', { enabledMcpjsonServers: ['r'] });
    write('home/.claude/settings.json', enabled);
    write('home/.claude.json', { projects: { [project]: { hasTrustDialogAccepted: true } } });
    assert.deepEqual(summary({ at }), {
      p: 'project x ready',
      q: 'project x unapproved',
      r: 'project x unapproved',
    });
  });

  it('trust in a folder above ends at the root of a repository within', (test) => {
    const { write, project, summary } = world(test);
    write('home/.claude/settings.json', enabled);
    write('home/.claude.json', { projects: { [project]: { hasTrustDialogAccepted: true } } });
    const at = join(project, 'cloned', 'part');
    write('project/cloned/part/.mcp.json', servers({ p: cmd('x') }));
    assert.equal(summary({ at }).p, 'project x ready');
    write('project/cloned/.git/HEAD', 'ref: refs/heads/main');
    assert.equal(summary({ at }).p, 'project x unapproved');
  });

  it("an unapproved one gives way to the user's, but not where the client starts it unasked", (test) => {
    const { write, state, summary } = world(test);
    write('project/.mcp.json', servers({ s: cmd('theirs') }));
    state(servers({ s: cmd('mine') }));
    assert.equal(summary().s, 'user mine ready');
    for (const words of [['-p', 'go'], ['--print'], ['--dangerously-skip-permissions']])
      assert.equal(summary({ words }).s, 'project theirs unapproved', words.join(' '));
    assert.equal(summary({ env: { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' } }).s, 'project theirs unapproved');
    write('project/.claude/settings.json', { disabledMcpjsonServers: ['s'] });
    assert.equal(summary({ words: ['-p'] }).s, 'user mine ready', 'a rejected one is not started by anybody');
    write('project/.claude/settings.json', {});
    write('home/.claude/settings.json', all);
    state(servers({ s: cmd('mine') }), {}, false);
    assert.equal(summary().s, 'project theirs unapproved', 'untrusted, but the client lets the user approve');
    write('home/.claude/settings.json', {});
    write('project/.claude/settings.json', all);
    assert.equal(summary().s, 'user mine ready', 'untrusted, and only the repository approves itself');
  });

  it('the keys of a repository: its root, and the main tree of a linked one that this points back to', {
    skip: noGit,
  }, (test) => {
    const { dir, project, write } = world(test);
    const git = (cwd: string, ...args: string[]) =>
      execFileSync('git', ['-c', 'user.email=a@example.invalid', '-c', 'user.name=a', ...args], { cwd, stdio: 'pipe' });
    git(project, 'init', '-q');
    git(project, 'commit', '-q', '--allow-empty', '-m', 'x');
    git(project, 'worktree', 'add', '-q', join(dir, 'linked'));
    mkdirSync(join(project, 'sub'));
    assert.equal(projectKey(join(project, 'sub')), project);
    assert.equal(projectKey(join(dir, 'linked')), project);
    for (const bare of ['bare.git', '.bare']) {
      git(dir, 'clone', '-q', '--bare', project, bare);
      git(join(dir, bare), 'worktree', 'add', '-q', join(dir, `tree-${bare}`));
      assert.equal(projectKey(join(dir, `tree-${bare}`)), join(dir, bare));
    }
    write('forged/.git', `gitdir: ${join(project, '.git/worktrees/linked')}`);
    assert.equal(projectKey(join(dir, 'forged')), join(dir, 'forged'), "somebody else's trust is not taken over");
    symlinkSync(project, join(dir, 'link'));
    assert.equal(projectKey(join(dir, 'link')), project);
    mkdirSync(join(project, 'sub/inner'));
    symlinkSync(join(dir, 'bare.git'), join(project, 'sub/.git'));
    assert.equal(projectKey(join(project, 'sub/inner')), project, 'a symbolic link begins no repository');
  });

  it('what the local settings of the main tree approve holds in its folders and linked trees', {
    skip: noGit,
  }, (test) => {
    const { dir, project, write, state, summary } = world(test);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.email=a@example.invalid', '-c', 'user.name=a', ...args], {
        cwd: project,
        stdio: 'pipe',
      });
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'x');
    git('worktree', 'add', '-q', join(dir, 'linked'));
    git('clone', '-q', '--bare', '.', join(dir, 'bare.git'));
    git('--git-dir', join(dir, 'bare.git'), 'worktree', 'add', '-q', join(dir, 'of-bare'));
    for (const folder of ['project/sub', 'linked', 'of-bare'])
      write(`${folder}/.mcp.json`, servers({ s: cmd('s'), t: cmd('t'), u: cmd('u') }));
    for (const folder of ['project', 'bare.git'])
      write(`${folder}/.claude/settings.local.json`, { enabledMcpjsonServers: ['s'], disabledMcpjsonServers: ['t'] });
    write('project/.claude/settings.json', { enabledMcpjsonServers: ['u'] });
    write('project/sub/.claude/settings.local.json', { enabledMcpjsonServers: ['t'] });
    state({});
    const ready = { s: 'project s ready', t: 'project t rejected', u: 'project u unapproved' };
    assert.deepEqual(summary({ at: join(project, 'sub') }), ready);
    assert.deepEqual(summary({ at: join(dir, 'linked') }), ready);
    const sources = ['--setting-sources', 'user,project'];
    assert.equal(summary({ at: join(dir, 'linked'), words: sources }).s, 'project s unapproved');
    write('home/.claude.json', { projects: { [join(dir, 'bare.git')]: { hasTrustDialogAccepted: true } } });
    assert.equal(summary({ at: join(dir, 'of-bare') }).s, 'project s unapproved', 'it is no working tree');
  });

  it('what the local settings of the home folder approve does not hold in the folders of a repository there', (test) => {
    const { dir, write, summary } = world(test);
    mkdirSync(join(dir, 'home/.git'), { recursive: true });
    write('home/work/.mcp.json', servers({ s: cmd('s') }));
    write('home/.claude/settings.local.json', { enabledMcpjsonServers: ['s'] });
    write('home/.claude.json', { projects: { [join(dir, 'home')]: { hasTrustDialogAccepted: true } } });
    assert.deepEqual(summary({ at: join(dir, 'home/work') }), { s: 'project s unapproved' });
  });
});

describe('what a server is started with', () => {
  const env = {
    A: 'a',
    EMPTY: '',
    GITHUB_TOKEN: 'gh',
    ANTHROPIC_API_KEY: 'key',
    CLAUDE_CODE_OAUTH_TOKEN: 'oauth',
    CLAUDE_PROJECT_DIR: '/hooks',
  };

  it('variables are filled in where the client does it', (test) => {
    const { state, find, project } = world(test);
    const args = ['${A}', '${NO}', '${NO:-d}', '${EMPTY:-d}', '${NO:-}', '$A', '${1BAD}', '${CLAUDE_PROJECT_DIR}'];
    state(servers({ s: { command: '${NO:-run}', args, env: { X: '${A}-${GITHUB_TOKEN}' }, cwd: '/elsewhere' } }));
    const [found] = find({ env }).servers;
    assert.deepEqual(found?.launch, {
      type: 'stdio',
      command: 'run',
      args: ['a', '${NO}', 'd', '', '', '$A', '${1BAD}', '${CLAUDE_PROJECT_DIR}'],
      env: { CLAUDE_PROJECT_DIR: project, X: 'a-gh' },
      cwd: project,
    });
    assert.deepEqual(found?.unset, ['NO', 'CLAUDE_PROJECT_DIR'], "a hook's own variable is not the client's");
    assert.deepEqual(found?.configured, {
      type: 'stdio',
      command: '${NO:-run}',
      args,
      env: { X: '${A}-${GITHUB_TOKEN}' },
    });
  });

  it('credentials of the client are not sent to a server, as with the client', (test) => {
    const { state, find } = world(test);
    const headers = { a: 'Bearer ${GITHUB_TOKEN}', b: '<${ANTHROPIC_API_KEY}>', '${A}': '<${NPM_TOKEN}>' };
    state(
      servers({
        h: {
          type: 'streamable-http',
          url: 'https://${A}.invalid/${CLAUDE_CODE_OAUTH_TOKEN}',
          headers,
          headersHelper: 'x ${A}',
          oauth: { clientId: 'c' },
        },
        s: { command: 'run', args: ['${ANTHROPIC_API_KEY}', '<${CLAUDE_CODE_OAUTH_TOKEN}>'] },
      }),
    );
    const [remote, local] = find({ env }).servers;
    assert.deepEqual(remote?.launch, {
      type: 'http',
      url: 'https://a.invalid/',
      headers: { a: 'Bearer gh', b: '<>', '${A}': '<>' },
      headersHelper: 'x ${A}',
      oauth: true,
    });
    assert.deepEqual(local?.launch.type === 'stdio' && local.launch.args, ['key', '<>']);
  });

  it('what the client leaves out is a problem, not a server', (test) => {
    const { state, find } = world(test);
    const bad = {
      a: { url: 'https://x.invalid' },
      b: { command: '' },
      c: { command: 'x', args: 'y' },
      d: 7,
      e: { command: 'x', env: { A: 1 } },
      f: { type: null, command: 'x' },
      g: { type: 'carrier-pigeon\u202e' },
      h: { type: 'sdk', name: 'h' },
      i: { type: 'http' },
      j: { type: 'sse', url: 'https://x.invalid', headers: ['a'] },
      workspace: cmd(),
    };
    state(servers({ ...bad, ws: { type: 'ws', url: 'ws://x.invalid' }, constructor: cmd('yes'), 'a b': cmd() }));
    const { servers: found, problems } = find();
    assert.deepEqual(
      found.map(({ name, launch }) => [name, launch.type]),
      [
        ['ws', 'other'],
        ['constructor', 'stdio'],
        ['a b', 'stdio'],
      ],
    );
    assert.deepEqual(problems.map(({ name }) => name).sort(), Object.keys(bad).sort());
    assert.doesNotMatch(JSON.stringify(problems), /\u202e/);
  });
});

describe('plugins', () => {
  const setUp = (test: TestContext, plugins = 'home/.claude/plugins') => {
    const all = world(test);
    const { dir, write, project } = all;
    write('market/.claude-plugin/marketplace.json', {
      name: 'mk',
      plugins: [
        { name: 'live', source: './live' },
        { name: 'listed', source: './listed', strict: false, ...servers({ l: cmd('listing') }) },
      ],
    });
    write('market/live/.claude-plugin/plugin.json', { name: 'live' });
    write(
      'market/live/.mcp.json',
      servers({ s: cmd('${CLAUDE_PLUGIN_ROOT}/x', '${CLAUDE_PLUGIN_DATA}', '${user_config.key}') }),
    );
    mkdirSync(join(dir, 'market/listed'), { recursive: true });
    const copy = join(dir, plugins, 'cache/git/copied/1.0.0');
    write(`${plugins}/cache/git/copied/1.0.0/.claude-plugin/plugin.json`, {
      name: 'copied',
      mcpServers: ['./more.json', { inline: cmd('inline') }, '../../escape.json', './bundle.mcpb', 7],
    });
    write(`${plugins}/cache/git/copied/1.0.0/more.json`, { top: cmd('top') });
    write(`${plugins}/known_marketplaces.json`, {
      mk: { source: { source: 'directory', path: join(dir, 'market') }, installLocation: join(dir, 'market') },
      git: { source: { source: 'github', repo: 'a/b' }, installLocation: join(dir, plugins, 'marketplaces/git') },
    });
    const user = (installPath: string) => [{ scope: 'user', installPath }];
    write(`${plugins}/installed_plugins.json`, {
      version: 2,
      plugins: {
        'live@mk': user(join(dir, 'gone')),
        'listed@mk': user(join(dir, 'gone')),
        'copied@git': [
          { scope: 'project', installPath: join(dir, 'elsewhere'), projectPath: join(dir, 'other') },
          { scope: 'project', installPath: copy, projectPath: project },
        ],
        'off@mk': user(copy),
        'nowhere@git': [{ scope: 'user', version: '1.0.0' }],
      },
    });
    return all;
  };

  it('bring their servers, under their own names', (test) => {
    const { dir, project, write, state, find } = setUp(test);
    state({});
    write('home/.claude/settings.json', {
      enabledPlugins: { 'live@mk': true, 'listed@mk': true, 'off@mk': false, 'missing@mk': true, 'nowhere@git': true },
    });
    write('project/.claude/settings.json', { enabledPlugins: { 'copied@git': true } });
    const { servers: found, problems } = find();
    assert.deepEqual(
      found.map(({ name, scope, state: how }) => [name, scope, how]),
      ['plugin:live:s', 'plugin:listed:l', 'plugin:copied:top', 'plugin:copied:inline'].map((name) => [
        name,
        'plugin',
        'ready',
      ]),
    );
    const data = join(dir, 'home/.claude/plugins/data/live-mk');
    const root = join(dir, 'market/live');
    assert.deepEqual(found[0]?.launch, {
      type: 'stdio',
      command: 'run',
      args: [`${root}/x`, data, '${user_config.key}'],
      env: { CLAUDE_PROJECT_DIR: project, CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_DATA: data },
      cwd: project,
    });
    assert.deepEqual(found[0]?.unset, ['user_config.key']);
    assert.equal(problems.length, 3, JSON.stringify(problems));
  });

  it('are off where a stronger setting says so, and not believed in a folder that nobody trusts', (test) => {
    const { write, state, summary } = setUp(test);
    state({}, {}, false);
    write('home/.claude/settings.json', { enabledPlugins: { 'live@mk': true, 'listed@mk': true } });
    write('project/.claude/settings.json', { enabledPlugins: { 'live@mk': true, 'copied@git': true } });
    write('project/.claude/settings.local.json', { enabledPlugins: { 'listed@mk': false } });
    const found = summary();
    assert.deepEqual(Object.keys(found), ['plugin:live:s', 'plugin:copied:top', 'plugin:copied:inline']);
    assert.match(found['plugin:live:s'] ?? '', /ready$/, 'the user enabled it too');
    assert.match(found['plugin:copied:top'] ?? '', /unapproved$/);
  });

  it('are kept where CLAUDE_CODE_PLUGIN_CACHE_DIR says', (test) => {
    const { dir, write, state, summary } = setUp(test, 'cellar');
    state({});
    write('home/.claude/settings.json', { enabledPlugins: { 'copied@git': true } });
    assert.deepEqual(summary(), {});
    const found = summary({ env: { CLAUDE_CODE_PLUGIN_CACHE_DIR: join(dir, 'cellar') } });
    assert.deepEqual(Object.keys(found), ['plugin:copied:top', 'plugin:copied:inline']);
  });

  it('are not started again for what is configured by hand', (test) => {
    const { write, state, summary } = setUp(test);
    write('home/.claude/settings.json', { enabledPlugins: { 'listed@mk': true, 'copied@git': true } });
    state(servers({ mine: cmd('top') }));
    assert.deepEqual(Object.keys(summary()).sort(), ['mine', 'plugin:copied:inline', 'plugin:listed:l']);
    state(servers({ mine: cmd('top') }), { disabledMcpServers: ['mine', 'plugin:listed:l'] });
    const found = summary();
    assert.equal(found['plugin:copied:top'], 'plugin top ready', 'a disabled server is not in the way');
    assert.equal(found['plugin:listed:l'], 'plugin listing disabled');
  });

  it('come from folders of skills, unless they are switched off or hidden, or the project is not trusted', (test) => {
    const { write, state, summary } = world(test);
    const put = (skills: string, name: string, command: string, folder = name) => {
      write(`${skills}/${folder}/.claude-plugin/plugin.json`, { name });
      write(`${skills}/${folder}/.mcp.json`, servers({ s: cmd(command, '${CLAUDE_PLUGIN_DATA}') }));
    };
    for (const name of ['pay', '.hidden']) put('home/.claude/skills', name, 'user');
    // Settings name it as its manifest does, and not by its folder.
    put('home/.claude/skills', 'off', 'user', 'other-folder');
    for (const name of ['pay', 'team']) put('project/.claude/skills', name, `project-${name}`);
    // A skill, and no plugin.
    write('home/.claude/skills/plain/.mcp.json', servers({ s: cmd('plain') }));
    const off = { enabledPlugins: { 'off@skills-dir': false } };
    write('home/.claude/settings.json', off);
    state({}, {}, false);
    assert.deepEqual(Object.keys(summary()), ['plugin:pay:s']);
    state({});
    write('project/.claude/settings.local.json', {
      enabledPlugins: { 'off@skills-dir': true, 'team@skills-dir': false },
    });
    assert.deepEqual(Object.keys(summary()).sort(), ['plugin:off:s', 'plugin:pay:s'], 'the strongest settings decide');
    write('project/.claude/settings.local.json', {});
    const found = summary();
    assert.deepEqual(Object.keys(found).sort(), ['plugin:pay:s', 'plugin:team:s']);
    assert.match(found['plugin:pay:s'] ?? '', /^plugin user .*pay-skills-dir ready$/, 'the user has one of that name');
    for (const policy of [{ strictKnownMarketplaces: [] }, { blockedMarketplaces: [{ source: 'skills-dir' }] }]) {
      write('managed/managed-settings.json', policy);
      assert.deepEqual(summary(), {});
    }
  });

  it('come from --plugin-dir, alone and in a folder of them', (test) => {
    const { dir, write, state, summary } = world(test);
    state({});
    write('one/.mcp.json', servers({ s: cmd('1', '${CLAUDE_PLUGIN_DATA}') }));
    write('many/x/.claude-plugin/plugin.json', { name: 'named', ...servers({ s: cmd('2') }) });
    const words = ['--plugin-dir', join(dir, 'one'), `--plugin-dir=${join(dir, 'many')}`];
    assert.deepEqual(summary({ words }), {
      'plugin:one:s': `plugin 1 ${join(dir, 'home/.claude/plugins/data/one-inline')} ready`,
      'plugin:named:s': 'plugin 2 ready',
    });
    assert.deepEqual(summary({ words: [...words, '--strict-mcp-config'] }), {});
  });
});

describe('what an organization says', () => {
  const local = servers({ a: cmd('1'), b: cmd('2'), h: { type: 'http', url: 'https://X.example.invalid/y?z' } });
  const states = (found: Record<string, string>): string[] =>
    Object.entries(found).flatMap(([name, text]) => (text.endsWith(' ready') ? [name] : []));

  // The first two kinds of rules were measured with the client; how far a pattern reaches beyond that is our assumption.
  const table: [string, Json, string[]][] = [
    ['denied by name', { deniedMcpServers: [{ serverName: 'a' }] }, ['b', 'h']],
    ['denied by command', { deniedMcpServers: [{ serverCommand: ['run', '2'] }] }, ['a', 'h']],
    ['denied by URL', { deniedMcpServers: [{ serverUrl: 'https://*.EXAMPLE.invalid/*' }] }, ['a', 'b']],
    ['allowed by name', { allowedMcpServers: [{ serverName: 'a' }] }, ['a']],
    ['allowed by command', { allowedMcpServers: [{ serverName: 'a' }, { serverCommand: ['run', '2'] }] }, ['b']],
    ['allowed by URL', { allowedMcpServers: [{ serverUrl: 'https://x.example.invalid/*' }] }, ['h']],
    ['another host', { allowedMcpServers: [{ serverUrl: 'https://*.invalid.example/*' }] }, []],
    ['a host is not a path', { allowedMcpServers: [{ serverUrl: 'https://*/y?z' }] }, ['h']],
    ['nothing is allowed', { allowedMcpServers: [] }, []],
    ['wrong types', { allowedMcpServers: 7, deniedMcpServers: [7, { serverName: 7 }, null] }, ['a', 'b', 'h']],
    ['plugins alone', { strictPluginOnlyCustomization: ['mcp'] }, []],
  ];
  for (const [what, settings, expected] of table) {
    it(what, (test) => {
      const { write, state, summary } = world(test);
      state(local);
      const file = write('managed/managed-settings.json', settings);
      assert.deepEqual(states(summary()), expected);
      rmSync(file);
      write('managed/managed-settings.d/10.json', settings);
      assert.deepEqual(states(summary()), expected, 'in a drop-in');
    });
  }

  it('compares a URL in the form in which it is requested, and one that is no URL as it is written', (test) => {
    const { write, state, summary } = world(test);
    const http = (url: string) => ({ type: 'http', url });
    state(servers({ port: http('https://x.example.invalid:443/a/../y'), odd: http('https://x y/z'), b: cmd('2') }));
    const denied = (...urls: string[]) =>
      write('managed/managed-settings.json', { deniedMcpServers: urls.map((serverUrl) => ({ serverUrl })) });
    denied('https://x.example.invalid/y');
    assert.deepEqual(states(summary()), ['odd', 'b']);
    denied('https://x y/*');
    assert.deepEqual(states(summary()), ['port', 'b']);
  });

  it('denies a server as it is configured, and as it is with its variables filled in', (test) => {
    const { write, state, summary } = world(test);
    const env = { MODE: '2', REGION: 'x.example.invalid' };
    state(servers({ a: cmd('1'), b: cmd('${MODE}'), h: { type: 'http', url: 'https://${REGION}/y' } }));
    for (const [rule, left] of [
      [{ serverCommand: ['run', '2'] }, ['a', 'h']],
      [{ serverCommand: ['run', '${MODE}'] }, ['a', 'h']],
      [{ serverUrl: 'https://x.example.invalid/*' }, ['a', 'b']],
      [{ serverUrl: 'https://${REGION}/*' }, ['a', 'b']],
    ] as const) {
      write('managed/managed-settings.json', { deniedMcpServers: [rule] });
      assert.deepEqual(states(summary({ env })), left, JSON.stringify(rule));
    }
  });

  it('an entry that the client ignores allows nothing', (test) => {
    const { write, summary } = world(test);
    write('home/.claude.json', servers({ plain: cmd('x'), 'a:b': cmd('y') }));
    for (const entry of [{ serverName: 'a:b' }, { serverName: 'plain', serverUrl: 'https://a.example' }, {}]) {
      write('managed/managed-settings.json', { allowedMcpServers: [entry] });
      assert.deepEqual(
        Object.values(summary()).map((one) => /disabled/.test(one)),
        [true, true],
        JSON.stringify(entry),
      );
    }
    write('managed/managed-settings.json', { deniedMcpServers: [{ serverName: 'a:b' }] });
    assert.match(summary()['a:b'] ?? '', /disabled/);
  });

  it('a list of the user counts too, unless only the managed one may', (test) => {
    const { write, state, summary } = world(test);
    state(local);
    write('home/.claude/settings.json', { allowedMcpServers: [{ serverName: 'b' }] });
    assert.deepEqual(states(summary()), ['b']);
    write('managed/managed-settings.json', {
      allowManagedMcpServersOnly: true,
      allowedMcpServers: [{ serverName: 'a' }],
    });
    assert.deepEqual(states(summary()), ['a']);
  });

  it('its file shuts all others out, even a broken one; its settings add servers', (test) => {
    const { write, state, summary, find } = world(test);
    state(local);
    const url = 'https://given.invalid/mcp';
    write('managed/managed-settings.json', {
      managedMcpServers: { a: { type: 'http', url }, no: cmd('no') },
      allowedMcpServers: [],
    });
    assert.deepEqual(states(summary()), ['a']);
    assert.equal(summary().a, `managed ${url} ready`);
    write('managed/managed-mcp.json', servers({ m: cmd('m') }));
    assert.deepEqual(summary(), { m: 'managed m ready', a: `managed ${url} ready` });
    write('managed/managed-mcp.json', '{');
    assert.deepEqual(Object.keys(summary()), ['a']);
    assert.equal(find().problems.length, 1);
  });
});

describe('the command line of the client', () => {
  it('is read as the client reads it', () => {
    const read = (...words: string[]) => readOptions(['claude', ...words]);
    assert.deepEqual(read('--mcp-config', 'a', '{"b":1}', '--mcp-config=c', 'd', '-p', 'e').configs, [
      'a',
      '{"b":1}',
      'c',
    ]);
    assert.equal(read('-p', 'e').unasked, true);
    assert.equal(read('--permission-mode', 'bypassPermissions').unasked, true);
    assert.equal(read('--append-system-prompt', '--strict-mcp-config').strict, false, 'it is the text of a prompt');
    assert.equal(read('--resume', '--strict-mcp-config').strict, true);
    assert.equal(read('--', '--strict-mcp-config').strict, false);
    assert.deepEqual(read('--setting-sources=user, local').sources, ['user', 'local']);
    assert.deepEqual(read('--plugin-dir', 'a', 'prompt', '--plugin-dir=b').pluginFolders, ['a', 'b']);
    assert.deepEqual(read('--mcp-config').configs, []);
  });

  it('of a background session in a spare process is in the client’s own list', (test) => {
    const { write, summary } = world(test);
    const words = ['--bg-spare', '/tmp/spare/1be262ac.claim.sock'];
    const launch = (...args: unknown[]) => ({ replPid: 7, dispatch: { launch: { mode: 'prompt', args } } });
    assert.deepEqual(summary({ words }), {}, 'there is no list');
    const given = ['--mcp-config', JSON.stringify(servers({ a: cmd('given') })), '--', 'go'];
    const other = { ...launch('--mcp-config', JSON.stringify(servers({ b: cmd('other') }))), replPid: 8 };
    write('home/.claude/daemon/roster.json', { workers: { one: other, two: launch(...given, 5) } });
    assert.deepEqual(summary({ words }), { a: 'dynamic given ready' });
    assert.deepEqual(summary({ words: ['bg-spare', ...words] }), { a: 'dynamic given ready' });
    assert.deepEqual(summary({ words: ['-p', 'say', '--bg-spare'] }), {}, 'its own words count');
    for (const list of [
      '{',
      '[]',
      { workers: [] },
      { workers: { one: { replPid: 7 } } },
      { workers: { one: other } },
    ]) {
      write('home/.claude/daemon/roster.json', list);
      assert.deepEqual(summary({ words }), {});
    }
  });

  it('on macOS is read where no word of it can be that of a prompt', () => {
    const read = (line: string) => wordsOfPs(line)?.slice(1);
    assert.deepEqual(read('claude'), []);
    assert.deepEqual(read('/opt/homebrew/bin/claude --mcp-config a.json ./b.json --strict-mcp-config -c'), [
      ...['--mcp-config', 'a.json', './b.json', '--strict-mcp-config', '-c'],
    ]);
    assert.deepEqual(read('claude --mcp-config=/x/a.json --model opus[1m]'), [
      '--mcp-config=/x/a.json',
      '--model',
      'opus[1m]',
    ]);
    assert.deepEqual(wordsOfPs('node /usr/local/bin/claude --bare'), ['node', '/usr/local/bin/claude', '--bare']);
    for (const line of [
      'claude fix it --mcp-config /tmp/theirs.json',
      'claude -p why does --mcp-config /tmp/theirs.json fail',
      'claude --append-system-prompt use --mcp-config /tmp/theirs.json',
      'claude --mcp-config a.json and then --settings /tmp/theirs.json',
      'claude --mcp-config {"mcpServers": {"a": {"command": "x"}}}',
      'claude --settings={"model": --mcp-config=/tmp/theirs.json',
      'claude --mcp-config',
      'claude --name x --mcp-config a.json',
      'claude --resume the last one --mcp-config a.json',
      'vim --mcp-config a.json claude',
      'claude constructor',
      'claude --bare valueOf=1',
      '',
    ])
      assert.equal(wordsOfPs(line), undefined, line);
  });

  it('on macOS is what ps shows, asked once', { skip: process.platform === 'win32' && 'no ps' }, (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'kwg-line-'));
    const program = join(folder, 'claude');
    writeFileSync(program, '#!/bin/sh\nread -r _\n', { mode: 0o755 });
    const child = spawn(program, ['--mcp-config', 'a.json'], { stdio: ['pipe', 'ignore', 'ignore'] });
    test.after(() => {
      child.kill('SIGKILL');
      remove(folder);
    });
    const system = seenSystem('darwin');
    const words = system.commandLine(Number(child.pid));
    assert.deepEqual(words?.slice(-2), ['--mcp-config', 'a.json']);
    assert.equal(system.commandLine(Number(child.pid)), words);
    assert.equal(system.commandLine(2 ** 22 + 1), undefined);
  });

  it('on Windows is asked of PowerShell once, in UTF-8 and for 5 s at most, and no call waits for it', () => {
    const asked: { line: string; timeout: number; answer: (error: Error | null, line: string) => void }[] = [];
    const start = (_: string, args: string[], { timeout }: { timeout: number }, answer: (typeof asked)[0]['answer']) =>
      asked.push({ line: args.at(-1) ?? '', timeout, answer });
    const ask = (pid: number) => lookUpLine(pid, 'win32', start as never);
    // No process of this machine has such an id.
    const [one, late, empty] = [2 ** 24 + 1, 2 ** 24 + 2, 2 ** 24 + 3];
    for (const pid of [one, late, empty, Number.NaN]) ask(pid);
    assert.match(asked[0]?.line ?? '', /^"chcp\.com 65001 >nul & .*powershell\.exe .*'ProcessId=16777217'/);
    assert.deepEqual(
      asked.map(({ timeout }) => timeout),
      [5_000, 5_000, 5_000],
    );
    const system = seenSystem('win32');
    assert.equal(system.commandLine(one), undefined, 'not yet');
    asked[0]?.answer(null, 'claude.exe --mcp-config "C:\\Größe\\a b.json"\r\n');
    asked[1]?.answer(new Error('too late'), 'claude.exe');
    asked[2]?.answer(null, '\r\n');
    assert.deepEqual(system.commandLine(one), ['claude.exe', '--mcp-config', 'C:\\Größe\\a b.json']);
    for (const pid of [late, empty]) assert.equal(system.commandLine(pid), undefined);
  });

  it('on Windows is split as programs split theirs', () => {
    const cases: Record<string, string[]> = {
      'claude.exe --mcp-config a.json': ['claude.exe', '--mcp-config', 'a.json'],
      '"C:\\Program Files\\claude.exe"  --mcp-config "C:\\my files\\a.json"': [
        ...['C:\\Program Files\\claude.exe', '--mcp-config', 'C:\\my files\\a.json'],
      ],
      'claude "fix --mcp-config evil.json"': ['claude', 'fix --mcp-config evil.json'],
      'claude --mcp-config "{\\"a\\": \\"b c\\"}"': ['claude', '--mcp-config', '{"a": "b c"}'],
      'a "b\\\\" c\\d "" e\\\\\\"f': ['a', 'b\\', 'c\\d', '', 'e\\"f'],
      '': [],
    };
    for (const [line, words] of Object.entries(cases)) assert.deepEqual(wordsOfWindows(line), words, line);
  });

  it('is found where the system shows it, and unknown elsewhere', () => {
    const words = thisSystem.commandLine(process.pid);
    if (process.platform === 'linux') assert.ok(words?.[0]?.includes('node'), String(words));
    else assert.equal(words, undefined);
    assert.equal(thisSystem.commandLine(2 ** 30), undefined);
    assert.equal(thisSystem.commandLine(Number.NaN), undefined);
  });

  it('--settings approve and forbid like the user', (test) => {
    const { write, state, summary } = world(test);
    state({});
    write('project/.mcp.json', servers({ p: cmd('x') }));
    const settings = { enableAllProjectMcpServers: true };
    assert.equal(summary({ words: ['--settings', JSON.stringify(settings)] }).p, 'project x ready');
    const file = write('s.json', { ...settings, deniedMcpServers: [{ serverName: 'p' }] });
    assert.equal(summary({ words: ['--settings', file] }).p, 'project x disabled');
  });
});

describe('hostile configuration', () => {
  const PLACES = [
    'home/.claude.json',
    'home/.claude/settings.json',
    'home/.claude/plugins/installed_plugins.json',
    'home/.claude/plugins/known_marketplaces.json',
    'project/.mcp.json',
    'project/.claude/settings.json',
    'project/.claude/settings.local.json',
    'managed/managed-settings.json',
  ];
  const contents: [string, string][] = [
    ['nothing', ''],
    ['not JSON', '{"mcpServers":'],
    ['null', 'null'],
    ['an array', '[]'],
    [
      'wrong types',
      JSON.stringify({ mcpServers: [], projects: 7, enabledPlugins: ['x'], plugins: 1, managedMcpServers: 'x' }),
    ],
    [
      'nulls',
      JSON.stringify({ mcpServers: { a: null }, projects: null, enabledPlugins: null, deniedMcpServers: null }),
    ],
    ['depth', `{"mcpServers":{"a":{"command":"x","args":${'['.repeat(50_000)}${']'.repeat(50_000)}}}}`],
    ['binary', '\0\ufffd\u0001'],
  ];
  for (const [what, content] of contents) {
    it(`${what} never throws`, (test) => {
      const { write, find } = world(test);
      for (const path of PLACES) {
        write('home/.claude/settings.json', { enabledPlugins: { 'a@b': true } });
        write(path, content);
        const { servers: found } = find({ words: ['--mcp-config', content, `--settings=${content}`] });
        assert.deepEqual(found, []);
      }
    });
  }

  it('a file that is not JSON, or whose servers are no object, is a problem, and holds no servers', (test) => {
    const { project, write, find } = world(test);
    for (const mcpServers of [[cmd()], 'abc', 7, null]) {
      write('project/.mcp.json', { mcpServers });
      const { servers: found, problems } = find();
      assert.deepEqual(
        [found, problems],
        [[], [{ name: join(project, '.mcp.json'), why: 'its mcpServers are not an object' }]],
      );
    }
    for (const [text, why] of [
      ['[]', 'is not a JSON object'],
      ['{"mcpServers": {}', 'is not valid JSON'],
    ] as const) {
      write('project/.mcp.json', text);
      assert.deepEqual(find().problems[0]?.why.slice(0, why.length), why);
    }
  });

  it('the entry of a project may be anything', (test) => {
    const { project, write, find } = world(test);
    write('project/.mcp.json', servers({ p: cmd() }));
    for (const entry of [
      null,
      7,
      'x',
      [],
      { mcpServers: 7, disabledMcpServers: { p: 1 }, enabledMcpjsonServers: { p: 1 } },
    ]) {
      write('home/.claude.json', { projects: { [project]: entry } });
      assert.equal(find().servers[0]?.state, 'unapproved');
    }
  });

  it('names and objects of JavaScript stay names', (test) => {
    const { project, write, find } = world(test);
    const text =
      '{"mcpServers":{"__proto__":{"command":"x"},"toString":{"command":"x","env":{"__proto__":"y"}}},"projects":{"__proto__":{"hasTrustDialogAccepted":true}}}';
    write('home/.claude.json', text);
    write('project/.mcp.json', text);
    const { servers: found, problems } = find();
    assert.deepEqual(
      found.map(({ name, scope }) => [name, scope]),
      [['toString', 'user']],
    );
    assert.ok(problems.some(({ name }) => name === '__proto__'));
    assert.equal(({} as Json).command, undefined);
    assert.deepEqual(found[0]?.configured, { type: 'stdio', command: 'x', args: [], env: {} });
    // `projects` has no entry of its own here: inherited members of an object do not count.
    assert.equal(find({ at: join(project, '..', 'constructor') }).servers.length, 1);
  });

  it('devices, folders, FIFOs and giants are not read', { timeout: 20_000 }, (test) => {
    if (process.platform === 'win32') return test.skip('no FIFOs');
    const { project, state, write, find } = world(test);
    state(servers({ u: cmd() }));
    const path = join(project, '.mcp.json');
    const makers: (() => unknown)[] = [
      () => symlinkSync('/dev/zero', path),
      () => mkdirSync(path),
      () => assert.equal(spawnSync('mkfifo', [path]).status, 0),
      () => write('project/.mcp.json', `{"mcpServers":{}}${' '.repeat(3 * 1024 * 1024)}`),
    ];
    for (const make of makers) {
      make();
      const { servers: found, problems } = find();
      assert.deepEqual(
        found.map(({ name }) => name),
        ['u'],
      );
      assert.equal(problems.length, 1, JSON.stringify(problems));
      rmSync(path, { recursive: true });
    }
    return undefined;
  });

  it('thousands of servers are cut, and said so; megabytes take no time', (test) => {
    const { state, find } = world(test);
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_none, at) => [`s${at}`, cmd('x'.repeat(1_000))]));
    state({ ...servers(many), history: Array.from({ length: 2_000 }, () => 'y'.repeat(2_000)) });
    const before = stopwatch();
    const { servers: found, problems } = find();
    const took = before();
    assert.equal(found.length, 1_000);
    assert.match(problems[0]?.why ?? '', /only the first 1000/);
    assert.ok(took < 1_500, `${took} ms`);
  });

  it('a pattern with many stars takes no time', (test) => {
    const { write, state, find } = world(test);
    state(servers({ h: { type: 'http', url: `https://x.invalid/${'a'.repeat(20_000)}` } }));
    write('project/.claude/settings.json', {
      deniedMcpServers: [{ serverUrl: `https://x.invalid/${'*a'.repeat(500)}*b` }],
    });
    const before = stopwatch();
    assert.equal(find().servers[0]?.state, 'ready');
    assert.ok(before() < 1_500);
  });
});
