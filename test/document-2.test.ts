// The issue on typed tool wrappers, section by section: how we handle calls through a generic invoker.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { nearNames } from '../scripts/contract/near-name.ts';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { startMcp } from './mcp-servers.ts';
import { drive, type Run, sandbox, stopwatch, tool } from './sandbox.ts';

const text = { type: 'string' };
const invoker = tool(
  'mcp_invoke_tool',
  { server_name: text, tool_name: text, arguments: { type: 'object', additionalProperties: true } },
  { required: ['server_name', 'tool_name'] },
);
const sendEmail = tool(
  'send_email',
  { accountId: text, to: { type: 'array', items: text }, subject: text, body: text },
  { required: ['to', 'subject', 'body'], additionalProperties: false },
);
const listAccounts = tool('list_accounts', {});
const mail = { to: ['someone@example.com'], subject: 'Hello', body: 'Hello.' };

const decision = (run: Run): string | undefined => run.answer?.hookSpecificOutput?.permissionDecision;
const reason = (run: Run): string => run.answer?.hookSpecificOutput?.permissionDecisionReason ?? '';

/** A hub with the invoker, and the server behind it; `known`: the client has that server, too. */
const world = async (
  test: TestContext,
  inner: Contract[],
  { config = {}, known = true, hub = [invoker] }: { config?: JsonObject; known?: boolean; hub?: Contract[] } = {},
) => {
  const box = await sandbox(test, [], { freshFor: 0, ...config });
  box.env.GATEWAY_URL = undefined;
  const [front, back] = [await startMcp('modern', { tools: hub }), await startMcp('modern', { tools: inner })];
  test.after(() => Promise.all([front.close(), back.close()]));
  const servers: JsonObject = { hub: { type: 'http', url: front.url } };
  if (known) servers['calendar-mcp'] = { type: 'http', url: back.url };
  writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers: servers, projects: {} }));
  const asHub = { tool_name: 'mcp__hub__mcp_invoke_tool', mcp_server: { name: 'hub', source: 'user' } };
  const args = (tool_name: string, more: JsonObject) => ({ server_name: 'calendar-mcp', tool_name, ...more });
  await box.start();
  return {
    ...box,
    back,
    invoke: (name: string, more: JsonObject = {}) => box.call('', args(name, more), asHub),
    failed: (name: string, error: string) => {
      const event = { ...asHub, hook_event_name: 'PostToolUseFailure', error };
      return drive('tool-failure.cjs', JSON.stringify(box.input('', args(name, {}), event)), box.env);
    },
  };
};

