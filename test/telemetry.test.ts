// Verdicts as log records over OTLP: what is sent, what never is, and what happens when a collector does not take it.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../scripts/contract/types.ts';
import { logActivity } from '../scripts/state/activity.ts';
import type { LoggedCall } from '../scripts/state/activity-log.ts';
import { activityPath } from '../scripts/state/paths.ts';
import { Counts, verdictEvent } from '../scripts/telemetry/events.ts';
import { sendEvents } from '../scripts/telemetry/send.ts';
import { isDue } from '../scripts/telemetry/start.ts';
import { targetOf } from '../scripts/telemetry/target.ts';
import { bounded, isWaiting, nextVerdicts } from '../scripts/telemetry/unsent.ts';
import { type Answer, partialAnswer, startCollector } from './collector.ts';
import { drive, runBuilt, sandbox, tool } from './sandbox.ts';

const HOUR = 3_600_000;
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** A sandbox whose settings name a collector. */
const world = async (test: TestContext, more: JsonObject = {}, answer?: Answer) => {
  const collector = await startCollector(answer);
  test.after(() => collector.close());
  const box = await sandbox(test, [tool('fetch_page', { address: { type: 'string' } })]);
  const { state, project, env } = box;
  const configure = (telemetry: JsonObject, rest: JsonObject = {}): void =>
    writeFileSync(join(state, 'config.json'), JSON.stringify({ freshFor: 0, telemetry, ...rest }));
  configure({ endpoint: collector.url, ...more });
  const ledgerPath = join(state, 'telemetry', 'ledger.json');
  return {
    ...box,
    collector,
    configure,
    ledgerPath,
    ledger: () => JSON.parse(readFileSync(ledgerPath, 'utf8')),
    /** Forgets that a pause was begun. */
    hurry: (): void => {
      const { notBefore: _pause, ...ledger } = JSON.parse(readFileSync(ledgerPath, 'utf8'));
      writeFileSync(ledgerPath, JSON.stringify(ledger));
    },
    send: async (own: NodeJS.ProcessEnv = {}): Promise<void> => {
      if (process.env.KONNICHIWAGWAN_BUILT === '1')
        await runBuilt('send-events.cjs', null, { ...env, ...own }, [state, project], true);
      else await sendEvents(state, project, { ...env, ...own });
    },
    /** Lines as the guard writes them, with times of their own. */
    log: (at: number, lines: readonly JsonObject[]): void => {
      const path = activityPath(state, dayOf(at));
      mkdirSync(dirname(path), { recursive: true });
      const texts = lines.map((line) => {
        const base = { at: new Date(at).toISOString(), session: 's1', server: 'demo', tool: 'mcp__demo__fetch_page' };
        return `${JSON.stringify({ ...base, ...line })}\n`;
      });
      writeFileSync(path, texts.join(''), { flag: 'a' });
    },
  };
};

const until = async (isSo: () => boolean): Promise<void> => {
  for (let waited = 0; waited < 20_000 && !isSo(); waited += 50) await sleep(50);
};

const idsOf = (records: readonly { attributes: Record<string, unknown> }[]): unknown[] =>
  records.map(({ attributes }) => attributes['konnichiwagwan.event.id']);

