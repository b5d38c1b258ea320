// Using the command line: versions, help, typos, and following the log.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMMANDS, type CommandEntry } from '../scripts/cli/commands.ts';
import { checkState } from '../scripts/cli/doctor/state.ts';
import { run as runHere } from '../scripts/cli/run.ts';
import { tilde } from '../scripts/command/tilde.ts';
import { remove } from '../scripts/state/in-use.ts';
import { outputTo } from './own-process.ts';
import { noShell, noSignals } from './posix.ts';
import { drive, sandbox, tool, untilRecorded } from './sandbox.ts';

const run = (args: string[], env: NodeJS.ProcessEnv = {}) => drive('cli.cjs', null, env, args, true);

describe('the command line', () => {
  it('says its version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    for (const option of ['--version', '-V']) {
      const { stdout, stderr, code } = await run([option]);
      assert.deepEqual([stdout, stderr, code], [`${version}\n`, '', 0]);
    }
  });

  it('help COMMAND is COMMAND --help', async () => {
    for (const name of ['diff', 'install', 'statusline'])
      assert.equal((await run(['help', name])).stdout, (await run([name, '--help'])).stdout);
    assert.match((await run(['help', 'nope'])).stderr, /there is no command "nope"/);
    assert.equal((await run(['help'])).code, 0);
  });

  for (const [args, message, hint] of [
    [['instal'], 'there is no command "instal"', 'did you mean install?'],
    [['stauts'], 'there is no command "stauts"', 'did you mean status?'],
    [['uninst'], 'there is no command "uninst"', 'did you mean uninstall?'],
    [['xyzzy'], 'there is no command "xyzzy"', 'all commands: konnichiwagwan --help'],
    [['install', '--dryrun'], 'there is no option --dryrun', 'did you mean --dry-run?'],
    [['diff', 'a', 'b', '--fromat=html'], 'there is no option --fromat', 'did you mean --format?'],
    [['logs', '--lasst', '3'], 'there is no option --lasst', 'did you mean --last?'],
    [['logs', '--last'], '--last needs a value', 'konnichiwagwan logs --help'],
    [
      ['scan', '--days', '-1'],
      '--days needs a value; one that begins with "-" is given as --days=VALUE',
      'konnichiwagwan scan --help',
    ],
    [['logs', '--diff=yes'], '--diff takes no value', 'konnichiwagwan logs --help'],
  ] as const)
    it(`${args.join(' ')}: ${hint}`, async () => {
      const { stdout, stderr, code } = await run([...args]);
      assert.deepEqual([stdout, stderr, code], ['', `konnichiwagwan: ${message}\n  ${hint}\n`, 2]);
    });

  it('calls an error that it does not know its own bug: exit 70, with the stack for debugging alone', async (test) => {
    test.mock.method(COMMANDS.hash as CommandEntry, 'load', () => Promise.reject(new Error('odd')));
    const failing = async (words: string[], env: NodeJS.ProcessEnv = {}) => {
      const [out, err]: [string[], string[]] = [[], []];
      const [stdout, stderr] = [outputTo((text) => out.push(text)), outputTo((text) => err.push(text))];
      const host = { env, cwd: () => '/', stdin: Readable.from([]), stdout, stderr };
      const code = await runHere(['hash', 'x', ...words], host);
      return { code, stdout: out.join(''), stderr: err.join('') };
    };
    const { stderr, code } = await failing([]);
    assert.equal(code, 70);
    assert.match(stderr, /^konnichiwagwan: odd\n {2}this is a bug of konnichiwagwan: .*\n$/);
    const json = await failing(['--json']);
    const { error } = JSON.parse(json.stdout);
    assert.deepEqual([json.code, json.stderr, error.code, error.message], [70, '', 'bug', 'odd']);
    assert.match((await failing([], { KONNICHIWAGWAN: 'debug' })).stderr, /\n\s+at /);
  });

  it('names all options where none is near, and none of node’s own explanations', async () => {
    const { stderr } = await run(['doctor', '--zzz\u001b[31m']);
    assert.equal(
      stderr,
      'konnichiwagwan: there is no option --zzz\\u{1b}[31m\n  options: --json, --help, --format; konnichiwagwan help doctor\n',
    );
  });
});

