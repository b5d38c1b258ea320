// Full tier: each test starts DuckDB, which takes both cores.
// What many machines exported, read by DuckDB: the same answers as on each machine, and who has not reported yet.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { remove } from '../scripts/state/in-use.ts';
import { addDays } from '../scripts/usage/days.ts';
import { loadDuckDb } from '../scripts/usage/exports/duckdb.ts';
import { seedOf } from './random-runs.ts';
import { drive } from './sandbox.ts';

const TODAY = new Date().toISOString().slice(0, 10);
const ago = (days: number, ms = 43_200_000): string => new Date(Date.parse(addDays(TODAY, -days)) + ms).toISOString();

interface Line {
  at?: string;
  session?: string;
  server?: string;
  tool?: string;
  verdict?: string;
  [more: string]: unknown;
}

const place = (test: TestContext) => {
  const home = mkdtempSync(join(tmpdir(), 'kwg-usage-from-'));
  test.after(() => remove(home));
  const write = (path: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), content, { flag: 'a' });
  };
  const run = async (args: string[], more: NodeJS.ProcessEnv = {}) => {
    const env = { HOME: home, KONNICHIWAGWAN_HOME: join(home, 'none'), COLUMNS: '100', ...more };
    return drive('cli.cjs', null, env, ['usage', ...args], !args.includes('--json'), home);
  };
  return {
    home,
    write,
    run,
    log: (machine: string, ...lines: Line[]) => {
      for (const line of lines) {
        const entry = {
          at: ago(1),
          session: 's1',
          server: 'demo',
          tool: 'mcp__demo__note',
          verdict: 'silence',
          ...line,
        };
        write(`logs/${machine}/${entry.at.slice(0, 10)}.jsonl`, `${JSON.stringify(entry)}\n`);
      }
    },
    /** The data of the answer, and its exit code. */
    data: async (args: string[], more: NodeJS.ProcessEnv = {}) => {
      const { answer, code, stderr } = await run([...args, '--json'], more);
      assert.equal(stderr, '');
      return { ...answer, code };
    },
  };
};

// biome-ignore lint/suspicious/noExplicitAny: what was printed is what the test is about
const callsOf = (data: any): Record<string, number> =>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  Object.fromEntries(data.tools.map(({ server, tool, calls }: any) => [`${server}/${tool}`, calls]));

/** What one machine logged, as lines in the order of their times; all before today. */
const TOOLS = ['mcp__demo__note', 'mcp__demo__note_raw', 'mcp__demo__search', 'mcp__a_b__note', 'mcp__x__y__do__it'];
const SERVERS: Record<string, string> = { mcp__a_b__note: 'a b', mcp__x__y__do__it: 'x__y' };
const HUB = 'mcp__hub__mcp_invoke_tool';
const VERDICTS = ['silence', 'silence', 'notice', 'ask', 'deny', 'unchecked', 'not-covered', 'failed'];
const eventOf = fc.record({
  session: fc.constantFrom('s1', 's2', 's3', 's4', '__proto__'),
  tool: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...TOOLS) }, fc.constant(HUB)),
  named: fc.boolean(),
  verdict: fc.constantFrom(...VERDICTS),
  inner: fc.constantFrom(
    undefined,
    null,
    { tool: 'note' },
    { server: 'demo', tool: 'search' },
    { server: 'far', tool: 'x' },
    { tool: '../x' },
    { tool: 'Note' },
    { server: 'hub', tool: 'hub_note' },
  ),
  again: fc.constantFrom(undefined, undefined, undefined, 'deny', 'notice'),
  wait: fc.integer({ min: 1, max: 30_000_000 }),
  beside: fc.constantFrom(undefined, undefined, undefined, undefined, 'not JSON', '[]', '{"at":"never"}', '', 'null'),
});
type Event = typeof eventOf extends fc.Arbitrary<infer One> ? One : never;

