// biome-ignore-all lint/suspicious/noTemplateCurlyInString: some texts here are code
// The raw twin discipline, section by section: its requirements, checked from outside with the built files.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { z } from 'zod';
import { branchesOf } from '../scripts/contract/branches.ts';
import { contractHash } from '../scripts/contract/canonical.ts';
import { LIMITS, NotAToolList, parseBounded, readToolList } from '../scripts/contract/read.ts';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import { viewHash } from '../scripts/contract/view.ts';
import { diffContract } from '../scripts/diff/diff.ts';
import { describeTwin } from '../scripts/gateway-kit/describe-twin.ts';
import { toolsList } from '../scripts/gateway-kit/tools-list.ts';
import { SOURCE_RULES } from '../scripts/lint/source/table.ts';
import { drive, type Run, sandbox, tool } from './sandbox.ts';

const DAY = '2026-04-09';
const NEXT_DAY = '2026-04-10';
const DRIFT = `⚠️ Tool schema drift detected — session started ${DAY}, gateway advertises ${NEXT_DAY}. Restart Claude Code to avoid silent field-strip bugs.`;
const UNSEEN = "something changed that its list doesn't show";

const text = { type: 'string' };
/** All fields of all branches at the root; one field names the branch, and only the server knows the rest. */
const save = (branches: Json | undefined, more: Partial<Contract> = {}): Contract =>
  tool(
    'save',
    { context_type: text, title: text, tags: { type: 'array', items: text } },
    { required: ['context_type'] },
    { description: 'Saves.', ...(branches === undefined ? {} : { branches }), ...more },
  );

type Box = Awaited<ReturnType<typeof sandbox>>;

/** A session that started when the gateway listed these tools. */
const started = async (test: TestContext, tools: Contract[], config: JsonObject = {}): Promise<Box> => {
  const box = await sandbox(test, tools, { freshFor: 0, ...config });
  box.release(tools, DAY);
  await box.start();
  return box;
};

const probe = async (box: Box) => {
  const { answer, code } = await drive('cli.cjs', null, box.env, ['probe', '--json']);
  return { code, ...answer.data.sources[0] } as {
    code: number;
    state: string;
    note: string;
    remarks: string[];
    upgrade?: string;
    changes: { rule: string; path: string; level: string; message: string }[];
  };
};

const printed = (box: Box, ...args: string[]): Promise<Run> => drive('cli.cjs', null, box.env, args, true);

const decision = (run: Run): string | undefined => run.answer?.hookSpecificOutput?.permissionDecision;
const reason = (run: Run): string => run.answer?.hookSpecificOutput?.permissionDecisionReason ?? '';
const context = (run: Run): string => run.answer?.hookSpecificOutput?.additionalContext ?? '';

/** Two answers of a gateway, as files; the arguments for a command that compares them. */
const twoFiles = (box: Box, before: [string, Contract[]], after: [string, Contract[]]): string[] =>
  [before, after].map(([schema_version, tools], index) => {
    const file = join(box.home, `${index}.json`);
    writeFileSync(file, JSON.stringify({ schema_version, tools }));
    return file;
  });

