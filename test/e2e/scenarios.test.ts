// The proof: our installed hooks in the real client, against a scripted model, a gateway and an MCP server on loopback.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { repo, versions } from './client.ts';
import { FixtureServer, type Tool } from './fixture-server.ts';
import { type Case, everywhere, INSTALL, SILENCE, titleOf } from './forms.ts';
import { closeTerminals, hasTmux, Interactive, until } from './interactive.ts';
import { editSettings, type HeadlessOptions, type HeadlessRun, removeSandboxes, runHeadless, sandbox } from './run.ts';
import { type Answer, type Block, type Json, plain, type RequestBody, type Script, toolResults } from './stub-model.ts';

const tool = 'mcp__fx__weather';
const oldArgs = { city: 'Utrecht' };
const newArgs = { location: 'Utrecht', units: 'c' };

const toolA = weather({ city: { type: 'string', description: 'Name of the city' } }, ['city']);
const toolB = weather({ location: { type: 'string' }, units: { type: 'string', enum: ['c', 'f'] } }, [
  'location',
  'units',
]);
/** Same name, same type, other words: no schema check sees it. */
const toolReworded = weather({ city: { type: 'string', description: 'Postal code, quokka style' } }, ['city']);
/** Two words: the client names its plan files after single ones, such as "mighty-quokka". */
const newWords = /postal code/i;

function weather(properties: Json, required: string[]): Tool {
  const inputSchema = { type: 'object', properties, required, additionalProperties: false };
  return { name: 'weather', description: 'Weather of today', inputSchema };
}

const call = (input: Json, before?: () => unknown): Answer => ({ tool, input, before });
const end: Answer = { text: 'the end' };

/** A sandbox, a server on schema A, and our hooks. The gateway's URL is the whole configuration. */
async function world(
  t: TestContext,
  { version, form }: Case,
  { hints = {}, install = INSTALL[form] }: { hints?: Pick<Tool, 'annotations'>; install?: (home: string) => void } = {},
) {
  const box = sandbox();
  const server = await FixtureServer.start(box.dir, [{ ...toolA, ...hints }], '2026-04-09');
  const terminals: Interactive[] = [];
  t.after(async () => {
    await Promise.all(terminals.map((terminal) => terminal.kill()));
    await server.close();
  });
  install(box.home);
  const common = (more: Partial<HeadlessOptions> = {}) => ({
    version,
    home: box.home,
    cwd: box.cwd,
    mcp: { fx: server.mcp() },
    ...more,
    env: { GATEWAY_URL: server.url, ...more.env },
  });
  return {
    ...box,
    server,
    async run(steps: Script, more: Partial<HeadlessOptions> = {}): Promise<HeadlessRun> {
      const run = await runHeadless({ ...common(more), steps });
      // Helps to understand a failed test: what our hooks said.
      for (const hook of run.hooks) t.diagnostic(`${hook.name}: exit ${hook.exitCode} ${hook.stdout}${hook.stderr}`);
      return run;
    },
    async open(steps: Script, more: Partial<HeadlessOptions> = {}): Promise<Interactive> {
      const terminal = await Interactive.start({ ...common(more), steps });
      terminals.push(terminal);
      // The older client does not wait with the first prompt until plugins' servers are connected.
      await until(
        () => server.log('list').length > 0,
        () => 'the client did not ask for the list of tools',
      );
      return terminal;
    },
    /** Changes the server, and waits until earlier answers count as old. */
    async change(to: Tool = toolB, schemaVersion = '2026-04-10'): Promise<void> {
      server.set([{ ...to, ...hints }], schemaVersion);
      await server.outlive();
    },
  };
}

/** The outcomes of the calls of our tool, in order, as shown to the model. */
function outcomes(requests: HeadlessRun['requests']): { text: string; isError: boolean }[] {
  return toolResults(requests.at(-1)?.body).filter((result) => !result.text.includes('tool_reference'));
}