const linesOf = (events: readonly Event[]): { day: string; text: string }[] => {
  let at = Date.parse(addDays(TODAY, -9));
  const end = Date.parse(TODAY);
  return events.flatMap(({ session, tool, named, verdict, inner, again, wait, beside }) => {
    at += wait;
    if (at >= end) return [];
    const time = new Date(at).toISOString();
    const call = {
      at: time,
      session,
      ...(named || tool in SERVERS ? { server: SERVERS[tool] ?? tool.split('__')[1] } : {}),
      tool,
      verdict,
      ...(tool === HUB ? { inner } : {}),
    };
    const isLet = ['silence', 'notice', 'unchecked', 'not-covered'].includes(verdict);
    const more = again !== undefined && isLet ? [{ ...call, verdict: again, again: true }] : [];
    const texts = [call, ...more].map((line) => JSON.stringify(line));
    return [...texts, ...(beside === undefined ? [] : [beside])].map((text) => ({ day: time.slice(0, 10), text }));
  });
};

/** What differs by design: the words for what was read, and what exports cannot tell. */
const sameWords = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/the activity log \(\d+ files?\)|\d+ files? of \d+ machines?/g, 'what was read')
    .replace(/(exports|activity log):/g, '')
    .replace(/Only the sessions of this user.*|Only what these machines exported.*/, '');

// biome-ignore lint/suspicious/noExplicitAny: what was printed is what the test is about
const sameData = ({ machines: _, sources, retire, ...rest }: any) => ({
  ...rest,
  read: sources.log,
  retire: retire && {
    ...retire,
    scope: '',
    because: retire.because.map((reason: string) => reason.replace(/^(exports|activity log):/, '')),
  },
});

describe('one machine', () => {
  it('has the same answers from its exports as from its log', async (test) => {
    const seed = seedOf();
    test.diagnostic(`seed ${seed}`);
    const { home, write, run } = place(test);
    let number = 0;
    const property = fc.asyncProperty(fc.array(eventOf, { maxLength: 60 }), async (events) => {
      number += 1;
      const folder = `m${number}/activity`;
      for (const { day, text } of linesOf(events)) write(`${folder}/${day}.jsonl`, `${text}\n`);
      // An empty file of today: this machine has reported up to yesterday.
      write(`${folder}/${TODAY}.jsonl`, '');
      const retire = ['--retire', 'demo/note', '--sessions', '2'];
      for (const args of [[], ['--days', '5', '--tool', 'note'], ['--server', 'a b'], retire]) {
        const local = { KONNICHIWAGWAN_HOME: join(home, `m${number}`) };
        const from = ['--from', folder, ...(args === retire ? ['--machines', '1'] : [])];
        const [here, there] = [await run([...args, '--json'], local), await run([...args, ...from, '--json'])];
        assert.equal(there.stderr, '');
        assert.deepEqual(sameData(there.answer.data), sameData(here.answer.data), args.join(' '));
        assert.equal(there.code, here.code, args.join(' '));
        if (args.length > 0 && args !== retire) continue;
        const [ours, theirs] = [await run(args, local), await run([...args, ...from])];
        assert.equal(sameWords(theirs.stdout), sameWords(ours.stdout), args.join(' '));
      }
    });
    await fc.assert(property, { seed, numRuns: 15, endOnFailure: true });
  });
});

