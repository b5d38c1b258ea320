// Full tier: npm packs and installs it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { defined } from '../scripts/contract/defined.ts';
import { commandsPage } from '../scripts/dev/pages/commands-page.ts';
import { registrations } from '../scripts/install/hooks.ts';
import { remove } from '../scripts/state/in-use.ts';

describe('the packed package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-pack-'));
  process.on('exit', () => remove(folder));
  const cache = join(folder, 'cache');
  // prepack builds again; the bundles that the other tests run must not change under them.
  const packed = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, '--cache', cache], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as unknown;
  const [{ filename, files }] = Object.values(packed as object) as [{ filename: string; files: { path: string }[] }];

  it('contains all that the plugin needs, and nothing else', () => {
    const paths = files.map(({ path }) => path).sort();
    for (const path of paths) {
      assert.match(
        path,
        /^(\.claude-plugin|dist|docs|hooks|schemas|skills)\/|^(package\.json|README\.md|CHANGELOG\.md|SECURITY\.md|LICENSE)$/,
      );
      assert.doesNotMatch(path, /\.ts$|\.map$/);
    }
    for (const needed of [
      '.claude-plugin/plugin.json',
      '.claude-plugin/marketplace.json',
      'hooks/hooks.json',
      ...['config', 'project', 'managed', 'lockfile'].map((name) => `schemas/${name}.schema.json`),
      'skills/konnichiwagwan/SKILL.md',
      'skills/konnichiwagwan/scripts/kwg.cjs',
      'skills/konnichiwagwan/scripts/check_tool_freshness.sh',
      ...[
        'guard',
        'judge-call',
        'resident',
        'resident-tools',
        'session-start',
        'session-end',
        'tool-failure',
        'offers',
        'http',
        'cli',
      ].map((name) => `dist/${name}.cjs`),
      ...['gateway', 'validate'].flatMap((folder) =>
        ['mjs', 'cjs', 'd.mts', 'd.cts'].map((form) => `dist/${folder}/index.${form}`),
      ),
    ]) {
      assert.ok(paths.includes(needed), needed);
    }
  });

  it('brings the licence text of every package whose code is bundled', () => {
    const { inputs } = JSON.parse(readFileSync('.build/metafile.json', 'utf8')) as { inputs: object };
    const bundled = new Set(
      Object.keys(inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
    );
    assert.ok(bundled.has('undici') && bundled.has('@modelcontextprotocol/client'));
    const [intro = '', ...parts] = readFileSync('dist/licenses.txt', 'utf8').split(/\n\n-{72}\n\n/);
    const named = [intro.split('\n\n').slice(1).join('\n\n'), ...parts].flatMap((part) => {
      const [names = '', ...text] = part.split('\n\n');
      assert.match(text.join(' '), /permission|permitted|redistribut|licen[cs]e/i, names);
      return names.split(', ').map((name) => name.replace(/ [^ ]*$/, ''));
    });
    for (const name of bundled) assert.ok(named.includes(name), name);
    const lines = new Set(readFileSync('dist/licenses.txt', 'utf8').split('\n'));
    for (const name of bundled) {
      const folder = join('node_modules', name);
      const texts = readdirSync(folder)
        .filter((file) => /^licen[cs]e/i.test(file))
        .map((file) => readFileSync(join(folder, file), 'utf8'));
      const owners = texts.flatMap((text) => text.match(/^copyright (?:\(c\)|©|\d).*\S/gim) ?? []);
      for (const owner of owners) assert.ok(lines.has(owner), `${name}: ${owner}`);
    }
    for (const folder of ['dist', 'plugin/dist'])
      assert.ok(existsSync(join(folder, 'licenses.txt')), `${folder}, from which it is copied`);
    assert.ok(files.some(({ path }) => path === 'dist/licenses.txt'));
  });

  it('has a command that can be started as a file, also after a build', { skip: process.platform === 'win32' }, () => {
    for (const file of ['dist/cli.cjs', 'plugin/dist/cli.cjs']) assert.equal(statSync(file).mode & 0o111, 0o111, file);
  });

  it('makes npm install nothing but the packages of lint --source, usage --from and Sigstore bundles, where it can', () => {
    const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    // Bundled packages are development dependencies: as dependencies, they would be installed again and never be read.
    assert.deepEqual({ ...dependencies, ...peerDependencies }, {});
    assert.deepEqual(Object.keys(optionalDependencies), ['@ast-grep/napi', '@duckdb/node-api', '@sigstore/verify']);
  });

  it('runs where it is unpacked, with no other package beside it', () => {
    execFileSync('tar', ['-xzf', join(folder, filename), '-C', folder]);
    const run = (args: string[]) =>
      execFileSync(process.execPath, args, {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: folder },
      });
    const skill = join(folder, 'package/skills/konnichiwagwan/scripts/kwg.cjs');
    assert.equal(JSON.parse(run([skill, 'status', '--json'])).ok, true);
    const { data } = JSON.parse(run([join(folder, 'package/dist/cli.cjs'), 'demo', '--json']));
    assert.deepEqual([data.silently_wrong, data.caught], [3, 4]);
  });

  it('is clean for publint and attw, however a program resolves it', async () => {
    const tarball = readFileSync(join(folder, filename));
    const { messages } = await publint({ pack: { tarball: tarball.buffer as ArrayBuffer }, strict: true });
    assert.deepEqual(messages, []);
    const found = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)));
    assert.deepEqual(found.types && found.problems, []);
  });

  const modules = join(folder, 'node_modules');
  const inside = join(modules, 'konnichiwagwan');
  // Installed as npm does it, but without dependencies: the kits need none.
  mkdirSync(inside, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', inside, '--strip-components=1']);
  const run = (source: string, type: 'module' | 'commonjs') =>
    execFileSync(process.execPath, [`--input-type=${type}`, '-e', source], {
      cwd: folder,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  const link = (...names: string[]) => {
    for (const name of names) {
      if (!existsSync(join(modules, name))) symlinkSync(resolve('node_modules', name), join(modules, name), 'junction');
    }
  };
  const check = (...args: string[]) =>
    execFileSync(
      process.execPath,
      [
        resolve('node_modules/typescript/bin/tsc'),
        '--noEmit',
        '--strict',
        '--target',
        'es2022',
        '--types',
        'node',
        ...args,
      ],
      { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    );
  const shown = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      assert.fail((error as { stdout: string }).stdout);
    }
  };

  describe('its gateway kit', () => {
    it('loads as an ES module and as a CommonJS one, alone and without traces', () => {
      const use = `
      const twin = kit.describeTwin({ name: 'a', inputSchema: { type: 'object' } });
      kit.toolsList({ schemaVersion: '2026-04-10', tools: [twin] }).answer().then(({ body }) => console.log(body));`;
      const globals = 'const before = Object.keys(globalThis).join();';
      const same = 'if (before !== Object.keys(globalThis).join()) throw new Error("left something behind");';
      const esm = run(`${globals} const kit = await import('konnichiwagwan/gateway'); ${same} ${use}`, 'module');
      const cjs = run(`${globals} const kit = require('konnichiwagwan/gateway'); ${same} ${use}`, 'commonjs');
      assert.equal(esm, cjs);
      assert.match(JSON.parse(esm).tools[0].hash, /^[0-9a-f]{64}$/);
      assert.throws(() => run("require('konnichiwagwan/dist/cli.cjs')", 'commonjs'), /ERR_PACKAGE_PATH_NOT_EXPORTED/);
    });

    it('imports nothing but Node, and stays small', () => {
      for (const [form, imports] of [
        ['mjs', /\b(?:from|import)\s*"([^"]+)"/g],
        ['cjs', /\brequire\("([^"]+)"\)/g],
      ] as const) {
        // Inside of strings, ajv names its own files, for code that it would generate.
        const source = readFileSync(join(inside, `dist/gateway/index.${form}`), 'utf8');
        const names = [...source.matchAll(imports)].map(([, name]) => name ?? '');
        assert.ok(names.includes('node:vm'), `${form} imports ${names.join()}`);
        for (const name of names) assert.match(name, /^node:|^ajv\//);
        assert.ok(source.length < 205_000, `${source.length} bytes`);
        assert.ok(!source.includes(process.cwd()));
      }
    });

    it('has types, under node16 and bundler, in both kinds of modules', () => {
      link('@types', '@modelcontextprotocol', 'undici-types', 'zod');
      const imports = (sdk: boolean) =>
        `import { createServer } from 'node:http';
       import { type Definitions, DefinitionError, describeTwin, parsePayload, rawTwin, toolsList } from 'konnichiwagwan/gateway';
       ${sdk ? SDKS : ''}`;
      const rest = `
       const tool = { name: 'a', inputSchema: { type: 'object' } } as const;
       const list = toolsList((): Definitions => ({ schemaVersion: '2026-04-10', tools: [tool, describeTwin(tool)] }));
       createServer((request, response) => void list.node(request, response));
       export const answer: Promise<Response> = list.fetch(new Request('http://a/api/tools/list'));
       export const path: string = (new Error() as DefinitionError).path;
       // @ts-expect-error: a version is a text
       toolsList({ schemaVersion: 1, tools: [] });
       // @ts-expect-error: a payload is a text
       parsePayload({});`;
      const SDKS = `
       import { Server as Server1 } from '@modelcontextprotocol/sdk/server/index.js';
       import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js';
       import { McpServer as McpServer2, Server as Server2 } from '@modelcontextprotocol/server';
       import { z } from 'zod';
       const info = { name: 'a', version: '1' };
       const options = { tool: { name: 'a', inputSchema: z.object({}) }, forward: () => fetch('http://a') };
       for (const server of [new McpServer1(info), new Server1(info), new McpServer2(info), new Server2(info)]) rawTwin(server, options);
       toolsList({ schemaVersion: '2026-04-10', tools: [] }, { toJsonSchema: z.toJSONSchema });`;
      const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
      write('alone.mts', imports(false) + rest);
      write('alone.cts', imports(false) + rest);
      write('sdks.mts', imports(true) + rest);
      shown(() => check('--module', 'node16', '--moduleResolution', 'node16', 'alone.mts', 'alone.cts'));
      shown(() =>
        check('--module', 'esnext', '--moduleResolution', 'bundler', '--skipLibCheck', 'alone.mts', 'sdks.mts'),
      );
      shown(() => check('--module', 'node16', '--moduleResolution', 'node16', '--skipLibCheck', 'sdks.mts'));
    });
  });

  describe('its kit for CLIs', () => {
    it('loads as an ES module and as a CommonJS one, alone and without traces', () => {
      const globals = 'const before = Object.keys(globalThis).join();';
      const same = 'if (before !== Object.keys(globalThis).join()) throw new Error("left something behind");';
      const use = `
        const { data } = kit.mcpValidate({ commands: { a: {} }, mcp: [] });
        console.log(JSON.stringify(data));`;
      const esm = run(`${globals} const kit = await import('konnichiwagwan/validate'); ${same} ${use}`, 'module');
      const cjs = run(`${globals} const kit = require('konnichiwagwan/validate'); ${same} ${use}`, 'commonjs');
      assert.equal(esm, cjs);
      assert.deepEqual(JSON.parse(esm).drift.missing_from_mcp, ['a']);
    });

    it('imports nothing but Node and what lies in dist, and stays small', () => {
      for (const file of ['index.mjs', 'index.cjs', 'ask-url.cjs']) {
        const source = readFileSync(join(inside, 'dist/validate', file), 'utf8');
        const imports = [...source.matchAll(/(?<!")\b(?:from\s*|import\s*\(?|require\()"([^"]+)"/g)].map(
          ([, name]) => name ?? '',
        );
        assert.ok(imports.length > 0);
        for (const name of imports.filter((one) => !one.startsWith('node:')))
          assert.ok(statSync(join(inside, 'dist/validate', name), { throwIfNoEntry: false }), `${file}: ${name}`);
        assert.ok(source.length < 120_000, `${file}: ${source.length} bytes`);
        assert.ok(!source.includes(process.cwd()));
      }
    });

    it('asks a URL with what lies in dist', () => {
      const use = `
        let given;
        const command = { description: () => command, option: () => command, exitOverride: () => command, action: (act) => { given = act; } };
        const program = { name: () => 'tool', commands: [], options: [], registeredArguments: [], command: () => command, exitOverride() {}, opts: () => ({}) };
        kit.enableMcpValidate(program);
        given({ mcpServerUrl: 'http://127.0.0.1:1/api/tools/list', output: 'json' }).then(() => { process.exitCode = 0; });`;
      const esm = run(`const kit = await import('konnichiwagwan/validate'); ${use}`, 'module');
      const cjs = run(`const kit = require('konnichiwagwan/validate'); ${use}`, 'commonjs');
      for (const printed of [esm, cjs]) assert.equal(JSON.parse(printed).error.code, 'unreachable');
    });

    it('has types that the frameworks have, under node16 and bundler, in both kinds of modules', () => {
      link('@types', 'undici-types', 'commander', '@oclif');
      const source = `
        import { Command as Oclif, Config } from '@oclif/core';
        import { Command } from 'commander';
        import { enableMcpValidate, exitCode, fromCommander, fromOclif, fromYargs, mcpValidate, type McpValidateAnswer } from 'konnichiwagwan/validate';
        import type { Argv } from 'yargs';
        declare const yargs: Argv;
        const program: Command = enableMcpValidate(new Command('tool'), { map: { login: null }, strict: true });
        enableMcpValidate(yargs.option('a', { type: 'string' }));
        export default class extends enableMcpValidate(Oclif) { override async run() {} }
        const answer: McpValidateAnswer = mcpValidate({ ...fromCommander(program), mcp: { tools: [] } });
        export const exit: 0 | 1 | 2 = exitCode(answer);
        export const missing: string[] = answer.error === null ? answer.data.drift.missing_from_mcp : [answer.error.code];
        export const more = async (config: Config) => [await fromYargs(yargs), await fromOclif(config)];
        // @ts-expect-error: tools are no text
        mcpValidate({ commands: {}, mcp: '' });
        // @ts-expect-error: this is no program
        enableMcpValidate({});`;
      writeFileSync(join(folder, 'clis.mts'), source);
      writeFileSync(join(folder, 'clis.cts'), source);
      shown(() =>
        check('--module', 'node16', '--moduleResolution', 'node16', '--skipLibCheck', 'clis.mts', 'clis.cts'),
      );
      shown(() => check('--module', 'esnext', '--moduleResolution', 'bundler', '--skipLibCheck', 'clis.mts'));
    });
  });
});

interface Entry {
  matcher?: string;
  hooks: { [field: string]: unknown }[];
}

describe('what Claude Code reads', () => {
  it('the plugin registers the same hooks as an installation in a project', () => {
    const { hooks } = JSON.parse(readFileSync('hooks/hooks.json', 'utf8')) as { hooks: Record<string, Entry[]> };
    const registered: Record<string, object[]> = {};
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Code's own placeholder
    for (const { event, matcher, hook } of registrations('${CLAUDE_PLUGIN_ROOT}/dist', false, 'konnichiwagwan-guard')) {
      const own = hook.type === 'mcp_tool' ? { ...hook, server: 'plugin:konnichiwagwan:guard' } : hook;
      registered[event] = [...(registered[event] ?? []), { ...defined({ matcher }), hooks: [own] }];
    }
    const byText = (one: object, other: object): number => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);
    const sorted = (entries: Record<string, object[]>) =>
      Object.fromEntries(Object.entries(entries).map(([event, list]) => [event, list.toSorted(byText)]));
    assert.deepEqual(sorted(hooks), sorted(registered));
  });

  it('the hooks of the resident guard name the server of the plugin, and fill in what they send', () => {
    const { hooks } = JSON.parse(readFileSync('hooks/hooks.json', 'utf8')) as { hooks: Record<string, Entry[]> };
    const { name, mcpServers } = JSON.parse(readFileSync('.claude-plugin/plugin.json', 'utf8'));
    const own = Object.values(hooks)
      .flat()
      .flatMap(({ hooks }) => hooks)
      .filter(({ type }) => type === 'mcp_tool');
    assert.ok(own.length > 0);
    for (const { server, tool, input } of own) {
      assert.equal(server, `plugin:${name}:${Object.keys(mcpServers).join()}`);
      assert.equal(tool, 'check');
      for (const [field, value] of Object.entries(input as object)) {
        const path = { mcp_server: 'mcp_server.name', mcp_source: 'mcp_server.source' }[field] ?? field;
        assert.equal(value, `\${${path}}`);
      }
      // What a person writes is only for the model.
      assert.ok(!Object.hasOwn(input as object, 'prompt'));
    }
  });

  it('versions agree', () => {
    const version = (file: string) => JSON.parse(readFileSync(file, 'utf8')).version;
    assert.equal(version('.claude-plugin/plugin.json'), version('package.json'));
  });

  it('the page of the commands is their help', () => {
    assert.equal(readFileSync('docs/commands.md', 'utf8'), commandsPage('dist/cli.cjs'), 'run: npm run pages');
  });

  it('scripts that are called by name can be run', { skip: process.platform === 'win32' }, () => {
    for (const file of ['install.sh', 'skills/konnichiwagwan/scripts/check_tool_freshness.sh', '.ci/run']) {
      assert.notEqual(statSync(file).mode & 0o100, 0, file);
    }
  });
});

describe('the repository', () => {
  const ignored = new Set(['node_modules', '.git', 'dist', '.build', '.e2e']);
  const walk = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      if (ignored.has(entry.name)) return [];
      const path = join(folder, entry.name);
      return entry.isDirectory() ? walk(path) : [path];
    });

  it('every relative link in its documents leads somewhere', () => {
    let links = 0;
    for (const file of walk('.').filter((path) => path.endsWith('.md'))) {
      for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)) {
        links++;
        assert.ok(statSync(resolve(file, '..', target), { throwIfNoEntry: false }), `${file} links to ${target}`);
      }
    }
    assert.ok(links > 10, `${links} links`);
  });

  it('the lock file names no place to download from', () => {
    assert.doesNotMatch(readFileSync('package-lock.json', 'utf8'), /"resolved"/);
  });
});