function assertDenied(outcome: { text: string; isError: boolean } | undefined): void {
  assert.ok(outcome, 'the model got no result');
  assert.ok(outcome.isError, `not an error: ${outcome.text}`);
  assert.match(outcome.text, /konnichiwagwan/);
  assert.match(outcome.text, /location/);
}

function assertServed(outcome: { text: string; isError: boolean } | undefined): void {
  assert.match(outcome?.text ?? 'no result', /^served weather/);
}

function guards(run: HeadlessRun): HeadlessRun['hooks'] {
  return run.hooks.filter((hook) => hook.event === 'PreToolUse');
}

/** What the newer client adds to a headless run's output for its reader. */
function streamedToUser({ messages }: HeadlessRun): string {
  return JSON.stringify(messages.filter(({ subtype }) => subtype === 'informational'));
}

function messagesToUser(run: HeadlessRun): string[] {
  const answers = run.hooks.filter((hook) => hook.stdout).map((hook) => JSON.parse(hook.stdout) as Json);
  return answers.map((answer) => answer.systemMessage).filter((message): message is string => Boolean(message));
}

function assertNoCrash(run: HeadlessRun): void {
  for (const hook of run.hooks) {
    assert.equal(hook.exitCode, 0, `${hook.name}: ${hook.stderr}`);
    assert.doesNotMatch(hook.stderr, /^\s+at /m);
    if (hook.stdout) assert.doesNotThrow(() => JSON.parse(hook.stdout), hook.stdout);
  }
}

function shownParameters(body: RequestBody | undefined): string[] {
  const shown = body?.tools?.find(({ name }) => name === tool);
  return Object.keys((shown?.input_schema?.properties as Json) ?? {});
}

const served = (...args: Json[]) => args.map((given) => ({ name: 'weather', arguments: given }));

after(async () => {
  closeTerminals();
  await removeSandboxes();
});

