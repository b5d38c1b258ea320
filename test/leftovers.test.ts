// Half-written files of processes that were killed: the next writer removes them, and nothing else.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { removeLeftoversOf } from '../scripts/state/leftovers.ts';
import { drive, sandbox, tool } from './sandbox.ts';

const WEATHER = tool('weather', { city: { type: 'string' } });
/** No system gives this number to a process. */
const GONE = 999_999_999;
const MINUTE = 60_000;

const leave = (path: string, age: number): string => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '{"half');
  const at = (Date.now() - age) / 1000;
  utimesSync(path, at, at);
  return path;
};

const there = (paths: string[]): boolean[] => paths.map((path) => existsSync(path));

describe('what a killed process left', () => {
  it('of one file is gone at once where a lock keeps all others out, and of no other file', async (test) => {
    const { state } = await sandbox(test, []);
    const [young, other, running] = [`a.json.${GONE}.0.tmp`, `b.json.${GONE}.0.tmp`, `a.json.${process.pid}.0.tmp`].map(
      (name) => leave(join(state, name), 0),
    ) as [string, string, string];
    removeLeftoversOf(join(state, 'a.json'));
    assert.deepEqual(there([young, other, running]), [true, true, true]);
    removeLeftoversOf(join(state, 'a.json'), true);
    assert.deepEqual(there([young, other, running]), [false, true, true]);
  });

  it('in the state folder is gone after the next start of a session', async (test) => {
    const { state, start } = await sandbox(test, [WEATHER]);
    await start({ session_id: 'earlier' });
    const old = [
      `session_schema.json.${GONE}.0.tmp`,
      `config.json.${GONE}.1.tmp`,
      `live/0123abcd.json.${GONE}.2.tmp`,
      `live/0123abcd.head.json.${GONE}.3.tmp`,
      `sessions/earlier.json.${GONE}.0.tmp`,
      `sessions/earlier/main.view.json.${GONE}.17.tmp`,
    ].map((path) => leave(join(state, path), 2 * MINUTE));
    const unnamed = leave(join(state, 'sessions/earlier.json.tmp-1234567890abcdef'), 2 * 60 * MINUTE);
    old.push(
      ...['0123abcd.asking', 'baseline-earlier.asking', '0123abcd.asking.takeover'].map((name) =>
        leave(join(state, 'live', name), 2 * 60 * MINUTE),
      ),
    );
    const kept = [
      leave(join(state, `live/0123abcd.json.${GONE}.9.tmp`), MINUTE / 4),
      leave(join(state, `live/0123abcd.json.${process.pid}.0.tmp`), 2 * MINUTE),
      leave(join(state, 'sessions/earlier.json.tmp-1234567890abcdee'), 2 * MINUTE),
      leave(join(state, 'live/0123abce.asking'), MINUTE),
      leave(join(state, 'notes.tmp'), 60 * 24 * MINUTE),
      leave(join(state, `live/mine.txt.${GONE}.0.tmp`), 2 * MINUTE),
    ];
    const { stdout, stderr, code } = await start();
    assert.deepEqual([stdout, stderr, code], ['', '', 0]);
    assert.deepEqual(
      there([...old, unnamed]),
      [...old, unnamed].map(() => false),
    );
    assert.deepEqual(
      there(kept),
      kept.map(() => true),
      'young ones, those of a process that runs, and what is not ours stay',
    );
  });

  it('of a source that was not asked for thirty days is gone after the next start of a session', async (test) => {
    const { state, start } = await sandbox(test, [WEATHER]);
    const at = (path: string, days: number): string => leave(join(state, path), days * 24 * 60 * MINUTE);
    const old = ['json', 'head.json', 'prompts.json'].map((end) => at(`live/a.b-0123456789abcdef.${end}`, 31));
    const kept = [
      at('live/used-0123456789abcdef.json', 400),
      at('live/used-0123456789abcdef.head.json', 29),
      at('live/notes.json', 400),
    ];
    await start();
    assert.deepEqual(there([...old, ...kept]), [...old.map(() => false), ...kept.map(() => true)]);
  });

  it('of a session without a baseline is gone thirty days later, though no start records one', async (test) => {
    const { state, start, env } = await sandbox(test, [WEATHER]);
    delete env.GATEWAY_URL;
    for (const [session, days] of [
      ['long-ago', 31],
      ['lately', 29],
      ['no session', 31],
    ] as const) {
      leave(join(state, 'sessions', session, 'x.json'), 0);
      const then = (Date.now() - days * 24 * 60 * MINUTE) / 1000;
      utimesSync(join(state, 'sessions', session), then, then);
    }
    await start();
    assert.deepEqual(readdirSync(join(state, 'sessions')).sort(), ['lately', 'no session']);
  });

  it('beside the lockfile is gone when it is written again', async (test) => {
    const { project, env } = await sandbox(test, [WEATHER]);
    const lock = join(project, 'mcp-contracts.lock.json');
    const old = leave(`${lock}.${GONE}.0.tmp`, 2 * MINUTE);
    const kept = [
      leave(`${lock}.${process.pid}.0.tmp`, 2 * MINUTE),
      leave(`${lock}.tmp`, 2 * MINUTE),
      leave(join(project, `other.json.${GONE}.0.tmp`), 2 * MINUTE),
    ];
    const { code, stderr } = await drive('cli.cjs', null, env, ['pin'], true);
    assert.ok(existsSync(lock), `${code} ${stderr}`);
    assert.equal(existsSync(old), false);
    assert.deepEqual(there(kept), [true, true, true]);
  });

  it('beside the settings is gone after the next install, which is kept from nothing by it', async (test) => {
    const { home } = await sandbox(test, [WEATHER]);
    const claude = join(home, '.claude');
    const old = leave(join(claude, `settings.json.${GONE}.0.tmp`), 2 * MINUTE);
    const kept = [
      leave(join(claude, `settings.json.${process.pid}.0.tmp`), 2 * MINUTE),
      leave(join(claude, `other.json.${GONE}.0.tmp`), 2 * MINUTE),
    ];
    const env = { HOME: home };
    assert.equal((await drive('cli.cjs', null, env, ['install'], true)).code, 0);
    assert.equal(existsSync(old), false);
    assert.deepEqual(there(kept), [true, true]);
    assert.equal((await drive('cli.cjs', null, env, ['uninstall'], true)).code, 0);
    assert.deepEqual(readdirSync(claude).sort(), kept.map((path) => path.slice(claude.length + 1)).sort());
  });
});
