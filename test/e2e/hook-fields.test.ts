// Who sees the fields of a PreToolUse hook's answer: the reason, the systemMessage and the additionalContext. Our use of
// these fields relies on this, although the client promises nothing.
import assert from 'node:assert/strict';
import { after, describe, type TestContext, test } from 'node:test';
import { type Version, versions } from './client.ts';
import { FixtureServer } from './fixture-server.ts';
import { closeTerminals, hasTmux, Interactive } from './interactive.ts';
import { type HeadlessOptions, removeSandboxes, runHeadless, type Settings, sandbox } from './run.ts';
import type { ModelRequest } from './stub-model.ts';

const WORDS = { reason: 'REASON-4711', systemMessage: 'SYSTEM-4711', additionalContext: 'CONTEXT-4711' };
type Field = keyof typeof WORDS;
const FIELDS = Object.keys(WORDS) as Field[];
const fieldsIn = (text: string): Field[] => FIELDS.filter((field) => text.includes(WORDS[field]));
const toModel = (requests: ModelRequest[]): Field[] => fieldsIn(JSON.stringify(requests.map(({ body }) => body)));

/** A hook that answers every call of an MCP tool in the same way, with text in each field. */
const settings = (decision: Decision): Settings => {
  const hookSpecificOutput = {
    hookEventName: 'PreToolUse',
    ...(decision ? { permissionDecision: decision, permissionDecisionReason: WORDS.reason } : {}),
    additionalContext: WORDS.additionalContext,
  };
  const answer = JSON.stringify({ systemMessage: WORDS.systemMessage, hookSpecificOutput });
  const script = `process.stdin.resume().on('end', () => process.stdout.write(${JSON.stringify(answer)}))`;
  const hook = { type: 'command', command: process.execPath, args: ['-e', script] };
  return { hooks: { PreToolUse: [{ matcher: 'mcp__.*', hooks: [hook] }] }, permissions: { allow: ['mcp__fx'] } };
};

const world = async (t: TestContext, version: Version, decision: Decision) => {
  const box = sandbox();
  const inputSchema = { type: 'object', properties: { city: { type: 'string' } } };
  const server = await FixtureServer.start(box.dir, [{ name: 'weather', description: 'Weather', inputSchema }], '1');
  t.after(() => server.close());
  const steps = [{ tool: 'mcp__fx__weather', input: { city: 'Ghent' } }, { text: 'the end' }];
  const options: HeadlessOptions = { version, ...box, mcp: { fx: server.mcp() }, settings: settings(decision), steps };
  return { server, options };
};

after(async () => {
  closeTerminals();
  await removeSandboxes();
});

/** Who was shown which fields. `stream`: the messages of a headless run, apart from the hook's own event. */
interface Reached {
  model: Field[];
  stream?: Field[];
  dialog?: Field[];
  screen?: Field[];
  sent: number;
}

const [reason, systemMessage, additionalContext] = FIELDS as [Field, Field, Field];
type Decision = 'ask' | 'deny' | undefined;

const headless: [Decision, Reached][] = [
  ['ask', { model: [reason, additionalContext], stream: [reason, systemMessage], sent: 0 }],
  ['deny', { model: [reason, additionalContext], stream: [reason, systemMessage], sent: 0 }],
  [undefined, { model: [additionalContext], stream: [systemMessage], sent: 1 }],
];

const yes = 'Enter';
const no = 'Escape';
const interactive: [Decision, string | undefined, Reached][] = [
  ['ask', yes, { dialog: [reason], screen: [systemMessage], model: [additionalContext], sent: 1 }],
  ['ask', no, { dialog: [reason], screen: [], model: [], sent: 0 }],
  ['deny', undefined, { screen: [reason, systemMessage], model: [reason, additionalContext], sent: 0 }],
  [undefined, undefined, { screen: [systemMessage], model: [additionalContext], sent: 1 }],
];

for (const version of versions) {
  const isOlder = version === '2.1.197';
  describe(`Claude Code ${version}: who is shown what a hook answers`, () => {
    for (const [decision, reached] of headless) {
      test(`headless, ${decision ?? 'no decision'}`, async (t) => {
        const { server, options } = await world(t, version, decision);
        const { requests, messages } = await runHeadless(options);
        const own = messages.filter(({ subtype }) => subtype !== 'hook_response');
        const found = { model: toModel(requests), stream: fieldsIn(JSON.stringify(own)), sent: server.calls().length };
        // The older client writes the systemMessage only to the hook's own event.
        const stream = reached.stream?.filter((field) => !isOlder || field !== systemMessage);
        assert.deepEqual(found, { ...reached, stream });
      });
    }

    for (const [decision, key, reached] of interactive) {
      const title = `interactive, ${decision ?? 'no decision'}${key === undefined ? '' : key === yes ? ', yes' : ', no'}`;
      test(title, { skip: hasTmux ? false : 'tmux is not installed' }, async (t) => {
        const { server, options } = await world(t, version, decision);
        const terminal = await Interactive.start({ ...options, args: ['--permission-mode', 'default'] });
        t.after(() => terminal.kill());
        const found: Reached = { model: [], sent: 0 };
        await terminal.type('go');
        if (key !== undefined) {
          const dialog = /Do you want to proceed\?/;
          await terminal.waitFor(dialog);
          found.dialog = fieldsIn(terminal.screen());
          await terminal.answer(dialog, key);
        }
        if (key === no) await terminal.type('again');
        await terminal.waitFor(/the end/);
        found.screen = fieldsIn(terminal.screen());
        found.model = toModel(terminal.requests);
        found.sent = server.calls().length;
        // The older client shows the reason for a stop only to the model.
        const screen = reached.screen?.filter((field) => !isOlder || field !== reason);
        assert.deepEqual(found, { ...reached, screen });
      });
    }
  });
}