describe('many machines', () => {
  it('are the sum of each one, and sessions of two machines are two', async (test) => {
    const { log, data } = place(test);
    log('one', {}, { session: 's2', tool: 'mcp__demo__note_raw' });
    log('two', {}, {}, { server: 'a b', tool: 'mcp__a_b__note' });
    // A line may name its machine itself; the folder does not count then.
    log('two', { machine: 'three' });
    const { data: found, code, warnings } = await data(['--from', 'logs']);
    assert.deepEqual([code, warnings, found.complete], [0, [], true]);
    assert.deepEqual(callsOf(found), { 'demo/note': 4, 'demo/note_raw': 1, 'a b/note': 1 });
    assert.deepEqual([found.calls, found.sessions, found.machines], [6, 4, { known: 3 }]);
    // biome-ignore lint/suspicious/noExplicitAny: what was printed is what the test is about
    const sessions = found.legacy_sessions.sessions.map(({ machine, session, tools }: any) => [
      machine,
      session,
      tools[0].calls,
    ]);
    assert.deepEqual(sessions, [
      ['one', 's1', 1],
      ['three', 's1', 1],
      ['two', 's1', 2],
    ]);
    for (const from of ['logs/*/*.jsonl', 'logs/**/*.jsonl', 'logs/'])
      assert.equal((await data(['--from', from])).data.calls, 6, from);
    assert.deepEqual(callsOf((await data(['--from', 'logs/o*/*'])).data), { 'demo/note': 1, 'demo/note_raw': 1 });
  });

  it("a collector's records: counts, verdicts, records sent twice, and those of other programs", async (test) => {
    const { write, data } = place(test);
    const value = (one: unknown) =>
      typeof one === 'number' ? { intValue: String(one) } : { stringValue: String(one) };
    const record = (days: number, attributes: Record<string, unknown>) => ({
      timeUnixNano: `${Date.parse(ago(days))}000000`,
      attributes: Object.entries(attributes).map(([key, one]) => ({ key, value: value(one) })),
    });
    const call = (id: string, more: Record<string, unknown> = {}) => ({
      'gen_ai.tool.name': 'mcp__demo__note',
      'konnichiwagwan.server': 'demo',
      'konnichiwagwan.verdict': 'silence',
      'konnichiwagwan.event.id': id,
      'konnichiwagwan.machine': 'm1',
      ...more,
    });
    const batch = (...logRecords: object[]) =>
      `${JSON.stringify({ resourceLogs: [{ resource: { attributes: [] }, scopeLogs: [{ logRecords }] }] })}\n`;
    const hour = record(3, call('a', { 'konnichiwagwan.count': 40 }));
    const denied = record(2, call('b', { 'konnichiwagwan.verdict': 'deny', 'gen_ai.tool.name': 'note_raw' }));
    write('otlp/one.jsonl', batch(hour, denied, record(1, { 'service.name': 'shop', 'gen_ai.tool.name': 'x' })));
    // Sent again, to another file.
    write('otlp/two.jsonl', batch(hour) + batch(record(1, call('c', { 'konnichiwagwan.machine': 'm2' }))));
    const { data: found } = await data(['--from', 'otlp']);
    assert.deepEqual(callsOf(found), { 'demo/note': 41, 'demo/note_raw': 1 });
    assert.deepEqual([found.sessions, found.machines.known, found.complete], [0, 2, true]);
    // They name no session: enough for a no, never for a yes.
    const retire = ['--from', 'otlp', '--machines', '2', '--retire', 'note', '--sessions', '1'];
    const no = await data(retire);
    assert.deepEqual([no.code, no.data.retire.because.at(-1)], [1, '41 calls of note in exports that name no session']);
    // A count bears the time at which its hour began: some of its calls may have come after a session that did so later.
    write('both/otlp.jsonl', batch(record(1, call('e', { 'konnichiwagwan.count': 2 }))));
    const later = {
      at: ago(1, 45_000_000),
      session: 's1',
      server: 'demo',
      tool: 'mcp__demo__other',
      verdict: 'silence',
    };
    write(`both/one/${later.at.slice(0, 10)}.jsonl`, `${JSON.stringify(later)}\n`);
    const both = await data(['--from', 'both', '--machines', '2', '--retire', 'note', '--sessions', '1']);
    assert.deepEqual(
      [both.code, both.data.retire.because.at(-1)],
      [1, '2 calls of note in exports that name no session'],
    );
    write('otlp/bad.jsonl', batch(record(1, call('d', { 'konnichiwagwan.count': 0 })), { attributes: [] }));
    write(
      'otlp/bad.jsonl',
      '{"resourceLogs":"no list"}\n{"resourceLogs":[{"scopeLogs":[{"logRecords":[null,{}]}]}]}\n',
    );
    const { data: bad } = await data(['--from', 'otlp']);
    assert.deepEqual([bad.sources.log.damaged_lines, bad.complete, bad.calls], [2, false, 42]);
  });

  it('Parquet has the same answers as the lines that it was made from', async (test) => {
    const { home, log, data } = place(test);
    log(
      'one',
      {},
      { server: 'demo', tool: 'mcp__demo__mcp_invoke_tool', inner: null },
      { session: 's2', tool: 'mcp__demo__note_raw', verdict: 'deny' },
      { inner: { server: 'x', tool: 'y' } },
    );
    const instance = await loadDuckDb().DuckDBInstance.create(':memory:', {});
    const connection = await instance.connect();
    mkdirSync(join(home, 'tables/one'), { recursive: true });
    await connection.run(
      `COPY (FROM read_json('${home}/logs/one/*.jsonl')) TO '${home}/tables/one/all.parquet' (FORMAT parquet)`,
    );
    connection.closeSync();
    instance.closeSync();
    const [lines, tables] = [await data(['--from', 'logs']), await data(['--from', 'tables'])];
    assert.deepEqual({ ...tables.data, sources: 0 }, { ...lines.data, sources: 0 });
    assert.deepEqual(callsOf(tables.data), { 'demo/mcp_invoke_tool': 1, 'demo/note': 2, 'demo/note_raw': 1, 'x/y': 1 });
  });
});

