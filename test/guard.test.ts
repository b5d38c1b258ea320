import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import { startGateway } from '../scripts/demo/loopback.ts';
import { AFTER, BEFORE } from '../scripts/demo/release.ts';
import { GUARD_ENTRY, GUARD_SERVER } from '../scripts/servers/own-guard.ts';
import { drive, sandbox, tool } from './sandbox.ts';

const weatherA = tool('weather', { city: { type: 'string' } }, { required: ['city'], additionalProperties: false });
const weatherB = tool(
  'weather',
  { location: { type: 'string' } },
  { required: ['location'], additionalProperties: false },
);
const limitA = tool('list', { limit: { type: 'integer', description: 'most results' } });
const limitB = tool('list', { limit: { type: 'integer', description: 'index of the page SECRET-WORDS' } });

/** The client's records of a request that shows these tools, and of a subagent that its answer forks off. */
const forkOff = (
  { home, transcript }: { home: string; transcript: string },
  agent: string,
  shapeHash: string,
): void => {
  const lines = (...records: JsonObject[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const requestRef = `request of ${agent}`;
  appendFileSync(transcript, lines({ type: 'api-request', id: requestRef, querySource: 'sdk', shapeHash }));
  mkdirSync(join(home, 's1/subagents'), { recursive: true });
  writeFileSync(
    join(home, `s1/subagents/agent-${agent}.jsonl`),
    lines(
      { type: 'fork-context-ref', agentId: agent, parentSessionId: 's1' },
      { parentUuid: null, isSidechain: true, message: { content: [] }, requestRef, type: 'assistant' },
    ),
  );
};

describe('the guard', () => {
  it('says nothing about what is unchanged, on the first look and on the fast path', async (test) => {
    const box = await sandbox(test, [weatherA]);
    await box.start();
    for (const _look of [1, 2, 3]) {
      const { stdout, stderr, code } = await box.call('weather', { city: 'Rabat' });
      assert.deepEqual([stdout, stderr, code], ['', '', 0]);
    }
  });

  it('stops a call by the old contract, and lets the corrected one pass in the same conversation', async (test) => {
    const box = await sandbox(test, [weatherA]);
    await box.start();
    box.show([weatherA], 'aaa1');
    assert.equal((await box.call('weather', { city: 'Rabat' })).stdout, '');
    box.release([weatherB]);
    const stopped = await box.call('weather', { city: 'Rabat' });
    assert.equal(stopped.code, 0);
    assert.deepEqual(stopped.answer, {
      systemMessage: [
        'konnichiwagwan stopped a call: `weather` (server `demo`) changed after this conversation learned it.',
        '- renamed: `city` → `location` (the same type; no other parameter was removed or added)',
        'Claude was told the new form and will try again. Nothing to do.',
      ].join('\n'),
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: [
          'konnichiwagwan stopped this call: `weather` (server `demo`) changed after this conversation learned it.',
          '- renamed: `city` → `location` (the same type; no other parameter was removed or added)',
          'Call it like this now: weather(location: string)',
          'This call with its new names: mcp__demo__weather {"location":"Rabat"}',
          'Nothing was sent, and the tool is not broken. Call it in its current form; no restart is needed.',
        ].join('\n'),
      },
    });
    assert.equal((await box.call('weather', { location: 'Rabat' })).stdout, '');
  });

  it('says after a stop that the corrected call may be asked about, where more of it changed', async (test) => {
    const before = { ...weatherA, description: 'Forecast in °C.' };
    const box = await sandbox(test, [before]);
    await box.start();
    box.show([before], 'aaa1');
    assert.equal((await box.call('weather', { city: 'Rabat' })).stdout, '');
    box.release([{ ...weatherB, description: 'Forecast in °F.' }]);
    const stopped = await box.call('weather', { city: 'Rabat' });
    assert.equal(stopped.answer.hookSpecificOutput.permissionDecision, 'deny');
    assert.match(stopped.answer.systemMessage, /try again\. You may be asked about that call, since more changed\.$/);
    const { answer } = await box.call('weather', { location: 'Rabat' });
    assert.equal(answer.hookSpecificOutput.permissionDecision, 'ask');
  });

  it('speaks of changed words only where words changed', async (test) => {
    const of = (share: JsonObject, city: JsonObject) => [tool('weather', { share, city: { type: 'string', ...city } })];
    const share = { type: 'number', minimum: 0, maximum: 1 };
    for (const [now, city, isTold] of [
      [{ ...share, maximum: 100 }, { deprecated: true }, false],
      [share, { description: 'The city, or the nearest one that is known' }, true],
    ] as const) {
      const box = await sandbox(test, of(share, {}));
      await box.start();
      box.show(of(share, {}), 'aaa1');
      await box.call('weather', { city: 'Rabat' });
      box.release(of(now, city));
      const { answer } = await box.call('weather', { city: 'Rabat' });
      assert.equal(answer.hookSpecificOutput?.permissionDecision, undefined);
      assert.equal(/changed words/.test(answer.systemMessage), isTold, answer.systemMessage);
    }
  });

  it('believes the transcript before the baseline: a model that was shown the new contract is fresh', async (test) => {
    const box = await sandbox(test, [weatherA]);
    await box.start();
    box.show([weatherA], 'aaa1');
    box.release([weatherB]);
    box.show([weatherB], 'bbb1');
    assert.equal((await box.call('weather', { location: 'Rabat' })).stdout, '');
    const { answer } = await box.call('weather', { city: 'Rabat' });
    assert.equal(answer, undefined, 'an invalid call of a fresh contract is for the server to refuse');
  });

  it('does not stop a call by a gateway that may describe the tool otherwise, and does not call it fresh', async (test) => {
    const box = await sandbox(test, [weatherA]);
    await box.start();
    box.show([weatherA], 'aaa1');
    await box.call('weather', { city: 'Rabat' });
    assert.equal((await box.call('weather', { city: 'Rabat' })).stdout, '');
    box.show([weatherB], 'bbb1');
    box.release([weatherB]);
    box.release([weatherA]);
    appendFileSync(box.transcript, '{"type":"other"}\n');
    const { answer } = await box.call('weather', { location: 'Rabat' });
    assert.equal(answer.hookSpecificOutput, undefined, 'a shape that the gateway never had may be the server’s own');
    assert.match(answer.systemMessage, /could not check .*this call does not fit both/);
    assert.equal((await box.call('weather', { city: 'Rabat' })).stdout, '', 'what fits both goes through');
  });

  it('nor where the words of such a gateway, and no more, differ from those that the model sees', async (test) => {
    const box = await sandbox(test, [limitA]);
    await box.start();
    box.show([limitB], 'aaa1');
    const { answer } = await box.call('list', { limit: 3 });
    assert.equal(answer.hookSpecificOutput, undefined);
    assert.match(answer.systemMessage, /could not check .*this call does not fit both/);
    assert.equal((await box.call('list')).stdout, '', 'a call without the parameter fits both');
  });

  it('stops after a /clear that shows what the client had cached', async (test) => {
    const box = await sandbox(test, [weatherA]);
    await box.start();
    box.release([weatherB]);
    const cleared = join(box.home, 'cleared.jsonl');
    await box.start({ session_id: 's2', transcript_path: cleared, source: 'clear' });
    box.show([weatherA], 'aaa1', cleared);
    const { answer } = await box.call('weather', { city: 'Rabat' }, { session_id: 's2', transcript_path: cleared });
    assert.equal(answer.hookSpecificOutput.permissionDecision, 'deny');
  });

  it('asks after a /clear about a hint that flipped before it, where the client shows what it had cached', async (test) => {
    const hinted = (description: string, readOnlyHint: boolean): Contract =>
      tool('notes', {}, {}, { description, annotations: { readOnlyHint } });
    const before = hinted('Gets notes.', true);
    const box = await sandbox(test, [before]);
    await box.start();
    box.release([hinted('Gets notes, with their names.', false)]);
    const cleared = { session_id: 's2', transcript_path: join(box.home, 'cleared.jsonl') };
    await box.start({ ...cleared, source: 'clear' });
    box.show([before], 'aaa1', cleared.transcript_path);
    const { answer } = await box.call('notes', {}, cleared);
    assert.equal(answer.hookSpecificOutput.permissionDecision, 'ask');
    assert.match(answer.systemMessage, /readOnlyHint/);
  });

  it('after a /clear without a word in the transcript, believes what the same client listed', async (test) => {
    const box = await sandbox(test, [weatherA]);
    await box.start();
    box.release([weatherB]);
    await box.start({ session_id: 's2', transcript_path: '', source: 'clear' });
    const { answer } = await box.call('weather', { city: 'Rabat' }, { session_id: 's2', transcript_path: '' });
    assert.equal(answer.hookSpecificOutput.permissionDecision, 'deny');
  });

  it('after a /clear, believes what the same client listed, although others started sessions since', async (test) => {
    const box = await sandbox(test, [weatherA, limitA]);
    const startOf = (pid: number, session_id: string, source = 'startup') => {
      box.env.CLAUDE_PID = String(pid);
      return box.start({ session_id, transcript_path: '', source });
    };
    const [mine, another] = [process.pid, process.ppid];
    await startOf(mine, 's1');
    box.release([weatherB, limitA]);
    await startOf(mine, 's2', 'clear');
    await startOf(another, 's3');
    box.release([weatherB, limitB]);
    await startOf(mine, 's4', 'clear');
    const call = async (tool: string, args: JsonObject, session_id: string) => {
      const { answer } = await box.call(tool, args, { session_id, transcript_path: '' });
      return answer?.hookSpecificOutput?.permissionDecision;
    };
    assert.equal(await call('weather', { city: 'Rabat' }, 's4'), 'deny', 'since its first session');
    assert.equal(await call('list', { limit: 5 }, 's4'), 'ask', 'since its second one');
    // What a client with the same process ID had listed, before this one began.
    await startOf(mine, 's5');
    await startOf(mine, 's6', 'clear');
    assert.equal(await call('list', { limit: 5 }, 's6'), undefined);
  });

  it('a name that is the spelling of several tools is not checked by either', async (test) => {
    const [dotted, slashed] = ['weather.now', 'weather/now'].map((name) => ({ ...weatherA, name })) as [
      Contract,
      Contract,
    ];
    const box = await sandbox(test, [dotted, slashed]);
    await box.start();
    box.release([{ ...weatherB, name: dotted.name }, slashed]);
    const { answer } = await box.call('weather_now', { city: 'Rabat' });
    assert.equal(answer?.hookSpecificOutput?.permissionDecision, undefined);
    assert.match(
      answer?.systemMessage ?? '',
      /could not check .*several tools of the source are spelled like this one/s,
    );
  });

  it('a tool whose new name is spelled like the old one is not checked: the client may call either', async (test) => {
    const box = await sandbox(test, [{ ...weatherA, name: 'weather.now' }, limitA]);
    await box.start();
    box.release([{ ...weatherA, name: 'weather/now' }, limitA]);
    const { answer } = await box.call('weather_now', { city: 'Rabat' });
    assert.equal(answer?.hookSpecificOutput, undefined);
    assert.match(
      answer?.systemMessage ?? '',
      /could not check .*calls it `weather\/now` now, and no longer `weather\.now`/s,
    );
  });

  it('keeps the baseline on resume and takes a new one at startup', async (test) => {
    const box = await sandbox(test, [weatherA]);
    await box.start();
    box.release([weatherB]);
    const resumed = await box.greet({ source: 'resume' });
    assert.match(
      resumed.answer.systemMessage,
      /1 tool of `GATEWAY_URL` changed since this session began \(1 breaking\)/,
    );
    assert.equal((await box.call('weather', { city: 'x' })).answer.hookSpecificOutput.permissionDecision, 'deny');
    await box.start({ session_id: 's3' });
    assert.equal((await box.call('weather', { location: 'x' }, { session_id: 's3' })).stdout, '');
  });

  for (const source of ['startup', 'clear', 'resume', 'compact', 'fork']) {
    const isLate = !['startup', 'clear'].includes(source);
    it(`a first baseline at ${source} ${isLate ? 'does not show' : 'shows'} what the model learned`, async (test) => {
      const box = await sandbox(test, [weatherA]);
      await box.start({ source });
      const { stdout } = await box.call('weather', { city: 'Rabat' });
      if (isLate) assert.match(stdout, /recorded after the conversation began/);
      else assert.equal(stdout, '');
    });
  }

  it('reads what a forked subagent sees in the conversation that it was forked off', async (test) => {
    const box = await sandbox(test, [weatherA]);
    await box.start();
    box.release([weatherB]);
    box.show([weatherB], 'bbb1');
    assert.equal((await box.call('weather', { location: 'Rabat' })).answer?.hookSpecificOutput, undefined);
    box.release([weatherA]);
    forkOff(box, 'f1', 'bbb1');
    const byB = async (agent_id: string) =>
      (await box.call('weather', { location: 'Rabat' }, { agent_id, agent_type: 'fork' })).answer?.hookSpecificOutput
        ?.permissionDecision;
    // The server is back at what it ran when the session started, which the fork was never shown.
    assert.equal(await byB('f1'), 'deny');
    // The conversation goes on with other tools.
    box.show([weatherA], 'aaa1');
    forkOff(box, 'f2', 'aaa1');
    assert.equal(await byB('f1'), 'deny');
    assert.equal(await byB('f2'), undefined);
  });

  it('a forked subagent sees what it loads itself, and not what its parent loads later', async (test) => {
    const box = await sandbox(test, [weatherA]);
    await box.start();
    box.show([tool('other', {})], 'aaa1');
    for (const agent of ['f1', 'f2']) forkOff(box, agent, 'aaa1');
    const { name, ...contract } = weatherB;
    const entries = [
      { name: `mcp__demo__${name}`, description: contract.description, input_schema: contract.inputSchema },
    ];
    const load = (path: string): void =>
      appendFileSync(path, `${JSON.stringify({ attachment: { type: 'deferred_tools_record', entries } })}\n`);
    load(join(box.home, 's1/subagents/agent-f1.jsonl'));
    load(box.transcript);
    const byB = async (agent_id: string) =>
      (await box.call('weather', { location: 'Rabat' }, { agent_id, agent_type: 'fork' })).answer?.hookSpecificOutput
        ?.permissionDecision;
    box.release([weatherB]);
    await byB('another');
    // The server is back at what it ran when the session started.
    box.release([weatherA]);
    assert.deepEqual([await byB('f2'), await byB('f1')], [undefined, 'deny']);
  });

  for (const folder of ['subagents', 'subagents/workflows/wf_1'])
    it(`reads a subagent's own transcript, in ${folder}`, async (test) => {
      const box = await sandbox(test, [weatherA]);
      await box.start();
      box.show([weatherA], 'aaa1');
      box.release([weatherB]);
      const agents = join(box.home, 's1', folder);
      mkdirSync(agents, { recursive: true });
      // Links that lead back would never end, if they were followed.
      for (const link of ['up', 'up2']) symlinkSync(join(box.home, 's1/subagents'), join(agents, link), 'junction');
      box.show([weatherB], 'bbb1', join(agents, 'agent-x1.jsonl'), 'agent:builtin:general-purpose');
      const inAgent = { agent_id: 'x1', agent_type: 'general-purpose' };
      for (const _look of [1, 2]) assert.equal((await box.call('weather', { location: 'x' }, inAgent)).stdout, '');
      assert.equal((await box.call('weather', { city: 'x' })).answer.hookSpecificOutput.permissionDecision, 'deny');
    });

  it('a forked subagent goes by what its parent was told', async (test) => {
    const box = await sandbox(test, [limitA], { freshFor: 0, servers: { demo: { trusted: true } } });
    await box.start();
    box.show([limitA], 'aaa1');
    box.release([limitB]);
    const decided = async (more: JsonObject = {}) =>
      (await box.call('list', { limit: 5 }, more)).answer?.hookSpecificOutput?.permissionDecision;
    assert.deepEqual([await decided(), await decided()], ['deny', undefined]);
    forkOff(box, 'f1', 'aaa1');
    box.release([limitA]);
    assert.equal(await decided({ agent_id: 'f1', agent_type: 'fork' }), 'deny');
    assert.equal(
      await decided({ agent_id: 'x1', agent_type: 'other' }),
      undefined,
      'another subagent knows nothing of it',
    );
  });

  it('trusts only shapes of the conversation itself', async (test) => {
    const box = await sandbox(test, [weatherA]);
    await box.start();
    box.show([weatherA], 'aaa1');
    box.show([weatherB], 'side1', box.transcript, 'generate_title');
    appendFileSync(
      box.transcript,
      `${JSON.stringify({ type: 'user', text: '{"type":"api-request","querySource":"sdk","shapeHash":"side1"}' })}\n`,
    );
    box.release([weatherB]);
    assert.equal((await box.call('weather', { city: 'x' })).answer.hookSpecificOutput.permissionDecision, 'deny');
  });

  it('does not take what an earlier version of the conversation was shown for what a client that records nothing shows', async (test) => {
    const box = await sandbox(test, [limitA]);
    await box.start();
    box.show([limitA], 'aaa1');
    const add = (record: JsonObject): void => appendFileSync(box.transcript, `${JSON.stringify(record)}\n`);
    const answer = (follows: JsonObject): void =>
      add({ parentUuid: 'p', isSidechain: false, message: { role: 'assistant' }, ...follows, type: 'assistant' });
    add({ type: 'api-request', id: 'r1', querySource: 'sdk', shapeHash: 'aaa1' });
    answer({ requestRef: 'r1' });
    assert.equal((await box.call('list', { limit: 5 })).stdout, '');
    answer({});
    const { answer: said } = await box.call('list', { limit: 5 }, { tool_use_id: 'toolu_2' });
    assert.match(said.systemMessage, /does not record which tool contracts it shows the model here/);
    assert.equal(said.hookSpecificOutput, undefined);
  });

  it('asks about a parameter with new words, without those words where nobody sits there', async (test) => {
    const annotations = { readOnlyHint: true };
    const box = await sandbox(test, [{ ...limitA, annotations }]);
    await box.start();
    box.release([{ ...limitB, annotations }]);
    const { answer } = await box.call('list', { limit: 5 });
    assert.equal(answer.hookSpecificOutput.permissionDecision, 'ask');
    assert.doesNotMatch(JSON.stringify(answer.hookSpecificOutput), /SECRET-WORDS/);
    // No model reads this, and the reader of the run's output has to know what the question was about.
    assert.match(
      answer.systemMessage,
      /"most results" → "index of the page SECRET-WORDS"[\s\S]*konnichiwagwan logs --diff/,
    );
    assert.match(answer.hookSpecificOutput.permissionDecisionReason, /konnichiwagwan logs --diff/);
    assert.match(answer.hookSpecificOutput.permissionDecisionReason, /A call that leaves out `limit` goes through\./);
    const attended = await box.call('list', { limit: 5 }, {}, { CLAUDE_CODE_ENTRYPOINT: 'cli' });
    assert.match(
      attended.answer.hookSpecificOutput.permissionDecisionReason,
      /"most results" → "index of the page SECRET-WORDS"\nYes sends this call unchanged and, in this session, others/,
    );
  });

  it('proposes to leave out only what may be left out, and to give only what is not asked about', async (test) => {
    const unit = (words: string, more: Record<string, Json> = {}) => ({ type: 'integer', description: words, ...more });
    const pay = (words: string, fee: number, words2 = 'in percent'): Contract => {
      const row = { type: 'object', properties: { sum: unit(words), note: { type: 'string' } }, required: ['sum'] };
      return tool(
        'pay',
        {
          amount: unit(words),
          tip: unit(words),
          fee: unit(words2, { default: fee }),
          rows: { type: 'array', items: row },
        },
        { required: ['amount'] },
      );
    };
    const box = await sandbox(test, [pay('in cents', 1)]);
    const reason = async (args: JsonObject): Promise<string> =>
      (await box.call('pay', args)).answer.hookSpecificOutput.permissionDecisionReason;
    await box.start();
    box.release([pay('in euros', 1)]);
    assert.doesNotMatch(await reason({ amount: 5, fee: 1 }), /goes through/);
    assert.doesNotMatch(await reason({ amount: 5, tip: 1, fee: 1 }), /goes through/);
    assert.doesNotMatch(await reason({ amount: 5, rows: [{ sum: 1 }], fee: 1 }), /goes through/);
    box.release([pay('in cents', 2)]);
    assert.match(await reason({ amount: 5 }), /A call that gives `fee` a value goes through\./);
    box.release([pay('in cents', 2, 'in permille')]);
    assert.doesNotMatch(await reason({ amount: 5 }), /goes through/);
    assert.doesNotMatch(await reason({ amount: 5, fee: 1 }), /goes through/, 'its default changed, too');
  });

  it('names every parameter that a changed definition is for: the call may use another than the first', async (test) => {
    const pay = (unit: string): Contract => {
      const shared = { $ref: '#/$defs/Sum' };
      const rows = { type: 'array', items: { type: 'object', properties: { sum: shared } } };
      return tool(
        'pay',
        { amount: shared, tip: shared, rows },
        { $defs: { Sum: { type: 'integer', description: unit } } },
      );
    };
    const box = await sandbox(test, [pay('in cents')]);
    await box.start();
    box.release([pay('in euros')]);
    const { answer } = await box.call('pay', { tip: 5 });
    const { permissionDecisionReason } = answer.hookSpecificOutput;
    assert.match(permissionDecisionReason, /\n- `amount`, `tip`, `rows\.\*\.sum`: its description changed\n/);
    assert.match(answer.systemMessage, /- `amount`, `tip`, `rows\.\*\.sum`: new description: "in cents" → "in euros"/);
  });

  it('asks about a form whose title and words changed places with those of another, and names it once', async (test) => {
    const choice = (soft: string, hard: string): Contract =>
      tool('clear', {
        mode: {
          oneOf: [
            { const: 1, title: soft, description: `${soft} the files` },
            { const: 2, title: hard, description: `${hard} the files` },
          ],
        },
      });
    const box = await sandbox(test, [choice('Keeps', 'Deletes')]);
    await box.start();
    box.release([choice('Deletes', 'Keeps')]);
    const { answer } = await box.call('clear', { mode: 1 });
    assert.equal(answer.hookSpecificOutput.permissionDecision, 'ask');
    assert.match(answer.systemMessage, /"Keeps the files" → "Deletes the files"/);
    assert.doesNotMatch(
      answer.hookSpecificOutput.permissionDecisionReason,
      /goes through/,
      'it clears, without a mode',
    );
  });

  it('asks about the words of the names of a map, where a call passes one', async (test) => {
    const translate = (description: string): Contract =>
      tool('translate', {
        texts: {
          type: 'object',
          propertyNames: { type: 'string', description },
          additionalProperties: { type: 'string' },
        },
      });
    const box = await sandbox(test, [translate('ISO 639 code of the language')]);
    await box.start();
    box.release([translate('Name of the language in English')]);
    assert.equal(
      (await box.call('translate', { texts: {} })).answer?.hookSpecificOutput?.permissionDecision,
      undefined,
    );
    const { answer } = await box.call('translate', { texts: { de: 'x' } });
    assert.equal(answer.hookSpecificOutput.permissionDecision, 'ask');
    assert.match(answer.systemMessage, /`texts`: new description of names: "ISO 639 code/);
  });

  it('asks again after a no, and not after a yes', async (test) => {
    const box = await sandbox(test, [limitA]);
    await box.start();
    box.show([limitA], 'aaa1');
    box.release([limitB]);
    const result = (id: string, refused: boolean) =>
      appendFileSync(
        box.transcript,
        `${JSON.stringify({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'x', ...(refused ? { is_error: true } : {}) }] } })}\n`,
      );
    const ask = async (id: string) =>
      (await box.call('list', { limit: 5 }, { tool_use_id: id })).answer?.hookSpecificOutput?.permissionDecision;
    assert.equal(await ask('toolu_a'), 'ask');
    result('toolu_a', true);
    assert.equal(await ask('toolu_b'), 'ask');
    result('toolu_b', false);
    assert.equal(await ask('toolu_c'), undefined);
    assert.equal(await ask('toolu_d'), undefined);
    box.release([tool('list', { limit: { type: 'integer', description: 'yet another meaning' } })]);
    assert.equal(await ask('toolu_e'), 'ask', 'a yes is for one contract');
    // A yes, after which the tool itself fails.
    await box.fail('list', { limit: 5 }, 'the backend is busy', { tool_use_id: 'toolu_e' });
    result('toolu_e', true);
    assert.equal(await ask('toolu_f'), undefined);
  });

  it('a yes for one belief is none for another of the same contract', async (test) => {
    const limitC = tool('list', { limit: { type: 'integer', description: 'a third meaning' } });
    const box = await sandbox(test, [limitA], { freshFor: 0 });
    await box.start();
    box.show([limitA], 'aaa1');
    box.release([limitB]);
    const ask = async (id: string) =>
      (await box.call('list', { limit: 5 }, { tool_use_id: id })).answer?.hookSpecificOutput?.permissionDecision;
    assert.equal(await ask('toolu_a'), 'ask');
    const content = [{ type: 'tool_result', tool_use_id: 'toolu_a', content: 'x' }];
    appendFileSync(box.transcript, `${JSON.stringify({ type: 'user', message: { content } })}\n`);
    assert.equal(await ask('toolu_b'), undefined);
    box.release([limitC]);
    box.show([limitC], 'aaa2');
    assert.equal(await ask('toolu_c'), undefined);
    // The server goes back: what the model believes now was never compared with it.
    box.release([limitB]);
    assert.equal(await ask('toolu_d'), 'ask');
  });

  it('tells the model the new words of a trusted server again, where it was shown others since', async (test) => {
    const limitC = tool('list', { limit: { type: 'integer', description: 'a third meaning' } });
    const box = await sandbox(test, [limitA], { freshFor: 0, servers: { demo: { trusted: true } } });
    await box.start();
    box.show([limitA], 'aaa1');
    box.release([limitB]);
    const decided = async () => (await box.call('list', { limit: 5 })).answer?.hookSpecificOutput?.permissionDecision;
    assert.deepEqual([await decided(), await decided()], ['deny', undefined]);
    box.release([limitC]);
    box.show([limitC], 'aaa2');
    assert.equal(await decided(), undefined);
    box.release([limitB]);
    assert.deepEqual([await decided(), await decided()], ['deny', undefined]);
  });

  it('tells the model the new words of a trusted server, once', async (test) => {
    const box = await sandbox(test, [limitA], { freshFor: 0, servers: { demo: { trusted: true } } });
    await box.start();
    box.release([limitB]);
    const { answer } = await box.call('list', { limit: 5 });
    assert.equal(answer.hookSpecificOutput.permissionDecision, 'deny');
    assert.match(answer.hookSpecificOutput.permissionDecisionReason, /SECRET-WORDS/);
    assert.equal((await box.call('list', { limit: 5 })).answer?.hookSpecificOutput?.permissionDecision, undefined);
  });

  it('tells them again after a compaction, which puts a summary in their place', async (test) => {
    const box = await sandbox(test, [limitA], { freshFor: 0, servers: { demo: { trusted: true } } });
    await box.start();
    box.show([limitA], 'h1');
    box.release([limitB]);
    const decided = async () => (await box.call('list', { limit: 5 })).answer?.hookSpecificOutput?.permissionDecision;
    assert.deepEqual([await decided(), await decided()], ['deny', undefined]);
    await box.start({ source: 'compact' });
    box.show([limitA], 'h2');
    assert.deepEqual([await decided(), await decided()], ['deny', undefined]);
  });

  it('repeats a warning after a compaction, and not what concerns no call', async (test) => {
    const lang = { lang: { type: 'string', default: 'en' } };
    const box = await sandbox(test, [limitA, tool('find', {})], { mode: 'warn', freshFor: 0 });
    await box.start();
    box.release([limitB, tool('find', lang)]);
    const told = async () => [
      (await box.call('list', { limit: 5 })).answer?.hookSpecificOutput?.additionalContext !== undefined,
      (await box.call('find', {})).answer?.hookSpecificOutput?.additionalContext !== undefined,
    ];
    assert.deepEqual(
      [await told(), await told()],
      [
        [true, true],
        [false, false],
      ],
    );
    await box.start({ source: 'compact' });
    assert.deepEqual(
      [await told(), await told()],
      [
        [true, false],
        [false, false],
      ],
    );
  });

  for (const mode of ['guard', 'warn'])
    it(`tells them again after a rewind, in mode ${mode}: the conversation went on from before them`, async (test) => {
      const box = await sandbox(test, [limitA], { mode, freshFor: 0, servers: { demo: { trusted: true } } });
      await box.start();
      box.show([limitA], 'h1');
      box.release([limitB]);
      const write = (parentUuid: string | null, uuid: string, prompt: string, type: string, content: Json) =>
        appendFileSync(
          box.transcript,
          `${JSON.stringify({ parentUuid, isSidechain: false, promptId: prompt, type, message: { content }, uuid })}\n`,
        );
      /** A call that follows a record. Its answer is the last record of the conversation. */
      const isTold = async (after: string, id: string, prompt: string): Promise<boolean> => {
        const { answer } = await box.call('list', { limit: 5 }, { tool_use_id: id });
        write(after, `use ${id}`, prompt, 'assistant', [{ type: 'tool_use', id, name: 'mcp__demo__list', input: {} }]);
        write(`use ${id}`, id, prompt, 'user', [
          { type: 'tool_result', tool_use_id: id, content: 'x', is_error: true },
        ]);
        return answer?.hookSpecificOutput !== undefined;
      };
      write(null, 'first', 'p1', 'user', 'first');
      write('first', 'said', 'p1', 'assistant', [{ type: 'text', text: 'x' }]);
      write('said', 'second', 'p2', 'user', 'second');
      assert.equal(await isTold('second', 'toolu_1', 'p2'), true);
      // The answer to another call that was made at the same time stands in its place in the chain.
      write('use toolu_1', 'toolu_other', 'p2', 'user', [{ type: 'tool_result', tool_use_id: 'other', content: 'x' }]);
      assert.equal(await isTold('toolu_other', 'toolu_2', 'p2'), false);
      write('toolu_2', 'third', 'p3', 'user', 'third');
      assert.equal(await isTold('third', 'toolu_3', 'p3'), false);
      write('said', 'second again', 'p4', 'user', 'second, in other words');
      assert.equal(await isTold('second again', 'toolu_4', 'p4'), true);
      assert.equal(await isTold('toolu_4', 'toolu_5', 'p4'), false);
    });

  it('names to the model what makes the call wrong, and not beside it what a person would be asked', async (test) => {
    const lookup = (place: string, says: string) =>
      tool(
        'lookup',
        { [place]: { type: 'string' }, limit: { type: 'integer', description: says } },
        { additionalProperties: false },
      );
    const box = await sandbox(test, [lookup('city', 'The most entries, 1 to 50.')]);
    await box.start();
    box.release([lookup('place', 'The most entries, 0 to 49.')]);
    const { permissionDecision, permissionDecisionReason } = (await box.call('lookup', { city: 'Rabat', limit: 1 }))
      .answer.hookSpecificOutput;
    assert.deepEqual(
      [
        permissionDecision,
        /`city`/.test(permissionDecisionReason),
        /`limit`.*chang|chang.*`limit`/.test(permissionDecisionReason),
      ],
      ['deny', true, false],
      permissionDecisionReason,
    );
    const asked = (await box.call('lookup', { place: 'Rabat', limit: 1 }, { tool_use_id: 'toolu_2' })).answer;
    assert.equal(asked.hookSpecificOutput.permissionDecision, 'ask');
  });

  it('gives one notice for a change that the call does not touch', async (test) => {
    const box = await sandbox(test, [limitA]);
    await box.start();
    box.release([
      tool('list', {
        limit: { type: 'integer', description: 'most results' },
        lang: { type: 'string', default: 'en' },
      }),
    ]);
    const { answer } = await box.call('list', { limit: 5 });
    assert.deepEqual(answer, {
      systemMessage: [
        'konnichiwagwan: `list` (server `demo`) changed after this conversation learned it (1 compatible).',
        '- added: optional `lang`',
        'This call fits the current schema, so it was sent.',
      ].join('\n'),
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        additionalContext: [
          'konnichiwagwan: the contract of `list` (server `demo`) changed after this conversation learned it.',
          '- added: optional `lang`',
          'This call was let through as it is; there is no need to repeat it.',
          'From now on, call it like this: list(limit?: integer, lang?: string)',
        ].join('\n'),
      },
    });
    assert.equal((await box.call('list', { limit: 6 })).stdout, '');
  });

  it('tells no new form of a call where only words changed', async (test) => {
    const moor = (words: string) => [tool('moor', { boat: { type: 'string', description: words } })];
    const box = await sandbox(test, moor('Boat'));
    await box.start();
    box.release(moor('Boat, and whatever hangs at it'));
    const { answer } = await box.call('moor', { boat: 'Nele' });
    const told = answer?.hookSpecificOutput.additionalContext ?? '';
    assert.match(told, /`boat`: its description changed/);
    assert.doesNotMatch(told, /call it like this|moor\(/);
  });

  it('stops calls of a tool that is gone, and names its successor', async (test) => {
    const box = await sandbox(test, [weatherA, limitA]);
    await box.start();
    box.release([{ ...weatherA, name: 'get-weather' }, limitA]);
    const { answer } = await box.call('weather', { city: 'x' });
    assert.equal(answer.hookSpecificOutput.permissionDecision, 'deny');
    assert.match(
      answer.hookSpecificOutput.permissionDecisionReason,
      /is gone: .*\nThe server has get-weather\(city: string\) now\./,
    );
  });

  it('names a tool that came with other words in its name, and none that was there already', async (test) => {
    const [items, lineItems] = ['get_order_items', 'get_order_line_items'].map((name) =>
      tool(name, { order: { type: 'integer' } }),
    ) as [Contract, Contract];
    for (const [tools, successor] of [
      [[items, weatherA], true],
      [[items, lineItems], false],
    ] as const) {
      const box = await sandbox(test, [...tools]);
      await box.start();
      box.release([lineItems]);
      const { answer } = await box.call('get_order_items', { order: 1 });
      const reason = answer.hookSpecificOutput.permissionDecisionReason;
      assert.match(reason, /is gone: the server no longer has this tool/);
      assert.equal(/The server has get_order_line_items\(order\?: integer\) now/.test(reason), successor, reason);
      // A person has something to do only where the client has to learn the other name.
      const next = successor ? /\/mcp reconnect/ : /Nothing was sent, and Claude was told\.$/;
      assert.match(answer.systemMessage, next);
    }
  });

  it('does not call a tool fresh whose new name the client spells like the old one', async (test) => {
    const box = await sandbox(test, [{ ...weatherA, name: 'the_weather' }]);
    await box.start();
    box.show([{ ...weatherA, name: 'the_weather' }], 'aaa1');
    box.release([{ ...weatherA, name: 'the.weather' }]);
    const { answer } = await box.call('the_weather', { city: 'x' });
    assert.match(answer.systemMessage, /could not check .* calls it `the\.weather` now, and no longer `the_weather`/s);
    assert.equal(answer.hookSpecificOutput, undefined);
  });

  it('does not call a tool gone that moved to another gateway', async (test) => {
    const first = await startGateway('1', [weatherA]);
    test.after(() => first.close());
    const box = await sandbox(test, [], { freshFor: 0, gateways: { first: { url: first.url } } });
    await box.start();
    box.show([weatherA], 'aaa1');
    first.set('1', []);
    box.release([weatherA]);
    assert.equal((await box.call('weather', { city: 'x' })).answer?.hookSpecificOutput, undefined);
    box.release([weatherB]);
    const { answer } = await box.call('weather', { city: 'x' });
    assert.equal(answer.hookSpecificOutput.permissionDecision, 'deny');
  });

  it('does not call a tool gone that its gateway dropped before the client listed it', async (test) => {
    const box = await sandbox(test, [weatherA]);
    await box.start();
    assert.equal((await box.call('weather', { city: 'x' })).stdout, '');
    box.release([]);
    const later = { session_id: 's2', transcript_path: join(box.home, 's2.jsonl') };
    await box.start(later);
    assert.equal((await box.call('weather', { city: 'x' }, later)).stdout, '');
    box.show([weatherA], 'aaa1', later.transcript_path);
    const { answer } = await box.call('weather', { city: 'x' }, later);
    assert.match(answer.systemMessage, /could not check .* did not when the session started/s);
    assert.equal(answer.hookSpecificOutput, undefined);
  });

  it('gives the raw twin call', async (test) => {
    const twin = tool('weather_raw', { payload: { type: 'string' } }, { required: ['payload'] });
    const box = await sandbox(test, [weatherA, twin]);
    await box.start();
    box.release([weatherB, twin]);
    const { answer } = await box.call('weather', { city: 'x' });
    assert.match(
      answer.hookSpecificOutput.permissionDecisionReason,
      /mcp__demo__weather_raw \{"payload":"\{\\"location\\":\\"x\\"\}"\}/,
    );
  });

  it('says once for each server that it cannot check, and lets the call pass', async (test) => {
    const box = await sandbox(test, [weatherA]);
    await box.start();
    box.gateway.close();
    const first = await box.call('weather', { city: 'x' });
    assert.deepEqual(Object.keys(first.answer), ['systemMessage']);
    assert.match(
      first.answer.systemMessage,
      /could not check calls of server `demo`: .* cannot be reached \(ECONNREFUSED\)\. They go through unchecked\./,
    );
    assert.equal((await box.call('weather', { city: 'x' })).stdout, '');
  });

  it('knows nothing of servers that no source covers, and says nothing about them', async (test) => {
    const box = await sandbox(test, [weatherA]);
    await box.start();
    const { stdout } = await box.call(
      'other_tool',
      {},
      { tool_name: 'mcp__other__other_tool', mcp_server: { name: 'other' } },
    );
    assert.equal(stdout, '');
    const activity = readFileSync(
      join(box.state, 'activity', readdirSync(join(box.state, 'activity'))[0] ?? ''),
      'utf8',
    );
    assert.match(activity, /"verdict":"not-covered"/);
  });

  it('tells once of a server that its scope does not have, or that an agent brings', async (test) => {
    const box = await sandbox(test, [weatherA]);
    delete box.env.GATEWAY_URL;
    await box.start();
    const told = async (source: string): Promise<string | undefined> => {
      const about = { tool_name: `mcp__${source}s__look`, mcp_server: { name: `${source}s`, source } };
      const [first, second] = [await box.call('look', {}, about), await box.call('look', {}, about)];
      assert.equal(second.stdout, '', source);
      return first.answer?.systemMessage;
    };
    const agent = /server `agents`: only the definition of an agent has it.*let the agent name it\. They go/;
    assert.match((await told('agent')) ?? '', agent);
    for (const source of ['enterprise', 'local', 'managed', 'plugin', 'project', 'user'])
      assert.match(
        (await told(source)) ?? '',
        new RegExp(`Claude Code has it from scope \`${source}\`, where it is not`),
      );
    for (const source of ['sdk', 'dynamic', 'claudeai']) assert.equal(await told(source), undefined, source);
  });

  it('in mode strict, asks about a server that no source covers, until a person has said yes', async (test) => {
    const box = await sandbox(test, [weatherA]);
    writeFileSync(
      join(box.state, 'config.json'),
      JSON.stringify({ servers: { ide: { mode: 'off' } }, mode: 'strict' }),
    );
    await box.start();
    const call = async (server: string, id: string) => {
      const about = { tool_name: `mcp__${server}__look`, mcp_server: { name: server }, tool_use_id: id };
      return (await box.call('look', {}, about)).answer?.hookSpecificOutput;
    };
    for (const id of ['toolu_1', 'toolu_2']) {
      const asked = await call('other', id);
      assert.equal(asked?.permissionDecision, 'ask');
      assert.match(asked?.permissionDecisionReason ?? '', /this call of server `other`: no source lists this tool/);
    }
    assert.equal(await call('ide', 'toolu_3'), undefined);
    const block = { type: 'tool_result', tool_use_id: 'toolu_2', content: 'ok' };
    appendFileSync(
      box.transcript,
      `${JSON.stringify({ type: 'user', message: { role: 'user', content: [block] } })}\n`,
    );
    for (const id of ['toolu_4', 'toolu_5']) assert.equal(await call('other', id), undefined);
    assert.equal((await call('another', 'toolu_6'))?.permissionDecision, 'ask');
  });

  for (const mode of ['guard', 'strict'])
    it(`says nothing of calls of its own tool, in mode ${mode}`, async (test) => {
      const box = await sandbox(test, [weatherA], { mode });
      writeFileSync(join(box.project, '.mcp.json'), JSON.stringify({ mcpServers: { [GUARD_SERVER]: GUARD_ENTRY } }));
      await box.start();
      for (const [name, source] of [
        ['plugin:konnichiwagwan:guard', 'plugin'],
        [GUARD_SERVER, 'project'],
      ] as const)
        for (const GATEWAY_URL of [box.env.GATEWAY_URL, '']) {
          const tool_name = `mcp__${name.replaceAll(':', '_')}__contract`;
          const given = { tool_name, mcp_server: { name, source } };
          assert.equal((await box.call('contract', {}, given, { GATEWAY_URL })).stdout, '');
          const input = JSON.stringify(box.input('contract', {}, given));
          const { stdout } = await drive('cli.cjs', input, { ...box.env, GATEWAY_URL }, ['explain'], true);
          assert.match(stdout, /verdict: +off: calls .* are not checked\nunless: +nothing: it is konnichiwagwan's own/);
        }
    });

  it('takes the name apart where the client does not tell the server', async (test) => {
    const box = await sandbox(test, [weatherA]);
    await box.start();
    box.release([weatherB]);
    const { answer } = await box.call(
      'weather',
      { city: 'x' },
      { mcp_server: null, tool_name: 'mcp__my__server__weather' },
    );
    assert.equal(answer.hookSpecificOutput.permissionDecision, 'deny');
  });

  it('finds the name that the settings have for it, whatever signs the client replaced', async (test) => {
    const [server, untold] = ['claude.ai Mail', { mcp_server: null, tool_name: 'mcp__claude_ai_Mail__weather' }];
    const gateway = await startGateway('1', [weatherA]);
    test.after(() => gateway.close());
    const box = await sandbox(test, [], {
      freshFor: 0,
      gateways: { mail: { url: gateway.url, servers: [server] } },
      servers: { [server]: { mode: 'warn' } },
    });
    await box.start();
    gateway.set('1', [weatherB]);
    const { answer } = await box.call('weather', { city: 'x' }, untold);
    assert.match(answer.systemMessage, /`weather` \(server "claude\.ai Mail"\) changed/);
    assert.equal(answer.hookSpecificOutput?.permissionDecision, undefined);
  });

  it('writes names and verdicts to its log, and neither arguments nor text', async (test) => {
    const box = await sandbox(test, [limitA]);
    await box.start();
    await box.call('list', { limit: 424242 });
    const log = readFileSync(join(box.state, 'activity', readdirSync(join(box.state, 'activity'))[0] ?? ''), 'utf8');
    const { at, ...line } = JSON.parse(log);
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
    assert.deepEqual(line, { session: 's1', server: 'demo', tool: 'mcp__demo__list', verdict: 'silence' });
  });

  it('keeps its files to their owner', { skip: process.platform === 'win32' }, async (test) => {
    const box = await sandbox(test, [limitA]);
    await box.start();
    await box.call('list', { limit: 1 });
    const entries = readdirSync(box.state, { recursive: true, encoding: 'utf8' });
    assert.ok(entries.length > 6);
    for (const entry of entries) assert.equal(statSync(join(box.state, entry)).mode & 0o077, 0, entry);
  });
});

describe('modes', () => {
  const drifted = async (
    test: Parameters<typeof sandbox>[0],
    config: Parameters<typeof sandbox>[2],
    project?: unknown,
  ) => {
    const box = await sandbox(test, BEFORE, { freshFor: 0, ...config });
    if (project !== undefined) writeFileSync(join(box.project, '.claude/konnichiwagwan.json'), JSON.stringify(project));
    await box.start();
    box.release(AFTER);
    return box;
  };
  const decision = async (box: Awaited<ReturnType<typeof drifted>>) =>
    (await box.call('create_export', { dataset: 'x' })).answer?.hookSpecificOutput?.permissionDecision;

  it('off: silence', async (test) =>
    assert.equal((await (await drifted(test, { mode: 'off' })).call('create_export', {})).stdout, ''));
  it('warn: a notice', async (test) => {
    const { answer } = await (await drifted(test, { mode: 'warn' })).call('create_export', { dataset: 'x' });
    assert.match(answer.systemMessage, /the mode is warn, so it was sent/);
    assert.equal(answer.hookSpecificOutput.permissionDecision, undefined);
  });
  it('strict: what could not be checked is asked about', async (test) => {
    const box = await drifted(test, { mode: 'strict' });
    box.gateway.close();
    assert.equal(await decision(box), 'ask');
  });
  it('strict: a stop promises nothing of a call in the new form, which is stopped, too', async (test) => {
    const box = await sandbox(test, [weatherA], { freshFor: 0, mode: 'strict' });
    await box.start();
    box.show([weatherA], 'aaa1');
    box.release([weatherB]);
    for (const args of [{ city: 'x' }, { location: 'x' }]) {
      const { answer } = await box.call('weather', args);
      const { permissionDecision, permissionDecisionReason: why } = answer.hookSpecificOutput;
      assert.equal(permissionDecision, 'deny');
      assert.match(why, /weather\(location: string\)[\s\S]*no call of a changed tool goes through before a person has/);
      assert.doesNotMatch(why, /Call it in its current form|This call with its new names/);
      assert.match(answer.systemMessage, /\/mcp reconnect demo, then \/clear \(or start a new session\)\.$/);
      assert.doesNotMatch(answer.systemMessage, /Nothing to do/);
    }
    for (const command of ['probe', 'status']) {
      const { stdout } = await drive('cli.cjs', null, box.env, [command, '--session', 's1'], true);
      assert.match(stdout, /To show the model the new contract/, command);
      assert.doesNotMatch(stdout, /sent without that/, command);
    }
    const input = JSON.stringify(box.input('weather', { location: 'x' }));
    const { stdout } = await drive('cli.cjs', input, box.env, ['explain'], true);
    assert.match(stdout, /a refreshed session: the mode is strict\. To show the model/);
    assert.doesNotMatch(stdout, /a call in the current form/);
    const failed = await box.fail('weather', { city: 'x' }, 'Unrecognized key: city');
    assert.match(failed.answer.hookSpecificOutput.additionalContext, /before a person has refreshed the session\.$/);
  });
  it('strict: where no transcript shows the tool, a /clear does not help, and is not advised', async (test) => {
    const box = await sandbox(test, [weatherA], { freshFor: 0, mode: 'strict' });
    const told = async (session_id: string, source: string) => {
      await box.start({ session_id, transcript_path: '', source });
      if (source === 'startup') box.release([weatherB]);
      const { answer } = await box.call('weather', { location: 'x' }, { session_id, transcript_path: '' });
      return answer?.systemMessage;
    };
    const advice = /start a new session \(\/clear is not enough here\)\.$/;
    assert.match(await told('s1', 'startup'), advice);
    assert.match(await told('s2', 'clear'), advice);
    assert.equal(await told('s3', 'startup'), undefined);
  });
  it('one server can have its own', async (test) => {
    const box = await drifted(test, { servers: { demo: { mode: 'off' } } });
    assert.equal(await decision(box), undefined);
  });
  it('a project makes it stricter', async (test) => {
    assert.equal(await decision(await drifted(test, { mode: 'warn' }, { mode: 'guard' })), 'deny');
  });
  it('a project cannot make it looser', async (test) => {
    assert.equal(await decision(await drifted(test, {}, { mode: 'off', servers: { demo: { mode: 'off' } } })), 'deny');
    const settings = { mode: 'off', gateways: {}, trusted: true };
    assert.equal(await decision(await drifted(test, {}, settings)), 'deny');
  });
  it('a project cannot break it with its file either', { skip: process.platform === 'win32' }, async (test) => {
    const box = await drifted(test, {});
    symlinkSync('/dev/zero', join(box.project, '.claude/konnichiwagwan.json'));
    assert.equal(await decision(box), 'deny');
  });
  it("KONNICHIWAGWAN=off is the user's switch, not the repository's", async (test) => {
    const box = await drifted(test, {});
    const off = { KONNICHIWAGWAN: 'off' };
    assert.equal((await box.call('create_export', { dataset: 'x' }, {}, off)).stdout, '');
    writeFileSync(join(box.project, '.claude/settings.json'), JSON.stringify({ env: off }));
    assert.match((await box.call('create_export', { dataset: 'x' }, {}, off)).stdout, /"deny"/);
  });
});

describe('after a call failed', () => {
  const read = (more: JsonObject = {}, description = 'Reads a file.') =>
    tool('read', { path: { type: 'string' }, ...more }, { required: ['path'] }, { description });
  const renamedRead = tool(
    'read',
    { file: { type: 'string' } },
    { required: ['file'], additionalProperties: false },
    { description: 'Reads a file.' },
  );
  for (const [what, now, error, isDrift] of [
    ['no file, and a new parameter', read({ encoding: { type: 'string' } }), 'file not found: /x', false],
    ['a sign-in, and a new word', read({}, 'Reads a file quickly.'), '401: authentication required', false],
    ['a fault of the server', read({}, 'Reads a file quickly.'), "of undefined (reading 'rows')", false],
    ['a certificate, and a new word', read({}, 'Reads a file quickly.'), 'certificate validation failed', false],
    ['too many calls, and another name', renamedRead, '429: too many requests, retry in 400ms', false],
    ['no connection, and another name', renamedRead, "can't reach the backend: socket hang up", false],
    ['a secret, and a new word', read({}, 'Reads a file quickly.'), 'API key was not provided', false],
    ['another format, and a new word', read({}, 'Reads a file quickly.'), 'unrecognized file format', false],
    ...(
      [
        ['zod', "Unrecognized key(s) in object: 'path'"],
        ['pydantic', '1 validation error for call[read]\npath\n  Unexpected keyword argument'],
        ['ajv', 'data must NOT have additional properties'],
        ['jsonschema', "Additional properties are not allowed ('path' was unexpected)"],
        ['jsonschema, of a value', "'/x' is not one of ['a', 'b']"],
        ['JSON-RPC', 'MCP error -32602: bad request'],
        ['a REST API', 'the backend answered 422 Unprocessable Content'],
        ['a REST API, in words', 'Bad Request'],
        ['a parser', "can't parse /x as a date"],
        ['a type', 'could not convert string to float: /x'],
        ['a bound', 'the value is out of range'],
        ['a length', 'value too long'],
        ['a reader of fields', 'no such field'],
        ['a backend', '/x is not supported here'],
      ] as const
    ).map(([by, error]) => [`another name, by ${by}`, renamedRead, error, true] as const),
    ['the new parameter by name', read({ encoding: { type: 'string' } }), 'encoding is required', true],
    ['arguments, and new words', read({}, 'Reads a file quickly.'), 'MCP error -32602: Invalid arguments', true],
  ] as const)
    it(`${what}: is ${isDrift ? '' : 'not '}called drift`, async (test) => {
      const box = await sandbox(test, [read()]);
      await box.start();
      box.release([now]);
      const { answer } = await box.fail('read', { path: '/x' }, error);
      assert.equal(answer !== undefined, isDrift, JSON.stringify(answer));
    });

  it('names drift as the cause', async (test) => {
    const box = await sandbox(test, [weatherA]);
    await box.start();
    box.release([weatherB]);
    const { answer } = await box.fail('weather', { city: 'x' }, 'MCP error -32602: Invalid arguments');
    assert.equal(answer.hookSpecificOutput.hookEventName, 'PostToolUseFailure');
    assert.match(
      answer.hookSpecificOutput.additionalContext,
      /looks like drift, not like a broken tool[\s\S]*weather\(location: string\)/,
    );
  });
  it('says nothing about tools that have not drifted, and about other errors', async (test) => {
    const box = await sandbox(test, [weatherA]);
    await box.start();
    assert.equal((await box.fail('weather', { city: 'x' }, 'MCP error -32602: Invalid arguments')).stdout, '');
    box.release([weatherB]);
    assert.equal((await box.fail('weather', { city: 'x' }, 'connection reset')).stdout, '');
  });
});

describe('hook input is checked, never cast', () => {
  const inputs: [string, string | null][] = [
    ['nothing', ''],
    ['no standard input at all', null],
    ['not JSON', '{"session_id":'],
    ['null', 'null'],
    ['a number', '42'],
    ['an array', '[]'],
    ['no fields', '{}'],
    ['numbers where strings belong', '{"session_id":1,"hook_event_name":2,"tool_name":3,"tool_input":4}'],
    [
      'a session that leaves the folder',
      '{"session_id":"../../x","hook_event_name":"PreToolUse","tool_name":"mcp__a__b"}',
    ],
    [
      'an agent that leaves the folder',
      '{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"mcp__a__b","agent_id":"../x"}',
    ],
    ['no name of a tool', '{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":""}'],
    [
      'arguments that are a text',
      '{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"mcp__a__b","tool_input":"x"}',
    ],
    ['51 MB', `{"session_id":"${'x'.repeat(51 * 1024 * 1024)}"}`],
  ];
  for (const [what, input] of inputs) {
    for (const [file, event] of [
      ['guard', 'PreToolUse'],
      ['tool-failure', 'PostToolUseFailure'],
      ['session-start', 'SessionStart'],
    ]) {
      it(`${file}: ${what}`, async (test) => {
        const box = await sandbox(test, []);
        const { stdout, stderr, code, answer } = await drive(`${file}.cjs`, input, box.env);
        assert.equal(code, 0);
        assert.equal(stderr, '');
        if (file === 'session-start' && answer === undefined && stdout === '') return;
        assert.deepEqual(Object.keys(answer), ['systemMessage'], event);
        assert.match(answer.systemMessage, /^konnichiwagwan could not check: .+ Run: konnichiwagwan doctor$/);
      });
    }
  }

  it('says nothing of a tool that is none of MCP, also in mode strict: somebody widened the matcher', async (test) => {
    const box = await sandbox(test, [], { mode: 'strict' });
    const input = (event: string) => `{"session_id":"s1","hook_event_name":"${event}","tool_name":"Bash"}`;
    for (const [file, event] of [
      ['guard', 'PreToolUse'],
      ['tool-failure', 'PostToolUseFailure'],
    ] as const) {
      const { stdout, stderr, code } = await drive(`${file}.cjs`, input(event), box.env);
      assert.deepEqual([stdout, stderr, code], ['', '', 0]);
    }
    const named = input('PreToolUse').replace('}', ',"mcp_server":{"name":"demo"}}');
    const { answer } = await drive('guard.cjs', named, box.env);
    assert.match(answer.systemMessage, /could not check/);
  });

  it('takes 40 MB of arguments', async (test) => {
    const box = await sandbox(test, [limitA]);
    await box.start();
    const { stdout, code } = await box.call('list', { text: 'x'.repeat(40 * 1024 * 1024) });
    assert.deepEqual([stdout, code], ['', 0]);
  });

  it('stops a call that has to be stopped though its reader went away: by its exit code', async (test) => {
    const box = await sandbox(test, [weatherA]);
    await box.start();
    box.release([weatherB]);
    const child = spawn(process.execPath, [resolve('dist/guard.cjs')], {
      env: { PATH: process.env.PATH, ...box.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.stdin.end(JSON.stringify(box.input('weather', { city: 'x' })));
    const code = await new Promise((done) => child.on('close', done));
    assert.equal(code, 2);
    assert.match(stderr, /^konnichiwagwan could not print its answer \(EPIPE\): konnichiwagwan stopped this call/);
  });

  it('works, and says so, where state cannot be written', async (test) => {
    const box = await sandbox(test, [weatherA]);
    const file = join(box.home, 'a-file');
    writeFileSync(file, '');
    const env = { KONNICHIWAGWAN_HOME: join(file, 'state') };
    const started = await drive(
      'session-start.cjs',
      JSON.stringify({ session_id: 's1', hook_event_name: 'SessionStart', source: 'startup' }),
      { ...box.env, ...env },
    );
    assert.match(started.answer.systemMessage, /the baseline could not be written to .*a-file.state.? \(ENOTDIR\)/);
    const { code, answer } = await box.call('weather', { city: 'x' }, {}, env);
    assert.equal(code, 0);
    assert.match(answer.systemMessage, /could not check calls of server `demo`/);
    assert.equal(existsSync(join(file, 'state')), false);
  });
});
