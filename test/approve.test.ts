// `approve`, at a terminal and without one.
import assert from 'node:assert/strict';
import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { changesBetween } from '../scripts/lock/compare.ts';
import { diffHash, type Pending, withRenames } from '../scripts/lock/pending.ts';
import { makePin } from '../scripts/lock/seal.ts';
import { pinOf } from '../scripts/lock/unapproved.ts';
import { atTerminal, openTerminal, whyNoPerson } from './at-terminal.ts';
import { editedPins } from './edited-pins.ts';
import { initGit, noGit, setUser } from './git.ts';
import { FETCH, parsed, RENAMED, SEARCH, workbench } from './lock-bench.ts';
import { drive, runProgram, tool } from './sandbox.ts';
import { terminal, typeCode, whyNoTerminal } from './terminal.ts';

it('a tool that is gone and a new one are one renamed tool within a server, and never of two', () => {
  const was = makePin('north', FETCH);
  const came = { ...FETCH, name: 'fetch_page' };
  const of = (server: string): Pending[] =>
    withRenames([
      { server: 'north', tool: 'fetch', what: 'removed', pin: was, changes: [] },
      { server, tool: 'fetch_page', what: 'new', live: came, changes: [] },
    ]);
  assert.deepEqual(
    of('north').map(({ tool, renamed }) => [tool, renamed?.tool]),
    [['fetch_page', 'fetch']],
  );
  assert.deepEqual(
    of('south').map(({ tool, renamed }) => [tool, renamed?.tool]),
    [
      ['fetch', undefined],
      ['fetch_page', undefined],
    ],
  );
});

