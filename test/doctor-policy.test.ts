// What doctor says about managed settings of the client: of files, of device management, and of what they keep from running.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { entryOf } from '../scripts/cli/doctor/check.ts';
import type { HookForm } from '../scripts/cli/doctor/forms.ts';
import { checkPolicy } from '../scripts/cli/doctor/policy.ts';
import type { Io } from '../scripts/command/command.ts';
import type { Json, JsonObject } from '../scripts/contract/types.ts';
import { type Device, devicePolicies } from '../scripts/servers/device-policy.ts';
import { thisSystem } from '../scripts/servers/system.ts';
import { remove } from '../scripts/state/in-use.ts';
import { registryText } from '../scripts/state/programs.ts';
import { drive } from './drive.ts';
import { inEnvironment } from './own-process.ts';
import { noModes } from './posix.ts';

const ID = 'konnichiwagwan@konnichiwagwan';
const SOURCE = { source: 'github', repo: 'acme/tools' };

const form = (kind: HookForm['kind'], name: string): HookForm => ({
  ...{ kind, name, place: `/places/${name}`, hooks: [], loaded: false, untrusted: false },
  ...{ repair: 'repair', remove: 'remove' },
});
const PLUGIN = form('plugin', `plugin ${ID}`);
const FOLDER = form('plugin', 'plugin konnichiwagwan@skills-dir');
const SETTINGS = form('settings', 'your settings.json');

const NO_DEVICE: Device = {
  platform: 'linux',
  user: 'ada',
  exists: () => false,
  ask: () => undefined,
  registry: () => undefined,
};

const world = (test: TestContext) => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-policy-'));
  test.after(() => remove(home));
  const [managed, project] = [join(home, 'managed'), join(home, 'project')];
  for (const folder of [join(managed, 'managed-settings.d'), project, join(home, '.claude')])
    mkdirSync(folder, { recursive: true });
  const env = { HOME: home, TEST_MANAGED_FOLDER: managed };
  const write = (path: string, value: Json): void =>
    writeFileSync(join(home, path), typeof value === 'string' ? value : JSON.stringify(value));
  const io = { env, cwd: project } as unknown as Io;
  const found = (forms: readonly HookForm[] = [PLUGIN], device = NO_DEVICE) =>
    inEnvironment(env, () => checkPolicy(io, project, forms, device));
  const checks = (...about: Parameters<typeof found>): string[] =>
    found(...about).map((check) => {
      const { id, level, message } = entryOf(check);
      return `${id} ${level}: ${message.replaceAll(home, '~').replaceAll(thisSystem.managed, join('~/managed'))}`;
    });
  return {
    home,
    env,
    project,
    write,
    policy: (value: Json) => write('managed/managed-settings.json', value),
    found,
    checks,
  };
};