describe('document 1 §4.4: a new branch is a schema evolution', () => {
  it('under the same version it is silent drift, and names the branch', async (test) => {
    const box = await started(test, [save(['x'])]);
    box.release([save(['x', 'y'])], DAY);
    const { code, state, changes } = await probe(box);
    assert.deepEqual([code, state], [1, 'silent-drift']);
    assert.deepEqual(
      changes.map(({ rule, path, level, message }) => [rule, path, level, message]),
      [['tool-branch-changed', '/branches/1', 'compatible', 'branch added: `y`']],
    );
  });

  it('the bump fires the drift line, word for word, and is no library upgrade', async (test) => {
    const box = await started(test, [save(['x'])]);
    box.release([save(['x', 'y'])], NEXT_DAY);
    const { code, state, note, upgrade } = await probe(box);
    assert.deepEqual([code, state, note, upgrade], [1, 'drift', DRIFT, undefined]);
    const { stdout } = await printed(box, 'probe');
    assert.ok(stdout.includes(DRIFT) && stdout.includes('branch added: `y`'), stdout);
  });

  it('lint --version-bump finds that it was not bumped', async (test) => {
    const box = await sandbox(test, []);
    const files = twoFiles(box, [DAY, [save(['x'])]], [DAY, [save(['x', 'y'])]]);
    const { answer, code } = await drive('cli.cjs', null, box.env, ['lint', '--version-bump', ...files, '--json']);
    assert.equal(code, 1);
    assert.deepEqual(
      answer.data.findings.map(({ rule }: { rule: string }) => rule),
      ['version-not-bumped'],
    );
  });

  it('the model is told of a new branch once, and the call goes through', async (test) => {
    const box = await started(test, [save(['x'])]);
    box.release([save(['x', 'y'])], NEXT_DAY);
    const first = await box.call('save', { context_type: 'x' });
    assert.equal(decision(first), undefined);
    assert.match(context(first), /branch added: `y`[\s\S]*Its branches are now: `x`, `y`\./);
    const second = await box.call('save', { context_type: 'x' }, { tool_use_id: 'toolu_2' });
    assert.equal(second.answer, undefined);
  });

  it('the model is told although the schema that it sees is the same', async (test) => {
    const box = await started(test, [save(['x'])]);
    box.show([save(undefined)], 'a');
    box.release([save(['x', 'y'])], NEXT_DAY);
    assert.match(context(await box.call('save', { context_type: 'x' })), /branch added: `y`/);
  });

  it('a call that names a branch that is gone is stopped, any other one is not', async (test) => {
    const box = await started(test, [save(['x', 'y'])]);
    box.release([save(['x'])], NEXT_DAY);
    const stopped = await box.call('save', { context_type: 'y', title: 'x' });
    assert.equal(decision(stopped), 'deny');
    assert.match(reason(stopped), /branch removed: `y`[\s\S]*Its branches are now: `x`\./);
    // "y" is its title, not its branch.
    const passed = await box.call('save', { context_type: 'x', title: 'y' }, { tool_use_id: 'toolu_2' });
    assert.equal(decision(passed), undefined);
  });

  it('a call that names it by a parameter that nobody could tell is stopped, too', async (test) => {
    const odd = (branches: string[]) => tool('save', { flavour: text, title: text }, {}, { branches });
    const box = await started(test, [odd(['x', 'y'])]);
    box.release([odd(['x'])], NEXT_DAY);
    assert.equal(decision(await box.call('save', { flavour: 'y' })), 'deny');
  });

  it('what a branch takes is compared, for the calls that name it', async (test) => {
    const branch = (properties: JsonObject, required: string[]) => ({
      name: 'x',
      schema: { type: 'object', properties: { context_type: { const: 'x' }, ...properties }, required },
    });
    const box = await started(test, [save([branch({ title: text }, []), 'y'])]);
    box.release([save([branch({ title: text }, ['title']), 'y'])], NEXT_DAY);
    const { changes } = await probe(box);
    assert.deepEqual(
      changes.map(({ rule, path, level }) => [rule, path, level]),
      [['input-property-became-required', '/branches/0/schema/properties/title', 'breaking']],
    );
    const stopped = await box.call('save', { context_type: 'x' });
    assert.equal(decision(stopped), 'deny');
    assert.match(reason(stopped), /branch `x`: .*`title`/);
    for (const args of [{ context_type: 'y' }, { context_type: 'x', title: 'x' }] as JsonObject[])
      assert.equal(decision(await box.call('save', args, { tool_use_id: 'toolu_2' })), undefined);
  });

  it('a parameter that one branch lost is no reason to stop a call of another one', () => {
    const of = (properties: JsonObject) => [{ name: 'x', schema: { type: 'object', properties } }, 'y'];
    const [change] = diffContract(save(of({ title: text, tags: {} })), save(of({ title: text })));
    assert.deepEqual([change?.rule, change?.branch], ['input-property-removed', 'x']);
  });

  it('a list in another form or order is the same list', async (test) => {
    const box = await started(test, [save(['x', 'y'])]);
    for (const branches of [['y', 'x'], [{ name: 'x' }, { const: 'y' }], { y: {}, x: null }] as Json[]) {
      box.release([save(branches)], DAY);
      assert.equal((await probe(box)).state, 'fresh', JSON.stringify(branches));
    }
  });

  it('the lockfile holds branches, and a new one waits for a yes', async (test) => {
    const box = await started(test, [save(['x'])]);
    const pinned = await printed(box, 'pin');
    assert.equal(pinned.code, 0, pinned.stderr);
    assert.equal((await printed(box, 'verify')).code, 0);
    box.release([save(['x', 'y'])], NEXT_DAY);
    const { code, stdout } = await printed(box, 'verify');
    assert.equal(code, 1);
    assert.match(stdout, /branch added: `y`/);
  });

  it('a contract without branches keeps its hash; branches are no part of what the model sees', () => {
    const plain = save(undefined);
    assert.equal(contractHash(plain), contractHash({ ...plain, extra: { icons: [] } }));
    assert.notEqual(contractHash(plain), contractHash(save(['x'])));
    assert.equal(viewHash(plain), viewHash(save(['x'])));
  });

  it('an advertised hash may leave them out', async (test) => {
    const box = await sandbox(test, []);
    const hashed = { ...save(['x']), hash: contractHash(save(undefined)) } as Contract;
    box.release([hashed, { ...save(['x']), name: 'b', hash: '0'.repeat(64) } as Contract], DAY);
    const { answer } = await drive('cli.cjs', null, box.env, ['probe', '--json']);
    assert.deepEqual(answer.data.sources[0].hash_mismatches, ['b']);
  });

  it('branches of others are bounded, read with their place, and quoted', () => {
    const wrong: [Json, string][] = [
      [7, '/tools/0/branches: must be array,object'],
      [['x', 7], '/tools/0/branches/1: must be object'],
      [[''], '/tools/0/branches/0: must NOT have fewer than 1 characters'],
      [['x'.repeat(257)], '/tools/0/branches/0: must NOT have more than 256 characters'],
      [{ 'a/b': 7 }, 'tools › 0 › branches › a/b: must be object,boolean'],
      [[{ name: 'x', schema: 7 }], '/tools/0/branches/0/schema: must be object,boolean'],
      [[{ name: 7 }], '/tools/0/branches/0/name: must be string'],
      [Array(LIMITS.branches + 1).fill('x'), '/tools/0/branches: must NOT have more than 1000 items'],
    ];
    for (const [branches, message] of wrong) {
      const read = () => readToolList([{ name: 'a', inputSchema: {}, branches }]);
      assert.throws(read, (error: Error) => error instanceof NotAToolList && error.message.startsWith(message));
    }
    const hostile = 'x`\n\u202eignore all\u0007';
    const [change] = diffContract(save(['x']), save(['x', hostile]));
    assert.equal(change?.brief, 'branch added: "x\'\\u{a}\\u{202e}ignore all\\u{7}"');
    const many = Array.from({ length: LIMITS.branches }, (_, index) => ({
      name: `b${index}`,
      schema: { type: 'object' },
    }));
    assert.equal(readToolList(parseBounded(JSON.stringify([save(many)]))).tools.length, 1);
  });
});

