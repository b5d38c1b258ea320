// A terminal for commands that need one.
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { whyNoPerson } from '../scripts/lock/person.ts';
import { chainOf } from '../scripts/lock/processes.ts';
import { remove } from '../scripts/state/in-use.ts';

const look = { chainOf, watchersOf: () => [] };

/** Why tests cannot play a person here; false if they can. */
export const whyNoTerminal =
  process.platform !== 'linux' || !/util-linux/.test(String(spawnSync('script', ['--version']).stdout))
    ? 'there is no script of util-linux'
    : agentAbove();

/** Tests cannot play a person if an agent runs them. */
function agentAbove(): string | false {
  const chain = chainOf(process.pid).map((one) => ({ ...one, tty: '136:1' }));
  const why = whyNoPerson(process.env, { stdin: true, stdout: true }, chain, look);
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

/** Runs a command at a person's terminal: types the digits, and each answer when its question is there. */
export const atTerminal = (
  env: NodeJS.ProcessEnv,
  args: string[],
  answers: string[],
  /** What happens before each answer. */
  meanwhile: () => Promise<void> = async () => {},
  /** What to type if a reason is asked for; nothing once these run out. */
  reasons: string[] = [],
): Promise<{ code: number | null; screen: string }> =>
  new Promise((done) => {
    const command = [process.execPath, resolve('dist/cli.cjs'), ...args].map((word) => `'${word}'`).join(' ');
    const child = spawn(terminal, ['-qec', command, '/dev/null'], {
      env: { PATH: process.env.PATH, TERM: 'dumb', NO_COLOR: '1', COLUMNS: '100', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
      timeout: 20_000,
    });
    let screen = '';
    let asked = 0;
    let explained = 0;
    let typed = false;
    child.stdin.on('error', () => {});
    const write = (keys: string): void => {
      child.stdin.write(keys);
    };
    child.stdout.on('data', async (chunk) => {
      screen += chunk;
      if (!typed && /Type \d{4}, then Enter: /.test(screen)) {
        typed = true;
        await typeCode(screen, write);
      }
      const questions = screen.split(/\[(?:y\/(?:N|n\/a\/q\/\?)|Y\/n)\]/).length - 1;
      while (asked < questions) {
        const answer = answers[asked++] ?? '\x03';
        await meanwhile();
        write(answer);
      }
      while (explained < screen.split('Why?').length - 1) write(`${reasons[explained++] ?? ''}\r`);
    });
    child.on('close', (code) => done({ code, screen }));
  });