describe('doctor, of managed settings', () => {
  it('says nothing where there are none', (test) => {
    assert.deepEqual(world(test).checks([PLUGIN, FOLDER, SETTINGS]), []);
  });

  it('names files that the client does not use', (test) => {
    const { policy, write, checks } = world(test);
    policy({ model: 'x' });
    write('managed/managed-settings.d/10-hooks.json', '{"hooks": ');
    write('managed/managed-settings.d/20-hooks.json', { hooks: { PreToolUse: { hooks: [] } } });
    write('managed/managed-settings.d/30-hooks.json', { hooks: { PreToolUse: [{ hooks: [{ type: 'command' }] }] } });
    const runs = { hooks: [{ type: 'command' }] };
    write('managed/managed-settings.d/40-hooks.json', {
      hooks: { PreToolUse: [runs, { matcher: 'x' }], Stop: [runs] },
    });
    write('managed/managed-settings.d/50-hooks.json', { hooks: { PreToolUse: [runs], Stop: [{ hooks: [{}] }, runs] } });
    assert.deepEqual(checks(), [
      `policy-file problem: ${join('~/managed/managed-settings.d/10-hooks.json')} is not valid JSON: Claude Code does not use it`,
      ...['20', '40', '50'].map(
        (file) =>
          `policy-file problem: the hooks in ${join(`~/managed/managed-settings.d/${file}-hooks.json`)} are not valid: Claude Code does not run them, and can leave out the whole file`,
      ),
    ]);
  });

  it('names the plugin that they force, and what keeps it away', (test) => {
    const { policy, checks } = world(test);
    const forced: JsonObject = {
      enabledPlugins: { [ID]: true },
      extraKnownMarketplaces: { konnichiwagwan: { source: SOURCE } },
    };
    policy(forced);
    assert.deepEqual(checks(), [`policy-plugin ok: managed settings force \`${ID}\``]);
    assert.match(checks([]).join(), /^policy-plugin warning: .* is not installed here yet$/);
    policy({ ...forced, strictKnownMarketplaces: [{ source: 'github', repo: 'acme/other' }] });
    assert.match(checks().join(), /^policy-plugin problem: strictKnownMarketplaces .* does not list the marketplace/);
    for (const listed of [
      SOURCE,
      { source: 'github', repo: 'acme/*' },
      { source: 'hostPattern', hostPattern: '^git' },
    ]) {
      policy({ ...forced, strictKnownMarketplaces: [listed] });
      assert.match(checks().join(), /^policy-plugin ok: /, JSON.stringify(listed));
    }
    policy({ ...forced, strictKnownMarketplaces: [{ source: 'github', repo: 'ac/*' }] });
    assert.match(checks().join(), /^policy-plugin problem: /);
    policy({ ...forced, strictKnownMarketplaces: [SOURCE] });
    assert.match(checks().join(), /^policy-plugin ok: /);
    assert.match(
      checks([PLUGIN, FOLDER]).join('\n'),
      /\npolicy-plugin problem: strictKnownMarketplaces .* keeps Claude Code from loading/,
    );
    policy({ ...forced, strictKnownMarketplaces: [SOURCE, { source: 'skills-dir' }] });
    assert.equal(checks([PLUGIN, FOLDER]).length, 1);
    for (const off of [false, ['1.0.0']] as Json[]) {
      policy({ enabledPlugins: { [ID]: off } });
      assert.match(checks().join(), /^policy-plugin problem: managed settings switch .* off$/, JSON.stringify(off));
    }
  });

  it('calls the documented settings enough, also where hooks of others are not allowed', (test) => {
    const [, text = ''] = /```json\n(.*?)```/s.exec(readFileSync('docs/company.md', 'utf8')) ?? [];
    const { policy, checks } = world(test);
    policy({ ...JSON.parse(text), allowManagedHooksOnly: true });
    assert.deepEqual(checks(), [`policy-plugin ok: managed settings force \`${ID}\``]);
  });

  it('names each form whose hooks do not run', (test) => {
    const { policy, write, checks } = world(test);
    const dropped = (): string[] =>
      checks([PLUGIN, FOLDER, SETTINGS])
        .filter((line) => line.startsWith('policy-hooks'))
        .map((line) => line.replace(/^policy-hooks problem: (\w+) in .*: the hooks of (.*) do not run$/, '$1 $2'));
    const by = (key: string, ...forms: HookForm[]): string[] => forms.map(({ name }) => `${key} ${name}`);
    policy({ allowManagedHooksOnly: true });
    assert.deepEqual(dropped(), by('allowManagedHooksOnly', PLUGIN, FOLDER, SETTINGS));
    policy({ allowManagedHooksOnly: true, enabledPlugins: { [ID]: true } });
    assert.deepEqual(dropped(), by('allowManagedHooksOnly', FOLDER, SETTINGS));
    policy({ disableAllHooks: true, enabledPlugins: { [ID]: true } });
    assert.deepEqual(dropped(), by('disableAllHooks', PLUGIN, FOLDER, SETTINGS));
    policy({ strictPluginOnlyCustomization: ['hooks'] });
    assert.deepEqual(dropped(), by('strictPluginOnlyCustomization', SETTINGS));
    policy({ strictPluginOnlyCustomization: ['skills'], enabledPlugins: { [ID]: true } });
    assert.deepEqual(dropped(), []);
    write('.claude/settings.json', { disableAllHooks: true });
    assert.deepEqual(dropped(), by('disableAllHooks', FOLDER, SETTINGS));
  });

  it('names the guard and wrapped servers that lists of servers leave out', (test) => {
    const { policy, write, found, checks } = world(test);
    const program = 'node_modules/konnichiwagwan/dist/cli.cjs';
    write('.claude.json', {
      mcpServers: {
        parcels: { command: 'node', args: [program, 'wrap', '--', 'npx', 'parcels'] },
        plain: { command: 'npx', args: ['plain'] },
      },
    });
    policy({
      allowedMcpServers: [{ serverCommand: ['npx', 'parcels'] }],
      deniedMcpServers: [{ serverName: 'plain' }],
    });
    assert.deepEqual(
      checks().map((line) => line.replace(/ in ~.*/, '')),
      ['policy-servers problem: `parcels` is not started: allowedMcpServers'],
    );
    policy({ allowedMcpServers: [{ serverCommand: ['node', program, 'wrap', '--', 'npx', 'parcels'] }] });
    assert.deepEqual(checks(), []);
    const guard = {
      command: 'node',
      args: [
        '--max-semi-space-size=2',
        '--max-old-space-size=1024',
        '.claude/skills/konnichiwagwan/program/resident.cjs',
      ],
    };
    write('project/.mcp.json', { mcpServers: { 'konnichiwagwan-guard': guard } });
    policy({ deniedMcpServers: [{ serverName: 'konnichiwagwan-guard' }] });
    assert.match(checks().join(), /^policy-servers problem: `konnichiwagwan-guard` is not started: deniedMcpServers/);
    policy({ allowedMcpServers: [{ serverName: 'plain' }] });
    const left = found().find(({ detail }) => detail.includes('konnichiwagwan-guard'));
    const entry = /list (\{.*?\}), /.exec(left?.hint ?? '')?.[1] ?? '{}';
    policy({ allowedMcpServers: [JSON.parse(entry)] });
    assert.deepEqual(checks(), [], entry);
  });

  it('says where the one that holds comes from, and whether a user could change it', { skip: noModes }, (test) => {
    const { home, write, checks } = world(test);
    write('managed/konnichiwagwan.json', { mode: 'strict' });
    const file = join(home, 'managed/konnichiwagwan.json');
    const root = process.getuid?.() === 0;
    const said = 'managed ok: ~/managed/konnichiwagwan.json holds; the mode is strict or stricter';
    const owned =
      'managed-owner warning: ~/managed/konnichiwagwan.json can be changed by others than root: what it says is no policy';
    assert.deepEqual(checks(), root ? [said] : [said, owned]);
    write('managed/konnichiwagwan.json', { mode: 'stirct' });
    assert.equal(checks()[0], 'managed problem: ~/managed/konnichiwagwan.json is not valid: mode strict applies');
    write('managed/konnichiwagwan.json', { mode: 'strict' });
    chmodSync(file, 0o666);
    assert.deepEqual(checks(), [said, owned]);
  });
});

