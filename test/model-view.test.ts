import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { readCalls } from '../scripts/transcript/calls.ts';
import { forkedFrom } from '../scripts/transcript/fork.ts';
import { modelView } from '../scripts/transcript/model-view.ts';
import { argumentsOf, resultOf } from '../scripts/transcript/one-call.ts';
import { isIndex, readTranscript } from '../scripts/transcript/transcript-index.ts';
import { sandbox } from './sandbox.ts';

describe('what the model sees', () => {
  it('is unknown while the transcript is not read to its end: a newer list may follow', async (test) => {
    const { home } = await sandbox(test, []);
    const path = join(home, 'transcript.jsonl');
    const tools = [{ name: 'mcp__demo__search', input_schema: { type: 'object' } }];
    const line = JSON.stringify({ type: 'attachment', attachment: { tools } });
    writeFileSync(path, `${line}\n`);
    const attachments: [number, number][] = [[0, line.length]];
    const index = { path, offset: line.length + 1, shapes: {}, attachments };
    assert.deepEqual([...modelView(index).tools.keys()], ['mcp__demo__search']);
    assert.equal(modelView({ ...index, behind: {} }).tools.size, 0);
  });

  it('is what the last request showed, where an earlier look had no time for what stands behind it', async (test) => {
    const { home } = await sandbox(test, []);
    const path = join(home, 'transcript.jsonl');
    const tools = [{ name: 'mcp__demo__search', input_schema: { type: 'object' } }];
    const lines = [
      { type: 'api-request-shape', shapeHash: 'c7', shape: { tools } },
      { type: 'api-request', querySource: 'repl_main_thread', shapeHash: 'c7' },
      { type: 'user', message: { content: 'and then?' } },
    ].map((record) => `${JSON.stringify(record)}\n`);
    writeFileSync(path, lines.slice(0, 2).join(''));
    const { current: shape = '', ...begun } = readTranscript(path) ?? assert.fail();
    writeFileSync(path, lines.join(''));
    const whole = readTranscript(path, { ...begun, behind: { shape } });
    assert.deepEqual([...modelView(whole).tools.keys()], ['mcp__demo__search']);
  });

  it('is unknown after an answer to a request that the client did not record, until it records one again', async (test) => {
    const { home } = await sandbox(test, []);
    const tools = [{ name: 'mcp__demo__search', input_schema: { type: 'object' } }];
    const line = (record: object): string => `${JSON.stringify(record)}\n`;
    const shape = line({ type: 'api-request-shape', shapeHash: 'c7', shape: { tools } });
    const request = (id?: string): string => line({ type: 'api-request', id, querySource: 'sdk', shapeHash: 'c7' });
    const answer = (follows: object, text = 'fine'): string => {
      const message = { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'text', text }] };
      return line({ parentUuid: 'p', isSidechain: false, message, ...follows, type: 'assistant', cwd: home });
    };
    const to = (requestRef: string, text?: string): string => answer({ requestRef }, text);
    const unsaid = answer({});
    const quote = line({ parentUuid: 'p', message: { role: 'user', content: unsaid } });
    const by = (version: string, more: object = {}): string =>
      line({ message: { role: 'user', content: 'go' }, uuid: 'u', ...more, cwd: home, version, gitBranch: 'a"b' });
    const asked = [by('2.1.332'), request('r1'), to('r1')];
    const quoted = { message: { role: 'user', content: '"version":"2.1.197","gitBranch":"main"}' } };
    const held = line({ message: { role: 'user', content: [] }, toolUseResult: { version: '2.1.197', of: 'x' } });
    // Longer than what is read of a file at once.
    const long = '{"requestRef":"r9"}'.repeat(70_000);
    const cases: [what: string, lines: string[], isKnown: boolean][] = [
      ['an answer to the last request', [request('r1'), to('r1'), to('r1')], true],
      ['a long answer to it', [request('r1'), to('r1', long)], true],
      ['an answer to another request', [request('r1'), to('r1'), to('r2')], false],
      ['a long answer to another request', [request('r1'), to('r1', long), to('r2', long)], false],
      ['an answer to an earlier request', [request('r1'), request('r2'), to('r1')], false],
      ['an answer to a request that is too large', [request('r1'), answer({ requestNotRecorded: 'large' })], false],
      ['an answer that names no request, as no answer does', [request('r1'), unsaid], true],
      ['an answer that names no request, as earlier answers did', [request('r1'), to('r1'), unsaid], false],
      ['the same, and a person says more', [request('r1'), to('r1'), unsaid, quote], false],
      ['a request that is recorded again', [request('r1'), to('r1'), unsaid, request('r3'), to('r3')], true],
      ['an answer that names no request, and then one to the last', [request('r1'), to('r1'), unsaid, to('r1')], true],
      ['an answer that a person quotes', [request('r1'), to('r1'), quote], true],
      ['an answer where requests have no ids', [request(), to('r2')], true],
      ['the same version goes on', [...asked, by('2.1.332')], true],
      ['another version goes on', [...asked, by('2.1.197')], false],
      ['another version goes on, and on', [...asked, by('2.1.197'), by('2.1.197')], false],
      ['another version goes on, and answers', [...asked, by('2.1.197'), unsaid], false],
      ['a newer version goes on, and records its request', [...asked, by('2.2.0'), request('r2')], true],
      ['another version has gone on, and no request since', [...asked, by('2.1.197'), by('2.1.332')], false],
      [
        'another version has gone on, and then a request',
        [...asked, by('2.1.197'), by('2.1.332'), request('r2')],
        true,
      ],
      ['another version came before the first request', [by('2.1.197'), ...asked, by('2.1.332')], true],
      ['a person quotes another version', [...asked, by('2.1.332', quoted), held], true],
    ];
    for (const [what, lines, isKnown] of cases) {
      const path = join(home, `${what}.jsonl`);
      const all = [shape, ...lines];
      let [written, byParts] = ['', readTranscript(path) ?? undefined];
      for (const one of all) {
        written += one;
        writeFileSync(path, written);
        byParts = readTranscript(path, byParts) ?? assert.fail();
        assert.ok(isIndex(JSON.parse(JSON.stringify(byParts))));
      }
      for (const index of [byParts, readTranscript(path)]) {
        const { tools: seen, hidden } = modelView(index ?? null);
        assert.deepEqual([[...seen.keys()].length, hidden], isKnown ? [1, false] : [0, true], what);
      }
    }
    const path = join(home, 'versions that record no request.jsonl');
    writeFileSync(path, by('2.1.190') + by('2.1.197'));
    assert.equal(modelView(readTranscript(path)).hidden, false);
  });

  it('is what the newest fifty attachments show, where the client writes no shapes', async (test) => {
    const { home } = await sandbox(test, []);
    const path = join(home, 'transcript.jsonl');
    const shown = (name: string) => ({ name: `mcp__demo__${name}`, input_schema: { type: 'object' } });
    const lines = Array.from({ length: 52 }, (_, index) => {
      const attachment = { type: 'deferred_tools_record', entries: [shown(`t${index}`)] };
      return `${JSON.stringify({ type: 'attachment', attachment })}\n`;
    });
    writeFileSync(path, lines.slice(0, 40).join(''));
    const begun = readTranscript(path) ?? assert.fail();
    writeFileSync(path, lines.join(''));
    for (const index of [readTranscript(path), readTranscript(path, begun)]) {
      const names = [...modelView(index).tools.keys()];
      assert.deepEqual([names.length, names[0], names.at(-1)], [50, 'mcp__demo__t2', 'mcp__demo__t51']);
    }
  });

  it('is what the newest attachments show, where they are more than is read', async (test) => {
    const { home } = await sandbox(test, []);
    const path = join(home, 'transcript.jsonl');
    const rest = 'x'.repeat(6 * 1024 * 1024);
    const lines = ['t0', 't1', 't2'].map((name) => {
      const entries = [{ name: `mcp__demo__${name}`, input_schema: { type: 'object' } }];
      return `${JSON.stringify({ type: 'attachment', attachment: { type: 'prompt_snapshot', entries, rest } })}\n`;
    });
    writeFileSync(path, lines.join(''));
    let index = readTranscript(path);
    while (index?.behind) index = readTranscript(path, index);
    assert.deepEqual([...modelView(index).tools.keys()], ['mcp__demo__t1', 'mcp__demo__t2']);
  });

  it('goes by what stands behind a line that is too long to be held', async (test) => {
    const { home } = await sandbox(test, []);
    const path = join(home, 'transcript.jsonl');
    const shape = (hash: string, name: string, rest = '') => [
      { type: 'api-request-shape', shapeHash: hash, shape: { tools: [{ name, input_schema: {} }] }, rest },
      { type: 'api-request', querySource: 'sdk', shapeHash: hash },
    ];
    const text = (records: object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');
    const long = 'x'.repeat(17 * 1024 * 1024);
    const readAll = () => {
      let index = readTranscript(path);
      while (index?.behind) index = readTranscript(path, index);
      return modelView(index);
    };
    writeFileSync(
      path,
      text([...shape('a1', 'mcp__demo__old'), { type: 'user', long }, ...shape('b2', 'mcp__demo__new')]),
    );
    assert.deepEqual([...readAll().tools.keys()], ['mcp__demo__new']);
    // A shape that is too long to be read: the one before it is not what the model sees.
    writeFileSync(path, text([...shape('a1', 'mcp__demo__old'), ...shape('b2', 'mcp__demo__new', long)]));
    assert.deepEqual([...readAll().tools.keys()], []);
    // An unfinished line of that length is no end: what follows it is still unknown.
    writeFileSync(path, `${text(shape('a1', 'mcp__demo__old'))}{"type":"user","text":"${long}`);
    const begun = readTranscript(path) ?? assert.fail();
    writeFileSync(path, `${long.slice(0, 10)}"}\n${text(shape('b2', 'mcp__demo__new'))}`, { flag: 'a' });
    let index = readTranscript(path, begun);
    while (index?.behind) index = readTranscript(path, index);
    assert.deepEqual([...modelView(index).tools.keys()], ['mcp__demo__new']);
  });
});

