// Which servers a call's name can mean, whose word counts, and what is handed on: from the parts that decide it.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { LoadedConfig } from '../scripts/config/config.ts';
import type { Assessment } from '../scripts/guard/assessment.ts';
import { differingGateways } from '../scripts/guard/differing-gateways.ts';
import { handoffFor } from '../scripts/guard/handoff-to-wrap.ts';
import type { Hearing } from '../scripts/guard/hear.ts';
import { BadInput, NotMcp, OldNode, readOfferInput, readSessionInput, toToolInput } from '../scripts/guard/input.ts';
import { calledBehind, mayInvoke } from '../scripts/guard/invoker/called.ts';
import { policyInside } from '../scripts/guard/invoker/policy.ts';
import { withoutSource } from '../scripts/guard/no-source.ts';
import { agreed, namedServers, otherScope, readingsOf } from '../scripts/guard/readings.ts';
import { isReading } from '../scripts/guard/record-call.ts';
import { isHeld } from '../scripts/guard/respond.ts';
import { onError } from '../scripts/guard/run-hook.ts';
import { decisionOf } from '../scripts/guard/traced.ts';
import type { Source } from '../scripts/sources/source.ts';
import { remove } from '../scripts/state/in-use.ts';

const servers = (...names: string[]) => names.map((name) => ({ name }));
const given = (fields: object) => fields as unknown as Parameters<typeof otherScope>[0];

describe('a tool’s name', () => {
  const read = (server: string | undefined, configured: string[], others: string[] = []) =>
    readingsOf('mcp__my_hub__find__it', server, servers(...configured), others).map(({ owner, ways }) => [
      owner,
      ...ways.map((way) => `${way.server}/${way.spelling}`),
    ]);

  it('means the server that the client tells, and no other one of its spelling', () => {
    assert.deepEqual(read('my.hub', ['my.hub', 'my_hub']), [['my.hub', 'my.hub/find__it']]);
    assert.deepEqual(read('my.hub', ['my-hub', 'other']), [[undefined, 'my.hub/find__it']]);
  });

  it('means each configured server that is spelled so, where none of them is the one that is told', () => {
    assert.deepEqual(read(undefined, ['my.hub', 'my hub', 'my-hub']), [
      ['my.hub', 'my.hub/find__it'],
      ['my hub', 'my hub/find__it'],
    ]);
  });

  it('is read in all ways where the client tells no server; a configured one comes first', () => {
    assert.deepEqual(read(undefined, []), [[undefined, 'my_hub/find__it', 'my_hub__find/it']]);
    assert.deepEqual(read(undefined, ['my_hub__find']), [['my_hub__find', 'my_hub__find/it', 'my_hub/find__it']]);
    assert.deepEqual(read(undefined, ['my_hub__find', 'my_hub']), [
      ['my_hub', 'my_hub/find__it'],
      ['my_hub__find', 'my_hub__find/it'],
    ]);
  });

  it('may mean a server that only our settings name', () => {
    assert.deepEqual(read(undefined, [], ['my.hub', 'other']), [
      [undefined, 'my.hub/find__it', 'my_hub/find__it', 'my_hub__find/it'],
    ]);
    assert.deepEqual(read('my_hub', [], ['my.hub']), [[undefined, 'my_hub/find__it']]);
  });

  it('that our settings name is one of the user’s, the project’s, or a gateway’s servers, once', () => {
    const config = {
      user: { servers: { a: {} }, gateways: { g: { servers: ['b', 'a'] }, h: {} } },
      project: { servers: { c: {}, a: {} } },
    };
    assert.deepEqual(namedServers(config as unknown as LoadedConfig), ['a', 'c', 'b']);
  });
});

