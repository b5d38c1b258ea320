// `wrap --add --all`, `--remove --all`, and what `install` says and does about the servers that it finds.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { remove } from '../scripts/state/in-use.ts';
import { atTerminal, whyNoPerson } from './at-terminal.ts';
import { listing } from './install-home.ts';
import { drive, runProgram } from './sandbox.ts';
import { whyNoTerminal } from './terminal.ts';

/** An agent must not remove wrap: only people can run such tests. */
const skip = typeof whyNoTerminal === 'string' && whyNoTerminal.startsWith('it runs') ? whyNoTerminal : false;

const program = (name: string) => ({ command: 'npx', args: ['-y', name] });
const NINE = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`s${index}`, program(`server-${index}`)]));
const TEN = { ...NINE, docs: { type: 'http', url: 'https://mcp.test/mcp' } };
const words = (name: string, server: string) => ['wrap', '--name', name, '--', 'npx', '-y', server];
/** On Windows hosts cannot start the command, which is for shells, so the entry starts Node. */
const entry = (name: string, server: string, launcher: string) => {
  const args = words(name, server);
  if (process.platform !== 'win32') return { command: launcher, args };
  return { command: 'node', args: [join(launcher, '../../../.claude/skills/konnichiwagwan/dist/cli.cjs'), ...args] };
};

const place = (test: TestContext) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'kwg-all-')));
  test.after(() => remove(root));
  const [home, project] = [join(root, 'home'), join(root, 'project')];
  mkdirSync(home);
  mkdirSync(join(project, '.git'), { recursive: true });
  const env = { HOME: home, PATH: `${join(home, '.local/bin')}${delimiter}${process.env.PATH}` };
  const run = async (args: string[], more: NodeJS.ProcessEnv = {}) => {
    const ran = await drive('cli.cjs', null, { ...env, ...more }, args, true, project);
    assert.doesNotMatch(ran.stderr, /\n\s+at /, 'a stack trace');
    return ran;
  };
  const ok = async (args: string[], more: NodeJS.ProcessEnv = {}) => {
    const { code, stdout, stderr } = await run(args, more);
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  };
  const write = (file: string, value: object | string): string => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value, null, 2));
    return file;
  };
  const servers = (value: object) => write(join(home, '.claude.json'), { mcpServers: value });
  return { root, home, project, env, launcher: join(home, '.local/bin/konnichiwagwan'), run, ok, write, servers };
};
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

