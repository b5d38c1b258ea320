// The sessions that are remembered: which of them holds the last answer of a source, when they are removed, what stands in the
// newest one's file or was written there by hand, and how versions are told apart in words.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pruneSessions, toBaseline, writeBaseline } from '../scripts/baseline/baseline.ts';
import { baselineByHand } from '../scripts/baseline/by-hand.ts';
import { bumpAloneLine, bumpLine, outcome, silentLine, versionText } from '../scripts/baseline/drift-line.ts';
import { otherAddress } from '../scripts/baseline/other-address.ts';
import {
  earlierSession,
  isPending,
  lastOf,
  listedBefore,
  noteFinisher,
  readBaseline,
  readNewest,
  type SessionBaseline,
  sessionsIn,
} from '../scripts/baseline/sessions.ts';
import { addressesOf } from '../scripts/servers/address.ts';
import type { Launch, Server } from '../scripts/servers/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import { newestPath, sessionFolder, sessionPath, sessionsPath } from '../scripts/state/paths.ts';
import { say } from '../scripts/text/shown.ts';
import { visible } from '../scripts/text/visible.ts';
import { tool } from './sandbox.ts';

const answer = (version: string): SessionBaseline['sources'][string] => ({
  name: 'demo',
  where: 'https://demo.example/mcp',
  recorded_at: new Date(0).toISOString(),
  late: false,
  schema_version: version,
  tools: [tool('weather', {})],
});

/** Sessions of one folder, the newest last, each a minute after the one before. */
const remembered = (test: TestContext, sessions: readonly { [source: string]: string }[], client = 0) => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-test-'));
  test.after(() => remove(home));
  const start = Date.now() / 1000 - sessions.length * 60;
  for (const [index, versions] of sessions.entries()) {
    const session = `s${index}`;
    const sources = Object.fromEntries(Object.entries(versions).map(([key, version]) => [key, answer(version)]));
    writeBaseline(home, {
      session_id: session,
      recorded_at: new Date(0).toISOString(),
      source: 'startup',
      client,
      cwd: home,
      sources,
      failed: {},
    });
    utimesSync(sessionPath(home, session), start + index * 60, start + index * 60);
  }
  return { home, last: (key: string) => lastOf(home, key, readNewest(home))?.schema_version };
};

describe('the last answer of a source', () => {
  it('is that of the newest session, or else of the last one that had the source', (test) => {
    const { last } = remembered(test, [{ a: '1', b: '1' }, { b: '2' }, { b: '3', c: '3' }, { c: '4' }]);
    assert.deepEqual(['a', 'b', 'c', 'd'].map(last), ['1', '3', '4', undefined]);
  });

  it('is looked for in the last ten sessions', (test) => {
    const others = (count: number) => Array.from({ length: count }, () => ({ other: '1' }));
    assert.equal(remembered(test, [{ a: '1' }, ...others(9)]).last('a'), '1');
    assert.equal(remembered(test, [{ a: '1' }, ...others(10)]).last('a'), undefined);
  });
});

describe('the newest session', () => {
  it('is none where a file by hand names another file', (test) => {
    const { home } = remembered(test, [{ demo: '1' }]);
    const named = (session: string) => {
      const start = readBaseline(home, 's0') as SessionBaseline;
      writeBaseline(home, { ...start, session_id: session });
      return readNewest(home)?.session_id;
    };
    assert.equal(named('s-2_b'), 's-2_b');
    assert.equal(named('../aside'), undefined);
  });
});

describe('an answer that is recorded', () => {
  it('has the time at which the source gave it, which may be before the session', () => {
    const at = Date.UTC(2026, 2, 4, 5, 6, 7);
    const asked = {
      status: 'live',
      head: { checkedAt: at },
      live: { digest: 'd', tools: [tool('tides', {})], signals: [] },
    } as unknown as Parameters<typeof toBaseline>[1];
    const recorded = toBaseline({ name: 'sea', where: 'https://sea.example/mcp' }, asked, true);
    assert.deepEqual([recorded.recorded_at, recorded.late], ['2026-03-04T05:06:07.000Z', true]);
  });
});