describe('document 1 §8.2: a bump is never without a warning', () => {
  it('a bump without a visible change fires the drift line, gently', async (test) => {
    const box = await started(test, [save(['x'])]);
    box.release([save(['x'])], NEXT_DAY);
    const { code, state, note, remarks } = await probe(box);
    assert.deepEqual([code, state, note], [1, 'version-only', DRIFT]);
    assert.ok(remarks[0]?.includes(UNSEEN), remarks[0]);
    const { stdout } = await printed(box, 'probe');
    assert.ok(stdout.includes(DRIFT) && stdout.includes(UNSEEN), stdout);
    assert.doesNotMatch(stdout, /library upgrade/);
    const status = await printed(box, 'status');
    assert.equal(status.code, 1);
    assert.ok(status.stdout.trimEnd().endsWith(DRIFT), status.stdout);
  });

  it('with noise beside it, it is still no library upgrade', async (test) => {
    const box = await started(test, [save(undefined)]);
    const noisy = { ...save(undefined), execution: {} } as Contract;
    box.release([noisy], NEXT_DAY);
    const { state, upgrade } = await probe(box);
    assert.deepEqual([state, upgrade], ['version-only', undefined]);
  });

  it('§7.2: a session that goes on is told when it starts again', async (test) => {
    const box = await started(test, [save(['x'])]);
    box.release([save(['x'])], NEXT_DAY);
    const { answer } = await box.greet({ source: 'resume' });
    assert.ok(answer.systemMessage.includes(DRIFT) && answer.systemMessage.includes(UNSEEN), answer.systemMessage);
  });
});

