// Full tier: parallel starts.
// Two sessions of one user at once, with many calls in each: nothing is lost, torn, or reported twice.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { ageAnswers, needProcesses, type Run, sandbox, tool, untilRecorded } from './sandbox.ts';

needProcesses();

const CALLS = 200;
const AT_ONCE = 16;
const SESSIONS = ['one', 'two'];

const words: JsonObject = { type: 'string', description: 'words to look for' };
const query = (name: string, more: JsonObject = {}): Contract => tool(name, { query: words, ...more });

const BEFORE = ['same_a', 'same_b', 'wider_a', 'wider_b', 'renamed_a', 'renamed_b', 'gone'].map((name) => query(name));
const AFTER = [
  query('same_a'),
  query('same_b'),
  query('wider_a', { more: { type: 'integer', default: 5 } }),
  query('wider_b', { more: { type: 'integer', default: 5 } }),
  tool('renamed_a', { q: words }),
  tool('renamed_b', { q: words }),
  query('new'),
];
const CALLED = BEFORE.map(({ name }) => name);

/** Runs jobs, at most `most` at once, and gives their results in the order of the jobs. */
const inParallel = async <T>(jobs: (() => Promise<T>)[], most: number): Promise<T[]> => {
  const results: T[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < jobs.length; index = next++)
      results[index] = await (jobs[index] as () => Promise<T>)();
  };
  await Promise.all(Array.from({ length: most }, work));
  return results;
};

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const baselineOf = (state: string, session: string) => {
  const text = readFileSync(join(state, 'sessions', `${session}.json`), 'utf8');
  const baseline = JSON.parse(text) as { session_id: string; sources: Record<string, { tools: Contract[] }> };
  return { text, id: baseline.session_id, tools: Object.values(baseline.sources)[0]?.tools };
};

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** What comes once in a session, with the first call after the release; alone if that call is stopped for it. */
const RELEASE = /Silent tool schema drift/;

const said = ({ answer }: Run): string => {
  const message: string | undefined = answer?.systemMessage;
  if (message?.includes('could not be validated: took longer than')) return 'late';
  if (message !== undefined && RELEASE.test(message) && !message.includes('learned it') && !answer.hookSpecificOutput)
    return 'release';
  return answer?.hookSpecificOutput?.permissionDecision ?? (message === undefined ? 'nothing' : 'notice');
};

