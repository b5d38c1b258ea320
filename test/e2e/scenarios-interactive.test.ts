// What a person sees in the real client's terminal, and the manual `/konnichiwagwan`.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { versions } from './client.ts';
import { everywhere, titleOf } from './forms.ts';
import { closeTerminals, hasTmux, until } from './interactive.ts';
import { removeSandboxes } from './run.ts';
import {
  assertDenied,
  assertServed,
  call,
  end,
  newArgs,
  newWords,
  oldArgs,
  outcomes,
  served,
  shownParameters,
  toolReworded,
  world,
} from './scenario-world.ts';
import { type Block, plain, type RequestBody } from './stub-model.ts';

after(async () => {
  closeTerminals();
  await removeSandboxes();
});

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

    /** A call, one after the words changed, and one after a compaction. Each is repeated if it was stopped. */
    const compacted = async (t: TestContext, mode: 'guard' | 'warn') => {
      const { server, open, change, home } = await world(t, one);
      const state = join(home, '.claude', 'konnichiwagwan');
      mkdirSync(state, { recursive: true, mode: 0o700 });
      const trusted = {
        mode,
        servers: { fx: { trusted: true } },
        gateways: { GATEWAY_URL: { url: server.url, servers: ['fx'] } },
      };
      writeFileSync(join(state, 'config.json'), JSON.stringify(trusted), { mode: 0o600 });
      const turn = mode === 'guard' ? [call(oldArgs), call(oldArgs), end] : [call(oldArgs), end];
      const turns = [call(oldArgs), end, ...turn, ...turn];
      // What a hook told stands behind the client's question.
      const step = ({ messages }: RequestBody) =>
        messages.slice(-2).some(({ content }) => /summary of the conversation/.test(plain(content)))
          ? { text: 'a summary' }
          : (turns.shift() ?? end);
      const terminal = await open(Array(20).fill(step), manual);
      const say = async (text: string, left: number): Promise<void> => {
        await terminal.type(text);
        await until(
          () => turns.length === left,
          () => terminal.screen(),
        );
      };
      await say('first', 2 * turn.length);
      await terminal.waitFor(/the end/);
      await change(toolReworded);
      await say('second', turn.length);
      await terminal.type('/compact');
      await terminal.waitFor(/Compacted/);
      await say('third', 0);
      return { server, requests: terminal.requests };
    };

    test('/compact after new words that were told: the model is told once more', async (t) => {
      const { server, requests } = await compacted(t, 'guard');
      const [stale, told] = outcomes(requests);
      assert.ok(stale?.isError, 'after the compaction the model does not know what it was told');
      assert.match(stale.text, newWords);
      assertServed(told);
      assert.deepEqual(server.calls(), served(oldArgs, oldArgs, oldArgs));
    });

    test('/compact after a warning, in mode warn: the model is told once more', async (t) => {
      const { server, requests } = await compacted(t, 'warn');
      const last = requests.at(-1)?.body;
      assert.match(JSON.stringify(last?.messages), newWords);
      assert.deepEqual(server.calls(), served(oldArgs, oldArgs, oldArgs));
    });

    for (const mode of ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions', 'auto']) {
      test(`ask, in mode ${mode}: the person is asked once, and yes runs the tool`, async (t) => {
        // In plan mode the client itself asks before every tool that does not call itself read-only. Of one that does, an answer
        // since the last prompt counts as live: then the change has to come before a prompt.
        const isPlan = mode === 'plan';
        const { server, open, change } = await world(
          t,
          one,
          isPlan ? { hints: { annotations: { readOnlyHint: true } } } : {},
        );
        const reword = (): Promise<void> => change(toolReworded);
        const steps = isPlan
          ? [call(oldArgs), { text: 'so far' }, call(oldArgs), call(oldArgs), end]
          : [call(oldArgs), call(oldArgs, reword), call(oldArgs), end];
        // Without IS_SANDBOX the client refuses to bypass permissions as root.
        const terminal = await open(steps, { args: ['--permission-mode', mode], env: { IS_SANDBOX: '1' } });
        await terminal.type('go');
        if (isPlan) {
          await terminal.waitFor(/so far/);
          await reword();
          await terminal.type('go on');
        }
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

    test('ask: a yes holds although the tool then fails', async (t) => {
      const { server, open } = await world(t, one);
      const change = async (): Promise<void> => {
        server.set([toolReworded], '2026-04-10', { weather: 'the backend is busy' });
        await server.outlive();
      };
      const terminal = await open([call(oldArgs, change), call(oldArgs), end], manual);
      await terminal.type('first');
      await terminal.waitFor(question);
      await terminal.answer(question, 'Enter');
      await terminal.waitFor(/the end/);
      assert.deepEqual(server.calls(), served(oldArgs, oldArgs));
    });

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
