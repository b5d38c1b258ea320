// The command as people run it: the built file in a separate home, with a realistic log and transcripts.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { keep } from '../scripts/state/circumstances.ts';
import { remove } from '../scripts/state/in-use.ts';
import { addDays, bucketsOf, fill } from '../scripts/usage/days.ts';
import { nameReader } from '../scripts/usage/names.ts';
import { sparkline, wrap } from '../scripts/usage/text.ts';
import { noLinks } from './posix.ts';
import { drive, type Run, sandbox, tool } from './sandbox.ts';

const TODAY = new Date().toISOString().slice(0, 10);
/** A moment some days ago, in the middle of the UTC day. */
const ago = (days: number, time = '12:00:00.000'): string => {
  const day = addDays(TODAY, -days);
  // Noon of today may be in the future, but never by more than a day.
  return `${day}T${time}Z`;
};

interface LogLine {
  at?: string;
  session?: string;
  server?: string;
  tool?: string;
  verdict?: string;
  again?: true;
}

const place = (test: TestContext) => {
  const home = mkdtempSync(join(tmpdir(), 'kwg-usage-'));
  test.after(() => remove(home));
  const state = join(home, 'state');
  const env = { HOME: home, KONNICHIWAGWAN_HOME: state, COLUMNS: '80' };
  const write = (path: string, text: string): string => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: 'a' });
    return path;
  };
  const run = (args: string[], more: NodeJS.ProcessEnv = {}): Promise<Run> =>
    drive('cli.cjs', null, { ...env, ...more }, ['usage', ...args], !args.includes('--json'));
  return {
    home,
    state,
    env,
    run,
    log: (...lines: LogLine[]) => {
      for (const line of lines) {
        const entry = {
          at: ago(0),
          session: 's1',
          server: 'demo',
          tool: 'mcp__demo__note',
          verdict: 'silence',
          ...line,
        };
        write(join(state, 'activity', `${entry.at.slice(0, 10)}.jsonl`), `${JSON.stringify(entry)}\n`);
      }
    },
    raw: (day: string, text: string) => write(join(state, 'activity', `${day}.jsonl`), text),
    transcript: (name: string, ...records: (object | string)[]) =>
      write(
        join(home, '.claude', 'projects', '-p', `${name}.jsonl`),
        records.map((record) => (typeof record === 'string' ? record : `${JSON.stringify(record)}\n`)).join(''),
      ),
    data: async (args: string[] = []) => {
      const { answer, code, stderr } = await run([...args, '--json']);
      assert.equal(stderr, '');
      assert.deepEqual(Object.keys(answer), ['ok', 'data', 'error', 'warnings', 'meta']);
      assert.equal(answer.ok, code === 0);
      return { ...answer, code };
    },
  };
};

/** A record of a call as Claude Code 2.1.330 writes it. */
const called = (id: string, tool: string, session = 's1', more: object = {}) => ({
  parentUuid: null,
  isSidechain: false,
  message: { role: 'assistant', content: [{ type: 'tool_use', id, name: tool, input: { secret: 'sesame' } }] },
  type: 'assistant',
  timestamp: ago(0),
  sessionId: session,
  ...more,
});

const answered = (id: string, content: unknown, more: object = {}) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...more }] },
  timestamp: ago(0),
  sessionId: 's1',
});

// biome-ignore lint/suspicious/noExplicitAny: what was printed is what the test is about
const callsOf = (data: any): Record<string, number> =>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  Object.fromEntries(data.tools.map(({ server, tool, calls }: any) => [`${server}/${tool}`, calls]));

const NOTE = 'mcp__demo__note';
const RAW = 'mcp__demo__note_raw';
const id = (number: number): string => `toolu_01AbCdEfGhIjKlMnOp${String(number).padStart(4, '0')}`;

it('a name that several known servers fit is of the one with the longest name', () => {
  const read = nameReader(['tides', 'tides__north', 'a b']);
  assert.deepEqual(read('mcp__tides__north__high_water'), { server: 'tides__north', tool: 'high_water' });
  assert.deepEqual(read('mcp__tides__south__high_water'), { server: 'tides', tool: 'south__high_water' });
  assert.deepEqual(read('mcp__a_b__c'), { server: 'a b', tool: 'c' });
});

