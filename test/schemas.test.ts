// The schemas for editors and our own readers, which do not use them, must agree about a file.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { Ajv } from 'ajv';
import { loadConfig } from '../scripts/config/config.ts';
import { isObject, type Json, type JsonObject } from '../scripts/contract/types.ts';
import { parseLock } from '../scripts/lock/read.ts';
import { rulesInText } from '../scripts/lock/rules.ts';
import { remove } from '../scripts/state/in-use.ts';
import { inEnvironment } from './own-process.ts';
import { drive } from './sandbox.ts';

const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-schemas-'));
process.on('exit', () => remove(folder));
const home = join(folder, 'state');
const project = join(folder, 'project');
mkdirSync(home);
mkdirSync(join(project, '.claude'), { recursive: true });
const USERS = join(home, 'config.json');
const PROJECTS = join(project, '.claude/konnichiwagwan.json');

const ajv = new Ajv();
const schemaOf = (name: string) => {
  const schema = ajv.compile(JSON.parse(readFileSync(`schemas/${name}.schema.json`, 'utf8')));
  return (value: Json): boolean => schema(value) === true;
};
const isUsers = schemaOf('config');
const isProjects = schemaOf('project');
const isManaged = schemaOf('managed');
const isLockfile = schemaOf('lockfile');

const built = createRequire(resolve('package.json'))('./dist/config.cjs') as {
  loadConfig(home: string, project: string, env: NodeJS.ProcessEnv): { problems: string[] };
};
/** Whether the reader finds nothing wrong with a file. */
const isRead = (file: string, value: Json): boolean => {
  rmSync(USERS, { force: true });
  rmSync(PROJECTS, { force: true });
  writeFileSync(file, JSON.stringify(value));
  return built.loadConfig(home, project, {}).problems.length === 0;
};

/** Values that a user may write by mistake in any place. */
const ODD: Json[] = [null, true, false, 0, 1, 60, 61, -1, 0.5, '', 'x', ' ', [], [1], ['x'], {}, { x: 1 }];

/** The value with one place changed: something odd there, the key gone, or one more key. */
const mistakes = (value: Json): Json[] => {
  if (Array.isArray(value)) {
    const inside = value.flatMap((item, at) => mistakes(item).map((other) => value.with(at, other)));
    return [...ODD, ...inside, ...ODD.map((odd) => [...value, odd])];
  }
  if (!isObject(value)) return ODD;
  const object = value as JsonObject;
  const inside = Object.entries(object).flatMap(([key, member]) => [
    Object.fromEntries(Object.entries(object).filter(([other]) => other !== key)),
    ...mistakes(member).map((other) => ({ ...object, [key]: other })),
  ]);
  return [...ODD, ...inside, { ...object, notASetting: 1 }, { ...object, $schema: 1 }, { ...object, $schema: 'x' }];
};

/** Schema and reader accept the sample, and agree on every mistake in it; some of these are valid, and some are not. */
const agree = (sample: Json, bySchema: (value: Json) => boolean, byReader: (value: Json) => boolean): void => {
  assert.deepEqual([bySchema(sample), byReader(sample)], [true, true]);
  const counts = { valid: 0, invalid: 0 };
  for (const one of mistakes(sample)) {
    const valid = byReader(one);
    assert.equal(bySchema(one), valid, `the reader calls this ${valid ? '' : 'not '}valid: ${JSON.stringify(one)}`);
    counts[valid ? 'valid' : 'invalid']++;
  }
  assert.ok(counts.valid > 20 && counts.invalid > 100, JSON.stringify(counts));
};

const invokers = { mcp__hub__run: { server: 'server_name', tool: 'tool_name', arguments: 'arguments' } };