describe('a call goes to another server of its name', () => {
  const configured = (more: object = {}) =>
    [{ name: 'demo', scope: 'user', launch: { type: 'http' }, ...more }] as unknown as Parameters<typeof otherScope>[2];
  const ask = (scope: string | undefined, more: object = {}, owner: string | undefined = 'demo') =>
    otherScope(given({ scope }), owner, configured(more));

  it('if the client has it from where no settings are', () => {
    for (const scope of ['agent', 'claudeai', 'sdk'])
      assert.equal(
        ask(scope),
        `the call goes to the server of this name of scope \`${scope}\`, not to that of scope \`user\``,
      );
    for (const scope of ['user', 'project', undefined]) assert.equal(ask(scope), undefined);
    assert.equal(ask('sdk', { launch: { type: 'other' } }), undefined);
    assert.equal(otherScope(given({ scope: 'agent' }), undefined, configured()), undefined);
    assert.equal(ask('agent', {}, 'elsewhere'), undefined);
  });

  it('if an entry of nearer scope hides the one that the client is connected to', () => {
    assert.match(
      ask('project', { scope: 'local', hides: ['user', 'project'] }) ?? '',
      /of scope `project`, and one of scope `local` came since: restart Claude Code/,
    );
    assert.equal(ask('local', { scope: 'local', hides: ['project'] }), undefined);
  });
});

const found = (more: object = {}): Assessment =>
  ({ verdict: 'judged', judgement: { decision: 'silence' }, consulted: [], named: { server: 'a' }, ...more }) as never;
const unchecked = (more: object = {}): Assessment => found({ verdict: 'unchecked', judgement: undefined, ...more });

describe('one verdict for a name that can mean several servers', () => {
  const key = (name: string) => ({ key: name, digest: '', fresh: true });
  const deny = { judgement: { decision: 'deny' } };

  it('is the one on which all agree, and rests on all that was asked', () => {
    const one = agreed([found({ consulted: [key('x')] }), found({ consulted: [key('y')], named: { server: 'b' } })]);
    assert.equal(one.verdict, 'judged');
    assert.deepEqual(one.consulted, [key('x'), key('y')]);
  });

  it('is none where they differ, in the verdict or in the decision', () => {
    for (const other of [found({ ...deny, named: { server: 'b' } }), unchecked({ named: { server: 'b' } })]) {
      const one = agreed([found(), other]);
      assert.equal(one.verdict, 'unchecked');
      assert.match('why' in one ? (one.why ?? '') : '', /^`a` and `b` are spelled alike in the name of this tool/);
      assert.equal(one.verdict === 'unchecked' && one.unaskable, true);
    }
    const known = {
      config: 1,
      all: 2,
      policy: 3,
      index: 4,
      settings: 5,
      facts: 6,
      through: 7,
      trust: { verdict: 'ask' },
    };
    const kept = { ...known, named: { server: 'a' }, consulted: [key('x'), key('y')] };
    const both = agreed([found({ ...known, consulted: [key('x')] }), unchecked({ consulted: [key('y')] })]);
    assert.deepEqual(Object.fromEntries(Object.keys(kept).map((name) => [name, both[name as 'facts']])), kept);
    const three = agreed([found(), found(), found(deny)]);
    assert.equal(three.verdict, 'unchecked');
  });

  it('is of the others where a server answers without the tool; and its own where no other one is left', () => {
    const unlisted = unchecked({ unlisted: true, consulted: [key('x')] });
    const one = agreed([unlisted, found(deny)]);
    assert.equal(one.verdict === 'judged' && one.judgement.decision, 'deny');
    assert.deepEqual(one.consulted, [key('x')]);
    assert.equal(agreed([unlisted, unlisted]).verdict, 'unchecked');
  });

  it('has the heaviest doubt of a lockfile, whichever server it is about', () => {
    const trust = (verdict: string) => ({ trust: { verdict } });
    for (const order of [
      ['notice', 'deny', 'ask'],
      ['ask', 'notice', 'deny'],
      ['deny', 'ask', 'notice'],
    ])
      assert.equal(agreed(order.map((verdict) => found(trust(verdict)))).trust?.verdict, 'deny');
    assert.equal(agreed([found(), found(trust('notice'))]).trust?.verdict, 'notice');
    assert.equal(agreed([found(trust('ask')), found(deny)]).trust?.verdict, 'ask');
  });

  it('waits where a baseline is still asked for', () => {
    const pending = (one: Assessment) => one.verdict === 'unchecked' && one.pending;
    assert.equal(pending(agreed([unchecked({ pending: true }), found()])), true);
    assert.equal('pending' in agreed([unchecked(), found()]), false);
    assert.ok(!pending(agreed([unchecked(), found()])));
  });
});

