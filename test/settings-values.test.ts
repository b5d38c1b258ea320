// What the settings may say: which values count, what becomes of the others, and what a valid one does beside other files.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { loadConfig, trustsWords } from '../scripts/config/config.ts';
import { agreedTo, rememberAgreed } from '../scripts/config/project-gateways.ts';
import { remove } from '../scripts/state/in-use.ts';
import { projectConfigPath } from '../scripts/state/paths.ts';

const settingsOf = (test: TestContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-test-'));
  test.after(() => remove(folder));
  mkdirSync(join(folder, '.claude'));
  return {
    folder,
    load: (user: object, project: object = {}, env: NodeJS.ProcessEnv = {}) => {
      writeFileSync(join(folder, 'config.json'), JSON.stringify(user));
      writeFileSync(projectConfigPath(folder), JSON.stringify(project));
      return loadConfig(folder, folder, env);
    },
  };
};

const url = 'http://127.0.0.1:1';

describe('a number in the settings', () => {
  const table: [key: 'freshFor' | 'timeout' | 'maxAge', value: unknown, counts: boolean][] = [
    ['freshFor', 0, true],
    ['freshFor', 60, true],
    ['freshFor', -1, false],
    ['freshFor', 60.5, false],
    ['freshFor', '2', false],
    ['timeout', 0.1, true],
    ['timeout', 60, true],
    ['timeout', 0, false],
    ['timeout', 61, false],
    ['timeout', '5', false],
    ['maxAge', 1, true],
    ['maxAge', 0, false],
    ['maxAge', null, false],
  ];
  for (const [key, value, counts] of table)
    it(`${counts ? 'counts' : 'is left out, which is told'}: ${key} ${JSON.stringify(value)}`, (test) => {
      const { user, problems } = settingsOf(test).load({
        ...(key === 'freshFor' ? { freshFor: value } : {}),
        gateways: { g: { url, ...(key === 'timeout' ? { timeout: value } : {}) } },
        approvals: { url: 'https://a.example/x', allowedSigners: 's', ...(key === 'maxAge' ? { maxAge: value } : {}) },
      });
      assert.equal(problems.length, counts ? 0 : 1, String(problems));
      const read = { freshFor: user.freshFor, timeout: user.gateways.g?.timeout, maxAge: user.shared?.maxAge }[key];
      assert.equal(read, counts ? value : { freshFor: 2, timeout: undefined, maxAge: undefined }[key]);
      assert.deepEqual([user.gateways.g?.url, user.shared?.url], [url, 'https://a.example/x'], 'the rest counts');
    });
});

describe('a word in the settings', () => {
  const table: [user: object, project: object, told: RegExp][] = [
    [{ telemetry: { endpoint: url, encoding: 'xml' } }, {}, /"telemetry\.encoding" must be json or protobuf/],
    [{ telemetry: { encoding: 'json' } }, {}, /"telemetry" must have a valid endpoint/],
    [{ trace: 'yes' }, {}, /"trace" must be true or false/],
    [{ gateways: { g: { url: '' } } }, {}, /"gateways\.g\.url" must be a text that is not empty/],
    [{ gateways: { g: { url, headers: { a: 1 } } } }, {}, /"gateways\.g\.headers\.a" must be a text/],
    [{ approvals: { url: 'https://a.example/x' } }, {}, /"approvals" must have a valid allowedSigners/],
    [
      { approvals: { url: 'http://a.example/x', allowedSigners: 's' } },
      {},
      /"approvals\.url" must be an https address/,
    ],
    [{ approvals: { url: 'https://me@a.example/', allowedSigners: 's' } }, {}, /"approvals\.url" must be an https/],
    [{}, { telemetry: { endpoint: url } }, /"telemetry" may be set in your own config\.json alone/],
    [{}, { approvals: { url: 'https://a.example/x' } }, /"approvals\.url" may stand in the settings of a user alone/],
    [{}, { approvals: { maxAge: 9 } }, /"approvals\.maxAge" may stand in the settings of a user alone/],
    [{}, { servers: { a: { trusted: true } } }, /"servers\.a\.trusted" is not a setting/],
    [{}, { freshFor: 60 }, /"freshFor" is not a setting/],
    [{}, { trace: true }, /"trace" is not a setting/],
    [{}, { invokers: { mcp__a__b: false } }, /"invokers\.mcp__a__b" must be an object/],
    [{}, { ignore: {} }, /"ignore" must be an array/],
  ];
  for (const [user, project, told] of table)
    it(`that is none is told: ${JSON.stringify([user, project])}`, (test) => {
      const { problems, ...read } = settingsOf(test).load(user, project);
      assert.match(problems.join('\n'), told);
      assert.deepEqual([read.user.shared, read.user.trace], [undefined, undefined]);
      assert.equal(read.user.telemetry?.encoding, undefined);
      if (!('endpoint' in ((user as { telemetry?: object }).telemetry ?? {})))
        assert.equal(read.user.telemetry, undefined);
    });
});

