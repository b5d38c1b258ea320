// Full tier: a process without a person.
// `verify` on a machine where Claude Code never ran: servers in a project's file that are not approved.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { agentThatRuns } from '../scripts/lock/person.ts';
import { chainOf } from '../scripts/lock/processes.ts';
import { renderLock } from '../scripts/lock/render.ts';
import { FETCH, lockOf, RENAMED, SEARCH, workbench } from './lock-bench.ts';
import { runProgram } from './sandbox.ts';

/** The agent above everything that these tests start, if any: under an agent, the flag is refused. */
const AGENT = process.platform === 'win32' ? undefined : agentThatRuns({}, chainOf(process.pid));
const FLAG = '--approve-project-servers';

/** A repository with a `.mcp.json` in its folder and above it that names a program, and a HOME without approvals. */
const repository = async (test: TestContext) => {
  const bench = await workbench(test);
  bench.env.GATEWAY_URL = '';
  const program = (name: string): string => {
    const file = join(bench.home, `${name}.mjs`);
    writeFileSync(
      file,
      `import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
writeFileSync(${JSON.stringify(`${file}.ran`)}, '');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === 'tools/list' ? { tools: [${JSON.stringify(SEARCH)}] }
    : { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'files', version: '1' } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(method === 'initialize' || method === 'tools/list' ? { result } : { error: { code: -32601, message: 'no' } }) }));
});`,
    );
    return file;
  };
  const [files, above] = [program('files'), program('above')];
  const settings = (name: string, file: string) =>
    JSON.stringify({ mcpServers: { [name]: { command: process.execPath, args: [file] } } });
  execFileSync('git', ['init', '-q', bench.project]);
  writeFileSync(join(bench.project, '.mcp.json'), settings('files', files));
  writeFileSync(join(bench.home, '.mcp.json'), settings('above', above));
  writeFileSync(bench.path, renderLock(lockOf({ files: [SEARCH] })));
  return { ...bench, ran: () => ({ files: existsSync(`${files}.ran`), above: existsSync(`${above}.ran`) }) };
};

describe('reports for CI', () => {
  it('more than one of the same answer', async (test) => {
    const bench = await workbench(test);
    await bench.pinned();
    bench.release([RENAMED, FETCH]);
    const [page, sarif] = [join(bench.home, 'a=b.md'), join(bench.home, 'x.sarif')];
    const args = ['verify', '--format', 'github', '--also', `markdown=${page}`, '--also', `sarif=${sarif}`];
    const both = await bench.run(args);
    assert.equal(both.code, 1);
    assert.match(both.stdout, /^::error /);
    assert.equal(readFileSync(page, 'utf8'), (await bench.run(['verify', '--format', 'markdown'])).stdout);
    assert.equal(JSON.parse(readFileSync(sarif, 'utf8')).runs[0].results.length, 1);
    for (const wrong of ['markdown', 'markdown=', 'nope=x', '=x', page])
      assert.match((await bench.run(['verify', '--also', wrong])).stderr, /--also is /, wrong);
  });

  it('text: each server with its changes below it, those that differ last', async (test) => {
    const bench = await workbench(test);
    writeFileSync(bench.path, renderLock(lockOf({ a: [SEARCH], b: [SEARCH], c: [SEARCH, FETCH] })));
    const [same, other, less] = [
      bench.file([SEARCH], 'same.json'),
      bench.file([RENAMED], 'other.json'),
      bench.file([RENAMED], 'less.json'),
    ];
    const args = ['verify', '--offline', `a=${other}`, '--offline', `b=${same}`, '--offline', `c=${less}`];
    const { stdout } = await bench.run(args);
    const heads = stdout.split('\n').filter((line) => /^\S/.test(line));
    assert.deepEqual(heads.slice(0, 4), [
      'b: 1 tool as pinned, 1 without a record of approval',
      'a: 1 breaking',
      'c: 2 breaking',
      '3 breaking',
    ]);
    assert.match(
      stdout,
      /^a: 1 breaking\n {2}a\/search\n {4}breaking {2}renamed: `query` → `q`.*\n\nc: 2 breaking\n {2}c\//m,
    );
    assert.match(heads[4] ?? '', /approve/);
  });

  it('diff compares lockfiles by what they pin', async (test) => {
    const bench = await workbench(test);
    const [before, after] = [join(bench.home, 'before.json'), join(bench.home, 'after.json')];
    writeFileSync(before, renderLock(lockOf({ 'a/b': [SEARCH], gone: [FETCH] })));
    writeFileSync(after, renderLock(lockOf({ 'a/b': [RENAMED] })));
    const { code, data } = await bench.envelope(['diff', before, after]);
    assert.equal(code, 1);
    assert.deepEqual(
      data.changes.map(({ tool, rule }: Record<string, string>) => [tool, rule]),
      [
        ['gone/fetch', 'tool-removed'],
        ['a~1b/search', 'input-property-renamed'],
      ],
    );
    const line =
      readFileSync(after, 'utf8')
        .split('\n')
        .findIndex((text) => text.includes('"properties": {')) + 1;
    assert.match((await bench.run(['diff', before, after, '--format', 'github'])).stdout, new RegExp(`line=${line},`));
    assert.equal((await bench.run(['diff', after, after])).code, 0);
    writeFileSync(after, '{"lockfileVersion": 3, "servers": {}}');
    const newer = await bench.envelope(['diff', before, after]);
    assert.deepEqual([newer.code, newer.error.code], [2, 'unreadable-lockfile']);
  });
});