describe('what a request shows the model', () => {
  const contract = (name: string, parameter: string) => ({
    name: `mcp__demo__${name}`,
    input_schema: { type: 'object', properties: { [parameter]: {} } },
  });
  const deep = { name: 'mcp__demo__deep', input_schema: JSON.parse(`${'{"not":'.repeat(200)}{}${'}'.repeat(200)}`) };
  const views = async (test: TestContext, shown: unknown[], cwd: string, attached: object[] = []) => {
    const { home } = await sandbox(test, []);
    const path = join(home, 'transcript.jsonl');
    const records = [
      { type: 'attachment', attachment: { type: 'deferred_tools_record', entries: attached } },
      { type: 'api-request-shape', cwd, shapeHash: 'a1', shape: { tools: shown } },
      { type: 'api-request', cwd, querySource: 'sdk', shapeHash: 'a1' },
    ];
    writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const { tools } = modelView(readTranscript(path));
    return [...tools].map(([name, { inputSchema }]) => `${name} ${Object.keys(Object(inputSchema).properties)}`);
  };

  it('is found behind a long path', async (test) => {
    assert.deepEqual(await views(test, [contract('a', 'x')], '/p'.repeat(700)), ['mcp__demo__a x']);
  });

  it('is told by its tools, whatever else stands among them', async (test) => {
    const others = [null, 'mcp__demo__b', 7, [], {}, { name: 7, input_schema: {} }];
    assert.deepEqual(await views(test, [...others, contract('a', 'x')], ''), ['mcp__demo__a x']);
    const nested = ['b', 'c'].map((name) => ({ name: `mcp__demo__${name}`, schema: { ...contract(name, 'y') } }));
    const loadedLater = { name: 'mcp__demo__d', schema: {} };
    const found = await views(test, [...nested, loadedLater], '', [contract('d', 'z')]);
    assert.deepEqual(found.sort(), ['mcp__demo__b y', 'mcp__demo__c y', 'mcp__demo__d z']);
  });

  it('is unknown for a tool that stands there twice in two forms, or in one that cannot be read', async (test) => {
    const attached = [contract('a', 'x'), contract('b', 'x'), { ...deep, input_schema: { properties: { x: {} } } }];
    const shown = [contract('a', 'x'), contract('a', 'y'), contract('b', 'y'), contract('b', 'y'), deep];
    assert.deepEqual(await views(test, shown, '', attached), ['mcp__demo__b y']);
  });

  it('is unknown if the last request names a shape that the transcript does not hold', async (test) => {
    const { home } = await sandbox(test, []);
    const path = join(home, 'transcript.jsonl');
    const attachment = { type: 'deferred_tools_record', entries: [contract('a', 'x')] };
    const records = [
      { type: 'attachment', attachment },
      { type: 'api-request', querySource: 'sdk', shapeHash: 'e5' },
    ];
    writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    assert.deepEqual([...modelView(readTranscript(path)).tools], []);
  });

  it('is what was attached, for a tool without a contract of its own', async (test) => {
    assert.deepEqual(await views(test, [{ name: 'mcp__demo__a' }], '', [contract('a', 'x')]), ['mcp__demo__a x']);
  });
});

