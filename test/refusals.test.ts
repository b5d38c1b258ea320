// Tools that a person refused: in the lockfile, at the guard, in CI, and how that ends.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { contractHash } from '../scripts/contract/canonical.ts';
import { meaningHash } from '../scripts/contract/meaning.ts';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { withRefusalsAbove } from '../scripts/lock/above.ts';
import { unrecorded } from '../scripts/lock/records.ts';
import { refusalOf } from '../scripts/lock/refused.ts';
import { renderLock } from '../scripts/lock/render.ts';
import { NO_RULES } from '../scripts/lock/rules.ts';
import { makePin, makeRefused } from '../scripts/lock/seal.ts';
import { LOCKFILE, type Lock, toPins } from '../scripts/lock/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import { say } from '../scripts/text/shown.ts';
import { doubtAbout, readPins } from '../scripts/wrap/pins.ts';
import { atTerminal, whyNoPerson } from './at-terminal.ts';
import { initGit, noGit } from './git.ts';
import { DRAFT, FETCH, lockOf, parsed, RENAMED, SEARCH, workbench } from './lock-bench.ts';
import { tool } from './sandbox.ts';

const AT = '2026-06-01T09:00:00.000Z';
const SERVER = 'GATEWAY_URL';

/** A lock in which a tool of the server is refused, whatever its contract is or in one alone. */
const refusing = (pinned: Contract[], name: string, hash?: string): Lock => {
  const refused = { by: 'c@example.org', at: AT, why: 'It sends mail.', ...(hash ? { hash } : {}) };
  const pins = lockOf({ [SERVER]: pinned }).get(SERVER) ?? new Map();
  return new Map([[SERVER, toPins(pins, undefined, new Map([[name, makeRefused(SERVER, name, refused)]]))]]);
};

const bench = async (test: TestContext, lock: Lock, tools = [SEARCH, FETCH], config: JsonObject = {}) => {
  const made = await workbench(test, tools, { freshFor: 0, ...config });
  writeFileSync(made.path, renderLock(lock));
  await made.start();
  const call = async (name: string, args: JsonObject = {}) =>
    (await made.call(name, args)).answer?.hookSpecificOutput as JsonObject | undefined;
  return { ...made, asked: call };
};

