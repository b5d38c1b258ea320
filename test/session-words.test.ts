// What is said of a session's sources: their freshness, their versions, and which servers are guarded.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LoadedConfig } from '../scripts/config/config.ts';
import type { Server } from '../scripts/servers/types.ts';
import { EXIT, exitOf, type Freshness, type FreshnessState, versionLine } from '../scripts/session/freshness.ts';
import {
  type Guarded,
  guardCommand,
  guardedOf,
  guardedText,
  howOff,
  restText,
  withoutHooks,
} from '../scripts/session/guarded.ts';
import { listStates } from '../scripts/session/lists.ts';
import { folderOf } from '../scripts/session/probe.ts';
import { worst } from '../scripts/session/start.ts';
import type { SourceProblem } from '../scripts/sources/source.ts';
import { say } from '../scripts/text/shown.ts';

const fresh = (state: FreshnessState, more: Partial<Freshness> = {}): Freshness =>
  ({ state, kind: 'gateway', note: say`n`, ...more }) as Freshness;

describe('the exit code of a look at sources', () => {
  it('is 1 if any drifted, else 2 if any could not be checked, else 0', () => {
    const codes = {
      fresh: 0,
      drift: 1,
      'silent-drift': 1,
      'version-only': 1,
      'no-baseline': 0,
      unreachable: 2,
      invalid: 2,
      unaskable: 2,
      'not-configured': 0,
    };
    assert.deepEqual(EXIT, codes);
    for (const [state, code] of Object.entries(codes))
      assert.equal(exitOf([fresh(state as FreshnessState)]), code, state);
    assert.equal(exitOf([fresh('unreachable'), fresh('fresh'), fresh('drift')]), 1);
    assert.equal(exitOf([fresh('fresh'), fresh('invalid')]), 2);
    assert.equal(exitOf([]), 0);
  });

  it('is 2 for a list that could not be read, unless something drifted', () => {
    const unread = [say`its prompts`];
    assert.equal(exitOf([fresh('fresh', { unread })]), 2);
    assert.equal(exitOf([fresh('fresh', { unread: [] })]), 0);
    assert.equal(exitOf([fresh('drift', { unread })]), 1);
  });
});

