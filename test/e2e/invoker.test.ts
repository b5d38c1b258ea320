// A generic invoker under the real client: the model calls a tool through another one, and sees only that one's contract.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { FixtureServer, type Tool } from './fixture-server.ts';
import { asInstalled, type Form, INSTALL, isSilent, release, titleOf } from './forms.ts';
import { HttpServer } from './http-server.ts';
import { until } from './interactive.ts';
import {
  editSettings,
  type HeadlessRun,
  type McpServers,
  removeSandboxes,
  runHeadless,
  type Sandbox,
  sandbox,
} from './run.ts';
import { type Answer, type Json, toolResults } from './stub-model.ts';

const text = { type: 'string' };
const object = (properties: Json, required: string[], closed = true): Json => ({
  type: 'object',
  properties,
  required,
  ...(closed ? { additionalProperties: false } : {}),
});
const invoker: Tool = {
  name: 'mcp_invoke_tool',
  description: 'Calls a tool of another server',
  inputSchema: object({ server_name: text, tool_name: text, arguments: { type: 'object' } }, [
    'server_name',
    'tool_name',
  ]),
};
const sendEmail = (to: string): Tool => ({
  name: 'send_email',
  description: 'Sends an e-mail',
  inputSchema: object({ [to]: { type: 'array', items: text }, subject: text, body: text, accountId: text }, [
    to,
    'subject',
    'body',
  ]),
});
const listAccounts: Tool = { name: 'list_accounts', inputSchema: object({}, []) };

const mail = { to: ['someone@example.com'], subject: 'Hello', body: 'Hello.' };
const { to, ...rest } = mail;
const newMail = { recipients: to, ...rest };
const end: Answer = { text: 'the end' };
const invoke = (tool_name: string, args?: Json): Json => ({
  server_name: 'calendar-mcp',
  tool_name,
  ...(args ? { arguments: args } : {}),
});
const call = (input: Json, first?: () => unknown): Answer => ({
  tool: 'mcp__hub__mcp_invoke_tool',
  input,
  before: first,
});

/** A HOME with our hooks, in which all calls of the hub are allowed. */
const world = (form: Form): Sandbox => {
  const box = sandbox();
  editSettings(box.home, (settings) => {
    settings.permissions = { allow: ['mcp__hub'] };
  });
  INSTALL[form](box.home);
  return box;
};

const baselined = ({ home }: Sandbox): Promise<void> => {
  const sessions = join(home, '.claude/konnichiwagwan/sessions');
  const files = () => (existsSync(sessions) ? readdirSync(sessions).filter((file) => file.endsWith('.json')) : []);
  const texts = () => files().map((file) => readFileSync(join(sessions, file), 'utf8'));
  return until(
    () => texts().length > 0 && texts().every((one) => !one.includes('"pending"')),
    () => 'the baseline is not complete',
  );
};

const assertNoCrash = (t: TestContext, { hooks }: HeadlessRun): void => {
  // Helps to understand a failed test: what our hooks said.
  for (const { name, exitCode, stdout, stderr } of hooks) {
    if (stdout + stderr !== '') t.diagnostic(`${name}: exit ${exitCode} ${stdout}${stderr}`);
  }
  for (const { name, exitCode, stderr } of hooks) assert.equal(`${exitCode}${stderr}`, '0', name);
};

after(removeSandboxes);