describe('two sessions at once', () => {
  it('200 calls in parallel: no file is lost or torn, and nothing is said twice', async (test) => {
    const box = await sandbox(test, BEFORE, {});
    const started = await Promise.all(SESSIONS.map((session_id) => box.start({ session_id })));
    assert.deepEqual(
      started.map(({ stdout, stderr, code }) => [stdout, stderr, code]),
      SESSIONS.map(() => ['', '', 0]),
    );
    const before = SESSIONS.map((session) => baselineOf(box.state, session));
    assert.deepEqual(
      before.map(({ id, tools }) => [id, tools]),
      SESSIONS.map((session) => [session, BEFORE]),
    );

    box.release(AFTER);
    ageAnswers(box.state);
    const planned = Array.from({ length: CALLS }, (_, index) => ({
      session: SESSIONS[index % 2] as string,
      name: CALLED[Math.floor(index / 2) % CALLED.length] as string,
    }));
    const runs = await inParallel(
      planned.map(
        ({ session, name }) =>
          () =>
            box.call(name, { query: 'x' }, { session_id: session }),
      ),
      AT_ONCE,
    );

    for (const { stderr, code } of runs) assert.deepEqual([stderr, code], ['', 0]);
    const files = filesIn(box.state);
    const lines = files
      .filter((file) => file.endsWith('.jsonl'))
      .flatMap((file) => readFileSync(file, 'utf8').trimEnd().split('\n'))
      .map((line) => JSON.parse(line) as { session: string; tool: string; verdict: string });
    for (const session of SESSIONS) {
      for (const name of CALLED) {
        const unchecked = lines.filter(
          (line) => line.session === session && line.tool === `mcp__demo__${name}` && line.verdict === 'unchecked',
        ).length;
        const mine = runs.filter((_, index) => planned[index]?.session === session && planned[index]?.name === name);
        const counts: Record<string, number> = {};
        for (const run of mine) counts[said(run)] = (counts[said(run)] ?? 0) + 1;
        assert.ok(mine.length >= 14, 'every tool is called again and again');
        // So many guards at once can exceed their own time limit. That is logged for each, and told once per session.
        const { late = 0, release = 0 } = counts;
        const silent = Math.min(counts.nothing ?? 0, unchecked - late);
        delete counts.late;
        delete counts.release;
        const all = mine.length - late - release;
        const wanted = name.startsWith('same')
          ? { nothing: all }
          : name.startsWith('wider')
            ? { notice: 1, nothing: all - 1 }
            : { deny: all - silent, ...(silent > 0 ? { nothing: silent } : {}) };
        const texts = mine.flatMap(({ stdout }) => (stdout === '' ? [] : [stdout]));
        assert.deepEqual(counts, wanted, `${name} in session ${session}: ${texts.join('')}`);
      }
    }

    for (const session of SESSIONS) {
      const late = runs.filter((run, index) => planned[index]?.session === session && said(run) === 'late');
      assert.ok(late.length <= 1, `session ${session} was told ${late.length} times that a call was not checked`);
      const told = runs.filter(({ stdout }, index) => planned[index]?.session === session && RELEASE.test(stdout));
      assert.equal(told.length, 1, `session ${session} was told ${told.length} times of the release`);
    }

    assert.deepEqual(
      files.filter((file) => file.includes('.tmp')),
      [],
    );
    for (const file of files.filter((path) => path.endsWith('.json'))) {
      assert.doesNotThrow(() => JSON.parse(readFileSync(file, 'utf8')), `${file} is whole`);
    }
    assert.equal(lines.length, CALLS);
    const count = (list: { session: string; tool: string }[]) => {
      const keys = list.map(({ session, tool: name }) => `${session} ${name}`).sort();
      return Object.fromEntries(keys.map((key) => [key, keys.filter((other) => other === key).length]));
    };
    assert.deepEqual(
      count(lines),
      count(planned.map(({ session, name }) => ({ session, tool: `mcp__demo__${name}` }))),
    );
    const verdicts = new Set(lines.map(({ verdict }) => verdict));
    // The verdict of guards that were too slow.
    verdicts.delete('unchecked');
    assert.deepEqual(verdicts, new Set(['silence', 'notice', 'deny']));
    assert.deepEqual(
      SESSIONS.map((session) => baselineOf(box.state, session).text),
      before.map(({ text }) => text),
      'no call touches a baseline',
    );
  });

  it('sessions that start together, and one that starts while others run, leave each other alone', async (test) => {
    const box = await sandbox(test, BEFORE, {});
    const ids = Array.from({ length: 6 }, (_, index) => `s${index}`);
    const started = await Promise.all([
      ...ids.map((session_id) => box.start({ session_id })),
      ...ids.map((session_id) => box.call('same_a', { query: 'x' }, { session_id: `${session_id}x` })),
    ]);
    for (const { stderr, code } of started) assert.deepEqual([stderr, code], ['', 0]);
    const first = ids.map((id) => baselineOf(box.state, id));
    assert.deepEqual(
      first.map(({ id, tools }) => [id, tools]),
      ids.map((id) => [id, BEFORE]),
    );
    const newest = JSON.parse(readFileSync(join(box.state, 'session_schema.json'), 'utf8'));
    assert.ok(ids.includes(newest.session_id));
    assert.deepEqual(newest.tools, BEFORE);

    box.release(AFTER);
    ageAnswers(box.state);
    assert.equal((await box.start({ session_id: 'later' })).code, 0);
    assert.deepEqual(
      ids.map((id) => baselineOf(box.state, id).text),
      first.map(({ text }) => text),
    );
    assert.deepEqual(
      filesIn(box.state).filter((file) => file.includes('.tmp')),
      [],
    );
  });

  it('a slow answer to an older session does not make it the newest', async (test) => {
    const box = await sandbox(test, BEFORE, {});
    // A separate gateway that lets the first question wait.
    const { createServer } = await import('node:http');
    const waiting: (() => void)[] = [];
    let slow = true;
    const server = createServer((_request, response) => {
      const answer = () => response.end(JSON.stringify({ schema_version: '1', tools: BEFORE }));
      if (slow) waiting.push(answer);
      else answer();
    });
    const url = await new Promise<string>((done) => {
      server.listen(0, '127.0.0.1', () => done(`http://127.0.0.1:${(server.address() as { port: number }).port}`));
    });
    test.after(() => {
      server.closeAllConnections();
      server.close();
    });
    box.env.GATEWAY_URL = url;
    assert.equal((await box.begin({ session_id: 'older' })).stdout, '');
    assert.match(baselineOf(box.state, 'older').text, /"status":"pending"/);
    // Waits until the process that was left behind has asked, too.
    for (let round = 0; round < 100 && waiting.length < 2; round++) await pause(50);
    slow = false;
    await box.start({ session_id: 'newer' });
    assert.deepEqual(baselineOf(box.state, 'newer').tools, BEFORE);
    for (const answer of waiting) answer();
    await untilRecorded(box.state, 'older');
    assert.deepEqual(baselineOf(box.state, 'older').tools, BEFORE, 'it has its baseline in the end');
    await pause(100);
    const newest = JSON.parse(readFileSync(join(box.state, 'session_schema.json'), 'utf8'));
    assert.equal(newest.session_id, 'newer');
  });
});