describe('what a call hands to the wrap that it goes through', () => {
  const wrapped = { name: 'demo', key: 'k', wrap: { about: () => '/nowhere/about.json' } };
  const input = given({ session: 's', toolName: 'mcp__demo__search' });
  const assessed = (more: object = {}): Assessment =>
    found({
      all: { servers: [{ name: 'other', wrap: wrapped.wrap }, wrapped] },
      named: { server: 'demo' },
      policy: { mode: 'guard' },
      facts: { source: wrapped, tool: { name: 'search' }, live: { listed: { search: 'digest' } } },
      ...more,
    });
  const handed = (more: object, decision?: 'ask' | 'deny') => handoffFor(input, assessed(more), decision)?.handoff;
  const logged = { session: 's', server: 'demo', tool: 'mcp__demo__search' };

  it('is the contract that it was judged by, and where it is read', () => {
    const whole = handoffFor(input, assessed(), undefined);
    assert.deepEqual(whole?.handoff, { mode: 'guard', source: 'k', logged, listed: 'digest' });
    assert.deepEqual([whole?.folder, whole?.about.path], ['/nowhere', '/nowhere/about.json']);
    const bare = { source: wrapped, tool: { name: 'search' }, live: {} };
    assert.equal(handed({ facts: bare })?.listed, null);
  });

  it('is nothing without wrap, or where nothing is known of the tool', () => {
    assert.equal(handed({ all: { servers: [{ name: 'demo', key: 'k' }] } }), undefined);
    assert.equal(handed({ all: { servers: [{ ...wrapped, wrap: { about: () => undefined } }] } }), undefined);
    assert.equal(handed({ facts: undefined }), undefined);
    assert.equal(handed({ facts: { source: wrapped, live: {} } }), undefined);
  });

  it('in mode off is that alone', () => {
    const off = { verdict: 'off', facts: undefined, policy: { mode: 'off' } };
    assert.deepEqual(handed(off), { mode: 'off', source: 'k', logged });
    assert.equal(handoffFor(input, assessed(off), undefined)?.folder, '/nowhere');
  });

  it('is no contract where another source spoke; and nothing where wrap has to judge', () => {
    const facts = { source: { name: 'gateway' }, tool: { name: 'search' }, live: {} };
    assert.equal(handed({ facts }), undefined);
    assert.equal(handed({ facts }, 'deny'), undefined);
    assert.deepEqual(handed({ facts }, 'ask'), { mode: 'guard', source: 'k', logged });
    assert.deepEqual(handed({ facts, policy: { mode: 'warn' } }), { mode: 'warn', source: 'k', logged });
  });

  it('of a call that was not checked is nothing, unless a person was asked: that is mode strict', () => {
    assert.equal(handed({ verdict: 'unchecked' }), undefined);
    assert.equal(handed({ verdict: 'unchecked', policy: { mode: 'strict' } })?.listed, 'digest');
  });
});

describe('gateways that both speak for a server', () => {
  const names = (name: string): Source => ({ name, covers: (server?: string) => server !== undefined }) as never;
  const [one, two, any] = [names('one'), names('two'), { name: 'any', covers: () => true } as never as Source];
  const all = { gateways: [one, two, any] } as never;
  const says = (source: Source, description: string | undefined, atStart: boolean, more: object = {}): Hearing => {
    const tools = [{ name: 'search', description, inputSchema: true }];
    const live = { tools: description === undefined ? [] : tools };
    const facts = { source, live, tool: { name: 'search' }, atStart: { tools: atStart ? tools : [] } };
    return { source, found: found({ facts, ...more }) };
  };
  const differ = (...heard: Hearing[]) => differingGateways(heard, all)?.why;
  const why = 'the gateways `one` and `two` are both named for it, and differ about its tool';

  it('and differ about its tool leave its call unchecked', () => {
    assert.equal(differ(says(one, 'Finds.', true), says(two, 'Deletes.', true)), why);
    assert.equal(differ(says(one, 'Finds.', true), says(two, 'Finds.', true)), undefined);
    assert.equal(differ(says(one, 'Finds.', true)), undefined);
    assert.equal(differ({ source: one }, says(two, 'Finds.', true)), undefined);
  });

  it('do not count beside one that names no servers', () =>
    assert.equal(differ(says(one, 'Finds.', true), says(any, 'Deletes.', true)), undefined));

  it('and of which one lists it no longer differ, unless it came to the other since: then it has moved', () => {
    assert.equal(differ(says(one, undefined, true), says(two, 'Finds.', true)), why);
    assert.equal(differ(says(one, undefined, true), says(two, 'Finds.', false)), undefined);
    assert.equal(differ(says(one, 'Finds.', false), says(two, undefined, true)), undefined);
    assert.equal(differ(says(one, 'Finds.', false), says(two, 'Deletes.', false)), why);
  });

  it('keep the heavier doubt of a lockfile', () => {
    const [ask, deny] = [{ trust: { verdict: 'ask' } }, { trust: { verdict: 'deny' } }];
    for (const [first, second] of [
      [ask, deny],
      [deny, ask],
      [{}, deny],
    ])
      assert.equal(
        differingGateways([says(one, 'Finds.', true, first), says(two, 'Deletes.', true, second)], all)?.trust?.verdict,
        'deny',
      );
  });
});

