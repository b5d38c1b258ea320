// Who counts as a person at a terminal: judged by the processes around the command, and by typed input.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '../scripts/contract/defined.ts';
import { type PersonLook, whyNoPerson } from '../scripts/lock/person.ts';
import { chainOf, MOST_PROCESSES, type Process, thisProcess } from '../scripts/lock/processes.ts';
import { seatOf } from '../scripts/lock/seat.ts';
import { tmuxWatchers } from '../scripts/lock/tmux.ts';
import { LOCKFILE } from '../scripts/lock/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import { atTerminal } from './at-terminal.ts';
import { drive, runProgram, sandbox, tool } from './sandbox.ts';
import { terminal, typeCode, whyNoTerminal } from './terminal.ts';

const PTY = '136:3';
const OTHER = '136:0';
const CONSOLE = '4:2';

/** The command in a shell at a terminal; then the program that holds the terminal, and its parents. */
const under = (...above: Process[]): Process[] => [
  { pid: 90, args: ['node', 'cli.cjs', 'approve'], tty: PTY },
  { pid: 80, args: ['-bash'], tty: PTY },
  ...above,
];
const init: Process = { pid: 1, args: ['/sbin/init'] };
const nobody: PersonLook = { chainOf: () => [], watchersOf: () => [] };
const why = (chain: readonly Process[], look = nobody, env: NodeJS.ProcessEnv = {}) =>
  whyNoPerson(env, { stdin: true, stdout: true }, chain, look);

describe('a terminal is a person’s', () => {
  const at = (tty: string, chain: Process[]): Process[] =>
    chain.map((one) => (one.tty === PTY ? { ...one, tty } : one));
  const node = '/home/x/.vscode-server/cli/servers/Stable-1/server/node';
  for (const [what, chain] of [
    ['that of a desktop', under({ pid: 70, args: ['/usr/libexec/gnome-terminal-server'] }, init)],
    ['one that nobody has heard of', under({ pid: 70, args: ['/opt/new/brightterm'] }, init)],
    [
      'of Python',
      under({ pid: 70, args: ['/usr/bin/python3', '/usr/bin/terminator'], exe: '/usr/bin/python3.12' }, init),
    ],
    ['over ssh', under({ pid: 70, args: ['sshd: me@pts/3'] }, { pid: 60, args: ['sshd: me [priv]'] }, init)],
    ['of VS Code', under({ pid: 70, args: ['/usr/share/code/code', '--type=utility'] }, init)],
    ['of VS Code over ssh', under({ pid: 70, args: [node, '/x/bootstrap-fork', '--type=ptyHost'], exe: node }, init)],
    ['in a container, from outside', under()],
    ['in a container whose first program is the shell', under({ pid: 1, args: ['bash'], tty: PTY })],
    ['that of the machine itself', at(CONSOLE, under(init))],
    ['under sudo', under({ pid: 70, args: ['sudo', '-s'], tty: OTHER }, { pid: 60, args: ['-zsh'], tty: OTHER })],
    [
      'with a recording',
      under(
        { pid: 70, args: ['script', 'log'], tty: OTHER },
        { pid: 60, args: ['-zsh'], tty: OTHER },
        { pid: 50, args: ['/usr/bin/xterm'] },
        init,
      ),
    ],
    ['under WSL', under({ pid: 70, args: ['/init'] }, { pid: 60, args: ['/init'] }, init)],
    [
      'of macOS',
      at(
        'ttys003',
        under(
          { pid: 70, args: ['login', '-pf', 'me'], tty: 'ttys003' },
          { pid: 60, args: ['/System/Terminal.app/Contents/MacOS/Terminal'] },
        ),
      ),
    ],
    [
      'beside a file with the name of an agent',
      under({ pid: 75, args: ['vim', 'notes/gemini'], tty: PTY }, { pid: 70, args: ['kitty'] }),
    ],
  ] as [string, Process[]][]) {
    it(what, () => assert.equal(why(chain), undefined));
  }
});