describe('--retire', () => {
  const retire = (...more: string[]) => ['--from', 'logs', '--retire', 'note', '--sessions', '2', ...more];
  /** Two machines whose last two sessions used the twin alone. */
  const moved = (log: ReturnType<typeof place>['log']) => {
    for (const machine of ['one', 'two'])
      log(machine, { at: ago(5) }, { at: ago(2), session: 's2', tool: 'mcp__demo__note_raw' });
  };

  it('yes only if every machine that is expected reported up to the end of the window', async (test) => {
    const { log, write, data, run } = place(test);
    moved(log);
    const answer = async (...more: string[]) => {
      const { code, data: found } = await data(retire(...more));
      return [code, found.retire.because.join('; ')];
    };
    const said = (reason: string) => [2, reason];
    assert.deepEqual(
      await answer(),
      said('which machines are expected is not known: --machines N, or a file that names them, says it'),
    );
    const last = addDays(TODAY, -2);
    const yesterday = addDays(TODAY, -1);
    const missing = (complete: number, of: number, list: string, until = yesterday) =>
      said(
        `${complete} of ${of} machine${of === 1 ? '' : 's'} reported after ${until}; these did not, and last reported: ${list}`,
      );
    assert.deepEqual(await answer('--machines', '2'), missing(0, 2, `one (${last}), two (${last})`));
    write(`logs/one/${TODAY}.jsonl`, '');
    log('two', { at: `${TODAY}T00:00:01.000Z`, session: 's9', server: 'far', tool: 'mcp__far__x' });
    assert.deepEqual(await answer('--machines', '2'), [0, 'none of the last 2 sessions called note']);
    write('expected', '# laptops\none\ntwo  # of a team\n\n');
    assert.equal((await answer('--machines', 'expected'))[0], 0);
    write('expected', 'three \u001b[31m\r\n');
    assert.deepEqual(await answer('--machines', 'expected'), missing(2, 3, '"three \\u{1b}[31m" (never)'));
    assert.match((await run(retire('--machines', '3'))).stdout, /2 of 3 machines reported after/);
    // A day that has begun is not over: a line of yesterday says nothing of the rest of it.
    write(`logs/five/${yesterday}.jsonl`, '');
    write('begun', 'five');
    assert.deepEqual(await answer('--machines', 'begun'), missing(0, 1, `five (${yesterday})`));
    // A window that ended earlier needs less.
    log('four', { at: ago(3), session: 's3', tool: 'mcp__demo__note_raw' });
    write('older', 'four\none');
    assert.deepEqual(await answer('--machines', 'older'), missing(1, 2, `four (${addDays(TODAY, -3)})`));
    assert.equal((await answer('--machines', 'older', '--until', addDays(TODAY, -4)))[0], 1);
    assert.deepEqual((await data(retire('--machines', 'older'))).data.machines, {
      known: 4,
      expected: 2,
      until: yesterday,
      complete: 1,
      missing: 1,
      missing_first: [{ machine: 'four', last: addDays(TODAY, -3) }],
    });
  });

  it('no: a call in one of the last sessions, or after the window', async (test) => {
    const { log, data } = place(test);
    moved(log);
    for (const machine of ['one', 'two'])
      log(machine, { at: `${TODAY}T00:00:01.000Z`, session: 's9', verdict: 'deny' });
    const { code, data: found } = await data(retire('--machines', '2'));
    assert.deepEqual([code, found.retire.because], [1, [`2 calls of note came after ${addDays(TODAY, -1)}`]]);
    assert.equal((await data(['--from', 'logs', '--retire', 'note', '--sessions', '3', '--machines', '2'])).code, 1);
  });

  it('not enough data: what only transcripts settle, and lines that could not be read', async (test) => {
    const { log, write, data } = place(test);
    moved(log);
    for (const machine of ['one', 'two']) write(`logs/${machine}/${TODAY}.jsonl`, '');
    assert.equal((await data(retire('--machines', '2'))).code, 0);
    log('two', { at: ago(1), session: 's5', server: 'hub', tool: 'mcp__hub__run_actions' });
    const { code, data: found } = await data(retire('--machines', '2'));
    assert.equal(code, 2);
    assert.match(found.retire.because.join(), /1 call of run_actions, which calls other tools or could/);
    write(`logs/one/${TODAY}.jsonl`, '{"half a li');
    assert.match((await data(retire('--machines', '2'))).data.retire.because.join(), /exports: 1 line could not be/);
  });
});

