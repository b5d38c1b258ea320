// The guard without a gateway: it asks the servers of Claude Code's own configuration, in the real client. Starting the
// client takes seconds, so many servers share one conversation; each test looks at one of them.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { repo } from './client.ts';
import type { Tool } from './fixture-server.ts';
import { asInstalled, type Case, type Form, INSTALL, isSilent, titleOf } from './forms.ts';
import { type Era, type HttpOptions, HttpServer } from './http-server.ts';
import { until } from './interactive.ts';
import { Program } from './program.ts';
import {
  editSettings,
  type HeadlessRun,
  type McpServers,
  removeSandboxes,
  runHeadless,
  type Sandbox,
  sandbox,
} from './run.ts';
import { type Answer, type Json, type RequestBody, toolResults } from './stub-model.ts';

const oldArgs = { city: 'Utrecht' };
const newArgs = { location: 'Utrecht' };

/**
 * The old contract and the new one. The client calls read-only tools in parallel; the resident guard lets such a call go out
 * by an answer from before the change, and reports that afterwards, which resident.test.ts covers.
 */
const toolsFor = (form: Form): [Tool, Tool] => {
  const weather = (parameter: string): Tool => ({
    name: 'weather',
    description: 'Weather of today',
    inputSchema: {
      type: 'object',
      properties: { [parameter]: { type: 'string' } },
      required: [parameter],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: form === 'command' },
  });
  return [weather('city'), weather('location')];
};

/** DESIGN §10: how long an answer counts as live. */
const freshFor = 2_000;
const end: Answer = { text: 'the end' };
const served = (...args: Json[]) => args.map((given) => ({ name: 'weather', arguments: given }));
const toolOf = (server: string): string => `mcp__${server.replaceAll(':', '_')}__weather`;
const callAll = (names: string[], input: Json, first?: () => unknown): Answer => ({
  tools: names.map((name) => ({ tool: toolOf(name), input })),
  before: first,
});

const write = (path: string, value: unknown): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(value));
};

const open: HttpServer[] = [];
const serve = async (options: HttpOptions): Promise<HttpServer> => {
  const server = await HttpServer.start(options);
  open.push(server);
  return server;
};

/** What our hooks said about one server: to the person, to the model. */
const said = ({ hooks }: HeadlessRun, server: string) =>
  hooks
    .filter((hook) => hook.name.includes(toolOf(server)) && !isSilent(hook))
    .map(({ stdout }) => JSON.parse(stdout) as { systemMessage?: string; hookSpecificOutput?: Json });

const messages = (run: HeadlessRun, server: string): string[] =>
  said(run, server).flatMap(({ systemMessage }) => systemMessage ?? []);

/** The outcomes of a server's calls, in order, as shown to the model. */
const outcomes = (requests: HeadlessRun['requests'], server: string): { text: string; isError: boolean }[] => {
  const body = requests.at(-1)?.body;
  const uses = body?.messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content)) ?? [];
  const mine = new Set(
    uses.filter((use) => (use as unknown as { name?: string }).name === toolOf(server)).map((use) => (use as Json).id),
  );
  const blocks = uses.filter(({ type, tool_use_id }) => type === 'tool_result' && mine.has(tool_use_id));
  return toolResults(body && { ...body, messages: [{ role: 'user', content: blocks }] });
};

const assertServed = (outcome: { text: string } | undefined): void =>
  assert.match(outcome?.text ?? 'no result', /^served weather/);

const assertDenied = (outcome: { text: string; isError: boolean } | undefined): void => {
  assert.ok(outcome?.isError, `not stopped: ${outcome?.text}`);
  assert.match(outcome.text, /konnichiwagwan stopped this call/);
  assert.match(outcome.text, /weather\(location: string\)/);
};

const assertNoCrash = (t: TestContext, { hooks }: HeadlessRun): void => {
  // Helps to understand a failed test: what our hooks said.
  for (const { name, exitCode, stdout, stderr } of hooks) {
    if (stdout + stderr !== '') t.diagnostic(`${name}: exit ${exitCode} ${stdout}${stderr}`);
  }
  for (const { name, exitCode, stderr } of hooks) assert.equal(`${exitCode}${stderr}`, '0', name);
};

/** A HOME with our hooks, in which all calls of these servers are allowed. */
const world = (form: Form, names: string[]): Sandbox => {
  const box = sandbox();
  editSettings(box.home, (settings) => {
    settings.permissions = { allow: names.map((name) => toolOf(name).replace(/__weather$/, '')) };
  });
  INSTALL[form](box.home);
  return box;
};

after(async () => {
  await Promise.all(open.map((server) => server.close()));
  await removeSandboxes();
});

