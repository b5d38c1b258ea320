// The repository template for a company: its workflows, run step by step as GitHub's shell does.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { renderLock } from '../scripts/lock/render.ts';
import { initGit, keyOf, noGit } from './git.ts';
import { FETCH, RENAMED, SEARCH } from './lock-bench.ts';
import { runProgram, sandbox } from './sandbox.ts';
import { approvedAt, company, whyNoKeys } from './shared-bench.ts';

const WORKFLOWS = 'docs/company/.github/workflows';
const SERVER = 'GATEWAY_URL';
const skip = process.platform === 'win32' ? 'the workflows are for bash' : (whyNoKeys ?? noGit);

/** The script of a step, by the step's name. */
const scriptOf = (file: string, step: string): string => {
  const lines = readFileSync(join(WORKFLOWS, file), 'utf8').split('\n');
  const from = lines.findIndex((line) => line.trim() === `- name: ${step}`);
  const run = lines.findIndex((line, at) => at > from && line.trim().startsWith('run:'));
  assert.ok(from >= 0 && run > from, `no step ${step}`);
  const [, given = ''] = /run: (.*)/.exec(lines[run] as string) ?? [];
  if (given !== '|') return given;
  const rest = lines.slice(run + 1);
  const end = rest.findIndex((line) => line.trim() !== '' && !line.startsWith(' '.repeat(10)));
  return rest.slice(0, end === -1 ? undefined : end).join('\n');
};

/** A clone of a company's repository, made from the template, with one signed approval in it. */
const repository = async (test: TestContext) => {
  const firm = await company(test);
  const box = await sandbox(test, [SEARCH, FETCH]);
  const at = (...path: string[]) => join(box.project, ...path);
  cpSync('docs/company', box.project, { recursive: true });
  const text = renderLock(approvedAt('2026-07-01T08:00:00.000Z', SERVER, [SEARCH, FETCH]));
  const sign = (lock: string): void => {
    writeFileSync(at('mcp-contracts.lock.json'), lock);
    writeFileSync(at('mcp-contracts.lock.json.sig'), firm.sign(lock, firm.own.path));
  };
  sign(text);
  writeFileSync(at('allowed_signers'), `a@example.org namespaces="konnichiwagwan" ${firm.own.open}\n`);
  writeFileSync(at('.gitignore'), 'node_modules\n.claude\n');
  mkdirSync(at('node_modules/.bin'), { recursive: true });
  // Under an agent that flag is refused; the gateway needs none.
  const stub = `#!/bin/bash\nexec "${process.execPath}" "${resolve('dist/cli.cjs')}" "\${@/--approve-project-servers/--spawn}"\n`;
  writeFileSync(at('node_modules/.bin/konnichiwagwan'), stub, { mode: 0o755 });
  const bin = join(box.home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'gh'), '#!/bin/bash\nprintf "%s\\n" "$@" > "$HOME/gh"\ncp body.md "$HOME/body"\n', {
    mode: 0o755,
  });
  const origin = join(box.home, 'origin.git');
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', box.project, ...args], { encoding: 'utf8', stdio: 'pipe' });
  execFileSync('git', ['init', '-q', '--bare', origin]);
  initGit(box.project);
  git('add', '.');
  git('commit', '-qm', 'first');
  git('remote', 'add', 'origin', origin);
  git('push', '-q', 'origin', 'main');
  const output = join(box.home, 'output');
  const step = async (file: string, name: string, base = 'origin/main') => {
    writeFileSync(join(box.home, 'step.sh'), scriptOf(file, name));
    writeFileSync(output, '');
    const ran = await runProgram('bash', ['--noprofile', '--norc', '-e', join(box.home, 'step.sh')], {
      cwd: box.project,
      env: {
        ...box.env,
        PATH: `${bin}:${process.env.PATH}`,
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: join(box.home, 'summary'),
        GITHUB_SHA: 'abc',
        BASE: base,
      },
      timeout: 60_000,
    });
    return { ...ran, output: readFileSync(output, 'utf8') };
  };
  return { ...box, firm, at, git, sign, text, step };
};

