// The wire of the resident guard, without its verdicts: what each request is answered with, also where an error of ours cuts it
// off. And the user's switch.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ResidentGuard } from '../scripts/resident/resident-guard.ts';
import { type ResidentProcess, serve, type Tools } from '../scripts/resident/serve.ts';
import { remove } from '../scripts/state/in-use.ts';

type Said = { id: unknown; result?: { content?: { text: string }[] }; error?: { code: number } };

/** A server with these tools; `crash` is an error that nothing of ours has caught. */
const world = (tools: Partial<Tools>) => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const said: Said[] = [];
  let rest = '';
  stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    said.push(...lines.map((line) => JSON.parse(line)));
  });
  const exits: number[] = [];
  const heard = new Map<string, (error: unknown) => void>();
  const own = {
    ...{ env: {}, ppid: 1, stdin, stdout, exit: (code: number) => void exits.push(code) },
    on: (event: string, listener: (error: unknown) => void) => void heard.set(event, listener),
  } as ResidentProcess;
  const failed: Tools['failed'] = (error, name, args) => `failed: ${error}, ${name}, ${JSON.stringify(args)}`;
  const all = { call: async () => 'answer', failed, cancelled: () => {}, close: async () => {}, ...tools };
  serve(async () => all, own);
  /** Sends lines, and gives what they are answered with: the texts, or the codes of errors, by their ids. */
  const send = async (...lines: (object | string)[]): Promise<unknown[][]> => {
    const from = said.length;
    for (const line of lines) stdin.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
    for (let turns = 0; turns < 5; turns++) await turn();
    return said.slice(from).map(({ id, result, error }) => [id, result?.content?.[0]?.text ?? error?.code ?? result]);
  };
  const crash = (event: string, error: unknown): void => heard.get(event)?.(error);
  return { send, crash, exits };
};
const call = (id: number, name: unknown, args?: unknown, meta?: object) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name, arguments: args, _meta: meta },
});

describe('a call of a tool of the resident guard', () => {
  it('gets the tool’s answer, and what our error says where that cuts it off', async () => {
    const { send } = world({
      call: async (name, args, meta) => {
        if (args.fails) throw new Error('a bug');
        return JSON.stringify([name, args, meta]);
      },
    });
    const args = { tool_use_id: 'toolu_1' };
    assert.deepEqual(await send(call(1, 'check', args, { cause: 'x' }), call(2, 'contract')), [
      [1, JSON.stringify(['check', args, { cause: 'x' }])],
      [2, '["contract",{},{}]'],
    ]);
    assert.deepEqual(await send(call(3, 'check', { fails: true })), [
      [3, 'failed: Error: a bug, check, {"fails":true}'],
    ]);
    assert.deepEqual(await send(call(4, 'other'), call(5, 7)), [
      [4, -32602],
      [5, -32602],
    ]);
  });

  it('is a message with an id; what is none is said to be none', async () => {
    const { send } = world({});
    const none = [null, -32700];
    assert.deepEqual(
      await send('{', '7', '{}', { id: {}, method: 'ping' }, { id: 8, result: {} }, ''),
      Array(4).fill(none),
    );
    assert.deepEqual(await send({ id: null, method: 'ping' }, { id: 'a', method: 'ping' }), [['a', {}]]);
  });

  it('that the client no longer waits for is told to the tools, with what it was about', async () => {
    const gone: unknown[] = [];
    const { send } = world({
      call: () => new Promise(() => {}),
      cancelled: (...about) => void gone.push(about),
    });
    await send(call(1, 'check', { a: 1 }, { cause: 'x' }));
    for (const requestId of [1, 2]) await send({ method: 'notifications/cancelled', params: { requestId } });
    assert.deepEqual(gone, [['check', { a: 1 }, { cause: 'x' }]]);
  });

  for (const event of ['uncaughtException', 'unhandledRejection'])
    it(`that is open at an ${event} is answered, and the process ends: the next one starts without its state`, async () => {
      const { send, crash, exits } = world({
        call: (_name, { waits }) => (waits ? new Promise(() => {}) : Promise.resolve('answer')),
      });
      await send(call(1, 'check', { waits: 1 }), call(2, 'check'), call(3, 'contract', { waits: 1 }));
      crash(event, new Error('a bug'));
      assert.deepEqual(await send(), [
        [1, 'failed: Error: a bug, check, {"waits":1}'],
        [3, 'failed: Error: a bug, contract, {"waits":1}'],
      ]);
      assert.deepEqual(exits, [1]);
    });
});

it('KONNICHIWAGWAN=off switches a hook off, unless the repository says it', async (test) => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-switch-'));
  const project = join(home, 'project');
  mkdirSync(join(project, '.claude'), { recursive: true });
  const env = { HOME: home, KONNICHIWAGWAN_HOME: join(home, 'state'), CLAUDE_PROJECT_DIR: project };
  const answer = async (more: NodeJS.ProcessEnv): Promise<object> => {
    const guard = new ResidentGuard({ ...env, ...more });
    try {
      return await guard.answer({ hook_event_name: 'Other', session_id: 's1' });
    } finally {
      await guard.close();
    }
  };
  test.after(() => remove(home));
  assert.deepEqual(await answer({ KONNICHIWAGWAN: 'off' }), {});
  assert.deepEqual(readdirSync(home), ['project'], 'nothing is written');
  await assert.rejects(answer({}), /unexpected form/);
  writeFileSync(join(project, '.claude/settings.json'), JSON.stringify({ env: { KONNICHIWAGWAN: 'off' } }));
  await assert.rejects(answer({ KONNICHIWAGWAN: 'off' }), /unexpected form/);
});