describe('what a client listed before', () => {
  it('is what it listed last since it started: an older client may have had the same process ID', (test) => {
    const { home } = remembered(test, []);
    const record = (session: string, client: number, source: string, versions: { [key: string]: string }) => {
      const sources = Object.fromEntries(Object.entries(versions).map(([key, version]) => [key, answer(version)]));
      const recorded_at = new Date(0).toISOString();
      writeBaseline(home, { session_id: session, recorded_at, source, client, cwd: home, sources, failed: {} });
      const at = Date.now() / 1000 - 600 + Number(session.slice(1)) * 60;
      utimesSync(sessionPath(home, session), at, at);
    };
    record('s0', 7, 'startup', { a: '1', b: '1', c: '1' });
    record('s1', 7, 'startup', { b: '2', c: '2' });
    record('s2', 8, 'startup', { a: '3', b: '3' });
    record('s3', 7, 'clear', { c: '4' });
    record('s4', 7, 'clear', { b: '5' });
    const before = listedBefore(home, { client: 7, session: 's4' }, ['a', 'b', 'c']);
    const versions = [...before].map(([key, { schema_version }]) => `${key} ${schema_version}`);
    assert.deepEqual(versions.sort(), ['b 2', 'c 4']);
  });
});

describe('old sessions', () => {
  const DAY = 86_400_000;
  const left = (home: string): string[] =>
    readdirSync(sessionsPath(home), { withFileTypes: true }).flatMap((one) => (one.isFile() ? [one.name] : []));

  it('are removed if fifty are newer', (test) => {
    const { home } = remembered(
      test,
      Array.from({ length: 53 }, () => ({ a: '1' })),
    );
    pruneSessions(home, Date.now());
    assert.equal(left(home).length, 50);
    assert.deepEqual(
      ['s0', 's2', 's3', 's52'].map((id) => readBaseline(home, id) !== undefined),
      [false, false, true, true],
    );
  });

  it('are removed after thirty days without use, however few there are', (test) => {
    const { home } = remembered(test, [{ a: '1' }, { a: '2' }]);
    pruneSessions(home, Date.now() + 29 * DAY);
    assert.equal(left(home).length, 2);
    // Its folder was written later, so it was used.
    mkdirSync(sessionFolder(home, 's1'));
    const soon = (Date.now() + 10 * DAY) / 1000;
    utimesSync(sessionFolder(home, 's1'), soon, soon);
    pruneSessions(home, Date.now() + 31 * DAY);
    assert.deepEqual(left(home), ['s1.json']);
  });

  it('are kept while their client runs', (test) => {
    const { home } = remembered(test, [{ a: '1' }], process.pid);
    pruneSessions(home, Date.now() + 31 * DAY);
    assert.equal(left(home).length, 1);
  });
});

it('the sessions of a folder come newest first', (test) => {
  const { home } = remembered(test, [{ a: '1' }, { a: '2' }, { a: '3' }]);
  assert.deepEqual(
    [...sessionsIn(home, home)].map((one) => one.session_id),
    ['s2', 's1', 's0'],
  );
});

it('a session belongs to the folder that its client was started in, wherever its hook ran', (test) => {
  const { home } = remembered(test, []);
  const [project, below] = [join(home, 'project'), join(home, 'project', 'src')];
  mkdirSync(below, { recursive: true });
  const more = { recorded_at: new Date(0).toISOString(), source: 'startup', client: 0, sources: { a: answer('1') } };
  writeBaseline(home, { session_id: 's1', ...more, cwd: below, project, failed: {} });
  const of = (folder: string): string[] => [...sessionsIn(home, folder)].map((one) => one.session_id);
  assert.deepEqual([of(project), of(below)], [['s1'], []]);
});

it('a source is waited for no longer than the process that asks it may take', (test) => {
  const { home } = remembered(test, []);
  const failed = { slow: { name: 'slow', where: 'slow', status: 'pending' as const, why: 'no answer yet' } };
  const began = { session_id: 's1', recorded_at: '', source: 'startup', client: 0, cwd: home, sources: {}, failed };
  const isWaitedFor = (source = 'slow'): boolean => isPending(home, 's1', began, source);
  // No process has this id.
  noteFinisher(home, 's1', 4_194_303);
  assert.equal(isWaitedFor(), false);
  noteFinisher(home, 's1', process.pid);
  assert.deepEqual([isWaitedFor(), isWaitedFor('another')], [true, false]);
  test.mock.timers.enable({ apis: ['Date'], now: Date.now() + 26_000 });
  assert.equal(isWaitedFor(), false);
});

