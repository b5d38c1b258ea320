// Full tier: git and a runner.
// The GitHub Action and the workflow of the documentation, run as a runner does it, in a separate repository and against a
// stand-in for GitHub's API on loopback.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { contractHash } from '../scripts/contract/canonical.ts';
import type { Contract } from '../scripts/contract/types.ts';
import { agentThatRuns } from '../scripts/lock/person.ts';
import { chainOf } from '../scripts/lock/processes.ts';
import { renderLock } from '../scripts/lock/render.ts';
import { makePin } from '../scripts/lock/seal.ts';
import { LOCKFILE } from '../scripts/lock/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import { FETCH, lockOf, RENAMED, SEARCH } from './lock-bench.ts';
import { copyPrograms } from './run-program.ts';
import { runProgram } from './sandbox.ts';

/** Under an agent, approving servers is refused, as it should be. */
const SKIP =
  process.platform === 'win32' ? 'the action is for bash' : (agentThatRuns({}, chainOf(process.pid)) ?? false);

interface Step {
  name: string;
  id: string;
  condition: string;
  env: Record<string, string>;
  run: string;
  uses: string;
}

/** The steps of a workflow or an action. Parses only as much YAML as these files use. */
const stepsOf = (text: string): Step[] => {
  const steps = text.slice(text.indexOf('steps:'));
  const indent = /^( +)- /m.exec(steps)?.[1]?.length ?? 0;
  return steps
    .split(new RegExp(`^ {${indent}}- `, 'm'))
    .slice(1)
    .map((part) => {
      const field = (name: string): string => new RegExp(`^ *${name}: (?!\\|)(.+)$`, 'm').exec(part)?.[1] ?? '';
      const block = /^ *run: \|\n((?: +.*\n?)+)/m.exec(part)?.[1]?.replace(new RegExp(`^ {${indent + 4}}`, 'gm'), '');
      const env = /^ *env:\n((?: +[A-Z_]+: .*\n)+)/m.exec(part)?.[1] ?? '';
      return {
        name: field('name'),
        id: field('id'),
        condition: field('if'),
        env: Object.fromEntries([...env.matchAll(/^ +([A-Z_]+): (.*)$/gm)].map(([, key, value]) => [key, value])),
        run: block ?? field('run'),
        uses: field('uses'),
      };
    });
};

const inputDefaults = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .slice(text.indexOf('inputs:'), text.indexOf('\noutputs:'))
      .split(/^ {2}(?=\S)/m)
      .slice(1)
      .map((part) => [
        part.split(':')[0] as string,
        (/^ *default: (.*)$/m.exec(part)?.[1] ?? '').replace(/^'(.*)'$/, '$1'),
      ]),
  );

interface Comment {
  id: number;
  body: string;
  user: { type: string };
}

/** Comments of one pull request, as GitHub's API keeps them. */
const startApi = async (test: TestContext) => {
  const comments: Comment[] = [];
  const asked: string[] = [];
  let refuse = false;
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    asked.push(`${request.method} ${request.url}`);
    const send = (status: number, value: unknown) => response.writeHead(status).end(JSON.stringify(value));
    if (request.headers.authorization !== 'Bearer t0ken') return send(401, {});
    if (refuse && request.method !== 'GET') return send(403, { message: 'Resource not accessible by integration' });
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    if (pathname === '/repos/o/r/issues/7/comments') {
      if (request.method === 'GET') {
        const from = (Number(searchParams.get('page')) - 1) * 100;
        return send(200, comments.slice(from, from + 100));
      }
      comments.push({ id: comments.length + 1, body: JSON.parse(text).body, user: { type: 'Bot' } });
      return send(201, comments.at(-1));
    }
    const found = comments.find(({ id }) => pathname === `/repos/o/r/issues/comments/${id}`);
    if (request.method !== 'PATCH' || found === undefined) return send(404, {});
    found.body = JSON.parse(text).body;
    return send(200, found);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  test.after(() => server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    comments,
    asked,
    refuse: () => {
      refuse = true;
    },
  };
};

