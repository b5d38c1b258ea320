// An organization's konnichiwagwan.json, beside the client's managed settings: no user can loosen it, and the next call
// sees that it changed.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type LoadedConfig, loadConfig, policyFor } from '../scripts/config/config.ts';
import { MODES } from '../scripts/config/settings.ts';
import type { Json, JsonObject } from '../scripts/contract/types.ts';
import type { Mode } from '../scripts/judge/judge.ts';
import { approvalRules } from '../scripts/lock/rules.ts';
import { inEnvironment } from './own-process.ts';
import { drive, sandbox, tool } from './sandbox.ts';

const world = async (test: TestContext, config: JsonObject = { freshFor: 0 }) => {
  const parcel = (place: string) =>
    tool('track', { [place]: { type: 'string' } }, { required: [place], additionalProperties: false });
  const box = await sandbox(test, [parcel('number')], config);
  const folder = join(box.home, 'managed');
  mkdirSync(folder);
  box.env.TEST_MANAGED_FOLDER = folder;
  const file = join(folder, 'konnichiwagwan.json');
  const orders = (text: string | Json): void =>
    writeFileSync(file, typeof text === 'string' ? text : JSON.stringify(text));
  const users = (settings: JsonObject): void => writeFileSync(join(box.state, 'config.json'), JSON.stringify(settings));
  const load = (): LoadedConfig =>
    inEnvironment(box.env, () => loadConfig(box.state, box.project, { GATEWAY_URL: box.env.GATEWAY_URL }));
  const rules = () => inEnvironment(box.env, () => approvalRules(box.state, box.project));
  /** The tool takes another parameter than the one that the model knows. */
  const drift = () => box.release([parcel('shipment')]);
  const track = (more: JsonObject = {}, env: NodeJS.ProcessEnv = {}) => box.call('track', { number: 'x' }, more, env);
  return { ...box, file, orders, users, load, rules, drift, track };
};

const decisionOf = ({ answer }: { answer?: { hookSpecificOutput?: { permissionDecision?: string } } }) =>
  answer?.hookSpecificOutput?.permissionDecision;

describe('the settings of an organization', () => {
  it('set the least mode, for all servers and for one; what a file says of a server goes before what it says of all', async (test) => {
    const { orders, users, load } = await world(test);
    const said: (Mode | undefined)[] = [undefined, ...MODES];
    let looser = 0;
    for (const user of said)
      for (const ofServer of said) {
        users({ mode: user, servers: { parcels: { mode: ofServer } } } as JsonObject);
        for (const managed of said)
          for (const managedOfServer of said) {
            orders({ mode: managed, servers: { parcels: { mode: managedOfServer } } } as JsonObject);
            const loaded = load();
            for (const [name, wanted, least] of [
              ['parcels', ofServer ?? user ?? 'guard', managedOfServer ?? managed ?? 'off'],
              ['another', user ?? 'guard', managed ?? 'off'],
            ] as const) {
              const { mode } = policyFor(loaded, name);
              const expected = Math.max(MODES.indexOf(wanted), MODES.indexOf(least));
              assert.equal(
                MODES.indexOf(mode),
                expected,
                [user, ofServer, managed, managedOfServer, name, mode].join(),
              );
              if (MODES.indexOf(wanted) < expected) looser++;
            }
          }
      }
    assert.ok(looser > 100, `${looser}`);
  });

  it('decide alone which servers are trusted, if they name one', async (test) => {
    const { orders, users, load } = await world(test);
    users({ servers: { mine: { trusted: true }, theirs: { trusted: true } } });
    const trusted = (): string[] => ['mine', 'theirs', 'new'].filter((name) => policyFor(load(), name).trusted);
    orders({ servers: { mine: { mode: 'strict' } } });
    assert.deepEqual(trusted(), ['mine', 'theirs']);
    orders({ servers: { new: { trusted: true } } });
    assert.deepEqual(trusted(), ['new']);
    orders({ servers: { mine: { trusted: false } } });
    assert.deepEqual(trusted(), []);
  });

  it('count as strict, and trust no server, where they cannot be read', async (test) => {
    const { orders, users, load, file } = await world(test);
    users({ mode: 'off', servers: { mine: { mode: 'off', trusted: true } } });
    assert.deepEqual([policyFor(load(), 'mine'), load().problems], [{ mode: 'off', trusted: true }, []]);
    for (const text of [
      '{',
      '[]',
      '"strict"',
      'null',
      { mode: 'stirct' },
      { servers: { mine: { mode: 1 } } },
      { mods: 1 },
      { mode: 'warn', servers: { mine: { mode: 'warn', trusted: true } }, mods: 1 },
    ]) {
      orders(text);
      const config = load();
      const what = JSON.stringify(text);
      for (const name of ['mine', 'other'])
        assert.deepEqual(policyFor(config, name), { mode: 'strict', trusted: false }, what);
      assert.match(
        config.problems.join('\n'),
        /konnichiwagwan\.json: .*\n.*until it is valid, mode strict applies/,
        what,
      );
    }
    rmSync(file);
    mkdirSync(file);
    assert.equal(policyFor(load(), 'mine').mode, 'strict', 'a folder of that name');
  });

  it('say where approvals are published, in place of the user', async (test) => {
    const { orders, users, load } = await world(test);
    const [mine, ours] = [
      { url: 'https://mine.example/a', allowedSigners: 'mine' },
      { url: 'https://ours.example/a', allowedSigners: '/etc/ours' },
    ];
    users({ approvals: mine });
    for (const [given, shared] of [
      [{ mode: 'warn' }, mine],
      [{ approvals: ours }, ours],
      [{ approvals: { why: true } }, undefined],
      ['{', undefined],
      // A path that starts at a folder of the user.
      [{ approvals: { ...ours, allowedSigners: 'ours' } }, undefined],
    ] as [Json, unknown][]) {
      orders(given);
      assert.deepEqual(load().user.shared, shared, JSON.stringify(given));
    }
  });

  it('say where verdicts are sent, in place of the user', async (test) => {
    const { orders, users, load } = await world(test);
    const at = (name: string) => ({ endpoint: `https://${name}.example/v1/logs` });
    users({ telemetry: { ...at('mine'), machineId: false } });
    orders({ mode: 'warn' });
    assert.deepEqual(load().user.telemetry, { ...at('mine'), machineId: false });
    orders({ telemetry: at('ours') });
    assert.deepEqual(load().user.telemetry, at('ours'));
  });

  it('have rules for approvals, which nothing weakens', async (test) => {
    const { orders, users, rules, file } = await world(test);
    users({ approvals: { why: true } });
    orders({ approvals: { people: 2, by: ['ops@example.org'] } });
    const { why, people, by } = rules();
    assert.deepEqual({ why, people, by }, { why: true, people: 2, by: [['ops@example.org']] });
    orders('{');
    assert.throws(rules, { code: 'bad-settings' });
    rmSync(file);
    assert.equal(rules().people, 1);
  });
});

