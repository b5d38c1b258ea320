import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { sleep } from 'zx';
import type { Installed } from './install.ts';
import { endAll, processesLeft } from './left.ts';
import { bareEnv } from './start.ts';

const START_TIME = 15_000;

/** Below the ports that systems assign on request (Linux: from 32768, others: from 49152), and above those of services. */
const PORTS = { from: 20_000, to: 32_000 };

/** A free port, out of the range that systems assign: so no other program gets it before the server does. */
const freePort = async (): Promise<number> => {
  const port = randomInt(PORTS.from, PORTS.to);
  const isFree = await new Promise<boolean>((done) => {
    const server = createServer().once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });
  return isFree ? port : freePort();
};

const answers = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    const end = (ready: boolean) => () => {
      socket.destroy();
      done(ready);
    };
    socket.once('connect', end(true)).once('error', end(false));
  });

/** Starts an installed server that listens on loopback. Servers differ in how they are given the port. */
export const serve = async (
  installed: Installed,
  args: (port: number) => string[],
): Promise<{ origin: string; output: () => string; stop: () => Promise<void> }> => {
  const { folder, bin } = installed;
  const port = await freePort();
  const home = join(folder, `home-${port}`);
  const child = spawn(join(folder, 'node_modules/.bin', bin), args(port), {
    cwd: folder,
    env: { ...bareEnv(home), PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const errors: Error[] = [];
  child.on('error', (error) => errors.push(error));
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    endAll(await processesLeft(home));
  };
  for (const end = Date.now() + START_TIME; !(await answers(port)); await sleep(50)) {
    if (errors.length === 0 && child.exitCode === null && Date.now() < end) continue;
    await stop();
    throw new Error(`${bin} does not listen: ${errors[0]?.message ?? output.slice(-300)}`);
  }
  return { origin: `http://127.0.0.1:${port}`, output: () => output, stop };
};