describe('what the log says', { concurrency: 3 }, () => {
  it('calls per tool and day, in UTC, legacy against twin', async (test) => {
    const { log, data } = place(test);
    log(
      { at: ago(3, '23:59:59.999') },
      { at: ago(2, '00:00:00.000') },
      { at: ago(2), session: 's2', tool: RAW },
      { at: ago(2), session: 's2', tool: 'mcp__demo__other', verdict: 'deny' },
    );
    const { data: found, warnings, code } = await data();
    assert.deepEqual([code, warnings], [0, []]);
    assert.deepEqual(callsOf(found), { 'demo/note': 2, 'demo/note_raw': 1, 'demo/other': 1 });
    const [note, twin, other] = found.tools;
    assert.deepEqual(note.days, { [addDays(TODAY, -3)]: 1, [addDays(TODAY, -2)]: 1 });
    assert.deepEqual([note.role, twin.role, other.role], ['legacy', 'twin', 'other']);
    assert.equal(note.client_name, NOTE);
    assert.deepEqual(found.pairs, [{ server: 'demo', legacy: 'note', twin: 'note_raw' }]);
    assert.equal(found.legacy_sessions.count, 1);
    assert.deepEqual(found.legacy_sessions.sessions[0].tools, [{ server: 'demo', tool: 'note', calls: 2 }]);
    assert.deepEqual([found.days_in, found.calls, found.sessions], ['UTC', 4, 2]);
  });

  it('a call that was judged once more is one call, which did not go out where that stopped it', async (test) => {
    const { log, data } = place(test);
    const answer = async (): Promise<unknown[]> => {
      const { data: found } = await data(['--retire', 'note', '--sessions', '1']);
      return [callsOf(found)['demo/note_raw'], found.retire.answer];
    };
    log({ tool: RAW }, { tool: RAW, verdict: 'deny', again: true });
    assert.deepEqual(await answer(), [1, 'not-enough-data']);
    log({ tool: RAW }, { tool: RAW, verdict: 'notice', again: true });
    assert.deepEqual(await answer(), [2, 'yes']);
  });

  it('is what the guard wrote', async (test) => {
    const there = await sandbox(test, [tool('note', { text: { type: 'string' } })]);
    await there.start();
    await there.call('note', { text: 'sesame' });
    await there.call('note', { text: 'sesame' });
    const { answer, stdout } = await drive('cli.cjs', null, there.env, ['usage', '--json']);
    assert.deepEqual(callsOf(answer.data), { 'demo/note': 2 });
    assert.doesNotMatch(stdout, /sesame/);
  });

  it('nothing at all is no error', async (test) => {
    const { run, data } = place(test);
    const { stdout, code } = await run([]);
    assert.equal(code, 0);
    assert.match(stdout, /^No call is recorded/);
    assert.deepEqual((await data()).data.tools, []);
  });

  it('a server keeps its own name, however long', async (test) => {
    const { log, data } = place(test);
    const server = 'Tides of the northern coast, hourly (staging)';
    log({ server, tool: `mcp__${server.replace(/\W/g, '_')}__note` });
    assert.deepEqual(callsOf((await data()).data), { [`${server}/note`]: 1 });
  });

  it('--days, --server and --tool', async (test) => {
    const { log, data } = place(test);
    log(
      { at: ago(6) },
      { at: ago(7), tool: RAW },
      { server: 'a b', tool: 'mcp__a_b__note' },
      { server: 'x__y', tool: 'mcp__x__y__do__it' },
    );
    const all = { 'demo/note': 1, 'a b/note': 1, 'x__y/do__it': 1 };
    assert.deepEqual(callsOf((await data(['--days', '7'])).data), all);
    assert.deepEqual(callsOf((await data(['--days', '8'])).data), { ...all, 'demo/note_raw': 1 });
    assert.deepEqual(callsOf((await data(['--days', '1'])).data), { 'a b/note': 1, 'x__y/do__it': 1 });
    for (const name of ['a b', 'a_b']) {
      assert.deepEqual(callsOf((await data(['--server', name])).data), { 'a b/note': 1 });
    }
    for (const name of ['demo/note', 'demo/note_raw', NOTE]) {
      assert.deepEqual(callsOf((await data(['--tool', name])).data), { 'demo/note': 1, 'demo/note_raw': 1 }, name);
    }
    assert.deepEqual(callsOf((await data(['--tool', 'do__it'])).data), { 'x__y/do__it': 1 });
    assert.deepEqual(callsOf((await data(['--tool', 'nope'])).data), {});
  });

  it('a twin that nobody called yet is known from what the newest session was offered', async (test) => {
    const { log, state, data, run } = place(test);
    log({}, { tool: 'mcp__demo__search' });
    const tools = ['note', 'note_raw', 'search'].map((name) => ({ name, inputSchema: {} }));
    mkdirSync(join(state, 'sessions'));
    writeFileSync(join(state, 'session_schema.json'), JSON.stringify({ session_id: 's1', tools }));
    const baseline = { session_id: 's1', sources: { k: { name: 'gateway', tools } }, failed: {} };
    keep(join(state, 'sessions', 's1.json'), { session: 's1' }, baseline);
    const { data: found } = await data();
    assert.deepEqual(found.pairs, [{ server: 'demo', legacy: 'note', twin: 'note_raw' }]);
    assert.match((await run([])).stdout, /demo\/note: 1 of 1 calls are legacy \(100 %\)/);
    const { stdout } = await run(['--format', 'html']);
    const [row = ''] = /<tr>(?:(?!<tr>).)* %<\/td><\/tr>/.exec(stdout) ?? [];
    const cells = [...row.matchAll(/<td[^>]*>([^<]*)<\/td>/g)].map(([, text]) => text);
    assert.deepEqual(cells, ['1', '1', TODAY, '0', '0', 'never', '0 %'], row);
    assert.equal((await run(['--retire', 'note', '--sessions', '1'])).code, 1);
  });

  it('damaged lines, foreign files and times that cannot be are left out, and said', async (test) => {
    const { log, raw, state, data } = place(test);
    log({});
    raw(TODAY, 'not JSON\n\n{"at":"never","session":"s1","tool":"mcp__demo__note"}\n[]\nnull\n');
    raw(TODAY, `${JSON.stringify({ at: ago(0), session: '../x', tool: NOTE })}\n`);
    raw(TODAY, `${JSON.stringify({ at: ago(0), session: 's1', tool: 'mcp__demo__\u001b[31m' })}\n`);
    raw(TODAY, `${JSON.stringify({ at: '2999-01-01T00:00:00Z', session: 's1', tool: NOTE })}\n`);
    raw(TODAY, `{"at":"${ago(0)}","session":"s1","tool":"mcp__demo__no`);
    writeFileSync(join(state, 'activity', 'notes.txt'), 'x');
    mkdirSync(join(state, 'activity', `${addDays(TODAY, -1)}.jsonl`));
    const { data: found, warnings, code } = await data();
    assert.equal(code, 0);
    assert.deepEqual(callsOf(found), { 'demo/note': 1 });
    assert.equal(found.complete, false);
    assert.deepEqual(warnings, [
      'activity log: 1 file could not be read: the numbers may be too low',
      'activity log: 7 lines could not be understood: the numbers may be too low',
      'activity log: 1 call with a time in the future left out: the numbers may be too low',
    ]);
  });

  it('names that objects have of their own', async (test) => {
    const { log, data, run } = place(test);
    log(
      { session: '__proto__', server: '__proto__', tool: 'mcp____proto____constructor' },
      { session: 'constructor', server: '__proto__', tool: 'mcp____proto____constructor_raw' },
    );
    assert.deepEqual((await data()).data.pairs, [
      { server: '__proto__', legacy: 'constructor', twin: 'constructor_raw' },
    ]);
    assert.equal((await run(['--format', 'html'])).code, 0);
  });
});

