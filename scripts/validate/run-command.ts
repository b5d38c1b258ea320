import { CommandError } from '../command/command.ts';
import { LIMITS } from '../contract/read.ts';
import { endProgram } from '../sources/mcp/end-program.ts';
import { startProgram } from '../state/programs.ts';
import { quoteText } from '../text/quote.ts';

const LONGEST_COMPLAINT = 64 * 1024;
const HINT = 'run it by hand to see what it prints';

interface RunOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Milliseconds. */
  deadline: number;
}

const failed = (code: string, why: string): CommandError => new CommandError(code, `the manifest command ${why}`, HINT);

/** The first line of a program's standard error, where most programs say what is wrong. */
const complaint = (text: string): string => {
  const line = text.split('\n').find((one) => one.trim() !== '');
  return line === undefined ? '' : `: ${quoteText(line.trim(), 160)}`;
};

/**
 * Runs a program without a shell, and gives what it printed.
 * @throws CommandError if it cannot be started, fails, takes too long or prints too much
 */
export const outputOf = (
  [program = '', ...args]: readonly string[],
  { cwd, env, deadline }: RunOptions,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = startProgram(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const closed = new Promise<void>((done) => child.once('close', () => done()));
    const chunks: Buffer[] = [];
    let [total, said] = [0, ''];
    let settled = false;
    const settle = (act: () => void): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      act();
    };
    /** Ends the program and everything that it started, then rejects, so that nothing is left behind. */
    const stop = (error: CommandError): void =>
      settle(() => {
        const ended = child.pid === undefined ? Promise.resolve() : endProgram(child.pid, () => child.kill(), closed);
        ended.finally(() => {
          // A process that still holds its output must not keep us from ending.
          child.stdout.destroy();
          child.stderr.destroy();
          reject(error);
        });
      });
    const timer = setTimeout(() => stop(failed('timeout', `did not end within ${deadline / 1000} s`)), deadline);
    child.on('error', (error: NodeJS.ErrnoException) =>
      settle(() =>
        reject(failed('unrunnable', `${quoteText(program, 80)} cannot be started (${error.code ?? 'failed'})`)),
      ),
    );
    child.stdout.on('data', (chunk: Buffer) => {
      // Output that comes while the program is being ended is read, so that it can end, and ignored.
      if (settled) return;
      total += chunk.length;
      if (total > LIMITS.bytes) stop(failed('too-large', `printed more than ${LIMITS.bytes} bytes`));
      else chunks.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (said.length < LONGEST_COMPLAINT) said += chunk.toString('utf8');
    });
    child.on('close', (code, signal) =>
      settle(() => {
        if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
        else reject(failed('manifest-command', `ended with ${signal ?? code}${complaint(said)}`));
      }),
    );
  });
