// Approvals that a company publishes: what they approve and refuse, and everything that keeps a copy from counting.
import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../scripts/contract/types.ts';
import { renderLock } from '../scripts/lock/render.ts';
import { keepShared } from '../scripts/resident/keep-shared.ts';
import { atTerminal, whyNoPerson } from './at-terminal.ts';
import { keyOf } from './git.ts';
import { FETCH, RENAMED, SEARCH, workbench } from './lock-bench.ts';
import { noLinks } from './posix.ts';
import { resident } from './resident-client.ts';
import { aboutShared, ageShared, approvedAt, company, untilFetched, whyNoKeys } from './shared-bench.ts';

const DAY = 24 * 3_600_000;
const [FIRST, SECOND, THIRD] = ['2026-05-01T08:00:00.000Z', '2026-05-02T08:00:00.000Z', '2026-05-03T08:00:00.000Z'];
const SERVER = 'GATEWAY_URL';

/** A project whose lockfile pins other contracts than the server has now: a call of `search` is asked about. */
const behind = async (test: TestContext, settings: JsonObject = {}) => {
  const bench = await workbench(test, [SEARCH, FETCH], { freshFor: 0, ...settings });
  assert.equal(await bench.pinned(), SERVER);
  bench.release([RENAMED, FETCH]);
  const call = async (name = 'search', args: JsonObject = { q: 'x' }) => {
    const { answer } = await bench.call(name, args);
    return answer?.hookSpecificOutput as JsonObject | undefined;
  };
  /** Starts a session, and waits until it has fetched what is shared. Returns what it said. */
  const begin = async (session = 's1'): Promise<string> => {
    const now = Date.now();
    const { answer } = await bench.start({ session_id: session });
    await untilFetched(bench.state, now);
    return answer?.systemMessage ?? '';
  };
  /** The same an hour later. */
  const later = async (session: string): Promise<string> => {
    ageShared(bench.state, 3_600_001);
    return begin(session);
  };
  const doctor = async (): Promise<JsonObject> => {
    const { data } = await bench.envelope(['doctor']);
    return data.checks.find(({ name }: { name: string }) => name === 'shared approvals');
  };
  return { ...bench, call, begin, later, doctor };
};