describe('the template for a company', { skip, concurrency: 2 }, () => {
  it('uses actions by their commits, and gives no secret to a pull request', () => {
    for (const file of readdirSync(WORKFLOWS)) {
      const text = readFileSync(join(WORKFLOWS, file), 'utf8');
      const used = [...text.matchAll(/uses: (.*)/g)].map(([, one = '']) => one);
      assert.ok(used.length > 0);
      for (const one of used) assert.match(one, /^[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
      assert.doesNotMatch(text, /pull_request_target|secrets\./);
      for (const [, script = ''] of text.matchAll(/run: \|\n((?: {10}.*\n?)+)/g)) assert.doesNotMatch(script, /\$\{\{/);
    }
  });

  it('lets pass what an allowed key signed, and no other change', async (test) => {
    const repo = await repository(test);
    const check = async () => (await repo.step('publish.yml', 'Has an allowed key signed the lockfile?')).code;
    const records = async () => (await repo.step('publish.yml', 'Has each change a record of its approval?')).code;
    assert.deepEqual([await check(), await records()], [0, 0]);
    repo.sign(renderLock(approvedAt('2026-07-02T08:00:00.000Z', SERVER, [RENAMED, FETCH])));
    assert.deepEqual([await check(), await records()], [0, 1], 'the record does not begin where the last one ended');
    writeFileSync(repo.at('mcp-contracts.lock.json'), repo.text);
    assert.notEqual(await check(), 0, 'the signature is for another text');
    repo.sign(repo.text);
    writeFileSync(repo.at('allowed_signers'), `a@example.org ${keyOf('other').open}\n`);
    assert.notEqual(await check(), 0, 'the key is not allowed');
    const { code } = await repo.step('publish.yml', 'Has an allowed key signed the lockfile?');
    assert.notEqual(code, 0);
  });

  it('lets the first push of a branch pass, which has no commit before it, and nothing without a revision', async (test) => {
    const repo = await repository(test);
    repo.sign(renderLock(approvedAt('2026-07-02T08:00:00.000Z', SERVER, [RENAMED, FETCH])));
    const records = async (base: string) =>
      (await repo.step('publish.yml', 'Has each change a record of its approval?', base)).code;
    assert.equal(await records('0'.repeat(40)), 0);
    assert.notEqual(await records(''), 0);
    assert.notEqual(await records('0a'.repeat(20)), 0);
  });

  it('publishes both files, byte for byte, and nothing else', async (test) => {
    const repo = await repository(test);
    for (let again = 0; again < 2; again++) {
      const { code, stderr } = await repo.step('publish.yml', 'Put both files on gh-pages');
      assert.equal(code, 0, stderr);
    }
    repo.git('fetch', '-q', 'origin', 'gh-pages');
    const files = repo.git('ls-tree', '-r', '--name-only', 'FETCH_HEAD').trim().split('\n');
    assert.deepEqual(files, ['mcp-contracts.lock.json', 'mcp-contracts.lock.json.sig']);
    for (const file of files) assert.equal(repo.git('show', `FETCH_HEAD:${file}`), readFileSync(repo.at(file), 'utf8'));
  });

  it('opens one pull request for one drift, with what changed', async (test) => {
    const repo = await repository(test);
    const same = await repo.step('look.yml', 'What differs?');
    assert.deepEqual([same.code, same.output], [0, 'code=0\n'], same.stderr);
    repo.release([RENAMED, FETCH]);
    const found = await repo.step('look.yml', 'What differs?');
    assert.deepEqual([found.code, found.output], [0, 'code=1\n'], found.stderr);
    const opened = await repo.step('look.yml', 'Open a pull request');
    assert.equal(opened.code, 0, opened.stderr);
    const [branch = ''] = /drift-[0-9a-f]{12}/.exec(readFileSync(join(repo.home, 'gh'), 'utf8')) ?? [];
    assert.match(readFileSync(join(repo.home, 'body'), 'utf8'), /search/);
    assert.match(repo.git('show', `origin/${branch}:DRIFT.md`), /GATEWAY_URL\/search/);
    assert.ok(existsSync(repo.at('DRIFT.md')));
    assert.notEqual((await repo.step('publish.yml', 'Has an allowed key signed the lockfile?')).code, 0, 'unsettled');

    repo.git('switch', '-q', 'main');
    writeFileSync(join(repo.home, 'gh'), '');
    await repo.step('look.yml', 'What differs?');
    assert.equal((await repo.step('look.yml', 'Open a pull request')).code, 0);
    assert.equal(readFileSync(join(repo.home, 'gh'), 'utf8'), '', 'the next day it is open already');
    repo.gateway.close();
    const down = await repo.step('look.yml', 'What differs?');
    assert.deepEqual([down.code, down.output], [1, 'code=2\n']);
  });
});
