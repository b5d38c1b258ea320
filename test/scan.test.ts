// `scan` on transcripts as Claude Code writes them: what changed under conversations, and which calls were outdated.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { scanPage } from '../scripts/scan/page.ts';
import type { ScanReport } from '../scripts/scan/report.ts';
import { scanFile } from '../scripts/scan/scan-file.ts';
import { doubts, scanText, verdict } from '../scripts/scan/text.ts';
import { remove } from '../scripts/state/in-use.ts';
import { painter } from '../scripts/text/paint.ts';
import { drive, tool } from './sandbox.ts';

const A = tool('search', { query: { type: 'string', description: 'WORDS-OF-SERVER' } }, {}, { description: 'Finds.' });
const B = tool('search', { q: { type: 'string', description: 'WORDS-OF-SERVER' } }, {}, { description: 'Finds.' });
const SECRET = 'SECRET-TEXT';

let ids = 0;

const world = (test: TestContext) => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-scan-'));
  test.after(() => remove(home));
  /** A transcript, in which each record has a time. */
  const conversation = (file: string) => {
    const path = join(home, '.claude/projects', file);
    mkdirSync(dirname(path), { recursive: true });
    const add = (record: object) => appendFileSync(path, `${JSON.stringify(record)}\n`);
    const at = (time: string) => `2026-03-${time}:00.000Z`;
    return {
      path,
      add,
      shown: (time: string, tools: Contract[], shape: string, server = 'demo') => {
        add({ type: 'user', timestamp: at(time), message: { content: [{ type: 'text', text: SECRET }] } });
        const named = tools.map(({ name, description, inputSchema }) => ({
          name: `mcp__${server}__${name}`,
          description,
          input_schema: inputSchema,
        }));
        add({ type: 'api-request-shape', shapeHash: shape, shape: { system: [{ text: SECRET }], tools: named } });
        add({ type: 'api-request', querySource: 'sdk', shapeHash: shape });
      },
      attached: (time: string, tools: Contract[]) => {
        const entries = tools.map(({ name, ...rest }) => ({
          name: `mcp__demo__${name}`,
          description: rest.description,
          input_schema: rest.inputSchema,
        }));
        add({ type: 'attachment', attachment: { type: 'deferred_tools_record', entries }, timestamp: at(time) });
      },
      call: (
        time: string,
        input: JsonObject,
        result?: string,
        name = 'mcp__demo__search',
        id = `toolu_${String(ids++).padStart(20, '0')}`,
      ) => {
        add({
          type: 'assistant',
          sessionId: 's',
          message: { content: [{ type: 'tool_use', id, name, input }] },
          timestamp: at(time),
        });
        const content = result ?? SECRET;
        const error = result === undefined ? {} : { is_error: true };
        add({
          type: 'user',
          message: { content: [{ type: 'tool_result', tool_use_id: id, content, ...error }] },
          timestamp: at(time),
        });
        return id;
      },
    };
  };
  const run = (args: string[] = [], env: NodeJS.ProcessEnv = {}) =>
    drive('cli.cjs', null, { HOME: home, ...env }, ['scan', ...args], true);
  const data = async (args: string[] = [], env: NodeJS.ProcessEnv = {}) => {
    const { stdout, stderr, code } = await run([...args, '--json'], env);
    assert.deepEqual([code, stderr], [0, '']);
    return JSON.parse(stdout).data;
  };
  return { home, conversation, run, data };
};

/** One conversation that goes on with the old contract, and one that begins with the new one meanwhile. */
const drifted = (test: TestContext) => {
  const box = world(test);
  const old = box.conversation('p/old.jsonl');
  old.shown('01T10:00', [A], 'a');
  old.call('01T11:00', { query: SECRET });
  old.call('02T11:00', { query: SECRET });
  const now = box.conversation('p/new.jsonl');
  now.shown('03T10:00', [B], 'b');
  now.call('03T11:00', { q: SECRET });
  old.call('04T10:00', { query: SECRET });
  old.call('04T11:00', { query: SECRET }, 'MCP error -32602: SECRET-TEXT');
  old.call('05T11:00', {});
  return { ...box, old, now };
};