describe('approve', { concurrency: 3 }, () => {
  it('is for a person at a terminal', async (test) => {
    const bench = await workbench(test);
    await bench.pinned();
    bench.release([RENAMED, FETCH]);
    const text = bench.lockText();
    for (const [env, input] of [
      [{}, null],
      [{}, 'y\ny\n'],
      [{ CLAUDECODE: '1' }, 'y\n'],
    ] as const) {
      const { code, stdout, stderr } = await bench.run(['approve'], env, input);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(
        stderr,
        /^konnichiwagwan: only a person can approve, at a terminal of their own: .+\n {2}open a terminal.+\n$/,
      );
    }
    const { code, error } = await bench.envelope(['approve'], { CLAUDE_CODE_ENTRYPOINT: 'cli' });
    assert.deepEqual([code, error.code], [2, 'needs-a-person']);
    assert.equal(bench.lockText(), text);
  });

  describe('at a terminal', { skip: whyNoPerson, concurrency: 3 }, () => {
    it('asks about nothing that no lockfile may hold, and says why', async (test) => {
      const bench = await workbench(test);
      await bench.pinned();
      const text = bench.lockText();
      bench.release([FETCH, { ...FETCH, title: 'Twin' }, { ...SEARCH, description: 'Signed in with s3cret-value.' }]);
      const { code, screen } = await atTerminal({ ...bench.env, MY_TOKEN: 's3cret-value' }, ['approve'], []);
      assert.equal(code, 1, screen);
      const reasons = [...screen.matchAll(/^ {2}(not possible: .*?)\r?$/gm)].map(([, reason]) => reason);
      assert.deepEqual(reasons, [
        'not possible: what it takes is not known',
        'not possible: it gives away the value of MY_TOKEN, which must not be committed',
      ]);
      assert.match(screen, /fetch changed \(1 unclassified\)[\s\S]*could not be read: it is listed twice, differently/);
      assert.equal(bench.lockText(), text);
    });

    it('writes what was said yes to, and nothing else', async (test) => {
      const bench = await workbench(test);
      const server = await bench.pinned();
      bench.release([RENAMED, tool('extra', { a: { type: 'string', description: 'Words.' } })]);
      // extra: yes; fetch is gone: no; search: yes.
      const { code, screen } = await atTerminal(
        bench.env,
        ['approve', '--why', 'the new release', '--by', 'A Person'],
        ['y\r', '\r', 'yes\r'],
      );
      assert.equal(code, 1, screen);
      assert.match(
        screen,
        /extra is new[\s\S]*"description": "Words\."[\s\S]*fetch is gone[\s\S]*search changed \(1 breaking\)/,
      );
      assert.match(screen, new RegExp(`Not approved: ${server}/fetch`));
      const lock = parsed(bench.lockText());
      assert.deepEqual(editedPins(lock), []);
      assert.deepEqual([...(lock.get(server)?.keys() ?? [])], ['extra', 'fetch', 'search']);
      const { approved } = pinOf(lock, server, 'search') ?? assert.fail();
      assert.deepEqual([approved?.by, approved?.why], ['A Person', 'the new release']);
      assert.ok(Math.abs(Date.parse(approved?.at ?? '') - Date.now()) < 60_000);
      assert.equal(approved?.diff, diffHash(changesBetween(SEARCH, RENAMED)));
      assert.equal(pinOf(lock, server, 'fetch')?.approved, undefined);
      assert.equal((await bench.run(['verify'])).code, 1);

      const last = await atTerminal(bench.env, ['approve', `${server}/fetch`], ['y\r']);
      assert.equal(last.code, 0, last.screen);
      assert.equal((await bench.run(['verify'])).code, 0);
      assert.match((await atTerminal(bench.env, ['approve'], [])).screen, /All as pinned: nothing to approve\./);
    });

    it('takes one reason for the rest of a server, and asks again for the next server', async (test) => {
      const bench = await workbench(test);
      const { GATEWAY_URL: url, ...env } = bench.env;
      writeFileSync(join(bench.state, 'config.json'), JSON.stringify({ gateways: { one: { url }, two: { url } } }));
      const pinned = await drive('cli.cjs', null, env, ['pin', '--all'], true);
      assert.equal(pinned.code, 0, pinned.stdout + pinned.stderr);
      bench.release([RENAMED, { ...FETCH, description: 'New.' }]);
      const { code, screen } = await atTerminal(env, ['approve'], ['a\r', 'y\r', 'a\r', 'y\r'], async () => {}, [
        'for one',
        'for two',
      ]);
      assert.equal(code, 0, screen);
      const lock = parsed(bench.lockText());
      const why = (server: string) => ['fetch', 'search'].map((name) => pinOf(lock, server, name)?.approved?.why);
      assert.deepEqual(
        [why('one'), why('two')],
        [
          ['for one', 'for one'],
          ['for two', 'for two'],
        ],
      );
    });

    it('tells what cannot be known about the rules before it asks', { skip: noGit }, async (test) => {
      const bench = await workbench(test);
      await bench.pinned();
      bench.release([RENAMED, FETCH]);
      initGit(bench.project);
      writeFileSync(join(bench.project, '.git', 'config'), '[core');
      const warning = /warning: git cannot read the repository of .+: the rules of its last commit are not known/;
      const { code, screen } = await atTerminal(bench.env, ['approve'], ['y\r']);
      assert.equal(code, 0, screen);
      assert.ok(screen.search(warning) >= 0 && screen.search(warning) < screen.search(/approve .*search\?/), screen);
      assert.equal(screen.split('warning:').length - 1, 1, 'told twice');
    });

    it('names the tool in the question, explains its keys, and asks about each although one reason is for all', async (test) => {
      const bench = await workbench(test, [SEARCH, FETCH, tool('list', {})]);
      const server = await bench.pinned();
      const changed = [RENAMED, { ...FETCH, description: 'New.' }, tool('list', { all: { type: 'boolean' } })];
      bench.release(changed);
      const asked = await atTerminal(bench.env, ['approve'], ['what\r', '?\r', 'q\r']);
      assert.equal(asked.code, 1, asked.screen);
      assert.match(asked.screen, new RegExp(`\\(1/3\\) approve ${server}/fetch\\? \\[y/n/a/q/\\?\\]`));
      assert.match(asked.screen, /y {2}yes, to what is shown above[\s\S]*q {2}stop here/);
      assert.match(asked.screen, new RegExp(`Not approved: ${server}/fetch, ${server}/list, ${server}/search`));
      const half = await atTerminal(bench.env, ['approve'], ['n\r', 'a\r', 'n\r'], async () => {}, ['the release']);
      assert.match(half.screen, new RegExp(`Not approved: ${server}/fetch, ${server}/search`));
      assert.equal(pinOf(parsed(bench.lockText()), server, 'search')?.approved, undefined, 'it was not looked at');
      bench.release([
        changed[0] as (typeof changed)[number],
        changed[1] as (typeof changed)[number],
        tool('list', { all: {} }),
      ]);
      const one = await atTerminal(bench.env, ['approve'], ['n\r', 'a\r', 'y\r'], async () => {}, ['the release']);
      assert.equal(one.code, 1, one.screen);
      assert.match(one.screen, /\(3\/3\) approve .*search\? \[y\/n\/a\/q/, 'it is asked about');
      assert.equal(one.screen.split('Why?').length - 1, 1, 'one reason for all');
      const lock = parsed(bench.lockText());
      assert.deepEqual(
        ['fetch', 'list', 'search'].map((name) => pinOf(lock, server, name)?.approved?.why),
        [undefined, 'the release', 'the release'],
      );
      assert.match(one.screen, new RegExp(`Not approved: ${server}/fetch`));
    });

    it('shows a renamed tool as one, and moves its pin', async (test) => {
      const bench = await workbench(test);
      const server = await bench.pinned();
      bench.release([{ ...SEARCH, name: 'search_all' }, FETCH]);
      const no = await atTerminal(bench.env, ['approve'], ['n\r']);
      assert.match(no.screen, new RegExp(`Not approved: ${server}/search, ${server}/search_all`));
      const { code, screen } = await atTerminal(bench.env, ['approve'], ['y\r']);
      assert.equal(code, 0, screen);
      assert.match(screen, new RegExp(`${server}/search_all is ${server}/search under a new name`));
      assert.match(screen, /\(1\/1\) approve/);
      assert.doesNotMatch(screen, /is gone/);
      const lock = parsed(bench.lockText());
      assert.deepEqual([...(lock.get(server)?.keys() ?? [])], ['fetch', 'search_all']);
      assert.ok(lock.get(server)?.removed?.get('search')?.approved);
      assert.deepEqual(editedPins(lock), []);
      assert.equal((await bench.run(['verify'])).code, 0);
    });

    it('loses nothing on Ctrl-C, and asks about no more', async (test) => {
      const bench = await workbench(test);
      const server = await bench.pinned();
      bench.release([RENAMED, { ...FETCH, description: 'New.' }]);
      const { code, screen } = await atTerminal(bench.env, ['approve'], ['y\r', '\x03']);
      assert.equal(code, 1, screen);
      const lock = parsed(bench.lockText());
      assert.equal(pinOf(lock, server, 'fetch')?.contract.description, 'New.');
      assert.deepEqual(pinOf(lock, server, 'search')?.contract, SEARCH);
      assert.match(screen, new RegExp(`Not approved: ${server}/search`));
    });

    it('makes no new lockfile in place of one that went meanwhile', async (test) => {
      const bench = await workbench(test);
      const server = await bench.pinned();
      bench.release([SEARCH, FETCH, { ...FETCH, name: 'fetch_all' }]);
      const refuse = ['--refuse', `${server}/search`, '--why', 'It tells others.'];
      for (const [more, answer] of [
        [[], 'y\r'],
        [refuse, 'y\r'],
      ] as const) {
        const text = bench.lockText();
        const went = async () => rmSync(bench.path);
        const { code, screen } = await atTerminal(bench.env, ['approve', ...more], [answer], went, ['the release']);
        assert.equal(code, 2, screen);
        assert.match(screen, /went while this was under way/);
        assert.ok(!existsSync(bench.path));
        writeFileSync(bench.path, text);
      }
    });

    it('takes an edited pin back, and names who approves as git does', {
      skip: noGit,
    }, async (test) => {
      const bench = await workbench(test);
      const server = await bench.pinned();
      initGit(bench.project);
      setUser(bench.project, 'Some One', 'one@example.org');
      const flipped = (digit: string) => (digit === '0' ? '1' : '0');
      writeFileSync(bench.path, bench.lockText().replace(/(?<="seal": ")./, flipped));
      const { code, screen } = await atTerminal(bench.env, ['approve'], ['y\r']);
      assert.equal(code, 0, screen);
      assert.match(screen, /fetch has a pin that was edited by hand/);
      assert.equal(pinOf(parsed(bench.lockText()), server, 'fetch')?.approved?.by, 'Some One <one@example.org>');
      assert.equal((await bench.run(['verify'])).code, 0);
    });

    it('an answer that was there before the question is none', async (test) => {
      const bench = await workbench(test);
      await bench.pinned();
      bench.release([RENAMED, FETCH]);
      let screen = '';
      let stopped = false;
      let typed = false;
      const { type, ended } = openTerminal(bench.env, ['approve'], async (text) => {
        screen += text;
        if (!typed && /Type \d{4}/.test(screen)) {
          typed = true;
          // Sent together with the Enter of the digits: later, the question could already be there on a busy machine.
          await typeCode(screen, (keys) => type(keys === '\r' ? '\ry\ry\r' : keys));
        }
        if (!stopped && screen.includes('[y/n/a/q/?]')) {
          stopped = true;
          type('\x03');
        }
      });
      type('y\ry\r');
      await ended;
      assert.match(screen, /Not approved/);
      assert.deepEqual(
        pinOf(parsed(bench.lockText()), Object.keys(JSON.parse(bench.lockText()).servers)[0] as string, 'search')
          ?.contract,
        SEARCH,
      );
    });

    it('refuses under Claude Code at a terminal, too', async (test) => {
      const bench = await workbench(test);
      await bench.pinned();
      const { code, screen } = await atTerminal({ ...bench.env, CLAUDECODE: '1' }, ['approve'], []);
      assert.equal(code, 2);
      assert.match(screen, /runs under Claude Code \(CLAUDECODE is set\)/);
    });

    it('refuses where a process above is Claude Code, or was started by it', {
      skip: whyNoTerminal,
    }, async (test) => {
      const bench = await workbench(test);
      await bench.pinned();
      const claude = join(bench.home, 'claude');
      symlinkSync('/bin/bash', claude);
      const under = async (shell: string, more: NodeJS.ProcessEnv): Promise<string> =>
        (await runProgram(terminal, ['-qec', shell, '/dev/null'], { env: { ...bench.env, ...more } })).stdout;
      const command = `${process.execPath} ${resolve('dist/cli.cjs')} approve; true`;
      assert.match(await under(`${claude} -c "${command}"`, {}), /runs under Claude Code \(process \d+\)/);
      assert.match(
        await under(`env -u CLAUDECODE ${command}`, { CLAUDECODE: '1' }),
        /CLAUDECODE is set in process \d+/,
      );
    });

    it('wants a lockfile, and tools that exist', async (test) => {
      const bench = await workbench(test);
      assert.match((await atTerminal(bench.env, ['approve'], [])).screen, /there is no mcp-contracts\.lock\.json/);
      const server = await bench.pinned();
      for (const [args, says] of [
        [[`${server}/nope`], /has no tool "nope"/],
        [['nope'], /nope: could not be checked: it is not configured here/],
        [[`${server}/`], /is not SERVER or SERVER\/TOOL/],
        [['--why', ' '], /--why is a text of 1 to 1000 characters/],
      ] as const) {
        const { code, screen } = await atTerminal(bench.env, ['approve', ...args], []);
        assert.equal(code, 2, screen);
        assert.match(screen, says);
      }
    });
  });
});