describe('a call is held', () => {
  for (const [what, more, expected] of [
    ['where it is asked about', { judgement: { decision: 'ask' } }, true],
    ['where it is stopped', { judgement: { decision: 'deny' } }, true],
    ['where the lockfile asks', { trust: { verdict: 'ask' } }, true],
    ['not where the lockfile only notes something', { trust: { verdict: 'notice' } }, false],
    ['not with a notice', { judgement: { decision: 'notice' } }, false],
    ['not where it could not be checked', { verdict: 'unchecked', judgement: undefined }, false],
  ] as const)
    it(what, () => assert.equal(isHeld(found(more)), expected));

  it('and traced by the stricter of both verdicts', () => {
    const traced = (decision: string, trust?: string) =>
      decisionOf(found({ judgement: { decision }, ...(trust ? { trust: { verdict: trust } } : {}) }));
    assert.deepEqual(
      [
        traced('silence', 'notice'),
        traced('ask', 'deny'),
        traced('deny', 'ask'),
        traced('ask', 'notice'),
        traced('ask'),
      ],
      ['notice', 'deny', 'deny', 'ask', 'ask'],
    );
    assert.equal(decisionOf(unchecked({ trust: { verdict: 'notice' } })), 'notice');
    assert.equal(decisionOf(unchecked()), 'unchecked');
  });
});

describe('a tool only reads', () => {
  it('if its own contract says so, as a boolean', () => {
    const reads = (annotations: unknown) => isReading({ name: 't', inputSchema: true, annotations } as never);
    assert.deepEqual(
      [
        reads({ readOnlyHint: true }),
        reads({ readOnlyHint: 'true' }),
        reads({}),
        reads(undefined),
        isReading(undefined),
      ],
      [true, false, false, false, false],
    );
  });
});

describe('the input of a hook', () => {
  const call = { session_id: 's1', hook_event_name: 'PreToolUse', tool_name: 'mcp__demo__search' };

  it('about a call is read with all that it says', () => {
    const input = toToolInput({
      ...call,
      transcript_path: '/t',
      cwd: '/c',
      tool_input: { a: 1 },
      tool_use_id: 'toolu_1',
      mcp_server: { name: 'demo', source: 'user' },
      agent_id: 'agent1',
      error: 'failed',
    });
    assert.deepEqual(input, {
      session: 's1',
      transcript: '/t',
      cwd: '/c',
      event: 'PreToolUse',
      toolName: 'mcp__demo__search',
      arguments: { a: 1 },
      toolUseId: 'toolu_1',
      server: 'demo',
      scope: 'user',
      agent: 'agent1',
      error: 'failed',
    });
    const least = toToolInput(call);
    assert.deepEqual(
      [least.transcript, least.cwd, least.arguments, least.toolUseId, least.server, least.agent],
      ['', '', {}, '', undefined, undefined],
    );
  });

  it('of another tool is no call of ours, unless the client names a server', () => {
    assert.throws(() => toToolInput({ ...call, tool_name: 'Bash' }), NotMcp);
    assert.throws(() => toToolInput({ ...call, tool_name: 'Bash', mcp_server: { name: '' } }), NotMcp);
    for (const more of [{ tool_name: '' }, { tool_name: 5 }, { tool_name: 'mcp__a b' }, { tool_input: [] }])
      assert.throws(
        () => toToolInput({ ...call, ...more }),
        (error) => error instanceof BadInput && !(error instanceof NotMcp),
        JSON.stringify(more),
      );
    assert.throws(
      () => toToolInput({ ...call, session_id: '../x' }),
      /"session_id" of the hook input has an unexpected/,
    );
    assert.throws(() => toToolInput({ ...call, agent_id: '../x' }), /"agent_id" of the hook input has an unexpected/);
  });

  it('about prompts and resources is read with all that it says', () => {
    const offer = (more: object) => readOfferInput(JSON.stringify({ ...call, ...more }));
    const used = offer({ tool_use_id: 'toolu_1', agent_id: 'agent1', tool_input: { server: 'demo', uri: 'memo://a' } });
    assert.deepEqual(
      [used.session, used.event, used.toolUseId, used.agent, used.server, used.uri, used.shown, used.command],
      ['s1', 'PreToolUse', 'toolu_1', 'agent1', 'demo', 'memo://a', undefined, undefined],
    );
    assert.deepEqual(offer({ tool_response: [{ uri: 'a' }, 'odd', null] }).shown, [{ uri: 'a' }]);
    assert.deepEqual([offer({ tool_response: 'no' }).shown, offer({ tool_input: 'no' }).uri], [undefined, undefined]);
    assert.equal(offer({ expansion_type: 'mcp_prompt', command_name: 'mcp__demo__x' }).command, 'mcp__demo__x');
    assert.equal(offer({ expansion_type: 'other', command_name: 'mcp__demo__x' }).command, undefined);
  });

  it('that is none is told apart', () => {
    for (const [raw, why] of [
      [' \n', /^the hook input is empty$/],
      ['{', /^the hook input is not JSON$/],
      ['[]', /^the hook input is not an object$/],
    ] as const)
      assert.throws(() => readSessionInput(raw), { message: why }, raw);
    const start = { session_id: 's1', hook_event_name: 'SessionStart' };
    assert.equal(readSessionInput(JSON.stringify(start)).source, 'startup');
    assert.equal(readSessionInput(JSON.stringify({ ...start, source: 'clear' })).source, 'clear');
  });
});

