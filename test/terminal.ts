// A terminal for commands that need one.
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { whyNoPerson as whyNone } from '../scripts/lock/person.ts';
import { chainOf } from '../scripts/lock/processes.ts';
import { remove } from '../scripts/state/in-use.ts';

const look = { chainOf, watchersOf: () => [] };

/** Why tests cannot play a person at a real terminal here; false if they can. */
export const whyNoTerminal =
  process.platform !== 'linux' || !/util-linux/.test(String(spawnSync('script', ['--version']).stdout))
    ? 'there is no script of util-linux'
    : agentAbove();

/** Tests cannot play a person if an agent runs them. */
function agentAbove(): string | false {
  const chain = chainOf(process.pid).map((one) => ({ ...one, tty: '136:1' }));
  const why = whyNone(process.env, { stdin: true, stdout: true }, chain, look);
  return why?.startsWith('it runs under') ? why : false;
}

/**
 * A program that opens a terminal: `script` under another name. Under its real name, our check knows that no person sees
 * what it opens.
 */
export const terminal = ((): string => {
  if (whyNoTerminal !== false) return 'script';
  const folder = mkdtempSync(join(tmpdir(), 'kwg-terminal-'));
  process.on('exit', () => remove(folder));
  const copy = join(folder, 'window');
  copyFileSync(String(spawnSync('/bin/sh', ['-c', 'command -v script'], { encoding: 'utf8' }).stdout).trim(), copy);
  return copy;
})();

/** Types the digits that the end of this screen asks for, key by key; false if it asks for none. */
export const typeCode = async (screen: string, write: (keys: string) => void, pause = 60): Promise<boolean> => {
  const code = /Type (\d{4}), then Enter: [^\n]*$/.exec(screen)?.[1];
  if (code === undefined) return false;
  for (const key of `${code}\r`) {
    write(key);
    await sleep(pause);
  }
  return true;
};

/** A command that runs at a terminal. */
interface AtTerminal {
  type: (keys: string) => void;
  ended: Promise<number | null>;
}

/** Starts a command at a terminal. `see` hands over what comes on the screen. */
export type OpenTerminal = (
  env: NodeJS.ProcessEnv,
  args: string[],
  see: (text: string) => void | Promise<void>,
) => AtTerminal;

/** Variables of a terminal that does not paint. */
export const PLAIN = { TERM: 'dumb', NO_COLOR: '1', COLUMNS: '100' };

/** Starts the built program at a real terminal. */
export const openRealTerminal: OpenTerminal = (env, args, see) => {
  const command = [process.execPath, resolve('dist/cli.cjs'), ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn(terminal, ['-qec', command, '/dev/null'], {
    env: { PATH: process.env.PATH, ...PLAIN, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 20_000,
  });
  child.stdin.on('error', () => {});
  child.stdout.setEncoding('utf8').on('data', see);
  return {
    type: (keys) => void child.stdin.write(keys),
    ended: new Promise((done) => child.once('close', done)),
  };
};

/** Runs a command at a person's terminal: types the digits, and each answer when its question is there. */
export const answering =
  (open: OpenTerminal) =>
  async (
    env: NodeJS.ProcessEnv,
    args: string[],
    answers: string[],
    /** What happens before each answer. */
    meanwhile: () => Promise<void> = async () => {},
    /** What to type if a reason is asked for; nothing once these run out. */
    reasons: string[] = [],
  ): Promise<{ code: number | null; screen: string }> => {
    let screen = '';
    let asked = 0;
    let explained = 0;
    let typed = false;
    const see = async (text: string): Promise<void> => {
      screen += text;
      if (!typed && /Type \d{4}, then Enter: /.test(screen)) {
        typed = true;
        await typeCode(screen, type);
      }
      const questions = screen.split(/\[(?:y\/(?:N|n\/a\/q\/\?)|Y\/n)\]/).length - 1;
      while (asked < questions) {
        const answer = answers[asked++] ?? '\x03';
        await meanwhile();
        type(answer);
      }
      while (explained < screen.split('Why?').length - 1) type(`${reasons[explained++] ?? ''}\r`);
    };
    const { type, ended } = open(env, args, see);
    return { code: await ended, screen };
  };