describe('the sentence that says it all', () => {
  const none: ScanReport = {
    ...{ conversations: 1, calls: 9, tools: 2, unknown: 0, stopped: 0, outdated: 0, failed: 0, used: 0, unsure: 0 },
    ...{ changes: [], servers: [], isGuarded: false, files: 1, bytes: 1, gaps: [] },
  };
  const change = { server: 'demo', tool: 'search' } as ScanReport['changes'][number];
  for (const [what, report, said] of [
    ['nothing changed', {}, /^No contract changed under a conversation, /],
    ['the guard stopped what would have been', { stopped: 1 }, /^No call went out by an outdated contract, /],
    [
      'a change that met no call',
      { changes: [change] },
      /^The contracts of 1 tool changed 1 time while .* went on\. No call is known to have gone out by an outdated one\.$/,
    ],
    [
      'one tool that changed twice',
      { changes: [change, change], outdated: 3, failed: 1, used: 2 },
      /^The contracts of 1 tool changed 2 times .*\. 3 calls went out by .*: 1 failed, and 2 used what had changed\.$/,
    ],
  ] as [string, Partial<ScanReport>, RegExp][])
    it(what, () => assert.match(verdict({ ...none, ...report }), said));

  it('is followed by what is in doubt, and by nothing where nothing is', () => {
    assert.deepEqual(doubts(none), []);
    for (const one of ['stopped', 'unsure', 'unknown'] as const)
      assert.deepEqual(
        doubts({ ...none, [one]: 1 }).map((text) => /\b1 call\b/.test(text)),
        [true],
        one,
      );
  });

  it('is followed by the first changes of each contract, and how many more there are', () => {
    const changes = (many: number) =>
      Array.from({ length: many }, (_, at) => ({ level: 'breaking', message: `${at + 1}.` })) as typeof change.changes;
    const report = (many: number): ScanReport => {
      const counts = { outdated: 0, failed: 0, used: 0, since: 0, at: 0, days: {} };
      return { ...none, changes: [{ ...change, ...counts, changes: changes(many) }] };
    };
    const lines = (many: number): string[] =>
      scanText(report(many), painter(false))
        .split('\n')
        .filter((line) => line.startsWith('    '));
    assert.deepEqual(lines(3), ['    breaking  1.', '    breaking  2.', '    breaking  3.']);
    assert.deepEqual(lines(5), [...lines(3), '    and 2 more']);
    const items = (many: number): string[] =>
      scanPage(report(many))
        .split('id="changes"')[1]
        ?.match(/<li>.*?<\/li>/g) ?? [];
    assert.equal(items(12).length, 12);
    assert.deepEqual(items(14), [...items(12), '<li>and 2 more changes</li>']);
  });
});