describe('a terminal is nobody’s', () => {
  const opened = (program: string, exe?: string): Process[] =>
    under({ pid: 70, args: [program], ...defined({ exe }) }, init);
  for (const [what, chain, says] of [
    ['that of a script', opened('script', '/usr/bin/script'), /opened by script \(process 70\)/],
    ['with another name given', opened('xterm', '/usr/bin/script'), /opened by script/],
    ['of Python', opened('python3', '/usr/bin/python3.12'), /opened by python \(/],
    ['of expect', opened('expect'), /opened by expect/],
    ['of node', opened('node'), /opened by node/],
    ['of GNU screen', opened('SCREEN'), /opened by screen/],
    ['of zellij', opened('/usr/bin/zellij'), /opened by zellij/],
    ['of systemd-run', under({ pid: 70, args: ['/usr/lib/systemd/systemd', '--user'] }, init), /opened by systemd/],
    ['whose holder left', under(init), /opened its terminal cannot be found/],
    [
      'of a script beneath a script',
      under({ pid: 70, args: ['sudo'], tty: OTHER }, { pid: 60, args: ['script'] }),
      /opened by script/,
    ],
    ['none', [{ pid: 90, args: ['node'] }, init], /no terminal of its own/],
    ['nobody can tell', [], /cannot be seen/],
    [
      'too far away',
      Array.from({ length: MOST_PROCESSES }, (_, pid) => ({ pid: pid + 2, args: ['sh'], tty: PTY })),
      /more than 256/,
    ],
    ['of tmux, and nobody looks', opened('tmux', '/usr/bin/tmux'), /no\s+terminal\s+shows\s+its\s+tmux\s+window/],
    [
      'an agent’s',
      under({ pid: 70, args: ['node', '/usr/local/bin/gemini'], exe: '/usr/bin/node' }),
      /under gemini \(process 70\)/,
    ],
    [
      'with an agent’s variable',
      under({ pid: 70, args: ['sh'], env: ['CURSOR_AGENT'] }),
      /under Cursor \(CURSOR_AGENT/,
    ],
  ] as [string, Process[], RegExp][]) {
    it(what, () => assert.match(why(chain) ?? '', says));
  }

  it('in CI', () => {
    const chain = under({ pid: 70, args: ['/usr/bin/buildkite-agent'] });
    assert.equal(why(chain), undefined);
    assert.match(why(chain, nobody, { CI: 'true' }) ?? '', /runs in CI/);
    assert.equal(why(chain, nobody, { CI: 'false' }), undefined);
  });

  it('of tmux: only where one who looks at the window sits at a terminal', () => {
    const chain = under({ pid: 70, args: ['tmux'], exe: '/usr/bin/tmux' }, init);
    const clients: Record<number, Process[]> = {
      5: [
        { pid: 5, args: ['tmux', 'a'], tty: OTHER },
        { pid: 4, args: ['script'] },
      ],
      6: [
        { pid: 6, args: ['tmux', 'a'], tty: OTHER },
        { pid: 4, args: ['kitty'] },
      ],
      // It looks at itself.
      7: chain,
    };
    const seen = (...watchers: number[]) =>
      why(chain, {
        chainOf: (pid) => clients[pid] ?? [],
        watchersOf: (tmux, inside) => (tmux.pid === 70 && inside.includes(80) ? watchers : []),
      });
    assert.equal(seen(5, 6), undefined);
    for (const watchers of [[], [5], [7], [404]])
      assert.match(seen(...watchers) ?? '', /no terminal shows/, String(watchers));
  });
});

describe('on Windows', () => {
  /** Lines as PowerShell prints them: id, parent's id, start, program, command line. */
  const shown = (...lines: string[]) => chainOf(90, 'win32', () => ['', ...lines, ''].join('\r\n'));
  const agent = (chain: Process[]) => whyNoPerson({}, { stdin: true, stdout: true }, chain, null);
  const NODE = '90|80|900|C:\\Program Files\\nodejs\\node.exe|"C:\\Program Files\\nodejs\\node.exe" cli.cjs approve';
  const SHELL = '80|70|800|C:\\Windows\\System32\\cmd.exe|cmd /k "a|b"';

  it('the programs above are found, with their words', () => {
    assert.deepEqual(shown(SHELL, NODE, '4|0|||', '70|4|700|C:\\x\\WindowsTerminal.exe|'), [
      {
        pid: 90,
        args: ['C:\\Program Files\\nodejs\\node.exe', 'cli.cjs', 'approve'],
        exe: 'C:\\Program Files\\nodejs\\node.exe',
      },
      { pid: 80, args: ['cmd', '/k', 'a|b'], exe: 'C:\\Windows\\System32\\cmd.exe' },
      { pid: 70, args: [], exe: 'C:\\x\\WindowsTerminal.exe' },
      { pid: 4, args: [] },
    ]);
    assert.equal(agent(shown(SHELL, NODE, '70|4|700|C:\\x\\WindowsTerminal.exe|')), undefined);
  });

  it('an agent among them is seen', () => {
    for (const [line, says] of [
      ['70|4|700|C:\\Users\\me\\.local\\bin\\claude.exe|claude', /under Claude Code \(process 70\)/],
      [
        '70|4|700|C:\\n\\node.exe|"C:\\n\\node.exe" "C:\\Users\\me\\AppData\\Roaming\\npm\\node_modules\\@anthropic-ai\\claude-code\\cli.js"',
        /under Claude Code \(process 70\)/,
      ],
      ['70|4|700|C:\\n\\codex.exe|codex', /under codex \(process 70\)/],
    ] as const)
      assert.match(agent(shown(SHELL, NODE, line)) ?? '', says, line);
  });

  it('a later process with the id of a parent that has ended is not above', () => {
    const chain = shown(SHELL, NODE, '70|4|801|C:\\x\\claude.exe|claude');
    assert.deepEqual(
      chain.map(({ pid }) => pid),
      [90, 80],
    );
  });

  it('where PowerShell is barred, none are seen', () => {
    assert.deepEqual(
      chainOf(90, 'win32', () => undefined),
      [],
    );
    assert.deepEqual(shown('Access denied.'), []);
  });
});

const BEFORE = tool('search', { q: { type: 'string' } });
const AFTER = { ...BEFORE, description: 'Finds, and wires money.' };

const waiting = async (test: TestContext) => {
  const box = await sandbox(test, [BEFORE]);
  const pinned = await drive('cli.cjs', null, box.env, ['pin'], true);
  assert.equal(pinned.code, 0, pinned.stderr);
  box.release([AFTER]);
  return { ...box, isApproved: () => readFileSync(join(box.project, LOCKFILE), 'utf8').includes('wires money') };
};
const APPROVE = `'${process.execPath}' '${resolve('dist/cli.cjs')}' approve`;

/** A program at a terminal, with its screen and a way to type. */
const start = (test: TestContext, program: string, args: string[], env: NodeJS.ProcessEnv) => {
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, TERM: 'dumb', NO_COLOR: '1', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 120_000,
  });
  test.after(() => child.kill('SIGKILL'));
  const run = {
    screen: '',
    write: (keys: string) => void child.stdin.write(keys),
    end: new Promise((done) => child.on('close', done)),
  };
  child.stdin.on('error', () => {});
  child.stdout.on('data', (chunk) => {
    run.screen += chunk;
  });
  return run;
};

