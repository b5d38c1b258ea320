// Facts learned under other circumstances, in the real client: a question that a stop must not settle, a tool that appears
// in mid-conversation, a server that moved, and a guard whose first look comes after the model's.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tool } from './fixture-server.ts';
import { asInstalled, INSTALL, release, titleOf } from './forms.ts';
import { HttpServer } from './http-server.ts';
import { Program } from './program.ts';
import { editSettings, type HeadlessRun, removeSandboxes, runHeadless, type Sandbox, sandbox } from './run.ts';
import { type Answer, type Json, toolResults } from './stub-model.ts';

/** Waits until earlier answers no longer count as live. */
const past = () => sleep(2_100);
const end: Answer = { text: 'the end' };

const takes = (name: string, parameters: Json, more: Partial<Tool> = {}): Tool => ({
  name,
  description: `Does ${name}`,
  inputSchema: {
    type: 'object',
    properties: parameters,
    required: Object.keys(parameters),
    additionalProperties: false,
  },
  ...more,
});
const text = { type: 'string' };
const other = takes('other', {});
const old = takes('weather', { city: text });
const now = takes('weather', { location: text });

const open: HttpServer[] = [];
const serve = async (tools: Tool[]): Promise<HttpServer> => {
  const server = await HttpServer.start({ era: 'session', tools });
  open.push(server);
  return server;
};
after(async () => {
  await Promise.all(open.map((server) => server.close()));
  await removeSandboxes();
});

const world = (): Sandbox => {
  const box = sandbox();
  editSettings(box.home, (settings) => {
    settings.permissions = { allow: ['mcp__sw'] };
  });
  return box;
};

/** Sets the server in the user's settings; the rest of the client's own file stays. */
const configure = ({ home, cwd }: Sandbox, { entry }: { entry: Json }): void => {
  const path = join(home, '.claude.json');
  let state: Json = { projects: { [cwd]: { hasTrustDialogAccepted: true } } };
  try {
    state = JSON.parse(readFileSync(path, 'utf8')) as Json;
  } catch {
    mkdirSync(dirname(path), { recursive: true });
  }
  writeFileSync(path, JSON.stringify({ ...state, mcpServers: { sw: entry } }));
};

const call = (name: string, input: Json, before?: () => unknown): Answer => ({
  tool: `mcp__sw__${name}`,
  input,
  ...(before ? { before } : {}),
});

const results = ({ requests }: HeadlessRun) => toolResults(requests.at(-1)?.body);
const argumentsAt = ({ calls }: HttpServer): unknown[] => calls.map((one) => one.arguments);
const toPerson = ({ hooks }: HeadlessRun): string => hooks.map(({ stdout }) => stdout).join('\n');