describe('hostile exports', () => {
  it('odd names of folders and files are names', async (test) => {
    const { log, data, run } = place(test);
    const odd = [
      "it's [1]",
      '*',
      'a?b',
      '--',
      "'); DROP TABLE raw; --",
      'new\nline',
      '\u202egpj',
      'x'.repeat(200),
      '$1 {a,b}',
    ];
    for (const name of odd) log(name, { session: 'same' });
    const { data: found } = await data(['--from', 'logs']);
    assert.deepEqual([found.calls, found.sessions, found.machines.known], [odd.length, odd.length, odd.length]);
    for (const name of odd) assert.equal((await data(['--from', `logs/${name}`])).data.calls, 1, name);
    const { stdout } = await run(['--from', 'logs', '--retire', 'note', '--sessions', '9', '--machines', '9']);
    assert.doesNotMatch(stdout, /\u202e|new\nline/);
  });

  it('lines that are too long, no text or no JSON are counted, and nothing else is lost', async (test) => {
    const { log, write, data } = place(test);
    log('one', {});
    const day = addDays(TODAY, -1);
    write(`logs/one/${day}.jsonl`, `{"x":"${'y'.repeat(70_000)}"}\n`);
    write(
      `logs/one/${day}.jsonl`,
      Buffer.from([0x7b, 0xff, 0xfe, 0x0a, 0x22, 0x01, 0x22, 0x0a, 0x61, 0x00, 0x62, 0x0a]),
    );
    write(`logs/one/${day}.jsonl`, `${'['.repeat(100_000)}\n"'; SELECT 1"\n`);
    const names = { server: '\u001b[31m\u0000', session: 's2' };
    log('one', names, { tool: "mcp__demo__'; --" }, { session: '../x' }, { session: '' });
    log('one', { machine: 'z'.repeat(5_000), session: 's3' });
    const { data: found, warnings } = await data(['--from', 'logs']);
    assert.deepEqual([found.calls, found.complete, found.machines.known], [3, false, 1]);
    assert.deepEqual([found.sources.log.lines_too_long, found.sources.log.damaged_lines], [2, 7]);
    assert.deepEqual(warnings, [
      'exports: 7 lines could not be understood: the numbers may be too low',
      'exports: 2 lines longer than 64 KB (in a batch of log records: 16 MB) left out: the numbers may be too low',
    ]);
  });

  it('batches of log records may be long, and what is longer is said', async (test) => {
    const { write, data } = place(test);
    const record = {
      timeUnixNano: `${Date.parse(ago(1))}000000`,
      attributes: Object.entries({ 'gen_ai.tool.name': 'note', 'konnichiwagwan.server': 'demo' }).map(([key, one]) => ({
        key,
        value: { stringValue: one },
      })),
    };
    const batch = (count: number) =>
      `${JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: new Array(count).fill(record) }] }] })}\n`;
    for (const file of ['a', 'b']) write(`otlp/${file}.jsonl`, batch(5_000));
    write('otlp/b.jsonl', `{"x":"${'y'.repeat(70_000)}"}\n`);
    const { data: found } = await data(['--from', 'otlp']);
    assert.deepEqual([callsOf(found), found.sources.log.lines_too_long], [{ 'demo/note': 10_000 }, 1]);
    write('otlp/b.jsonl', batch(100_000));
    const { data: less } = await data(['--from', 'otlp']);
    const { lines_too_long, unread_files } = less.sources.log;
    assert.deepEqual([callsOf(less), lines_too_long, unread_files], [{ 'demo/note': 10_000 }, 2, 0]);
  });

  it('a file that is no Parquet is not read, and said', async (test) => {
    const { log, write, data } = place(test);
    log('one', {});
    write('logs/one/x.parquet', 'PAR1 and nothing');
    const { data: found } = await data(['--from', 'logs']);
    assert.deepEqual([found.calls, found.sources.log.unread_files, found.complete], [1, 1, false]);
  });

  it('files of days that are all too old, and more files than are read at once, are counted as they should be', async (test) => {
    const { write, data } = place(test);
    const line = (at: string) =>
      `${JSON.stringify({ at, session: 's1', server: 'demo', tool: 'mcp__demo__note', verdict: 'silence' })}\n`;
    write(`logs/one/${ago(30).slice(0, 10)}.jsonl`, line(ago(30)));
    const { data: old, code } = await data(['--from', 'logs', '--days', '5']);
    assert.deepEqual([code, old.calls, old.sessions], [0, 0, 0]);
    // One session, in files that are not read together.
    for (let file = 0; file < 1_100; file++) write(`many/one/${file}.jsonl`, line(ago(2, file)));
    const { data: many } = await data(['--from', 'many']);
    assert.deepEqual([many.calls, many.sessions, callsOf(many)], [1_100, 1, { 'demo/note': 1_100 }]);
  });

  it('a pipe is not waited for', { skip: process.platform === 'win32' }, async (test) => {
    const { home, log, data } = place(test);
    log('one', {});
    execFileSync('mkfifo', [join(home, 'logs/one/pipe.jsonl')]);
    const { data: found } = await data(['--from', 'logs']);
    assert.deepEqual([found.calls, found.sources.log.files], [1, 1]);
  });
});