describe('what is kept of a transcript', () => {
  const kept = { path: '/a.jsonl', offset: 9, shapes: { a1: [0, 5] }, request: 5, attachments: [[5, 4]] };

  it('is used again, with a request or without one', () => {
    const { request: _request, ...without } = kept;
    assert.deepEqual([isIndex(kept), isIndex(without)], [true, true]);
  });

  for (const [what, value] of [
    ['nothing', null],
    ['no path', { ...kept, path: undefined }],
    ['an offset that is no number', { ...kept, offset: '9' }],
    ['a request that is no number', { ...kept, request: '5' }],
    ['an answer that is no place', { ...kept, answer: [5] }],
    ['a text for what is not recorded', { ...kept, unrecorded: 'c7' }],
    ['no shapes', { ...kept, shapes: undefined }],
    ['a shape without a place', { ...kept, shapes: { a1: null } }],
    ['a place with one number', { ...kept, shapes: { a1: [0] } }],
    ['a place with three', { ...kept, attachments: [[0, 5, 9]] }],
    ['a place before the file', { ...kept, attachments: [[-1, 5]] }],
    ['attachments that are no list', { ...kept, attachments: {} }],
  ] as const)
    it(`is not: ${what}`, () => assert.equal(isIndex(value), false));
});

it('a subagent sees what the request showed that forked it off, unless it has requests of its own', async (test) => {
  const { home } = await sandbox(test, []);
  const write = (name: string, ...records: object[]): string => {
    const path = join(home, `${name}.jsonl`);
    writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    return path;
  };
  const shape = (hash: string, name: string) => {
    const tools = [{ name: `mcp__demo__${name}`, input_schema: { type: 'object' } }];
    return { type: 'api-request-shape', shapeHash: hash, shape: { tools } };
  };
  const request = (id: string, shapeHash: string) => ({ type: 'api-request', id, querySource: 'sdk', shapeHash });
  const parent = write(
    'parent',
    ...[shape('a1', 'old'), request('r1', 'a1'), shape('b2', 'new'), request('r2', 'b2'), request('r3', 'a1')],
  );
  const begun = (requestRef: string) => [{ type: 'fork-context-ref' }, { message: {}, requestRef, type: 'assistant' }];
  const seen = (path: string): string[] | undefined => {
    const origin = forkedFrom(readTranscript(path), parent);
    return origin && [...modelView(origin).tools.keys()];
  };
  assert.deepEqual(seen(write('fork', ...begun('r2'))), ['mcp__demo__new']);
  assert.equal(seen(write('unknown', ...begun('r7'))), undefined);
  assert.equal(seen(write('own', ...begun('r2'), shape('c3', 'own'), request('r8', 'c3'))), undefined);
  assert.equal(seen(write('other', ...begun('r2').slice(1))), undefined);
  assert.equal(seen(parent), undefined);
  assert.equal(seen(join(home, 'missing.jsonl')), undefined);
});