describe('the schema of the user’s settings', () => {
  it('and their reader agree', () => {
    const sample = {
      $schema: './config.schema.json',
      mode: 'guard',
      freshFor: 2,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the file
      gateways: { a: { url: 'https://a.example', headers: { b: '${B}' }, servers: ['c'], timeout: 5 } },
      servers: { c: { mode: 'strict', trusted: true } },
      invokers: { ...invokers, mcp__hub__no: false },
      telemetry: {
        endpoint: 'https://a.example',
        headers: { b: 'c' },
        headersHelper: 'd',
        encoding: 'json',
        machineId: false,
      },
    };
    agree(sample, isUsers, (value) => isRead(USERS, value));
  });

  it('and their reader agree about shared approvals, which a project may not name', () => {
    const good = { url: 'https://a.example/lock.json', allowedSigners: '~/signers', maxAge: 60 };
    const urls = ['http://a.example/x', 'http://127.0.0.1:1/x', 'https://u:p@a.example/x', 'https://', 'ftp://a/x'];
    const given = [good, ...mistakes(good), ...urls.map((url) => ({ ...good, url }))].filter(
      (one) => !isObject(one) || Object.keys(one).every((key) => Object.hasOwn(good, key)),
    );
    const counts = { valid: 0, invalid: 0 };
    for (const approvals of given) {
      const valid = isRead(USERS, { approvals });
      assert.equal(isUsers({ approvals }), valid, JSON.stringify(approvals));
      counts[valid ? 'valid' : 'invalid']++;
      if (isObject(approvals) && Object.keys(approvals).length > 0)
        assert.deepEqual([isProjects({ approvals }), isRead(PROJECTS, { approvals })], [false, false]);
    }
    assert.ok(counts.valid > 5 && counts.invalid > 30, JSON.stringify(counts));
  });

  it('holds the settings that are documented', () => {
    const page = readFileSync('docs/configuration.md', 'utf8');
    const samples = [...page.matchAll(/```json (config|project)\n(.*?)```/gs)];
    assert.deepEqual(
      samples.map(([, name]) => name),
      ['config', 'project'],
    );
    for (const [, name, text = ''] of samples) {
      const value = JSON.parse(text) as Json;
      assert.ok(name === 'config' ? isUsers(value) : isProjects(value), name);
      assert.ok(isRead(name === 'config' ? USERS : PROJECTS, value), name);
    }
    for (const [, text = ''] of readFileSync('docs/company.md', 'utf8').matchAll(/```json config\n(.*?)```/gs)) {
      const value = JSON.parse(text) as Json;
      assert.ok(isUsers(value) && isRead(USERS, value), text);
    }
  });
});

describe('the schema of an organization’s settings', () => {
  const isReadManaged = (value: Json): boolean => {
    rmSync(USERS, { force: true });
    rmSync(PROJECTS, { force: true });
    writeFileSync(join(folder, 'konnichiwagwan.json'), JSON.stringify(value));
    return inEnvironment({ TEST_MANAGED_FOLDER: folder }, () => loadConfig(home, project, {})).problems.length === 0;
  };

  it('and their reader agree', () => {
    const approvals = { url: 'https://a.example/lock.json', allowedSigners: '/etc/signers', maxAge: 60 };
    const servers = { c: { mode: 'strict', trusted: true }, d: { mode: 'off', trusted: false } };
    const telemetry = {
      endpoint: 'https://c.example/v1/logs',
      headers: { a: 'b' },
      encoding: 'json',
      machineId: false,
    };
    const sample = { $schema: 'x', mode: 'guard', servers, telemetry };
    agree(sample, isManaged, isReadManaged);
    for (const one of [...mistakes(approvals), { ...approvals, allowedSigners: 'etc/signers' }]) {
      // What else may stand in them is checked where it is used.
      if (isObject(one) && Object.keys(one).some((key) => !Object.hasOwn(approvals, key))) continue;
      assert.equal(isManaged({ approvals: one }), isReadManaged({ approvals: one }), JSON.stringify(one));
    }
  });

  it('holds the settings that are documented', () => {
    const page = readFileSync('docs/company.md', 'utf8');
    const samples = [...page.matchAll(/```json managed\n(.*?)```/gs)].map(([, text = '']) => JSON.parse(text) as Json);
    assert.ok(samples.length > 0);
    for (const value of samples) assert.deepEqual([isManaged(value), isReadManaged(value)], [true, true]);
  });
});