describe('device management', () => {
  const windows = (values: Record<string, string>): Device => ({
    ...NO_DEVICE,
    platform: 'win32',
    registry: (key, name) =>
      registryText(key, name, (line) => {
        assert.equal(line, `reg.exe query "${key}" /v Settings`);
        const value = values[key.slice(0, 4)];
        return value === undefined ? undefined : `\r\n${key}\r\n    Settings    ${value}\r\n\r\n`;
      }),
  });

  it('is read from the registry', () => {
    const text = '{"allowManagedHooksOnly":true,"model":"two  words"}';
    const [machine, user, ...more] = devicePolicies(
      windows({ HKLM: `REG_SZ    ${text}`, HKCU: 'REG_EXPAND_SZ    {}' }),
    );
    assert.deepEqual(machine, {
      file: 'HKLM\\SOFTWARE\\Policies\\ClaudeCode\\Settings',
      weak: false,
      status: 'read',
      value: JSON.parse(text),
    });
    assert.deepEqual([user?.weak, user?.status, more], [true, 'read', []]);
    assert.deepEqual(devicePolicies(windows({})), []);
    for (const value of ['REG_DWORD    0x1', 'REG_SZ    {', 'REG_SZ    []'])
      assert.equal(devicePolicies(windows({ HKLM: value }))[0]?.status, 'bad', value);
  });

  it('is read from managed preferences', () => {
    const own = '/Library/Managed Preferences/ada/com.anthropic.claudecode.plist';
    const all = '/Library/Managed Preferences/com.anthropic.claudecode.plist';
    const mac = (files: Record<string, string | undefined>): Device => ({
      ...NO_DEVICE,
      platform: 'darwin',
      exists: (path) => Object.hasOwn(files, path),
      ask: (program, args) => {
        assert.deepEqual([program, ...args.slice(0, -1)], ['/usr/bin/plutil', '-convert', 'json', '-o', '-', '--']);
        return files[args.at(-1) ?? ''];
      },
    });
    const found = devicePolicies(mac({ [all]: '{"model":"x"}', [own]: undefined }));
    assert.deepEqual(found, [
      { file: own, weak: false, status: 'bad', why: 'cannot be read' },
      { file: all, weak: false, status: 'read', value: { model: 'x' } },
    ]);
    assert.deepEqual(devicePolicies(mac({})), []);
  });

  it('goes before files, and these before what a user can write; or they are merged', (test) => {
    const { policy, checks } = world(test);
    const device = windows({ HKLM: 'REG_SZ    {"model":"x"}', HKCU: 'REG_SZ    {"disableAllHooks":true}' });
    policy({ disableAllHooks: true });
    assert.deepEqual(checks([PLUGIN], device), [
      `policy-file warning: ${join('~/managed/managed-settings.json')}, HKCU\\SOFTWARE\\Policies\\ClaudeCode\\Settings is not used: HKLM\\SOFTWARE\\Policies\\ClaudeCode\\Settings goes before it`,
    ]);
    const merging = windows({ HKLM: 'REG_SZ    {"managedSourcesBehavior":"merge"}' });
    assert.match(checks([PLUGIN], merging).join(), /^policy-hooks problem: disableAllHooks in ~/);
    const both = { HKLM: 'REG_SZ    {"managedSourcesBehavior":"merge"}', HKCU: 'REG_SZ    {"disableAllHooks":true}' };
    policy({ model: 'x' });
    assert.match(checks([PLUGIN], windows(both)).join('\n'), /^policy-file warning: HKCU.* is not used/);
    policy({ disableAllHooks: true });
    assert.match(
      checks([PLUGIN], windows({ HKLM: 'REG_SZ    {' })).join('\n'),
      /^policy-file problem: HKLM.*\npolicy-hooks/,
    );
  });
});

describe('doctor --format lines', () => {
  it('prints one object for each check, with an id of the documented list, and exits as before', async (test) => {
    const { env, project, policy } = world(test);
    policy({ allowManagedHooksOnly: true });
    const { stdout, code } = await drive('cli.cjs', null, env, ['doctor', '--format', 'lines'], true, project);
    const entries = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const page = readFileSync('docs/company.md', 'utf8');
    for (const { id, level, name, message } of entries) {
      assert.ok(page.includes(`| \`${id}\` |`), `${id} is not documented`);
      assert.ok(['ok', 'warning', 'problem'].includes(level) && name !== '' && message !== '', id);
    }
    assert.ok(entries.length > 3 && entries.some(({ fix }) => fix !== undefined));
    assert.equal(code, 1);
    const json = await drive('cli.cjs', null, env, ['doctor', '--json'], false, project);
    const [first] = json.answer.data.checks;
    assert.deepEqual([first.state, first.level, first.message], ['ok', 'ok', first.detail]);
    const wrong = await drive('cli.cjs', null, env, ['doctor', '--format', 'xml'], true, project);
    assert.equal(wrong.code, 2);
  });
});