it('a transcript is read on from where the last look ended, unless it was written again', async (test) => {
  const { home } = await sandbox(test, []);
  const path = join(home, 'transcript.jsonl');
  const line = (record: object): string => `${JSON.stringify(record)}\n`;
  const shown = (name: string) => [{ name: `mcp__demo__${name}`, input_schema: { type: 'object' } }];
  const attached = (name: string, type = 'deferred_tools_record'): string =>
    line({ type: 'attachment', attachment: { type, entries: shown(name) } });
  const request = (shapeHash: string): string => line({ type: 'api-request', querySource: 'sdk', shapeHash });
  const asked = (shapeHash: string, name: string): string =>
    line({ type: 'api-request-shape', shapeHash, shape: { tools: shown(name) } }) + request(shapeHash);
  const said = line({ type: 'user', message: { content: 'and then?' } });
  const begun = attached('a') + asked('c7', 'b');
  const cases: [what: string, before: string, after: string, seen: string[]][] = [
    ['more was said', begun, begun + said, ['a', 'b']],
    ['what was read is not read again', begun, attached('a', 'deferred_tools_rec***') + asked('c7', 'b'), ['a', 'b']],
    ['its shape is another one of the same length', begun, attached('a') + asked('d8', 'c'), ['a', 'c']],
    ['a longer line stands where it ended', begun + said, begun + asked('d8', 'c'), ['a', 'c']],
    ['its shape is not there', attached('a') + request('e5'), attached('a') + request('e5') + said, []],
  ];
  for (const [what, before, after, seen] of cases) {
    writeFileSync(path, before);
    const known = readTranscript(path) ?? assert.fail();
    writeFileSync(path, after);
    const names = [...modelView(readTranscript(path, known)).tools.keys()];
    assert.deepEqual(
      names,
      seen.map((name) => `mcp__demo__${name}`),
      what,
    );
  }
});

