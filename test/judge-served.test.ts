// What wrap does with one call where it is not sure: in each mode, with a lockfile, and if we fail ourselves.
import assert from 'node:assert/strict';
import childProcess from 'node:child_process';
import fs, { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { contractHash } from '../scripts/contract/canonical.ts';
import { defined } from '../scripts/contract/defined.ts';
import type { Contract } from '../scripts/contract/types.ts';
import { renderLock } from '../scripts/lock/render.ts';
import { makeRefused } from '../scripts/lock/seal.ts';
import { LOCKFILE, type Lock, toPins } from '../scripts/lock/types.ts';
import { Redactor } from '../scripts/servers/secrets.ts';
import type { Activity } from '../scripts/state/activity.ts';
import { type Handoff, writeHandoff } from '../scripts/state/handoff.ts';
import { keepHidden } from '../scripts/state/hidden.ts';
import { remove } from '../scripts/state/in-use.ts';
import { livePath, sessionsPath, stateHome, wrapFolder } from '../scripts/state/paths.ts';
import { listedDigest } from '../scripts/state/wraps.ts';
import { stopUnapproved } from '../scripts/wrap/approved-since.ts';
import { besideGuard } from '../scripts/wrap/beside-guard.ts';
import { approveServed, type JudgeSettings, judgeFailed, judgeServed } from '../scripts/wrap/judge-served.ts';
import type { Lists } from '../scripts/wrap/lists.ts';
import type { Message } from '../scripts/wrap/message.ts';
import { Outline } from '../scripts/wrap/outline.ts';
import type { OwnRequests } from '../scripts/wrap/own-requests.ts';
import { fitTyped } from '../scripts/wrap/typed/fit-typed.ts';
import type { HeldCall, Verdict } from '../scripts/wrap/types.ts';
import { callsIn, mayCall, messagesIn } from '../scripts/wrap/unread.ts';
import { type VerdictSettings, Verdicts } from '../scripts/wrap/verdicts.ts';
import { lockOf, RENAMED, SEARCH } from './lock-bench.ts';
import { inEnvironment } from './own-process.ts';

type Mode = 'off' | 'warn' | 'guard' | 'strict';

const wrapped = (test: Pick<TestContext, 'after'>, mode: Mode, { name }: { name?: string } = { name: 'demo' }) => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-served-'));
  test.after(() => remove(home));
  const [state, project] = [join(home, 'state'), join(home, 'project')];
  mkdirSync(state, { mode: 0o700 });
  mkdirSync(project);
  const set = (now: Mode, more: object = {}): void =>
    writeFileSync(join(state, 'config.json'), JSON.stringify({ mode: now, ...more }), { mode: 0o600 });
  set(mode);
  const env = { HOME: home, KONNICHIWAGWAN_HOME: state };
  const memory = { told: new Map(), said: new Set<string>() };
  const settings: JudgeSettings = {
    ...defined({ name }),
    trusted: true,
    env,
    project,
    memory,
    secrets: new Redactor([]),
  };
  const held = (more: Partial<HeldCall> = {}): HeldCall => ({
    name: 'search',
    args: { query: 'x' },
    served: [JSON.stringify(SEARCH)],
    listed: { tools: [SEARCH], result: {} } as HeldCall['listed'],
    beside: () => new Set(['search']),
    ...more,
  });
  const listing = (...tools: unknown[]): HeldCall['listed'] => ({ tools, result: {} }) as HeldCall['listed'];
  const pinnedAs = (text: string): void => writeFileSync(join(project, LOCKFILE), text);
  const pinnedOf = (servers: Record<string, Contract[]>): void => pinnedAs(renderLock(lockOf(servers)));
  const pinned = (...tools: Contract[]): void => pinnedOf({ demo: tools });
  const forProject = (settings: object): void => {
    mkdirSync(join(project, '.claude'), { recursive: true });
    writeFileSync(join(project, '.claude/konnichiwagwan.json'), JSON.stringify(settings));
  };
  const lines = (): Activity[] =>
    readdirSync(join(state, 'activity'))
      .flatMap((day) =>
        readFileSync(join(state, 'activity', day), 'utf8')
          .trimEnd()
          .split('\n'),
      )
      .map((line) => JSON.parse(line));
  const logged = (): string[] => lines().map(({ verdict }) => verdict);
  const run = <T>(work: () => T): T => inEnvironment(env, work);
  /** Its text reaches the model. */
  const delivered = (verdict: Verdict): Verdict => {
    verdict.delivered?.(1);
    return verdict;
  };
  return {
    state,
    memory,
    held,
    listing,
    pinned,
    pinnedAs,
    pinnedOf,
    set,
    forProject,
    lines,
    logged,
    judge: (call: HeldCall): Verdict => delivered(run(() => judgeServed(call, settings))),
    approve: (call: HeldCall, lock = LOCKFILE): Verdict => delivered(run(() => approveServed(call, lock, settings))),
    stop: (call: HeldCall, mode: Mode): Verdict => run(() => stopUnapproved(call, mode, settings)) ?? { pass: true },
    fit: (call: HeldCall): Verdict => run(() => fitTyped(call, settings)),
    fail: (isLocked: boolean): Verdict => run(() => judgeFailed(held(), settings, isLocked, new Error('a bug'))),
  };
};