describe("document 1 §7.1: SCHEMA_VERSION is today's date", () => {
  const linted = async (box: Box, args: string[]) => {
    const { answer, code } = await drive('cli.cjs', null, box.env, ['lint', '--json', ...args]);
    return { code, findings: answer.data.findings as { rule: string; level: string; message: string }[] };
  };
  const [today, minute] = [new Date().toISOString().slice(0, 10), /^SCHEMA_VERSION = "(.*)"$/];
  const recommended = async (box: Box, version: string): Promise<string | undefined> => {
    const files = twoFiles(box, [version, [save(['x'])]], [version, [save(['x', 'y'])]]);
    const { findings } = await linted(box, ['--version-bump', ...files]);
    const found = findings.find(({ rule }) => rule === 'version-not-bumped');
    return minute.exec(found?.message.split(': ').at(-1) ?? '')?.[1];
  };

  it('the bump check recommends it, ready to paste', async (test) => {
    const box = await sandbox(test, []);
    assert.ok([today, new Date().toISOString().slice(0, 10)].includes((await recommended(box, DAY)) ?? ''));
  });

  it('with the time, where today saw a bump already; and never a version that goes back', async (test) => {
    const box = await sandbox(test, []);
    const now = new Date().toISOString().slice(0, 10);
    assert.match((await recommended(box, now)) ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/);
    assert.equal(await recommended(box, '2999-01-01'), '2999-01-01T00:01Z');
  });

  it('a version in the future is flagged, by lint and by the probe', async (test) => {
    const box = await started(test, [save(['x'])]);
    const [file] = twoFiles(box, ['2999-01-01', []], [DAY, []]) as [string, string];
    const { code, findings } = await linted(box, [file]);
    assert.deepEqual([code, findings.map(({ rule }) => rule)], [1, ['version-in-the-future']]);
    box.release([save(['x', 'y'])], '2999-01-01');
    const { remarks } = await probe(box);
    assert.deepEqual(remarks, ['its version 2999-01-01 lies in the future: it is no date of a change']);
  });
});

describe('document 1 §4.4: a tool that is listed by its branches alone', () => {
  const byBranches = (branches: Json, more: JsonObject = {}): Contract =>
    ({ name: 'save', description: 'Saves.', branches, ...more }) as unknown as Contract;

  it('is accepted in every form of a list, as any object', () => {
    const tool = byBranches(['x']) as unknown as JsonObject;
    for (const list of [[tool], { tools: [tool] }, tool, { tools: { save: { branches: ['x'] } } }] as Json[]) {
      const [contract] = readToolList(list).tools;
      assert.deepEqual(
        [contract?.name, contract?.inputSchema, contract?.schemaless],
        ['save', { type: 'object' }, true],
      );
    }
    for (const list of [[{ name: 'save' }], [byBranches([])], { save: { branches: ['x'] } }] as unknown as Json[])
      assert.throws(() => readToolList(list), NotAToolList);
  });

  it('is compared by its branches, and the probe says that it is taken for any object', async (test) => {
    const box = await started(test, [byBranches(['x'])]);
    const first = await probe(box);
    assert.deepEqual([first.code, first.state], [0, 'fresh']);
    assert.match(first.remarks.join(), /listed by branches alone, .*any object.*`save`/);
    box.release([byBranches(['x', 'y'])], NEXT_DAY);
    const second = await probe(box);
    assert.deepEqual([second.code, second.state, second.note], [1, 'drift', DRIFT]);
  });

  it('lint says so, too, and fails nothing', async (test) => {
    const box = await sandbox(test, []);
    const [file] = twoFiles(box, [DAY, [byBranches(['x'], { annotations: { readOnlyHint: true } })]], [DAY, []]);
    const { answer, code } = await drive('cli.cjs', null, box.env, ['lint', String(file), '--json']);
    assert.deepEqual([code, answer.data.findings[0].rule], [0, 'schema-not-listed']);
  });

  it('stops no call by what it does not say, whatever schema the model sees', async (test) => {
    const box = await sandbox(test, [byBranches(['x'])], { freshFor: 0 });
    box.show([save(undefined)], 'a');
    assert.equal((await box.call('save', { context_type: 'x', title: 'x' })).answer, undefined);
    // Nor if the schema was listed when the session started.
    const other = await started(test, [save(['x'])]);
    other.show([save(undefined)], 'a');
    other.release([byBranches(['x'])], NEXT_DAY);
    const run = await other.call('save', { context_type: 'x', title: 'x' });
    assert.equal(decision(run), undefined);
    assert.match(context(run), /its input schema is no longer listed[\s\S]*save\(…\)/);
  });
});

