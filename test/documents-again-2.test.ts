// The second document's rows once more: an invoker by other names, and a library of books behind it.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext } from 'node:test';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { typedName, typedTools } from '../scripts/wrap/typed/typed-tools.ts';
import { again } from './document-rows.ts';
import { startMcp } from './mcp-servers.ts';
import { drive, type Run, sandbox, tool } from './sandbox.ts';

const text = { type: 'string' };
const invoker = tool(
  'executeServerTool',
  { serverId: text, toolName: text, params: { anyOf: [{ type: 'object' }, { type: 'null' }], default: null } },
  { required: ['serverId', 'toolName'] },
);
const lend = (due: JsonObject = { type: 'string', format: 'date' }): Contract =>
  tool('lend', { isbn: text, due }, { required: ['isbn', 'due'], additionalProperties: false });
const shelves = tool('shelves', {});

const decision = (run: Run): string | undefined => run.answer?.hookSpecificOutput?.permissionDecision;
const reason = (run: Run): string => run.answer?.hookSpecificOutput?.permissionDecisionReason ?? '';

/** A hub with the invoker, and the server `books` behind it. */
const world = async (test: TestContext, inner: Contract[]) => {
  const box = await sandbox(test, [], { freshFor: 0 });
  box.env.GATEWAY_URL = undefined;
  const offer = { tools: inner };
  const [front, back] = [await startMcp('modern', { tools: [invoker] }), await startMcp('modern', offer)];
  test.after(() => Promise.all([front.close(), back.close()]));
  const servers = { switchboard: { type: 'http', url: front.url }, books: { type: 'http', url: back.url } };
  writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers: servers, projects: {} }));
  await box.start();
  const asHub = {
    tool_name: 'mcp__switchboard__executeServerTool',
    mcp_server: { name: 'switchboard', source: 'user' },
  };
  let count = 0;
  return {
    ...box,
    offer,
    invoke: (toolName: string, more: JsonObject = {}) =>
      box.call('', { serverId: 'books', toolName, ...more }, { ...asHub, tool_use_id: `toolu_${count++}` }),
    failed: (toolName: string, error: string) => {
      const event = { ...asHub, hook_event_name: 'PostToolUseFailure', error };
      return drive('tool-failure.cjs', JSON.stringify(box.input('', { serverId: 'books', toolName }, event)), box.env);
    },
  };
};
const book = { isbn: '0-306-40615-2', due: '2024-05-01' };
const page = readFileSync('docs/typed-wrappers.md', 'utf8');

/** What `wrap --invoker` offers instead of a hub that lists these tools. */
const typed = async (listed: JsonObject[], only: string[] = [], search = false) => {
  const offer = typedTools({ only, search, before: 'mcp__hub__'.length });
  const lists = { name: 'list_tools', inputSchema: { type: 'object' } };
  const requests = { request: async () => ({ result: { structuredContent: { tools: listed } } }) };
  const tools = (await offer.list([invoker, lists], requests as never, undefined)) as Contract[];
  return { offer, tools: tools.filter(({ name }) => name !== 'list_tools') };
};
const behind = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, at) => ({
    server: `s${at % 7}`,
    name: `t${at}`,
    inputSchema: { type: 'object', properties: { a: text }, required: ['a'] },
  }));