/** Waits for all baselines: on a busy machine some servers answer after the session has started. */
const baselined = ({ home }: Sandbox): Promise<void> => {
  const sessions = join(home, '.claude/konnichiwagwan/sessions');
  const files = () => (existsSync(sessions) ? readdirSync(sessions).filter((file) => file.endsWith('.json')) : []);
  const texts = () => files().map((file) => readFileSync(join(sessions, file), 'utf8'));
  const complete = () => texts().length > 0 && texts().every((text) => !text.includes('"pending"'));
  return until(complete, () => 'the baseline is not complete');
};

type Redeployed = { run: HeadlessRun; servers: Record<string, HttpServer>; program: Program };

const eras: Era[] = ['modern', 'session'];
const ways = ['silently', 'announced', 'restarted', 'never'] as const;
type Deployed = { name: string; era: Era; way: (typeof ways)[number] };
/** Those of `--mcp-config`. */
const given: Deployed[] = eras.flatMap((era) => ways.map((way) => ({ name: `${way}-${era}`, era, way })));
const ofUser: Deployed[] = eras.map((era) => ({ name: `user-${era}`, era, way: 'silently' }));
const local: Deployed = { name: 'local', era: 'modern', way: 'silently' };
const approved: Deployed = { name: 'approved', era: 'session', way: 'silently' };
const ofPlugin: Deployed = { name: 'plugin:plug:srv', era: 'session', way: 'silently' };
/** The server that only a subagent calls after the change. */
const delegated: Deployed = { name: 'delegated', era: 'session', way: 'silently' };
/** The server that only the definition of that subagent has. */
const BROUGHT = 'brought';
const called = [...given, ...ofUser, local, approved, ofPlugin];
const changed = called.filter(({ way }) => way !== 'never');

/** One conversation: calls every server, redeploys each in its way, then calls it by the old and the new contract. */
const redeploy = async ({ version, form }: Case): Promise<Redeployed> => {
  const [toolA, toolB] = toolsFor(form);
  const all = [...called, delegated];
  const box = world(form, [...namesOf(all), 'program', BROUGHT]);
  const brought = await serve({ era: 'modern', tools: [toolA] });
  const servers: Redeployed['servers'] = { [BROUGHT]: brought };
  for (const { name, era, way } of all) {
    // The resident guard trusts a server that promises to announce changes.
    const announces = form === 'command' || way !== 'silently';
    servers[name] = await serve({ era, tools: [toolA], announces });
  }
  const entries = (wanted: Deployed[]) => Object.fromEntries(wanted.map(({ name }) => [name, servers[name]?.entry]));
  const program = new Program(join(box.dir, 'program'), [toolA]);
  write(join(box.home, '.claude.json'), {
    mcpServers: { ...entries([...ofUser, delegated]), program: program.entry },
    projects: {
      [box.cwd]: {
        hasTrustDialogAccepted: true,
        mcpServers: entries([local]),
        enabledMcpjsonServers: [approved.name],
      },
    },
  });
  write(join(box.cwd, '.mcp.json'), { mcpServers: entries([approved]) });
  const { url } = brought.entry as { url: string };
  const agent = join(box.cwd, '.claude/agents/asker.md');
  mkdirSync(dirname(agent), { recursive: true });
  const matter = `name: asker\ndescription: Asks.\nmcpServers:\n  - ${BROUGHT}:\n      type: http\n      url: ${url}\n`;
  writeFileSync(agent, `---\n${matter}---\nAsk for the weather.\n`);
  const plugin = join(box.dir, 'plug');
  const srv = servers[ofPlugin.name]?.entry;
  write(join(plugin, '.claude-plugin/plugin.json'), { name: 'plug', mcpServers: { srv } });
  const change = async () => {
    for (const { name, way } of all) {
      const server = servers[name] as HttpServer;
      server.seen.length = 0;
      if (way === 'silently') server.set([toolB]);
      if (way === 'announced') server.announce([toolB]);
      if (way === 'restarted') await server.restart([toolB]);
    }
    program.rebuild();
    await sleep(freshFor + 100);
  };
  const delegate = (body: RequestBody): Answer => ({
    tool: body.tools?.find(({ name }) => name === 'Agent' || name === 'Task')?.name,
    input: { description: 'weather', prompt: 'Ask for the weather.', subagent_type: 'asker' },
  });
  const run = await runHeadless({
    version,
    home: box.home,
    cwd: box.cwd,
    mcp: entries(given) as unknown as McpServers,
    args: ['--plugin-dir', plugin],
    steps: {
      main: [
        callAll([...namesOf(all), 'program'], oldArgs, () => baselined(box)),
        callAll([...namesOf(called), 'program'], oldArgs, change),
        callAll(namesOf(changed), newArgs),
        callAll(['program'], oldArgs),
        delegate,
        end,
      ],
      subagents: [
        callAll([delegated.name, BROUGHT], oldArgs),
        callAll([delegated.name], newArgs),
        callAll([BROUGHT], oldArgs),
        end,
      ],
    },
  });
  return { run, servers, program };
};