/** What a verdict does: passes in silence, passes and tells, or stops. */
const does = (verdict: Verdict): string => (verdict.pass ? (verdict.told === undefined ? 'passes' : 'tells') : 'stops');

const MODES: readonly Mode[] = ['off', 'warn', 'guard', 'strict'];
/** What each of the four modes does. */
const each = (test: TestContext, act: (wrap: ReturnType<typeof wrapped>) => Verdict): string =>
  MODES.map((mode) => does(act(wrapped(test, mode)))).join(' ');

describe('a call of a typed tool', () => {
  for (const [what, more, expected] of [
    ['that fits', {}, 'passes passes passes passes'],
    ['that does not fit', { args: { query: 5 } }, 'passes tells stops stops'],
    ['whose arguments are none', { args: {}, unread: 'its arguments are no object' }, 'passes tells stops stops'],
    ['whose list failed', { args: { query: 5 }, listed: { failed: 'no answer' } }, 'passes passes passes passes'],
    ['that is gone', { args: { query: 5 }, listed: { tools: [] } }, 'passes passes passes passes'],
  ] as [string, Partial<HeldCall>, string][])
    it(`${what}: ${expected}`, (test) => {
      assert.equal(
        each(test, (wrap) => wrap.fit(wrap.held(more))),
        expected,
      );
    });
});

describe('a call whose judge fails', () => {
  const call: Message = { params: { name: 'search', arguments: {} } } as unknown as Message;
  const lists = {
    forCall: async () => ({ tools: [] }),
    served: { of: () => [], lastOf: () => undefined },
    isUnchanged: () => false,
  } as unknown as Lists;
  const judge = () => Promise.reject(new Error('a bug'));
  it('is sent, unless only what was approved is', async () => {
    const on = (approve?: VerdictSettings['approve']) =>
      new Verdicts(lists, {} as OwnRequests, { judge, approve }).on(call, undefined);
    const [sent, held] = [await on(), await on(async () => ({ pass: true }))];
    assert.deepEqual(
      [sent, held].map(({ verdict }) => does(verdict)),
      ['tells', 'stops'],
    );
    assert.match(
      (sent.verdict.pass && sent.verdict.told) || '',
      /could not check .* \("Error: a bug"\).* sent unchecked/,
    );
    assert.match((!held.verdict.pass && held.verdict.text) || '', /--lock.* nothing was sent/);
  });
});