describe('events over OTLP', () => {
  it('say of a stopped call what the log says, and nothing of its arguments, texts and places', async (test) => {
    const { collector, send, start, call, release, home, state } = await world(test);
    await start();
    await call('fetch_page', { address: 'canary-argument' });
    release([
      tool('fetch_page', { place: { type: 'string' } }, { required: ['place'] }, { description: 'canary-text' }),
    ]);
    const stopped = await call('fetch_page', { address: 'canary-argument' });
    assert.equal(stopped.answer?.hookSpecificOutput?.permissionDecision, 'deny');
    await send();
    // Beside a stop, another process sends in the background, and only one of the two.
    await until(() => collector.requests.length > 0);
    const [record, ...others] = collector.records().filter(({ eventName }) => eventName === 'konnichiwagwan.verdict');
    assert.equal(others.length, 0);
    const { 'konnichiwagwan.event.id': id, 'konnichiwagwan.machine': machine, ...said } = record?.attributes ?? {};
    assert.match(String(id), /^[0-9a-f]{32}$/);
    assert.equal(machine, readFileSync(join(state, 'telemetry', 'machine'), 'utf8').trim());
    const day = readFileSync(activityPath(state, dayOf(Date.now())), 'utf8')
      .trim()
      .split('\n');
    const line = JSON.parse(day.at(-1) ?? '');
    assert.match(line.rule, /^input-/);
    assert.deepEqual(said, {
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'mcp__demo__fetch_page',
      'konnichiwagwan.server': 'demo',
      'konnichiwagwan.verdict': 'deny',
      'konnichiwagwan.level': 'breaking',
      'konnichiwagwan.rule': line.rule,
      'konnichiwagwan.mode': 'guard',
      'konnichiwagwan.contract.believed': line.from,
      'konnichiwagwan.contract.live': line.to,
      'konnichiwagwan.client': 'claude-code',
    });
    assert.equal(Math.round(Number(record?.timeUnixNano) / 1e6), Date.parse(line.at));
    const sent = collector.requests.map(({ text, headers, path }) => text + JSON.stringify(headers) + path).join();
    for (const canary of ['canary', home, 'toolu_', '"s1"', 'address', 'place'])
      assert.ok(!sent.includes(canary), `${canary} was sent`);
  });

  it('are the same in JSON and in protobuf, by the definitions of OpenTelemetry', async (test) => {
    const at = Date.now() - 3 * HOUR;
    const taken = [];
    for (const encoding of ['json', 'protobuf']) {
      const { collector, send, log, state } = await world(test, { encoding });
      mkdirSync(join(state, 'telemetry'));
      writeFileSync(join(state, 'telemetry', 'machine'), `${'5'.repeat(32)}\n`);
      log(at, [
        { verdict: 'notice', level: 'semantic', rule: 'tool-words-changed', mode: 'warn', pinned: 'd'.repeat(64) },
        { verdict: 'silence' },
        { verdict: 'silence' },
        { verdict: 'deny', again: true, inner: { server: 'größe', tool: 'x' } },
        { verdict: 'unchecked', inner: { server: 'other', tool: 'x' }, server: '/home/canary/server' },
        { verdict: 'silence', tool: 'mcp__demo__other' },
        { verdict: 'silence', again: true },
        { verdict: 'not-covered' },
      ]);
      await send();
      const type = collector.requests[0]?.headers['content-type'];
      assert.equal(type, encoding === 'json' ? 'application/json' : 'application/x-protobuf');
      assert.doesNotMatch(collector.requests.map(({ text }) => text).join(), /canary/);
      taken.push(collector.records());
    }
    const [json, protobuf] = taken;
    assert.deepEqual(json, protobuf);
    const counts = json?.filter(({ eventName }) => eventName === 'konnichiwagwan.calls') ?? [];
    assert.deepEqual(
      counts.map(({ attributes: a }) => [
        a['gen_ai.tool.name'],
        a['konnichiwagwan.verdict'],
        a['konnichiwagwan.count'],
      ]),
      [
        ['mcp__demo__fetch_page', 'silence', 2],
        ['mcp__demo__other', 'silence', 1],
        ['mcp__demo__fetch_page', 'not-covered', 1],
      ],
    );
    assert.equal(json?.length, 6);
    assert.equal(new Set(idsOf(json ?? [])).size, 6);
    assert.equal(Math.round(Number(counts[0]?.timeUnixNano) / 1e6), Math.floor(at / HOUR) * HOUR);
  });

  it('are sent once; silent calls of an hour when it is over', async (test) => {
    const { collector, send, log, state } = await world(test);
    const hour = Math.floor(Date.now() / HOUR) * HOUR;
    log(hour - 2 * HOUR, [{ verdict: 'silence' }, { verdict: 'ask' }]);
    logActivity(state, { session: 's1', server: 'demo', tool: 'mcp__demo__fetch_page', verdict: 'silence' });
    await send();
    await send();
    assert.deepEqual(
      collector.records().map(({ attributes: a }) => [a['konnichiwagwan.verdict'], a['konnichiwagwan.count']]),
      [
        ['ask', undefined],
        ['silence', 1],
      ],
    );
    logActivity(state, { session: 's1', server: 'demo', tool: 'mcp__demo__fetch_page', verdict: 'unchecked' });
    await send();
    assert.equal(collector.records().length, 3);
  });

  it('that are counted are noted before they are sent: a process that is killed then leaves the same count', async (test) => {
    const { collector, send, log, ledger, state } = await world(test);
    const at = Date.now() - 2 * HOUR;
    log(at, [{ verdict: 'silence' }]);
    const noted: unknown[] = [];
    collector.answers((response) => {
      noted.push(ledger().counts);
      response.end();
    });
    await send();
    const day = dayOf(at);
    assert.deepEqual(noted, [{ day, offset: 0, to: statSync(activityPath(state, day)).size }]);
  });

  it('that broke off, or were forgotten to be sent, come again with the same ids', async (test) => {
    const { collector, send, log, ledger, ledgerPath, hurry } = await world(test);
    log(Date.now() - 2 * HOUR, [{ verdict: 'ask' }, { verdict: 'silence' }]);
    collector.answers((response) => response.destroy());
    await send();
    assert.equal(ledger().failures, 1);
    await send();
    assert.equal(collector.requests.length, 1, 'it did not wait');
    hurry();
    collector.answers((response) => void response.end());
    await send();
    for (const damaged of ['{"verdicts"', JSON.stringify({ ...ledger(), verdicts: null })]) {
      writeFileSync(ledgerPath, damaged);
      await send();
    }
    const ids = idsOf(collector.records());
    assert.equal(ids.length, 7);
    assert.equal(new Set(ids).size, 2);
  });

  it('of computers that were cloned are no event of the other, though they share an id', () => {
    const [from, origin] = [
      { day: '2026-03-01', offset: 0 },
      { machine: 'm', isNamed: true },
    ];
    const idsFor = (session: string): unknown[] => {
      const counts = new Counts();
      for (const at of [1, 2])
        counts.add({ at, session, tool: 'mcp__demo__fetch_page', server: 'demo', verdict: 'silence' } as LoggedCall);
      return idsOf(counts.events(from, origin));
    };
    assert.deepEqual(idsFor('one'), idsFor('one'));
    assert.notDeepEqual(idsFor('one'), idsFor('other'));
  });

  it('wait as long as a collector says, and longer with each failure', async (test) => {
    const { collector, send, log, ledger, ledgerPath, hurry } = await world(test);
    log(Date.now(), [{ verdict: 'ask' }]);
    collector.answers((response) => void response.writeHead(429, { 'retry-after': '7200' }).end());
    await send();
    const wait = ledger().notBefore - Date.now();
    assert.ok(wait > 7_100_000 && wait <= 7_200_000, `${wait} ms`);
    assert.match(ledger().error, /HTTP 429/);
    const pauses: number[] = [];
    collector.answers((response) => void response.writeHead(503).end());
    for (let again = 0; again < 4; again++) {
      hurry();
      await send();
      pauses.push(ledger().notBefore - Date.now());
    }
    // A pause that a wrong clock began does not last until that clock's time.
    writeFileSync(ledgerPath, JSON.stringify({ ...ledger(), notBefore: Date.now() + 400 * 24 * HOUR }));
    await send();
    assert.ok(ledger().notBefore < Date.now() + 25 * HOUR, 'it waits for a year');
    // Half of each pause is left to chance.
    for (const [index, pause] of pauses.entries()) {
      const full = 30_000 * 2 ** (index + 1);
      assert.ok(pause > full / 2 - 2_000 && pause <= full, `${pauses}`);
    }
    collector.answers((response) => void response.end());
    hurry();
    await send();
    assert.equal(ledger().failures, 0);
    assert.equal(ledger().error, undefined);
  });

  it('are sent although a log or the ledger is of a day that has not come: a clock was wrong', async (test) => {
    const { collector, send, log, ledger, ledgerPath } = await world(test);
    const [now, ahead] = [Date.now(), Date.now() + 400 * 24 * HOUR];
    const sent = () => collector.records().map(({ attributes: a }) => a['konnichiwagwan.verdict']);
    log(now - 48 * HOUR, [{ verdict: 'ask' }]);
    log(ahead, [{ verdict: 'notice' }]);
    await send();
    assert.deepEqual(sent(), ['ask']);
    log(now, [{ verdict: 'deny' }]);
    await send();
    assert.deepEqual(sent(), ['ask', 'deny']);
    const place = { day: dayOf(ahead), offset: 3 };
    writeFileSync(
      ledgerPath,
      JSON.stringify({ ...ledger(), verdicts: place, counts: { ...place, to: 9 }, refused: 2 }),
    );
    await send();
    const ids = collector.records().map(({ attributes: a }) => a['konnichiwagwan.event.id']);
    assert.deepEqual([sent(), new Set(ids).size], [['ask', 'deny', 'ask', 'deny'], 2]);
    assert.deepEqual([ledger().verdicts.day, ledger().refused], [dayOf(now), 2]);
  });

  it('that a collector does not take are lost, and said to be; a wrong token or a redirect loses none', async (test) => {
    const { collector, send, log, ledger, hurry } = await world(test);
    const away = await startCollector();
    test.after(() => away.close());
    log(Date.now(), [{ verdict: 'ask' }, { verdict: 'deny' }]);
    for (const [status, headers] of [
      [401, {}],
      [404, {}],
      [307, { location: away.url }],
    ] as const) {
      collector.answers((response) => void response.writeHead(status, headers).end());
      await send();
      assert.ok(ledger().notBefore > Date.now() + HOUR - 60_000, `${status}`);
      assert.equal(ledger().refused, 0);
      hurry();
    }
    assert.equal(away.requests.length, 0);
    collector.answers((response) => void response.writeHead(400).end('x'.repeat(1_000_000)));
    await send();
    assert.equal(ledger().refused, 2);
    assert.match(ledger().error, /HTTP 400, and 2 events are lost/);
    log(Date.now(), [{ verdict: 'ask' }, { verdict: 'deny' }]);
    collector.answers((response) => void response.end(partialAnswer(1)));
    await send();
    assert.equal(ledger().refused, 3);
    const before = collector.requests.length;
    await send();
    assert.equal(collector.requests.length, before);
  });

  it('go with headers of variables and of a helper; without a variable nothing is sent', async (test) => {
    const { collector, send, log, ledger, configure } = await world(test);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: our own variables are written so
    const headers = { authorization: 'Bearer ${EVENTS_TOKEN}' };
    const helper = `"${process.execPath}" -e "console.log(JSON.stringify({ 'x-tenant': 'blue' }))"`;
    configure({ endpoint: collector.url, headers, headersHelper: helper });
    log(Date.now(), [{ verdict: 'ask' }]);
    await send();
    assert.match(ledger().error, /EVENTS_TOKEN is not set by you/);
    assert.equal(collector.requests.length, 0);
    await send({ EVENTS_TOKEN: 'canary-token' });
    const got = collector.requests[0]?.headers ?? {};
    assert.equal(got.authorization, 'Bearer canary-token');
    assert.equal(got['x-tenant'], 'blue');
    assert.equal(got['content-encoding'], 'gzip');
    assert.doesNotMatch(JSON.stringify(ledger()), /canary/);
    configure({ endpoint: collector.url, headersHelper: 'exit 3' });
    log(Date.now(), [{ verdict: 'ask' }]);
    await send();
    assert.match(ledger().error, /headersHelper failed/);
    assert.equal(collector.requests.length, 1);
  });

  it('can go without an id of the machine', async (test) => {
    const { collector, send, log, state } = await world(test, { machineId: false });
    log(Date.now() - 2 * HOUR, [{ verdict: 'ask' }, { verdict: 'silence' }]);
    await send();
    assert.equal(collector.records().length, 2);
    const machine = readFileSync(join(state, 'telemetry', 'machine'), 'utf8').trim();
    assert.ok(
      !collector.requests.some(({ text }) => text.includes(machine) || text.includes('konnichiwagwan.machine')),
    );
  });

  it('older than 30 days stay', async (test) => {
    const { collector, send, log, ledger } = await world(test);
    log(Date.now() - 40 * 24 * HOUR, [{ verdict: 'ask' }]);
    log(Date.now() - 20 * 24 * HOUR, [{ verdict: 'deny' }, { verdict: 'silence' }]);
    await send();
    assert.deepEqual(
      collector.records().map(({ attributes: a }) => a['konnichiwagwan.verdict']),
      ['deny', 'silence'],
    );
    assert.equal(ledger().verdicts.day, dayOf(Date.now() - 20 * 24 * HOUR));
  });

  it('are left out, the oldest first, where more than 100 MB wait', async (test) => {
    const { collector, send, log, ledger, state } = await world(test);
    const at = Date.now() - 2 * 24 * HOUR;
    log(at - 24 * HOUR, [{ verdict: 'ask' }]);
    log(at, [{ verdict: 'notice' }]);
    const padding = `${'x'.repeat(512 * 1024 - 1)}\n`.repeat(2);
    for (let megabytes = 0; megabytes < 100; megabytes++)
      writeFileSync(activityPath(state, dayOf(at)), padding, { flag: 'a' });
    log(at, [{ verdict: 'deny' }]);
    await send();
    assert.deepEqual(
      collector.records().map(({ attributes: a }) => a['konnichiwagwan.verdict']),
      ['deny'],
    );
    assert.ok(ledger().skipped > 100 && ledger().skipped < 1_000_000, `${ledger().skipped}`);
  });

  it('are the user’s alone to ask for', async (test) => {
    const { collector, send, log, configure, state, project, start, begin } = await world(test);
    writeFileSync(join(state, 'config.json'), '{}');
    writeFileSync(
      join(project, '.claude', 'konnichiwagwan.json'),
      JSON.stringify({ telemetry: { endpoint: collector.url } }),
    );
    const started = await start();
    assert.match(String(started.answer?.systemMessage), /"telemetry" may be set in your own config\.json alone/);
    log(Date.now(), [{ verdict: 'ask' }]);
    await send();
    assert.equal(collector.requests.length, 0);
    configure({ endpoint: '', headers: { a: 1 }, encoding: 'xml' });
    const wrong = await begin();
    assert.match(String(wrong.answer?.systemMessage), /"telemetry" must have a valid endpoint/);
  });

  it('stand in what doctor says: where to, when, how much waits, and what is wrong', async (test) => {
    const { collector, send, log, env } = await world(test);
    const events = async (): Promise<JsonObject | undefined> => {
      const { answer } = await drive('cli.cjs', null, env, ['doctor', '--json']);
      return answer?.data?.checks?.find(({ name }: JsonObject) => name === 'events');
    };
    log(Date.now(), [{ verdict: 'ask' }, { verdict: 'silence' }, { verdict: 'deny' }]);
    const before = await events();
    assert.equal(before?.state, 'ok');
    assert.match(String(before?.detail), /v1\/logs"?; nothing was sent yet; 2 verdicts waiting, in 1 kB of the log$/);
    collector.answers((response) => void response.writeHead(403).end());
    await send();
    const after = await events();
    assert.equal(after?.state, 'wrong');
    assert.match(String(after?.detail), /2 verdicts waiting.*the collector answered HTTP 403; tried again after 2/);
  });

  it('are sent at a session’s end, in the background', async (test) => {
    const { collector, log, env, project } = await world(test);
    log(Date.now(), [{ verdict: 'ask' }]);
    const input = { session_id: 's1', cwd: project, hook_event_name: 'SessionEnd', reason: 'other' };
    await drive('session-end.cjs', JSON.stringify(input), env);
    await until(() => collector.requests.length > 0);
    assert.equal(collector.records().length, 1);
  });
});

describe('a server whose name could be an address', () => {
  it('is named in no part of an event: neither as the server nor in the name of its tool', () => {
    const counts = new Counts();
    const server = 'https://ledger.example/mcp';
    const tool = 'mcp__https___ledger_example_mcp__post_entry';
    counts.add({ at: 0, session: 's1', server, tool, verdict: 'silence', inner: { server, tool: 'post_entry' } });
    const [event] = counts.events({ day: '2026-03-02', offset: 0 }, { machine: 'm', isNamed: false });
    assert.match(String(event?.attributes['gen_ai.tool.name']), /^mcp__[0-9a-f]{32}__post_entry$/);
    assert.doesNotMatch(JSON.stringify(event), /ledger/);
  });
});

describe('the log of a day', () => {
  it('is read for a minute after its end, since a line may come late', async (test) => {
    const { state } = await sandbox(test, []);
    const midnight = Date.parse('2026-03-02T00:00:00Z');
    const [old, now] = [dayOf(midnight - 1), dayOf(midnight)];
    for (const day of [old, now]) {
      mkdirSync(dirname(activityPath(state, day)), { recursive: true });
      writeFileSync(activityPath(state, day), '');
    }
    const dayAfter = (ms: number) =>
      nextVerdicts(state, { day: old, offset: 0 }, midnight + ms, { machine: 'm', isNamed: false }).next.day;
    assert.deepEqual([dayAfter(30_000), dayAfter(90_000)], [old, now]);
  });

  it('is left out where 100 MB more than what was sent wait: the oldest of what waits', async (test) => {
    const { state } = await sandbox(test, []);
    const day = dayOf(Date.now());
    const path = activityPath(state, day);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
    const MB = 1024 * 1024;
    for (const [size, sent, from] of [
      [130, 20, 30],
      [115, 20, 20],
      [104, 0, 4],
    ] as const) {
      truncateSync(path, size * MB);
      const { place, skipped } = bounded(state, { day, offset: sent * MB }, Date.now());
      assert.deepEqual([place, skipped], [{ day, offset: from * MB }, (from - sent) * MB], `${size} MB`);
    }
  });

  it('is left out from the oldest of several days on, and what of a day was sent counts for that day alone', async (test) => {
    const { state } = await sandbox(test, []);
    const [now, MB] = [Date.now(), 1024 * 1024];
    const [day, next] = [dayOf(now - 24 * HOUR), dayOf(now)];
    mkdirSync(dirname(activityPath(state, day)), { recursive: true });
    for (const one of [day, next]) writeFileSync(activityPath(state, one), '');
    truncateSync(activityPath(state, day), 60 * MB);
    for (const [size, place, skipped] of [
      [60, { day, offset: 20 * MB }, 0],
      [90, { day, offset: 50 * MB }, 30],
      [150, { day: next, offset: 50 * MB }, 90],
    ] as const) {
      truncateSync(activityPath(state, next), size * MB);
      const expected = { place, skipped: skipped * MB };
      assert.deepEqual(bounded(state, { day, offset: 20 * MB }, now), expected, `${size} MB`);
    }
    // The first day was sent as a whole.
    const whole = { place: { day: next, offset: 50 * MB }, skipped: 50 * MB };
    assert.deepEqual(bounded(state, { day, offset: 60 * MB }, now), whole);
  });

  it('is left out where it is older than a month, also behind a day that was sent as a whole', async (test) => {
    const { state } = await sandbox(test, []);
    const now = Date.now();
    const [sent, old, young] = [40, 35, 5].map((days) => dayOf(now - days * 24 * HOUR)) as [string, string, string];
    mkdirSync(dirname(activityPath(state, sent)), { recursive: true });
    for (const day of [sent, old, young]) writeFileSync(activityPath(state, day), 'x'.repeat(100));
    assert.deepEqual(bounded(state, { day: sent, offset: 30 }, now), {
      place: { day: old, offset: 100 },
      skipped: 170,
    });
    assert.deepEqual(bounded(state, { day: sent, offset: 100 }, now), {
      place: { day: old, offset: 100 },
      skipped: 100,
    });
    const place = { day: young, offset: 30 };
    assert.deepEqual(bounded(state, place, now), { place, skipped: 0 });
  });
});

describe('whether a process is worth starting', () => {
  const [noon, day] = [Date.parse('2026-03-02T12:00:00Z'), '2026-03-02'];
  const call = (at: number, verdict: string): JsonObject => ({ at: new Date(at).toISOString(), verdict });
  const start = async (test: TestContext, lines: readonly JsonObject[], sent = { verdicts: 0, counts: 0 }) => {
    const { state, log } = await world(test);
    log(noon, lines);
    const ledger = { failures: 0, refused: 0, skipped: 0 };
    return (now: number): boolean =>
      isWaiting(
        state,
        { ...ledger, verdicts: { day, offset: sent.verdicts }, counts: { day, offset: sent.counts } },
        now,
      );
  };

  it('at once for a verdict; for silent calls alone, when their hour is over', async (test) => {
    const silent = await start(test, [call(noon, 'silence')]);
    assert.deepEqual([silent(noon + 1_000), silent(noon + HOUR), silent(noon + HOUR + 61_000)], [false, false, true]);
    const stopped = await start(test, [call(noon, 'silence'), call(noon, 'deny')]);
    assert.equal(stopped(noon + 1_000), true);
  });

  it('not for what was sent, and once for the next day that has a log', async (test) => {
    const { state, log } = await world(test);
    log(noon, [call(noon, 'deny')]);
    const place = { day, offset: readFileSync(activityPath(state, day)).length };
    const ledger = { failures: 0, refused: 0, skipped: 0, verdicts: place, counts: place };
    const next = noon + 24 * HOUR;
    assert.equal(isWaiting(state, ledger, next), false);
    log(next, [call(next, 'silence')]);
    assert.equal(isWaiting(state, ledger, next), true);
  });

  it('a minute after the last one, at a session’s end at once, and not before the time that a collector named', async (test) => {
    const { state, project, env, log, ledgerPath } = await world(test);
    const now = Date.now();
    log(now, [call(now, 'deny')]);
    const place = { day: dayOf(now), offset: 0 };
    const due = (known: JsonObject, atEnd: boolean): boolean => {
      mkdirSync(dirname(ledgerPath), { recursive: true });
      const ledger = { failures: 0, refused: 0, skipped: 0, verdicts: place, counts: place, ...known };
      writeFileSync(ledgerPath, JSON.stringify(ledger));
      return isDue(state, project, env, atEnd);
    };
    for (const [what, known, ...expected] of [
      ['never tried', {}, true, true],
      ['tried just now', { triedAt: now - 1_000 }, false, true],
      ['tried a minute ago', { triedAt: now - 61_000 }, true, true],
      ['tried in the future: the clock was set back', { triedAt: now + HOUR }, true, true],
      ['held back', { notBefore: now + HOUR }, false, false],
    ] as const)
      assert.deepEqual([due(known, false), due(known, true)], expected, what);
  });
});

describe('where events go', () => {
  it('to an endpoint whose user and password became a header, but never in place of one that was named', () => {
    const endpoint = 'https://me:p%40ss@collector.test/v1/logs';
    const basic = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    const plain = targetOf({ endpoint }, {});
    assert.ok('url' in plain);
    assert.deepEqual([plain.url.href, plain.headers], ['https://collector.test/v1/logs', { authorization: basic }]);
    const named = targetOf({ endpoint, headers: { Authorization: 'Bearer t' } }, {});
    assert.deepEqual('url' in named && named.headers, { authorization: 'Bearer t' });
  });

  for (const [what, config, why] of [
    ['no address', { endpoint: 'collector.test' }, /not an http or https URL/],
    ['a file', { endpoint: 'file:///etc/passwd' }, /not an http or https URL/],
    ['a password that is not well formed', { endpoint: 'https://me:%zz@c.test/' }, /not well formed/],
    ['a header with a line break', { endpoint: 'https://c.test/', headers: { 'X-Key': 'a\nb' } }, /line break/],
    ['a header of a variable that is not set', { endpoint: 'https://c.test/', headers: { a: `\${KEY}` } }, /KEY/],
    ['an endpoint of a variable that is not set', { endpoint: `\${KEY}` }, /KEY/],
  ] as const)
    it(`nowhere: ${what}`, () => {
      const found = targetOf(config, {});
      assert.match('why' in found ? found.why : '', why);
    });

  it('an event says whether Claude Code’s guard or wrap judged the call', () => {
    const call: LoggedCall = { at: 0, session: 's1', server: 'demo', tool: 'mcp__demo__a', verdict: 'deny' };
    const client = (session: string): unknown =>
      verdictEvent(
        { ...call, session },
        Buffer.from(''),
        { day: '2026-03-02', offset: 0 },
        { machine: 'm', isNamed: false },
      ).attributes['konnichiwagwan.client'];
    assert.deepEqual([client('s1'), client('wrap-12-abc')], ['claude-code', 'wrap']);
  });

  it('a collector that names a day to wait for is left alone until then, and a day at most', async (test) => {
    const { collector, send, log, ledger, hurry } = await world(test);
    log(Date.now(), [{ verdict: 'ask' }]);
    for (const [hours, most] of [
      [2, 2],
      [72, 24],
    ] as const) {
      const until = new Date(Date.now() + hours * HOUR).toUTCString();
      collector.answers((response) => void response.writeHead(503, { 'retry-after': until }).end());
      await send();
      const wait = ledger().notBefore - Date.now();
      assert.ok(wait > most * HOUR - 60_000 && wait <= most * HOUR, `${wait} ms`);
      hurry();
    }
  });
});
