// The proof: our installed hooks in the real client, against a scripted model, a gateway and an MCP server on loopback.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { repo } from './client.ts';
import type { Tool } from './fixture-server.ts';
import { type Case, SILENCE } from './forms.ts';
import { until } from './interactive.ts';
import { editSettings, removeSandboxes } from './run.ts';
import {
  assertDenied,
  assertNoCrash,
  assertServed,
  call,
  end,
  guards,
  messagesToUser,
  newArgs,
  newWords,
  oldArgs,
  outcomes,
  served,
  shownParameters,
  streamedToUser,
  tool,
  toolA,
  toolB,
  toolReworded,
  weather,
  world,
} from './scenario-world.ts';
import { type Answer, plain, type RequestBody, toolResults } from './stub-model.ts';

after(async () => {
  await removeSandboxes();
});

/** The tests of the headless scenarios, in one version of the client and one form of the guard. */
export const testScenarios = (one: Case): void => {
  const { version, form } = one;
  const knowsModelView = version !== '2.1.197';

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
    const env = { ENABLE_TOOL_SEARCH: version === '2.1.332' ? '' : 'true' };
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
    const blocks = version === '2.1.332';
    assert.equal(outcomes(result.requests)[0]?.isError, blocks);
    assert.deepEqual(server.calls(), blocks ? [] : served(oldArgs));
  });

  test('as a plugin that is named on the command line', {
    skip: form === 'command' && 'the plugin brings a guard that stays',
  }, async (t) => {
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
      const env = { ENABLE_TOOL_SEARCH: deferred ? (version === '2.1.332' ? '' : 'true') : 'false' };
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
};