for (const one of asInstalled) {
  const { version } = one;
  describe(`${titleOf(one)}: a tool behind a generic invoker`, () => {
    let run: HeadlessRun;
    let hub: HttpServer;
    let calendar: HttpServer;
    /** The outcome of each call, as shown to the model. */
    let outcomes: { text: string; isError: boolean }[];

    before(async () => {
      const box = world(one.form);
      hub = await HttpServer.start({ era: 'session', tools: [invoker] });
      calendar = await HttpServer.start({ era: 'modern', tools: [sendEmail('to'), listAccounts] });
      writeFileSync(
        join(box.home, '.claude.json'),
        JSON.stringify({ mcpServers: { hub: hub.entry, 'calendar-mcp': calendar.entry } }),
      );
      const change = () => release(one, calendar, [sendEmail('recipients'), listAccounts]);
      run = await runHeadless({
        version,
        home: box.home,
        cwd: box.cwd,
        steps: [
          call(invoke('list_accounts'), () => baselined(box)),
          call(invoke('send_email')),
          call(invoke('send_email', mail)),
          call(invoke('send_email', mail), change),
          call(invoke('send_email', newMail)),
          end,
        ],
      });
      outcomes = toolResults(run.requests.at(-1)?.body).filter(({ text: told }) => !told.includes('tool_reference'));
    });
    after(async () => {
      await hub.close();
      await calendar.close();
    });

    it('no hook crashes', (t) => {
      assertNoCrash(t, run);
      assert.equal(outcomes.length, 5);
    });

    it('a call without arguments of a tool that takes none is delivered', () => {
      assert.match(outcomes[0]?.text ?? '', /^served mcp_invoke_tool/);
    });

    it('the empty call is stopped, with the signature and the whole call', () => {
      const [, empty] = outcomes;
      assert.ok(empty?.isError, empty?.text);
      assert.match(empty.text, /send_email\(to: string\[\], subject: string, body: string, accountId\?: string\)/);
      const skeleton = `mcp__hub__mcp_invoke_tool ${JSON.stringify(invoke('send_email', { to: ['<fill in: string>'], subject: '<fill in: string>', body: '<fill in: string>' }))}`;
      assert.ok(empty.text.includes(skeleton), empty.text);
    });

    it('the complete one is delivered', () => {
      assert.equal(outcomes[2]?.isError, false);
      assert.match(outcomes[2]?.text ?? '', /someone@example\.com/);
    });

    it('a call by the contract of before is stopped, with the new names; by the new one it is delivered', () => {
      const [, , , old, corrected] = outcomes;
      assert.ok(old?.isError, old?.text);
      assert.match(old.text, /renamed: `to` → `recipients`/);
      assert.ok(
        old.text.includes(`mcp__hub__mcp_invoke_tool ${JSON.stringify(invoke('send_email', newMail))}`),
        old.text,
      );
      assert.match(corrected?.text ?? '', /^served mcp_invoke_tool/);
    });

    it('nothing else reached the hub', () => {
      assert.deepEqual(
        hub.calls.map(({ arguments: given }) => given),
        [invoke('list_accounts'), invoke('send_email', mail), invoke('send_email', newMail)],
      );
    });
  });

  it(`${titleOf(one)}: the error of an empty call that was sent is named, by what a gateway lists`, async (t) => {
    const box = world(one.form);
    const home = join(box.home, '.claude/konnichiwagwan');
    mkdirSync(home, { recursive: true, mode: 0o700 });
    writeFileSync(join(home, 'config.json'), JSON.stringify({ mode: 'warn' }), { mode: 0o600 });
    const server = await FixtureServer.start(box.dir, [], '2026-04-09');
    t.after(() => server.close());
    const listed = { ...sendEmail('to'), name: 'calendar-mcp__send_email' };
    server.set([invoker, listed], '2026-04-09', { mcp_invoke_tool: "'to' was not provided" });
    const mcp: McpServers = { hub: server.mcp() };
    const run = await runHeadless({
      version,
      home: box.home,
      cwd: box.cwd,
      mcp,
      env: { GATEWAY_URL: server.url },
      steps: [call(invoke('send_email')), end],
    });
    assertNoCrash(t, run);
    const failure = run.hooks.find((hook) => hook.event === 'PostToolUseFailure' && !isSilent(hook));
    assert.ok(failure, 'the hook did not run');
    const told = JSON.parse(failure.stdout).hookSpecificOutput.additionalContext as string;
    assert.match(told, /no tool is broken/);
    assert.match(told, /send_email\(to: string\[\], subject: string, body: string, accountId\?: string\)/);
    assert.ok(JSON.stringify(run.requests.at(-1)?.body).includes('no tool is broken'), 'the model was not told');
  });
}