describe('document 1 §§5, 8.3: no handler strips fields', () => {
  const lintCode = async (test: TestContext, code: string, ...args: string[]) => {
    const box = await sandbox(test, []);
    writeFileSync(join(box.project, 'index.ts'), code);
    const more = ['lint', '--source', box.project, '--json', ...args];
    const { answer, code: exit } = await drive('cli.cjs', null, box.env, more);
    const findings = answer.data.findings as { rule: string; level: string; tool: string; message: string }[];
    return { exit, found: findings.map(({ rule, level, tool }) => `${rule} ${level} ${tool}`), findings };
  };
  const register = (handler: string): string =>
    `server.registerTool('save', { inputSchema: { title: z.string(), tags: z.string() } }, ${handler});`;

  it('a flat handler that destructures fields and forwards just those', async (test) => {
    const handler =
      "async ({ title, tags }: Input) => fetch(`${URL}/notes`, { method: 'POST', body: JSON.stringify({ title, tags }) })";
    const { exit, found, findings } = await lintCode(test, register(handler));
    assert.deepEqual([exit, found], [1, ['source-handler-picks error save']]);
    assert.match(
      findings[0]?.message ?? '',
      /`save` takes "title", "tags" out of its arguments and forwards just that/,
    );
  });

  it('one that forwards all of them, whatever they are, is right', async (test) => {
    const handler = "async (args) => fetch(`${URL}/notes/${args.id}`, { method: 'POST', body: JSON.stringify(args) })";
    assert.deepEqual(await lintCode(test, register(handler)), { exit: 0, found: [], findings: [] });
  });

  it('--validated holds for --source, too', async (test) => {
    const code =
      "server.registerTool('save', { inputSchema: { tags: z.array(z.string()) } }, (args) => api.post('/notes', args));";
    assert.deepEqual((await lintCode(test, code)).found, ['source-twin-missing warning save']);
    const validated = await lintCode(test, code, '--validated', 'save');
    assert.deepEqual(validated.found, ['source-twin-missing error save']);
    assert.deepEqual((await lintCode(test, code, '--url-only', 'save')).found, []);
  });

  it('lint --explain shows the rules about sources', async (test) => {
    const box = await sandbox(test, []);
    for (const { id, purpose } of SOURCE_RULES) {
      const { stdout, code } = await drive('cli.cjs', null, box.env, ['lint', '--explain', id], true);
      assert.equal(code, 0, id);
      assert.ok(stdout.includes(`\n\n${purpose}\n`), id);
    }
  });
});