describe('a hook that failed', () => {
  const world = (test: TestContext, ours: unknown, projects: unknown = {}): NodeJS.ProcessEnv => {
    const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-failed-'));
    test.after(() => remove(folder));
    const [home, project] = [join(folder, 'state'), join(folder, 'project')];
    mkdirSync(home, { recursive: true });
    mkdirSync(join(project, '.claude'), { recursive: true });
    const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
    writeFileSync(join(home, 'config.json'), text(ours));
    writeFileSync(join(project, '.claude', 'konnichiwagwan.json'), text(projects));
    return { HOME: folder, KONNICHIWAGWAN_HOME: home, CLAUDE_PROJECT_DIR: project };
  };
  const failed = (env: NodeJS.ProcessEnv, tool: string | undefined = 'mcp__my_hub__x', event = 'PreToolUse') =>
    onError(event, new BadInput('the input is odd'), tool, env);

  it('lets the call through and says so; in mode strict it stops it', (test) => {
    assert.deepEqual(failed(world(test, {})), {
      systemMessage:
        'konnichiwagwan could not check: the input is odd. The call went through unchecked. Run: konnichiwagwan doctor',
    });
    const strict = failed(world(test, { mode: 'strict' }));
    assert.equal(strict.decision, 'deny');
    assert.match(
      strict.reason ?? '',
      /The mode is strict, so the call was not sent\. A person can run: konnichiwagwan/,
    );
    assert.equal(strict.systemMessage, strict.reason);
  });

  for (const [what, ours, tool, expected] of [
    ['a mode that is none counts as strict', { mode: 'strcit' }, undefined, 'deny'],
    ['settings that cannot be read may ask for anything', '{', undefined, 'deny'],
    ['mode off is not strict', { mode: 'off' }, undefined, undefined],
    ['mode warn is not strict', { mode: 'warn' }, undefined, undefined],
    ['mode guard is not strict', { mode: 'guard' }, undefined, undefined],
    ['the mode of its server', { servers: { 'my.hub': { mode: 'strict' } } }, 'mcp__my_hub__x', 'deny'],
    ['not that of another server', { servers: { other: { mode: 'strict' } } }, 'mcp__my_hub__x', undefined],
    ['not that of one that its name begins with', { servers: { my: { mode: 'strict' } } }, 'mcp__my_hub__x', undefined],
    ['that of any server, for a call whose tool is not known', { servers: { a: { mode: 'strict' } } }, '', 'deny'],
    ['a server without settings', { servers: { 'my.hub': null } }, 'mcp__my_hub__x', undefined],
  ] as const)
    it(what, (test) => assert.equal(failed(world(test, ours), tool ?? 'mcp__my_hub__x').decision, expected));

  it('stops nothing that is no call, and heeds the project, too', (test) => {
    const strict = world(test, { mode: 'strict' });
    const after = failed(strict, undefined, 'PostToolUseFailure');
    assert.equal(after.decision, undefined);
    assert.match(after.systemMessage ?? '', /the input is odd\. Nothing else is affected\./);
    assert.equal(failed(strict, undefined, 'UserPromptExpansion').decision, 'deny');
    assert.deepEqual(onError('PreToolUse', new NotMcp('x'), 'Bash', strict), {});
    assert.equal(failed(world(test, {}, { mode: 'strict' })).decision, 'deny');
    assert.equal(failed(world(test, {}, { servers: { 'my.hub': { mode: 'strict' } } })).decision, 'deny');
  });

  it('shows no error of Node or of a library but its kind', (test) => {
    const env = world(test, {});
    const said = (error: unknown) => onError('PreToolUse', error, undefined, env).systemMessage ?? '';
    const secret = Object.assign(new TypeError('secret'), { code: 'ENOENT' });
    assert.match(said(secret), /could not check: an internal error \(TypeError ENOENT\)\./);
    assert.match(said({ name: 'a secret', code: 5 }), /an internal error \(unknown\)\./);
  });

  it('because its Node is too old stops calls, whatever the mode, and nothing else', (test) => {
    const env = world(test, {});
    const old = new OldNode('Node 18 is too old', 'PreToolUse');
    const call = onError('PreToolUse', old, undefined, env);
    assert.equal(call.decision, 'deny');
    assert.match(
      call.reason ?? '',
      /calls of MCP tools are stopped: Node 18 is too old\. The call was not sent\. A person/,
    );
    const start = onError('SessionStart', old, undefined, env);
    assert.equal(start.decision, undefined);
    assert.doesNotMatch(start.systemMessage ?? '', /The call was not sent/);
  });
});

