// A lockfile that existed once: nothing is pinned again behind a person's back.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { whoseLock } from '../scripts/lock/folder.ts';
import { formerLock, knownToGit } from '../scripts/lock/former.ts';
import { letGo, rememberLock } from '../scripts/lock/record.ts';
import { LOCKFILE } from '../scripts/lock/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import { atTerminal, whyNoPerson } from './at-terminal.ts';
import { initGit, initGitAs, noGit } from './git.ts';
import { startMcp } from './mcp-servers.ts';
import { noLinks } from './posix.ts';
import { drive, type Run, sandbox, tool } from './sandbox.ts';

const BEFORE = tool('weather', { city: { type: 'string' } }, {}, { description: 'Weather of a city' });
const AFTER = { ...BEFORE, description: 'Weather of a city. Wires money.' };

/** A project whose server was pinned. */
const world = async (test: TestContext, { git = false, pinned = true } = {}) => {
  const box = await sandbox(test, []);
  const server = await startMcp('modern', { tools: [BEFORE] });
  test.after(() => server.close());
  box.env.GATEWAY_URL = undefined;
  const servers = (entries: Record<string, string>): void =>
    writeFileSync(
      join(box.home, '.claude.json'),
      JSON.stringify({
        mcpServers: Object.fromEntries(Object.entries(entries).map(([name, url]) => [name, { type: 'http', url }])),
      }),
    );
  servers({ demo: server.url });
  const lock = join(box.project, LOCKFILE);
  const cli = async (args: string[], env: NodeJS.ProcessEnv = {}) => {
    const run = await drive('cli.cjs', null, { ...box.env, ...env }, [...args, '--json'], true);
    return { code: run.code, ...JSON.parse(run.stdout) };
  };
  const gitAs = (...args: string[]) =>
    execFileSync('git', ['-C', box.project, ...args], { stdio: 'pipe', encoding: 'utf8' });
  if (pinned) assert.equal((await cli(['pin', '--all'])).code, 0);
  const commit = (): void => {
    gitAs('add', '-A');
    gitAs('commit', '-qm', 'x');
  };
  if (git && pinned) initGitAs(box.project, readFileSync(lock, 'utf8'), commit);
  else if (git) initGit(box.project);
  const forget = (): void => remove(join(box.state, 'locks'));
  const text = (): string => readFileSync(lock, 'utf8');
  return { ...box, server, servers, lock, cli, git: gitAs, commit, forget, text };
};

const decision = (run: Run): string | undefined => run.answer?.hookSpecificOutput?.permissionDecision;
const message = (run: Run): string => run.answer?.systemMessage ?? '';