const namesOf = (servers: Deployed[]): string[] => servers.map(({ name }) => name);

/**
 * Checks our requests since the change: at most one question per call, in one session, or before a stop in a new one. All are
 * ended.
 * @param isTold whether we ask nothing, because the server would have announced a change
 * @param isLost whether the server has lost the session from before the change
 */
const assertModest = (
  t: TestContext,
  server: HttpServer | undefined,
  calls: number,
  { isTold = false, isLost = false } = {},
): void => {
  t.diagnostic(`since the change: ${server?.seen.map(({ by, what }) => `${by} ${what}`).join(', ')}`);
  const count = (wanted: string) => server?.by('guard').filter((what) => what === wanted).length ?? 0;
  assert.equal(count('POST tools/list') === 0, isTold, 'we did not ask, or asked for nothing');
  // A question in a session that the server has forgotten, or before a stop, is asked once more.
  assert.ok(count('POST tools/list') <= calls + count('POST initialize'), 'we asked too often');
  const sessions = server?.era === 'session' ? 1 : 0;
  assert.ok(count('POST initialize') <= sessions, 'sessions were begun although there was one');
  const ended = sessions + count('POST initialize') - (isLost ? sessions : 0);
  assert.equal(count('DELETE'), ended, 'a session was left open');
};

for (const one of asInstalled) {
  describe(`${titleOf(one)}: servers that are redeployed under a conversation`, () => {
    let world: Redeployed;
    before(async () => {
      world = await redeploy(one);
    });

    it('no hook crashes', (t) => assertNoCrash(t, world.run));

    for (const { name, way } of called) {
      if (way === 'never') {
        it(`${name}: its calls reach it, and we say nothing`, (t) => {
          const { run, servers } = world;
          assert.deepEqual(servers[name]?.calls, served(oldArgs, oldArgs));
          assert.deepEqual(said(run, name), []);
          assertModest(t, servers[name], 1, { isTold: one.form === 'resident' });
        });
      } else {
        it(`${name}: the call by the old contract is stopped, the corrected one is served`, (t) => {
          const { run, servers } = world;
          const [first, old, corrected] = outcomes(run.requests, name);
          assertServed(first);
          assertDenied(old);
          assertServed(corrected);
          assert.deepEqual(servers[name]?.calls, served(oldArgs, newArgs));
          const [told, ...more] = messages(run, name);
          assert.match(told ?? 'nothing', /Claude was told the new form and will try again\. Nothing to do\./);
          assert.deepEqual(more, []);
          assertModest(t, servers[name], 2, { isLost: way === 'restarted' });
        });
      }
    }

    it('a subagent that calls by the old contract is stopped, too', (t) => {
      const { run, servers } = world;
      const { name } = delegated;
      const [old, corrected] = outcomes(
        run.requests.filter(({ agent }) => agent),
        name,
      );
      assertDenied(old);
      assertServed(corrected);
      assert.deepEqual(servers[name]?.calls, served(oldArgs, newArgs));
      assertModest(t, servers[name], 2);
    });

    it('a server that only an agent brings: its calls go through, and the user is told once', (t) => {
      // An older client does not name the scope.
      if (one.version === '2.1.197') return t.skip('2.1.197 does not tell that an agent brings a server');
      const { run, servers } = world;
      assert.deepEqual(servers[BROUGHT]?.calls, served(oldArgs, oldArgs));
      const [told, ...more] = messages(run, BROUGHT);
      assert.match(
        told ?? 'nothing',
        /`brought`: only the definition of an agent has it.* They go through unchecked\./,
      );
      assert.deepEqual(more, []);
    });

    it('a program that is rebuilt: its calls go through, the user is told once, and it is not started again', () => {
      const { run, program } = world;
      assert.deepEqual(program.calls(), served(oldArgs, oldArgs, oldArgs));
      const [told, ...more] = messages(run, 'program');
      assert.match(told ?? 'nothing', /`program` was rebuilt .*main\.mjs.*--spawn/);
      assert.deepEqual(more, []);
      // The client starts it once, with or without our hooks.
      assert.equal(program.starts(), 1);
    });
  });
}

type Mixed = {
  run: HeadlessRun;
  servers: Record<'healthy' | 'signed-in' | 'signed-out' | 'pending', HttpServer>;
  pending: Program;
  /** What the built commands say about this session afterwards. */
  probe: string;
  status: string;
};