for (const one of everywhere) {
  const { version, form } = one;
  const knowsModelView = version !== '2.1.197';

  describe(titleOf(one), () => {
    test('unchanged: the calls reach the server, and we say nothing', async (t) => {
      const { server, run } = await world(t, one);
      const result = await run([call(oldArgs), call(oldArgs, () => server.outlive()), end]);
      assert.deepEqual(server.calls(), served(oldArgs, oldArgs));
      assert.equal(guards(result).length, 2);
      for (const hook of guards(result)) assert.equal(hook.stdout + hook.stderr, SILENCE[form]);
      assert.deepEqual(messagesToUser(result), []);
      // A known answer is asked for by its ETag, never fetched again.
      assert.equal(server.counts.full, 1);
      assert.ok(server.counts.notModified >= 1);
    });

    test('unchanged, and the first call comes long after the start', async (t) => {
      const { server, run } = await world(t, one);
      const result = await run([call(oldArgs, () => server.outlive()), end]);
      assertNoCrash(result);
      assert.deepEqual(server.calls(), served(oldArgs));
      for (const hook of guards(result)) assert.equal(hook.stdout + hook.stderr, SILENCE[form]);
    });

    test('silent change: the old call is denied, the corrected one reaches the server', async (t) => {
      const { server, run, change } = await world(t, one);
      const result = await run([call(oldArgs), call(oldArgs, () => change()), call(newArgs), end]);
      const [first, old, corrected] = outcomes(result.requests);
      assertServed(first);
      assertDenied(old);
      assertServed(corrected);
      assert.deepEqual(server.calls(), served(oldArgs, newArgs));
    });

    test('a change announced by list_changed', async (t) => {
      const { server, run, change } = await world(t, one);
      const announced = async () => {
        const before = server.log('list').length;
        await change();
        await until(
          () => server.log('list').length > before,
          () => 'the client did not ask for the new list',
        );
      };
      const mcp = { fx: server.mcp('--list-changed') };
      const result = await run([call(oldArgs), call(oldArgs, announced), call(newArgs), end], { mcp });
      const [first, old, corrected] = outcomes(result.requests);
      assertServed(first);
      assertDenied(old);
      assertServed(corrected);
      assert.deepEqual(server.calls(), served(oldArgs, newArgs));
    });

    test('a change so fresh that the guard missed it: the server refuses, and the model is told that it is drift', async (t) => {
      const { server, run } = await world(t, one);
      const atOnce = () => server.set([toolB], '2026-04-10', { weather: 'Invalid arguments: location is required' });
      // The model thinks so long that SessionStart's answer gets old, and the first call's answer is the fresh one.
      const first = { ...call(oldArgs), before: () => server.outlive() };
      const result = await run([first, { ...call(oldArgs, atOnce), delayMs: 0 }, end]);
      const told = plain(
        result.requests
          .at(-1)
          ?.body.messages.slice(-2)
          .map(({ content }) => content),
      );
      assert.match(told, /konnichiwagwan/);
      assert.match(told, /location: string/);
    });

    test('deferred: a tool that ToolSearch loaded', async (t) => {
      const { server, run, change } = await world(t, one);
      const load: Answer = { tool: 'ToolSearch', input: { query: `select:${tool}`, max_results: 5 } };
      const steps = [load, call(oldArgs), call(oldArgs, () => change()), call(newArgs), end];
      // The newer client defers all MCP tools by default, the older one only on request.
      const env = { ENABLE_TOOL_SEARCH: version === '2.1.330' ? '' : 'true' };
      const result = await run(steps, { env });
      assert.deepEqual(shownParameters(result.requests[0]?.body), [], 'the tool was not deferred');
      const [, first, old, corrected] = toolResults(result.requests.at(-1)?.body);
      assertServed(first);
      assertDenied(old);
      assertServed(corrected);
      assert.deepEqual(server.calls(), served(oldArgs, newArgs));
    });

    test('a subagent that calls after the change', async (t) => {
      const { server, run, change } = await world(t, one);
      const delegate = (body: RequestBody): Answer => ({
        tool: body.tools?.find(({ name }) => name === 'Agent' || name === 'Task')?.name,
        input: { description: 'weather', prompt: 'Ask for the weather.', subagent_type: 'general-purpose' },
        before: () => change(),
      });
      const subagents = [call(oldArgs), call(newArgs), end];
      const result = await run({ main: [call(oldArgs), delegate, end], subagents });
      const [old, corrected] = outcomes(result.requests.filter(({ agent }) => agent));
      assertDenied(old);
      assertServed(corrected);
      assert.deepEqual(server.calls(), served(oldArgs, newArgs));
    });

    test('--resume, with a server that changed in between', async (t) => {
      const { server, run, change } = await world(t, one);
      const first = await run([call(oldArgs), end]);
      await change();
      const result = await run([call(oldArgs), call(newArgs), end], { args: ['--resume', first.sessionId] });
      // The newer client still shows what the conversation began with.
      const shown = knowsModelView ? Object.keys(oldArgs) : Object.keys(newArgs);
      assert.deepEqual(shownParameters(result.requests[0]?.body), shown);
      const [before, old, corrected] = outcomes(result.requests);
      assertServed(before);
      assertDenied(old);
      assertServed(corrected);
      assert.deepEqual(server.calls(), served(oldArgs, newArgs));
    });

    for (const fault of ['down', 'broken', 'hang', 'garbage'] as const) {
      test(`the gateway is ${fault} from the start: calls go through, the user is told once`, async (t) => {
        const { server, run } = await world(t, one);
        await server.misbehave(fault);
        const result = await run([call(oldArgs), call(oldArgs), end]);
        assert.deepEqual(server.calls(), served(oldArgs, oldArgs));
        assertNoCrash(result);
        assert.equal(messagesToUser(result).length, 1, messagesToUser(result).join('\n'));
      });
    }

    for (const fault of ['down', 'broken'] as const) {
      test(`the gateway is ${fault} in mid-session: calls go through, the user is told once`, async (t) => {
        const { server, run } = await world(t, one);
        const breakdown = async () => {
          await server.misbehave(fault);
          await server.outlive();
        };
        const result = await run([call(oldArgs), call(oldArgs, breakdown), call(oldArgs), end]);
        assert.deepEqual(server.calls(), served(oldArgs, oldArgs, oldArgs));
        assertNoCrash(result);
        assert.equal(messagesToUser(result).length, 1, messagesToUser(result).join('\n'));
      });
    }

    test('the state folder cannot be written: no crash, and the user is told', async (t) => {
      const { dir, server, run, change } = await world(t, one);
      // A file where the folder should be: even root can't write into that.
      const state = join(dir, 'not-a-folder');
      writeFileSync(state, '');
      const steps = [call(oldArgs), call(newArgs, () => change()), end];
      const result = await run(steps, { env: { KONNICHIWAGWAN_HOME: state } });
      assert.deepEqual(server.calls(), served(oldArgs, newArgs));
      assertNoCrash(result);
      assert.ok(messagesToUser(result).length >= 1, 'the user was told nothing');
    });

    test('our hook is killed: the client decides, by onFailure where it knows it', async (t) => {
      const { dir, home, server, run } = await world(t, one);
      const suicide = join(dir, 'killed.cjs');
      writeFileSync(suicide, "process.kill(process.pid, 'SIGKILL');");
      const folder = join(home, '.claude/skills/konnichiwagwan/dist');
      if (form === 'resident') copyFileSync(suicide, join(folder, 'resident-tools.cjs'));
      else {
        editSettings(home, ({ hooks }) => {
          for (const hook of hooks?.PreToolUse?.flatMap((group) => group.hooks) ?? []) hook.args = [suicide];
        });
      }
      const result = await run([call(oldArgs), end]);
      const blocks = version === '2.1.330';
      assert.equal(outcomes(result.requests)[0]?.isError, blocks);
      assert.deepEqual(server.calls(), blocks ? [] : served(oldArgs));
    });

    test('as a plugin that is named on the command line', { skip: form === 'command' }, async (t) => {
      const { server, run, change } = await world(t, one, { install: () => {} });
      const steps = [call(oldArgs), call(oldArgs, () => change()), call(newArgs), end];
      const result = await run(steps, { args: ['--plugin-dir', repo] });
      const [first, old, corrected] = outcomes(result.requests);
      assertServed(first);
      assertDenied(old);
      assertServed(corrected);
      assert.deepEqual(server.calls(), served(oldArgs, newArgs));
    });

    test('ask, headless: nobody to ask, so the tool does not run, and new words do not reach the model', async (t) => {
      const { server, run, change } = await world(t, one);
      const result = await run([call(oldArgs), call(oldArgs, () => change(toolReworded)), end]);
      const [first, asked] = outcomes(result.requests);
      assertServed(first);
      assert.ok(asked?.isError, asked?.text);
      assert.match(asked.text, /konnichiwagwan/);
      assert.doesNotMatch(JSON.stringify(result.requests), newWords);
      assert.deepEqual(server.calls(), served(oldArgs));
      // The run's output shows both, and the command that shows more.
      assert.match(asked.text, /konnichiwagwan logs --diff/);
      const [told = ''] = messagesToUser(result).filter((message) => newWords.test(message));
      assert.match(told, /"Name of the city" → "Postal code, quokka style"[\s\S]*konnichiwagwan logs --diff/);
      if (knowsModelView) assert.match(streamedToUser(result), newWords);
    });

    for (const [where, at, deferred] of [
      ['given at the start: the words that it was shown', 3_000, false],
      ['given at the start: words behind those that it was shown', 5_500, false],
      ['loaded by tool search: the words that it was shown', 5_500, true],
      ['loaded by tool search: words behind those that it was shown', 17_000, true],
    ] as const) {
      test(`a long description changed, of a tool ${where}`, async (t) => {
        const long = (unit: string): Tool => {
          const sentence = ` The time is given in ${unit}. `;
          const filler = (length: number): string => 'lorem '.repeat(length).slice(0, length);
          return { ...toolA, description: `${filler(at)}${sentence}${filler(20_000 - at)}` };
        };
        const { server, run, change } = await world(t, one);
        server.set([long('minutes')], '2026-04-09');
        const load: Answer = { tool: 'ToolSearch', input: { query: `select:${tool}`, max_results: 5 } };
        const steps = [call(oldArgs), call(oldArgs, () => change(long('hours'), '2026-04-09')), end];
        const env = { ENABLE_TOOL_SEARCH: deferred ? (version === '2.1.330' ? '' : 'true') : 'false' };
        const result = await run(deferred ? [load, ...steps] : steps, { env });
        const wasShown = JSON.stringify(result.requests).includes('given in minutes');
        const told = messagesToUser(result).some((message) => message.includes('minutes') && message.includes('hours'));
        // Another unit in a sentence about every call: a person would be asked, but none is there.
        assert.deepEqual(server.calls(), told ? served(oldArgs) : served(oldArgs, oldArgs));
        // The older client does not record what it shows: there, only the session's start is known.
        if (knowsModelView) {
          assert.equal(wasShown, !where.includes('behind'), 'the client shows another part of a description now');
          assert.equal(told, wasShown);
        } else assert.ok(told);
      });
    }

    test('a release that the call does not touch: one line for the person, once', async (t) => {
      const wider = weather({ city: { type: 'string', description: 'Name of the city' }, lang: { type: 'string' } }, [
        'city',
      ]);
      const { server, run, change } = await world(t, one);
      const steps = [call(oldArgs), call(oldArgs, () => change(wider)), call(oldArgs), end];
      const result = await run(steps);
      assert.deepEqual(server.calls(), served(oldArgs, oldArgs, oldArgs));
      const told = messagesToUser(result);
      assert.equal(told.length, 1, told.join('\n'));
      assert.match(
        told[0] ?? '',
        /^⚠️ Tool schema drift detected — session started 2026-04-09, gateway advertises 2026-04-10\./,
      );
      assert.match(told[0] ?? '', /`weather`/);
      if (knowsModelView) assert.match(streamedToUser(result), /Tool schema drift detected/);
      assert.doesNotMatch(JSON.stringify(result.requests), /Tool schema drift/);
    });

    test('a release of nothing but a version: the drift line, and strict holds the call', async (t) => {
      const { home, server, run, change } = await world(t, one);
      const mode = (name: string) => {
        mkdirSync(join(home, '.claude/konnichiwagwan'), { recursive: true, mode: 0o700 });
        writeFileSync(join(home, '.claude/konnichiwagwan/config.json'), JSON.stringify({ mode: name }), {
          mode: 0o600,
        });
      };
      mode('guard');
      const steps = [call(oldArgs), call(oldArgs, () => change(toolA)), end];
      const told = messagesToUser(await run(steps));
      assert.equal(told.length, 1, told.join('\n'));
      assert.match(
        told[0] ?? '',
        /^⚠️ Tool schema drift detected — session started 2026-04-09, gateway advertises 2026-04-10\. Restart Claude Code/,
      );
      assert.deepEqual(server.calls(), served(oldArgs, oldArgs));
      mode('strict');
      server.set([toolA], '2026-04-09');
      const held = await run(steps);
      assert.deepEqual(server.calls(), served(oldArgs, oldArgs, oldArgs));
      assert.match(outcomes(held.requests).at(-1)?.text ?? '', /Tool schema drift detected/);
    });
  });
}

