// The fast path is silent only while everything that the last silent verdict depends on is unchanged. Each of these things
// is changed separately, with a memo that would otherwise be used.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../scripts/contract/types.ts';
import { checkCall } from '../scripts/guard/check-call.ts';
import { isUnchanged, type JudgedCall, type Knowledge, type Unchanged } from '../scripts/guard/fast-path.ts';
import type { ToolInput } from '../scripts/guard/input.ts';
import { type Head, writeHead } from '../scripts/sources/head.ts';
import { thisMoment } from '../scripts/state/circumstances.ts';
import { remove } from '../scripts/state/in-use.ts';
import { type Memo, readMemo, writeMemo } from '../scripts/state/memo.ts';
import { askingPath } from '../scripts/state/paths.ts';
import { look, stampOf, unmoved, withParts, witnessed } from '../scripts/state/stamp.ts';
import { digestOfVariables } from '../scripts/state/variables.ts';

const MINUTE = 60_000;
const SAID: Memo['said'] = { server: 'demo', verdict: 'silence' };
const SLOW: Unchanged = { unchanged: false };

const shape = (hash: string, source = 'sdk', id?: string): string =>
  `${JSON.stringify({ type: 'api-request', id, querySource: source, shapeHash: hash })}\n`;

/** An answer of the model to a request. */
const answerTo = (requestRef?: string): string =>
  `${JSON.stringify({ parentUuid: 'p', message: { role: 'assistant', content: [] }, requestRef, type: 'assistant' })}\n`;

const attachment = (type: string, more: JsonObject = {}): string =>
  `${JSON.stringify({ parentUuid: 'p', isSidechain: false, attachment: { type, ...more }, type: 'attachment' })}\n`;
const weather = { name: 'mcp__demo__weather', input_schema: { type: 'object' } };