describe('the address that a client connected to when its session began', () => {
  const GONE = 2 ** 30;
  const server = (url: string, more: Partial<Server> = {}): Server => {
    const launch: Launch = { type: 'http', url, headers: {} };
    return { name: 'demo', scope: 'user', launch, configured: launch, unset: [], state: 'ready', ...more };
  };
  const [old, now] = [server('https://old.example/mcp'), server('https://now.example/mcp')];
  const program: Launch = { type: 'stdio', command: 'npx', args: [], env: {} };
  const by = (client: number, ...configured: Server[]) => ({ addresses: { [client]: addressesOf(configured) } });

  for (const [what, other, isTold] of [
    ['the same one', otherAddress(old, by(GONE, old), GONE), false],
    ['another one', otherAddress(now, by(GONE, old), GONE), true],
    ['another one, of another client that runs', otherAddress(now, by(process.pid, old), GONE), true],
    ['another one, of another client that has ended', otherAddress(now, by(GONE, old), process.pid), false],
    ['one in place of a program', otherAddress(now, by(GONE, server('', { launch: program })), GONE), true],
    ['a program in its place', otherAddress(server('', { launch: program }), by(GONE, old), GONE), false],
    ['a variable that is not set here', otherAddress({ ...now, unset: ['HOST'] }, by(GONE, old), GONE), false],
    ['another server', otherAddress({ ...now, name: 'new' }, by(GONE, old), GONE), false],
    ['no server', otherAddress(undefined, by(GONE, old), GONE), false],
    ['no session', otherAddress(now, undefined, GONE), false],
  ] as const)
    it(`${what}: ${isTold ? 'told' : 'nothing'}`, () => {
      assert.equal(other?.startsWith('its entry in the settings changed') ?? false, isTold);
    });
});

describe('the file of the newest session', () => {
  const gateway = (name: string) => ({
    ...answer(`of ${name}`),
    name,
    where: `https://${name}.example/api/tools/list`,
  });
  const write = (home: string, session_id: string, sources: SessionBaseline['sources'], completes = false) => {
    const recorded_at = new Date(0).toISOString();
    writeBaseline(
      home,
      { session_id, recorded_at, source: 'startup', client: 0, cwd: home, sources, failed: {} },
      completes,
    );
    return JSON.parse(readFileSync(newestPath(home), 'utf8'));
  };

  it('is replaced by another start, and completed for its own session alone', (test) => {
    const { home } = remembered(test, []);
    assert.equal(write(home, 's1', {}, true).session_id, 's1', 'where there is none, any session is the newest');
    assert.deepEqual(
      [write(home, 's2', {}).session_id, write(home, 's1', { a: gateway('a') }, true).session_id],
      ['s2', 's2'],
    );
    const { session_id, schema_version } = write(home, 's2', { a: gateway('a') }, true);
    assert.deepEqual([session_id, schema_version], ['s2', 'of a']);
    assert.deepEqual(Object.keys(readBaseline(home, 's1')?.sources ?? {}), ['a']);
  });

  it('holds the first list, and each gateway by its name if there are several', (test) => {
    const { home } = remembered(test, []);
    const more = { title: 'T', outputSchema: {}, annotations: {}, branches: [{ field: 'x' }], extra: { later: 1 } };
    const first = { ...gateway('a'), tools: [{ ...tool('weather', {}), ...more }] };
    const one = write(home, 's1', { a: first, server: { ...answer('3'), name: 'server' } });
    assert.deepEqual([one.schema_version, one.gateways], ['of a', undefined]);
    const { title, outputSchema, annotations, branches, later } = one.tools[0];
    assert.deepEqual([title, outputSchema, annotations, branches, later], ['T', {}, {}, [{ field: 'x' }], 1]);
    const two = write(home, 's2', { a: first, b: gateway('b') });
    const told = two.gateways.map((each: { name: string; schema_version: string; recorded_at: string }) => [
      each.name,
      each.schema_version,
      each.recorded_at,
    ]);
    assert.deepEqual(told, [
      ['a', 'of a', first.recorded_at],
      ['b', 'of b', first.recorded_at],
    ]);
    assert.deepEqual(two.gateways[0].tools, one.tools);
  });
});