describe('the policy for a tool behind an invoker', () => {
  const config = (user: object = {}, project: object = {}): LoadedConfig =>
    ({
      user: { mode: 'guard', servers: {}, gateways: {}, ...user },
      project: { servers: {}, ...project },
      problems: [],
    }) as never;
  const outer = { mode: 'warn', trusted: true } as const;
  const inside = (of: LoadedConfig, server: string | undefined, configured: object[] = []) =>
    policyInside(of, { configured: configured as never }, server, outer);

  it('is the invoker’s for a server that nobody knows, or that is not named', () => {
    assert.deepEqual(inside(config(), undefined), outer);
    assert.deepEqual(inside(config(), 'inner'), outer);
    assert.deepEqual(inside(config(), 'inner', [{ name: 'inner', state: 'disabled' }]), outer);
    assert.deepEqual(inside(config(), 'inner', [{ name: 'other', state: 'ready' }]), outer);
  });

  it('is the server’s own where the client starts it, or the user’s settings name it', () => {
    assert.equal(inside(config(), 'my_inner', [{ name: 'my.inner', state: 'ready' }]).mode, 'guard');
    const named = config({ servers: { inner: { mode: 'strict' } } });
    assert.deepEqual(inside(named, 'inner').mode, 'strict');
    assert.equal(inside(config({ gateways: { g: { servers: ['inner'] } } }), 'inner').mode, 'guard');
    assert.equal(inside(config({ gateways: { g: { servers: ['other'] } } }), 'inner').mode, 'warn');
    const known = [{ name: 'my.inner', state: 'ready' }];
    assert.equal(inside(config({ servers: { 'my.inner': { mode: 'strict' } } }), 'my_inner', known).mode, 'strict');
    const two = config({ servers: { 'my.inner': { mode: 'strict' }, my_inner: { mode: 'off' } } });
    assert.equal(inside(two, 'my_inner', known).mode, 'off');
  });

  it('can be made stricter by a project, and never laxer', () => {
    const projects = (mode: string) => inside(config({}, { servers: { inner: { mode } } }), 'inner');
    assert.deepEqual(projects('strict'), { mode: 'strict', trusted: true });
    assert.deepEqual(projects('off'), outer);
    assert.deepEqual(projects('warn'), outer);
  });
});