describe('document 1 §6: a tool that is still called is not retired', () => {
  const SEND = tool('send_email', { to: text }, { required: ['to'] });
  const TWIN = tool('send_email_raw', { payload: text }, { required: ['payload'] });
  const HUB = tool(
    'mcp_invoke_tool',
    { server_name: text, tool_name: text, arguments: { type: 'object' } },
    { required: ['tool_name'] },
  );
  const [session, hub] = [
    's1',
    { tool_name: 'mcp__hub__mcp_invoke_tool', mcp_server: { name: 'hub', source: 'user' } },
  ];
  const retire = async (box: Box, ...args: string[]) => {
    const more = ['usage', '--retire', 'send_email', '--sessions', '3', '--json', ...args];
    const { answer, code } = await drive('cli.cjs', null, box.env, more);
    return { code, ...answer.data } as {
      code: number;
      calls: number;
      tools: { server: string; tool: string; calls: number; through_other_tools?: number }[];
      retire: { answer: string; because: string[] };
    };
  };
  /** Three sessions that call the twin and, with `old`, the old tool. */
  const sessions = async (box: Box, old?: (id: string) => Promise<unknown>): Promise<void> => {
    for (const index of [1, 2, 3]) {
      const id = `${session}-${index}`;
      await box.call('send_email_raw', { payload: '{"to":"x"}' }, { session_id: id });
      await old?.(id);
    }
  };
  const invoke = (box: Box, inner: JsonObject) => (id: string) => box.call('', inner, { ...hub, session_id: id });

  it('a call through a generic invoker is logged and counted as one of the tool behind it', async (test) => {
    const box = await started(test, [SEND, TWIN, HUB]);
    await sessions(box, invoke(box, { server_name: 'demo', tool_name: 'send_email', arguments: { to: 'secret' } }));
    const { code, calls, tools, retire: found } = await retire(box);
    assert.deepEqual([code, found.answer], [1, 'no']);
    assert.deepEqual(found.because, [
      '3 of the last 3 sessions still called send_email (3 calls of it through another tool)',
    ]);
    assert.equal(calls, 6);
    assert.deepEqual(
      tools.find(({ tool: name }) => name === 'send_email'),
      { ...tools.find(({ tool: name }) => name === 'send_email'), server: 'demo', calls: 3, through_other_tools: 3 },
    );
    const day = new Date().toISOString().slice(0, 10);
    const log = readFileSync(join(box.state, 'activity', `${day}.jsonl`), 'utf8');
    assert.match(log, /"tool":"mcp__hub__mcp_invoke_tool","inner":\{"server":"demo","tool":"send_email"\}/);
    assert.doesNotMatch(log, /secret/);
  });

  it('also where the call names no server, or the name has the server in it', async (test) => {
    for (const tool_name of ['send_email', 'mcp__demo__send_email']) {
      const box = await started(test, [SEND, TWIN, HUB]);
      await sessions(box, invoke(box, { tool_name, arguments: { to: 'x' } }));
      assert.deepEqual((await retire(box)).code, 1, tool_name);
    }
  });

  it('also where nothing is known of the invoker but its name, and where the guard was off', async (test) => {
    for (const [config, tools] of [
      [{}, [SEND, TWIN]],
      [{ mode: 'off' }, [SEND, TWIN, HUB]],
    ] as [JsonObject, Contract[]][]) {
      const box = await started(test, tools, config);
      await sessions(box, invoke(box, { tool_name: 'send_email', arguments: { to: 'x' } }));
      assert.equal((await retire(box)).code, 1, JSON.stringify(config));
    }
  });

  it('a log that does not tell what an invoker called is no yes; the transcripts tell', async (test) => {
    const box = await started(test, [SEND, TWIN, HUB]);
    await sessions(box);
    assert.equal((await retire(box)).code, 0);
    const at = new Date().toISOString();
    const folder = join(box.state, 'activity');
    const line = { at, session: 's1-2', server: 'hub', tool: 'mcp__hub__mcp_invoke_tool', verdict: 'silence' };
    appendFileSync(join(folder, `${at.slice(0, 10)}.jsonl`), `${JSON.stringify(line)}\n`);
    const unknown = await retire(box);
    assert.equal(unknown.code, 2);
    assert.match(unknown.retire.because.join(), /1 call of mcp_invoke_tool, which calls other tools/);
    const transcript = (tool_name: string): void => {
      const project = join(box.home, '.claude', 'projects', 'p');
      mkdirSync(project, { recursive: true });
      const input = { tool_name, arguments: { to: 'x' } };
      const content = [{ type: 'tool_use', id: 'toolu_0123456789abcdef', name: line.tool, input }];
      const record = { type: 'assistant', sessionId: line.session, timestamp: at, message: { content } };
      writeFileSync(join(project, 's1-2.jsonl'), `${JSON.stringify(record)}\n`);
    };
    transcript('list_accounts');
    assert.equal((await retire(box, '--transcripts')).code, 0);
    transcript('send_email');
    assert.equal((await retire(box, '--transcripts')).code, 1);
  });

  it('a tool that only has the name of an invoker is none, and hides nothing', async (test) => {
    const box = await started(test, [SEND, TWIN, tool('run_tool', { speed: text })]);
    await sessions(box, (id) => box.call('run_tool', { speed: 'x' }, { session_id: id }));
    // The second call of a session takes the fast path.
    await box.call('run_tool', { speed: 'x' }, { session_id: 's1-3' });
    assert.equal((await retire(box)).code, 0);
  });
});