describe('a call that would be passed on', () => {
  const listed = { tools: [SEARCH], result: {} };
  /** Who is asked about a call under this name, in which order, and what comes of it; the guard judged it with `guarded`. */
  const on = async (
    says: Partial<Record<'judge' | 'guard' | 'approve' | 'fits' | 'behind' | 'renamed', Verdict>>,
    isSame = true,
  ) => {
    const asked: string[] = [];
    const logged = { session: 's1', server: 'demo', tool: 'mcp__demo__search' };
    const ask =
      (who: keyof typeof says) =>
      async (call?: HeldCall): Promise<Verdict> => {
        asked.push(call?.guarded === undefined ? who : `${who} of the guard’s`);
        return says[who] ?? { pass: true };
      };
    const lists = {
      ...{ forCall: async () => listed, isUnchanged: () => isSame },
      served: { of: () => [JSON.stringify(SEARCH)], lastOf: () => 1, beside: () => new Set() },
    } as unknown as Lists;
    const link = {
      judged: async () => says.guard && { verdict: says.guard, guarded: logged },
      stopped: (id: string) => void asked.push(`stopped ${id}`),
    };
    const verdicts = new Verdicts(lists, {} as OwnRequests, {
      ...{ judge: ask('judge'), approve: ask('approve'), fits: ask('fits') },
      behind: { listens: () => false, heard: () => {}, judge: ask('behind') },
      guard: () => link as never,
      offer: { isTyped: () => true, renamed: () => says.renamed } as never,
    });
    const params = { name: 'search', _meta: { 'claudecode/toolUseId': 'toolu_1' } };
    const { verdict, isUnchanged } = await verdicts.on({ id: 1, method: 'tools/call', params }, undefined);
    return {
      asked: asked.join(', '),
      does: does(verdict),
      told: verdict.pass ? verdict.told : verdict.text,
      isUnchanged,
    };
  };
  const [pass, stop] = [{ pass: true } as const, (text: string) => ({ pass: false, text }) as const];

  it('needs each further yes; it is only judged itself if something differs', async () => {
    assert.deepEqual(await on({}), {
      asked: 'approve, fits, behind',
      does: 'passes',
      told: undefined,
      isUnchanged: true,
    });
    assert.equal((await on({}, false)).asked, 'judge, approve, fits, behind');
    for (const [who, asked] of [
      ['judge', 'judge'],
      ['approve', 'judge, approve'],
      ['fits', 'judge, approve, fits'],
      ['behind', 'judge, approve, fits, behind'],
    ] as const) {
      const found = await on({ [who]: stop(who) }, false);
      assert.deepEqual([found.asked, found.told], [`${asked}, stopped toolu_1`, who], 'the guard is told of the stop');
    }
    assert.deepEqual((await on({ renamed: stop('lost') })).asked, '');
  });

  it('is not judged twice where the guard did, which logs it and tells of a release', async () => {
    for (const isSame of [true, false]) {
      const found = await on({ guard: pass }, isSame);
      assert.deepEqual([found.asked, found.isUnchanged], ['approve of the guard’s, fits of the guard’s', false]);
    }
    assert.deepEqual((await on({ guard: stop('no') })).asked, 'stopped toolu_1');
  });

  it('brings what each of them tells', async () => {
    const tells = { judge: { ...pass, told: 'one' }, fits: { ...pass, told: 'two' } };
    assert.equal((await on(tells, false)).told, 'one\ntwo');
    assert.equal((await on(tells)).told, 'two');
  });
});

describe('a line that we cannot read', () => {
  it('holds the call that a server may take it for', () => {
    const calls = (line: string) =>
      callsIn(Buffer.from(line))?.messages.map(({ method, idText, params }) => [method, idText, params.name]);
    const all = (name: string, id: string): string => `{"id":${id},"method":"tools${name}","params":{"name":"a",},}`;
    assert.equal(calls('{"id":1,"method":"ping",}'), undefined);
    for (const slash of ['/call', '\\/call', '\\u002Fcall'])
      assert.deepEqual(calls(all(slash, '1')), [['tools/call', '1', 'a']], slash);
    assert.deepEqual(calls(all('/call', 'null')), [['tools/call', undefined, 'a']]);
    assert.deepEqual(calls(`[{"id":7,"method":"ping"},${all('/call', '1')}]`), [['tools/call', undefined, undefined]]);
  });
  it('may hold a call, as far as it is known', () => {
    const begun = (beginning: string): Outline => {
      const outline = new Outline();
      outline.feed(Buffer.from(beginning));
      return outline;
    };
    const may = (beginning: string): boolean => mayCall(begun(beginning));
    const yes = [
      '{"id":1,"method":"tools/call","params":{"x":"',
      '{"id":1,"params":{"x":"',
      '[{"id":1,"result":{"x":"',
    ];
    const no = ['{"id":1,"method":"ping","params":{"x":"', '{"id":1,"result":{"x":"', '"x'];
    assert.deepEqual([yes.map(may), no.map(may)], [yes.map(() => true), no.map(() => false)]);
    const methods = [...yes, ...no].map((beginning) => messagesIn(begun(beginning))[0]?.method);
    assert.deepEqual(methods, ['tools/call', undefined, undefined, 'ping', undefined, undefined]);
  });
});