describe('transcripts', { concurrency: 3 }, () => {
  it('are read on request alone, and a call in both counts once', async (test) => {
    const { log, transcript, data } = place(test);
    log({}, {});
    transcript('s1', called(id(1), NOTE), called(id(2), NOTE), called(id(3), NOTE), called(id(4), RAW));
    assert.deepEqual(callsOf((await data()).data), { 'demo/note': 2 });
    const { data: found } = await data(['--transcripts']);
    assert.deepEqual(callsOf(found), { 'demo/note': 3, 'demo/note_raw': 1 });
    assert.equal(found.sources.transcripts.files, 1);
  });

  it('a call that the log alone knows is kept', async (test) => {
    const { log, transcript, data } = place(test);
    log({}, {}, { session: 's9' });
    transcript('s1', called(id(1), NOTE));
    assert.deepEqual(callsOf((await data(['--transcripts'])).data), { 'demo/note': 3 });
  });

  it('copies in a fork or a resumed conversation are the call of the first one', async (test) => {
    const { transcript, data } = place(test);
    transcript('s1', called(id(1), NOTE), called('call_0', NOTE));
    transcript(
      's2',
      called(id(1), NOTE, 's2', { requestSessionId: 's1' }),
      called('call_0', NOTE, 's2'),
      // IDs of other models are not unique: this is another call.
      called('call_0', NOTE, 's2', { timestamp: ago(1) }),
      called(id(2), RAW, 's2'),
    );
    const { data: found } = await data(['--transcripts']);
    assert.deepEqual(callsOf(found), { 'demo/note': 3, 'demo/note_raw': 1 });
  });

  it('a copy counts for the session that made the call, though its transcript is gone', async (test) => {
    const { transcript, data } = place(test);
    const copy = called(id(1), NOTE, 's2', { requestSessionId: 's1' });
    transcript('s2', copy, called(id(2), NOTE, 's2', { requestSessionId: 's2' }));
    transcript('s3', called(id(1), NOTE, 's3', { requestSessionId: 's1' }));
    const { data: found } = await data(['--transcripts']);
    assert.deepEqual([callsOf(found), found.sessions], [{ 'demo/note': 2 }, 2]);
    assert.deepEqual(
      found.tools.map(({ sessions }: { sessions: number }) => sessions),
      [2],
    );
  });

  it('subagents and side chains are part of their session', async (test) => {
    const { transcript, data } = place(test);
    const side = called(id(2), NOTE, 's1', { isSidechain: true, agentId: 'a1' });
    transcript('s1', called(id(1), NOTE), side);
    transcript('s1/subagents/agent-a1', side, called(id(3), NOTE, 's1', { isSidechain: true, sessionId: undefined }));
    transcript('s1/subagents/deeper/agent-a2', called(id(4), NOTE));
    transcript('s1/tool-results/no-transcript', called(id(5), NOTE));
    const copied = transcript('s1/subagents/agent-a3', called(id(6), NOTE));
    renameSync(copied, `${copied}.bak`);
    const { data: found } = await data(['--transcripts']);
    assert.deepEqual([callsOf(found), found.sessions], [{ 'demo/note': 4 }, 1]);
  });

  it('a tool that the client did not have was not called', async (test) => {
    const { transcript, data } = place(test);
    const absent = (tool: string) => `<tool_use_error>Error: No such tool available: ${tool}</tool_use_error>`;
    transcript(
      's1',
      called(id(1), NOTE),
      answered(id(1), absent(NOTE), { is_error: true }),
      called(id(2), NOTE),
      // Similar texts from elsewhere: a text about it, another tool's name, and one that is not an error.
      answered(id(2), [{ type: 'text', text: `the log says ${absent(NOTE)}` }], { is_error: true }),
      called(id(3), NOTE),
      answered(id(3), absent('mcp__demo__other'), { is_error: true }),
      called(id(4), NOTE),
      answered(id(4), absent(NOTE)),
    );
    transcript('s2', called(id(1), NOTE, 's2'));
    assert.deepEqual(callsOf((await data(['--transcripts'])).data), { 'demo/note': 3 });
  });

  it('hostile ones: half lines, no JSON, texts that look like records, links, pipes, huge lines', {
    skip: noLinks,
  }, async (test) => {
    const { home, transcript, data } = place(test);
    const text = JSON.stringify(called(id(9), RAW));
    const path = transcript(
      's1',
      'not JSON\n\0\0\0\n',
      '"tool_use" "mcp__ not JSON\n',
      `${'['.repeat(200_000)}"tool_use" "mcp__"\n`,
      { type: 'user', message: { role: 'user', content: [{ type: 'text', text }] } },
      { type: 'user', message: called(id(8), RAW).message, timestamp: ago(0) },
      {
        type: 'assistant',
        message: { content: [null, 7, { type: 'tool_use' }, { type: 'tool_use', id: 7, name: RAW }] },
      },
      called(id(1), NOTE, 's1', { padding: 'x'.repeat(5_000_000) }),
      called(id(2), RAW, 's1', { padding: 'x'.repeat(17_000_000) }),
      called(id(3), 'mcp__demo__<script>\u001b'),
      called(id(4), 'Bash'),
      called(id(5), NOTE, '../../etc', { requestSessionId: 7 }),
      ...[[], [null], null, 7, { text: 7 }].map((content) =>
        answered(id(1), content, { is_error: true, note: 'No such tool available' }),
      ),
      JSON.stringify(called(id(6), NOTE)).slice(0, -30),
    );
    symlinkSync('/dev/zero', join(dirname(path), 'endless.jsonl'));
    execFileSync('mkfifo', [join(dirname(path), 'pipe.jsonl')]);
    mkdirSync(join(dirname(path), 'folder.jsonl'));
    symlinkSync(join(home, '.claude', 'projects'), join(home, '.claude', 'projects', 'loop'));
    const { data: found, warnings } = await data(['--transcripts']);
    assert.deepEqual(callsOf(found), { 'demo/note': 2 });
    assert.deepEqual(warnings, [
      'transcripts: 2 lines could not be understood: the numbers may be too low',
      'transcripts: 1 line longer than 16 MB left out: the numbers may be too low',
    ]);
    assert.doesNotMatch(JSON.stringify(found), /sesame|<script/);
  });

  it('are the same calls to the status report, for the session that it is about', async (test) => {
    const { env, log, raw, transcript, data } = place(test);
    const absent = `<tool_use_error>Error: No such tool available: ${NOTE}</tool_use_error>`;
    log({}, { verdict: 'deny' }, { session: 's2' });
    raw(TODAY, '{"session":"s1"}\n{"session":"s1", half a line\n');
    transcript(
      's1',
      called(id(1), NOTE),
      called(id(2), NOTE),
      answered(id(2), absent, { is_error: true }),
      called(id(3), NOTE),
      answered(id(3), `the log says ${absent}`),
      called(id(4), NOTE, 's0'),
      { type: 'user', message: called(id(5), NOTE).message, timestamp: ago(0), sessionId: 's1' },
    );
    transcript('s1/subagents/deeper/agent-a1', called(id(1), NOTE), called(id(6), NOTE));
    transcript('s2', called(id(7), NOTE, 's2'));
    assert.deepEqual(callsOf((await data(['--transcripts'])).data), { 'demo/note': 5 });
    const { answer } = await drive('cli.cjs', null, env, ['status', '--session', 's1', '--json']);
    const { verdicts, servers, unseen } = answer.data;
    assert.deepEqual(
      { verdicts, servers, unseen },
      {
        verdicts: { silence: 1, deny: 1 },
        servers: [{ server: 'demo', calls: 2, checked: true, unchecked: 0, uncovered: 0 }],
        unseen: 1,
      },
    );
  });

  it('what was not touched since is not opened', async (test) => {
    const { transcript, data } = place(test);
    const old = transcript('old', called(id(1), NOTE, 'old', { timestamp: ago(90) }));
    utimesSync(old, new Date(ago(90)), new Date(ago(90)));
    transcript('new', called(id(2), NOTE, 'new', { timestamp: ago(90) }), called(id(3), NOTE, 'new'));
    const { data: found } = await data(['--transcripts']);
    assert.deepEqual([callsOf(found), found.sources.transcripts.files], [{ 'demo/note': 1 }, 1]);
    assert.deepEqual(callsOf((await data(['--transcripts', '--days', '100'])).data), { 'demo/note': 3 });
  });
});