describe('the version that a gateway advertises', () => {
  const [march, april] = ['2026-03-01', '2026-04-01'];

  it('is told beside the one that the session started with', () => {
    assert.equal(
      versionLine(fresh('drift', { before: march, after: april })),
      'SCHEMA_VERSION: 2026-04-01; the session started with 2026-03-01',
    );
    assert.equal(versionLine(fresh('fresh', {})), 'SCHEMA_VERSION: none; the session started with none');
    assert.equal(versionLine(fresh('no-baseline', { after: april })), 'SCHEMA_VERSION: 2026-04-01, recorded now');
  });

  it('is not known where the gateway could not be asked', () => {
    for (const state of ['unreachable', 'invalid', 'unaskable'] as const)
      assert.equal(
        versionLine(fresh(state, { before: march })),
        'SCHEMA_VERSION: not known now; the session started with 2026-03-01',
      );
    assert.match(versionLine(fresh('unreachable')) ?? '', /started with none that is known$/);
  });

  it('is replaced by its contents where it has none', () => {
    const contracts = { before: 'aaaa', after: 'bbbb' };
    assert.equal(
      versionLine(fresh('silent-drift', { contracts })),
      'SCHEMA_VERSION: none (contracts bbbb); the session started with none (contracts aaaa)',
    );
    assert.match(versionLine(fresh('no-baseline', { contracts })) ?? '', /; the session started with none \(contracts/);
  });

  it('is none of a server, or where no gateway is set', () => {
    assert.equal(versionLine(fresh('drift', { kind: 'server', before: march })), undefined);
    assert.equal(versionLine(fresh('not-configured')), undefined);
  });
});

const server = (name: string, launch: object, more: Partial<Server> = {}): Server =>
  ({ name, scope: 'user', launch, configured: launch, unset: [], state: 'ready', ...more }) as Server;
const program = { type: 'stdio', command: 'npx', args: ['server'], env: {} };
const wrapped = { type: 'stdio', command: 'konnichiwagwan', args: ['wrap', '--', 'npx', 'server'], env: {} };
const switchedOff = { ...wrapped, args: ['wrap', '--off', '--', 'npx', 'server'] };
const http = { type: 'http', url: 'https://example.org/mcp', headers: {} };
const settings = (servers: object = {}): LoadedConfig =>
  ({ user: { mode: 'guard', servers, gateways: {} }, project: { servers: {} }, problems: [] }) as never;
const look = (
  configured: Server[],
  {
    problems = [],
    unaskable = {},
    servers = {},
  }: { problems?: SourceProblem[]; unaskable?: Record<string, string>; servers?: object } = {},
): Guarded => guardedOf(settings(servers), configured, problems, (name) => unaskable[name]);

describe('which servers are guarded', () => {
  it('those that wrap starts or that are asked; a program of its own is not, and wrap changes that', () => {
    const found = look([server('a', wrapped), server('b', http), server('c d', program)]);
    assert.deepEqual([found.guarded, found.total, found.others.length], [2, 3, 1]);
    const [other] = found.others;
    assert.deepEqual(
      [other?.why, other?.command, other?.byWrap],
      ['local (stdio) server, not guarded', "kwg wrap --add 'c d'", true],
    );
  });

  it('those that Claude Code does not start count for nothing', () => {
    const some = (['unapproved', 'rejected', 'disabled'] as const).map((state) => server(state, program, { state }));
    assert.deepEqual(look(some), { guarded: 0, total: 0, others: [] });
  });

  it('a program of a scope that wrap cannot change has no command', () => {
    const other = (scope: Server['scope']) => look([server('a', program, { scope })]).others[0];
    for (const scope of ['user', 'local', 'project'] as const) assert.equal(other(scope)?.byWrap, true, scope);
    assert.match(other('plugin')?.why ?? '', /^local \(stdio\) server of a plugin, not guarded$/);
    for (const scope of ['managed', 'dynamic'] as const) {
      assert.match(other(scope)?.why ?? '', /of a setting that wrap cannot change, not guarded$/);
      assert.deepEqual([other(scope)?.byWrap, other(scope)?.command], [false, undefined]);
    }
  });

  it('what the user switched off, in our settings or in its entry', () => {
    const found = look([server('a', http), server('b', switchedOff)], { servers: { a: { mode: 'off' } } });
    assert.deepEqual(
      found.others.map(({ why, isOff, byWrap }) => [why, isOff, byWrap]),
      [
        ['switched off by "mode": "off" in config.json', true, false],
        ['switched off by --off in its entry', true, false],
      ],
    );
    assert.equal(howOff(settings(), server('a', http)), undefined);
  });

  it('an entry that is wrong is not, and a gateway’s problem of the same name is another matter', () => {
    const problems: SourceProblem[] = [
      { kind: 'gateway', name: 'a', why: 'of a gateway' },
      { kind: 'server', name: 'b', why: 'no URL' },
      { name: 'c', why: 'a file' },
    ];
    const found = look([server('a', http), server('b', http), server('c', http), server('d', wrapped)], { problems });
    assert.deepEqual(
      found.others.map(({ server: { name }, why, isBroken }) => [name, why, isBroken]),
      [['b', 'no URL', true]],
    );
  });

  it('one that answers Claude Code alone is not; one with a plain URL can be signed in to by mcp-remote', () => {
    const unaskable = { a: 'it requires signing in', b: 'it requires signing in', c: 'x', s: 'x' };
    const found = look(
      [
        server('a', http),
        server('b', { ...http, url: 'https://example.org/mcp?key=secret' }),
        server('c', http, { scope: 'plugin' }),
        server('s', { ...http, type: 'sse' }),
        server('w', { type: 'other', what: 'ws' }),
        server('fine', http),
      ],
      { unaskable },
    );
    assert.deepEqual(
      found.others.map(({ server: { name }, why, command }) => [name, why, command !== undefined]),
      [
        ['a', 'it requires signing in, so it is not guarded', true],
        ['b', 'it requires signing in, so it is not guarded', false],
        ['c', 'x, so it is not guarded', false],
        ['s', 'x, so it is not guarded', false],
        ['w', 'it answers Claude Code alone, so it is not guarded', false],
      ],
    );
    assert.equal(
      found.others[0]?.command,
      'claude mcp remove a -s user && claude mcp add a -s user -- kwg wrap --name a -- npx -y mcp-remote https://example.org/mcp',
    );
  });

  it('without hooks only what wrap starts is', () => {
    const configured = [
      server('a', wrapped),
      server('b', http),
      server('c', program),
      server('d', http, { state: 'disabled' }),
    ];
    const found = withoutHooks(look(configured), configured);
    assert.deepEqual([found.guarded, found.total], [1, 3]);
    assert.deepEqual(
      found.others.map(({ server: { name }, why }) => [name, why]),
      [
        ['c', 'local (stdio) server, not guarded'],
        ['b', 'no hook is registered'],
      ],
    );
  });

  it('is told in one line, with the one command that helps most', () => {
    const [one, two] = [look([server('a', program)]), look([server('a', program), server('b', program)])];
    assert.deepEqual([guardedText(one), guardedText(two)], ['0 of 1 server guarded', '0 of 2 servers guarded']);
    assert.equal(restText(one), 'Not guarded: a →');
    assert.equal(restText(two), 'For the rest:');
    assert.equal(restText(look([server('a', program), server('b', program), server('c', http)])), 'For the others:');
    assert.equal(guardCommand(one), 'kwg wrap --add a');
    assert.equal(guardCommand(two), 'kwg wrap --add --all');
    const signIn = look([server('w', { type: 'other', what: 'ws' }), server('a', http)], { unaskable: { a: 'x' } });
    assert.match(guardCommand(signIn) ?? '', /^claude mcp remove a/);
    assert.equal(guardCommand(look([server('w', { type: 'other', what: 'ws' })])), undefined);
    assert.equal(guardCommand(look([server('a', http)])), undefined);
    const mixed = look([server('a', http), server('p', program)], { unaskable: { a: 'x' } });
    assert.equal(guardCommand(mixed), 'kwg wrap --add p');
  });
});

describe('the state of each list', () => {
  const tool = (defect?: string) => ({ name: 't', inputSchema: true, ...(defect ? { defect } : {}) }) as never;
  const states = (
    before: object | undefined,
    now: object,
    changes: object[] = [],
    kind: 'gateway' | 'server' = 'server',
  ) => listStates(kind, before && { tools: [], ...before }, { tools: [], ...now }, changes as never);

  it('is unread for tools of which one could not be read, then or now', () => {
    assert.equal(states({ tools: [tool()] }, { tools: [tool()] }).tools, 'current');
    assert.equal(states({ tools: [tool()] }, { tools: [tool(), tool('x')] }).tools, 'unread');
    assert.equal(states({ tools: [tool('x')] }, { tools: [tool()] }).tools, 'unread');
    assert.equal(states({}, {}, [{}]).tools, 'pending');
    assert.equal(states(undefined, {}, [{}]).tools, 'unknown');
  });

  it('is the tools’ alone of a gateway', () => {
    assert.deepEqual(states({ offers: [] }, { offers: [] }, [], 'gateway'), { tools: 'current' });
    assert.deepEqual(states({ offers: [] }, { offers: [] }, [{ offer: 'prompts' }]), {
      tools: 'current',
      prompts: 'pending',
      resources: 'current',
    });
  });
});

describe('a session', () => {
  it('is of the folder by which it was recorded, and its worst change is named', () => {
    assert.equal(folderOf(undefined, '/here'), '/here');
    assert.equal(folderOf({ cwd: '/cwd' } as never, '/here'), '/cwd');
    assert.equal(folderOf({ cwd: '/cwd', project: '/project' } as never, '/here'), '/project');
    const levels = ['compatible', 'semantic', 'breaking', 'silent'].map((level) => ({ level })) as never[];
    assert.deepEqual(worst(levels), { level: 'breaking' });
    assert.equal(worst([]), undefined);
  });
});