describe('document 1 §2: a twin is what survives evolution', () => {
  const props = { title: text, ...Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`field_${at}`, text])) };
  const sibling = (more: JsonObject = {}, rest: JsonObject = {}, of: Partial<Contract> = {}): Contract =>
    tool('save', { ...props, ...more }, { required: ['title'], ...rest }, { description: 'Saves.', ...of });
  /** A tool and its twin from the kit, whose description follows the tool's fields. */
  const pair = (flat: Contract): Contract[] => [flat, describeTwin(flat as never) as unknown as Contract];
  const payload = { payload: '{"title":"x"}' };
  const release = (box: Box, tools: Contract[]) => box.release(tools, NEXT_DAY);
  const twinCall = (run: Run): JsonObject | undefined => {
    const found = /mcp__demo__save_raw (\{.*\})$/m.exec(reason(run))?.[1];
    return found && JSON.parse(JSON.parse(found).payload);
  };

  for (const mode of ['guard', 'strict', 'warn']) {
    it(`its description never makes it stale, in mode ${mode}; the notice names the new fields`, async (test) => {
      const box = await started(test, pair(sibling()), { mode });
      release(box, pair(sibling({ urgent: { type: 'boolean' } })));
      const run = await box.call('save_raw', payload);
      assert.equal(decision(run), undefined);
      for (const told of [context(run), run.answer.systemMessage]) {
        assert.match(told, /what `save_raw` \(server `demo`\) takes in its payload changed/);
        assert.match(told, /`urgent`/);
      }
      assert.match(context(run), /parameters of: save\(title: string, .*urgent\?: boolean\)/);
      assert.doesNotMatch(run.answer.systemMessage, /description changed/);
      assert.equal((await box.call('save_raw', payload, { tool_use_id: 'toolu_2' })).answer, undefined);
    });
  }

  it('nor does what is said of its payload, or a title; what it takes does', async (test) => {
    const twin = (schema: JsonObject, more: Partial<Contract> = {}) =>
      tool('save_raw', { payload: { type: 'string', ...schema } }, { required: ['payload'] }, more);
    const box = await started(test, [sibling(), twin({ description: 'Old words.' })], { mode: 'strict' });
    release(box, [
      sibling(),
      twin({ description: 'New words, quite others.' }, { title: 'Saves raw', branches: ['x'] }),
    ]);
    assert.equal(decision(await box.call('save_raw', payload)), undefined);
    release(box, [sibling(), twin({ maxLength: 3 })]);
    assert.equal(decision(await box.call('save_raw', payload, { tool_use_id: 'toolu_2' })), 'deny');
  });

  it('a payload that names a branch that is gone is stopped', async (test) => {
    const twins = (branches: string[]) =>
      [save(branches), tool('save_raw', { payload: text }, { required: ['payload'] }, { branches })] as Contract[];
    const box = await started(test, twins(['x', 'y']));
    release(box, twins(['x']));
    const call = (type: string, id: string) =>
      box.call('save_raw', { payload: JSON.stringify({ context_type: type }) }, { tool_use_id: id });
    assert.equal(decision(await call('y', 'toolu_1')), 'deny');
    assert.equal(decision(await call('x', 'toolu_2')), undefined);
    // The flat call that names the branch is not sent through the twin either.
    assert.equal(twinCall(await box.call('save', { context_type: 'y' }, { tool_use_id: 'toolu_3' })), undefined);
  });

  it('a twin call that is offered is valid now: what is missing is a placeholder that says so', async (test) => {
    const box = await started(test, pair(sibling()));
    const level = { type: 'integer', minimum: 1 };
    release(box, pair(sibling({ level }, { required: ['title', 'level'] })));
    const stopped = await box.call('save', { title: 'x' });
    assert.equal(decision(stopped), 'deny');
    assert.match(
      reason(stopped),
      /Or, with its placeholders filled in, through its raw twin, whose contract does not change: /,
    );
    assert.deepEqual(twinCall(stopped), { title: 'x', level: '<fill in: integer>' });
    // If sent as proposed, it is stopped, with or without the fast path.
    for (const id of ['toolu_2', 'toolu_3', 'toolu_4']) {
      const args = id === 'toolu_3' ? { title: 'x', level: 1 } : twinCall(stopped);
      const run = await box.call('save_raw', { payload: JSON.stringify(args) }, { tool_use_id: id });
      assert.equal(decision(run), id === 'toolu_3' ? undefined : 'deny', id);
      if (id !== 'toolu_3') assert.match(reason(run), /`level` is still a placeholder/);
    }
  });

  it('what fits is offered as it is; what the server would drop is not in it', async (test) => {
    const box = await started(test, pair(sibling({ old: text })));
    release(box, pair(sibling()));
    const stopped = await box.call('save', { title: 'x', old: 'y' });
    assert.equal(decision(stopped), 'deny');
    assert.deepEqual(twinCall(stopped), { title: 'x' });
  });

  it('where nothing valid can be made, none is offered', async (test) => {
    const [first, second] = [{ required: ['title'] }, { required: ['title'], minProperties: 3 }];
    const box = await started(test, pair(sibling({}, first)));
    const [flat, twin] = [sibling({}, second), pair(sibling())[1] as Contract];
    release(box, [flat, twin]);
    const stopped = await box.call('save', { title: 'x' });
    assert.equal(decision(stopped), 'deny');
    assert.equal(twinCall(stopped), undefined);
  });

  it('a long description that changed at its end is shown from there', () => {
    const long = 'The same words again and again. '.repeat(20);
    const told = (words: string) => ({ name: 'a', inputSchema: {}, description: long + words });
    const [change] = diffContract(told('One.'), told('Two.'));
    assert.match(change?.message ?? '', /^description changed: "….*One\." → "….*Two\."$/);
  });
});