describe('a list that a person wrote by hand', () => {
  const listed = (test: TestContext, file: object, names: readonly string[]) => {
    const { home } = remembered(test, [{ demo: '1' }]);
    writeFileSync(newestPath(home), JSON.stringify(file));
    return { home, lists: baselineByHand(home, names) };
  };
  const tools = [{ name: 'weather', inputSchema: { type: 'object' } }];

  it('is about the only gateway, and about none of several', (test) => {
    const file = { schema_version: '7', recorded_at: '2026-03-04T05:06:07Z', tools };
    const { lists } = listed(test, file, ['one']);
    const { name, schema_version, recorded_at, late } = lists?.get('one') ?? assert.fail();
    assert.deepEqual([name, schema_version, recorded_at, late], ['one', '7', '2026-03-04T05:06:07.000Z', true]);
    assert.deepEqual([...(listed(test, file, ['one', 'two']).lists ?? [])], []);
    assert.deepEqual([...(listed(test, file, []).lists ?? [])], []);
  });

  it('is as old as its file, if it does not say when it was recorded', (test) => {
    for (const recorded_at of [undefined, 7, 'yesterday']) {
      const { home } = listed(test, { recorded_at, tools }, []);
      utimesSync(newestPath(home), 1_700_000_000, 1_700_000_000);
      assert.equal(baselineByHand(home, ['one'])?.get('one')?.recorded_at, '2023-11-14T22:13:20.000Z');
    }
  });

  it('is about each gateway that it names', (test) => {
    const gateways = ['one', 'two'].map((name, at) => ({ name, schema_version: String(at), tools }));
    const { lists } = listed(test, { tools, gateways }, ['one', 'two']);
    assert.deepEqual(
      [...(lists ?? [])].map(([name, { schema_version }]) => [name, schema_version]),
      [
        ['one', '0'],
        ['two', '1'],
      ],
    );
  });

  it('counts unless its session was recorded in full', (test) => {
    for (const [session_id, counts] of [
      ['s0', false],
      ['gone', true],
      ['../s0', true],
      [undefined, true],
    ] as const)
      assert.equal(listed(test, { session_id, tools }, ['one']).lists !== undefined, counts, session_id);
  });
});

it('an answer is recorded with its version, and with all that is compared later', () => {
  const live = {
    digest: 'd',
    schemaVersion: '7',
    tools: [tool('tides', {})],
    offers: [tool('prompt', {})],
    unread: { resources: 'no answer' },
    identity: { name: 'sea', version: '1' },
  };
  const asked = { status: 'live', head: { checkedAt: 0 }, live } as unknown as Parameters<typeof toBaseline>[1];
  const { digest, tools, offers, unread, identity } = live;
  assert.deepEqual(toBaseline({ name: 'sea', where: 'w' }, asked, false), {
    ...{ name: 'sea', where: 'w', recorded_at: new Date(0).toISOString(), late: false, schema_version: '7' },
    ...{ digest, tools, offers, unread, identity },
  });
});

it('the session before this one is the last other one of its client', (test) => {
  const { home } = remembered(test, [{}, {}, {}], 7);
  const before = (client: number, session: string) => earlierSession(home, { client, session })?.session_id;
  assert.deepEqual(
    [before(7, 's2'), before(7, 's1'), before(7, 'new'), before(8, 'new')],
    ['s1', 's2', 's2', undefined],
  );
});

describe('the line about a version', () => {
  const was = (schema_version?: string) => {
    const { schema_version: _version, ...rest } = { ...answer(''), recorded_at: '2026-03-04T05:06:07.000Z' };
    return { ...rest, ...(schema_version === undefined ? {} : { schema_version }) };
  };

  it('names both, or the day of the record and that there is none', () => {
    assert.match(bumpLine('gateway', was('1.2'), '1.3'), /session started 1\.2, gateway advertises 1\.3\. Restart/);
    assert.match(
      bumpLine('server', was(), undefined),
      /session started 2026-03-04, server advertises no version\. Restart/,
    );
    assert.match(
      bumpAloneLine('server', was('1'), '2'),
      /advertises 2\. Restart .* The server says that something changed/,
    );
    assert.match(silentLine('2026-04-10'), /still advertises 2026-04-10: its SCHEMA_VERSION was not bumped/);
  });

  it('quotes one that is not plain', () => {
    for (const version of ['1 2', 'a\nb', '', 'x'.repeat(41), '1"'])
      assert.match(versionText(version, 'none'), /^".*"$|…/s, JSON.stringify(version));
    assert.deepEqual(
      ['1.2.3-rc+4', 'x'.repeat(40), undefined].map((one) => versionText(one, 'none')),
      ['1.2.3-rc+4', 'x'.repeat(40), 'none'],
    );
  });
});

it('what becomes of a call follows the mode', () => {
  const said = (['off', 'warn', 'guard', 'strict'] as const).map((mode) => outcome(mode, say`It`, visible('stopped')));
  assert.deepEqual(said, [
    'Calls are not checked: the mode is off.',
    'It is sent, and the change is told: the mode is warn.',
    'It is stopped.',
    'No call of a changed tool goes through before a person has refreshed the session: the mode is strict.',
  ]);
});