describe('a call under the settings of an organization', () => {
  it('is judged by them as soon as they are there, and no longer when they are gone', async (test) => {
    const box = await world(test, { mode: 'off', freshFor: 0 });
    await box.start();
    box.drift();
    const sent = { session_id: 's1', tool_use_id: 'toolu_2' };
    assert.equal((await box.track(sent)).answer, undefined);
    assert.equal((await box.track(sent)).answer, undefined, 'the fast path knows that the mode is off');
    box.orders({ mode: 'guard' });
    assert.equal(decisionOf(await box.track(sent)), 'deny');
    box.orders({ mode: 'warn' });
    assert.equal(decisionOf(await box.track(sent)), undefined);
    rmSync(box.file);
    assert.equal((await box.track(sent)).answer, undefined);
  });

  it('is judged where a user switches the hooks off', async (test) => {
    const box = await world(test);
    await box.start();
    box.drift();
    const off = { KONNICHIWAGWAN: 'off' };
    assert.equal((await box.track({}, off)).answer, undefined);
    box.orders({ mode: 'guard' });
    assert.equal(decisionOf(await box.track({}, off)), 'deny');
  });

  for (const [what, orders, stops] of [
    ['strict', { mode: 'strict' }, true],
    ['for one server', { servers: { parcels: { mode: 'strict' } } }, true],
    ['cannot be read', '{', true],
    ['milder', { mode: 'guard' }, false],
  ] as [string, Json, boolean][])
    it(`is ${stops ? '' : 'not '}stopped by an error of the guard: ${what}`, async (test) => {
      const box = await world(test);
      box.orders(orders);
      const broken = '{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"mcp__a__b","tool_input":"x"}';
      const answered = await drive('guard.cjs', broken, box.env);
      assert.equal(decisionOf(answered), stops ? 'deny' : undefined);
      assert.match(answered.answer.systemMessage, /could not check/);
    });
});

describe('the start of a session', () => {
  it('says that the organization’s file cannot be read', async (test) => {
    const box = await world(test);
    box.orders('{"mode": "guard",}');
    const { answer } = await box.start();
    assert.match(answer.systemMessage, /konnichiwagwan\.json: is not valid JSON: a comma too many in line 1/);
    assert.match(answer.systemMessage, /until it is valid, mode strict applies, and no server is trusted/);
  });
});