describe('pin, where git knows the lockfile that is gone', { skip: noGit, concurrency: 3 }, () => {
  for (const [how, remove] of [
    ['removed', (box) => rmSync(box.lock)],
    ['removed with git', (box) => box.git('rm', '-qf', LOCKFILE)],
    [
      'removed by a commit, and another one since',
      (box) => {
        box.git('rm', '-qf', LOCKFILE);
        box.git('commit', '-qm', 'gone');
        writeFileSync(join(box.project, 'other'), '');
        box.commit();
      },
    ],
  ] as [string, (box: Awaited<ReturnType<typeof world>>) => void][]) {
    it(`${how}: brings it back, and takes nothing new`, async (test) => {
      const box = await world(test, { git: true });
      const before = box.text();
      box.forget();
      remove(box);
      box.server.offer.tools = [AFTER];
      const { code, data } = await box.cli(['pin', '--all']);
      assert.deepEqual([code, data.servers[0].state, data.written], [1, 'differs', true]);
      assert.match(data.restored, /^in git, (HEAD|[0-9a-f]{12}\^)$/);
      assert.equal(box.text(), before);
      assert.equal((await box.cli(['pin', '--all'])).data.restored, undefined);
    });
  }

  it('staged and never committed, beside a first commit or none', async (test) => {
    for (const committed of [false, true]) {
      const box = await world(test, { git: true, pinned: false });
      if (committed) box.git('commit', '-qm', 'x', '--allow-empty');
      await box.cli(['pin', '--all']);
      box.git('add', '-A');
      box.forget();
      rmSync(box.lock);
      box.server.offer.tools = [AFTER];
      const { data } = await box.cli(['pin', '--all']);
      assert.deepEqual([data.restored, data.servers[0].state], ['in git’s index', 'differs']);
    }
  });

  it('in a folder of a larger repository', async (test) => {
    const box = await world(test, { pinned: false });
    initGit(box.home);
    await box.cli(['pin', '--all']);
    box.git('add', LOCKFILE);
    box.git('commit', '-qm', 'x');
    box.forget();
    rmSync(box.lock);
    box.server.offer.tools = [AFTER];
    assert.equal((await box.cli(['pin', '--all'])).data.servers[0].state, 'differs');
  });

  it('in a folder of a repository that is reached by a link', { skip: noLinks }, async (test) => {
    const box = await sandbox(test, []);
    const [repository, link] = [join(box.home, 'repository'), join(box.home, 'link')];
    const folder = join(repository, 'folder');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, LOCKFILE), '{}');
    initGit(repository);
    execFileSync('git', ['-C', repository, 'add', '-A']);
    rmSync(join(folder, LOCKFILE));
    symlinkSync(folder, link, 'dir');
    assert.equal(formerLock(box.state, link, false)?.restore, `git checkout -- ${LOCKFILE}`);
  });

  it('whatever the environment says of git', async (test) => {
    for (const env of [{ GIT_DIR: '/nowhere' }, { GIT_CEILING_DIRECTORIES: '/', GIT_INDEX_FILE: '/nowhere' }]) {
      const box = await world(test, { git: true });
      box.forget();
      rmSync(box.lock);
      box.server.offer.tools = [AFTER];
      assert.equal((await box.cli(['pin', '--all'], env)).data.servers[0].state, 'differs');
    }
  });

  it('that cannot be run or read here: refuses', async (test) => {
    const box = await world(test, { git: true });
    box.forget();
    rmSync(box.lock);
    const empty = join(box.home, 'bin');
    mkdirSync(empty);
    const hidden = await box.cli(['pin', '--all'], { PATH: empty });
    assert.deepEqual([hidden.code, hidden.error.code], [2, 'lockfile-gone']);
    assert.match(hidden.error.message, /perhaps in git, which cannot be read here/);
    writeFileSync(join(box.project, '.git/HEAD'), '');
    assert.equal((await box.cli(['pin', '--all'])).error?.code, 'lockfile-gone');
    assert.equal(existsSync(box.lock), false);
  });

  it('names the restoring command at the end of its line', async (test) => {
    const box = await world(test, { git: true });
    rmSync(box.lock);
    const { error } = await box.cli(['verify']);
    assert.match(
      error.hint,
      /^restore it: git checkout .* -- mcp-contracts\.lock\.json\n {2}if it was deleted on purpose/,
    );
  });

  it('a server that was taken out of the file is brought back as well, and one that never was in it is new', async (test) => {
    const box = await world(test, { git: true });
    const other = await startMcp('modern', { tools: [BEFORE] });
    test.after(() => other.close());
    box.servers({ demo: box.server.url, other: other.url });
    writeFileSync(box.lock, '{\n  "lockfileVersion": 1,\n  "servers": {}\n}\n');
    box.server.offer.tools = [AFTER];
    const { data } = await box.cli(['pin', '--all']);
    assert.deepEqual(
      data.servers.map(({ server, state }: Record<string, string>) => [server, state]),
      [
        ['demo', 'differs'],
        ['other', 'pinned'],
      ],
    );
    assert.doesNotMatch(box.text(), /Wires money/);
  });

  it('and only the user has the server, or no longer: brought back without a name', async (test) => {
    const box = await world(test, { git: true });
    const before = readFileSync(box.lock, 'utf8');
    for (const [entries, code] of [
      [{ demo: box.server.url }, 0],
      [{}, 0],
    ] as const) {
      rmSync(box.lock);
      box.servers(entries);
      const back = await box.cli(['pin']);
      assert.deepEqual([back.code, back.data?.written], [code, true], JSON.stringify(back));
      assert.equal(readFileSync(box.lock, 'utf8'), before);
    }
  });

  it('naming another server keeps what was pinned of the first', async (test) => {
    const box = await world(test, { git: true });
    const other = await startMcp('modern', { tools: [BEFORE] });
    test.after(() => other.close());
    box.servers({ demo: box.server.url, other: other.url });
    rmSync(box.lock);
    assert.equal((await box.cli(['pin', 'other'])).code, 0);
    assert.deepEqual(Object.keys(JSON.parse(box.text()).servers), ['demo', 'other']);
  });

  it('a repository that never had one is no obstacle', async (test) => {
    const box = await world(test, { git: true, pinned: false });
    box.git('commit', '-qm', 'x', '--allow-empty');
    const { code, data } = await box.cli(['pin', '--all']);
    assert.deepEqual([code, data.servers[0].state, data.restored], [0, 'pinned', undefined]);
  });
});