describe('a call that cannot be judged', () => {
  const cases: [string, (wrap: ReturnType<typeof wrapped>) => Partial<HeldCall>, RegExp][] = [
    ['the list failed', () => ({ listed: { failed: 'it gave no answer' } as HeldCall['listed'] }), /it gave no answer/],
    ['two tools share the name', ({ listing }) => ({ listed: listing(SEARCH, RENAMED) }), /cannot be read/],
    [
      'the list holds no tool of it',
      ({ listing }) => ({ listed: listing({ name: 'search', inputSchema: 1 }) }),
      /read/,
    ],
    ['its name cannot be read', () => ({ name: '' }), /names no tool/],
    ['its name cannot be read, for a reason', () => ({ name: '', unread: 'it is too long' }), /it is too long/],
    ['the host was never given the tool', () => ({ served: [] }), /never given a tool/],
    [
      'what the host was given cannot be read',
      () => ({ served: ['{"name":"search"'] }),
      /listed for it cannot be read/,
    ],
    ['its arguments cannot be read', () => ({ unread: 'it is too long' }), /it is too long/],
  ];
  for (const [name, more, why] of cases)
    it(`${name}: is told, and stopped in mode strict`, (test) => {
      assert.equal(
        each(test, (wrap) => wrap.judge(wrap.held(more(wrap)))),
        'passes tells tells stops',
      );
      const wrap = wrapped(test, 'guard');
      const verdict = wrap.judge(wrap.held(more(wrap)));
      assert.match((verdict.pass && verdict.told) || '', why);
      assert.deepEqual(wrap.logged(), ['unchecked']);
    });

  it('a tool that went is no such call: it is stopped by guard and strict', (test) => {
    assert.equal(
      each(test, (wrap) => wrap.judge(wrap.held({ listed: wrap.listing() }))),
      'passes tells stops stops',
    );
  });
});

describe('a judged call', () => {
  it('is silent where nothing changed, in every mode', (test) => {
    assert.equal(
      each(test, (wrap) => wrap.judge(wrap.held())),
      'passes passes passes passes',
    );
  });
  it('is stopped or told where it no longer fits, and never in mode off, which is said once', (test) => {
    const act = (wrap: ReturnType<typeof wrapped>) => wrap.judge(wrap.held({ listed: wrap.listing(RENAMED) }));
    assert.equal(each(test, act), 'passes tells stops stops');
    const off = wrapped(test, 'off');
    for (const _ of [1, 2]) act(off);
    assert.deepEqual([[...off.memory.said], off.logged()], [['off'], ['not-covered', 'not-covered']]);
    const guard = wrapped(test, 'guard');
    act(guard);
    const log = guard.lines().map(({ verdict, from, to }) => [verdict, from, to]);
    assert.deepEqual(log, [['deny', contractHash(SEARCH), contractHash(RENAMED)]]);
  });
});