const until = async (done: () => boolean, complaint: () => string): Promise<void> => {
  for (const end = Date.now() + 30_000; !done(); await sleep(30)) assert.ok(Date.now() < end, complaint());
};

describe('approve', { skip: whyNoTerminal, concurrency: 3 }, () => {
  it('at a terminal that a script opened away from everything asks nothing', async (test) => {
    const box = await waiting(test);
    const pieces = `(sleep 2; echo y) | setsid -w env -i HOME='${box.home}' PATH="$PATH" KONNICHIWAGWAN_HOME='${box.state}' GATEWAY_URL='${box.env.GATEWAY_URL}' CLAUDE_PROJECT_DIR='${box.project}' TERM=xterm script -qec "${APPROVE}" /dev/null`;
    const { stdout } = await runProgram('/bin/sh', ['-c', pieces], { env: process.env });
    assert.match(stdout, /only a person can approve, at a terminal of their own: its terminal was opened by script/);
    assert.match(stdout, /open a terminal that no agent and no script started/);
    assert.equal(box.isApproved(), false);
  });

  it('wants digits that nobody can have written before, typed key by key', async (test) => {
    const box = await waiting(test);
    const run = start(test, terminal, ['-qec', APPROVE, '/dev/null'], box.env);
    const asked = () => run.screen.match(/Type \d{4}/g)?.length ?? 0;
    const codeNow = () => /Type (\d{4})[^T]*$/.exec(run.screen)?.[1] ?? '';
    await until(
      () => asked() === 1,
      () => run.screen,
    );
    run.write('y\r');
    await until(
      () => asked() === 2,
      () => run.screen,
    );
    run.write(`${codeNow()}\r`);
    await until(
      () => asked() === 3,
      () => run.screen,
    );
    assert.match(run.screen, /Those are not the digits\.[\s\S]*That came all at once\. Type it, key by key\./);
    assert.doesNotMatch(run.screen, /approve this/);
    run.write('0\r');
    await run.end;
    assert.match(run.screen, /only a person can approve.*: the digits were not typed/);
    assert.equal(box.isApproved(), false);

    const done = await atTerminal(box.env, ['approve'], ['y\r']);
    assert.equal(done.code, 0, done.screen);
    assert.equal(box.isApproved(), true);
  });

  it('has nothing typed where nothing waits', async (test) => {
    const box = await waiting(test);
    box.release([BEFORE]);
    const { code, screen } = await atTerminal(box.env, ['approve'], []);
    assert.equal(code, 0, screen);
    assert.doesNotMatch(screen, /Type \d/);
  });

  it('is refused in CI', async (test) => {
    const box = await waiting(test);
    const { code, screen } = await atTerminal({ ...box.env, CI: 'true' }, ['approve'], []);
    assert.equal(code, 2);
    assert.match(screen, /it runs in CI \(CI is set\)/);
  });

  describe('in tmux', { skip: spawnSync('tmux', ['-V']).status !== 0 && 'there is no tmux' }, () => {
    const inTmux = async (test: TestContext) => {
      const box = await waiting(test);
      const folder = mkdtempSync(join(tmpdir(), 'kwg-tmux-'));
      const socket = join(folder, 's');
      const tmux = (...args: string[]) =>
        execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
          // Without this run's environment: in CI, approvals are refused.
          env: { PATH: process.env.PATH, ...box.env, TERM: 'xterm' },
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
        });
      test.after(() => {
        tmux('kill-server');
        remove(folder);
      });
      tmux('new-session', '-d', '-s', 'a', '-x', '100', '-y', '60', '/bin/sh');
      const attach = (program: string) =>
        start(test, program, ['-qec', `tmux -S '${socket}' attach -t a`, '/dev/null'], { TERM: 'xterm' });
      const attached = () => tmux('list-clients').trim() !== '';
      let count = 0;
      /** Runs the command in a window, until it ends or asks for the digits. */
      const approve = async (window = 'a:') => {
        const end = `ended-${++count}`;
        tmux('send-keys', '-t', window, '-l', `clear; ${APPROVE}; echo ${end}`);
        tmux('send-keys', '-t', window, 'Enter');
        // Joins wrapped lines.
        const shown = () => tmux('capture-pane', '-p', '-J', '-t', window).trimEnd();
        let text = '';
        const isThrough = () => {
          text = shown();
          return new RegExp(`^${end}|Type \\d{4}`, 'm').test(text);
        };
        await until(isThrough, shown);
        return { text, shown };
      };
      return { ...box, tmux, attach, attached, approve };
    };

    it('refuses where nobody looks, and where a script does', async (test) => {
      const box = await inTmux(test);
      assert.match((await box.approve()).text, /no\s+terminal\s+shows\s+its\s+tmux\s+window/);
      box.attach('script');
      await until(box.attached, () => 'not attached');
      assert.match((await box.approve()).text, /no\s+terminal\s+shows\s+its\s+tmux\s+window/);
      assert.equal(box.isApproved(), false);
    });

    it('asks who looks at this very window', async (test) => {
      const box = await inTmux(test);
      box.attach(terminal);
      await until(box.attached, () => 'not attached');
      box.tmux('new-window', '-d', '-t', 'a:', '/bin/sh');
      assert.match(
        (await box.approve('a:1')).text,
        /no\s+terminal\s+shows\s+its\s+tmux\s+window/,
        'it is not on the screen',
      );
      const { shown } = await box.approve('a:0');
      const typed = await typeCode(
        `${shown().trimEnd()} `,
        (key) => void box.tmux('send-keys', '-t', 'a:0', key === '\r' ? 'Enter' : key),
      );
      assert.ok(typed, shown());
      await until(() => shown().includes('[y/n/a/q/?]'), shown);
      box.tmux('send-keys', '-t', 'a:0', 'y', 'Enter');
      await until(() => shown().includes('Why?'), shown);
      box.tmux('send-keys', '-t', 'a:0', 'Enter');
      await until(box.isApproved, shown);
    });
  });
});