describe('document 2, again', { concurrency: 4 }, () => {
  again(2, "an invoker's call without `arguments`", async (test) => {
    const { invoke } = await world(test, [lend()]);
    for (const params of [undefined, null, {}, ''] as never[]) {
      const run = await invoke('lend', params === undefined ? {} : { params });
      assert.equal(decision(run), 'deny', String(params));
      assert.match(reason(run), /lend\(isbn: string, due: string/);
    }
    assert.equal(decision(await invoke('lend', { params: book })), undefined);
  });

  again(2, 'the error must not sound', async (test) => {
    const { invoke } = await world(test, [lend()]);
    assert.match(reason(await invoke('lend', { params: { isbn: 'x' } })), /Nothing was sent, and no tool is broken/);
  });

  again(2, 'no rationalisation is kept', async (test) => {
    const { failed, offer } = await world(test, [lend()]);
    offer.tools = [lend({ type: 'integer' })];
    const run = await failed('lend', 'due must be integer');
    assert.match(run.answer?.hookSpecificOutput?.additionalContext ?? '', /drift|changed/);
  });

  again(2, 'tools are registered one by one', async () => {
    const [one] = (await typed([{ server: 'books', ...(lend() as object) }])).tools;
    assert.deepEqual([one?.name, one?.inputSchema], ['books__lend', lend().inputSchema]);
  });

  again(2, 'an empty call is nearly impossible', async (test) => {
    const { invoke } = await world(test, [lend(), shelves]);
    assert.equal(decision(await invoke('lend')), 'deny');
    assert.equal(decision(await invoke('shelves')), undefined, 'what requires nothing is sent');
  });

  again(2, '1. tool count', async () => {
    const { tools } = await typed(behind(300));
    assert.equal(tools.length, 300);
    assert.equal((await typed(behind(300), ['s3__*'])).tools.length, 43);
    const { offer, tools: none } = await typed(behind(300), [], true);
    assert.deepEqual(
      none.map(({ name }) => name),
      ['find_tools'],
    );
    assert.match(offer.answer?.('find_tools', { words: 't7' }) ?? '', /and \d+ more|s0__t7/);
  });

  again(2, '2. freshness', async (test) => {
    const { invoke, offer } = await world(test, [lend()]);
    assert.equal(decision(await invoke('lend', { params: book })), undefined);
    offer.tools = [lend({ type: 'integer' })];
    assert.equal(decision(await invoke('lend', { params: book })), 'deny', 'no reconnect was needed');
  });

  again(2, '3. names', () => {
    const free = () => false;
    const pairs = [
      ['a', 'b__c'],
      ['a__b', 'c'],
      ['ä', 'x'],
      ['a', 'x'.repeat(80)],
      [undefined, 'a__x'],
    ] as const;
    const names = pairs.map(([server, name]) =>
      typedName({ ...(server === undefined ? {} : { server }), name }, 10, free),
    );
    assert.equal(new Set(names).size, names.length, names.join());
    for (const name of names) assert.match(name, /^[\w-]{1,54}$/);
  });

  again(2, '4. the invoker as a fallback', async (test) => {
    const { invoke } = await world(test, [lend()]);
    assert.match(reason(await invoke('lent', { params: book })), /did you mean `lend`/);
    assert.equal(decision(await invoke('lent', { params: book })), undefined, 'whoever repeats it may be right');
  });

  again(2, '5. calls that a program writes', () => assert.match(page, /### 5\. [\s\S]*\*\*Decision:\*\*/));

  again(2, '6. recovery runs', async (test) => {
    const { failed } = await world(test, [lend()]);
    const run = await failed('lend', "'isbn' was not provided");
    assert.match(run.answer?.hookSpecificOutput?.additionalContext ?? '', /isbn/);
  });

  again(2, "7. a new server's tools", async (test) => {
    const { invoke, offer } = await world(test, [lend()]);
    offer.tools = [lend(), tool('reserve', { isbn: text }, { required: ['isbn'] })];
    assert.equal(decision(await invoke('reserve')), 'deny');
    assert.equal(decision(await invoke('reserve', { params: { isbn: 'x' } })), undefined);
  });

  again(2, '8. token budget', () => assert.match(page, /\| 500 typed tools \| [\d,]+ B \|/));

  again(2, 'a typed error that nudges', async (test) => {
    const { invoke } = await world(test, [lend()]);
    const told = reason(await invoke('lend', { params: { isbn: 'x' } }));
    assert.match(told, /`due` is required/);
    assert.match(told, /"params":\{"isbn":"x","due":"<fill in: string[^"]*"\}|"due":"<fill in/);
  });

  again(2, 'a page that answers questions', () => {
    for (let question = 1; question <= 8; question++) {
      const part = page.split(new RegExp(`### ${question}\\. `))[1]?.split('\n### ')[0] ?? '';
      assert.match(part, /\*\*Decision:\*\*/, `question ${question}`);
      assert.match(readFileSync('docs/wrap-details.md', 'utf8'), new RegExp(`^${question}\\. \\*\\*`, 'm'));
    }
  });

  again(2, 'the generic tool is not used', async () => {
    const { tools } = await typed([{ server: 'books', ...(lend() as object) }]);
    assert.ok(!tools.some(({ name }) => name === invoker.name));
  });
});
