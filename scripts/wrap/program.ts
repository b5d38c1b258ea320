import { type ChildProcess, spawn } from 'node:child_process';
import { writeError } from '../guard/answer.ts';
import { startProgram as startInstalled } from '../state/programs.ts';
import { quoteText } from '../text/quote.ts';
import type { ServerSide } from './server-side.ts';
import type { ProgramTarget } from './settings.ts';

/** A shell's exit codes for a missing program, and for one that cannot be run. */
const NOT_FOUND = 127;
const NOT_RUN = 126;

/** How long a program may take to end by itself, in ms, once its host is done with it or has sent it a signal. */
const GRACE = 1_500;
/** How often we look whether the host is still there, in ms. */
const LOOK_EVERY = 500;

const WINDOWS = process.platform === 'win32';

/**
 * Ends a group of processes once its input closes without a message, which is all that it sees when we are killed. It
 * asks first, so that a program can end the groups that it started.
 */
const WATCH = 'read -r _ || { kill -s TERM -- "-$0"; sleep 1; kill -s KILL -- "-$0"; } 2>/dev/null';

/** @returns a function that cancels it */
const watchOver = (group: number): (() => void) => {
  const watch = spawn('/bin/sh', ['-c', WATCH, String(group)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    // A signal to our whole group does not reach it.
    detached: true,
  });
  watch.on('error', () => {});
  watch.stdin?.on('error', () => {});
  watch.unref();
  return () => void watch.stdin?.end('\n');
};

/** Starts a program with everything that we were given: environment, folder, and standard error. */
export const startProgram = ({ command, args }: ProgramTarget): ServerSide => {
  // In a group of its own, so that any process can end all of it, not only the parent.
  const child: ChildProcess = startInstalled(command, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: !WINDOWS });
  const { pid, stdin, stdout } = child;
  const callOff = pid === undefined || WINDOWS ? () => {} : watchOver(pid);
  const ended = new Promise<Awaited<ServerSide['ended']>>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === 'ENOENT';
      const why = isMissing ? 'there is no such program, or its folder is gone' : String(error.code);
      writeError(
        `konnichiwagwan: the server ${quoteText(command)} cannot be started: ${why}\n` +
          '  check the words behind -- in the host’s configuration, and that its PATH has the program',
      );
      resolve({ code: isMissing ? NOT_FOUND : NOT_RUN, signal: null });
    });
    child.once('close', (code, signal) => resolve({ code, signal }));
  }).finally(callOff);
  let isEnding = false;
  const end = (): void => {
    if (isEnding || pid === undefined) return;
    isEnding = true;
    import('../sources/mcp/end-program.ts')
      .then(({ endProgram }) => endProgram(pid, () => stdin?.end(), ended))
      // A process that still holds the output must not keep us from ending.
      .then(() => stdout?.destroy());
  };
  // stdout closed: treat the server as ended.
  stdout?.once('close', () => setTimeout(end, GRACE).unref());
  // An ended server reads nothing; `ended` reports that.
  stdin?.on('error', () => {});
  const parent = process.ppid;
  return {
    output: stdout as NonNullable<typeof stdout>,
    input: stdin as NonNullable<typeof stdin>,
    ended,
    end,
    signal: (name) => {
      child.kill(name);
      setTimeout(end, GRACE).unref();
    },
    hostDone: (isAtWork) => {
      let since = Date.now();
      const look = setInterval(() => {
        if (isAtWork()) since = Date.now();
        if (process.ppid === parent && Date.now() - since < GRACE) return;
        clearInterval(look);
        end();
      }, LOOK_EVERY);
      ended.then(() => clearInterval(look));
    },
  };
};