for (const one of everywhere) {
  describe(`${titleOf(one)}, interactive`, { skip: hasTmux ? false : 'tmux is not installed' }, () => {
    const question = /Do you want to proceed\?/;
    const manual = { args: ['--permission-mode', 'default'] };

    test('/clear after a silent change: the old call is denied', async (t) => {
      const { server, open, change } = await world(t, one);
      const terminal = await open([call(oldArgs), end, call(oldArgs), call(newArgs), end], manual);
      await terminal.type('first');
      await terminal.waitFor(/the end/);
      await change();
      await terminal.type('/clear');
      await until(
        () => !terminal.screen().includes('the end'),
        () => `/clear did nothing:\n${terminal.screen()}`,
      );
      await terminal.type('second');
      await terminal.waitFor(/the end/);
      assert.deepEqual(shownParameters(terminal.requests.at(-1)?.body), ['city'], 'the client showed the new contract');
      const [old, corrected] = outcomes(terminal.requests);
      assertDenied(old);
      assertServed(corrected);
      assert.deepEqual(server.calls(), served(oldArgs, newArgs));
    });

    for (const mode of ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions', 'auto']) {
      test(`ask, in mode ${mode}: the person is asked once, and yes runs the tool`, async (t) => {
        // In plan mode the client itself asks before every tool that does not call itself read-only.
        const hints = mode === 'plan' ? { annotations: { readOnlyHint: true } } : {};
        const { server, open, change } = await world(t, one, { hints });
        const steps = [call(oldArgs), call(oldArgs, () => change(toolReworded)), call(oldArgs), end];
        // Without IS_SANDBOX the client refuses to bypass permissions as root.
        const terminal = await open(steps, { args: ['--permission-mode', mode], env: { IS_SANDBOX: '1' } });
        await terminal.type('go');
        await terminal.waitFor(question);
        t.diagnostic(terminal.screen().replace(/\n{2,}/g, '\n'));
        assert.match(terminal.screen(), /konnichiwagwan/);
        // The client wraps the line.
        assert.match(terminal.screen().replace(/\s+/g, ' '), /"Name of the city" → "Postal code, quokka style"/);
        assert.deepEqual(server.calls(), served(oldArgs), 'the tool ran before the person answered');
        await terminal.answer(question, 'Enter');
        await terminal.waitFor(/the end/);
        assert.deepEqual(server.calls(), served(oldArgs, oldArgs, oldArgs));
        // The person saw the new words; the model did not, since the server is not trusted.
        assert.doesNotMatch(JSON.stringify(terminal.requests), newWords);
      });
    }

    test('ask: what was refused is asked again', async (t) => {
      const { server, open, change } = await world(t, one);
      const terminal = await open([call(oldArgs, () => change(toolReworded)), call(oldArgs), end], manual);
      await terminal.type('first');
      await terminal.waitFor(question);
      await terminal.answer(question, 'Escape');
      await terminal.waitFor(/^❯\s*$/m);
      await terminal.type('second');
      await terminal.waitFor(question);
      assert.deepEqual(server.calls(), []);
      await terminal.answer(question, 'Enter');
      await terminal.waitFor(/the end/);
      assert.deepEqual(server.calls(), served(oldArgs));
      assert.doesNotMatch(JSON.stringify(terminal.requests), newWords);
    });
  });
}

describe('/konnichiwagwan', () => {
  const lines = [...'ABCDEF'].map((phase) => `^Phase ${phase}\\b.*`);
  const phases = new RegExp(`${lines.join('[^]*?')}[^]*^⚠️ konnichiwagwan: fresh .*Not checked: fx\\.`, 'm');

  for (const version of versions) {
    test(`Claude Code ${version}, headless: phases A to F and the completion line reach the model`, async (t) => {
      const { run } = await world(t, { version, form: 'command' });
      const result = await run([end], { prompt: '/konnichiwagwan' });
      const said = result.messages.find(({ type }) => type === 'result')?.result;
      assert.equal(result.requests.length, 1, `the client did not ask the model, but said: ${said}`);
      const blocks = result.requests[0]?.body.messages.flatMap<string | Block>(({ content }) => content) ?? [];
      const output = blocks.map(plain).find((block) => block.includes('Phase F'));
      t.diagnostic(output ?? 'none');
      assert.match(output ?? '', phases, `in none of ${blocks.length} blocks`);
      assert.doesNotMatch(output ?? '', /^\s+at /m);
    });
  }
});