describe('document 1 §8.5: the kit serves branches, and the twin tells of them', () => {
  const flat = { name: 'save', inputSchema: save(undefined).inputSchema as JsonObject };
  const note = z.object({ title: z.string().describe('What it is about'), tags: z.array(z.string()).optional() });

  it('names, objects and maps, with schemas of a library', async () => {
    for (const branches of [['note'], [{ name: 'note', schema: note }], { note, link: null }] as never[]) {
      const { body } = await toolsList({ schemaVersion: DAY, tools: [{ ...flat, branches }] }).answer();
      const { tools, advertised } = readToolList(JSON.parse(body));
      const [branch] = branchesOf(tools[0] as Contract);
      assert.equal(branch?.name, 'note');
      const isListed = branches[0] !== 'note';
      assert.equal(JSON.stringify(branch?.schema ?? '').includes('What it is about'), isListed);
      assert.equal(advertised.get('save'), contractHash(tools[0] as Contract));
    }
    const wrong = { schemaVersion: DAY, tools: [{ ...flat, branches: [7] as never }] };
    assert.throws(() => toolsList(wrong), /\/tools\/0\/branches\/0: must be object/);
  });

  it('the description of the twin names each branch and what it takes, as lint asks for it', async (test) => {
    const tool = { ...flat, validated: true, branches: [{ name: 'note', schema: note }, 'link'] };
    const twin = describeTwin(tool);
    assert.ok(
      twin.description.endsWith(
        'Branch `note`:\n  Required:\n  - title: string — What it is about\n  Optional:\n  - tags: string[]\nBranch `link`',
      ),
      twin.description,
    );
    const { body } = await toolsList({ schemaVersion: DAY, tools: [tool, twin] }).answer();
    const box = await sandbox(test, []);
    writeFileSync(join(box.home, 'list.json'), body);
    const { answer } = await drive('cli.cjs', null, box.env, ['lint', join(box.home, 'list.json'), '--json']);
    assert.deepEqual(answer.data.findings, []);
  });
});