describe('shared approvals', { skip: whyNoKeys, concurrency: 2 }, () => {
  it('whose list of signers cannot be looked at approve nothing, and lose no verdict', {
    skip: noLinks,
  }, async (test) => {
    const { publish, approvals, allowedSigners } = await company(test);
    publish(approvedAt(FIRST, SERVER, [RENAMED, FETCH]));
    const box = await behind(test, { approvals });
    await box.begin();
    assert.equal(await box.call(), undefined);
    rmSync(allowedSigners);
    symlinkSync(allowedSigners, allowedSigners);
    assert.equal((await box.call())?.permissionDecision, 'ask');
    assert.equal((await box.start({ session_id: 's2' })).code, 0);
  });

  it('need one question, one approval and one publication: a second home asks nothing', async (test) => {
    const { publish, approvals, requests } = await company(test);
    publish(approvedAt(FIRST, SERVER, [SEARCH, FETCH]));
    const [one, two] = [await behind(test, { approvals }), await behind(test, { approvals })];
    await one.begin();
    const asked = await one.call();
    assert.equal(asked?.permissionDecision, 'ask');
    assert.match(String(asked?.permissionDecisionReason), /is not the contract that is pinned/);

    publish(approvedAt(SECOND, SERVER, [RENAMED, FETCH]));
    assert.equal(await two.begin(), '');
    assert.equal(await two.call(), undefined);
    assert.equal(aboutShared(two.state).copy.signer, 'security@example.org');
    // The first home hears of it within the hour, and asks no longer; nothing is fetched twice.
    await one.later('s2');
    assert.equal(await one.call(), undefined);
    const before = requests.length;
    await two.start({ session_id: 's3' });
    assert.equal(requests.length, before, 'an hour has not passed');
    await two.later('s4');
    assert.deepEqual(requests.at(-1), { url: '/lock.json', status: 304 });
    // A call reads the part of its server alone, wherever that stands in a large file.
    const many = ['é', '__proto__', 'zz'].flatMap((name) => [...approvedAt(SECOND, name, [SEARCH])]);
    publish(new Map([...many, ...approvedAt(SECOND, SERVER, [RENAMED, FETCH])]));
    await two.later('s5');
    assert.equal(await two.call('search', { q: 'y' }), undefined);
    const { code, data } = await two.envelope(['verify', '--shared']);
    assert.deepEqual([code, data.servers[0].state], [0, 'as-pinned']);
    assert.equal((await two.envelope(['verify'])).code, 1);
  });

  it('approve the very contract alone', async (test) => {
    const { publish, approvals } = await company(test);
    publish(approvedAt(FIRST, SERVER, [{ ...RENAMED, description: 'Finds other things.' }]));
    const bench = await behind(test, { approvals });
    await bench.begin();
    assert.equal((await bench.call())?.permissionDecision, 'ask');
  });

  it('stop what they refuse, with the reason, and void what was learned before', async (test) => {
    const { publish, approvals } = await company(test);
    publish(approvedAt(FIRST, SERVER, [RENAMED, FETCH]));
    const bench = await behind(test, { approvals });
    await bench.begin();
    assert.equal(await bench.call('fetch', { url: 'x' }), undefined);
    assert.equal(await bench.call('fetch', { url: 'y' }), undefined);
    publish(approvedAt(SECOND, SERVER, [RENAMED, FETCH], { fetch: 'It reads intranet pages.' }));
    await bench.later('s2');
    const stopped = await bench.call('fetch', { url: 'z' });
    assert.equal(stopped?.permissionDecision, 'deny');
    assert.match(
      String(stopped?.permissionDecisionReason),
      /was refused by "security@example\.org" on 2026-05-02 \("127\.0\.0\.1:\d+"\): "It reads intranet pages\."/,
    );
    assert.equal(await bench.call(), undefined, 'another tool of that server');
    // A project without a lockfile as well.
    writeFileSync(join(bench.state, 'config.json'), JSON.stringify({ freshFor: 0, mode: 'warn', approvals }));
    assert.equal(await bench.call('fetch', { url: 'z' }), undefined, 'mode warn stops nothing');
  });

  it('do not approve what the project refuses', async (test) => {
    const { publish, approvals } = await company(test);
    publish(approvedAt(FIRST, SERVER, [RENAMED, FETCH]));
    const bench = await behind(test, { approvals });
    writeFileSync(bench.path, renderLock(approvedAt(SECOND, SERVER, [RENAMED, FETCH], { fetch: 'We have our own.' })));
    await bench.begin();
    const stopped = await bench.call('fetch', { url: 'x' });
    assert.equal(stopped?.permissionDecision, 'deny');
    assert.match(String(stopped?.permissionDecisionReason), /"We have our own\."/);
    assert.equal(await bench.call(), undefined, 'another tool of that server');
  });

  it('approve what would be stopped in mode strict for its server has no pin', async (test) => {
    const { publish, approvals } = await company(test);
    publish(approvedAt(FIRST, SERVER, [RENAMED]));
    const bench = await behind(test, { mode: 'strict', approvals });
    writeFileSync(bench.path, renderLock(approvedAt(FIRST, 'other', [SEARCH])));
    await bench.begin();
    assert.equal(await bench.call(), undefined);
    assert.equal((await bench.call('fetch', {}))?.permissionDecision, 'deny');
  });

  it('hold up no session and no call while their server hangs', async (test) => {
    const firm = await company(test);
    firm.publish(approvedAt(FIRST, SERVER, [RENAMED, FETCH]));
    const bench = await behind(test, { approvals: firm.approvals });
    await bench.begin();
    ageShared(bench.state, 3_600_001);
    firm.on(() => true);
    const began = performance.now();
    await bench.start({ session_id: 's2' });
    assert.equal(await bench.call(), undefined);
    assert.ok(performance.now() - began < 15_000, 'a fetch gives up after 20 s');
    const before = firm.requests.length;
    await bench.call();
    assert.equal(firm.requests.length, before);
    assert.equal(aboutShared(bench.state).problem, undefined, 'it still waits');
  });

  it('are fetched once by sessions that start together', async (test) => {
    const firm = await company(test);
    firm.publish(approvedAt(FIRST, SERVER, [RENAMED, FETCH]));
    const bench = await behind(test, { approvals: firm.approvals });
    firm.slow(700);
    await Promise.all(['a', 'b', 'c', 'd'].map((id) => bench.start({ session_id: id })));
    await untilFetched(bench.state);
    await new Promise((wait) => setTimeout(wait, 1_500));
    assert.deepEqual(firm.requests.map(({ url }) => url).sort(), ['/lock.json', '/lock.json.sig']);
  });

  it('are fetched again with a call, in a resident guard, after an hour', async (test) => {
    const firm = await company(test);
    firm.publish(approvedAt(FIRST, SERVER, [RENAMED, FETCH]));
    const bench = await behind(test, { approvals: firm.approvals });
    await bench.begin();
    const guard = await resident(test, bench.env);
    assert.equal(await guard.hook(bench.input('search', { q: 'x' })), undefined);
    firm.publish(approvedAt(SECOND, SERVER, [FETCH], { search: 'Not here.' }));
    ageShared(bench.state, 3_600_001);
    const now = Date.now();
    await guard.hook(bench.input('search', { q: 'y' }, { tool_use_id: 'toolu_2' }));
    await untilFetched(bench.state, now);
    const answer = await guard.hook(bench.input('search', { q: 'z' }, { tool_use_id: 'toolu_3' }));
    assert.equal(answer?.hookSpecificOutput?.permissionDecision, 'deny');
    assert.equal(await guard.end(), 0);
  });

  it('are fetched again while nothing is called', async (test) => {
    const firm = await company(test);
    firm.publish(approvedAt(FIRST, SERVER, [RENAMED, FETCH]));
    const bench = await behind(test, { approvals: firm.approvals });
    await bench.begin();
    test.mock.timers.enable({ apis: ['setInterval'] });
    const timer = keepShared(bench.env);
    test.after(() => clearInterval(timer));
    test.mock.timers.tick(600_000);
    assert.equal(firm.requests.length, 2, 'an hour has not passed');
    ageShared(bench.state, 3_600_001);
    const now = Date.now();
    test.mock.timers.tick(600_000);
    await untilFetched(bench.state, now);
    assert.deepEqual(firm.requests.at(-1), { url: '/lock.json', status: 304 });
  });

  /** A home with a good copy, and then a publication that must not count. */
  const afterwards = async (test: TestContext) => {
    const firm = await company(test);
    firm.publish(approvedAt(SECOND, SERVER, [RENAMED, FETCH]));
    const bench = await behind(test, { approvals: firm.approvals });
    await bench.begin();
    assert.equal(await bench.call(), undefined);
    return { firm, bench };
  };

  /** The last good copy counts, the next session says why once, and doctor says it each time. */
  const isRefused = async ({ bench }: Awaited<ReturnType<typeof afterwards>>, why: RegExp): Promise<void> => {
    const { newest } = aboutShared(bench.state);
    await bench.later('s2');
    const about = aboutShared(bench.state);
    assert.match(String(about.problem?.why), why);
    assert.deepEqual([about.newest, newest], [SECOND, SECOND]);
    assert.equal(await bench.call(), undefined, 'what was approved stays so');
    const said = (await bench.start({ session_id: 's3' })).answer?.systemMessage ?? '';
    assert.match(said, /^konnichiwagwan: the approvals at "127\.0\.0\.1:\d+" were not taken over: /m);
    assert.match(said, why);
    assert.match(said, /The copy of \d{4}-\d\d-\d\d counts, signed by "security@example\.org"/);
    assert.doesNotMatch((await bench.start({ session_id: 's4' })).answer?.systemMessage ?? '', /taken over/, 'once');
    const check = await bench.doctor();
    assert.equal(check.state, 'wrong');
    assert.match(String(check.detail), why);
    assert.match(String(check.detail), /2 tools of 1 server, signed by "security@example\.org", confirmed /);
  };

  const MORE = () => approvedAt(THIRD, SERVER, [SEARCH]);

  it('do not count where they were tampered with', async (test) => {
    const both = await afterwards(test);
    const text = both.firm.publish(MORE());
    both.firm.publish(text.replace('"query"', '"quarry"'), both.firm.sign(text, both.firm.own.path));
    await isRefused(both, /its signature does not fit it/);
  });

  it('do not count without a signature', async (test) => {
    const both = await afterwards(test);
    both.firm.publish(MORE(), null);
    await isRefused(both, /it is not signed \(\.sig: its server answered HTTP 404\)/);
  });

  it('do not count where another key signed them', async (test) => {
    const both = await afterwards(test);
    const text = both.firm.publish(MORE());
    both.firm.publish(text, both.firm.sign(text, keyOf('other').path));
    await isRefused(both, /no key that is allowed now has signed it/);
  });

  it('do not count where the key signed them for something else', async (test) => {
    const both = await afterwards(test);
    const text = both.firm.publish(MORE());
    both.firm.publish(text, both.firm.sign(text, both.firm.own.path, 'git'));
    await isRefused(both, /was not made for konnichiwagwan/);
  });

  it('do not count where the key has expired; the copy that it signed before does', async (test) => {
    const firm = await company(test);
    firm.publish(approvedAt(SECOND, SERVER, [RENAMED, FETCH]));
    const bench = await behind(test, { approvals: firm.approvals });
    await bench.begin();
    const line = (until: string) => `security@example.org valid-before="${until}" ${firm.own.open}\n`;
    const soon = new Date(Date.now() + 1_000).toISOString().replace(/[-:T]/g, '').slice(0, 14);
    writeFileSync(firm.allowedSigners, line(`${soon}Z`));
    // The key is good until the end of that second.
    await new Promise((wait) => setTimeout(wait, 2_100));
    firm.publish(MORE());
    await isRefused(
      { firm, bench },
      /no key that is allowed now has signed it; line 1 of allowedSigners: key has expired/,
    );
    // By another list it is proven as of the time when it was fetched.
    firm.on((_, response) => {
      response.destroy();
      return true;
    });
    appendFileSync(firm.allowedSigners, '# a remark\n');
    await bench.later('s9');
    assert.equal(await bench.call('search', { q: 'y' }), undefined);
  });

  it('do not count where they are older than the copy that is known', async (test) => {
    const both = await afterwards(test);
    both.firm.publish(approvedAt(FIRST, SERVER, [SEARCH]));
    await isRefused(both, /it is older than the copy that is known: its newest record is of 2026-05-01/);
  });

  it('do not count with a record of the future, which would keep every later copy out', async (test) => {
    const both = await afterwards(test);
    both.firm.publish(approvedAt(new Date(Date.now() + 3 * DAY).toISOString(), SERVER, [SEARCH]));
    await isRefused(both, /its newest record lies in the future/);
  });

  it('do not count where they are too large', async (test) => {
    const both = await afterwards(test);
    both.firm.on((_, response) => {
      response.writeHead(200);
      const chunk = 'x'.repeat(1024 * 1024);
      const go = (): void => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', go);
      };
      go();
      return true;
    });
    await isRefused(both, /the answer is larger than 16777216 bytes/);
  });

  it('do not count where they are redirected to another host', async (test) => {
    const both = await afterwards(test);
    const elsewhere = await company(test);
    elsewhere.publish(MORE());
    both.firm.on((_, response) => {
      response.writeHead(302, { location: elsewhere.approvals.url }).end();
      return true;
    });
    await isRefused(both, /its server redirects to another origin/);
    assert.deepEqual(elsewhere.requests, []);
  });

  it('do not count where they are not a lockfile, though signed', async (test) => {
    const both = await afterwards(test);
    both.firm.publish('not JSON at all');
    await isRefused(both, /it is no lockfile: it /);
  });

  it('stay as they are while the server is down', async (test) => {
    const both = await afterwards(test);
    both.firm.on((_, response) => {
      response.destroy();
      return true;
    });
    await isRefused(both, /UND_ERR_SOCKET|ECONNRESET|interrupted/);
  });

  it('are dropped where the key is taken off the list, even while the server is down', async (test) => {
    const { firm, bench } = await afterwards(test);
    firm.on((_, response) => {
      response.destroy();
      return true;
    });
    writeFileSync(firm.allowedSigners, `security@example.org ${keyOf('next').open}\n`);
    const changed = Date.now();
    assert.equal((await bench.call())?.permissionDecision, 'ask', 'at once');
    // The call had them fetched; a session that starts meanwhile would leave it at that.
    await untilFetched(bench.state, changed);
    await bench.later('s2');
    assert.equal((await bench.call())?.permissionDecision, 'ask');
    const { copy, newest } = aboutShared(bench.state);
    assert.deepEqual([copy, newest], [undefined, SECOND]);
    assert.match(String((await bench.doctor()).detail), /no good copy: nothing is approved by them/);
  });

  it('say which line of the list of signers cannot be used', async (test) => {
    const { firm, bench } = await afterwards(test);
    writeFileSync(
      firm.allowedSigners,
      `# ours\nsecurity@example.org namespaces="konnichiwagwan" valid-before="20991231" ${firm.own.open}\n`,
    );
    firm.publish(MORE());
    await bench.later('s2');
    assert.match(String((await bench.doctor()).detail), /signed it; line 2 of allowedSigners: invalid key/);
  });

  it('are not called good where the list of signers cannot be read', async (test) => {
    const { firm, bench } = await afterwards(test);
    rmSync(firm.allowedSigners);
    await bench.later('s2');
    assert.equal((await bench.call())?.permissionDecision, 'ask');
    const said = (await bench.start({ session_id: 's3' })).answer?.systemMessage ?? '';
    assert.match(said, /the file of allowed signers does not exist\. There is no earlier copy that counts/);
  });

  it('count again where the list of signers only grew', async (test) => {
    const { firm, bench } = await afterwards(test);
    appendFileSync(firm.allowedSigners, `b@example.org ${keyOf('next').open}\n`);
    await bench.later('s2');
    assert.equal(await bench.call(), undefined);
  });

  it('are proven by a new list of signers with the next call', async (test) => {
    const { firm, bench } = await afterwards(test);
    appendFileSync(firm.allowedSigners, '# a comment\n');
    const now = Date.now();
    assert.equal((await bench.call())?.permissionDecision, 'ask', 'nothing proves them yet');
    await untilFetched(bench.state, now);
    assert.equal(await bench.call(), undefined);
  });

  it('do not count any more where the settings name another address, though its signers are the same', async (test) => {
    const { publish, approvals } = await company(test);
    publish(approvedAt(SECOND, SERVER, [RENAMED, FETCH]));
    const bench = await behind(test, { approvals });
    await bench.begin();
    assert.equal(await bench.call(), undefined);
    const moved = { ...approvals, url: approvals.url.replace('/lock.json', '/others.json') };
    writeFileSync(join(bench.state, 'config.json'), JSON.stringify({ freshFor: 0, approvals: moved }));
    assert.equal((await bench.call())?.permissionDecision, 'ask');
  });

  it('are looked for again within an hour by a call of which nothing else changes', async (test) => {
    const firm = await company(test);
    firm.publish(approvedAt(FIRST, SERVER, [RENAMED, FETCH]));
    const bench = await behind(test, { mode: 'strict', approvals: { ...firm.approvals, maxAge: 6 } });
    await bench.begin();
    for (const _call of [1, 2]) assert.equal(await bench.call(), undefined);
    const about = aboutShared(bench.state);
    const until = (about?.copy?.confirmedAt ?? 0) + 6_000;
    const folder = join(bench.state, 'sessions', 's1');
    const [memo = ''] = readdirSync(folder).filter((name) => name.startsWith('main@'));
    assert.equal(JSON.parse(readFileSync(join(folder, memo), 'utf8')).until, until);
    await sleep(Math.max(0, until - Date.now()) + 1);
    assert.equal((await bench.call())?.permissionDecision, 'deny', 'they are too old now');
  });

  it('approve nothing in mode strict where they are too old, and refuse all the same', async (test) => {
    const firm = await company(test);
    firm.publish(approvedAt(SECOND, SERVER, [RENAMED], { fetch: 'No.' }));
    const bench = await behind(test, { mode: 'strict', approvals: { ...firm.approvals, maxAge: 3 * 24 * 3_600 } });
    await bench.begin();
    assert.equal(await bench.call(), undefined);
    firm.on((_, response) => {
      response.destroy();
      return true;
    });
    const minute = DAY / 24 / 60;
    for (const [minutes, age] of [
      [30, '30 minutes'],
      [90, '2 hours'],
      [46 * 60, '2 days'],
    ] as const) {
      ageShared(bench.state, minutes * minute, false);
      assert.match(String((await bench.doctor()).detail), new RegExp(`, confirmed ${age} ago`));
    }
    assert.equal(await bench.call(), undefined);
    ageShared(bench.state, 2 * DAY, false);
    assert.equal((await bench.call())?.permissionDecision, 'deny');
    assert.match(String((await bench.call('fetch', {}))?.permissionDecisionReason), /was refused by/);
    const { answer } = await bench.start({ session_id: 's2' });
    assert.match(answer?.systemMessage ?? '', /last confirmed on .* too long ago for the mode strict/);
    writeFileSync(
      join(bench.state, 'config.json'),
      JSON.stringify({ freshFor: 0, mode: 'guard', approvals: firm.approvals }),
    );
    assert.equal(await bench.call(), undefined, 'in mode guard they count');
  });

  it('are named by the user alone: a project that names some is told so, and none are fetched', async (test) => {
    const firm = await company(test);
    firm.publish(approvedAt(SECOND, SERVER, [RENAMED, FETCH]));
    const bench = await behind(test);
    const file = join(bench.project, '.claude/konnichiwagwan.json');
    writeFileSync(file, JSON.stringify({ approvals: firm.approvals }));
    const { answer } = await bench.start();
    assert.match(answer?.systemMessage ?? '', /"approvals\.url" may stand in the settings of a user alone/);
    assert.equal((await bench.call())?.permissionDecision, 'ask');
    assert.deepEqual([firm.requests, aboutShared(bench.state)], [[], undefined]);
  });

  it('leave less to pin, and are compared by diff', async (test) => {
    const firm = await company(test);
    firm.publish(approvedAt(SECOND, SERVER, [RENAMED, FETCH]));
    const bench = await workbench(test, [RENAMED, FETCH], { freshFor: 0, approvals: firm.approvals });
    const none = await bench.envelope(['pin', '--shared']);
    assert.equal(none.error.code, 'no-shared-copy');
    await bench.envelope(['doctor']);
    const { code, data } = await bench.envelope(['pin', '--shared']);
    assert.deepEqual([code, data.written, data.servers[0].state], [0, false, 'shared']);
    const now = bench.file({ tools: [SEARCH, FETCH].map((one) => ({ ...one, name: `${SERVER}/${one.name}` })) });
    const compared = await bench.envelope(['diff', '--shared', now]);
    assert.equal(compared.code, 1);
    assert.deepEqual(
      [...new Set(compared.data.changes.map(({ tool }: { tool: string }) => tool))],
      [`${SERVER}/search`],
    );
    assert.equal((await bench.envelope(['verify', '--shared', '--since', 'HEAD'])).error.code, 'usage');
    bench.release([SEARCH, FETCH]);
    assert.equal((await bench.envelope(['pin', '--shared'])).data.servers[0].state, 'pinned');
  });

  it('leave less to approve', { skip: whyNoPerson }, async (test) => {
    const firm = await company(test);
    firm.publish(approvedAt(SECOND, SERVER, [RENAMED]));
    const bench = await behind(test, { approvals: firm.approvals });
    await bench.envelope(['doctor']);
    bench.release([RENAMED, { ...FETCH, description: 'Fetches more.' }]);
    const { screen } = await atTerminal(bench.env, ['approve', '--shared'], ['n\r']);
    assert.match(screen, /approve GATEWAY_URL\/fetch\?/);
    assert.doesNotMatch(screen, /approve GATEWAY_URL\/search\?/);
    const all = await atTerminal(bench.env, ['approve'], ['n\r', 'n\r']);
    assert.match(all.screen, /approve GATEWAY_URL\/search\?/);
  });
});