describe('settings of which some are wrong', () => {
  it('keep the valid elements of a list', (test) => {
    const { user, problems } = settingsOf(test).load({ gateways: { g: { url, servers: ['a', 1, 'b'] } } });
    assert.deepEqual(user.gateways.g?.servers, ['a', 'b']);
    assert.match(problems.join('\n'), /"gateways\.g\.servers\.1" must be a text/);
  });

  it('tell eight of them, and how many more there are', (test) => {
    const { load } = settingsOf(test);
    const wrong = (count: number) => load(Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, 1])));
    assert.equal(wrong(8).problems.length, 8);
    assert.doesNotMatch(wrong(8).problems.join('\n'), /more are left out/);
    const { problems } = wrong(11);
    assert.equal(problems.length, 9);
    assert.match(problems.at(-1) ?? '', /^config\.json: and 3 more are left out$/);
  });

  it('leave the others as they are', (test) => {
    const telemetry = {
      endpoint: url,
      encoding: 'protobuf',
      machineId: false,
      headers: { a: 'b' },
      headersHelper: 'h',
    };
    const { user } = settingsOf(test).load({ nothing: 1, mode: 'warn', trace: true, telemetry });
    assert.deepEqual([user.mode, user.trace, user.telemetry], ['warn', true, telemetry]);
  });
});

describe('GATEWAY_URL', () => {
  it('says where the gateway of that name is, whose other settings count', (test) => {
    const { load } = settingsOf(test);
    const gateway = { url: 'http://127.0.0.1:2', headers: { 'x-team': 'blue' }, timeout: 3, servers: ['a'] };
    const { user } = load({ gateways: { GATEWAY_URL: gateway, other: { url } } }, {}, { GATEWAY_URL: url });
    assert.deepEqual(user.gateways, { GATEWAY_URL: { ...gateway, url }, other: { url } });
    for (const env of [{}, { GATEWAY_URL: '' }])
      assert.deepEqual(load({ gateways: { GATEWAY_URL: gateway } }, {}, env).user.gateways.GATEWAY_URL, gateway);
  });
});

describe('a gateway of a project that the user agreed to', () => {
  const gateway = { url, servers: ['a'] };

  it('may not bring words to the model, although the user trusts its servers', (test) => {
    const { folder, load } = settingsOf(test);
    rememberAgreed(folder, folder, 'g', gateway, true);
    const config = load({ servers: { a: { trusted: true } } }, { gateways: { g: gateway } });
    assert.deepEqual(config.user.gateways, { g: gateway });
    assert.equal(trustsWords(config, { kind: 'gateway', name: 'g' }), false);
  });

  it('stays agreed to while other projects are asked about theirs, and under another path to its folder', (test) => {
    const { folder } = settingsOf(test);
    rememberAgreed(folder, folder, 'g', gateway, true);
    for (const other of ['one', 'two', 'three']) rememberAgreed(folder, join(folder, other), 'g', gateway, false);
    symlinkSync(folder, join(folder, 'link'), 'junction');
    assert.deepEqual(
      [folder, join(folder, 'link'), join(folder, 'one'), join(folder, 'four')].map((project) =>
        agreedTo(folder, project, 'g', gateway),
      ),
      [true, true, false, undefined],
    );
  });
});
