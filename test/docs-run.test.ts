// Runs every fenced block of the documentation that can run, exactly as printed. A new one has to be added here, or listed
// as run elsewhere.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { readToolList } from '../scripts/contract/read.ts';
import { lintSources } from '../scripts/lint/source/lint-source.ts';
import { remove } from '../scripts/state/in-use.ts';
import { type Ran, runProgram } from './sandbox.ts';

interface Block {
  file: string;
  language: string;
  text: string;
}

const blocksOf = (file: string): Block[] => {
  const blocks: Block[] = [];
  let open: Block | undefined;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [, language] = /^ *```(.*)$/.exec(line) ?? [];
    if (language === undefined) {
      if (open) open.text += `${line}\n`;
    } else if (open) {
      blocks.push(open);
      open = undefined;
    } else open = { file, language, text: '' };
  }
  assert.equal(open, undefined, `${file} ends inside of a block`);
  return blocks;
};

const pages = [
  'README.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const all = pages.flatMap(blocksOf);
const find = (file: string, language: string): string[] =>
  all.filter((one) => one.file === file && one.language === language).map(({ text }) => text);

/** Blocks that other tests run, or that cannot run. */
const ELSEWHERE: Record<string, string> = {
  'README.md sh':
    'install-sh.test.ts: ./install.sh with each of these options; npm cit runs this; e2e/readme.test.ts: all',
  'docs/company.md json config': 'schemas.test.ts',
  'docs/company.md json': 'doctor-policy.test.ts',
  'docs/company.md json managed': 'schemas.test.ts',
  'docs/configuration.md json config': 'schemas.test.ts',
  'docs/configuration.md json project': 'schemas.test.ts',
  'docs/mcp-validate.md json manifest.json': 'mcp-validate-reports.test.ts',
  'docs/mcp-validate.md json mcp.json': 'mcp-validate-reports.test.ts',
  'docs/mcp-validate.md json answer.json': 'mcp-validate-reports.test.ts',
  'docs/mcp-validate.md js commander.mjs': 'document-3.test.ts',
  'docs/mcp-validate.md js yargs.mjs': 'document-3.test.ts',
  'docs/mcp-validate.md js oclif.mjs': 'document-3.test.ts',
  'docs/mcp-validate.md js function.mjs': 'document-3.test.ts',
  'docs/mcp-validate.md js adapter.mjs': 'document-3.test.ts',
  'docs/mcp-validate.md ': 'document-3.test.ts: the commands of the programs above it',
  'docs/wrap-details.md diff': 'wrap-entries.test.ts',
  'docs/wrap-details.md json': 'wrap-entries.test.ts',
};
const HERE = [
  'docs/ci.md yaml',
  'docs/configuration.md json',
  'docs/discipline.md js',
  'docs/discipline.md sh',
  'docs/gateway-kit.md js',
  'docs/gateway-kit.md json',
  'docs/statusline.md json',
  'docs/statusline.md sh',
  'docs/wrap-details.md sh',
  'docs/wrap.md sh',
];

it('no block is run by nobody', () => {
  const kinds = new Set(
    all.filter(({ language }) => language !== 'text').map(({ file, language }) => `${file} ${language}`),
  );
  assert.deepEqual([...kinds].sort(), [...Object.keys(ELSEWHERE), ...HERE].sort());
});

const folder = (test: TestContext, where = tmpdir()): string => {
  const made = mkdtempSync(join(where, 'kwg-docs-'));
  test.after(() => remove(made));
  return made;
};

/** Things that the reader of a page already has: a server, a tool, an application. */
const AROUND = `
import http from 'node:http';
import net from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
// Whatever port is printed: another one, of this machine alone, which keeps nothing from ending.
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function () { return listen.call(this, 0, '127.0.0.1').unref(); };
globalThis.createServer = http.createServer;
globalThis.server = new McpServer({ name: 'docs', version: '1' });
globalThis.app = { use: (handler) => { if (typeof handler !== 'function') throw new Error('no middleware'); } };
globalThis.posted = [];
globalThis.post = async (...args) => { posted.push(args); return 'kept'; };
globalThis.fetch = async (...args) => { posted.push(args); return new Response('kept'); };
globalThis.writeNote = { name: 'write_note', description: 'Writes a note down.', inputSchema: z.strictObject({ title: z.string() }) };
globalThis.tools = [writeNote];
`;

/** Runs a block as a module of a project in which our package is installed; then `after`, which shows the effect. */
const runModule = async (test: TestContext, text: string, after: string): Promise<Ran> => {
  // Inside of this package, so that its name and its dependencies are found.
  mkdirSync('.build', { recursive: true });
  const made = folder(test, resolve('.build'));
  writeFileSync(join(made, 'around.mjs'), AROUND);
  writeFileSync(join(made, 'block.mjs'), `import './around.mjs';\n${text}\n${after}`);
  return runProgram(process.execPath, [join(made, 'block.mjs')]);
};

const TWIN = `
const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js');
const [ours, theirs] = InMemoryTransport.createLinkedPair();
const client = new Client({ name: 'docs', version: '1' });
await Promise.all([server.connect(ours), client.connect(theirs)]);
const answer = await client.callTool({ name: 'write_note_raw', arguments: { payload: '{"title":"a","new":1}' } });
console.log(JSON.stringify([answer.content[0].text, JSON.stringify(posted)]));
await client.close();`;
const LIST = `
console.log(JSON.stringify(await (await list.fetch(new Request('http://x/api/tools/list'))).json()));`;

describe('code on the pages about servers', () => {
  for (const [file, nth, after, check] of [
    ['docs/gateway-kit.md', 0, LIST, /"name":"write_note"[\s\S]*"name":"write_note_raw"/],
    ['docs/gateway-kit.md', 1, TWIN, /\["kept",".*\\"new\\\\*":1/],
    ['docs/discipline.md', 0, LIST, /"schema_version":"2026-04-10"[\s\S]*"write_note"/],
    ['docs/discipline.md', 1, TWIN, /\["kept",".*\\"new\\\\*":1/],
  ] as const) {
    it(`${file}, block ${nth + 1}: runs as it is printed`, async (test) => {
      const text = find(file, 'js')[nth];
      assert.ok(text);
      const { code, stdout, stderr } = await runModule(test, text, after);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, check);
    });
    it(`${file}, block ${nth + 1}: nothing is found in it by lint --source`, async (test) => {
      const made = folder(test);
      writeFileSync(join(made, 'server.mjs'), find(file, 'js')[nth] ?? '');
      assert.deepEqual((await lintSources(['.'], made)).findings, []);
    });
  }
  it('JSON is JSON, and an answer is an answer', () => {
    for (const text of [...find('docs/gateway-kit.md', 'json'), ...find('docs/configuration.md', 'json')])
      assert.equal(readToolList(JSON.parse(text)).tools.length, 1);
  });
  it('the workflow with the action gives it inputs that it has', () => {
    const [text = ''] = find('docs/ci.md', 'yaml');
    const inputs = text.slice(text.indexOf('uses: OWNER/')).matchAll(/^ {10}([\w-]+): /gm);
    const known = readFileSync('action.yml', 'utf8');
    const named = [...inputs].map(([, name]) => name);
    assert.ok(named.length >= 3);
    for (const name of named) assert.match(known, new RegExp(`^ {2}${name}:$`, 'm'));
    for (const [, name] of readFileSync('docs/ci.md', 'utf8').matchAll(/^\| `([\w-]+)` \|/gm))
      assert.match(known, new RegExp(`^ {2}${name}:$`, 'm'));
  });
});

describe('commands on pages', { skip: process.platform === 'win32' }, () => {
  /** A repository with everything that the commands name, and the commands on the PATH. */
  const project = (test: TestContext) => {
    const base = folder(test);
    const at = (...parts: string[]) => join(base, ...parts);
    for (const name of ['bin', 'home', 'project', 'project/src']) mkdirSync(at(name));
    const program = (name: string, body: string) =>
      writeFileSync(at('bin', name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    program('konnichiwagwan', `exec '${process.execPath}' '${resolve('dist/cli.cjs')}' "$@"`);
    for (const server of ['npx', 'my-hub']) program(server, 'cat > /dev/null');
    program('mycli', `echo '{"commands":{"note":{"flags":{}}}}'`);
    const list = (version: string, more = {}) =>
      JSON.stringify({
        schema_version: version,
        tools: [{ name: 'note', inputSchema: { type: 'object', properties: more } }],
      });
    writeFileSync(at('project/src/server.js'), find('docs/gateway-kit.md', 'js')[0] ?? '');
    writeFileSync(at('project/tools.json'), list('2026-04-09'));
    writeFileSync(at('project/before.json'), list('2026-04-09'));
    writeFileSync(at('project/after.json'), list('2026-04-10', { x: { type: 'string' } }));
    const env = { HOME: at('home'), PATH: `${at('bin')}${delimiter}${process.env.PATH}`, GIT_CONFIG_NOSYSTEM: '1' };
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.org', ...args], {
        cwd: at('project'),
        env,
        stdio: 'pipe',
      });
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-qm', 'x');
    return (line: string) => runProgram('/bin/sh', ['-c', line], { cwd: at('project'), env });
  };
  it('the segment of the status line, in both forms', async (test) => {
    const run = project(test);
    const { command } = JSON.parse(find('docs/statusline.md', 'json')[0] ?? '').statusLine;
    for (const script of [command, ...find('docs/statusline.md', 'sh')]) {
      const { code, stderr } = await run(`printf '{"session_id":"s1"}' | { ${script.trim()}\n}`);
      assert.deepEqual([code, stderr], [0, ''], script);
    }
  });
  it('wrap: each server is started as it is printed, and ends with its host', async (test) => {
    const run = project(test);
    const lines = [...find('docs/wrap.md', 'sh'), ...find('docs/wrap-details.md', 'sh')].flatMap((text) =>
      text.split('\n'),
    );
    // The command that a client is to start comes after the first `--`.
    const wraps = lines
      .map((line) => line.replace(/^claude mcp add .*? -- /, ''))
      .filter((line) => / wrap /.test(line));
    assert.ok(wraps.length >= 3);
    for (const line of wraps) {
      const { code, stdout, stderr } = await run(`TOKEN=x ${line} < /dev/null`);
      assert.deepEqual([code, stdout, stderr], [0, '', ''], line);
    }
  });
  for (const [nth, text] of find('docs/discipline.md', 'sh').entries())
    it(`the discipline, block ${nth + 1}: every command is one, with options that it has`, async (test) => {
      const run = project(test);
      for (const line of text.trim().split('\n')) {
        const { code, stdout, stderr } = await run(line);
        assert.ok(code === 0 || code === 1 || code === 2, `${line}: ${code} ${stderr}`);
        assert.doesNotMatch(stderr, /--help|there is no command|unknown option|bug of konnichiwagwan/i, line);
        // A command that cannot work here says why, and the reason lies outside.
        if (code === 2)
          assert.match(
            stdout + stderr,
            /no server is configured|configures no server|there is no mcp-contracts\.lock\.json|only a person can approve|not enough data/i,
            line,
          );
      }
    });
});