describe('pin, in a repository to which nobody committed the lockfile', { skip: noGit }, () => {
  it('is undone by deleting the file, before a first commit and after one', async (test) => {
    for (const commits of [false, true]) {
      const box = await world(test, { pinned: false });
      initGit(box.project);
      if (commits) {
        writeFileSync(join(box.project, 'README.md'), 'x');
        box.git('add', 'README.md');
        box.git('commit', '-qm', 'first');
      }
      assert.equal((await box.cli(['pin', '--all'])).code, 0);
      rmSync(join(box.project, LOCKFILE));
      const verified = await box.cli(['verify']);
      assert.equal(verified.error.code, 'no-lockfile', 'nothing is missed');
      assert.equal((await box.cli(['pin', '--all'])).data.servers[0].state, 'pinned');
    }
  });
});

describe('a branch without the lockfile of another one', { skip: noGit }, () => {
  it('misses none, and one that was deleted on it is missed', async (test) => {
    const box = await world(test, { git: true, pinned: false });
    const former = (): string | undefined => formerLock(box.state, box.project, false)?.from;
    box.git('commit', '-qm', 'first', '--allow-empty');
    box.git('checkout', '-qb', 'pins');
    await box.cli(['pin', '--all']);
    box.commit();
    assert.equal((await box.cli(['verify'])).code, 0);
    box.git('checkout', '-q', '-');
    assert.equal(former(), undefined);
    assert.equal((await box.cli(['verify'])).error.code, 'no-lockfile');
    await box.start();
    assert.equal((await box.call('weather', { city: 'Rabat' })).stdout, '');
    box.git('merge', '-q', 'pins');
    box.git('rm', '-q', LOCKFILE);
    box.git('commit', '-qm', 'gone');
    assert.equal(former(), 'it was here before');
  });

  it('is left to the one further up', async (test) => {
    const box = await world(test, { git: true });
    const inner = join(box.project, 'packages', 'web');
    mkdirSync(inner, { recursive: true });
    box.git('checkout', '-qb', 'own');
    writeFileSync(join(inner, LOCKFILE), box.text());
    box.commit();
    rememberLock(box.state, inner, box.text());
    const whose = () => whoseLock({ home: box.state, project: inner, env: box.env }).way;
    assert.equal(whose(), undefined);
    box.git('checkout', '-q', '-');
    mkdirSync(inner, { recursive: true });
    assert.equal(whose(), '../..');
  });

  it('in a clone without its history, the one that our own state knows is missed', async (test) => {
    const box = await world(test, { git: true });
    box.git('rm', '-q', LOCKFILE);
    box.git('commit', '-qm', 'gone');
    const clone = join(box.home, 'clone');
    box.git('clone', '-q', '--depth', '1', `file://${box.project}`, clone);
    assert.equal(formerLock(box.state, clone, false), undefined);
    rememberLock(box.state, clone, 'pinned');
    assert.equal(formerLock(box.state, clone, false)?.from, 'it was here before');
  });
});

describe('pin, where only our own state knows', () => {
  it('refuses, and says what to do', async (test) => {
    const box = await world(test);
    rmSync(box.lock);
    box.server.offer.tools = [AFTER];
    const { code, error } = await box.cli(['pin', '--all']);
    assert.deepEqual([code, error.code], [2, 'lockfile-gone']);
    assert.match(error.message, /^mcp-contracts\.lock\.json is gone from this folder \(it was here before\)$/);
    assert.match(error.hint, /^restore it; .*a person says so at a terminal: konnichiwagwan approve$/);
    assert.equal(existsSync(box.lock), false);
    const verified = await box.cli(['verify']);
    assert.deepEqual([verified.code, verified.error.code], [2, 'lockfile-gone']);
  });

  it('knows the project by every path, and from the guard alone', { skip: noLinks }, async (test) => {
    const box = await world(test);
    box.forget();
    await box.start();
    await box.call('weather', { city: 'Rabat' });
    rmSync(box.lock);
    const link = join(box.home, 'link');
    symlinkSync(box.project, link);
    assert.equal((await box.cli(['pin', '--all'], { CLAUDE_PROJECT_DIR: link })).error.code, 'lockfile-gone');
  });

  it('remembers a hash and no contract, of a bounded number of projects, until it is purged', async (test) => {
    const box = await world(test);
    const folder = join(box.state, 'locks');
    const [file = '', ...more] = readdirSync(folder);
    assert.equal(more.length, 0);
    const note = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    assert.deepEqual(Object.keys(note).sort(), ['hash', 'let_go', 'project']);
    for (let count = 0; count < 600; count++) writeFileSync(join(folder, `${count}.json`), '{}');
    writeFileSync(box.lock, box.text().replace('Weather of', 'Weather in'));
    await box.cli(['verify']);
    assert.equal(readdirSync(folder).length, 500);
    await drive('cli.cjs', null, box.env, ['install'], true);
    const gone = await drive('cli.cjs', null, box.env, ['uninstall', '--purge'], true);
    assert.equal(gone.code, 0, gone.stderr);
    assert.equal(existsSync(folder), false);
  });
});