describe('a call under a lockfile', () => {
  for (const [name, pins, listed, expected] of [
    ['what is listed is pinned', [SEARCH], [SEARCH], 'passes passes passes passes'],
    ['another contract is pinned', [RENAMED], [SEARCH], 'passes tells stops stops'],
    ['the tool is not pinned', [{ ...SEARCH, name: 'find' }], [SEARCH], 'passes tells stops stops'],
    ['the tool went', [SEARCH], [], 'passes tells stops stops'],
    ['the listed contract cannot be read', [SEARCH], [SEARCH, RENAMED], 'passes tells stops stops'],
  ] as [string, Contract[], Contract[], string][])
    it(name, (test) => {
      const act = (wrap: ReturnType<typeof wrapped>): Verdict => {
        wrap.pinned(...pins);
        return wrap.approve(wrap.held({ listed: wrap.listing(...listed) }));
      };
      assert.equal(each(test, act), expected);
      // The model is told once.
      const warn = wrapped(test, 'warn');
      act(warn);
      assert.equal(does(act(warn)), 'passes');
    });
  it('is stopped with the reason: the tool is not listed, or its contract cannot be read', (test) => {
    for (const [listed, why] of [
      [[], /the server lists no tool of this name/],
      [[SEARCH, RENAMED], /cannot be read/],
    ] as const) {
      const wrap = wrapped(test, 'guard');
      wrap.pinned(SEARCH);
      const verdict = wrap.approve(wrap.held({ listed: wrap.listing(...listed) }));
      assert.match((!verdict.pass && verdict.text) || '', why);
    }
  });
  it('that the guard let through is stopped if what is listed now was not approved, in the modes that would ask', (test) => {
    for (const [pin, expected] of [
      [SEARCH, 'passes passes passes passes'],
      [RENAMED, 'passes passes stops stops'],
    ] as const) {
      const found = MODES.map((mode) => {
        const wrap = wrapped(test, 'off');
        wrap.pinned(pin);
        return does(wrap.stop(wrap.held(), mode));
      });
      assert.equal(found.join(' '), expected);
    }
  });
  it('that is not there, or cannot be read, nothing is approved', (test) => {
    assert.equal(
      each(test, (wrap) => wrap.approve(wrap.held())),
      'passes tells stops stops',
    );
    const act = (wrap: ReturnType<typeof wrapped>): Verdict => {
      wrap.pinnedAs('{"lockfileVersion":1,');
      return wrap.approve(wrap.held());
    };
    assert.equal(each(test, act), 'passes tells stops stops');
  });
  it('in mode warn the next change is told, too', (test) => {
    const wrap = wrapped(test, 'warn');
    wrap.pinned(SEARCH);
    const act = (live: Contract): string => does(wrap.approve(wrap.held({ listed: wrap.listing(live) })));
    const next = { ...RENAMED, description: 'Finds pages, and forgets them' };
    assert.deepEqual([RENAMED, RENAMED, next, SEARCH, next].map(act), ['tells', 'passes', 'tells', 'passes', 'passes']);
  });
  it('a stop says who refused the tool and why, and how to approve one of a server without pins', (test) => {
    const wrap = wrapped(test, 'guard');
    const words = (lock: Lock): string => {
      wrap.pinnedAs(renderLock(lock));
      const verdict = wrap.approve(wrap.held());
      return verdict.pass ? '' : verdict.text;
    };
    const no = makeRefused('demo', 'search', { by: 'Ada', at: '2026-01-02T03:04:05Z', why: 'it tells others' });
    assert.match(
      words(new Map([['demo', toPins(new Map(), undefined, new Map([['search', no]]))]])),
      /Ada.*it tells others/s,
    );
    assert.match(words(lockOf({ another: [SEARCH] })), /belongs to a server without a pin/);
  });
  it('of several servers: without a name it approves nothing, of one server it does', (test) => {
    const wrap = wrapped(test, 'guard', {});
    const act = (servers: Record<string, Contract[]>): Verdict => {
      wrap.pinnedOf(servers);
      return wrap.approve(wrap.held());
    };
    assert.equal(does(act({ one: [SEARCH] })), 'passes');
    const verdict = act({ one: [SEARCH], two: [RENAMED] });
    assert.match((!verdict.pass && verdict.text) || '', /holds several servers, and --name does not say which/);
  });
  it('a list that failed approves nothing', (test) => {
    const act = (wrap: ReturnType<typeof wrapped>): Verdict => {
      wrap.pinned(SEARCH);
      return wrap.approve(wrap.held({ listed: { failed: 'it gave no answer' } as HeldCall['listed'] }));
    };
    assert.equal(each(test, act), 'passes tells stops stops');
    const guard = wrapped(test, 'guard');
    act(guard);
    assert.deepEqual(guard.logged(), ['deny']);
  });
});