describe('wrap --add --all', () => {
  it('every program of Claude Code that no team shares, and nothing else', async (test) => {
    const at = place(test);
    const file = at.write(join(at.home, '.claude.json'), {
      mcpServers: { ...TEN, off: { ...program('off'), disabled: true } },
      projects: {
        // Each folder disables its own: a name in another one's list is another server.
        [at.project]: { mcpServers: { here: program('here') }, disabledMcpServers: ['far'] },
        '/far': { mcpServers: { far: program('f'), idle: program('i') }, disabledMcpServers: ['idle'] },
      },
    });
    const team = at.write(join(at.project, '.mcp.json'), { mcpServers: { tracker: program('tracker') } });
    const cursor = at.write(join(at.home, '.cursor/mcp.json'), { mcpServers: { c: program('c') } });
    await at.ok(['install']);
    const before = listing(at.root);

    const dry = await at.ok(['wrap', '--add', '--all', '--dry-run']);
    assert.match(dry, /^Would start 11 servers through wrap:\n/);
    assert.match(dry, /\n {4}\+.*(?:\.local\/bin\/konnichiwagwan|dist\\\\cli\.cjs)",\n/);
    assert.match(dry, /\nNothing was written\.\n$/);
    assert.deepEqual(listing(at.root), before);
    const refused = await at.run(['wrap', '--add', '--all']);
    assert.deepEqual([refused.code, refused.stdout], [2, '']);
    assert.match(refused.stderr, /there is no terminal to ask at.*\n.*--yes\. Nothing was changed/);
    assert.deepEqual(listing(at.root), before);

    const said = await at.ok(['wrap', '--add', '--all', '--yes']);
    assert.match(
      said,
      /^12 of 13 servers are guarded\. Claude Code starts these 11 through konnichiwagwan in new sessions\./,
    );
    assert.match(
      said,
      /`tracker` in .*\.mcp\.json, which your team shares: konnichiwagwan wrap --add tracker --scope project/,
    );
    const now = read(file);
    assert.deepEqual(now.mcpServers.s3, entry('s3', 'server-3', at.launcher));
    assert.deepEqual(now.projects['/far'].mcpServers.far, entry('far', 'f', at.launcher));
    assert.deepEqual(now.projects['/far'].mcpServers.idle, program('i'), 'disabled in its own folder');
    assert.deepEqual(now.mcpServers.docs, TEN.docs);
    assert.deepEqual(now.mcpServers.off, { ...program('off'), disabled: true });
    assert.deepEqual(read(team).mcpServers.tracker, program('tracker'));
    assert.deepEqual(read(cursor).mcpServers.c, program('c'));
    assert.match(await at.ok(['wrap', '--add', '--all', '--yes']), /^12 of 13 servers are guarded\.\n/);

    await at.ok(['wrap', '--add', '--all', '--host', 'cursor', '--yes']);
    assert.deepEqual(read(cursor).mcpServers.c, entry('c', 'c', at.launcher));
    if (skip) return;
    const back = await at.ok(['wrap', '--remove', '--all', '--yes']);
    assert.match(back, /\.claude\.json put back: the file has the same bytes as before\n/);
    assert.doesNotMatch(back, /Still wrapped/);
    assert.deepEqual(listing(at.root), before);
  });

  it('shared files only where --scope says so', async (test) => {
    const at = place(test);
    const mine = at.servers({ a: program('a') });
    const team = at.write(join(at.project, '.mcp.json'), { mcpServers: { tracker: program('tracker') } });
    await at.ok(['install']);
    await at.ok(['wrap', '--add', '--all', '--scope', 'project', '--yes']);
    assert.deepEqual(read(team).mcpServers.tracker, {
      command: 'konnichiwagwan',
      args: words('tracker', 'tracker'),
    });
    assert.deepEqual(read(mine).mcpServers.a, program('a'));
    if (skip) return;
    await at.ok(['wrap', '--add', 'a', '--yes']);
    const [shared, own] = [readFileSync(team, 'utf8'), readFileSync(mine, 'utf8')];
    const said = await at.ok(['wrap', '--remove', '--all', '--yes']);
    assert.match(said, /\nStill wrapped: `tracker` in .*\.mcp\.json, which your team shares: .* --scope project\n/);
    assert.equal(readFileSync(team, 'utf8'), shared);
    assert.notEqual(readFileSync(mine, 'utf8'), own);
    await at.ok(['wrap', '--remove', '--all', '--scope', 'project', '--yes']);
    assert.deepEqual(read(team).mcpServers.tracker, program('tracker'));
  });

  it('with the program that a project brings: a colleague installs nothing', { skip }, async (test) => {
    const at = place(test);
    const text = '{ "mcpServers": {"tracker": {"command":"npx","args":["-y","tracker"]}} }\n';
    const team = at.write(join(at.project, '.mcp.json'), text);
    mkdirSync(join(at.home, '.claude'));
    const before = listing(at.root);
    await at.ok(['install', '--project']);
    const said = await at.ok(['wrap', '--add', '--all', '--scope', 'project', '--yes']);
    assert.match(said, /\nCommit the file together with \.claude\/skills\/konnichiwagwan: /);
    assert.match(said, /\nUndo: konnichiwagwan wrap --remove --all --scope project\n$/);
    const ours = '.claude/skills/konnichiwagwan/program/cli.cjs';
    const { command, args } = read(team).mcpServers.tracker;
    assert.deepEqual([command, ...args], ['node', ours, ...words('tracker', 'tracker')]);
    const started = await runProgram(process.execPath, [ours, 'wrap', '--', process.execPath, '-e', ''], {
      env: at.env,
      cwd: at.project,
    });
    assert.deepEqual([started.code, started.stderr], [0, '']);

    const other = at.servers({ a: program('a') });
    assert.match(await at.ok(['uninstall', '--project', '--dry-run']), /put back 1 server of .*\.mcp\.json/);
    assert.match(await at.ok(['uninstall', '--project']), /servers +1 server of .*\.mcp\.json put back/);
    remove(other);
    assert.deepEqual(listing(at.root), before);
  });

  it('with the plugin of a marketplace that is a folder; one that is downloaded has no lasting path', async (test) => {
    const at = place(test);
    const file = at.servers({ a: program('a') });
    const before = listing(at.root);
    const refused = await at.run(['wrap', '--add', '--all', '--yes']);
    assert.match(refused.stderr, /konnichiwagwan is not installed/);
    assert.deepEqual(listing(at.root), before);

    const [market, id] = [join(at.root, 'opt/konnichiwagwan'), 'konnichiwagwan@firm'];
    const root = join(market, 'plugin');
    for (const name of ['cli', 'wrap-server']) at.write(join(root, `dist/${name}.cjs`), '');
    at.write(join(market, '.claude-plugin/marketplace.json'), {
      plugins: [{ name: 'konnichiwagwan', source: './plugin' }],
    });
    at.write(join(at.home, '.claude/settings.json'), { enabledPlugins: { [id]: true } });
    const plugins = join(at.home, '.claude/plugins');
    at.write(join(plugins, 'installed_plugins.json'), { plugins: { [id]: [{ scope: 'user', installPath: root }] } });
    const known = (source: string): string =>
      at.write(join(plugins, 'known_marketplaces.json'), {
        firm: { source: { source, path: market }, installLocation: market },
      });
    known('github');
    assert.match((await at.run(['wrap', '--add', '--all', '--yes'])).stderr, /a path that changes with each version/);
    known('directory');
    // A program that a project's settings brought is for that project, and the entry is for all of them.
    const [mine, theirs] = [join(at.home, '.claude/settings.json'), join(at.project, '.claude/settings.json')];
    at.write(mine, {});
    at.write(theirs, { enabledPlugins: { [id]: true } });
    at.write(file, { ...read(file), projects: { [at.project]: { hasTrustDialogAccepted: true } } });
    assert.match((await at.run(['wrap', '--add', '--all', '--yes'])).stderr, /konnichiwagwan is not installed/);
    at.write(mine, { enabledPlugins: { [id]: true } });
    await at.ok(['wrap', '--add', '--all', '--yes']);
    const { command, args } = read(file).mcpServers.a;
    assert.deepEqual([command, ...args], ['node', join(root, 'dist/cli.cjs'), ...words('a', 'a')]);
    assert.match(await at.ok(['wrap', '--add', '--all', '--yes']), /^1 of 1 server is guarded\.\n/);
  });

  it('odd layouts, secrets and duplicates in one file: all come back', { skip }, async (test) => {
    const at = place(test);
    const text = `\ufeff{ "x": [1,2] , "mcpServers" : {"a":{"command":"x","command":"y","args":["s"]},\r\n\t"b": {"args":[],"command":"z"},\r\n"c":{"command":"w"}, "\\u0064": { "command": "q", "env": { "KEY": "sk-very-secret" } } } }\r\n`;
    const file = at.write(join(at.home, '.claude.json'), text);
    await at.ok(['install']);
    assert.doesNotMatch(await at.ok(['wrap', '--add', '--all', '--dry-run']), /sk-very-secret/);
    assert.match(await at.ok(['wrap', '--add', '--all', '--yes']), /^4 of 4 servers are guarded/);
    assert.notEqual(readFileSync(file, 'utf8'), text);
    await at.ok(['wrap', '--remove', '--all', '--yes']);
    assert.equal(readFileSync(file, 'utf8'), text);
  });

  it('a file that cannot be read: said, and exit 2; the servers of another one are guarded all the same', async (test) => {
    const at = place(test);
    const team = at.write(join(at.project, '.mcp.json'), '{"mcpServers": {"tides": {"command": "tides"}},');
    const file = at.servers({ moon: program('moon') });
    assert.equal((await at.run(['wrap', '--add', '--all', '--dry-run', '--host', 'gemini'])).code, 0);
    const some = await at.run(['install', '--yes']);
    assert.equal(some.code, 2, some.stderr);
    assert.match(some.stdout, /\nIts servers are not known: .*[/\\]\.mcp\.json, line 1.*: not valid JSON: .*\n/);
    assert.equal(read(file).mcpServers.moon.command, at.launcher);
    writeFileSync(team, '{}');
    writeFileSync(file, '{"mcpServers": {"moon": }}');
    for (const args of [['install'], ['install', '--yes'], ['wrap', '--add', '--all', '--yes']]) {
      const none = await at.run(args);
      assert.equal(none.code, 2, args.join(' '));
      assert.match(none.stdout, /Its servers are not known: .*\.claude\.json, line 1/, args.join(' '));
    }
  });

  it('one by its name: the last line undoes it, byte for byte', { skip }, async (test) => {
    const at = place(test);
    await at.ok(['install']);
    const file = at.servers({ moon: program('moon') });
    const before = readFileSync(file, 'utf8');
    const said = await at.ok(['wrap', '--add', 'moon', '--yes']);
    assert.deepEqual(read(file).mcpServers.moon, entry('moon', 'moon', at.launcher));
    const [, undo = ''] = /\n`moon` starts through wrap now\..*\nUndo: konnichiwagwan (.*)\n$/.exec(said) ?? [];
    assert.match(await at.ok([...undo.split(' '), '--yes']), /\n`moon` starts without wrap now\..*\n$/);
    assert.equal(readFileSync(file, 'utf8'), before);
  });

  it('of other folders are listed if they are wrapped: people may want them back', async (test) => {
    const at = place(test);
    const wrapped = { command: 'konnichiwagwan', args: words('far', 'far') };
    at.write(join(at.home, '.claude.json'), {
      mcpServers: { moon: program('moon') },
      projects: {
        [at.project]: { mcpServers: { here: program('here') } },
        '/far': { mcpServers: { far: wrapped, idle: program('idle') } },
      },
    });
    const { data } = JSON.parse(await at.ok(['wrap', '--list', '--json']));
    const listed = data.servers.map((one: { name: string; wrapped: boolean }) => [one.name, one.wrapped]);
    assert.deepEqual(
      new Map(listed),
      new Map([...['moon', 'here'].map((name) => [name, false] as const), ['far', true]]),
    );
  });

  it('are listed all, or those of one host, or of one scope', async (test) => {
    const at = place(test);
    at.servers({ mine: program('m') });
    at.write(join(at.home, '.cursor/mcp.json'), { mcpServers: { curs: program('c') } });
    at.write(join(at.project, '.mcp.json'), { mcpServers: { team: program('t') } });
    const listed = async (...args: string[]): Promise<string> =>
      [...(await at.ok(['wrap', '--list', ...args])).matchAll(/^ {2}- +(\w+)/gm)].map(([, name]) => name).join(' ');
    assert.deepEqual(
      [
        await listed(),
        await listed('--host', 'cursor'),
        await listed('--host', 'claude'),
        await listed('--scope', 'project'),
        await listed('--host', 'cursor', '--scope', 'project'),
      ],
      ['mine team curs', 'curs', 'mine team', 'team', ''],
    );
  });

  it('of another host: named, counted with its URLs, and undone alone; the lines to change for Codex', async (test) => {
    const at = place(test);
    const moon = at.servers({ moon: program('moon') });
    const gemini = at.write(join(at.home, '.gemini/settings.json'), {
      mcpServers: { tide: program('tide'), far: { httpUrl: 'https://mcp.test/mcp' } },
    });
    const [, before] = [await at.ok(['install', '--yes']), readFileSync(gemini, 'utf8')];
    const said = await at.ok(['wrap', '--add', '--all', '--host', 'gemini', '--yes']);
    assert.match(said, /^1 of 2 servers is guarded\. Gemini CLI starts this one through /);
    assert.match(said, /\nNot guarded: `far`, behind a URL: konnichiwagwan wrap --add far --host gemini\n/);
    const [, undo = ''] = /\nUndo: konnichiwagwan (.*)\n$/.exec(said) ?? [];
    if (!skip) {
      await at.ok([...undo.split(' '), '--yes']);
      assert.equal(readFileSync(gemini, 'utf8'), before);
      assert.equal(read(moon).mcpServers.moon.command, at.launcher);
    }
    at.write(
      join(at.home, '.codex/config.toml'),
      '[mcp_servers.sun]\ncommand = "npx"\nargs = ["-y", "sun"]\n[mcp_servers.odd]\ncommand = "npx"\ntype = "ws"\n',
    );
    const codex = await at.ok(['wrap', '--add', '--all', '--host', 'codex', '--yes']);
    assert.match(codex, /`sun` .*: TOML is not rewritten\. .*\ntake out:\n(.*\n)+and put in:\n.*command = /);
    assert.match(codex, /^Not changed: `odd` has the type "ws" \(Codex, /m);
  });

  it('no server, wrong words, an agent', async (test) => {
    const at = place(test);
    await at.ok(['install']);
    assert.match(await at.ok(['wrap', '--add', '--all', '--yes']), /^0 of 0 servers are guarded\.\n$/);
    if (!skip) assert.match(await at.ok(['wrap', '--remove', '--all', '--yes']), /^No server starts through wrap\.\n$/);
    for (const args of [['--add', 'x', '--all'], ['--list', '--all'], ['--all'], ['--remove', '--all', '--trust']])
      assert.equal((await at.run(['wrap', ...args, '--yes'])).code, 2, args.join(' '));
    const agent = await at.run(['wrap', '--remove', '--all', '--yes'], { CLAUDECODE: '1' });
    assert.match(agent.stderr, /an agent cannot take wrap away/);
  });
});

describe('install counts the servers', () => {
  it('and names the command where nobody can be asked; nothing is wrapped', async (test) => {
    const at = place(test);
    const file = at.servers(TEN);
    const before = readFileSync(file, 'utf8');
    for (let times = 0; times < 2; times++) {
      const said = await at.ok(['install']);
      const [, how] = /\n1 of 10 servers is guarded\.\n(.*)\n(?:If `docs` .*\n)?Next: .*\n$/.exec(said) ?? [];
      assert.equal(how, 'Guard the other 9, too: konnichiwagwan wrap --add --all');
      assert.equal(readFileSync(file, 'utf8'), before);
    }
    assert.doesNotMatch(await at.ok(['install', '--no-wrap']), /servers/);
    assert.equal((await at.run(['install', '--no-wrap', '--yes'])).code, 2);
  });

  it('--dry-run shows each entry as --yes then writes it, and writes nothing', async (test) => {
    const at = place(test);
    const file = at.servers(TEN);
    const before = listing(at.root);
    const said = await at.ok(['install', '--dry-run']);
    assert.match(said, /\n1 of 10 servers is guarded\.\nThen, at a terminal and after a yes:\nWould start 9 servers /);
    assert.match(said, /\nNothing was written\.\n$/);
    assert.deepEqual(listing(at.root), before);
    await at.ok(['install', '--yes']);
    for (const line of readFileSync(file, 'utf8')
      .split('\n')
      .filter((one) => /"(wrap|--name|s\d|command)"/.test(one)))
      assert.ok(said.includes(line.trim()), line);
    assert.ok(said.includes(JSON.stringify(read(file).mcpServers.s0.command)), said);
  });

  it('a server that wants a sign-in is not counted as guarded, and one that may want it is named', async (test) => {
    const at = place(test);
    const signed = { type: 'http', url: 'https://signed.test/mcp', headers: { Authorization: 'Bearer x' } };
    const far = { type: 'http', url: 'https://far.test/mcp', oauth: { clientId: 'x' } };
    at.servers({ ...TEN, far, signed });
    const said = await at.ok(['install', '--yes']);
    assert.match(said, /\n11 of 12 servers are guarded\./);
    assert.match(said, /\nNot guarded: `far`, where Claude Code signs in itself\. .*: konnichiwagwan doctor\n/);
    assert.match(said, /\nIf `docs` wants you to sign in, calls of it are not checked\. .*: konnichiwagwan doctor\n/);
  });

  it('an entry with null for its arguments or headers stays as it is, and the others are guarded', {
    skip,
  }, async (test) => {
    const at = place(test);
    const none = { command: 'npx', args: null };
    const remote = { type: 'http', url: 'https://mcp.test/mcp?key=1', headers: null };
    const file = at.servers({ good: program('good'), none, remote });
    assert.match(await at.ok(['install', '--yes']), / guarded\. Claude Code starts this one through konnichiwagwan /);
    const now = read(file).mcpServers;
    assert.deepEqual([now.good.command, now.none, now.remote], [at.launcher, none, remote]);
    for (const [name, why] of [
      ['none', /neither a command with texts as arguments nor a URL/],
      ['remote', /has headers that are not texts/],
    ] as const) {
      const { code, stderr } = await at.run(['wrap', '--add', name, '--dry-run']);
      assert.equal(code, 2);
      assert.match(stderr, why);
    }
    assert.equal((await at.run(['wrap', '--add', '--all', '--yes'])).code, 0);
  });

  it('--yes: one command, all of them; and uninstall gives back every byte', { skip }, async (test) => {
    const at = place(test);
    const file = at.servers(TEN);
    const before = listing(at.root);
    assert.match(await at.ok(['install', '--yes']), /\n10 of 10 servers are guarded\./);
    assert.deepEqual(read(file).mcpServers.s8, entry('s8', 'server-8', at.launcher));
    const { data } = JSON.parse(await at.ok(['install', '--yes', '--json']));
    assert.deepEqual([data.changed, data.servers.guarded, data.servers.unguarded], [false, 10, []]);
    assert.match(await at.ok(['uninstall']), /servers +9 servers of .* the same bytes as before/);
    assert.deepEqual(listing(at.root), before);
  });

  it('one question at a terminal: Enter is yes, n is no', { skip: whyNoPerson }, async (test) => {
    for (const [keys, count] of [
      ['\r', 10],
      ['n\r', 1],
    ] as const) {
      const at = place(test);
      const file = at.servers(TEN);
      const { code, screen } = await atTerminal(at.env, ['install'], [keys]);
      assert.equal(code, 0, screen);
      assert.match(screen, /1 of 10 servers is guarded\. 9 more can be guarded.*\[Y\/n\]/s);
      assert.match(screen, new RegExp(`\\[Y/n\\].*${count} of 10 servers (is|are) guarded\\.`, 's'));
      assert.equal(read(file).mcpServers.s0.command, count === 10 ? at.launcher : 'npx');
    }
  });
});