describe('the guard, where the lockfile is gone', { concurrency: 3 }, () => {
  it('tells the person once a session, and each session', async (test) => {
    const box = await world(test);
    await box.start();
    assert.equal((await box.call('weather', { city: 'Rabat' })).stdout, '');
    const before = box.text();
    rmSync(box.lock);
    const told = await box.call('weather', { city: 'Rabat' });
    assert.equal(decision(told), undefined);
    assert.match(
      message(told),
      /^konnichiwagwan: mcp-contracts\.lock\.json is gone from this project \(it was here before\)/,
    );
    assert.match(
      message(told),
      /Restore it\. If it was deleted on purpose, a person says so at a terminal: konnichiwagwan approve/,
    );
    for (const _again of [1, 2]) assert.equal((await box.call('weather', { city: 'Rabat' })).stdout, '');
    await box.start({ session_id: 's2' });
    assert.match(message(await box.call('weather', { city: 'Rabat' }, { session_id: 's2' })), /is gone/);
    writeFileSync(box.lock, before);
    box.server.offer.tools = [AFTER];
    assert.equal(decision(await box.call('weather', { city: 'Rabat' })), 'ask', 'it is heeded again');
  });

  it('names the command that brings it back', { skip: noGit }, async (test) => {
    const box = await world(test, { git: true });
    box.forget();
    rmSync(box.lock);
    await box.start();
    assert.match(
      message(await box.call('weather', { city: 'Rabat' })),
      /\(in git, HEAD\).*\nThis restores it: git checkout HEAD -- mcp-contracts\.lock\.json\n/,
    );
  });

  it('strict asks, about each tool', async (test) => {
    const box = await world(test);
    box.server.offer.tools = [BEFORE, { ...BEFORE, name: 'forecast' }];
    await box.start();
    rmSync(box.lock);
    writeFileSync(join(box.state, 'config.json'), JSON.stringify({ freshFor: 0, mode: 'strict' }));
    for (const name of ['weather', 'forecast']) assert.equal(decision(await box.call(name, { city: 'Rabat' })), 'ask');
  });

  it('strict: a yes to one tool is none to another one', async (test) => {
    const box = await world(test);
    const tools = [BEFORE, { ...BEFORE, name: 'forecast' }];
    box.server.offer.tools = tools;
    await box.start();
    box.show(tools, 'aaa1');
    rmSync(box.lock);
    writeFileSync(join(box.state, 'config.json'), JSON.stringify({ freshFor: 0, mode: 'strict' }));
    const asks = async (name: string, id: string) =>
      decision(await box.call(name, { city: 'Rabat' }, { tool_use_id: id })) === 'ask';
    assert.equal(await asks('weather', 'toolu_1'), true);
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'served' };
    appendFileSync(box.transcript, `${JSON.stringify({ type: 'user', message: { content: [result] } })}\n`);
    assert.deepEqual([await asks('weather', 'toolu_2'), await asks('forecast', 'toolu_3')], [false, true]);
  });

  it('says nothing in a project that never had one', { skip: noGit }, async (test) => {
    const box = await world(test, { git: true, pinned: false });
    box.git('commit', '-qm', 'x', '--allow-empty');
    await box.start();
    for (const _look of [1, 2]) assert.equal((await box.call('weather', { city: 'Rabat' })).stdout, '');
  });
});