describe('a refusal', { concurrency: 2 }, () => {
  it('is read as it was written, and a lockfile without one has the same bytes as ever', () => {
    const lock = refusing([SEARCH], 'fetch', '0'.repeat(64));
    const text = renderLock(lock);
    assert.deepEqual(parsed(text).get(SERVER)?.refused, lock.get(SERVER)?.refused);
    assert.equal(renderLock(parsed(text)), text);
    assert.doesNotMatch(renderLock(lockOf({ [SERVER]: [SEARCH] })), /refused/);
  });

  it('stops each call of the tool, and none of another', async (test) => {
    const box = await bench(test, refusing([SEARCH, FETCH], 'fetch'));
    const stopped = await box.asked('fetch', { url: 'x' });
    assert.equal(stopped?.permissionDecision, 'deny');
    const reason = String(stopped?.permissionDecisionReason);
    assert.match(
      reason,
      /was refused by "c@example\.org" on 2026-06-01 \(mcp-contracts\.lock\.json\): "It sends mail\."/,
    );
    assert.match(reason, /konnichiwagwan approve GATEWAY_URL\/fetch/);
    assert.equal(await box.asked('search', { query: 'x' }), undefined);
    box.release([SEARCH, { ...FETCH, description: 'Changed.' }]);
    assert.equal((await box.asked('fetch', { url: 'x' }))?.permissionDecision, 'deny');
  });

  it('of one contract holds by either of its hashes: as it is written, and by what it means', () => {
    const noisy: Contract = { ...FETCH, inputSchema: { $schema: DRAFT, ...(FETCH.inputSchema as JsonObject) } };
    assert.equal(meaningHash(noisy), meaningHash(FETCH));
    const isRefused = (hash: string, live: Contract | null): boolean =>
      refusalOf(refusing([SEARCH], 'fetch', hash).get(SERVER), 'fetch', live) !== undefined;
    for (const hash of [contractHash(noisy), meaningHash(noisy)]) assert.equal(isRefused(hash, noisy), true);
    assert.equal(isRefused(meaningHash(FETCH), { ...FETCH, description: 'Changed.' }), false);
    assert.equal(isRefused(meaningHash(FETCH), null), false);
  });

  it('of one contract holds for that alone', async (test) => {
    const box = await bench(test, refusing([SEARCH, FETCH], 'fetch', contractHash(FETCH)));
    assert.equal((await box.asked('fetch', { url: 'x' }))?.permissionDecision, 'deny');
    box.release([SEARCH, { ...FETCH, description: 'Another one.' }]);
    const other = await box.asked('fetch', { url: 'x' });
    assert.equal(other?.permissionDecision, 'ask', 'it is not what is pinned');
    assert.doesNotMatch(String(other?.permissionDecisionReason), /refused/);
  });

  it('is a notice in mode warn', async (test) => {
    const box = await bench(test, refusing([SEARCH, FETCH], 'fetch'), [SEARCH, FETCH], { mode: 'warn' });
    const { answer } = await box.call('fetch', { url: 'x' });
    assert.equal(answer?.hookSpecificOutput?.permissionDecision, undefined);
    assert.match(answer?.systemMessage ?? '', /was refused by/);
  });

  it('alone does not pin a server: its other tools are not asked about, and pin leaves it out', async (test) => {
    const box = await bench(test, refusing([], 'fetch'));
    assert.equal(await box.asked('search', { query: 'x' }), undefined);
    assert.equal((await box.asked('fetch', { url: 'x' }))?.permissionDecision, 'deny');
    assert.equal((await box.envelope(['verify'])).data.servers[0].state, 'not-pinned');
    assert.equal((await box.envelope(['pin'])).data.servers[0].state, 'pinned');
    const pins = parsed(box.lockText()).get(SERVER);
    assert.deepEqual([[...(pins?.keys() ?? [])], [...(pins?.refused?.keys() ?? [])]], [['search'], ['fetch']]);
    assert.equal((await box.envelope(['verify'])).code, 0);
  });

  it('expects nothing of the tool in CI, and is found where it was edited', async (test) => {
    const box = await bench(test, refusing([SEARCH, FETCH], 'fetch'));
    assert.equal((await box.envelope(['verify'])).code, 0);
    for (const tools of [[SEARCH, tool('fetch', { other: {} })], [SEARCH]]) {
      box.release(tools);
      assert.equal((await box.envelope(['verify'])).code, 0);
    }
    box.release([RENAMED]);
    assert.equal((await box.envelope(['verify'])).code, 1, 'another tool');
    box.release([SEARCH, FETCH]);
    writeFileSync(box.path, box.lockText().replace('It sends mail.', 'It sends males.'));
    const { code, data } = await box.envelope(['verify', '--records']);
    assert.deepEqual([code, data.changes[0].rule, data.changes[0].tool], [1, 'pin-edited', 'fetch']);
  });

  it('is no approval for a job, also in one contract, and verify counts no such tool as pinned', async (test) => {
    const changed = { ...FETCH, description: 'Fetches and sends.' };
    for (const [hash, live] of [
      [undefined, FETCH],
      [undefined, changed],
      [contractHash(changed), changed],
    ] as const) {
      const box = await bench(test, refusing([SEARCH, FETCH], 'fetch', hash), [SEARCH, live]);
      const needs = (name: string) => box.envelope(['preflight', '--require', `${SERVER}/${name}`]);
      const { code, data } = await needs('fetch');
      assert.deepEqual([code, data.tools[0].state], [11, 'refused']);
      assert.match(data.tools[0].why, /^by "c@example\.org" on 2026-06-01 .*"It sends mail\."$/);
      assert.equal((await needs('search')).code, 0);
      assert.match((await box.run(['verify'])).stdout, /: 1 tool as pinned, 1 refused/);
    }
    const other = await bench(test, refusing([SEARCH, FETCH], 'fetch', contractHash(changed)));
    assert.equal((await other.envelope(['preflight', '--require', `${SERVER}/fetch`])).code, 0, 'another contract');
  });

  it('cannot go without a newer yes', { skip: noGit }, async (test) => {
    const box = await bench(test, refusing([SEARCH, FETCH], 'fetch'));
    const git = (...args: string[]) => execFileSync('git', ['-C', box.project, ...args], { stdio: 'pipe' });
    initGit(box.project);
    git('add', '.');
    git('commit', '-qm', 'first');
    const since = () => box.envelope(['verify', '--records', '--since', 'main']);
    assert.equal((await since()).code, 0);
    writeFileSync(box.path, renderLock(lockOf({ [SERVER]: [SEARCH, FETCH] })));
    const { code, data } = await since();
    assert.deepEqual([code, data.changes[0].rule, data.changes[0].tool], [1, 'approval-missing', 'fetch']);
    assert.match(data.changes[0].message, /its refusal was removed since "main"/);
  });

  it('cannot shrink to one contract, or turn to another one, without a newer yes; it may grow', () => {
    const [one, other] = [contractHash(FETCH), contractHash(RENAMED)];
    for (const [was, is, ok] of [
      [undefined, undefined, true],
      [one, one, true],
      [one, undefined, true],
      [undefined, one, false],
      [one, other, false],
    ] as const) {
      const [before, now] = [was, is].map((hash) => refusing([SEARCH, FETCH], 'fetch', hash)) as [Lock, Lock];
      const found = unrecorded(before, now, NO_RULES, say`main`).get(SERVER) ?? [];
      assert.deepEqual(
        found.map(({ tool, rule }) => `${tool} ${rule}`),
        ok ? [] : ['fetch approval-missing'],
        `${was} → ${is}`,
      );
    }
  });

  it('cannot go by a yes that was there beside it, or is for another contract', () => {
    const yes = (at: string) => {
      const approved = { by: 'd@example.org', at, diff: '0'.repeat(64), to: contractHash(FETCH) };
      return new Map([['fetch', makePin(SERVER, FETCH, approved)]]);
    };
    const later = '2026-06-02T09:00:00.000Z';
    for (const [before, after, hash, ok] of [
      [later, later, undefined, false],
      [AT, later, undefined, true],
      [AT, later, contractHash(FETCH), true],
      [AT, later, contractHash(RENAMED), false],
    ] as const) {
      const from = refusing([SEARCH], 'fetch', hash).get(SERVER) ?? assert.fail();
      const [was, is] = [toPins(yes(before), undefined, from.refused), toPins(yes(after))];
      const found = unrecorded(new Map([[SERVER, was]]), new Map([[SERVER, is]]), NO_RULES, say`main`).get(SERVER);
      assert.equal(found?.length, ok ? 0 : 1, `${before}, ${after}, ${hash}`);
    }
  });

  it('of a lockfile further up holds beside a nearer one, until it is unknown what that refuses', {
    skip: noGit,
  }, (test) => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'konnichiwagwan-above-')));
    test.after(() => remove(root));
    const [home, project, far] = [join(root, 'state'), join(root, 'a'), join(root, LOCKFILE)];
    mkdirSync(project);
    const above = (lock: Lock, server = SERVER) =>
      withRefusalsAbove(lock, { home, project }, [project, root], [server]);
    const refusedIn = (lock: Lock) => above(lock).get(SERVER)?.refused?.get('fetch');
    // What git knows is no less there.
    writeFileSync(far, renderLock(refusing([SEARCH], 'fetch')));
    initGit(root);
    execFileSync('git', ['-C', root, 'add', LOCKFILE]);
    assert.deepEqual([...above(new Map(), 'another')], []);
    assert.equal(refusedIn(new Map())?.where, `../${LOCKFILE}`);
    const one = above(refusing([SEARCH, FETCH], 'fetch', '0'.repeat(64)));
    assert.equal(one.get(SERVER)?.size, 2);
    assert.equal(one.get(SERVER)?.refused?.get('fetch')?.hash, undefined, 'of every contract');
    assert.equal(refusedIn(refusing([], 'fetch'))?.where, undefined, 'the nearer one, where both are the same');
    writeFileSync(far, '{');
    assert.throws(() => above(new Map()), /\.\.\/mcp-contracts\.lock\.json is not JSON/);
    rmSync(far);
    assert.throws(() => above(new Map()), /is gone/);
    writeFileSync(far, renderLock(lockOf({ [SERVER]: [SEARCH] })));
    execFileSync('git', ['add', LOCKFILE], { cwd: root });
    rmSync(far);
    assert.deepEqual([...above(new Map())], [], 'it refused nothing');
  });

  it('of a call that could not be checked: what is stopped is not said to go through', async (test) => {
    const box = await bench(test, refusing([SEARCH, FETCH], 'fetch'));
    // Nothing was recorded of these sessions, and their transcript shows no tool.
    const call = async (name: string, session: string) =>
      (await box.call(name, { url: 'x', query: 'x' }, { session_id: session })).answer;
    const stopped = await call('fetch', 's2');
    assert.equal(stopped?.hookSpecificOutput?.permissionDecision, 'deny');
    assert.match(stopped?.systemMessage ?? '', /could not check calls of server `demo`: .* Run: /);
    assert.doesNotMatch(stopped?.systemMessage ?? '', /go through/);
    const sent = await call('search', 's3');
    assert.equal(sent?.hookSpecificOutput?.permissionDecision, undefined);
    assert.match(sent?.systemMessage ?? '', /could not check calls .* They go through unchecked\./);
  });

  it('is told to the reviewer of a pull request, once', { skip: noGit }, async (test) => {
    const box = await bench(test, lockOf({ [SERVER]: [SEARCH, FETCH] }));
    const git = (...args: string[]) => execFileSync('git', ['-C', box.project, ...args], { stdio: 'pipe' });
    initGit(box.project);
    git('add', '.');
    git('commit', '-qm', 'first');
    writeFileSync(box.path, renderLock(refusing([SEARCH, FETCH], 'fetch')));
    const since = ['verify', '--records', '--since', 'main'];
    const { data } = await box.envelope(since);
    assert.deepEqual(
      data.refused.map(({ server, tool, why }: Record<string, string>) => [server, tool, why]),
      [[SERVER, 'fetch', 'It sends mail.']],
    );
    assert.match(
      (await box.run(since)).stdout,
      /\nGATEWAY_URL\/fetch: refused by \S+, \d{4}-\d\d-\d\d: It sends mail\.\n/,
    );
    assert.match(
      (await box.run([...since, '--format', 'markdown'])).stdout,
      /#### Refused\n\n\| Tool .*\n\| --- .*\n\| GATEWAY&#95;URL&#47;fetch \| .*It sends mail&#46; \|/,
    );
    git('add', '.');
    git('-c', 'user.name=c', '-c', 'user.email=c@example.org', 'commit', '-qm', 'second');
    assert.deepEqual((await box.envelope(since)).data.refused, []);
  });

  it('is heeded by wrap --lock', async (test) => {
    const box = await bench(test, refusing([SEARCH, FETCH], 'fetch'));
    const about = { tool: 'fetch', server: SERVER, args: {}, trusted: false } as Parameters<typeof doubtAbout>[3];
    const pins = readPins(box.path, box.state, box.project);
    const doubt = doubtAbout(pins, FETCH, { mode: 'guard', trusted: false }, about);
    assert.equal(doubt?.verdict, 'deny');
    assert.match(doubt?.text ?? '', /was refused by "c@example\.org"/);
  });

  it('is for a person, and needs a reason', async (test) => {
    const box = await workbench(test);
    const { code, error } = await box.envelope(['approve', '--refuse', 'a/b', '--why', 'no'], { CLAUDECODE: '1' });
    assert.deepEqual([code, error.code], [2, 'needs-a-person']);
  });

  it('is written at a terminal, and lifted by a yes there', { skip: whyNoPerson }, async (test) => {
    const box = await workbench(test, [SEARCH, FETCH], { freshFor: 0 });
    await box.pinned();
    const label = `${SERVER}/fetch`;
    const none = await atTerminal(box.env, ['approve', '--refuse', label], []);
    assert.match(none.screen, /--refuse needs --why/);
    const cut = await atTerminal(box.env, ['approve', '--refuse', `${label}@0f13c2`, '--why', 'It sends mail.'], []);
    assert.match(cut.screen, /ends in a part of a hash: write all 64 characters/);
    assert.equal(cut.code, 2);
    const no = await atTerminal(box.env, ['approve', '--refuse', label, '--why', 'It sends mail.'], ['n\r']);
    assert.equal(no.code, 1, no.screen);
    assert.equal(parsed(box.lockText()).get(SERVER)?.refused, undefined);
    const yes = await atTerminal(
      box.env,
      ['approve', '--refuse', label, '--why', 'It sends mail.', '--by', 'C'],
      ['y\r'],
    );
    assert.equal(yes.code, 0, yes.screen);
    assert.match(yes.screen, /Refused, and written to mcp-contracts\.lock\.json: GATEWAY_URL\/fetch\. Commit it\./);
    const { by, why, hash } = parsed(box.lockText()).get(SERVER)?.refused?.get('fetch') ?? assert.fail();
    assert.deepEqual([by, why, hash], ['C', 'It sends mail.', undefined]);
    await box.start();
    assert.equal((await box.call('fetch', {})).answer?.hookSpecificOutput?.permissionDecision, 'deny');
    const all = await atTerminal(box.env, ['approve'], []);
    assert.match(all.screen, /nothing to approve/, 'it waits for nothing');
    const lifted = await atTerminal(box.env, ['approve', label, '--why', 'Mail is off.'], ['y\r']);
    assert.equal(lifted.code, 0, lifted.screen);
    assert.match(
      lifted.screen,
      /refused by "C" on [\d-]+ \(mcp-contracts\.lock\.json\): "It sends mail\."\. A yes lifts that\./,
    );
    const pins = parsed(box.lockText()).get(SERVER);
    assert.deepEqual([pins?.refused, pins?.get('fetch')?.approved?.why], [undefined, 'Mail is off.']);
    assert.equal((await box.call('fetch', { url: 'x' })).answer, undefined);
  });

  it('of one contract stays where a person says yes to another one', { skip: whyNoPerson }, async (test) => {
    const changed = { ...FETCH, description: 'Fetches and sends.' };
    const box = await bench(test, refusing([SEARCH, FETCH], 'fetch', contractHash(RENAMED)), [SEARCH, changed]);
    const { code, screen } = await atTerminal(box.env, ['approve', '--why', 'ok'], ['y\r']);
    assert.equal(code, 0, screen);
    const pins = parsed(box.lockText()).get(SERVER);
    assert.deepEqual(
      [pins?.get('fetch')?.hash, pins?.refused?.get('fetch')?.hash],
      [contractHash(changed), contractHash(RENAMED)],
    );
  });

  it('that came while a person was asked is not lifted by their yes', { skip: whyNoPerson }, async (test) => {
    const changed = { ...FETCH, description: 'Fetches and sends.' };
    const box = await bench(test, lockOf({ [SERVER]: [SEARCH, FETCH] }), [SEARCH, changed]);
    const refuse = async (): Promise<void> => writeFileSync(box.path, renderLock(refusing([SEARCH, FETCH], 'fetch')));
    const { code, screen } = await atTerminal(box.env, ['approve', '--why', 'ok'], ['y\r'], refuse);
    assert.equal(code, 2, screen);
    assert.match(screen, /a refusal of "GATEWAY_URL\/fetch" came, changed or went/);
    const pins = parsed(box.lockText()).get(SERVER);
    assert.deepEqual([pins?.get('fetch')?.hash, pins?.refused?.size], [contractHash(FETCH), 1]);
  });
});