describe('which tool is called behind a call', () => {
  const settings = (user: object = {}, project: object = {}) =>
    ({ user: { invokers: user }, project: { invokers: project } }) as never;
  const own = { tool: 'tool', arguments: 'args', server: 'server' };
  const behind = (of: never, name: string, args: object, contract?: object) =>
    calledBehind(of, name, args as never, contract as never, ['hub', 'my.files']);

  it('is none for any other tool, by its name or its contract', () => {
    assert.equal(behind(settings(), 'mcp__hub__search', { tool: 'x' }), null);
    const contract = { name: 'call_tool', inputSchema: { type: 'object' } };
    assert.equal(behind(settings(), 'mcp__hub__call_tool', { tool: 'x' }, contract), null);
    assert.equal(behind(settings({ mcp__hub__call_tool: false }), 'mcp__hub__call_tool', { tool: 'x' }), null);
  });

  it('is what the call names, where it is called like an invoker; not known where it names none', () => {
    assert.deepEqual(behind(settings(), 'mcp__hub__call_tool', { tool: 'x' }), { tool: 'x' });
    assert.equal(behind(settings(), 'mcp__hub__call_tool', { other: 'x' }), undefined);
    assert.equal(behind(settings({ mcp__hub__go: own }), 'mcp__hub__go', { args: {} }), null);
    assert.equal(behind(settings(), 'mcp__hub__call_tool', { tool: 'x'.repeat(201) }), undefined);
    assert.deepEqual(behind(settings(), 'mcp__hub__call_tool', { tool: 'x'.repeat(200) })?.tool.length, 200);
  });

  it('is of the server that is named, or that its name begins with', () => {
    const go = settings({}, { mcp__hub__go: own });
    assert.deepEqual(behind(go, 'mcp__hub__go', { tool: 'read', server: 'my.files' }), {
      server: 'my_files',
      tool: 'read',
    });
    assert.deepEqual(behind(go, 'mcp__hub__go', { tool: 'my.files/read' }), { server: 'my_files', tool: 'read' });
    assert.deepEqual(behind(go, 'mcp__hub__go', { tool: 'mcp__other__read' }), { server: 'other', tool: 'read' });
    assert.deepEqual(behind(go, 'mcp__hub__go', { tool: 'mcp__other__read', server: 'my.files' }), {
      server: 'my_files',
      tool: 'mcp__other__read',
    });
    assert.deepEqual(behind(go, 'mcp__hub__go', { tool: 'other__read' }), { tool: 'other__read' });
  });

  it('may be one by its name or the settings; the user’s come first', () => {
    assert.equal(mayInvoke(settings(), 'mcp__hub__call_tool'), true);
    assert.equal(mayInvoke(settings(), 'mcp__hub__call'), false);
    assert.equal(mayInvoke(settings(), 'mcp__my__hub__call_tool'), true);
    assert.equal(mayInvoke(settings({}, { mcp__hub__go: own }), 'mcp__hub__go'), true);
    assert.equal(mayInvoke(settings({ mcp__hub__go: own }), 'mcp__hub__go'), true);
    assert.equal(
      mayInvoke(settings({ mcp__hub__call_tool: false }, { mcp__hub__call_tool: own }), 'mcp__hub__call_tool'),
      false,
    );
  });
});