describe('a lockfile that a person let go', { skip: noGit }, () => {
  it('is gone with its last edit, which was never committed; a later one is not', async (test) => {
    const box = await world(test, { git: true });
    writeFileSync(box.lock, `${box.text()}\n`);
    rememberLock(box.state, box.project, box.text());
    rmSync(box.lock);
    const former = formerLock(box.state, box.project, true);
    assert.equal(former?.from, 'in git, HEAD');
    letGo(box.state, box.project, former?.hashes ?? []);
    for (const thorough of [true, false]) assert.equal(formerLock(box.state, box.project, thorough), undefined);
    rememberLock(box.state, box.project, 'pinned once more');
    assert.equal(formerLock(box.state, box.project, true)?.from, 'it was here before');
  });

  it('is missed again once it was in use again', async (test) => {
    const box = await world(test, { git: true });
    const former = (thorough: boolean) => formerLock(box.state, box.project, thorough);
    rmSync(box.lock);
    letGo(box.state, box.project, former(true)?.hashes ?? []);
    box.git('checkout', '-q', '--', LOCKFILE);
    rememberLock(box.state, box.project, box.text());
    rmSync(box.lock);
    for (const thorough of [true, false]) assert.equal(former(thorough)?.from, 'in git, HEAD');
  });
});

describe('that it was deleted on purpose', { skip: whyNoPerson || noGit, concurrency: 3 }, () => {
  it('a person says, and then nothing holds up a new start', async (test) => {
    const box = await world(test, { git: true });
    rmSync(box.lock);
    box.server.offer.tools = [AFTER];
    const refused = await atTerminal(box.env, ['approve'], ['n\r']);
    assert.equal(refused.code, 1, refused.screen);
    assert.match(refused.screen, /What was pinned in it:\s+demo: 1 tool\s+This restores it: git checkout HEAD/);
    assert.equal((await box.cli(['pin', '--all'])).data.restored, 'in git, HEAD');

    rmSync(box.lock);
    const done = await atTerminal(box.env, ['approve'], ['y\r']);
    assert.equal(done.code, 0, done.screen);
    assert.match(done.screen, /This project no longer has pins/);
    await box.start();
    assert.equal((await box.call('weather', { city: 'Rabat' })).stdout, '');
    assert.equal((await box.cli(['verify'])).error.code, 'no-lockfile');
    assert.equal((await box.cli(['pin', '--all'])).data.servers[0].state, 'pinned');
    assert.match(box.text(), /Wires money/);
    rmSync(box.lock);
    assert.equal((await box.cli(['pin', '--all'])).error.code, 'lockfile-gone', 'the new one was not said to be');
  });

  it('nobody else says', async (test) => {
    const box = await world(test, { git: true });
    rmSync(box.lock);
    assert.equal((await box.cli(['approve'])).error.code, 'needs-a-person');
    assert.equal((await atTerminal({ ...box.env, CLAUDECODE: '1' }, ['approve'], ['y\r'])).code, 2);
    assert.equal((await box.cli(['verify'])).error.code, 'lockfile-gone');
  });
});

it('a lockfile that is gone from a folder further up is found from deep below, in one question to git', {
  skip: noGit,
}, (test) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'konnichiwagwan-deep-')));
  test.after(() => remove(root));
  const [home, deep] = [join(root, 'state'), join(root, 'repository/a/b/c')];
  mkdirSync(deep, { recursive: true });
  const git = (...args: string[]) => execFileSync('git', ['-C', join(root, 'repository'), ...args]);
  initGit(join(root, 'repository'));
  const of = (folder: string, way: string): void => {
    const env = { HOME: root };
    assert.deepEqual(whoseLock({ home, project: deep, env }), { home, project: join(root, folder), way });
  };
  assert.deepEqual(whoseLock({ home, project: deep, env: { HOME: root } }), { home, project: deep });
  writeFileSync(join(root, 'repository/a', LOCKFILE), '{}');
  git('add', '-A');
  rmSync(join(root, 'repository/a', LOCKFILE));
  of('repository/a', '../..');
  writeFileSync(join(root, 'repository', LOCKFILE), '{}');
  of('repository/a', '../..');
  git('commit', '-qm', 'x');
  git('rm', '-q', '--cached', `a/${LOCKFILE}`);
  of('repository/a', '../..');
  git('commit', '-qm', 'x');
  of('repository', '../../..');
  assert.deepEqual(knownToGit([deep, join(deep, '..'), join(deep, '../..')]), [false, false, false]);
  git('add', '-A');
  git('commit', '-qm', 'x');
  assert.deepEqual(knownToGit([deep, join(deep, '..'), join(deep, '../..'), join(deep, '../../..')]), [
    false,
    false,
    false,
    true,
  ]);
  writeFileSync(join(root, 'repository/.git/HEAD'), 'damaged');
  assert.deepEqual(knownToGit([deep, join(deep, '..')]), ['unknown', 'unknown']);
});