/** A call whose last verdict was silence, with everything that this verdict depends on. */
const world = (test: TestContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-test-'));
  test.after(() => remove(folder));
  const home = join(folder, 'state');
  mkdirSync(home);
  const [transcript, settings, clientState] = ['t.jsonl', 'settings.json', '.claude.json'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  writeFileSync(transcript, shape('aaa1'));
  writeFileSync(settings, '{}');
  const project = { mcpServers: {}, hasTrustDialogAccepted: true };
  const rewriteState = (more: JsonObject = {}, ofProject: JsonObject = {}): void =>
    writeFileSync(clientState, JSON.stringify({ projects: { '/p': { ...project, ...ofProject } }, ...more }));
  rewriteState();
  const env: NodeJS.ProcessEnv = { HOME: folder, TENANT: 'a' };
  const input: ToolInput = {
    session: 's1',
    transcript,
    cwd: folder,
    event: 'PreToolUse',
    toolName: 'mcp__demo__weather',
    arguments: {},
    toolUseId: 'toolu_1',
    server: 'demo',
  };
  const memo: Memo = {
    said: SAID,
    view: { path: transcript, offset: shape('aaa1').length, shape: 'aaa1' },
    files: withParts([settings, clientState].map((path) => ({ path, stamp: stampOf(path) }))),
    variables: { names: ['TENANT'], digest: digestOfVariables(['TENANT'], env) },
    sources: [{ key: 'one', digest: 'd', fresh: true }],
  };
  const keepMemo = (changes: Partial<Memo> = {}): void => writeMemo(home, input, '/p', { ...memo, ...changes });
  /** Stores the last answer of a source; `age`: how long ago it was asked, in ms. */
  const keepHead = (name: string, changes: Partial<Head> = {}, age = 0, freshFor = MINUTE): void => {
    const { at, up } = thisMoment();
    const asked = { checkedAt: at - age, checkedUp: up - age, freshUntil: at - age + freshFor };
    writeHead(home, name, { name, digest: 'd', ...asked, ...changes });
  };
  keepMemo();
  keepHead('one');
  const look = (changes: Partial<ToolInput> = {}, inProject = '/p'): Promise<Unchanged> =>
    isUnchanged({ ...input, ...changes }, { home, project: inProject, env, since: thisMoment() });
  /** How far the transcript was read, according to the memo. */
  const offset = (): number => readMemo(home, input, '/p')?.view.offset ?? assert.fail('there is no memo');
  const paths = { home, transcript, settings, clientState };
  return { ...paths, rewriteState, env, call: input, memo, keepMemo, keepHead, look, offset };
};

type World = ReturnType<typeof world>;

it('a call that the fast path settles is noted as sent, with what it rests on', async (test) => {
  const { home, env, call, memo } = world(test);
  const noted: JudgedCall[] = [];
  const knowledge: Knowledge = {
    counts: () => true,
    again: () => undefined,
    ran: () => false,
    judged: (_input, judged) => noted.push(judged),
  };
  const around = { home, project: '/p', env, since: thisMoment(), knowledge };
  assert.deepEqual(await checkCall(call, '{}', around, () => assert.fail('it settles nothing')), {});
  assert.deepEqual(noted, [{ sources: memo.sources, reads: false, stopped: false }]);
});

const assertSilent = (found: Unchanged): void => {
  assert.ok(found.unchanged);
  assert.deepEqual(found.memo?.said, SAID);
};

/** Changes that must not change the verdict. */
const HARMLESS: Record<string, (box: World) => void> = {
  nothing: () => {},
  'a part of its time': ({ keepMemo }) => keepMemo({ until: Date.now() + MINUTE }),
  'another request that shows the same tools': ({ transcript }) => appendFileSync(transcript, shape('aaa1')),
  'a side query with other tools': ({ transcript }) => appendFileSync(transcript, shape('bbb2', 'title')),
  'an attachment without contracts': ({ transcript }) => appendFileSync(transcript, attachment('skill_listing')),
  'a message that quotes an attachment': ({ transcript }) =>
    appendFileSync(transcript, `${JSON.stringify({ type: 'user', text: attachment('prompt_snapshot') })}\n`),
  'an answer to the request that the memo knows': ({ transcript, keepMemo, memo }) => {
    keepMemo({ view: { ...memo.view, request: 'r1' } });
    appendFileSync(transcript, answerTo('r1') + answerTo('r1'));
  },
  'a new request of the same tools, and its answer': ({ transcript, keepMemo, memo }) => {
    keepMemo({ view: { ...memo.view, request: 'r1' } });
    appendFileSync(transcript, shape('aaa1', 'sdk', 'r2') + answerTo('r2'));
  },
  'an answer that names no request, where none does': ({ transcript }) => appendFileSync(transcript, answerTo()),
  'the client counts a start in its own file': ({ rewriteState }) => rewriteState({ numStartups: 7 }),
  'an answer that need not be live is some seconds old': ({ keepMemo, keepHead, memo }) => {
    keepMemo({ sources: memo.sources.map((source) => ({ ...source, fresh: false })) });
    keepHead('one', {}, MINUTE / 2, 1);
  },
};

/** The same call under other circumstances. */
const ELSEWHERE: Record<string, (box: World) => Promise<Unchanged>> = {
  'another transcript': ({ transcript, look }) => {
    writeFileSync(`${transcript}l`, shape('aaa1'));
    return look({ transcript: `${transcript}l` });
  },
  'no transcript': ({ look }) => look({ transcript: '' }),
  'another session': ({ look }) => look({ session: 's2' }),
  'another tool': ({ look }) => look({ toolName: 'mcp__demo__tides' }),
  'another server': ({ look }) => look({ server: 'demo2' }),
  'another project': ({ look }) => look({}, '/q'),
  'another client process': async ({ look }) => {
    const before = process.env.CLAUDE_PID;
    process.env.CLAUDE_PID = '4242';
    try {
      return await look();
    } finally {
      if (before === undefined) delete process.env.CLAUDE_PID;
      else process.env.CLAUDE_PID = before;
    }
  },
};

/** Changes before the same call. */
const CHANGED: Record<string, (box: World) => void> = {
  'its time': ({ keepMemo }) => keepMemo({ until: Date.now() }),
  'the model is shown other tools': ({ transcript }) => void appendFileSync(transcript, shape('bbb2')),
  'the model is shown a tool by tool search': ({ transcript }) =>
    appendFileSync(transcript, attachment('deferred_tools_record', { entries: [weather] })),
  'the model is shown tools by a snapshot': ({ transcript }) =>
    appendFileSync(transcript, attachment('prompt_snapshot', { tools: [weather] })),
  'an answer to a request that is not recorded': ({ transcript, keepMemo, memo }) => {
    keepMemo({ view: { ...memo.view, request: 'r1' } });
    appendFileSync(transcript, shape('aaa1', 'sdk', 'r2') + answerTo('r2') + answerTo('r3'));
  },
  'an answer that names no request, where others do': ({ transcript, keepMemo, memo }) => {
    keepMemo({ view: { ...memo.view, request: 'r1' } });
    appendFileSync(transcript, answerTo());
  },
  'the transcript is cut off': ({ transcript }) => truncateSync(transcript, 0),
  'another file has its name, and shows other tools before that place': ({ transcript }) =>
    writeFileSync(
      transcript,
      JSON.stringify({ type: 'api-request', querySource: 'sdk', shapeHash: 'bbb2', of: 'x'.repeat(200) }),
    ),
  'the transcript is gone': ({ transcript }) => rmSync(transcript),
  'a settings file changes': ({ settings }) => writeFileSync(settings, '{ }'),
  'a settings file is gone': ({ settings }) => rmSync(settings),
  'a variable of the settings changes': ({ env }) => void Object.assign(env, { TENANT: 'b' }),
  'a variable of the settings is gone': ({ env }) => void delete env.TENANT,
  'a server is added by the client': ({ rewriteState }) => rewriteState({ mcpServers: { demo: {} } }),
  'the source answered something else': ({ keepHead }) => keepHead('one', { digest: 'e' }),
  'the source failed': ({ keepHead }) => keepHead('one', { failure: { status: 'unreachable', why: 'ECONNREFUSED' } }),
  'the answer is for another session alone': ({ keepHead }) => keepHead('one', { session: 's2' }),
  'the answer is too old': ({ keepHead }) => keepHead('one', {}, 3_000, 2_000),
  'the answer is older than any may be, whatever its source said': ({ keepHead }) =>
    keepHead('one', {}, MINUTE + 1, 60 * MINUTE),
  'an answer that need not be live is older than a minute': ({ keepMemo, keepHead, memo }) => {
    keepMemo({ sources: memo.sources.map((source) => ({ ...source, fresh: false })) });
    keepHead('one', {}, MINUTE + 1, 60 * MINUTE);
  },
  'the answer is from the future': ({ keepHead }) => keepHead('one', {}, -MINUTE),
  'a second source was never asked': ({ keepMemo, memo }) =>
    keepMemo({ sources: [...memo.sources, { key: 'two', digest: 'd', fresh: true }] }),
};
for (const [name, value] of [
  ['GATEWAY_URL', 'http://127.0.0.1:1'],
  ['HOME', '/elsewhere'],
  ['CLAUDE_CONFIG_DIR', '/elsewhere'],
  ['CLAUDE_CODE_PLUGIN_CACHE_DIR', '/elsewhere'],
  ['CLAUDE_CODE_ENTRYPOINT', 'cli'],
] as const)
  CHANGED[`${name}, which the settings need not name`] = ({ env }) => void Object.assign(env, { [name]: value });
for (const [key, value] of Object.entries({
  mcpServers: { demo: {} },
  disabledMcpServers: ['demo'],
  enabledMcpjsonServers: ['demo'],
  disabledMcpjsonServers: ['demo'],
  enableAllProjectMcpServers: true,
  hasTrustDialogAccepted: false,
}))
  CHANGED[`the client's own file: ${key} of a project`] = ({ rewriteState }) => rewriteState({}, { [key]: value });

describe('the fast path is silent', () => {
  for (const [what, happen] of Object.entries(HARMLESS)) {
    it(`after: ${what}`, async (test) => {
      const box = world(test);
      happen(box);
      assertSilent(await box.look());
    });
  }
});

describe('the fast path leaves the verdict to the slow path', () => {
  for (const [what, happen] of Object.entries(CHANGED)) {
    it(`after: ${what}`, async (test) => {
      const box = world(test);
      assert.equal((await box.look()).unchanged, true, 'it was silent before');
      happen(box);
      assert.deepEqual(await box.look(), SLOW);
    });
  }

  for (const [what, call] of Object.entries(ELSEWHERE)) {
    it(`for a call with ${what}`, async (test) => {
      const box = world(test);
      assert.equal((await box.look()).unchanged, true, 'it is silent where the verdict was made');
      assert.deepEqual(await call(box), SLOW);
    });
  }
});

describe('a transcript that grew much since the tool was judged', () => {
  const talk = `${JSON.stringify({ type: 'assistant', text: 'x'.repeat(1_000) })}\n`.repeat(100);

  it('is looked through once', async (test) => {
    const { transcript, look, offset } = world(test);
    const before = offset();
    appendFileSync(transcript, talk.slice(0, 10_000));
    assertSilent(await look());
    assert.equal(offset(), before, 'a memo is not written for a few lines');
    appendFileSync(transcript, talk);
    assertSilent(await look());
    assert.ok(offset() > before + talk.length, `${offset()}`);
    assertSilent(await look());
  });

  it('is read on from a place of which the request is known', async (test) => {
    const { transcript, look, offset, keepMemo, memo } = world(test);
    keepMemo({ view: { ...memo.view, request: 'r1' } });
    const said = `${shape('aaa1', 'sdk', 'r2')}${JSON.stringify({ type: 'user', text: 'x'.repeat(100_000) })}\n`;
    appendFileSync(transcript, said);
    assertSilent(await look());
    assert.equal(offset(), shape('aaa1').length + said.length);
    appendFileSync(transcript, answerTo('r2'));
    assertSilent(await look());
    appendFileSync(transcript, answerTo('r1'));
    assert.deepEqual(await look(), SLOW);
  });

  it('by more than the fast path reads is left to the slow path: what follows may show other tools', async (test) => {
    const { transcript, look } = world(test);
    appendFileSync(transcript, talk.repeat(11) + shape('bbb2'));
    assert.deepEqual(await look(), SLOW);
  });

  it('is read on where its last line was not whole yet', async (test) => {
    const { transcript, look, offset } = world(test);
    const other = shape('bbb2');
    appendFileSync(transcript, talk + other.slice(0, 40));
    assertSilent(await look());
    assert.equal(offset(), shape('aaa1').length + talk.length);
    appendFileSync(transcript, other.slice(40));
    assert.deepEqual(await look(), SLOW);
  });
});

describe('the fast path, where an answer is too old', () => {
  /** Two gateways; `answer`: the status that both send for a conditional request. */
  const gateways = async (test: TestContext, answer: number) => {
    let asked = 0;
    const http = createServer((request, response) => {
      asked++;
      // An unconditional question, or one at another address, gets an answer that no test here expects.
      const isExpected = request.headers['if-none-match'] === 'tag' && request.url === '/api/tools/list';
      response.writeHead(isExpected ? answer : 418).end();
    });
    await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
    test.after(() => http.close());
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const box = world(test);
    const configure = (more: string): void =>
      writeFileSync(
        join(box.home, 'config.json'),
        JSON.stringify({ gateways: { one: { url: url + more }, two: { url } } }),
      );
    configure('');
    box.keepMemo({ sources: ['one', 'two'].map((key) => ({ key, digest: 'd', fresh: true })) });
    box.keepHead('two', { etag: 'tag' });
    const tooOld = (name: string): void => box.keepHead(name, { etag: 'tag' }, 11_000, 10_000);
    return { ...box, configure, tooOld, asked: () => asked };
  };

  it('asks once, and is silent where the source says that nothing changed', async (test) => {
    const box = await gateways(test, 304);
    box.tooOld('one');
    for (const _look of [1, 2]) assertSilent(await box.look());
    assert.equal(box.asked(), 1, 'the answer counts for the next call');
  });

  it('hands over what the source answered', async (test) => {
    const box = await gateways(test, 200);
    box.tooOld('one');
    const before = Date.now();
    const found = await box.look();
    assert.ok(!found.unchanged && found.asked);
    // What changes while it answers is not in it: it counts from when it was asked for.
    const { at, ...asked } = found.asked;
    assert.ok(at.at >= before && at.at <= Date.now());
    assert.deepEqual(asked, { key: 'one', name: 'one', freshFor: 10, text: '', etag: undefined });
  });

  it('is not silent where the source answers an error', async (test) => {
    const box = await gateways(test, 500);
    box.tooOld('one');
    assert.deepEqual(await box.look(), SLOW);
  });

  it('is not silent where two answers are too old, and one of them was asked for again', async (test) => {
    const box = await gateways(test, 304);
    for (const name of ['one', 'two']) box.tooOld(name);
    assert.deepEqual(await box.look(), SLOW);
    assert.equal(box.asked(), 0);
  });

  /** Another process, here this one, is about to get the answer of the first gateway. */
  const askedElsewhere = async (test: TestContext, answer: Partial<Head>): Promise<Unchanged> => {
    const box = await gateways(test, 304);
    box.tooOld('one');
    const claim = askingPath(box.home, 'one');
    mkdirSync(dirname(claim), { recursive: true });
    writeFileSync(claim, String(process.pid));
    const looking = box.look();
    await sleep(100);
    assert.equal(box.asked(), 0, 'it waits');
    box.keepHead('one', { etag: 'tag', ...answer });
    const found = await looking;
    assert.equal(box.asked(), 0, 'it does not ask itself');
    return found;
  };

  it('takes the answer that another process got meanwhile, where it is the same', async (test) => {
    assertSilent(await askedElsewhere(test, {}));
  });

  it('is not silent where another process got another answer meanwhile, or a failure', async (test) => {
    assert.deepEqual(await askedElsewhere(test, { digest: 'e' }), SLOW);
    assert.deepEqual(await askedElsewhere(test, { failure: { status: 'unreachable', why: 'ECONNREFUSED' } }), SLOW);
  });

  for (const more of ['/', '/api/tools/list', '/api/tools/list/', '#list'])
    it(`asks for the list of a gateway whose address ends with ${more}`, async (test) => {
      const box = await gateways(test, 304);
      box.configure(more);
      box.tooOld('one');
      assertSilent(await box.look());
    });

  for (const more of [`/\${TENANT}`, '?tenant=a', '/x@y']) {
    it(`does not ask at an address that takes more than this: ${more}`, async (test) => {
      const box = await gateways(test, 304);
      box.configure(more);
      box.tooOld('one');
      assert.deepEqual(await box.look(), SLOW);
      assert.equal(box.asked(), 0);
    });
  }
});

describe('a file that changes while a verdict is made from it', () => {
  it('counts as it was when it was looked at first', (test) => {
    const { settings } = world(test);
    const { files } = witnessed(() => {
      look(settings);
      writeFileSync(settings, '{"later":true}');
      look(settings);
    });
    assert.deepEqual(
      files.map(({ path }) => path),
      [settings],
    );
    assert.equal(unmoved(files[0] ?? assert.fail()), undefined);
  });

  it('counts as it was, though it is a file of the client whose other parts do not matter', (test) => {
    const { clientState, rewriteState } = world(test);
    const before = { path: clientState, stamp: stampOf(clientState) };
    rewriteState({ mcpServers: { demo: {} } });
    const [kept] = withParts([before]);
    assert.deepEqual(kept, before, 'what it holds now is not what the verdict was made from');
    assert.equal(unmoved(before), undefined);
  });
});
