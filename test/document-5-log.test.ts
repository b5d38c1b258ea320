// "What I'd do Monday": on a mismatch "log the structural and semantic diff, and surface it".
import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { contractHash } from '../scripts/contract/canonical.ts';
import type { JsonObject } from '../scripts/contract/types.ts';
import { AFTER, BEFORE, CALLS } from '../scripts/demo/release.ts';
import { followActivity, readActivity } from '../scripts/state/activity-log.ts';
import { keepContract } from '../scripts/state/contracts.ts';
import { appendLine } from '../scripts/state/files.ts';
import { activityPath } from '../scripts/state/paths.ts';
import { noModes } from './posix.ts';
import { drive, sandbox, tool } from './sandbox.ts';

const OLD = tool('search', { query: { type: 'string' } }, {}, { description: 'Finds.' });
const NOW = tool('search', { text: { type: 'string' } }, { required: ['text'] }, { description: 'Finds by text.' });
const [FROM, TO] = [contractHash(OLD), contractHash(NOW)];
const SECRET = 'hunter2-hunter2';

const world = async (test: TestContext, config: JsonObject = { freshFor: 0 }, tools = [OLD]) => {
  const box = await sandbox(test, tools, config);
  const contracts = join(box.state, 'contracts');
  const day = join(box.state, 'activity', `${new Date().toISOString().slice(0, 10)}.jsonl`);
  return {
    ...box,
    contracts,
    day,
    kept: (): string[] => (existsSync(contracts) ? readdirSync(contracts).sort() : []),
    /** What the guard wrote to its log. */
    lines: (): JsonObject[] =>
      readFileSync(day, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    logs: async (args: string[] = [], env: NodeJS.ProcessEnv = {}) => {
      const run = await drive('cli.cjs', null, { ...box.env, ...env }, ['logs', ...args], true);
      return run;
    },
    data: async (args: string[] = [], env: NodeJS.ProcessEnv = {}) => {
      const { stdout, code } = await drive('cli.cjs', null, { ...box.env, ...env }, ['logs', ...args, '--json'], true);
      return { code, ...JSON.parse(stdout) };
    },
  };
};

/** A session that learned the old contract, and one call of it under the new one. */
const drifted = async (test: TestContext, config?: JsonObject) => {
  const box = await world(test, config);
  await box.start();
  box.release([NOW]);
  const { answer } = await box.call('search', { query: 'x' });
  assert.equal(answer.hookSpecificOutput.permissionDecision, 'deny');
  return box;
};

describe('What I’d do Monday: log the structural and semantic diff', { concurrency: 2 }, () => {
  it('the article’s release: each line that says so carries both hashes, and the diff is there later', async (test) => {
    const box = await world(test, { freshFor: 0 }, BEFORE);
    await box.start();
    for (const { tool: name, args } of CALLS) await box.call(name, args);
    assert.deepEqual(box.kept(), [], 'nothing changed: nothing is written');
    box.release(AFTER);
    for (const { tool: name, args } of CALLS) await box.call(name, args);
    const hashes = (tools: typeof BEFORE, name: string) => contractHash(tools.find((one) => one.name === name) ?? OLD);
    for (const { tool: called, verdict, from, to } of box.lines().slice(BEFORE.length)) {
      const name = String(called).replace('mcp__demo__', '');
      const wanted = name === 'get_profile' ? [undefined, undefined] : [hashes(BEFORE, name), hashes(AFTER, name)];
      assert.deepEqual([from, to], wanted, `${name} ${verdict}`);
    }
    // Another release follows: the log still shows the earlier state.
    box.release([]);
    const { data, code } = await box.data(['--diff']);
    assert.equal(code, 0);
    const rules = Object.fromEntries(
      data.lines.map(({ tool: called, diffs }: { tool: string; diffs: { changes: { rule: string }[] }[] }) => [
        called.replace('mcp__demo__', ''),
        diffs.flatMap(({ changes }) => changes.map(({ rule }) => rule)),
      ]),
    );
    assert.deepEqual(Object.keys(rules).sort(), ['create_export', 'get_page', 'list_items', 'search_reviews']);
    assert.ok(rules.search_reviews.includes('input-property-renamed'), rules.search_reviews);
    assert.ok(rules.list_items.includes('input-property-words-changed'), rules.list_items);
    assert.ok(rules.get_page.includes('input-property-enum-changed'), rules.get_page);
    assert.ok(rules.create_export.includes('input-property-added'), rules.create_export);
    const { stdout } = await box.logs(['--diff']);
    assert.match(stdout, /max results to return.*page index \(0-based\)/);
  });

  it('a list of the last verdicts, the newest last, without --diff those of unchanged contracts as well', async (test) => {
    const box = await drifted(test);
    await box.call('search', { text: 'x' });
    const { stdout } = await box.logs();
    assert.match(
      stdout,
      new RegExp(`^\\S+ \\S+Z  deny +demo  mcp__demo__search  breaking  ${FROM.slice(0, 12)} → ${TO.slice(0, 12)}\\n`),
    );
    assert.deepEqual(
      (await box.data(['--last', '1'])).data.lines.map(({ verdict }: JsonObject) => verdict),
      ['notice'],
    );
    assert.equal((await box.data()).data.lines[0].diffs, undefined);
    for (const last of ['0', '-1', 'x', '1e3', '10001']) assert.equal((await box.data(['--last', last])).code, 2, last);
  });

  it('a call that was judged once more is one line: with the last word', async (test) => {
    const { day, data } = await world(test);
    const write = (tool: string, verdict: string, more: JsonObject = {}): void => {
      mkdirSync(join(day, '..'), { recursive: true });
      const at = new Date().toISOString();
      appendFileSync(day, `${JSON.stringify({ at, session: 's1', server: 'demo', tool, verdict, ...more })}\n`);
    };
    write('mcp__demo__a', 'silence');
    write('mcp__demo__a', 'silence');
    write('mcp__demo__b', 'silence');
    write('mcp__demo__a', 'silence', { session: 's2' });
    write('mcp__demo__a', 'deny', { again: true });
    const { lines } = (await data()).data;
    assert.deepEqual(
      lines.map(({ session, tool, verdict }: JsonObject) => `${session} ${tool} ${verdict}`),
      ['s1 mcp__demo__a silence', 's1 mcp__demo__b silence', 's2 mcp__demo__a silence', 's1 mcp__demo__a deny'],
    );
  });

  it('a line that was left out by an option is not taken for an earlier one', async (test) => {
    const { day, data } = await world(test);
    mkdirSync(join(day, '..'), { recursive: true });
    const line = { session: 's1', server: 'demo', tool: 'mcp__demo__a', verdict: 'deny', from: FROM, to: TO };
    const silent = { ...line, verdict: 'silence', from: undefined, to: undefined };
    for (const one of [line, silent, { ...line, again: true }])
      appendFileSync(day, `${JSON.stringify({ at: new Date().toISOString(), ...one })}\n`);
    for (const args of [['--diff'], []]) {
      const { lines } = (await data(args)).data;
      assert.deepEqual(
        lines.map(({ verdict }: JsonObject) => verdict),
        ['deny', 'deny'],
        args.join(),
      );
    }
  });

  it('the contracts are kept under their hashes, for their owner alone, and not where nothing changed', async (test) => {
    const box = await drifted(test);
    assert.deepEqual(box.kept(), [`${FROM}.json`, `${TO}.json`].sort());
    if (!noModes) assert.equal(statSync(box.contracts).mode & 0o777, 0o700);
    for (const file of noModes ? [] : box.kept()) assert.equal(statSync(join(box.contracts, file)).mode & 0o777, 0o600);
    // A conversation that knows the new contract.
    await box.start({ session_id: 's2' });
    const long = new Date(1e12);
    for (const file of box.kept()) utimesSync(join(box.contracts, file), long, long);
    for (let times = 0; times < 2; times++) await box.call('search', { text: 'x' }, { session_id: 's2' });
    assert.deepEqual(Object.keys(box.lines().at(-1) ?? {}).sort(), ['at', 'server', 'session', 'tool', 'verdict']);
    for (const file of noModes ? [] : box.kept())
      assert.equal(statSync(join(box.contracts, file)).mtimeMs, 1e12, 'nobody touched it');
  });

  it('a contract that is not the pinned one: the line carries the hash of the pin', async (test) => {
    const box = await world(test);
    assert.equal((await drive('cli.cjs', null, box.env, ['pin'], true)).code, 0);
    const lock = JSON.parse(readFileSync(join(box.project, 'mcp-contracts.lock.json'), 'utf8'));
    const [server] = Object.keys(lock.servers);
    box.release([NOW]);
    await box.start();
    const config = { freshFor: 0, gateways: { [String(server)]: { url: box.gateway.url } } };
    writeFileSync(join(box.state, 'config.json'), JSON.stringify(config));
    const { answer } = await box.call('search', { text: 'x' });
    assert.equal(answer.hookSpecificOutput.permissionDecision, 'ask');
    const line = box.lines().at(-1);
    assert.deepEqual([line?.from, line?.to, line?.pinned], [undefined, TO, FROM]);
    const [{ diffs }] = (await box.data(['--diff'])).data.lines;
    assert.equal(diffs[0].against, 'pinned');
    assert.ok(diffs[0].changes.length > 0);
    assert.match((await box.logs(['--diff'])).stdout, /since it was pinned:\n.*breaking/);
  });

  it('a tool that is gone: there is no new hash, and the diff says so', async (test) => {
    const box = await world(test, undefined, [OLD, tool('other', {})]);
    await box.start();
    box.release([tool('other', {})]);
    await box.call('search', { query: 'x' });
    const line = box.lines().at(-1);
    assert.deepEqual([line?.verdict, line?.from, line?.to], ['deny', FROM, undefined]);
    const [{ diffs }] = (await box.data(['--diff'])).data.lines;
    assert.deepEqual(
      diffs[0].changes.map(({ rule }: JsonObject) => rule),
      ['tool-removed'],
    );
  });

  it('what is not kept any more, or is not what its hash is of, is never called unchanged', async (test) => {
    const box = await drifted(test);
    writeFileSync(join(box.contracts, `${FROM}.json`), readFileSync(join(box.contracts, `${TO}.json`)));
    const { data, code } = await box.data(['--diff']);
    assert.deepEqual([code, data.lines[0].diffs], [0, [{ against: 'believed', missing: [FROM] }]]);
    assert.match((await box.logs(['--diff'])).stdout, new RegExp(`unknown: ${FROM.slice(0, 12)} is no longer kept`));
  });

  it('no secret is kept: of the environment, or that a server is configured with', async (test) => {
    const box = await world(test);
    writeFileSync(
      join(box.home, '.claude.json'),
      JSON.stringify({
        mcpServers: {
          other: { type: 'http', url: 'http://127.0.0.1:9/', headers: { Authorization: `Bearer ${SECRET}` } },
        },
      }),
    );
    const leaking = { ...NOW, description: `Finds with ${SECRET}.` };
    for (const [name, env] of [
      ['a header', {}],
      ['a variable', { MY_API_KEY: SECRET }],
    ] as const) {
      if (name === 'a variable') writeFileSync(join(box.home, '.claude.json'), '{}');
      box.release([OLD], `${name} 1`);
      await box.start({ session_id: 's2', source: 'startup' });
      box.release([leaking], `${name} 2`);
      await box.call('search', { query: 'x' }, { session_id: 's2' }, env);
      assert.equal(box.lines().at(-1)?.to, contractHash(leaking), name);
      assert.ok(!box.kept().includes(`${contractHash(leaking)}.json`), name);
    }
    assert.ok(!box.kept().some((file) => readFileSync(join(box.contracts, file), 'utf8').includes(SECRET)));
  });

  it('is bounded, in number and bytes; those that were used longest ago go first', async (test) => {
    const box = await world(test);
    mkdirSync(box.contracts, { mode: 0o700 });
    const old = (count: number, text: string): string[] =>
      Array.from({ length: count }, (_, index) => {
        const path = join(box.contracts, `${String(index).padStart(64, '0')}.json`);
        writeFileSync(path, text);
        utimesSync(path, 1e9 + index, 1e9 + index);
        return path;
      });
    const many = old(505, '{}');
    keepContract(box.state, OLD);
    assert.equal(box.kept().length, 500);
    assert.ok(!existsSync(many[5] ?? '') && existsSync(many[6] ?? ''));
    const large = old(40, ' '.repeat(1024 * 1024));
    keepContract(box.state, NOW);
    const bytes = box.kept().reduce((sum, file) => sum + statSync(join(box.contracts, file)).size, 0);
    assert.ok(bytes <= 32 * 1024 * 1024 && !existsSync(large[0] ?? ''), `${bytes}`);
    for (const [size, isKept] of [
      [1023 * 1024, true],
      [1024 * 1024, false],
    ] as const) {
      const huge = { ...NOW, description: 'x'.repeat(size) };
      assert.equal(keepContract(box.state, huge), contractHash(huge));
      assert.equal(existsSync(join(box.contracts, `${contractHash(huge)}.json`)), isKept);
    }
  });

  it('a contract that is met again goes later than those that were kept after its first time', async (test) => {
    const box = await world(test);
    const path = (hash: string): string => join(box.contracts, `${hash}.json`);
    keepContract(box.state, OLD);
    utimesSync(path(FROM), 1e9, 1e9);
    keepContract(box.state, OLD);
    for (let index = 0; index < 500; index++) {
      const other = path(String(index).padStart(64, '0'));
      writeFileSync(other, '{}');
      utimesSync(other, 1.2e9 + index, 1.2e9 + index);
    }
    keepContract(box.state, NOW);
    assert.deepEqual(
      [FROM, TO].map((hash) => existsSync(path(hash))),
      [true, true],
    );
    assert.equal(box.kept().length, 500);
  });

  it('a line that was cut off takes no other one with it', async (test) => {
    const box = await drifted(test);
    const whole = readFileSync(box.day);
    const before = whole.toString().trimEnd().split('\n').length;
    writeFileSync(box.day, whole.subarray(0, -9));
    await box.call('search', { query: 'y' });
    const { data } = await box.data();
    assert.equal(data.lines.length, before);
    assert.equal(data.lines.at(-1).verdict, 'deny');
    const { damaged } = readActivity(box.state, { from: '2000-01-01', since: 0, now: Date.now() }, () => {});
    assert.equal(damaged, 1, 'what was lost is counted');
  });

  it('followed past midnight, tells the rest of the old day and all of the new one, once', async (test) => {
    const { state } = await world(test);
    const midnight = Date.parse('2026-05-02T00:00:00Z');
    const log = (ms: number, ...names: string[]): void => {
      const at = new Date(midnight + ms).toISOString();
      for (const name of names) {
        const line = { at, session: 's1', tool: `mcp__demo__${name}`, verdict: 'notice' };
        appendLine(activityPath(state, at.slice(0, 10)), `${JSON.stringify(line)}\n`);
      }
    };
    log(-900, 'a', 'b');
    const look = followActivity(state, midnight - 800);
    const named = (ms: number): string[] => look(midnight + ms).map((call) => call.tool.replace('mcp__demo__', ''));
    log(-20, 'c');
    log(30, 'd', 'e');
    assert.deepEqual(named(40), ['c', 'd', 'e']);
    log(50, 'f');
    assert.deepEqual(named(60), ['f']);
  });

  it('a killed writer’s leftovers go with the next session, and all of it with uninstall --purge', async (test) => {
    const box = await drifted(test);
    const left = join(box.contracts, `${FROM}.json.999999999.0.tmp`);
    writeFileSync(left, '{"half');
    utimesSync(left, Date.now() / 1000 - 120, Date.now() / 1000 - 120);
    await box.start({ session_id: 's3' });
    assert.equal(existsSync(left), false);
    const { code, stderr } = await drive('cli.cjs', null, box.env, ['uninstall', '--purge'], true);
    assert.equal(code, 0, stderr);
    assert.equal(existsSync(box.contracts), false);
  });

  it('the model reads none of the words of a server that the user does not trust', async (test) => {
    for (const trusted of [false, true]) {
      const box = await drifted(test, { freshFor: 0, servers: { demo: { trusted } } });
      const { stdout } = await box.logs(['--diff'], { CLAUDECODE: '1' });
      assert.equal(/Finds by text/.test(stdout), trusted);
      const data = JSON.stringify((await box.data(['--diff'], { CLAUDECODE: '1' })).data);
      assert.equal(/Finds by text/.test(data), trusted);
      assert.match((await box.logs(['--diff'])).stdout, /Finds by text/);
    }
  });

  it('nor those of a tool behind another, unless both servers are trusted', async (test) => {
    for (const [servers, shown] of [
      [{ demo: { trusted: true } }, false],
      [{ other: { trusted: true } }, false],
      [{ demo: { trusted: true }, other: { trusted: true } }, true],
    ] as const) {
      const box = await drifted(test, { freshFor: 0, servers });
      const [line] = box.lines();
      writeFileSync(box.day, `${JSON.stringify({ ...line, inner: { server: 'other', tool: 'search' } })}\n`);
      const { stdout } = await box.logs(['--diff'], { CLAUDECODE: '1' });
      assert.match(stdout, /mcp__demo__search, which calls search/);
      assert.match(stdout, /renamed: `query` → `text`/);
      assert.equal(/Finds by text/.test(stdout), shown, JSON.stringify(servers));
    }
  });

  it('a log that holds anything: what is not a line of ours is counted, and opens no other file', async (test) => {
    const box = await drifted(test);
    const line = box.lines()[0];
    for (const odd of [
      '{"half',
      'null',
      JSON.stringify({ ...line, verdict: '__proto__' }),
      JSON.stringify({ ...line, at: 'now' }),
      JSON.stringify({ ...line, tool: 'x'.repeat(600) }),
    ])
      appendFileSync(box.day, `${odd}\n`);
    const hostile = { ...line, server: '\u001b[2J\u202e', tool: 'mcp__x__y', from: '../../config', pinned: 5 };
    appendFileSync(box.day, `${JSON.stringify(hostile)}\n{"still being written`);
    mkdirSync(join(box.state, 'activity', '2000-01-01.jsonl'));
    const { code, data, warnings } = await box.data(['--diff']);
    assert.equal(code, 2);
    assert.deepEqual(warnings, ['1 file of the log could not be read', '6 lines of the log could not be understood']);
    assert.deepEqual(data.lines.at(-1).from, undefined);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    assert.doesNotMatch((await box.logs(['--diff'])).stdout, /[\u001b\u202e]/);
  });

  it('of a tool that is called through another one, the inner tool’s contracts, under its own name', async (test) => {
    const hub = tool(
      'mcp_invoke_tool',
      { server_name: { type: 'string' }, tool_name: { type: 'string' }, arguments: { type: 'object' } },
      { required: ['tool_name'] },
    );
    const box = await world(test, undefined, [hub, OLD]);
    await box.start();
    box.release([hub, NOW]);
    await box.call('mcp_invoke_tool', { tool_name: 'search', arguments: { query: 'x' } });
    const line = box.lines().at(-1);
    assert.deepEqual([line?.verdict, line?.from, line?.to], ['deny', FROM, TO]);
    const { stdout } = await box.logs(['--diff']);
    assert.match(stdout, /mcp__demo__mcp_invoke_tool, which calls search {2}breaking/);
    const [{ diffs }] = (await box.data(['--diff'])).data.lines;
    assert.equal(diffs[0].changes[0].tool, 'search');
  });

  it('before the first call there is nothing, and that is no error', async (test) => {
    const box = await world(test);
    const { code, stdout } = await box.logs();
    assert.deepEqual([code, stdout], [0, 'No call is in the log yet.\n']);
  });
});
