// `preflight`: its exit code says whether the tools that a job needs are there, fresh and as approved.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { contractHash } from '../scripts/contract/canonical.ts';
import { initGit, noGit } from './git.ts';
import { FETCH, RENAMED, SEARCH, workbench } from './lock-bench.ts';
import { drive, sandbox } from './sandbox.ts';

type Tool = { server: string; tool: string; pin?: string; state: string; why?: string; changes: { rule: string }[] };

const bench = async (test: TestContext, isPinned = true) => {
  const box = await workbench(test);
  const server = await box.pinned();
  if (!isPinned) rmSync(box.path);
  let files = 0;
  const file = (text: string): string => {
    const path = join(box.project, `needs-${++files}`);
    writeFileSync(path, text);
    return path;
  };
  const preflight = async (...words: string[]) => {
    const { answer, code } = await drive('cli.cjs', null, box.env, ['preflight', ...words, '--json']);
    const tools = (answer.data?.tools ?? []) as Tool[];
    return { code, ok: answer.ok, error: answer.error, tools, states: tools.map(({ state }) => state) };
  };
  return { ...box, server, file, preflight };
};

describe('preflight', () => {
  it('exits with 0 where all are there and as approved, from a file in each form and from the command line', async (test) => {
    const { preflight, file, server } = await bench(test);
    const names = [`${server}/search`, `${server}/fetch`];
    for (const words of [
      [file(`# what the job calls\n${names[0]}   # every night\n\n${names[1]}\n`)],
      [file(JSON.stringify(names))],
      [file(JSON.stringify({ require: names }))],
      ['--require', names[0] as string, '--require', names[1] as string],
      [
        '--require',
        `${names[0]}@${contractHash(SEARCH)}`,
        '--require',
        `${names[1]}@${contractHash(FETCH).slice(0, 12)}`,
      ],
    ]) {
      const { code, ok, states } = await preflight(...words);
      assert.deepEqual([code, ok, states], [0, true, ['approved', 'approved']], words.join(' '));
    }
  });

  it('goes by the rules of the last commit too: an edit of the folder loosens nothing', {
    skip: noGit,
  }, async (test) => {
    const { preflight, server, project } = await bench(test);
    const git = (...args: string[]) => execFileSync('git', ['-C', project, ...args]);
    const need = ['--require', `${server}/search`];
    initGit(project);
    const settings = join(project, '.claude/konnichiwagwan.json');
    mkdirSync(join(project, '.claude'), { recursive: true });
    writeFileSync(settings, JSON.stringify({ approvals: { people: 2 } }));
    const strict = await preflight(...need);
    assert.notEqual(strict.code, 0);
    git('add', '-A');
    git('commit', '-qm', 'x');
    rmSync(settings);
    assert.deepEqual(await preflight(...need), strict);
    git('commit', '-qam', 'x');
    assert.equal((await preflight(...need)).code, 0);
  });

  it('10: a tool that is missing, with one that is nearly named so', async (test) => {
    const { preflight, server } = await bench(test);
    const { code, ok, tools } = await preflight('--require', `${server}/serch`, '--require', `${server}/fetch`);
    assert.deepEqual([code, ok, tools.map(({ state }) => state)], [10, false, ['missing', 'approved']]);
    assert.match(String(tools[0]?.why), /did you mean search/);
  });

  it('11: a tool that changed since it was approved, and one that nobody approved', async (test) => {
    const { preflight, server, release } = await bench(test);
    release([RENAMED, FETCH, { ...FETCH, name: 'drop' }]);
    const changed = await preflight('--require', `${server}/search`);
    assert.deepEqual([changed.code, changed.states], [11, ['changed']]);
    assert.ok((changed.tools[0]?.changes.length ?? 0) > 0);
    const came = await preflight('--require', `${server}/drop`, '--require', `${server}/fetch`);
    assert.deepEqual([came.code, came.states], [11, ['changed', 'approved']]);
    const pinned = await preflight('--require', `${server}/search@${contractHash(SEARCH)}`);
    assert.deepEqual([pinned.code, pinned.states], [11, ['changed']]);
    // A hash in the requirement counts, whatever the lockfile says.
    const own = await preflight('--require', `${server}/search@${contractHash(RENAMED)}`);
    assert.deepEqual([own.code, own.states], [0, ['approved']]);
  });

  it('11: an entry of the lockfile that was edited by hand', async (test) => {
    const { preflight, server, path, lockText } = await bench(test);
    writeFileSync(path, lockText().replace('"query"', '"quory"'));
    assert.equal((await preflight('--require', `${server}/search`)).code, 11);
  });

  it('12: a server that does not answer, or that is not configured; what is missing comes first', async (test) => {
    const { preflight, server, gateway } = await bench(test);
    const both = await preflight('--require', 'nowhere/tool', '--require', `${server}/serch`);
    assert.deepEqual([both.code, both.states], [10, ['unchecked', 'missing']]);
    gateway.close();
    const { code, ok, states } = await preflight('--require', `${server}/search`);
    assert.deepEqual([code, ok, states], [12, false, ['unchecked']]);
  });

  it('2: the lockfile is gone, or cannot be read: nobody knows what was approved', async (test) => {
    const { preflight, server, path } = await bench(test, false);
    assert.equal((await preflight('--require', `${server}/search`)).error.code, 'lockfile-gone');
    writeFileSync(path, '{');
    assert.equal((await preflight('--require', `${server}/search`)).code, 2);
  });

  it('without a lockfile a tool is there, and nothing says how it should be', async (test) => {
    const { server } = await bench(test);
    const { env } = await sandbox(test, [SEARCH]);
    const words = ['preflight', '--require', `${server}/search`, '--json'];
    const { answer, code } = await drive('cli.cjs', null, env, words);
    assert.deepEqual([code, answer.data.tools.map(({ state }: Tool) => state)], [0, ['there']]);
  });

  it('12 for a program, which is started with --spawn alone', async (test) => {
    const { env, home, preflight } = await bench(test);
    env.GATEWAY_URL = '';
    const started = join(home, 'started');
    const code = `require('node:fs').writeFileSync(${JSON.stringify(started)}, ''); import(${JSON.stringify(pathToFileURL(resolve('test/stdio-server.mjs')).href)})`;
    const mcpServers = { files: { command: process.execPath, args: ['-e', code] } };
    writeFileSync(join(home, '.claude.json'), JSON.stringify({ mcpServers }));
    const asked = await preflight('--require', 'files/no_such_tool');
    assert.deepEqual([asked.code, asked.states, existsSync(started)], [12, ['unchecked'], false]);
    const spawned = await preflight('--require', 'files/no_such_tool', '--spawn');
    assert.deepEqual([spawned.code, spawned.states, existsSync(started)], [10, ['missing'], true]);
  });

  it('2: what is needed cannot be read', async (test) => {
    const { preflight, file } = await bench(test);
    for (const words of [
      [],
      ['--require', 'search'],
      ['--require', '/search'],
      [file('{"needs": []}')],
      [file('[1]')],
      [file('{oops')],
      [file('# nothing\n')],
      ['/no/such/file'],
    ]) {
      const { code, error } = await preflight(...words);
      assert.equal(code, 2, words.join(' '));
      assert.notEqual(error, null);
    }
  });

  it('2: a pin that is too short, too long or no hash, in each form, says so', async (test) => {
    const { preflight, file, server } = await bench(test);
    const hash = contractHash(SEARCH);
    for (const pin of ['', hash.slice(0, 11), `${hash}0`, hash.toUpperCase(), 'latest', '1.2']) {
      const wanted = `${server}/search@${pin}`;
      for (const words of [['--require', wanted], [file(`${wanted}\n`)], [file(JSON.stringify([wanted]))]]) {
        const { code, error } = await preflight(...words);
        assert.deepEqual([code, error.code], [2, 'usage'], wanted);
        assert.match(error.message, /what follows @ in .*search@.* is not the hash of a contract/);
        assert.match(error.hint, /12 to 64 of its digits/);
      }
    }
    // A tool with @ in its name can be required with its pin.
    const { code, tools } = await preflight('--require', `${server}/search@v2@${hash}`);
    assert.deepEqual([code, tools[0]?.tool, tools[0]?.pin], [10, 'search@v2', hash]);
  });

  it('people read a line for each, and what changed', async (test) => {
    const { env, server, release } = await bench(test);
    release([RENAMED, FETCH]);
    const words = ['preflight', '--require', `${server}/search`, '--require', `${server}/fetch`];
    const { stdout, code } = await drive('cli.cjs', null, env, words, true);
    assert.equal(code, 11);
    assert.match(stdout, /✘ .*\/search: changed: it is not as it was approved\n {2}\S/);
    assert.match(stdout, /✔ .*\/fetch: as approved\n\n1 of 2 tools not as needed/);
  });
});