describe('what is read from disk while wrap stays', () => {
  it('settings that changed hold for the next call', (test) => {
    const wrap = wrapped(test, 'guard');
    const act = (): string => does(wrap.judge(wrap.held({ listed: wrap.listing(RENAMED) })));
    const seen = [act()];
    for (const mode of ['off', 'strict', 'warn'] as const) {
      wrap.set(mode);
      seen.push(act());
    }
    wrap.forProject({ mode: 'guard' });
    seen.push(act());
    assert.deepEqual(seen, ['stops', 'passes', 'stops', 'tells', 'stops']);
  });

  it('so does a lockfile, and so do its rules', (test) => {
    const wrap = wrapped(test, 'guard');
    const act = (): string => does(wrap.approve(wrap.held()));
    const seen = [act()];
    wrap.pinned(SEARCH);
    seen.push(act());
    wrap.forProject({ approvals: { by: ['someone@example.org'] } });
    seen.push(act());
    wrap.forProject({});
    seen.push(act());
    wrap.pinned(RENAMED);
    seen.push(act());
    assert.deepEqual(seen, ['stops', 'passes', 'stops', 'passes', 'stops']);
    wrap.pinned(SEARCH);
    assert.equal(does(wrap.approve(wrap.held(), 'another.lock.json')), 'stops', 'another lockfile is another one');
  });

  it('the rules of the user count beside those of the project', (test) => {
    const wrap = wrapped(test, 'guard');
    wrap.pinned(SEARCH);
    const act = (): string => does(wrap.approve(wrap.held()));
    const seen = [act()];
    wrap.set('guard', { approvals: { people: 2 } });
    seen.push(act());
    wrap.set('guard', { approvals: { people: 'two' } });
    seen.push(act());
    wrap.set('guard');
    seen.push(act());
    assert.deepEqual(seen, ['passes', 'stops', 'stops', 'passes']);
  });

  it('nothing is opened again that did not change', (test) => {
    const wrap = wrapped(test, 'guard');
    wrap.pinned(SEARCH);
    const act = (): Verdict => wrap.approve(wrap.held());
    act();
    const opened = test.mock.method(fs, 'openSync');
    syncBuiltinESMExports();
    try {
      act();
    } finally {
      opened.mock.restore();
      syncBuiltinESMExports();
    }
    assert.deepEqual(
      opened.mock.calls.map(({ arguments: [path] }) => path),
      [],
    );
  });
});

it('events of calls are sent once wrap judged and approved none for two seconds', (test) => {
  const started: string[] = [];
  const spawn = test.mock.method(childProcess, 'spawn', (_: string, [file, state]: [string, string]) => {
    started.push(`${basename(file)} ${state}`);
    return { on: () => {}, unref: () => {} };
  });
  syncBuiltinESMExports();
  test.mock.timers.enable({ apis: ['setTimeout'] });
  try {
    for (const act of ['judge', 'approve'] as const) {
      const wrap = wrapped(test, 'strict');
      wrap.set('strict', { telemetry: { endpoint: 'http://127.0.0.1:9/v1/logs' } });
      wrap.pinned(RENAMED);
      const call = wrap.held();
      const sent = started.length;
      for (let times = 0; times < 2; times++) {
        wrap[act](call);
        test.mock.timers.tick(1_900);
      }
      assert.equal(started.length, sent, act);
      test.mock.timers.tick(100);
      assert.deepEqual(started.slice(sent), [`send-events.cjs ${wrap.state}`], act);
    }
  } finally {
    spawn.mock.restore();
    // Before the exports are set, or all modules would keep the mocked timers.
    test.mock.timers.reset();
    syncBuiltinESMExports();
  }
});

it('if we fail ourselves, that is told; mode strict and a lockfile stop the call', (test) => {
  assert.equal(
    each(test, ({ fail }) => fail(false)),
    'tells tells tells stops',
  );
  assert.equal(
    each(test, ({ fail }) => fail(true)),
    'stops stops stops stops',
  );
  const told = wrapped(test, 'guard').fail(false);
  assert.match((told.pass && told.told) || '', /konnichiwagwan failed \(a bug\)/);
});