const SERVER = `import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const answer = (part) => console.log(JSON.stringify({ jsonrpc: '2.0', id, ...part }));
  if (method === 'initialize')
    answer({ result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'files', version: '1' } } });
  else if (method === 'tools/list') answer({ result: { tools: JSON.parse(readFileSync('tools.json', 'utf8')) } });
  else answer({ error: { code: -32601, message: 'no' } });
});
`;

/** A repository with its own server, a runner's folders, and a pull request from a branch. */
const setUp = async (test: TestContext) => {
  const base = mkdtempSync(join(tmpdir(), 'konnichiwagwan-action-'));
  test.after(() => remove(base));
  const at = (...parts: string[]) => join(base, ...parts);
  for (const name of ['runner', 'home', 'origin', 'action']) mkdirSync(at(name));
  copyPrograms(at('action/dist'));
  cpSync('action', at('action/action'), { recursive: true });
  const api = await startApi(test);
  const env: NodeJS.ProcessEnv = {
    HOME: at('home'),
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION_PATH: at('action'),
    GITHUB_WORKSPACE: at('work'),
    GITHUB_REPOSITORY: 'o/r',
    GITHUB_SERVER_URL: 'https://github.test',
    GITHUB_RUN_ID: '42',
    GITHUB_API_URL: api.url,
    RUNNER_TEMP: at('runner'),
    GIT_CONFIG_GLOBAL: at('gitconfig'),
    GIT_CONFIG_NOSYSTEM: '1',
  };
  writeFileSync(
    at('gitconfig'),
    '[user]\nname = Somebody\nemail = somebody@example.org\n[init]\ndefaultBranch = main\n',
  );
  const git = (folder: string, ...args: string[]): string =>
    execFileSync('git', args, { cwd: at(folder), env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' }).trim();
  const write = (file: string, value: unknown): void =>
    writeFileSync(at('origin', file), typeof value === 'string' ? value : JSON.stringify(value));
  const commit = (message: string): string => {
    git('origin', 'add', '-A');
    git('origin', 'commit', '-qm', message);
    return git('origin', 'rev-parse', 'HEAD');
  };
  const offer = (tools: Contract[]): void => write('tools.json', tools);
  git('origin', 'init', '-q');
  write('server.mjs', SERVER);
  write('.mcp.json', { mcpServers: { files: { command: process.execPath, args: ['server.mjs'] } } });
  write(LOCKFILE, renderLock(lockOf({ files: [SEARCH, FETCH] })));
  offer([SEARCH, FETCH]);
  const main = commit('main');
  git('origin', 'checkout', '-qb', 'branch');
  /** Checks the branch out as actions/checkout does: one commit deep by default. */
  const checkOut = (depth = ['--depth', '1']): void => {
    remove(at('work'));
    execFileSync('git', ['clone', '-q', ...depth, '--branch', 'branch', `file://${at('origin')}`, at('work')], {
      env: { PATH: process.env.PATH, ...env },
      stdio: 'pipe',
    });
  };
  return { at, api, env, git, write, commit, offer, main, checkOut };
};

/** Runs our own steps of action.yml in order. */
const runAction = async (
  { at, env, main, checkOut }: Awaited<ReturnType<typeof setUp>>,
  inputs: Record<string, string> = {},
  more: NodeJS.ProcessEnv = {},
) => {
  checkOut();
  const text = readFileSync('action.yml', 'utf8');
  const given: Record<string, string> = {
    ...inputDefaults(text),
    spawn: 'true',
    'approve-project-servers': 'true',
    ...inputs,
  };
  const outputs: Record<string, string> = {};
  const valueFor = (expression: string): string => {
    const value = expression.trim();
    const known: Record<string, string> = {
      'github.event.pull_request.base.sha': main,
      'github.event.pull_request.number': '7',
      'github.token': 't0ken',
    };
    const input = /^inputs\.([\w-]+)$/.exec(value)?.[1];
    const output = /^steps\.check\.outputs\.([\w-]+)$/.exec(value)?.[1];
    if (input !== undefined) {
      assert.ok(Object.hasOwn(given, input), `there is no input ${input}`);
      return filled(given[input] as string);
    }
    if (output !== undefined) return outputs[output] ?? '';
    assert.ok(Object.hasOwn(known, value), `the test knows no ${value}`);
    return known[value] as string;
  };
  const filled = (value: string): string => value.replace(/\$\{\{(.*?)\}\}/g, (_, inside: string) => valueFor(inside));
  const holds = (condition: string): boolean =>
    condition.split(' && ').every((part) => {
      const [, left = '', sign, right] = /^(\S+) (==|!=) '(.*)'$/.exec(part) ?? [];
      return (valueFor(left) === right) === (sign === '==');
    });
  const [output, summary] = [at('runner/output'), at('runner/summary.md')];
  writeFileSync(output, '');
  writeFileSync(summary, '');
  let log = '';
  let code: number | null = 0;
  const uploaded: string[] = [];
  for (const step of stepsOf(text)) {
    if (step.condition !== '' && !holds(step.condition)) continue;
    if (step.uses !== '') {
      uploaded.push(step.uses);
      continue;
    }
    const script = at('runner/step.sh');
    writeFileSync(script, step.run);
    const own = Object.fromEntries(Object.entries(step.env).map(([name, value]) => [name, filled(value)]));
    const ran = await runProgram('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
      cwd: at('work'),
      env: { ...env, GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary, ...own, ...more },
      timeout: 120_000,
    });
    log += ran.stdout + ran.stderr;
    code = ran.code;
    if (step.id === 'check')
      for (const line of readFileSync(output, 'utf8').trim().split('\n')) {
        const [name = '', value = ''] = line.split(/=(.*)/);
        outputs[name] = value;
      }
    if (code !== 0) break;
  }
  return { code, log, outputs, uploaded, summary: readFileSync(summary, 'utf8') };
};

describe('the GitHub Action', { skip: SKIP }, () => {
  it('uses nothing that somebody else may change: every action by its commit', () => {
    const files = ['action.yml', 'docs/workflows/verify.yml', '.github/workflows/ci.yml'];
    const used = files.flatMap((file) => stepsOf(readFileSync(file, 'utf8')).map(({ uses }) => uses)).filter(Boolean);
    assert.ok(used.length >= 4);
    for (const one of used) assert.match(one, /^[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    assert.doesNotMatch(readFileSync('action.yml', 'utf8'), /run:.*\$\{\{/, 'an input in a script would be code');
  });

  it('names the version of Node that it needs', async (test) => {
    const { at, env } = await setUp(test);
    mkdirSync(at('bin'));
    // Answers the check of the version as Node 18 would.
    writeFileSync(at('bin/node'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const old = await runProgram('bash', [at('action/action/prepare.sh')], {
      env: { ...env, PATH: `${at('bin')}${delimiter}${process.env.PATH}` },
    });
    assert.deepEqual([old.code, old.stdout.includes('needs Node 20.18.1 or newer')], [2, true]);
  });

  it('as pinned: ends with 0, and writes no comment', async (test) => {
    const world = await setUp(test);
    world.write('README', 'something else');
    world.commit('unrelated');
    const ran = await runAction(world);
    assert.equal(ran.code, 0, ran.log);
    assert.match(ran.log, /approved for this run: "files"/);
    assert.match(ran.summary, /^### MCP contracts\n\nThe servers offer what the lockfile says\.\n$/);
    assert.deepEqual(world.api.comments, []);
  });

  it('a server that changed: annotations, summary, SARIF and one comment, changed in place', async (test) => {
    const world = await setUp(test);
    world.offer([RENAMED, FETCH]);
    world.commit('the server changes');
    const first = await runAction(world, { sarif: 'true' });
    assert.equal(first.code, 1, first.log);
    assert.match(first.log, new RegExp(`^::error file=${LOCKFILE},line=\\d+,`, 'm'));
    assert.match(first.summary, /files\/search/);
    assert.deepEqual(
      first.uploaded.map((one) => one.split('@')[0]),
      ['github/codeql-action/upload-sarif'],
    );
    const sarif = JSON.parse(readFileSync(first.outputs['sarif-file'] as string, 'utf8'));
    assert.equal(sarif.runs[0].results.length, 1);
    assert.equal(world.api.comments.length, 1);
    assert.match(
      world.api.comments[0]?.body ?? '',
      /files\/search[\s\S]*https:\/\/github\.test\/o\/r\/actions\/runs\/42/,
    );
    world.offer([SEARCH, FETCH]);
    world.commit('and changes back');
    const second = await runAction(world);
    assert.equal(second.code, 0, second.log);
    assert.equal(world.api.comments.length, 1, 'the comment is changed, and not written again');
    assert.match(world.api.comments[0]?.body ?? '', /The servers offer what the lockfile says/);
    assert.doesNotMatch(world.api.comments[0]?.body ?? '', /files\/search/);
  });

  it('a lockfile that a pull request changes: what, and that nobody approved it', async (test) => {
    const world = await setUp(test);
    world.offer([RENAMED, FETCH]);
    world.write(LOCKFILE, renderLock(lockOf({ files: [RENAMED, FETCH] })));
    world.commit('another contract, without an approval');
    const ran = await runAction(world);
    assert.equal(ran.code, 1, ran.log);
    assert.match(ran.log, /approval-missing/);
    assert.match(ran.summary, /### What this pull request changes in the lockfile[\s\S]*`query`[\s\S]*`q`/);
  });

  it('a lockfile that was approved: who, why, and the name of the file as it is in the repository', async (test) => {
    const world = await setUp(test);
    world.offer([RENAMED, FETCH]);
    const [from, to] = [contractHash(SEARCH), contractHash(RENAMED)];
    const why = 'read the notes | see <b>them</b> @team';
    const approved = { by: 'Ada <ada@example.org>', at: '2026-03-04T05:06:07Z', why, diff: to, from, to };
    const pins = new Map([
      ['search', makePin('files', RENAMED, approved)],
      ['fetch', makePin('files', FETCH)],
    ]);
    world.write(LOCKFILE, renderLock(new Map([['files', pins]])));
    world.commit('approved');
    const ran = await runAction(world);
    assert.equal(ran.code, 0, ran.log);
    const shown = ran.summary.replace(/&#(\d+);(?:<!-- -->)?/g, (_, code) => String.fromCodePoint(Number(code)));
    assert.match(
      shown,
      /#### Approved[\s\S]*\| files\/search \| Ada <ada@example\.org>, 2026-03-04: read the notes \| see/,
    );
    assert.doesNotMatch(ran.summary, /<b>|@team/);
    assert.match(ran.summary, new RegExp(`\`${LOCKFILE} of [0-9a-f]{12}\` → \`${LOCKFILE}\``));
    assert.doesNotMatch(ran.summary, /before\.json/);
    assert.equal(world.api.comments.length, 1, 'a change is worth a comment');
  });

  it('finds the merge base in a checkout that is one commit deep', async (test) => {
    const world = await setUp(test);
    for (const name of ['a', 'b', 'c']) {
      world.write(name, name);
      world.commit(name);
    }
    const ran = await runAction(world);
    assert.equal(ran.code, 0, ran.log);
    assert.equal(ran.outputs.changed, '0');
    rmSync(world.at('origin'), { recursive: true });
    const { checkOut: _, ...gone } = world;
    world.git('work', 'checkout', '-q', '--orphan', 'unrelated');
    world.git('work', 'commit', '-qm', 'no history');
    const lost = await runAction({ ...gone, checkOut: () => {} });
    assert.equal(lost.code, 2);
    assert.match(lost.log, /::error::the base of the pull request is not in the checkout: .*fetch-depth: 0/);
  });

  it('takes no base that git could take for an option, or for two names', async (test) => {
    const world = await setUp(test);
    const mark = world.at('ran');
    for (const base of [
      `--upload-pack=touch ${mark};`,
      '--output=x',
      '-c core.sshCommand=x',
      'main:refs/heads/other',
      '+main',
      'a b',
      'main\n--all',
      '$(touch x)',
    ]) {
      const ran = await runAction(world, {}, { KWG_BASE: base });
      assert.equal(ran.code, 2, `${base}: ${ran.log}`);
      assert.match(ran.log, /::error::the input "base" is not a git revision/);
    }
    assert.ok(!existsSync(mark));
    assert.equal((await runAction(world, {}, { KWG_BASE: 'HEAD~0' })).code, 0);
  });

  it('a comment that may not be written, or is somebody else’s', async (test) => {
    const world = await setUp(test);
    world.offer([RENAMED, FETCH]);
    world.commit('the server changes');
    const mark = /const MARK = '(.*)';/.exec(readFileSync('action/comment.mjs', 'utf8'))?.[1];
    assert.ok(mark);
    for (let id = 1; id <= 100; id++) world.api.comments.push({ id, body: 'chat', user: { type: 'User' } });
    const theirs = { id: 101, body: `${mark}\nall is well`, user: { type: 'User' } };
    world.api.comments.push(theirs);
    assert.equal((await runAction(world)).code, 1);
    assert.equal(theirs.body, `${mark}\nall is well`);
    assert.equal(world.api.comments.length, 102);
    world.api.refuse();
    const refused = await runAction(world);
    assert.equal(refused.code, 1, 'what was found counts');
    assert.match(refused.log, /::warning::the comment was not written \(PATCH .* 403\)/);
  });

  it('starts nothing without approval, none of another name, and nothing under Claude Code', async (test) => {
    const world = await setUp(test);
    world.write('x', 'x');
    world.commit('x');
    const waits = await runAction(world, { 'approve-project-servers': 'false' });
    assert.equal(waits.code, 2);
    assert.match(waits.summary, /Not everything could be checked[\s\S]*not yet approved in Claude Code/);
    const named = await runAction(world, { servers: '\n  files  \n\n' });
    assert.equal(named.code, 0, named.log);
    const unknown = await runAction(world, { servers: 'no such server' });
    assert.equal(unknown.code, 2, unknown.log);
    const agent = await runAction(world, {}, { CLAUDECODE: '1' });
    assert.equal(agent.code, 2);
    assert.match(agent.log, /an agent cannot approve servers/);
  });
});

describe('the workflow that verifies', { skip: SKIP }, () => {
  const run = async (test: TestContext, tools: Contract[]) => {
    const world = await setUp(test);
    const { at, env, main } = world;
    world.offer(tools);
    mkdirSync(at('origin/kwg'));
    copyPrograms(at('origin/kwg/dist'));
    chmodSync(at('origin/kwg/dist/cli.cjs'), 0o755);
    world.write('kwg/package.json', {
      name: 'konnichiwagwan',
      version: '1.0.0',
      bin: { konnichiwagwan: 'dist/cli.cjs' },
    });
    world.write('package.json', { name: 'p', version: '1.0.0', devDependencies: { konnichiwagwan: 'file:kwg' } });
    const npm = { npm_config_cache: at('npm'), npm_config_offline: 'true', npm_config_update_notifier: 'false' };
    const made = await runProgram('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], {
      cwd: at('origin'),
      env: { ...env, ...npm },
    });
    assert.equal(made.code, 0, made.stderr);
    world.commit('a project');
    world.checkOut([]);
    const summary = at('runner/summary.md');
    const ran: { code: number | null; stdout: string; stderr: string }[] = [];
    for (const step of stepsOf(readFileSync('docs/workflows/verify.yml', 'utf8')).filter(({ run }) => run !== '')) {
      writeFileSync(at('runner/step.sh'), step.run);
      const more = Object.hasOwn(step.env, 'BASE') ? { BASE: main } : {};
      ran.push(
        await runProgram('bash', ['-e', at('runner/step.sh')], {
          cwd: at('work'),
          env: { ...env, ...npm, ...more, GITHUB_STEP_SUMMARY: summary },
          timeout: 120_000,
        }),
      );
    }
    return { ran, summary: existsSync(summary) ? readFileSync(summary, 'utf8') : '' };
  };

  it('passes where the servers are as pinned', async (test) => {
    const { ran } = await run(test, [SEARCH, FETCH]);
    assert.deepEqual(
      ran.map(({ code }) => code),
      [0, 0],
      JSON.stringify(ran),
    );
  });
  it('fails where one is not, with annotations and a summary', async (test) => {
    const { ran, summary } = await run(test, [RENAMED, FETCH]);
    assert.deepEqual(
      ran.map(({ code }) => code),
      [0, 1],
      JSON.stringify(ran),
    );
    assert.match(ran[1]?.stdout ?? '', new RegExp(`^::error file=${LOCKFILE},line=\\d+,`, 'm'));
    assert.match(summary, /files\/search/);
  });
});