for (const one of asInstalled) {
  const { version, form } = one;
  const install = INSTALL[form];
  describe(`${titleOf(one)}: what was learned under other circumstances`, () => {
    it('an entry that names another address while the client stays connected: told, not asked there', async () => {
      const box = world();
      install(box.home);
      const [connected, named] = [await serve([other, old]), await serve([other, old])];
      configure(box, connected);
      const move = async () => {
        configure(box, named);
        connected.announce([other, now]);
        await past();
      };
      const steps = [call('weather', { city: 'Asmara' }), call('weather', { city: 'Keren' }, move), end];
      const run = await runHeadless({ version, ...box, steps });
      assert.deepEqual([argumentsAt(connected).length, argumentsAt(named).length], [2, 0]);
      assert.match(toPerson(run), /could not check calls of server `sw`: its entry in the settings changed/);
    });

    it('an entry that names an address in place of a program: the client stays with the program', async () => {
      const box = world();
      install(box.home);
      const named = await serve([other, now]);
      const program = new Program(join(box.dir, 'program'), [other, old]);
      configure(box, program);
      const move = () => configure(box, named);
      const steps = [call('weather', { city: 'Asmara' }), call('weather', { city: 'Keren' }, move), end];
      const run = await runHeadless({ version, ...box, steps });
      assert.deepEqual([program.calls().length, argumentsAt(named).length], [2, 0]);
      assert.match(toPerson(run), /could not check calls of server `sw`: its entry in the settings changed/);
    });

    it('a server that another session turned off while the client stays connected: its calls are judged', {
      // An older client does not tell which server a call goes to.
      skip: version === '2.1.197',
    }, async () => {
      const box = world();
      install(box.home);
      const server = await serve([other, old]);
      configure(box, server);
      const turnOff = async () => {
        const path = join(box.home, '.claude.json');
        const state = JSON.parse(readFileSync(path, 'utf8'));
        state.projects[box.cwd].disabledMcpServers = ['sw'];
        writeFileSync(path, JSON.stringify(state));
        server.announce([other, now]);
        await past();
      };
      const stale = call('weather', { city: 'Keren' }, turnOff);
      const steps = [call('weather', { city: 'Asmara' }), stale, call('weather', { location: 'Keren' }), end];
      const run = await runHeadless({ version, ...box, steps });
      assert.deepEqual(argumentsAt(server), [{ city: 'Asmara' }, { location: 'Keren' }]);
      assert.match(results(run)[1]?.text ?? '', /konnichiwagwan stopped this call/);
      assert.doesNotMatch(toPerson(run), /could not check/);
    });

    it('a conversation that an older client goes on with, which shows what it does not record: not called fresh', {
      // In the older client, a guard that stays may not be there at the first call.
      skip: version === '2.1.332' && form === 'command' ? false : 'in the newer client, with a process for each call',
    }, async () => {
      const box = world();
      install(box.home);
      const paid = (unit: string) => takes('pay', { amount: { type: 'number', description: `In ${unit}` } });
      const server = await serve([other, paid('euros')]);
      configure(box, server);
      const first = await runHeadless({ version, ...box, steps: [call('pay', { amount: 1 }), end] });
      server.set([other, paid('cents')]);
      const back = () => {
        server.set([other, paid('euros')]);
        return past();
      };
      const steps = [call('pay', { amount: 100 }, back), end];
      const run = await runHeadless({ version: '2.1.197', ...box, args: ['--resume', first.sessionId], steps });
      assert.match(JSON.stringify(run.requests[0]?.body.tools), /In cents/);
      assert.match(toPerson(run), /does not record which tool contracts it shows the model here/);
    });

    const lacksRequests = version === '2.1.332' ? false : 'its transcript does not say when it made a request';
    it('calls of one turn by old words are all stopped; the next turn goes by the new ones', {
      skip: lacksRequests,
    }, async () => {
      const box = world();
      install(box.home);
      const state = join(box.home, '.claude', 'konnichiwagwan');
      mkdirSync(state, { recursive: true, mode: 0o700 });
      writeFileSync(join(state, 'config.json'), JSON.stringify({ servers: { sw: { trusted: true } } }), {
        mode: 0o600,
      });
      const inWords = (description: string) => takes('pay', { amount: { type: 'integer', description } });
      const server = await serve([inWords('Amount in dollars')]);
      configure(box, server);
      const change = async () => {
        server.announce([inWords('Amount in cents')]);
        await past();
      };
      const together: Answer = {
        tools: [2, 3, 4].map((amount) => ({ tool: 'mcp__sw__pay', input: { amount } })),
        before: change,
      };
      const steps = [call('pay', { amount: 1 }), together, call('pay', { amount: 500 }), end];
      const run = await runHeadless({ version, ...box, steps });
      assert.deepEqual(argumentsAt(server), [{ amount: 1 }, { amount: 500 }]);
      assert.deepEqual(
        results(run).map(({ isError }) => isError),
        [false, true, true, true, false],
      );
    });

    it('a stop for one reason does not answer a question for another one', async () => {
      const box = world();
      install(box.home);
      const euros = { type: 'integer', description: 'Amount in euros.' };
      const cents = { type: 'integer', description: 'Amount in cents.' };
      const server = await serve([takes('pay', { amount: euros }, { annotations: { readOnlyHint: true } })]);
      configure(box, server);
      const change = () =>
        release(one, server, [takes('pay', { amount: cents, to: text }, { annotations: { readOnlyHint: false } })]);
      const run = await runHeadless({
        version,
        ...box,
        steps: [
          call('pay', { amount: 5 }),
          call('pay', { amount: 5 }, change),
          call('pay', { amount: 5, to: 'x' }),
          end,
        ],
      });
      assert.deepEqual(argumentsAt(server), [{ amount: 5 }], 'neither the stale nor the repaired call is sent');
      assert.match(results(run).at(-1)?.text ?? '', /A person has to say yes/);
    });

    it('a tool that appears in mid-conversation is asked about', async () => {
      const box = world();
      install(box.home);
      const server = await serve([other]);
      configure(box, server);
      const appear = async () => {
        server.announce([other, old]);
        await past();
      };
      const change = () => release(one, server, [other, now]);
      const steps = [
        call('other', {}),
        { text: 'thinking', ...call('other', {}, appear) },
        call('weather', { city: 'one' }),
        call('weather', { city: 'stale' }, change),
        end,
      ];
      const run = await runHeadless({ version, ...box, steps });
      const weather = server.calls.filter(({ name }) => name === 'weather').map((one) => one.arguments);
      assert.deepEqual(weather, [{ city: 'one' }], `the stale call is not sent:\n${toPerson(run)}`);
      assert.match(results(run).at(-1)?.text ?? '', /konnichiwagwan stopped this call/);
    });

    it('a server that moved between two runs of one conversation is asked where it is now', async (t) => {
      const box = world();
      install(box.home);
      const [before, moved] = [await serve([old]), await serve([now])];
      configure(box, before);
      const first = await runHeadless({
        version,
        ...box,
        steps: [call('weather', { city: '1' }), call('weather', { city: '2' }, past), end],
      });
      configure(box, moved);
      before.seen.length = 0;
      const second = await runHeadless({
        version,
        ...box,
        args: ['--resume', first.sessionId],
        steps: [call('weather', { city: 'stale' }), end],
      });
      const shown = second.requests[0]?.body.tools?.find(({ name }) => name === 'mcp__sw__weather')?.input_schema;
      t.diagnostic(`after the resume the model sees ${JSON.stringify(shown)}`);
      assert.deepEqual(before.by('guard'), [], 'where it was, nobody asks any more');
      assert.ok(moved.by('guard').length > 0, 'where it is now, it is asked');
      // If the client itself took over the new contract, the model knows it, and the server refuses the call.
      const knowsNow = JSON.stringify(shown ?? {}).includes('location');
      if (!knowsNow) assert.deepEqual(argumentsAt(moved), [], toPerson(second));
      else assert.match(toPerson(second), /could not check|stopped/, 'never a silent pass');
    });

    it('a guard whose first look comes after the model’s does not take it for the model’s', async (t) => {
      const box = world();
      const server = await serve([old]);
      configure(box, server);
      const env = { MCP_DISCOVERY_CACHE: '1' };
      await runHeadless({ version, ...box, env, steps: [call('weather', { city: 'one' }), end] });
      install(box.home);
      server.set([now]);
      const run = await runHeadless({
        version,
        ...box,
        env,
        steps: [call('weather', { city: 'stale' }, () => sleep(1_000)), end],
      });
      const shown = run.requests[0]?.body.tools?.find(({ name }) => name === 'mcp__sw__weather')?.input_schema;
      t.diagnostic(`from its cache the client shows ${JSON.stringify(shown)}`);
      if (JSON.stringify(shown ?? {}).includes('location')) return void t.skip('this client does not use its cache');
      assert.deepEqual(argumentsAt(server), [{ city: 'one' }], toPerson(run));
      assert.match(results(run).at(-1)?.text ?? '', /konnichiwagwan stopped this call/);
    });
  });
}