describe('errors', () => {
  it('say what to do', async (test) => {
    const { log, run, write } = place(test);
    log('one', {});
    write('empty', '# none\n');
    const wrong = async (message: RegExp, ...args: string[]) => {
      const { code, stderr } = await run(args);
      assert.equal(code, 2, args.join(' '));
      assert.match(stderr, message);
    };
    await wrong(/there is no file of exports at "nowhere"/, '--from', 'nowhere');
    await wrong(/--machines is for what machines exported: it needs --from/, '--machines', '2');
    const retire = ['--from', 'logs', '--retire', 'note', '--sessions', '2'];
    await wrong(/--machines and --until say who/, '--from', 'logs', '--machines', '2');
    await wrong(/--until is a day \(UTC\) that is over/, ...retire, '--until', TODAY);
    await wrong(/--until is a day \(UTC\) that is over/, ...retire, '--until', '2026-02-31x');
    for (const day of ['2026-02-31', '2025-13-01', '2026-02-01T00:00Z'])
      await wrong(/--until is a day \(UTC\) that is over/, ...retire, '--until', day);
    await wrong(/--transcripts are on this machine alone/, '--from', 'logs', '--transcripts');
    await wrong(/names no machine/, ...retire, '--machines', 'empty');
    await wrong(/could not be read/, ...retire, '--machines', 'nowhere');
    await wrong(/httpfs, which is not installed here.*\n.*--install-httpfs/, '--from', 's3://bucket/folder');
  });

  it('without the package, the error names it and the command', (test) => {
    const { home, write } = place(test);
    const from = pathToFileURL(join(home, 'dist', 'usage.cjs')).href;
    assert.throws(() => loadDuckDb(from), {
      name: 'CommandError',
      message: /@duckdb\/node-api, which is not installed here\. Run: npm install .*dist" @duckdb\/node-api@\d/,
    });
    write('node_modules/@duckdb/node-api/index.js', "throw new Error('no native binding')");
    assert.throws(() => loadDuckDb(from), /does not start on this machine/);
  });
});

describe('the dashboard', () => {
  it('asks what the page of SQL asks', () => {
    const sql = readFileSync('docs/company-usage/clickhouse.sql', 'utf8');
    const { panels } = JSON.parse(readFileSync('docs/company-usage/grafana.json', 'utf8'));
    assert.equal(panels.length, sql.match(/^SELECT [^L]/gm)?.length);
    for (const { title, targets } of panels) assert.ok(sql.includes(`-- ${title}\n${targets[0].rawSql};\n`), title);
  });
});