it('the arguments of a call are those of the block that makes it', async (test) => {
  const { home } = await sandbox(test, []);
  const path = join(home, 'transcript.jsonl');
  const blocks = [
    { type: 'text', id: 'call_1', input: { city: 'of a text' } },
    { type: 'tool_use', id: 'call_0', input: { city: 'of another call' } },
    { type: 'tool_use', id: 'call_1', input: { city: 'Rabat' } },
    { type: 'tool_use', id: 'call_2', input: 'Rabat' },
  ];
  writeFileSync(path, `${JSON.stringify({ type: 'assistant', message: { content: blocks } })}\n`);
  const found = ['call_1', 'call_2', 'call_3'].map((id) => argumentsOf(path, id));
  assert.deepEqual(found, [{ city: 'Rabat' }, undefined, undefined]);
});

describe('the result of a call', () => {
  const result = (id: string, more: object = {}) => ({ type: 'tool_result', tool_use_id: id, content: 'x', ...more });
  const record = (...content: object[]): string => `${JSON.stringify({ type: 'user', message: { content } })}\n`;

  it('is the one that follows the call, with its place', async (test) => {
    const { home } = await sandbox(test, []);
    const path = join(home, 'transcript.jsonl');
    const earlier = record(result('early'));
    const text = record(result('no', { is_error: true }), result('yes')) + record({ type: 'text', text: 'asked' });
    writeFileSync(path, earlier + text + record({ type: 'tool_use', id: 'open', input: {} }));
    const at = earlier.length;
    assert.deepEqual(
      ['yes', 'no', 'open', 'early', ''].map((id) => resultOf(path, at, id)),
      [
        { isError: false, isUnsent: false, at },
        { isError: true, isUnsent: false, at },
        undefined,
        undefined,
        undefined,
      ],
    );
  });

  it('is the first one, although a later call has the same id', async (test) => {
    const { home } = await sandbox(test, []);
    const path = join(home, 'transcript.jsonl');
    writeFileSync(path, record(result('call_3', { is_error: true })) + record(result('call_3')));
    assert.deepEqual(resultOf(path, 0, 'call_3'), { isError: true, isUnsent: false, at: 0 });
  });
});

it('calls whose time cannot be read are left out, and counted as damaged', async (test) => {
  const { home } = await sandbox(test, []);
  const folder = join(home, '.claude/projects/-sea');
  mkdirSync(folder, { recursive: true });
  const day = Date.UTC(2026, 5, 7);
  const call = (id: string, timestamp?: unknown) => ({
    type: 'assistant',
    sessionId: 's9',
    timestamp,
    message: { role: 'assistant', content: [{ type: 'tool_use', id, name: 'mcp__sea__tides', input: {} }] },
  });
  const records = [
    call('toolu_before', new Date(day - 1).toISOString()),
    call('toolu_good', new Date(day).toISOString()),
    call('toolu_none'),
    call('toolu_text', 'yesterday'),
    call('toolu_number', day),
  ];
  writeFileSync(join(folder, 's9.jsonl'), records.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const span = { from: '2026-06-07', since: day, now: day + 3_600_000 };
  const { calls, read } = readCalls({ HOME: home }, span);
  assert.deepEqual(
    [calls.map(({ at, tool, session }) => [at, tool, session]), read.damaged],
    [[[day, 'mcp__sea__tides', 's9']], 3],
  );
});