/** One conversation with servers of which only the first one may be asked, by old calls throughout. */
const mixed = async ({ version, form }: Case): Promise<Mixed> => {
  const [toolA, toolB] = toolsFor(form);
  const http = (signedIn?: HttpOptions['signedIn']) =>
    serve({ era: 'session', tools: [toolA], signedIn, announces: form === 'command' });
  const servers = {
    healthy: await http(),
    'signed-in': await http(['client']),
    'signed-out': await http([]),
    pending: await http(),
  };
  const names = [...Object.keys(servers), 'pending-program'];
  const box = world(form, names);
  const program = new Program(join(box.dir, 'pending'), [toolA]);
  const { pending, ...ofUser } = servers;
  const entries = Object.entries(ofUser).map(([name, { entry }]) => [name, entry]);
  write(join(box.home, '.claude.json'), { mcpServers: Object.fromEntries(entries) });
  // These are not approved, and the folder is not trusted.
  write(join(box.cwd, '.mcp.json'), { mcpServers: { pending: pending.entry, 'pending-program': program.entry } });
  const change = async () => {
    for (const server of Object.values(servers)) server.set([toolB]);
    await sleep(freshFor + 100);
  };
  const run = await runHeadless({
    version,
    home: box.home,
    cwd: box.cwd,
    steps: [
      callAll(names, oldArgs, () => baselined(box)),
      callAll(names, oldArgs, change),
      callAll(names, oldArgs),
      end,
    ],
  });
  const command = async (name: string): Promise<string> => {
    const args = [join(repo, 'dist/cli.cjs'), name, '--session', run.sessionId];
    const env = { PATH: process.env.PATH, HOME: box.home };
    // It ends with 1 or 2: there is drift, and some servers could not be checked.
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, cwd: box.cwd }).catch(
      (failed) => failed,
    );
    return stdout;
  };
  return { run, servers, pending: program, probe: await command('probe'), status: await command('status') };
};

/** The lines about one server. */
const linesOf = (text: string, server: string): string[] =>
  text.split('\n').filter((line) => new RegExp(`^\\s*(MCP server )?${server}\\b(?!-)`).test(line));

for (const one of asInstalled) {
  describe(`${titleOf(one)}: servers that do not answer us`, () => {
    let world: Mixed;
    before(async () => {
      world = await mixed(one);
    });

    it('no hook crashes', (t) => {
      assertNoCrash(t, world.run);
      for (const line of [...world.probe.split('\n'), ...world.status.split('\n')]) t.diagnostic(line);
    });

    it('a healthy one beside them is guarded', () => {
      const { run, servers, probe } = world;
      const [first, ...later] = outcomes(run.requests, 'healthy');
      assertServed(first);
      for (const old of later) assertDenied(old);
      assert.equal(later.length, 2);
      assert.deepEqual(servers.healthy.calls, served(oldArgs));
      assert.match(probe, /^healthy.*drift/m);
    });

    it('one that the client is signed in to, and we are not: told once, never called fresh', () => {
      const { run, servers, probe, status } = world;
      assert.deepEqual(servers['signed-in'].calls, served(oldArgs, oldArgs, oldArgs));
      const [told, ...more] = messages(run, 'signed-in');
      assert.match(told ?? 'nothing', /`signed-in`.*sign-in/);
      assert.deepEqual(more, []);
      assert.match(probe, /^signed-in.*unaskable.*sign-in/m);
      for (const line of [...linesOf(probe, 'signed-in'), ...linesOf(status, 'signed-in')])
        assert.doesNotMatch(line, /fresh|, checked/);
    });

    it('one that nobody is signed in to: its tools are not there, and it is never called fresh', () => {
      const { run, probe, status } = world;
      for (const { text } of outcomes(run.requests, 'signed-out')) assert.match(text, /No such tool available/);
      assert.deepEqual(said(run, 'signed-out'), []);
      assert.match(probe, /^signed-out.*unaskable.*sign-in/m);
      for (const line of [...linesOf(probe, 'signed-out'), ...linesOf(status, 'signed-out')])
        assert.doesNotMatch(line, /fresh|, checked/);
    });

    it("a project's servers that nobody approved: the client starts them in a run with -p, we do not touch them", () => {
      const { run, servers, pending } = world;
      assert.deepEqual(servers.pending.by('guard'), []);
      assert.equal(pending.starts(), 1);
      for (const server of [servers.pending.calls, pending.calls()]) {
        assert.deepEqual(server, served(oldArgs, oldArgs, oldArgs));
      }
      for (const name of ['pending', 'pending-program']) {
        for (const { hookSpecificOutput } of said(run, name)) assert.equal(hookSpecificOutput, undefined);
      }
    });

    it('only calls of the healthy one are said to be checked', () => {
      const said = [...world.status.matchAll(/^ *calls in this session, of (\S+) \([^)]*\): checked$/gm)].map(
        ([, name]) => name,
      );
      assert.deepEqual(said, ['healthy'], world.status);
    });
  });
}
