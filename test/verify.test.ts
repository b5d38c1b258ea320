// `verify` as the built file runs it.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startGateway } from '../scripts/demo/loopback.ts';
import { renderLock } from '../scripts/lock/render.ts';
import { LOCKFILE } from '../scripts/lock/types.ts';
import { FETCH, lockOf, RENAMED, SEARCH, workbench } from './lock-bench.ts';
import { tool } from './sandbox.ts';

describe('verify', { concurrency: 3 }, () => {
  const READERS: Record<string, (text: string) => number> = {
    text: (text) => Number(/^(\d+) breaking/m.exec(text)?.[1] ?? 0),
    markdown: (text) => (text.match(/^\| 🔴/gm) ?? []).length,
    sarif: (text) => JSON.parse(text).runs[0].results.length,
    github: (text) => (text.match(/^::error /gm) ?? []).length,
    junit: (text) => Number(/<testsuites [^>]*failures="(\d+)"/.exec(text)?.[1]),
    html: (text) => (text.match(/class="badge breaking">breaking/g) ?? []).length,
  };

  for (const [format, count] of Object.entries(READERS)) {
    it(`as ${format}: 0, 1 and 2`, async (test) => {
      const bench = await workbench(test);
      const server = await bench.pinned();
      const report = async () => {
        const out = join(bench.home, `report ${format}`);
        const [{ code, stdout }, written] = [
          await bench.run(['verify', '--format', format]),
          await bench.run(['verify', '--format', format, '--output', out]),
        ];
        assert.equal(written.code, code);
        assert.equal(readFileSync(out, 'utf8'), stdout);
        return { code, stdout };
      };
      const same = await report();
      assert.deepEqual([same.code, count(same.stdout)], [0, 0]);
      bench.release([RENAMED, FETCH]);
      const differs = await report();
      assert.deepEqual([differs.code, count(differs.stdout)], [1, 1], differs.stdout);
      assert.ok(differs.stdout.includes(`${server}/search`));
      bench.gateway.close();
      const down = await report();
      assert.equal(down.code, 2);
      assert.match(down.stdout, /could not be checked/);
    });
  }

  it('names the line of the lockfile', async (test) => {
    const bench = await workbench(test);
    await bench.pinned();
    bench.release([RENAMED, FETCH]);
    const { stdout } = await bench.run(['verify', '--format', 'github'], { GITHUB_WORKSPACE: bench.project });
    const line =
      bench
        .lockText()
        .split('\n')
        .findIndex((text) => text.includes('"query": {')) + 1;
    assert.ok(stdout.startsWith(`::error file=${LOCKFILE},line=${line},`), stdout);
  });

  it('tells tools that came and went', async (test) => {
    const bench = await workbench(test);
    const server = await bench.pinned();
    bench.release([SEARCH, tool('delete_all', { confirm: { type: 'boolean' } })]);
    const { code, data } = await bench.envelope(['verify']);
    assert.equal(code, 1);
    assert.deepEqual(
      data.changes.map(({ server, tool, rule }: Record<string, string>) => [server, tool, rule]),
      [
        [server, 'fetch', 'tool-removed'],
        [server, 'delete_all', 'tool-added'],
      ],
    );
    assert.deepEqual(data.summary, { breaking: 1, compatible: 1 });
  });

  it('leaves out milder changes where it is told to, and never an edit or a gap', async (test) => {
    const bench = await workbench(test);
    const server = await bench.pinned();
    bench.release([{ ...SEARCH, description: 'Finds other things.' }, FETCH]);
    assert.equal((await bench.run(['verify'])).code, 1);
    assert.equal((await bench.run(['verify', '--level', 'breaking'])).code, 0);
    writeFileSync(bench.path, bench.lockText().replace('"Finds things."', '"Finds  things."'));
    const { code, data } = await bench.envelope(['verify', '--level', 'breaking']);
    assert.deepEqual([code, data.changes.length], [1, 1]);
    assert.deepEqual(
      [data.changes[0].server, data.changes[0].tool, data.changes[0].rule],
      [server, 'search', 'pin-edited'],
    );
    bench.gateway.close();
    assert.equal((await bench.run(['verify', '--level', 'breaking'])).code, 1, 'found counts before could not check');
  });

  it('finds words that changed places, where it leaves out what is milder', async (test) => {
    const forms = (soft: string, hard: string) =>
      tool('clear', {
        mode: {
          oneOf: [
            { const: 'soft', description: soft },
            { const: 'hard', description: hard },
          ],
        },
      });
    const bench = await workbench(test, [forms('Keeps the files', 'Deletes the files')]);
    await bench.pinned();
    assert.equal((await bench.run(['verify', '--level', 'semantic'])).code, 0);
    bench.release([forms('Deletes the files', 'Keeps the files')]);
    const { code, data } = await bench.envelope(['verify', '--level', 'semantic']);
    assert.equal(code, 1);
    assert.deepEqual(
      data.changes.map(({ level, rule }: Record<string, string>) => `${level} ${rule}`),
      ['semantic input-property-words-changed', 'semantic input-property-words-changed'],
    );
  });

  it('nothing there to compare with is never 0', async (test) => {
    const bench = await workbench(test);
    const none = await bench.envelope(['verify']);
    assert.deepEqual([none.code, none.error.code], [2, 'no-lockfile']);
    const server = await bench.pinned();
    const gone = await bench.envelope(['verify'], { GATEWAY_URL: '' });
    assert.deepEqual([gone.code, gone.data.servers[0].why], [2, 'it is not configured here']);
    assert.deepEqual((await bench.envelope(['verify', 'nope'])).code, 2);
    writeFileSync(bench.path, renderLock(new Map()));
    const unpinned = await bench.envelope(['verify']);
    assert.deepEqual([unpinned.code, unpinned.data.servers[0].state], [1, 'not-pinned']);
    assert.equal(unpinned.data.changes[0].rule, 'server-not-pinned');
    assert.match(
      (await bench.run(['verify'])).stdout,
      new RegExp(`not pinned \\(2 tools\\): run konnichiwagwan pin ${server}`),
    );
    for (const [text, says] of [
      ['{"lockfileVersion": 3}', /newer/],
      ['=======\n', /merge conflict in line 1/],
    ] as const) {
      writeFileSync(bench.path, text);
      const { code, error } = await bench.envelope(['verify']);
      assert.deepEqual([code, error.code], [2, 'unreadable-lockfile']);
      assert.match(error.message, says);
      const plain = await bench.run(['verify', '--format', 'sarif']);
      assert.deepEqual([plain.code, plain.stdout], [2, '']);
    }
  });

  it('names many servers that are not pinned on one line', async (test) => {
    const { url, close } = await startGateway('1', [SEARCH]);
    test.after(close);
    const names = ['alpha', 'beta', 'gamma', 'delta'];
    const bench = await workbench(test, [SEARCH], {
      gateways: Object.fromEntries(names.map((name) => [name, { url }])),
    });
    writeFileSync(bench.path, renderLock(new Map()));
    const { code, stdout } = await bench.run(['verify'], { GATEWAY_URL: '' });
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^4 servers are not pinned: alpha, beta, delta, gamma\. To pin one that your team shares: .* pin NAME$/m,
    );
    assert.doesNotMatch(stdout, /not pinned \(/);
    const some = await bench.run(['verify', 'alpha', 'beta'], { GATEWAY_URL: '' });
    assert.match(some.stdout, /^alpha: not pinned \(1 tool\): run konnichiwagwan pin alpha\nbeta: not pinned/m);
    assert.doesNotMatch(some.stdout, /servers are not pinned/);
  });

  it('a server that has to be started is not checked, and the flag is named', async (test) => {
    const bench = await workbench(test);
    const program = join(bench.home, 'server.mjs');
    writeFileSync(
      program,
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(`${program}.ran`)}, '');`,
    );
    const settings = { mcpServers: { local: { command: process.execPath, args: [program] } } };
    writeFileSync(join(bench.home, '.claude.json'), JSON.stringify(settings));
    writeFileSync(bench.path, renderLock(lockOf({ local: [SEARCH] })));
    const { code, data } = await bench.envelope(['verify', 'local']);
    assert.deepEqual([code, data.servers[0].state], [2, 'not-checked']);
    const { stdout } = await bench.run(['verify', 'local']);
    assert.match(stdout, /^local: could not be checked: .*--spawn/);
    assert.equal(existsSync(`${program}.ran`), false);
  });

  it('takes files in place of servers', async (test) => {
    const bench = await workbench(test);
    const server = await bench.pinned();
    const [same, other] = [
      bench.file({ tools: [FETCH, SEARCH] }, 'same=1.json'),
      bench.file({ result: { tools: [RENAMED] } }, 'other.json'),
    ];
    // No server is asked: it is gone.
    bench.gateway.close();
    assert.equal((await bench.run(['verify', '--offline', same])).code, 0);
    assert.equal((await bench.run(['verify', '--offline', `${server}=${same}`])).code, 0);
    const { code, data } = await bench.envelope(['verify', '--offline', other]);
    assert.deepEqual([code, data.summary], [1, { breaking: 2 }]);
    const piped = await bench.run(['verify', '--offline', '-'], {}, JSON.stringify([SEARCH, FETCH]));
    assert.deepEqual([piped.code, piped.stdout], [0, `${server}: 2 tools as pinned, 2 without a record of approval\n`]);
    for (const args of [
      ['--offline', same, '--offline', other],
      ['--offline', same, '--spawn'],
      ['--offline', same, '--format', 'nope'],
      ['--offline', same, '--level', 'nope'],
    ]) {
      const wrong = await bench.run(['verify', ...args]);
      assert.deepEqual([wrong.code, wrong.stdout], [2, ''], args.join(' '));
    }
    const both = await bench.envelope(['verify', '--offline', same, '--format', 'html']);
    assert.deepEqual([both.code, both.error.message], [2, '--json is a format of its own']);
    assert.equal((await bench.run(['verify', '--offline', join(bench.home, 'absent')])).code, 2);
    const page = bench.file({ tools: [SEARCH], nextCursor: '2' }, 'page.json');
    const checked = await bench.run(['verify', '--offline', page]);
    assert.equal(checked.code, 2, 'the tools that are not on it may be on the next one');
    assert.match(
      checked.stdout,
      /could not be checked: .*page\.json.* is one page of a longer list: pass all pages as one list/,
    );
  });

  it('with several servers a file needs a name, and what has none is not checked', async (test) => {
    const bench = await workbench(test);
    writeFileSync(bench.path, renderLock(lockOf({ a: [SEARCH], 'b/c=d': [FETCH] })));
    const [a, b] = [bench.file([SEARCH], 'a.json'), bench.file([FETCH], 'b.json')];
    assert.match((await bench.run(['verify', '--offline', a])).stderr, /does not say which server it is for/);
    assert.equal((await bench.run(['verify', '--offline', `a=${a}`, '--offline', `b~1c=d=${b}`])).code, 0);
    const half = await bench.envelope(['verify', '--offline', `a=${a}`]);
    assert.deepEqual(
      [half.code, half.data.servers.map(({ state }: { state: string }) => state)],
      [2, ['as-pinned', 'not-checked']],
    );
    assert.equal((await bench.run(['verify', 'a', '--offline', a])).code, 0);
    assert.equal((await bench.run(['verify', 'b~1c=d', '--offline', a])).code, 1);
  });
});

describe('verify and pin', () => {
  it('ask anew, however long an answer counts elsewhere', async (test) => {
    const bench = await workbench(test, [SEARCH, FETCH], { freshFor: 60 });
    await bench.pinned();
    assert.equal((await bench.run(['verify'])).code, 0);
    bench.release([RENAMED, FETCH]);
    assert.equal((await bench.run(['verify'])).code, 1);
  });
});