describe('the schema of a project’s settings', () => {
  it('and their reader agree', () => {
    const sample = { $schema: 'x', mode: 'strict', servers: { c: { mode: 'guard' } }, invokers };
    agree(sample, isProjects, (value) => isRead(PROJECTS, value));
    for (const odd of ODD) {
      // Their items are checked where they are used.
      if (!Array.isArray(odd)) assert.equal(isProjects({ ignore: odd }), isRead(PROJECTS, { ignore: odd }));
      if (!isObject(odd)) assert.equal(isProjects({ lint: odd }), isRead(PROJECTS, { lint: odd }));
      if (!isObject(odd)) assert.equal(isProjects({ approvals: odd }), isRead(PROJECTS, { approvals: odd }));
    }
  });

  const command = async (args: string[], settings: Json) => {
    writeFileSync(PROJECTS, JSON.stringify(settings));
    const tools = join(folder, 'tools.json');
    writeFileSync(tools, JSON.stringify({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] }));
    const files = args[0] === 'diff' ? [tools, tools] : [tools];
    const env = { HOME: folder, KONNICHIWAGWAN_HOME: home, CLAUDE_PROJECT_DIR: project };
    const { stdout } = await drive('cli.cjs', null, env, [...args, ...files, '--json'], true, project);
    return JSON.parse(stdout);
  };

  /** Only the program knows which rules exist. */
  const namesARule = (entry: Json): boolean =>
    !isObject(entry) || !['x', ' '].includes((entry as JsonObject).rule as string);

  it('and the reader of `ignore` agree', async () => {
    const good = { rule: 'tool-removed', tool: 'a', path: '/inputSchema', reason: 'known' };
    const entries = [good, ...mistakes(good)].filter(namesARule);
    const { warnings } = await command(['diff'], { ignore: entries });
    const wrong = new Set(warnings.map((text: string) => Number(/ignore\[(\d+)\]/.exec(text)?.[1])));
    assert.ok(!wrong.has(0) && wrong.size > 20 && wrong.size < entries.length - 5, `${wrong.size}`);
    for (const [at, entry] of entries.entries())
      assert.equal(isProjects({ ignore: [entry] }), !wrong.has(at), JSON.stringify(entry));
  });

  it('and the reader of `approvals` agree, and so for the user’s', () => {
    const isKnown = (text: string): boolean => {
      try {
        rulesInText(text, 'x');
        return true;
      } catch {
        return false;
      }
    };
    const good = { why: true, by: ['a@example.org'], people: 2 };
    const counts = { valid: 0, invalid: 0 };
    for (const approvals of [good, { people: 1 }, {}, ...mistakes(good)]) {
      const valid = isKnown(JSON.stringify({ approvals }));
      assert.deepEqual([isProjects({ approvals }), isUsers({ approvals })], [valid, valid], JSON.stringify(approvals));
      counts[valid ? 'valid' : 'invalid']++;
    }
    assert.ok(counts.valid > 10 && counts.invalid > 50, JSON.stringify(counts));
  });

  it('and the reader of `lint` agree', async () => {
    const good = { rule: 'raw-twin-missing', tool: 'a', reason: 'later', until: '2999-12-31' };
    const days = ['2999-13-01', '2999-01-32', '2999-1-1', '2999-12-31T00:00Z'].map((until) => ({ ...good, until }));
    const entries = [good, ...mistakes(good), ...days].filter(namesARule);
    const { data } = await command(['lint'], { lint: { waivers: entries } });
    const invalid = (data.findings as { rule: string; message: string }[]).filter(
      ({ rule }) => rule === 'waiver-invalid',
    );
    const wrong = new Set(invalid.map(({ message }) => Number(/^waiver (\d+) /.exec(message)?.[1]) - 1));
    assert.ok(!wrong.has(0) && wrong.size > 20, `${wrong.size}`);
    for (const [at, entry] of entries.entries())
      assert.equal(isProjects({ lint: { waivers: [entry] } }), !wrong.has(at), JSON.stringify(entry));

    for (const lint of [
      {},
      { validated: ['a'], urlOnly: [] },
      { validated: 'a' },
      { urlOnly: [1] },
      { waivers: {} },
      { other: [] },
    ] as Json[]) {
      const { error } = await command(['lint'], { lint });
      assert.equal(isProjects({ lint }), error?.code !== 'bad-settings', JSON.stringify(lint));
    }
  });
});

describe('the schema of the lockfile', () => {
  const hex = '0'.repeat(64);
  const consent = { by: 'somebody', at: '2026-04-10T10:00:00.000Z', why: 'looked at it' };
  const approved = { ...consent, diff: hex, from: hex, to: hex, second: consent };
  const contract = { title: 'A', description: 'a', inputSchema: {}, outputSchema: true, annotations: {} };
  const sample = {
    lockfileVersion: 1,
    servers: {
      s: {
        tools: { a: { approved, contract, hash: hex, seal: hex, earlier: [approved] } },
        removed: { b: { approved, seal: hex, earlier: [approved] } },
        refused: { c: { ...consent, hash: hex, seal: hex } },
      },
    },
  };
  const isParsed = (value: Json): boolean => 'lock' in parseLock(JSON.stringify(value));

  it('and its reader agree', () => {
    agree(sample, isLockfile, isParsed);
  });

  it('knows the same limits', () => {
    const named = (name: string): Json => ({ lockfileVersion: 1, servers: { [name]: { tools: {} } } });
    const pinned = (changed: JsonObject): Json => ({
      lockfileVersion: 1,
      servers: { s: { tools: { a: { approved, contract, hash: hex, seal: hex, ...changed } } } },
    });
    const because = (why: string): Json => pinned({ approved: { ...approved, why } });
    const at = (time: string): Json => pinned({ approved: { ...approved, at: time } });
    for (const [value, valid] of [
      [named('x'.repeat(256)), true],
      [named('x'.repeat(257)), false],
      [named(''), false],
      [because('x'.repeat(2_000)), true],
      [because('x'.repeat(2_001)), false],
      [pinned({ seal: 'f'.repeat(64) }), true],
      [pinned({ seal: '0'.repeat(63) }), false],
      [pinned({ seal: '0'.repeat(65) }), false],
      [pinned({ hash: 'F'.repeat(64) }), false],
      [at('2026-04-10T10:00:00Z'), true],
      [at('2026-04-10T10:00:00.1234Z'), false],
      [at('2026-04-10T10:00:00+01:00'), false],
      [{ lockfileVersion: 2, servers: {} }, false],
      [{ lockfileVersion: 1, servers: {}, $schema: 'x' }, false],
    ] as [Json, boolean][])
      assert.deepEqual([isLockfile(value), isParsed(value)], [valid, valid], JSON.stringify(value).slice(0, 200));
  });
});
