// Answers of status, probe, verify, the reports and the guard: they must contradict neither each other nor the facts.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { renderLock } from '../scripts/lock/render.ts';
import { LOCKFILE } from '../scripts/lock/types.ts';
import { type Activity, logActivity } from '../scripts/state/activity.ts';
import { FETCH, lockOf, SEARCH, workbench } from './lock-bench.ts';
import { type McpOnLoopback, type Offer, startMcp } from './mcp-servers.ts';
import { drive, sandbox, tool, untilRecorded } from './sandbox.ts';

const SMALL = tool('a', { x: { type: 'string' } }, { additionalProperties: false });
const OTHER = tool('a', { y: { type: 'string' } }, { additionalProperties: false });

/** A HOME with the user's servers, several folders, and sessions in them. */
const world = async (test: TestContext, offers: Record<string, Offer>) => {
  const box = await sandbox(test, []);
  box.env.GATEWAY_URL = undefined;
  const servers: Record<string, McpOnLoopback> = {};
  for (const [name, offer] of Object.entries(offers)) {
    servers[name] = await startMcp('modern', offer);
    test.after(() => servers[name]?.close());
  }
  const entries = Object.fromEntries(
    Object.entries(servers).map(([name, { url }]) => [name, { type: 'http', url }]),
  ) as JsonObject;
  const configure = (value: JsonObject) => writeFileSync(join(box.home, '.claude.json'), JSON.stringify(value));
  configure({ mcpServers: entries });
  const folder = (name: string): string => {
    const path = join(box.home, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const at = (project: string) => ({ ...box.env, CLAUDE_PROJECT_DIR: project });
  const start = async (session: string, project: string) => {
    const input = { session_id: session, cwd: project, hook_event_name: 'SessionStart', source: 'startup' };
    const ran = await drive('session-start.cjs', JSON.stringify({ ...input, transcript_path: '' }), at(project));
    assert.equal(ran.code, 0);
    await untilRecorded(box.state, session);
  };
  const cli = (project: string, args: string[]) => drive('cli.cjs', null, at(project), args, true);
  const json = async (project: string, args: string[]) => {
    const { stdout, code } = await cli(project, [...args, '--json']);
    return { code, ...JSON.parse(stdout) };
  };
  const kept = (session: string) => readFileSync(join(box.state, 'sessions', `${session}.json`), 'utf8');
  return { ...box, servers, configure, folder, start, cli, json, kept };
};

describe('status and probe without --session', () => {
  it('take the newest session of this folder, and write nothing into that of another one', async (test) => {
    const box = await world(test, { one: { tools: [SMALL] } });
    const [here, there] = [box.folder('here'), box.folder('there')];
    await box.start('mine', here);
    (box.servers.one as McpOnLoopback).offer.tools = [OTHER];
    await box.start('theirs', there);
    const before = [box.kept('mine'), box.kept('theirs')];
    for (const command of ['status', 'probe']) {
      const { code, data } = await box.json(here, [command]);
      assert.equal(code, 1, `${command}: this folder's session learned the old contract`);
      assert.equal((data.freshness ?? data.sources)[0].state, 'drift');
    }
    assert.equal((await box.json(here, ['status'])).data.session, 'mine');
    assert.equal((await box.json(there, ['status'])).data.session, 'theirs');
    assert.match((await box.cli(here, ['baseline'])).stdout, /^session mine,/);
    const nobody = await box.json(box.folder('nobody'), ['probe']);
    assert.equal(nobody.data.sources[0].state, 'no-baseline');
    assert.deepEqual([box.kept('mine'), box.kept('theirs')], before);
    const again = await box.json(box.folder('nobody'), ['probe']);
    assert.equal(again.data.sources[0].state, 'fresh', 'what was recorded for that folder is found again');
    assert.equal((await box.json(there, ['status'])).data.session, 'theirs', 'and is no newer session of another one');
  });

  it('in a folder inside of the repository, that of the repository', async (test) => {
    const box = await world(test, { one: { tools: [SMALL] } });
    const root = box.folder('repository');
    mkdirSync(join(root, '.git'));
    await box.start('mine', root);
    assert.equal((await box.json(box.folder('repository/deep/er'), ['status'])).data.session, 'mine');
    assert.equal((await box.json(box.home, ['status'])).data.session, undefined, 'not the other way round');
  });

  it('phase C compares with this folder’s last session, with all that phase F compares', async (test) => {
    const before = { tools: [SMALL], prompts: [{ name: 'p', arguments: [] }] };
    const after = { tools: [OTHER], prompts: [{ name: 'p', arguments: [{ name: 'q', required: true }] }] };
    const box = await world(test, { one: before, two: { tools: [SMALL] } });
    const [here, there] = [box.folder('here'), box.folder('there')];
    await box.start('first', here);
    await box.start('second', here);
    // The same name in another folder, for another server.
    box.configure({ mcpServers: { one: { type: 'http', url: (box.servers.two as McpOnLoopback).url } } });
    await box.start('elsewhere', there);
    box.configure({ mcpServers: { one: { type: 'http', url: (box.servers.one as McpOnLoopback).url } } });
    Object.assign((box.servers.one as McpOnLoopback).offer, after);
    const { data } = await box.json(here, ['status']);
    const count: Record<string, number> = {};
    for (const { level } of data.freshness[0].changes) count[level] = (count[level] ?? 0) + 1;
    assert.ok((count.breaking ?? 0) >= 2);
    assert.deepEqual(data.since_last, [{ name: 'one', summary: count }]);
  });

  it('what was first asked after the conversation had begun is not called learned, nor fresh without a word', async (test) => {
    const box = await world(test, { one: { tools: [SMALL] } });
    const here = box.folder('here');
    const all = JSON.parse(readFileSync(join(box.home, '.claude.json'), 'utf8'));
    box.configure({});
    await box.start('mine', here);
    box.configure(all);
    assert.equal((await box.cli(here, ['status'])).code, 0);
    const { stdout } = await box.cli(here, ['status']);
    assert.doesNotMatch(stdout, /as this session learned|✅/);
    assert.match(
      stdout,
      /one was first asked after the conversation had begun, so what it learned of it is not known\.$/m,
    );
  });

  it('servers that are configured and not started are not "no server"', async (test) => {
    const box = await world(test, {});
    const here = box.folder('here');
    const entry = { type: 'http', url: 'http://127.0.0.1:1/mcp' };
    writeFileSync(join(here, '.mcp.json'), JSON.stringify({ mcpServers: { waits: entry } }));
    const { stdout } = await box.cli(here, ['status']);
    assert.match(stdout, /waits: unapproved/);
    assert.doesNotMatch(stdout, /no MCP server/);
    assert.match(stdout, /⚠️ konnichiwagwan checked nothing: Claude Code starts none of the servers/);
    assert.match((await box.cli(here, ['probe'])).stdout, /none of the 1 MCP server that is configured here/);
  });
});

describe('calls that were not checked', () => {
  it('are counted beside those that were, with a reason that holds', async (test) => {
    const box = await world(test, { part: { tools: [SMALL] }, early: { tools: [SMALL] }, all: { tools: [SMALL] } });
    const here = box.folder('here');
    await box.start('mine', here);
    const made: Record<string, Activity['verdict'][]> = {
      part: ['silence', 'unchecked', 'failed', 'notice'],
      early: ['unchecked', 'unchecked'],
      all: ['silence', 'deny'],
      strange: ['not-covered'],
    };
    for (const [server, verdicts] of Object.entries(made))
      for (const verdict of verdicts)
        logActivity(box.state, { session: 'mine', server, tool: `mcp__${server}__a`, verdict });
    const { stdout } = await box.cli(here, ['status']);
    assert.deepEqual(
      [...stdout.matchAll(/calls in this session, of (.*)$/gm)].map(([, said]) => said),
      [
        'part (4 calls, 2 of them not checked): the others checked',
        'all (2 calls): checked',
        'early (2 calls): not checked (that was not possible when they were made)',
        'strange (1 call): not checked (no source lists its tools)',
      ],
    );
  });

  it('do not lack a source where one lists the tools now, or where one listed some of them', async (test) => {
    const box = await world(test, { late: { tools: [SMALL] } });
    const here = box.folder('here');
    await box.start('mine', here);
    for (const [server, verdict] of [
      ['late', 'not-covered'],
      ['mixed', 'not-covered'],
      ['mixed', 'unchecked'],
    ] as const)
      logActivity(box.state, { session: 'mine', server, tool: `mcp__${server}__a`, verdict });
    const { stdout } = await box.cli(here, ['status']);
    assert.match(
      stdout,
      /^.*calls in this session, of late \(1 call\), mixed \(2 calls\): not checked \(that was not possible when they were made\)$/m,
    );
  });

  it('stand among the verdicts of the session, with the tools that something was told about', async (test) => {
    const box = await world(test, { one: { tools: [SMALL] } });
    const here = box.folder('here');
    await box.start('mine', here);
    const call = (verdict: Activity['verdict'], name: string): void =>
      logActivity(box.state, { session: 'mine', server: 'one', tool: `mcp__one__${name}`, verdict });
    const { stdout } = await box.cli(here, ['status']);
    assert.match(stdout, /^Phase A .*\n {2}recorded .* session mine\n {2}one \(1 tool\)\nPhase B/m);
    const told = async () => /^Phase E .*\n((?: {2}.*\n)*)/m.exec((await box.cli(here, ['status'])).stdout)?.[1];
    assert.equal(await told(), '  no MCP call so far\n');
    call('silence', 'a');
    call('unchecked', 'b');
    assert.equal(await told(), '  1 silence, 1 unchecked\n');
    call('deny', 'c');
    assert.equal(
      await told(),
      '  1 silence, 1 unchecked, 1 deny\n  stopped, asked or told about: mcp__one__c. Why: konnichiwagwan logs --diff\n',
    );
  });

  const GONE = /gone: (?:not asked|unaskable) — its entry in the settings is gone, .*: its calls are not checked$/m;

  it('because an entry went since the session started: that is not "nothing to check"', async (test) => {
    const box = await world(test, { gone: { tools: [SMALL] }, down: { tools: [SMALL] } });
    const here = box.folder('here');
    box.servers.down?.close();
    await box.start('mine', here);
    box.configure({});
    for (const command of ['status', 'probe']) {
      const { code, stdout } = await box.cli(here, [command]);
      assert.equal(code, 2, stdout);
      assert.match(stdout.replace('gone, down:', 'gone:'), GONE);
      assert.match(stdout, /down/, 'it had not answered');
      assert.doesNotMatch(stdout, /nothing to check|no MCP server/);
    }
    const { data } = await box.json(here, ['probe']);
    assert.deepEqual(
      data.sources.map(({ name, state }: JsonObject) => [name, state]),
      [
        ['gone', 'unaskable'],
        ['down', 'unaskable'],
      ],
    );
    // A session that has ended calls nothing.
    box.configure({ mcpServers: { gone: { type: 'http', url: box.servers.gone?.url as string } } });
    box.env.CLAUDE_PID = '4194303';
    await box.start('ended', here);
    box.configure({});
    assert.equal((await box.cli(here, ['probe'])).code, 0);
  });

  it('because an entry names another address since: what is there is not what the client calls', async (test) => {
    const box = await world(test, { one: { tools: [SMALL] }, two: { tools: [SMALL] } });
    const here = box.folder('here');
    await box.start('mine', here);
    const at = (name: string) => ({ type: 'http', url: box.servers[name]?.url as string });
    box.configure({ mcpServers: { one: at('two'), two: at('two') } });
    for (const command of ['status', 'probe']) {
      const { code, stdout } = await box.cli(here, [command]);
      assert.equal(code, 2, stdout);
      assert.match(stdout, /one: (?:not asked|unaskable) — its entry in the settings changed since this session/m);
    }
    const { data } = await box.json(here, ['probe']);
    assert.deepEqual(data.sources.map(({ name, state }: JsonObject) => [name, state]).sort(), [
      ['one', 'unaskable'],
      ['two', 'fresh'],
    ]);
    box.env.CLAUDE_PID = '4194303';
    await box.start('ended', here);
    box.configure({ mcpServers: { one: at('one'), two: at('two') } });
    assert.equal((await box.cli(here, ['probe'])).code, 0);
  });

  it('not because an entry changed, or is not approved', async (test) => {
    const box = await world(test, { one: { tools: [SMALL] } });
    const here = box.folder('here');
    await box.start('mine', here);
    const entry = { type: 'http', url: 'http://127.0.0.1:1/mcp' };
    box.configure({ mcpServers: { one: entry } });
    assert.doesNotMatch((await box.cli(here, ['status'])).stdout, /is gone/);
    box.configure({});
    writeFileSync(join(here, '.mcp.json'), JSON.stringify({ mcpServers: { one: entry } }));
    assert.doesNotMatch((await box.cli(here, ['status'])).stdout, /is gone/);
  });
});

describe('what becomes of a call is told as the mode of its server has it', { concurrency: 2 }, () => {
  const B = tool('b', {});
  const STOPPED = /[Aa] call that [^.]* is stopped/;
  const SENT = /[Aa] call that [^.]* is sent, and the change is told/;
  for (const [config, says, then] of [
    [{}, STOPPED, /then it is told, asked about or stopped$/m],
    [{ mode: 'warn' }, SENT, /then it is told$/m],
    [{ mode: 'off' }, /Calls are not checked/, /^unless: +"mode": "guard" for this server/m],
    [{ servers: { demo: { mode: 'warn' } } }, SENT, /then it is told$/m],
    [{ mode: 'off', servers: { demo: { mode: 'guard' } } }, STOPPED, /then it is told, asked about or stopped$/m],
  ] as [JsonObject, RegExp, RegExp][])
    it(JSON.stringify(config), async (test) => {
      const box = await world(test, { demo: { tools: [SMALL, B] } });
      writeFileSync(join(box.state, 'config.json'), JSON.stringify({ freshFor: 0, ...config }));
      await box.start('s1', box.project);
      const { offer } = box.servers.demo as McpOnLoopback;
      // The change of `b` touches no call that leaves `more` out.
      offer.tools = [OTHER, tool('b', { more: { type: 'string' } })];
      const { answer } = await box.call('b');
      const { stdout: status } = await box.cli(box.project, ['status']);
      const { stdout: probe } = await box.cli(box.project, ['probe']);
      const explain = async (name: string, args: JsonObject) =>
        (await drive('cli.cjs', JSON.stringify(box.input(name, args)), box.env, ['explain'], true)).stdout;
      const resumed = (await box.greet({ source: 'resume' })).answer;
      const isOff = says.test('Calls are not checked');
      const told = { status, probe, resumed: resumed?.hookSpecificOutput?.additionalContext };
      for (const [where, text] of Object.entries({ ...told, ...(isOff ? {} : { call: answer?.systemMessage }) })) {
        assert.match(String(text), says, where);
        if (says !== STOPPED) assert.doesNotMatch(String(text), /(?:is|are) stopped/, where);
      }
      assert.match(await explain('b', {}), then);
      // A call that the mode lets go: only another mode would not.
      if (says === SENT) assert.match(await explain('a', { x: '1' }), /^unless: +"mode": "guard".* or stopped$/m);
    });
});

describe('status is read in one look', () => {
  const many = (prefix: string, count: number): Contract[] =>
    Array.from({ length: count }, (_, nth) => tool(`tool_${nth}`, { [`${prefix}_${nth}`]: { type: 'string' } }));
  const lines = ({ stdout }: { stdout: string }): string[] => stdout.trimEnd().split('\n');

  it('at most 40 lines, whatever drifted', async (test) => {
    const names = ['one', 'two', 'three', 'four', 'five', 'six'];
    const box = await world(test, Object.fromEntries(names.map((name) => [name, { tools: many('old', 30) }])));
    const here = box.folder('here');
    const remote = JSON.parse(readFileSync(join(box.home, '.claude.json'), 'utf8')).mcpServers;
    const program = { command: process.execPath, args: ['-e', ''] };
    const programs = Object.fromEntries(['p1', 'p2', 'p3', 'p4', 'p5'].map((name) => [name, program]));
    const down = { type: 'http', url: 'http://127.0.0.1:1/mcp' };
    box.configure({ mcpServers: { ...remote, ...programs, down } });
    const unapproved = Object.fromEntries(Array.from({ length: 12 }, (_, nth) => [`u${nth}`, down]));
    writeFileSync(join(here, '.mcp.json'), JSON.stringify({ mcpServers: unapproved }));
    await box.start('mine', here);
    for (const [nth, name] of names.entries())
      (box.servers[name] as McpOnLoopback).offer.tools = [...many(`new${nth}`, 30), SMALL];
    const ran = await box.cli(here, ['status']);
    assert.equal(ran.code, 1);
    assert.ok(lines(ran).length <= 40, `${lines(ran).length} lines:\n${ran.stdout}`);
    assert.ok(ran.stdout.length < 8_000, `${ran.stdout.length} characters`);
    assert.match(ran.stdout, /p1, p2, p3, p4 and 1 more: not asked/);
    assert.match(ran.stdout, /^ {2}one \(.*\): drift — \d+ /m);
    assert.match(ran.stdout, /What changed, one by one: konnichiwagwan probe/);
    assert.doesNotMatch(ran.stdout, /Gentler than a restart/);
    assert.equal(ran.stdout.match(/⚠️/g)?.length, 1, 'one warning for what is the same');
    const { stdout } = await box.cli(here, ['probe']);
    assert.doesNotMatch(stdout, /Gentler than a restart/);
  });

  it('few changes are shown one by one', async (test) => {
    const box = await world(test, { one: { tools: [SMALL] } });
    const here = box.folder('here');
    await box.start('mine', here);
    (box.servers.one as McpOnLoopback).offer.tools = [OTHER];
    const { stdout } = await box.cli(here, ['status']);
    assert.match(stdout, /renamed: `x` → `y`/);
    assert.match(stdout, /\/mcp reconnect one, then \/clear/);
    assert.match(stdout, /tools: pending/);
  });
});

describe('counts', () => {
  it('every report counts the same tools, a renamed one once, and prompts apart', async (test) => {
    const bench = await workbench(test);
    const fields = (name: string): JsonObject => ({
      [`${name}_a`]: { type: 'string' },
      [`${name}_b`]: { type: 'number' },
    });
    const before = bench.file(
      {
        tools: ['list_users', 'list_files'].map((name) => tool(name, fields(name))),
        prompts: [{ name: 'p' }, { name: 'q' }, { name: 'r' }],
      },
      'b.json',
    );
    const after = bench.file(
      { tools: ['list-users', 'list-files'].map((name) => tool(name, fields(name.replace('-', '_')))), prompts: [] },
      'a.json',
    );
    const said = async (format: string) => {
      const { stdout } = await bench.run(['diff', before, after, '--format', format]);
      return /(\d+ of \d+ tools?.* changed)/.exec(stdout)?.[1];
    };
    const changes = (await bench.envelope(['diff', before, after])).data.changes;
    assert.ok(
      changes.some(({ rule }: { rule: string }) => rule === 'tool-renamed'),
      JSON.stringify(changes),
    );
    assert.deepEqual([await said('markdown'), await said('html')], Array(2).fill('2 of 2 tools and 3 prompts changed'));
    const { stdout } = await bench.run(['diff', before, after]);
    assert.match(stdout, /^3 prompts: /m);
  });

  it('verify does not call as pinned what it was told to leave out', async (test) => {
    const bench = await workbench(test);
    const server = await bench.pinned();
    bench.release([{ ...SEARCH, description: 'Finds other things.' }, FETCH]);
    const ran = await bench.run(['verify', '--level', 'breaking']);
    assert.deepEqual(
      [ran.code, ran.stdout],
      [
        0,
        `${server}: nothing of that level; 1 milder difference in 2 tools not shown, 2 without a record of approval\n`,
      ],
    );
    assert.equal((await bench.envelope(['verify', '--level', 'breaking'])).data.servers[0].hidden, 1);
    bench.release([{ ...SEARCH, description: 'Finds other things.' }]);
    assert.match(
      (await bench.run(['verify', '--level', 'breaking'])).stdout,
      /^.*: 1 breaking, and 1 milder difference not shown \(--level\)$/m,
    );
  });
});

describe('the guard, where a lockfile speaks, too', () => {
  const listA = tool('list', { limit: { type: 'integer' } });
  const listB = tool('list', { limit: { type: 'integer' }, lang: { type: 'string', default: 'en' } });

  it('never says that a call was sent which waits for a yes, nor approved what was only pinned', async (test) => {
    const box = await world(test, { demo: { tools: [listA] } });
    writeFileSync(join(box.project, LOCKFILE), renderLock(lockOf({ demo: [listA] })));
    await box.start('s1', box.project);
    (box.servers.demo as McpOnLoopback).offer.tools = [listB];
    const { answer } = await box.call('list', { limit: 1 });
    assert.equal(answer.hookSpecificOutput.permissionDecision, 'ask');
    const all = JSON.stringify(answer);
    assert.match(all, /is not the contract that is pinned/);
    assert.match(all, /where no person can be asked, it is not sent/);
    assert.doesNotMatch(all, /so it was sent|so the call was sent/);
    assert.doesNotMatch(all, /a person approved/);
  });

  it('a stop tells the user what changed, and else repeats nothing: the client shows the first line of a reason', async (test) => {
    const said = { description: 'Finds.' };
    const box = await world(test, {
      demo: { tools: [tool('find', { q: { type: 'string' }, n: { type: 'integer' } }, {}, said)] },
    });
    await box.start('s1', box.project);
    const now = tool('find', { q: { type: 'string' }, n: { type: 'string', description: 'NEW-WORDS' } }, {}, said);
    (box.servers.demo as McpOnLoopback).offer.tools = [now];
    const { systemMessage, hookSpecificOutput } = (await box.call('find', { n: 1 })).answer;
    const reason = hookSpecificOutput.permissionDecisionReason.split('\n');
    assert.equal(hookSpecificOutput.permissionDecision, 'deny');
    const [first, change, ...rest] = systemMessage.split('\n');
    assert.match(change, /^- `n`: type changed: "integer" → "string"$/);
    for (const line of [first, ...rest]) assert.ok(!reason.includes(line), line);
    assert.match(systemMessage, /Claude was told the new form and will try again\. Nothing to do\./);
    assert.doesNotMatch(systemMessage, /reconnect/);
  });

  it('without a lockfile the same call is sent, and said to be', async (test) => {
    const box = await world(test, { demo: { tools: [listA] } });
    await box.start('s1', box.project);
    (box.servers.demo as McpOnLoopback).offer.tools = [listB];
    assert.match((await box.call('list', { limit: 1 })).answer.systemMessage, /so it was sent/);
  });

  it('of a successor that the client may not know yet, the model is told what to do', async (test) => {
    const box = await world(test, { demo: { tools: [listA] } });
    await box.start('s1', box.project);
    (box.servers.demo as McpOnLoopback).offer.tools = [{ ...listA, name: 'list_all' }];
    const { permissionDecisionReason: reason } = (await box.call('list', { limit: 1 })).answer.hookSpecificOutput;
    assert.match(reason, /The server has list_all\(limit\?: integer\) now\./);
    assert.match(
      reason,
      /"No such tool available", Claude Code has not listed .* ask the user to type \/mcp reconnect demo, and call it after that/,
    );
    (box.servers.demo as McpOnLoopback).offer.tools = [];
    const gone = (await box.call('list', { limit: 1 })).answer.hookSpecificOutput.permissionDecisionReason;
    assert.doesNotMatch(gone, /reconnect/);
  });
});