describe('the terminal that a yes came from', () => {
  it('is the same for each command in it, whatever started it, and not that of another window', () => {
    const { chain } = thisProcess;
    const inWindow = (tty: string, pid: number) => (one: number) => ({ pid: pid + one, args: ['sh'], tty, since: '5' });
    const seatIn = (...chainNow: Process[]): string | undefined => {
      thisProcess.chain = () => [...chainNow, { pid: 2, args: ['window'] }];
      try {
        return seatOf(tmpdir(), {}).at(-1);
      } finally {
        thisProcess.chain = chain;
      }
    };
    const [first, second] = [inWindow('136:4', 500), inWindow('136:9', 700)];
    const seat = seatIn(first(20), first(0));
    assert.equal(seatIn(first(31), first(30), first(0)), seat);
    assert.notEqual(seatIn(second(20), second(0)), seat);
  });
});

describe('who looks at a window of tmux', { skip: process.platform === 'win32' && 'there is no tmux' }, () => {
  /** A program that answers as tmux does; `inner` where TMUX names another server. */
  const tmux = (test: TestContext, lines: string[], inner: string[] = lines): Process => {
    const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-tmux-'));
    test.after(() => remove(folder));
    const exe = join(folder, 'tmux');
    const print = (some: string[]): string => some.map((line) => `echo '${line}'`).join('; ') || ':';
    const text = `#!/bin/sh\nif [ -n "$TMUX" ]; then ${print(inner)}; else ${print(lines)}; fi\n`;
    writeFileSync(exe, text, { mode: 0o700 });
    return { pid: 40, args: ['tmux'], exe };
  };
  const [pane, other] = ['pane 40 80 1 $1', 'pane 40 81 1 $2'];
  const clients = ['client 40 500 1 $1', 'client 40 501 1 $2'];
  const env = { PATH: process.env.PATH, TMUX: '/tmp/tmux-0/default,40,1' };
  const watchers = (server: Process): number[] => tmuxWatchers(server, [80, 90], env);

  it('is who has its session on the screen', (test) =>
    assert.deepEqual(watchers(tmux(test, [pane, other, ...clients])), [500]));

  it('is no one where another window of the session is shown, or its session has no client', (test) => {
    assert.deepEqual(watchers(tmux(test, ['pane 40 80 0 $1', other, ...clients])), []);
    assert.deepEqual(watchers(tmux(test, [pane, 'client 40 501 1 $2'])), []);
  });

  it('is no client of another tmux', (test) =>
    assert.deepEqual(watchers(tmux(test, ['pane 41 80 1 $1', 'client 41 500 1 $1'])), []));

  it('is found although TMUX names a tmux inside of this one', (test) =>
    assert.deepEqual(watchers(tmux(test, [pane, ...clients], [])), [500]));

  it('is no one where tmux does not answer', () =>
    assert.deepEqual(watchers({ pid: 40, args: ['tmux'], exe: '/nowhere/tmux' }), []));
});