describe('where no source speaks for a tool', () => {
  const program = { type: 'stdio', command: 'node', args: ['server.js'], env: {} };
  const configured = (more: object = {}) => ({ name: 'demo', state: 'ready', launch: { type: 'http' }, ...more });
  interface Known {
    configured?: object[];
    servers?: object[];
    gateways?: object[];
    problems?: object[];
    ours?: string[];
    heard?: object[];
    elsewhere?: string;
    consulted?: object[];
    started?: object;
    input?: object;
  }
  const said = ({ heard = [], elsewhere, consulted = [], started, input = {}, ...all }: Known): string => {
    const known = { configured: [], servers: [], gateways: [], problems: [], ours: [], ...all };
    const search = { all: known, ways: [{ server: 'demo', spelling: 'find' }], elsewhere };
    const inquiry = { input, search, started, around: { project: '/p', env: {} } };
    const { verdict, ...more } = withoutSource({ consulted } as never, heard as never, inquiry as never);
    const { why, unaskable, unlisted } = more as { why: string; unaskable?: boolean; unlisted?: boolean };
    return `${verdict}${unaskable ? ', nothing to ask' : ''}${unlisted ? ', unlisted' : ''}: ${why}`;
  };
  const began = (key: string) => ({ sources: { [key]: { name: 'demo' } } });
  const gone =
    'its entry in the settings is gone, or cannot be read, or is of another kind, since this session started';

  for (const [what, known, told] of [
    ['nothing is configured', {}, 'not-covered: no source is configured for it'],
    ['it is our own tool', { ours: ['demo'] }, "off: it is konnichiwagwan's own"],
    ['the client tells another server', { ours: ['demo'], input: { server: 'd-emo' } }, /^not-covered: no source is/],
    ['the client tells our own', { ours: ['x y'], input: { server: 'x y' } }, "off: it is konnichiwagwan's own"],
    [
      'a server of the user has the name of ours',
      { ours: ['demo'], configured: [configured()] },
      'not-covered: no source is configured for it',
    ],
    [
      'a source failed, which is said before all else',
      { heard: [{}, { failed: { why: 'it hung', unaskable: true } }], elsewhere: 'x' },
      'unchecked, nothing to ask: it hung',
    ],
    ['a source failed that may be asked again', { heard: [{ failed: { why: 'it hung' } }] }, 'unchecked: it hung'],
    [
      'a source answered without it',
      { heard: [{}, { unlisted: true }], elsewhere: 'x' },
      'unchecked, unlisted: its list of tools does not have this one, as far as konnichiwagwan is shown it',
    ],
    [
      'it is another server’s',
      { elsewhere: 'it goes elsewhere', problems: [{ name: 'demo' }] },
      'unchecked: it goes elsewhere',
    ],
    [
      'its source has an error',
      {
        problems: [
          { name: 'other', why: 'x' },
          { name: 'demo', why: 'no\nURL' },
        ],
        configured: [configured({ state: 'disabled' })],
      },
      'unchecked: source `demo`: no\\u{a}URL',
    ],
    [
      'it is not ready',
      { configured: [configured({ state: 'disabled' })] },
      'unchecked, nothing to ask: it is disabled',
    ],
    [
      'it is not ready, for a reason',
      { configured: [configured({ state: 'unapproved', why: 'y' })] },
      'unchecked, nothing to ask: y',
    ],
    ['its entry went', { started: began('k') }, `unchecked: ${gone}`],
    [
      'its entry went, which failed at the start',
      { started: { sources: {}, failed: began('k').sources } },
      `unchecked: ${gone}`,
    ],
    ['its entry has another key', { started: began('k'), servers: [{ key: 'l', name: 'demo' }] }, /^not-covered/],
    ['its entry is there as it was', { started: began('k'), gateways: [{ key: 'k' }] }, /^not-covered/],
    ['another entry went', { started: { sources: { k: { name: 'other' } } } }, /^not-covered/],
    [
      'it is a program',
      { configured: [configured({ launch: program })], consulted: [{}] },
      'not-covered: its server is a program, which only its own client can ask',
    ],
    [
      'an agent brings it',
      { input: { scope: 'agent' }, consulted: [{}] },
      /^unchecked, nothing to ask: only the definition of an agent/,
    ],
    [
      'an agent brings it, and the settings have it',
      { input: { scope: 'agent' }, configured: [configured()] },
      /^not-covered/,
    ],
    [
      'another source was asked',
      { consulted: [{}], problems: [{ name: 'g', kind: 'gateway' }] },
      'not-covered: no source lists this tool',
    ],
    [
      'a gateway has an error, which may list it',
      {
        problems: [
          { name: 's', kind: 'server', why: 'x' },
          { name: 'g', kind: 'gateway', why: 'y' },
        ],
        input: { scope: 'user' },
      },
      'unchecked: gateway `g`: y',
    ],
    [
      'a file has it that is not found',
      { input: { scope: 'user' } },
      'unchecked: Claude Code has it from scope `user`, where it is not found',
    ],
    ['no file has it', { input: { scope: 'sdk' } }, 'not-covered: no source is configured for it'],
    ['its file is known', { input: { scope: 'user' }, configured: [configured()] }, /^not-covered/],
  ] as [string, Known, string | RegExp][])
    it(what, () => (typeof told === 'string' ? assert.equal(said(known), told) : assert.match(said(known), told)));
});