describe('--retire', { concurrency: 3 }, () => {
  const retire = (sessions: number, tool = 'note') => ['--retire', tool, '--sessions', String(sessions)];
  /** Logs sessions, the newest first, with the calls of each. */
  const history = (log: (...lines: LogLine[]) => void, ...sessions: string[][]) =>
    log(
      ...sessions.flatMap((tools, index) =>
        tools.map((tool) => ({ at: ago(index), session: `s${index}`, tool: `mcp__demo__${tool}` })),
      ),
    );

  it('yes: none of the last N called it, and the twin was', async (test) => {
    const { log, run, data } = place(test);
    history(log, ['search'], ['note_raw', 'note_raw'], ['search'], ['note', 'note_raw']);
    const { code, data: found } = await data(retire(3));
    assert.equal(code, 0);
    assert.deepEqual(
      { ...found.retire, because: found.retire.because.length },
      {
        tool: 'note',
        server: 'demo',
        twin: 'note_raw',
        answer: 'yes',
        because: 1,
        rests_on: { sessions_in_log: 3, sessions_in_transcripts: 0, calls: 4, twin_sent: 2 },
        sessions: { wanted: 3, found: 3, from: ago(2), to: ago(0) },
        legacy: { sessions: 0, calls: 0, last: ago(3) },
        twin_use: { sessions: 1, calls: 2, last: ago(1) },
        scope: 'Only the sessions of this user on this machine are known.',
      },
    );
    assert.match((await run(retire(3))).stdout, /^✅ note can be retired\./);
  });

  it('no: one call is enough, however few sessions there are, and a denied one counts', async (test) => {
    const { log, run, data } = place(test);
    log({ at: ago(40), verdict: 'deny' });
    const { code, data: found } = await data(retire(50));
    assert.deepEqual([code, found.retire.answer, found.retire.sessions.found], [1, 'no', 1]);
    assert.match((await run(retire(50))).stdout, /^❌ note cannot be retired yet\.\n {2}1 of the last 1 session still/);
  });

  it('not enough data: too few sessions, no twin, other servers alone, nobody', async (test) => {
    const { log, data } = place(test);
    history(log, ['note_raw'], ['search'], ['search']);
    log({ session: 'x', server: 'far', tool: 'mcp__far__note_raw' });
    const becauseOf = async (args: string[]) => {
      const { code, data: found } = await data(args);
      assert.deepEqual([code, found.retire.answer], [2, 'not-enough-data']);
      return found.retire.because.join('; ');
    };
    assert.match(await becauseOf(retire(4, 'demo/note')), /^only 3 sessions of 4 used the server$/);
    assert.match(await becauseOf([...retire(3, 'idle'), '--server', 'demo']), /^none of them called idle_raw/);
    assert.match(await becauseOf([...retire(1), '--server', 'nope']), /no recorded session used its server/);
    assert.match(await becauseOf(retire(1, 'nope')), /no recorded session used its server/);
  });

  it('not enough data: what could not be read may have been a call', async (test) => {
    const { log, raw, data } = place(test);
    history(log, ['note_raw'], ['note_raw']);
    assert.equal((await data(retire(2))).code, 0);
    raw(addDays(TODAY, -1), '{"at":"20');
    const { code, data: found } = await data(retire(2));
    assert.equal(code, 2);
    assert.match(found.retire.because.join(), /1 line could not be understood: a call may have been missed/);
    history(log, ['note']);
    assert.equal((await data(retire(2))).code, 1, 'a no stays one');
  });

  it('transcripts tell what the guard did not see', async (test) => {
    const { log, transcript, data } = place(test);
    history(log, ['note_raw'], ['note_raw']);
    transcript('s5', called(id(1), NOTE, 's5'));
    assert.equal((await data(retire(2))).code, 1);
  });

  /** Two sessions that called the twin, and another call whose inner tool may be unknown. */
  const beside = async (
    test: TestContext,
    { logged = [], contract, said = [] }: { logged?: LogLine[]; contract?: object; said?: object[] },
  ) => {
    const { log, state, transcript, data } = place(test);
    history(log, ['note_raw'], ['note_raw']);
    log(...logged);
    if (said.length > 0) transcript('s0', ...said);
    if (contract !== undefined) {
      mkdirSync(join(state, 'sessions'));
      const tools = [{ name: 'note', inputSchema: {} }, { name: 'note_raw', inputSchema: {} }, contract];
      const baseline = { session_id: 's0', sources: { k: { name: 'demo', tools } }, failed: {} };
      writeFileSync(join(state, 'session_schema.json'), JSON.stringify({ session_id: 's0', tools }));
      keep(join(state, 'sessions', 's0.json'), { session: 's0' }, baseline);
    }
    const { code, data: found } = await data(retire(2, 'demo/note'));
    return { code, because: found.retire.because.join('; ') };
  };
  const call = (tool: string, input: object, number = 7) => {
    const record = called(id(number), tool, 's0');
    return {
      ...record,
      message: { role: 'assistant', content: [{ type: 'tool_use', id: id(number), name: tool, input }] },
    };
  };
  const BATCH = 'mcp__demo__batch';

  it('not enough data: a tool that takes a list of calls, or an action, may have called it', async (test) => {
    const list = { type: 'array', items: { type: 'object', properties: { tool: { type: 'string' } } } };
    const object = (properties: object) => ({ type: 'object', properties });
    for (const [tool, contract] of [
      [BATCH, undefined],
      [BATCH, { name: 'batch', inputSchema: object({ calls: list }) }],
      ['mcp__demo__memory', { name: 'memory', inputSchema: object({ action: { type: 'string' } }) }],
      ['mcp__demo__memory', { name: 'memory', inputSchema: object({ kind: { enum: ['find', 'note'] } }) }],
      [
        'mcp__demo__memory',
        { name: 'memory', inputSchema: object({ steps: { items: { properties: { name: {} } } } }) },
      ],
    ] as const) {
      const { code, because } = await beside(test, {
        logged: [{ session: 's0', tool }],
        ...(contract ? { contract } : {}),
      });
      assert.equal(code, 2, JSON.stringify(contract));
      assert.match(
        because,
        new RegExp(
          `^1 call of ${tool.slice(11)}, which calls other tools or could: whether one was note is not known here\\. .*config\\.json: "invokers": \\{"${tool}": false\\}$`,
        ),
      );
    }
  });

  it('not enough data: of two gateways that list a tool of that name, one lets it carry others', async (test) => {
    const { log, state, data } = place(test);
    history(log, ['note_raw', 'memory']);
    const where = 'http://127.0.0.1/api/tools/list';
    const listing = (name: string, key: string) => ({
      name,
      where,
      tools: [{ name: 'memory', inputSchema: { type: 'object', properties: { [key]: { type: 'string' } } } }],
    });
    const sources = { a: listing('one', 'text'), b: listing('two', 'action') };
    mkdirSync(join(state, 'sessions'));
    writeFileSync(join(state, 'session_schema.json'), JSON.stringify({ session_id: 's0', tools: [] }));
    keep(join(state, 'sessions', 's0.json'), { session: 's0' }, { session_id: 's0', sources, failed: {} });
    assert.equal((await data(retire(1))).code, 2);
  });

  it('yes: beside tools that by their schema can name no other, and those that the user says call none', async (test) => {
    for (const inputSchema of [
      { type: 'object', properties: { query: { type: 'string' }, limit: { type: 'integer' } } },
      { type: 'object', properties: { action: { enum: ['find', 'annotate'] } } },
      { type: 'object', properties: { steps: { type: 'integer' } } },
    ])
      assert.equal(
        (
          await beside(test, {
            logged: [{ tool: 'mcp__demo__memory', session: 's0' }],
            contract: { name: 'memory', inputSchema },
          })
        ).code,
        0,
      );
    const { log, state, data } = place(test);
    history(log, ['note_raw', 'batch']);
    assert.equal((await data(retire(1))).code, 2);
    writeFileSync(join(state, 'config.json'), JSON.stringify({ invokers: { [BATCH]: false } }), { mode: 0o600 });
    assert.equal((await data(retire(1))).code, 0);
  });

  it('the transcript tells whether such a call named the tool, wherever it did', async (test) => {
    for (const [input, expected] of [
      [{ calls: [{ tool: 'note', with: 1 }] }, 2],
      [{ calls: '[{"tool": "n\\u006fte"}]' }, 2],
      [{ script: 'await demo.note({text: 1})' }, 2],
      [{ steps: { note: {} } }, 2],
      [{ calls: [{ tool: 'note_raw' }, { tool: 'footnote' }, { tool: 'find', arguments: { text: 'notes' } }] }, 0],
    ] as const)
      assert.equal((await beside(test, { said: [call(BATCH, input)] })).code, expected, JSON.stringify(input));
    // The log has two calls, the transcript one: the other may have been anything.
    const logged = [
      { session: 's0', tool: BATCH },
      { session: 's0', tool: BATCH },
    ];
    assert.equal((await beside(test, { logged, said: [call(BATCH, { calls: [] })] })).code, 2);
  });

  it('not enough data: an invoker whose arguments could not be read, or that names the server otherwise', async (test) => {
    const tool = 'mcp__hub__call_tool';
    const asText = await beside(test, { logged: [{ session: 's0', server: 'hub', tool, inner: null } as LogLine] });
    assert.deepEqual(
      [
        asText.code,
        asText.because.startsWith('1 call of call_tool, which calls other tools or could: whether one was note'),
      ],
      [2, true],
    );
    const named = (server: string) =>
      beside(test, { logged: [{ session: 'z', server: 'hub', tool, inner: { server, tool: 'note' } } as LogLine] });
    const other = await named('demo-notes');
    assert.equal(other.code, 2);
    assert.match(
      other.because,
      /1 call of note through another tool named a server demo-notes that Claude Code does not have: it may be demo/,
    );
    assert.equal((await named('demo')).code, 1);
    // A name that Claude Code itself has means another server.
    assert.equal((await named('hub')).code, 0);
  });

  it('not enough data: an invoker was given the name in another spelling, or with a server before it', async (test) => {
    const after = async (wanted: string, inner: object, ...direct: string[]) => {
      const { log, data } = place(test);
      history(log, [`${wanted}_raw`, ...direct]);
      log({ session: 's0', server: 'hub', tool: 'mcp__hub__call_tool', inner } as LogLine);
      const { code, data: found } = await data(retire(1, `demo/${wanted}`));
      return { code, because: found.retire.because.join('; ') };
    };
    for (const [wanted, inner] of [
      ['send_mail', { tool: 'sendMail' }],
      ['send_mail', { tool: 'SEND-MAIL' }],
      ['send_mail', { tool: 'demo-send-mail' }],
      ['send_mail', { server: 'demo', tool: 'demoSendMail' }],
      ['send_mail', { server: 'post', tool: 'Send_Mail' }],
      ['getURLNow', { tool: 'get_url_now' }],
    ] as const) {
      const { code, because } = await after(wanted, inner);
      assert.equal(code, 2, JSON.stringify(inner));
      assert.match(because, new RegExp(`^${inner.tool} was called through another tool: it may be ${wanted}`));
    }
    for (const inner of [
      { tool: 'sendMailRaw' },
      { tool: 'resend_mail' },
      { tool: 'send_mails' },
      // A name that Claude Code itself has means another server.
      { server: 'hub', tool: 'sendMail' },
    ])
      assert.equal((await after('send_mail', inner)).code, 0, JSON.stringify(inner));
    // The server itself has a tool of that very name.
    assert.equal((await after('send_mail', { tool: 'queue_send_mail' }, 'queue_send_mail')).code, 0);
  });

  it('a call of its own name, and one through an invoker, are of one session', async (test) => {
    const { log, data } = place(test);
    history(log, ['note']);
    log({ session: 's0', server: 'hub', tool: 'mcp__hub__call_tool', inner: { tool: 'note' } } as LogLine);
    const { data: found } = await data(retire(1, 'demo/note'));
    assert.match(found.retire.because.join(), /^1 of the last 1 session still called note \(1 call of it through/);
  });

  it('not enough data: any tool that was given its name, and nothing else, may have called it', async (test) => {
    const inputSchema = { type: 'object', properties: { verb: { type: 'string' }, text: { type: 'string' } } };
    for (const [tool, input, expected] of [
      ['mcp__demo__memory', { verb: 'note' }, 2],
      ['mcp__demo__memory', { verb: 'demo.note' }, 2],
      ['mcp__demo__memory', { on: [{ verb: 'NOTE' }] }, 2],
      ['mcp__demo__memory', { text: '{"verb": "demo/note"}' }, 2],
      ['mcp__demo__memory', { verb: 'note_raw', text: 'a note on it', note: 1 }, 0],
      ['mcp__demo__memory', { text: '["a note", "note.md"]' }, 0],
      [RAW, { payload: '{"verb": "note"}' }, 0],
      // Our own tool, which tells the contract that it is asked for.
      ['mcp__konnichiwagwan-guard__contract', { tool: 'mcp__demo__note' }, 0],
    ] as const)
      for (const contract of [undefined, { name: 'memory', inputSchema }]) {
        const said = [call(tool, input), answered(id(7), 'done')];
        const { code, because } = await beside(test, { said, ...(contract ? { contract } : {}) });
        assert.equal(code, expected, JSON.stringify([input, because]));
      }
    // The log has more of these calls than the transcript, which has the one in doubt.
    const logged = { session: 's0', tool: 'mcp__demo__memory' };
    const said = [call('mcp__demo__memory', { verb: 'note' })];
    assert.equal((await beside(test, { logged: [logged, logged], said })).code, 2);
    const { log, state, transcript, data } = place(test);
    history(log, ['note_raw']);
    transcript('s0', ...said);
    writeFileSync(join(state, 'config.json'), '{"invokers": {"mcp__demo__memory": false}}', { mode: 0o600 });
    assert.equal((await data(retire(1, 'demo/note'))).code, 0);
  });

  it('not enough data: no call of the twin went out', async (test) => {
    for (const verdict of ['deny', 'ask']) {
      const { log, data } = place(test);
      log({ tool: RAW, verdict });
      const { code, data: found } = await data(retire(1));
      assert.equal(code, 2, verdict);
      assert.match(found.retire.because.join(), /^no call of note_raw is known to have gone out/);
    }
    // The transcript shows the outcome.
    for (const [more, expected] of [
      [{}, 0],
      [{ is_error: true }, 2],
    ] as const) {
      const { log, transcript, data } = place(test);
      log({ session: 's0', tool: RAW, verdict: 'ask' });
      transcript('s0', call(RAW, { payload: '{}' }), answered(id(7), 'done', more));
      assert.equal((await data(retire(1))).code, expected);
    }
  });

  it('a session that only its transcript knows counts, and is said', async (test) => {
    const { log, transcript, run, data } = place(test);
    history(log, ['note_raw']);
    transcript('t', { ...called(id(9), RAW, 't'), timestamp: ago(1) });
    const { code, data: found } = await data(retire(2));
    assert.equal(code, 0);
    assert.deepEqual(found.retire.rests_on, { sessions_in_log: 1, sessions_in_transcripts: 1, calls: 2, twin_sent: 1 });
    assert.match((await run(retire(2))).stdout, /rests on the guard's log of 1 session, the transcripts of 1 more/);
  });

  it('half a record at the end of a transcript is no call yet, and no doubt', async (test) => {
    const { log, transcript, data } = place(test);
    history(log, ['note_raw'], ['note_raw']);
    transcript('s5', JSON.stringify(called(id(1), NOTE, 's5')).slice(0, -3));
    assert.equal((await data([...retire(2), '--transcripts'])).code, 0);
  });

  it('a name that several servers have, and a twin, are asked back', async (test) => {
    const { log, run } = place(test);
    history(log, ['note', 'note_raw']);
    log({ server: 'far', tool: 'mcp__far__note' });
    const several = await run(retire(1));
    assert.equal(several.code, 2);
    assert.match(several.stderr, /several tools are meant by "note": "demo\/note", "far\/note"/);
    assert.equal((await run([...retire(1), '--server', 'far'])).code, 1);
    assert.equal((await run(retire(1, NOTE))).code, 1);
    assert.match((await run(retire(1, 'note_raw'))).stderr, /"note_raw" is the twin, which stays/);
  });
});

describe('wrong usage', { concurrency: 3 }, () => {
  for (const [what, args, says] of [
    ['no day', ['--days', '0'], /--days is a number from 1 to 3660, not "0"/],
    ['half a day', ['--days', '1.5'], /--days is a number/],
    ['too many sessions', ['--retire', 'x', '--sessions', '99999'], /--sessions is a number from 1 to 10000/],
    ['a retirement without sessions', ['--retire', 'x'], /--retire needs --sessions N/],
    ['sessions without a retirement', ['--sessions', '3'], /--sessions N says how far/],
    ['two tools', ['--retire', 'x', '--sessions', '3', '--tool', 'y'], /names the tool already/],
    ['an unknown format', ['--format', 'sarif'], /--format is one of text, html/],
    ['an empty name', ['--server', ''], /--server needs a value/],
    ['two formats at once', ['--json', '--format', 'html'], /--json is a format of its own/],
    ['a word too many', ['note'], /one word too many/],
  ] as const) {
    it(what, async (test) => {
      const { run } = place(test);
      const { code, stdout, stderr } = await run([...args]);
      assert.equal(code, 2);
      assert.match(args.includes('--json' as never) ? stdout : stderr, says);
    });
  }
});

describe('as text', { concurrency: 3 }, () => {
  const filled = (test: TestContext) => {
    const there = place(test);
    for (let day = 0; day < 30; day++) {
      there.log({ at: ago(day), session: `s${day}`, tool: day < 9 ? RAW : NOTE });
      there.log({
        at: ago(day),
        session: `s${day}`,
        tool: 'mcp__demo__a_tool_with_a_name_that_is_longer_than_its_column',
      });
    }
    return there;
  };

  it('plain without a terminal: numbers, no bars and no colours', async (test) => {
    const { stdout } = await filled(test).run([]);
    assert.match(stdout, /note +legacy +21 +21 {2}\d{4}-/);
    assert.match(stdout, new RegExp(`  ${TODAY}  1 twin, 1 other\n`));
    assert.doesNotMatch(stdout, /[▁-█]/);
    assert.ok(!stdout.includes('\u001b'));
    assert.match(stdout, /sessions that called a legacy tool/);
    const { log, run } = place(test);
    log({ at: ago(1), session: 's', tool: 'mcp__demo__other' });
    assert.doesNotMatch((await run([])).stdout, /legacy tool/);
  });

  it('on a terminal of 80 and of 40 columns, with and without colours', {
    skip: process.platform !== 'linux',
  }, (test) => {
    const { env } = filled(test);
    for (const columns of [80, 40]) {
      for (const colourless of [false, true]) {
        const command = `stty cols ${columns}; ${process.execPath} ${resolve('dist/cli.cjs')} usage`;
        const { COLUMNS: _, ...rest } = env;
        const { stdout, error } = spawnSync('script', ['-qec', command, '/dev/null'], {
          encoding: 'utf8',
          env: { PATH: process.env.PATH, TERM: 'xterm', ...rest, ...(colourless ? { NO_COLOR: '1' } : {}) },
          timeout: 20_000,
        });
        if (error) return test.skip('there is no program "script"');
        assert.equal(stdout.includes('\u001b['), !colourless);
        assert.match(stdout, /█{9}/);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: colours take no room
        for (const line of stdout.replace(/\u001b\[\d+m/g, '').split('\r\n')) {
          const room = line.trim().startsWith('a_tool_with') ? 60 : columns;
          assert.ok(Array.from(line).length <= room, `${columns}: ${line}`);
        }
      }
    }
  });

  it('bars: a dot for nothing, the lowest for something, the highest for the most', () => {
    assert.equal(sparkline([0, 1, 50, 100]), '·▁▄█');
    assert.equal(sparkline([]), '');
    assert.equal(sparkline([0]), '·');
  });

  it('buckets keep every call, whatever their number', () => {
    for (const most of [1, 2, 7, 30, 60]) {
      const { size, buckets } = bucketsOf('2026-02-10', '2026-03-11', most);
      assert.ok(buckets.length <= most && size * buckets.length >= 30);
      assert.deepEqual([buckets[0]?.from, buckets.at(-1)?.to], ['2026-02-10', '2026-03-11']);
      const days = new Map(Array.from({ length: 30 }, (_, index) => [addDays('2026-02-10', index), index + 1]));
      assert.equal(
        fill(buckets, days).reduce((sum, calls) => sum + calls, 0),
        465,
      );
    }
  });

  it('long lines break between words', () => {
    assert.deepEqual(wrap('aaa bbb ccc', 7, '', '  '), ['aaa bbb', '  ccc']);
    assert.deepEqual(wrap('a-word-that-is-too-long b', 7, '- '), ['- a-word-that-is-too-long', '  b']);
  });
});

describe('as a page', { concurrency: 3 }, () => {
  it('one file, no script, no request, everything escaped, every number in a table', async (test) => {
    const { home, log, run } = place(test);
    const server = '<img src=x onerror=alert(1)>\u202e"\'&';
    const spelled = server.replace(/[^A-Za-z0-9_-]/g, '_');
    log({ server, tool: `mcp__${spelled}__note` }, { server, tool: `mcp__${spelled}__note_raw`, at: ago(1) });
    const file = join(home, 'usage.html');
    const { stdout, code } = await run(['--format', 'html', '--output', file]);
    assert.equal(code, 0);
    assert.match(stdout, /^2 calls\nwritten to /);
    const page = readFileSync(file, 'utf8');
    assert.match(page, /^<!doctype html>/);
    assert.doesNotMatch(page, /<script|<img|<link|javascript:|https?:|\u202e| style=| on\w+="/i);
    assert.match(page, /&lt;img src=x onerror=alert\(1\)&gt;\\u\{202e\}&quot;&#39;&amp;/);
    assert.match(page, /Content-Security-Policy" content="default-src 'none'; style-src 'sha256-/);
    assert.match(page, /<svg class="chart"[^>]* role="img" aria-labelledby="chart-title chart-text">/);
    assert.match(page, /<desc id="chart-text">1 legacy, 1 twin, 0 other\./);
    assert.match(page, /prefers-color-scheme:dark/);
    assert.match(page, new RegExp(`<th scope="row">${TODAY}</th><td class="n">1</td><td class="n">0</td>`));
    for (const tag of ['table', 'section', 'svg', 'details', 'tr', 'td', 'th', 'g', 'ul', 'figure', 'div']) {
      const count = (pattern: string) => page.match(new RegExp(pattern, 'g'))?.length ?? 0;
      assert.equal(count(`<${tag}[ >]`), count(`</${tag}>`), tag);
    }
  });

  it('with the answer about a retirement, and without any call', async (test) => {
    const { log, run } = place(test);
    const empty = await run(['--format', 'html']);
    assert.match(empty.stdout, /No call is recorded/);
    log({}, { tool: RAW });
    const { stdout, code } = await run(['--format', 'html', '--retire', 'note', '--sessions', '1']);
    assert.equal(code, 1);
    assert.match(stdout, /<div class="answer no"><h2>note cannot be retired yet<\/h2>/);
  });

  it('is not all that says what the numbers lack: the screen does, too', async (test) => {
    const { log, raw, run } = place(test);
    log({});
    raw(ago(0).slice(0, 10), 'no JSON\n');
    for (const format of ['html', 'text']) {
      const { stderr } = await run(['--format', format]);
      assert.equal(stderr, 'warning: activity log: 1 line could not be understood: the numbers may be too low\n');
    }
  });

  it('--json and --output: the page in the file, the envelope on the screen', async (test) => {
    const { home, log, data } = place(test);
    log({});
    const file = join(home, 'usage.html');
    const { data: found } = await data(['--format', 'html', '--output', file]);
    assert.equal(found.calls, 1);
    assert.match(readFileSync(file, 'utf8'), /^<!doctype html>/);
  });
});