describe('scan', { concurrency: 3 }, () => {
  for (const time of ['2020-01-01T00:00:00Z', '2030-01-01T00:00:00Z'])
    it(`does not take a time in a contract or in arguments for that of the record: ${time}`, async (test) => {
      const timed = { type: 'object', properties: { x: { examples: [{ timestamp: time }] } } };
      const last = { name: 'timed', inputSchema: timed as JsonObject };
      const box = world(test);
      const old = box.conversation('p/old.jsonl');
      old.shown('01T10:00', [A, last], 'a');
      old.call('01T11:00', { query: SECRET });
      const now = box.conversation('p/new.jsonl');
      now.shown('03T10:00', [B, last], 'b');
      now.call('03T11:00', { q: SECRET });
      old.call('04T10:00', { query: SECRET });
      old.call('04T11:00', { query: SECRET, timestamp: time, more: 'x'.repeat(700) });
      const { calls, outdated } = await box.data();
      assert.deepEqual([calls, outdated], [4, 2]);
    });

  it('tells what changed and when, and which calls were outdated, failed, or used it', async (test) => {
    const box = drifted(test);
    const data = await box.data();
    assert.deepEqual([data.calls, data.conversations, data.tools, data.files], [6, 2, 1, 2]);
    assert.deepEqual([data.outdated, data.failed, data.used, data.unsure, data.unknown], [3, 1, 2, 2, 0]);
    assert.deepEqual([data.from, data.to], ['2026-03-01', '2026-03-05']);
    const [change, ...more] = data.changes;
    assert.deepEqual(more, []);
    assert.deepEqual(
      [change.server, change.tool, change.since, change.at, change.conversations, change.days],
      [
        'demo',
        'search',
        '2026-03-01T10:00:00.000Z',
        '2026-03-03T10:00:00.000Z',
        1,
        { '2026-03-04': 2, '2026-03-05': 1 },
      ],
    );
    assert.deepEqual(
      change.changes.map(({ rule }: { rule: string }) => rule),
      ['input-property-renamed'],
    );
    assert.equal(data.servers[0].outdated, 3);
    const { code, stdout } = await box.run();
    assert.equal(code, 0);
    assert.match(stdout, /^6 MCP calls in 2 conversations with 1 tool, /);
    assert.match(
      stdout,
      /^The contracts of 1 tool changed 1 time while conversations went on\. 3 calls went out by a contract that was outdated: 1 failed, and 2 used what had changed\.$/m,
    );
    assert.match(stdout, /2026-03-03 {2}demo\/search {2}3 outdated calls, 1 failed, 2 used what had changed/);
    assert.match(stdout, /renamed: `query` → `q`/);
    assert.match(stdout, /Of 2 calls the transcripts do not tell: the contract changed at some time around them\./);
    assert.match(stdout.trimEnd().split('\n').at(-1) ?? '', /konnichiwagwan install$/);
  });

  it('shows names, dates and contracts alone, and to the model no words of a server', async (test) => {
    const box = drifted(test);
    box.now.shown('06T10:00', [{ ...B, description: 'WORDS-OF-SERVER and more.' }], 'c');
    for (const args of [[], ['--json'], ['--format', 'html']]) {
      const { stdout, stderr } = await box.run(args);
      assert.doesNotMatch(stdout + stderr, /SECRET/, args.join(' '));
      assert.match(stdout, /WORDS-OF-SERVER/);
      assert.doesNotMatch((await box.run(args, { CLAUDECODE: '1' })).stdout, /WORDS-OF-SERVER/, args.join(' '));
    }
  });

  it('html: one page with a timeline, and no script', async (test) => {
    const box = drifted(test);
    const file = join(box.home, 'page.html');
    const { code, stdout } = await box.run(['--format', 'html', '--output', file]);
    assert.equal(code, 0);
    assert.match(stdout, /^The contracts of 1 tool changed[\s\S]*written to/);
    const page = readFileSync(file, 'utf8');
    assert.match(
      page,
      /<svg class="time"[\s\S]*demo\/search[\s\S]*<circle class="calls"[\s\S]*2026-03-04: 2 calls by the old contract/,
    );
    assert.doesNotMatch(page, /<script|javascript:|style="|onload/);
    assert.match(page, /konnichiwagwan install/);
    // The bar goes from the last look at the old contract to the dot, where the new one was first seen.
    const places = /<rect class="between" x="([\d.]+)"[^>]* width="([\d.]+)".*<circle class="change" cx="([\d.]+)"/;
    const [, from, width, dot] = (places.exec(page) ?? []).map(Number) as [number, number, number, number];
    assert.ok(width > 1 && Math.abs(from + width - dot) < 1, `${from} + ${width} is ${dot}`);
  });

  it('a subagent that is shown the new contract tells of it, too', async (test) => {
    const box = world(test);
    const main = box.conversation('p/s.jsonl');
    main.shown('01T10:00', [A], 'a');
    const agent = box.conversation('p/s/subagents/agent-1.jsonl');
    agent.shown('02T10:00', [B], 'b');
    main.call('02T11:00', { query: 'x' });
    assert.equal((await box.data()).outdated, 1);
  });

  it('what a tool search loaded counts as shown', async (test) => {
    const box = world(test);
    const [one, two] = [box.conversation('p/1.jsonl'), box.conversation('p/2.jsonl')];
    one.attached('01T10:00', [A]);
    two.attached('02T10:00', [B]);
    one.call('03T10:00', { query: 'x' });
    const data = await box.data();
    assert.deepEqual([data.outdated, data.used], [1, 1]);
  });

  it('a change that several projects saw is dated to the first that did', async (test) => {
    const box = world(test);
    for (const [project, before, after] of [
      ['p', '01T10:00', '05T10:00'],
      ['q', '02T10:00', '03T10:00'],
      ['r', '02T11:00', '06T10:00'],
    ] as const) {
      box.conversation(`${project}/1.jsonl`).shown(before, [A], 'a');
      box.conversation(`${project}/2.jsonl`).shown(after, [B], 'b');
    }
    const [change] = (await box.data()).changes;
    assert.deepEqual([change.since, change.at], ['2026-03-01T10:00:00.000Z', '2026-03-03T10:00:00.000Z']);
  });

  it('an attachment counts only for tools that the request does not show itself', async (test) => {
    const box = drifted(test);
    box.old.attached('06T10:00', [B]);
    box.old.call('06T11:00', { query: 'x' });
    const { outdated, unsure } = await box.data();
    assert.deepEqual([outdated, unsure], [4, 2]);
  });

  it('a conversation that was shown the new contract itself calls by it', async (test) => {
    const box = drifted(test);
    box.old.shown('06T10:00', [B], 'b');
    box.old.call('06T11:00', { q: 'x' });
    assert.equal((await box.data()).outdated, 3);
  });

  it('no false alarm', async (test) => {
    const box = world(test);
    const [one, two, three] = [
      box.conversation('p/1.jsonl'),
      box.conversation('other/2.jsonl'),
      box.conversation('p/3.jsonl'),
    ];
    one.shown('01T10:00', [A], 'a');
    // The same name in another project may belong to another server.
    two.shown('02T10:00', [B], 'b');
    // Only irrelevant details differ.
    const same = {
      ...A,
      inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#', ...(A.inputSchema as JsonObject) },
    };
    three.shown('02T10:00', [same], 'c');
    const id = one.call('03T10:00', { query: 'x' });
    const data = await box.data();
    assert.deepEqual([data.changes, data.outdated], [[], 0]);
    assert.match((await box.run()).stdout, /No contract changed under a conversation/);
    // Not counted: copies of a call, calls that were not sent, and calls by an unknown contract.
    const late = box.conversation('p/4.jsonl');
    late.shown('04T10:00', [B], 'b');
    const copy = box.conversation('p/5.jsonl');
    copy.shown('01T10:00', [A], 'a');
    copy.call('03T10:00', { query: 'x' }, undefined, 'mcp__demo__search', id);
    for (const answer of [
      'PreToolUse:mcp__demo__search hook error: konnichiwagwan stopped this call',
      'PreToolUse:mcp__demo__search hook error: not on a Friday',
      "The user doesn't want to proceed with this tool use.",
      'Error: No such tool available: mcp__demo__search',
      '<tool_use_error>Error: No such tool available: mcp__demo__search</tool_use_error>',
    ])
      one.call('05T10:00', { query: 'x' }, answer);
    box.conversation('p/6.jsonl').call('05T10:00', { query: 'x' });
    const more = await box.data();
    assert.deepEqual([more.outdated, more.calls, more.unknown], [0, 3 - 1, 1]);
  });

  it('does not say that nothing changed where a call was stopped', async (test) => {
    const box = world(test);
    const one = box.conversation('p/1.jsonl');
    one.shown('01T10:00', [A], 'a');
    one.call('02T10:00', { query: 'x' }, 'PreToolUse:mcp__demo__search hook error: konnichiwagwan stopped this call');
    const { stdout } = await box.run();
    assert.match(stdout, /^No call went out by an outdated contract, as far as the transcripts tell\.$/m);
    assert.match(stdout, /^1 call did not go out: konnichiwagwan stopped it\.$/m);
    assert.doesNotMatch(stdout, /No contract changed/);
  });

  it('knows what the guard stopped, and sells it to nobody who has it', async (test) => {
    const box = drifted(test);
    for (const reason of [
      'konnichiwagwan stopped this call: `search`',
      'Hook PreToolUse error: konnichiwagwan stopped this call: x',
      '<tool_use_error>konnichiwagwan stopped this call: y</tool_use_error>',
    ])
      box.old.call('06T10:00', { query: 'x' }, reason);
    box.old.call('06T11:00', { query: 'x' }, 'the result says konnichiwagwan stopped this call');
    const data = await box.data();
    assert.deepEqual([data.stopped, data.outdated], [3, 4]);
    assert.match((await box.run()).stdout, /^3 calls did not go out: konnichiwagwan stopped them\.$/m);
    for (const format of ['text', 'html'])
      assert.match((await box.run(['--format', format])).stdout, /konnichiwagwan install/);
    mkdirSync(join(box.home, '.claude/konnichiwagwan/sessions'), { recursive: true });
    for (const format of ['text', 'html'])
      assert.doesNotMatch((await box.run(['--format', format])).stdout, /konnichiwagwan install/);
  });

  it('html: names are code, days stand once, and no call stands before the change that it followed', async (test) => {
    const box = world(test);
    box.conversation('p/1.jsonl').shown('03T08:00', [A], 'a');
    const old = box.conversation('p/2.jsonl');
    old.shown('03T08:00', [A], 'a');
    box.conversation('p/3.jsonl').shown('03T20:00', [B], 'b');
    old.call('03T22:00', { query: 'x' });
    const page = (await box.run(['--format', 'html'])).stdout;
    assert.match(page, /renamed: <code>query<\/code> → <code>q<\/code>/);
    const days = [...page.matchAll(/<text class="axis"[^>]*>([^<]+)</g)].map(([, day]) => day);
    assert.equal(new Set(days).size, days.length, days.join());
    const [calls, change] = ['calls', 'change'].map((kind) =>
      Number(new RegExp(`class="${kind}" cx="([\\d.]+)"`).exec(page)?.[1]),
    );
    assert.ok((calls as number) >= (change as number), `${calls} before ${change}`);
    for (const time of ['06T09:00', '09T16:00']) old.call(time, { query: 'y' });
    const later = (await box.run(['--format', 'html'])).stdout;
    const places = [...later.matchAll(/class="calls" cx="([\d.]+)"/g)].map(([, place]) => Number(place));
    const [first = 0, second = 0, third = 0] = places;
    assert.ok(first < second && second < third && third <= 1_076, places.join());
  });

  it('a contract that came back is not outdated', async (test) => {
    const box = drifted(test);
    box.conversation('p/back.jsonl').shown('06T10:00', [A], 'a');
    box.old.call('07T10:00', { query: 'x' });
    assert.equal((await box.data()).outdated, 3);
  });

  it('hostile and damaged records', async (test) => {
    const box = drifted(test);
    const bad = box.conversation('p/bad.jsonl');
    const control = '\u001b[31m<img src=x onerror=alert(1)>`|\u202e';
    const evil = tool('search', { [control]: { type: 'string', description: control } });
    bad.shown('08T10:00', [evil], 'e');
    appendFileSync(
      bad.path,
      '{"type":"assistant","message":{"content":[{"type":"tool_use","name":"mcp__demo__search\n',
    );
    appendFileSync(
      bad.path,
      '{"type":"api-request-shape","shapeHash":"z","shape":{"tools":[{"name":"mcp__demo__search"\n',
    );
    bad.add({ type: 'api-request-shape', shapeHash: 'y', shape: { tools: 'none' } });
    bad.add({ type: 'api-request-shape', shapeHash: 'x', shape: { tools: [null, 1, {}, { name: 'search' }] } });
    bad.add({ type: 'api-request', querySource: 'sdk', shapeHash: 'y' });
    bad.add({
      type: 'assistant',
      timestamp: 'never',
      message: { content: [{ type: 'tool_use', id: 'i', name: 'mcp__demo__search' }, null, 1] },
    });
    for (const format of ['text', 'html']) {
      const { code, stdout, stderr } = await box.run(['--format', format]);
      assert.equal(code, 0);
      assert.match(stderr, /records could not be understood: the numbers may be too low/);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
      assert.doesNotMatch(stdout, /[\u0000-\u0008\u000b-\u001f\u202e]/);
      if (format === 'html') assert.doesNotMatch(stdout, /<img/);
    }
    bad.add({ type: 'assistant', message: { content: [{ type: 'text', text: 'mcp__'.repeat(3_500_000) }] } });
    const { data, warnings } = JSON.parse((await box.run(['--json'])).stdout);
    assert.equal(data.outdated, 3);
    assert.match(warnings.join(), /\b1 record longer than 16 MB left out: the numbers may be too low/);
  });

  it('many transcripts are read by threads, with the same result', async (test) => {
    const box = drifted(test);
    const filler = JSON.stringify({
      type: 'user',
      timestamp: '2026-03-02T00:00:00.000Z',
      message: { content: 'x'.repeat(60_000) },
    });
    for (const file of ['old', 'new', 'third'])
      appendFileSync(box.conversation(`p/${file}.jsonl`).path, `${`${filler}\n`.repeat(180)}`);
    const data = await box.data();
    assert.ok(data.bytes > 30_000_000);
    assert.deepEqual([data.outdated, data.failed, data.used, data.unsure], [3, 1, 2, 2]);
  });

  it('nothing to read is no clean bill', async (test) => {
    const box = world(test);
    const { code, stdout, stderr } = await box.run();
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /no transcripts of Claude Code/);
    for (const wrong of [
      ['--days', '0'],
      ['--days', 'x'],
      ['--format', 'sarif'],
    ])
      assert.equal((await box.run(wrong)).code, 2);
  });

  it('--days leaves out what was not written to since', async (test) => {
    const box = drifted(test);
    const long = Date.now() / 1000 - 10 * 86_400;
    utimesSync(box.now.path, long, long);
    const [recent, all] = [await box.data(['--days', '5']), await box.data(['--days', '20'])];
    assert.deepEqual([recent.files, recent.outdated, all.files, all.outdated], [1, 0, 2, 3]);
  });
});

it('progress counts each byte of a long transcript once', (test) => {
  const { path, add } = world(test).conversation('p/a.jsonl');
  for (let line = 0; line < 8; line++) add({ type: 'user', text: 'x'.repeat(3 * 1024 * 1024) });
  const told: number[] = [];
  scanFile(path, 0, (bytes) => told.push(bytes));
  assert.ok(told.length > 1);
  assert.equal(
    told.reduce((sum, bytes) => sum + bytes, 0),
    statSync(path).size,
  );
});