describe('a call that the guard of Claude Code judged', () => {
  const digest = listedDigest(SEARCH);
  const other = { ...SEARCH, description: 'Searches elsewhere' };
  const beside = async (
    test: TestContext,
    given: Partial<Handoff> | undefined,
    call: Partial<HeldCall>,
    stop = false,
    before: Partial<HeldCall>[] = [],
  ) => {
    const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-beside-'));
    const env = { HOME: home, KONNICHIWAGWAN_HOME: join(home, 'state'), CLAUDE_CODE_SESSION_ID: 's1' };
    const state = stateHome(env);
    mkdirSync(sessionsPath(state), { recursive: true, mode: 0o700 });
    const upstream = { look: assert.fail, served: assert.fail, request: assert.fail };
    const judgedBy: unknown[] = [];
    const link = besideGuard(
      [],
      upstream,
      async ({ served, guarded }) => {
        judgedBy.push(...served.map((text) => JSON.parse(text)), guarded?.tool);
        return { pass: false, text: 'judged' };
      },
      {
        project: home,
        env,
        given: env,
        standsFor: () => undefined,
        unapproved: async ({ guarded }, mode) =>
          stop ? { pass: false, text: `not approved in ${mode}, ${guarded?.tool}` } : undefined,
      },
    );
    test.after(() => {
      link?.close();
      remove(home);
    });
    const folder = wrapFolder(state, process.pid);
    const logged = { session: 's1', server: 'demo', tool: 'mcp__demo__search' };
    if (given !== undefined) writeHandoff(folder, 'toolu_1', { mode: 'guard', source: 'source', logged, ...given });
    keepHidden(
      livePath(state, 'source'),
      { source: 'source' },
      { listed: { search: listedDigest(other) }, tools: [other] },
    );
    const held: HeldCall = {
      name: 'search',
      args: {},
      served: [JSON.stringify(SEARCH)],
      listed: { tools: [RENAMED], result: {} },
      beside: () => new Set(),
      ...call,
    };
    for (const more of before) await link?.judged({ ...held, ...more }, 'toolu_1');
    const found = await link?.judged(held, 'toolu_1');
    if (found !== undefined) assert.deepEqual(found.guarded, logged);
    const verdict = found?.verdict;
    return { does: verdict === undefined ? 'not judged' : verdict.pass ? 'passes' : verdict.text, judgedBy };
  };
  const lists = (...tools: unknown[]): Partial<HeldCall> => ({ listed: { tools, result: {} } as HeldCall['listed'] });
  const bySearch = [SEARCH, 'mcp__demo__search'];

  for (const [title, given, call, does, by = []] of [
    ['passes if the server lists the same contract', { listed: digest }, lists({ name: 'a' }, SEARCH), 'passes'],
    ['passes if the server lists it twice', { listed: digest }, lists(SEARCH, SEARCH), 'passes'],
    ['passes if there was no such tool, and is none', { listed: null }, lists({ name: 'a' }), 'passes'],
    ['passes where another source spoke for the tool', {}, lists(RENAMED), 'passes'],
    ['passes where its mode was off', { mode: 'off', listed: digest }, lists(RENAMED), 'passes'],
    ['passes in mode warn', { mode: 'warn', listed: digest }, lists(RENAMED), 'passes'],
    ['is judged again by that contract if it changed', { listed: digest }, lists(RENAMED), 'judged', bySearch],
    ['is judged again in mode strict', { mode: 'strict', listed: digest }, lists(RENAMED), 'judged', bySearch],
    ['is judged again if the tool went', { listed: digest }, lists(), 'judged', bySearch],
    ['is judged again if a second tool has its name', { listed: digest }, lists(SEARCH, RENAMED), 'judged', bySearch],
    [
      'is judged by the contract that the guard knows, if the host was not given it',
      { listed: listedDigest(other) },
      lists(RENAMED),
      'judged',
      [other, 'mcp__demo__search'],
    ],
    [
      'counts as not judged if nobody knows that contract',
      { listed: listedDigest(RENAMED) },
      lists(SEARCH),
      'not judged',
    ],
    ['counts as not judged if the tool came since', { listed: null }, lists(SEARCH), 'not judged'],
    ['counts as not judged if the list failed', { listed: digest }, { listed: { failed: 'x' } }, 'not judged'],
    ['counts as not judged if the guard left no word of it', undefined, lists(SEARCH), 'not judged'],
  ] as [string, Partial<Handoff> | undefined, Partial<HeldCall>, string, unknown[]?][])
    it(title, async (test) => {
      assert.deepEqual(await beside(test, given, call), { does, judgedBy: by });
    });

  it('is judged by what the guard left of it, too, where its list changed once more while it waited', async (test) => {
    const given = { listed: digest };
    const passed = [lists(SEARCH)];
    assert.equal((await beside(test, given, lists({ name: 'a' }, SEARCH), false, passed)).does, 'passes');
    assert.deepEqual(await beside(test, given, lists(RENAMED), false, passed), { does: 'judged', judgedBy: bySearch });
    const does = 'not approved in guard, mcp__demo__search';
    assert.equal((await beside(test, given, lists(RENAMED), true, passed)).does, does);
  });

  it('is stopped first of all if what it changed to is not approved', async (test) => {
    const given = { mode: 'strict', listed: digest } as const;
    const does = 'not approved in strict, mcp__demo__search';
    assert.deepEqual(await beside(test, given, lists(RENAMED), true), { does, judgedBy: [] });
    assert.equal((await beside(test, given, lists(SEARCH), true)).does, 'passes', 'the guard looked at this one');
  });
});