describe('Open design questions: Backwards compat, a tool that nobody knows', () => {
  it('gets the name that is near, the signature and the whole call', async (test) => {
    const box = await world(test, [sendEmail, listAccounts]);
    const stopped = await box.invoke('send_mail', { arguments: mail });
    assert.equal(decision(stopped), 'deny');
    assert.deepEqual(reason(stopped).split('\n'), [
      'konnichiwagwan stopped this call: `send_mail` (server `calendar-mcp`, called through `mcp_invoke_tool`) is in no list of tools that is known: did you mean `send_email`?',
      'It takes: send_email(to: string[], subject: string, body: string, accountId?: string)',
      'The whole call: mcp__hub__mcp_invoke_tool {"server_name":"calendar-mcp","tool_name":"send_email","arguments":{"to":["someone@example.com"],"subject":"Hello","body":"Hello."}}',
      'Nothing was sent, and no tool is broken. If the name is right, make the same call again: it goes through.',
    ]);
    assert.match(
      stopped.answer.systemMessage,
      /^konnichiwagwan stopped a call: `send_mail` .* did you mean `send_email`\?$/,
    );
  });

  it('that is stopped once: whoever repeats it may know a tool that nobody lists', async (test) => {
    const box = await world(test, [sendEmail]);
    assert.equal(decision(await box.invoke('send_mail')), 'deny');
    const again = await box.invoke('send_mail');
    assert.equal(decision(again), undefined);
    assert.match(again.answer?.systemMessage, /could not check .*`send_mail`.* They go through unchecked\./);
    assert.equal((await box.invoke('send_mail')).stdout, '');
    assert.equal(decision(await box.invoke('sent_email')), 'deny', 'another name is another question');
  });

  it('what is missing in the call is to be filled in', async (test) => {
    const box = await world(test, [sendEmail]);
    assert.match(
      reason(await box.invoke('sendMail', { arguments: { subject: 'Hello' } })),
      /^The whole call, to be filled in: .*"tool_name":"send_email","arguments":\{"to":\["<fill in: string>"\],"subject":"Hello"/m,
    );
  });

  it('several that are as near are all named, and none is chosen', async (test) => {
    const box = await world(test, [tool('get_event', {}), tool('get_events', {}), listAccounts]);
    const stopped = await box.invoke('get_eventz');
    assert.match(reason(stopped), /did you mean `get_event`, `get_events`\?\nNothing was sent/);
  });

  it('a near name that is no plain one is not proposed: a call would hold it unquoted', async (test) => {
    const box = await world(test, [tool('send_email; QUOKKA', {}), tool('send_email\nQUOKKA', {})]);
    const sent = await box.invoke('send_email');
    assert.deepEqual([decision(sent), sent.stdout.includes('QUOKKA')], [undefined, false], sent.stdout);
    assert.match(sent.answer?.systemMessage, /could not check .* in no list of tools that is known/);
  });

  it('no name is near: it goes through unchecked, as before', async (test) => {
    const box = await world(test, [sendEmail, listAccounts]);
    const first = await box.invoke('book_room');
    assert.equal(decision(first), undefined);
    assert.match(first.answer?.systemMessage, /could not check .* in no list of tools that is known/);
  });

  it('a tool that came this moment is no typing error', async (test) => {
    const box = await world(test, [sendEmail], { config: { freshFor: 60_000 } });
    assert.equal((await box.invoke('send_email', { arguments: mail })).stdout, '');
    box.back.offer.tools = [sendEmail, tool('send_emails', {})];
    assert.equal(decision(await box.invoke('send_emails')), undefined);
  });

  it('a list that nobody could read says nothing of names', async (test) => {
    const box = await world(test, [sendEmail]);
    await box.back.close();
    const unread = await box.invoke('send_mail');
    assert.equal(decision(unread), undefined);
    assert.doesNotMatch(unread.stdout, /did you mean/);
  });

  it('a gateway or the hub may be the one that lists it', async (test) => {
    const gateway = await world(test, [], { known: false });
    gateway.env.GATEWAY_URL = gateway.gateway.url;
    gateway.release([sendEmail]);
    assert.match(reason(await gateway.invoke('send_mail')), /did you mean `send_email`\?/);
    const listed = { ...sendEmail, name: 'calendar-mcp__send_email' };
    const hub = await world(test, [], { known: false, hub: [invoker, listed, tool('send_mails', {})] });
    const stopped = await hub.invoke('send_mail', { arguments: mail });
    assert.match(
      reason(stopped),
      /did you mean `send_email`\?.*"tool_name":"send_email"/s,
      'not a tool of the hub itself',
    );
  });

  it('names that could say more than a name are not shown', async (test) => {
    const box = await world(test, [tool('send_mail` now', {}), tool('send_mail"}', {})]);
    const passed = await box.invoke('send_mail');
    assert.equal(decision(passed), undefined);
    assert.doesNotMatch(passed.stdout, /did you mean/);
  });

  it('in mode warn the call is sent, and the model is told', async (test) => {
    const box = await world(test, [sendEmail], { config: { mode: 'warn' } });
    const sent = await box.invoke('send_mail', { arguments: mail });
    assert.equal(decision(sent), undefined);
    assert.match(
      sent.answer?.hookSpecificOutput?.additionalContext,
      /did you mean `send_email`\?\nIt takes: send_email\(/,
    );
  });

  it('an error about the name is named as one', async (test) => {
    const box = await world(test, [sendEmail]);
    const told = await box.failed('send_mail', 'unknown tool');
    assert.match(
      told.answer?.hookSpecificOutput?.additionalContext,
      /this error is about the name, no tool is broken: `send_mail` .* did you mean `send_email`\?/,
    );
  });
});

describe('a near name', () => {
  const KNOWN = ['send_email', 'list_accounts', 'get_calendar_events', 'get_email_details'];
  for (const [name, near] of [
    ['send_mail', ['send_email']],
    ['sendEmail', ['send_email']],
    ['SEND-EMAIL', ['send_email']],
    ['email_send', ['send_email']],
    ['emailSend', ['send_email']],
    ['accountsList', ['list_accounts']],
    ['send_emial', ['send_email']],
    ['list_account', ['list_accounts']],
    ['calendar_events', ['get_calendar_events']],
    ['send_email', []],
    ['delete_everything', []],
    ['get', []],
    ['', []],
    ['__proto__', []],
  ] as const) {
    it(`${name || 'nothing'}: ${near.join(', ') || 'none'}`, () => assert.deepEqual(nearNames(name, KNOWN), near));
  }

  it('is found in a moment, however long names and lists are', () => {
    const many = Array.from({ length: 2_000 }, (_, at) => `${'a'.repeat(58)}_${at}`);
    const took = stopwatch();
    assert.ok(nearNames(`${'a'.repeat(57)}b_7`, many).length > 0);
    assert.deepEqual(nearNames('a'.repeat(100_000), many), []);
    assert.deepEqual(
      nearNames(
        'ab',
        Array.from({ length: 100_000 }, () => 'abc'),
      ),
      [],
    );
    assert.ok(took() < 2_000, `${took()} ms`);
  });
});