describe('servers of the project that nobody approved in Claude Code', () => {
  it('verify, pin and doctor say so, start nothing, and name the way on', async (test) => {
    const bench = await repository(test);
    const verified = await bench.run(['verify', '--spawn']);
    assert.equal(verified.code, 2);
    assert.match(
      verified.stdout,
      /^files: could not be checked: configured, not yet approved in Claude Code: start `claude` in this folder.*--approve-project-servers/,
    );
    assert.equal(verified.stderr, '', 'one above the repository that nobody pinned is nobody’s business');
    const pinned = await bench.run(['pin', '--spawn']);
    assert.equal(pinned.code, 2);
    assert.match(
      pinned.stdout,
      /^files: could not be checked: configured, not yet approved in Claude Code: start `claude`/m,
    );
    const doctor = await bench.run(['doctor']);
    assert.match(doctor.stdout, /server `files` +configured, not yet approved in Claude Code: start `claude`/);
    assert.doesNotMatch(doctor.stdout, /add an MCP server/);
    assert.deepEqual(bench.ran(), { files: false, above: false });
  });

  it(`${FLAG}: those of the repository are named and asked, and none above it`, {
    skip: AGENT ?? false,
  }, async (test) => {
    const bench = await repository(test);
    const { code, stdout, stderr } = await bench.run(['verify', '--spawn', FLAG], { CI: 'true' });
    assert.deepEqual(
      [code, stdout, stderr],
      [
        0,
        'files: 1 tool as pinned, 1 without a record of approval\n',
        `approved for this run: "files" (${process.execPath})\n`,
      ],
    );
    assert.deepEqual(bench.ran(), { files: true, above: false });
  });

  it(`${FLAG} starts no program without --spawn`, { skip: AGENT ?? false }, async (test) => {
    const bench = await repository(test);
    const { code, stdout } = await bench.run(['verify', FLAG]);
    assert.equal(code, 2);
    assert.match(stdout, /^files: could not be checked: .*--spawn/);
    assert.equal(bench.ran().files, false);
  });

  it(`${FLAG} holds for no server that somebody rejected`, { skip: AGENT ?? false }, async (test) => {
    const bench = await repository(test);
    mkdirSync(join(bench.home, '.claude'), { recursive: true });
    writeFileSync(join(bench.home, '.claude/settings.json'), JSON.stringify({ disabledMcpjsonServers: ['files'] }));
    const { code } = await bench.run(['verify', '--spawn', FLAG]);
    assert.deepEqual([code, bench.ran().files], [2, false]);
  });

  it(`${FLAG}: of a name that the user's settings have, too, the project's is asked`, {
    skip: AGENT ?? false,
  }, async (test) => {
    const bench = await repository(test);
    const mine = { command: process.execPath, args: [join(bench.home, 'absent.mjs')] };
    writeFileSync(join(bench.home, '.claude.json'), JSON.stringify({ mcpServers: { files: mine } }));
    assert.equal((await bench.run(['verify', '--spawn'])).code, 2);
    assert.equal((await bench.run(['verify', '--spawn', FLAG])).code, 0);
  });

  for (const [what, env] of [
    ['Claude Code', { CLAUDECODE: '1' }],
    ['Claude Code in CI', { CLAUDECODE: '1', CI: 'true' }],
    ['another agent', { GEMINI_CLI: '1' }],
  ] as const) {
    it(`${FLAG} is refused where ${what} runs it`, async (test) => {
      const bench = await repository(test);
      const { code, error } = await bench.envelope(['verify', '--spawn', FLAG], env);
      assert.deepEqual([code, error.code], [2, 'needs-a-person']);
      assert.match(error.message, /^an agent cannot approve servers: it runs under /);
      assert.deepEqual(bench.ran(), { files: false, above: false });
    });
  }

  it(`${FLAG} is refused where the agent hides its variables`, { skip: process.platform !== 'linux' }, async (test) => {
    const bench = await repository(test);
    const hidden = await runProgram(
      'bash',
      ['-c', `env -u CLAUDECODE "$0" dist/cli.cjs verify --spawn ${FLAG}; exit $?`, process.execPath],
      {
        env: { ...bench.env, CLAUDECODE: '1' },
      },
    );
    assert.equal(hidden.code, 2);
    assert.match(hidden.stderr, /CLAUDECODE is set in process \d+/);
    assert.equal(bench.ran().files, false);
  });
});