describe('what doctor says of a state folder that others can read', { skip: noShell }, () => {
  for (const folder of ['.claude/konnichiwagwan', 'my state'])
    it(`is a command that a shell carries out: ${folder}`, (test) => {
      const HOME = mkdtempSync(join(tmpdir(), 'konnichiwagwan home-'));
      test.after(() => remove(HOME));
      const state = join(HOME, folder);
      mkdirSync(state, { recursive: true });
      chmodSync(state, 0o755);
      const said = tilde(checkState(state).hint ?? '', { env: { HOME } });
      assert.match(said, /^chmod -R go= ~\//);
      execFileSync('sh', ['-c', said], { env: { PATH: process.env.PATH, HOME } });
      assert.equal(checkState(state).state, 'ok');
    });
});

describe('explain TOOL ARGUMENTS', () => {
  const search = tool('search', { query: { type: 'string' } }, { required: ['query'] });
  const changed = tool('search', { text: { type: 'string' } }, { required: ['text'] });

  it('decides on the call as one of the folder’s newest session, and says what the hook would', async (test) => {
    const box = await sandbox(test, [search]);
    await box.start();
    box.release([changed]);
    const args = ['explain', 'mcp__demo__search', '{"query":"x"}', '--json'];
    const { data } = JSON.parse((await run(args, box.env)).stdout);
    const input = JSON.stringify(box.input('search', { query: 'x' }, { mcp_server: null }));
    const hook = JSON.parse((await drive('cli.cjs', input, box.env, ['explain', '--json'], true)).stdout);
    assert.equal(data.verdict, 'deny');
    for (const field of ['verdict', 'believed', 'live', 'changes', 'signature'])
      assert.deepEqual(data[field], hook.data[field], field);
  });

  it('is about the session of this folder, whatever was started in another one since', async (test) => {
    const box = await sandbox(test, [search]);
    await box.start();
    box.release([changed]);
    const elsewhere = join(box.home, 'elsewhere');
    mkdirSync(elsewhere);
    const there = { ...box.env, CLAUDE_PROJECT_DIR: elsewhere };
    await box.begin({ session_id: 's2', cwd: elsewhere }, there);
    await untilRecorded(box.state, 's2');
    const args = ['explain', 'mcp__demo__search', '{"query":"x"}', '--json'];
    assert.equal(JSON.parse((await run(args, box.env)).stdout).data.verdict, 'deny');
    // The model of that session saw the new contract: there, such a call is wrong without being stale.
    assert.equal(JSON.parse((await run(args, there)).stdout).data.changes.length, 0);
    const { data } = JSON.parse((await run(args, { ...box.env, CLAUDE_PROJECT_DIR: box.home })).stdout);
    assert.equal(data.verdict, 'unchecked', 'no session was started in that folder');
  });

  it('names what is wrong with its words', async (test) => {
    const { env } = await sandbox(test, [search]);
    for (const [args, expected] of [
      [['search'], /"search" is not the name of a tool of an MCP server/],
      [['mcp__demo__search', '{'], /the arguments of the call are not a JSON object/],
      [['mcp__demo__search', '[]'], /the arguments of the call are not a JSON object/],
      [['mcp__demo__search', '{}', 'x'], /"x" is one word too many/],
      [['mcp__demo__search', '{}', '--session', '../x'], /not the id of a session/],
    ] as const) {
      const { stderr, code } = await run(['explain', ...args], env);
      assert.equal(code, 2);
      assert.match(stderr, expected);
    }
  });
});

describe('logs --follow', () => {
  it('shows each call as it is judged, and ends when it is interrupted', { skip: noSignals }, async (test) => {
    const box = await sandbox(test, [tool('search', { query: { type: 'string' } })]);
    await box.start();
    await box.call('search', { query: 'first' });
    const child = spawn(process.execPath, [resolve('dist/cli.cjs'), 'logs', '--follow'], {
      env: { PATH: process.env.PATH, ...box.env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    test.after(() => child.kill('SIGKILL'));
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    const seen = async (count: number): Promise<void> => {
      while ((printed.match(/mcp__demo__search/g)?.length ?? 0) < count) await sleep(20);
    };
    await seen(1);
    await box.call('search', { query: 'second' });
    await seen(2);
    child.kill('SIGINT');
    const [code] = await once(child, 'exit');
    assert.equal(code, 0);
    assert.equal(printed.trim().split('\n').length, 2, printed);
    assert.doesNotMatch(printed, /first|second/);
  });

  it('is not for --json', async () => {
    const { stderr, code } = await run(['logs', '--follow', '--json']);
    assert.equal(code, 2);
    assert.match(stderr, /^$|--follow/);
  });
});
