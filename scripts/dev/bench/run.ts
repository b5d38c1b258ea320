// What every part of the benchmark shares: a process, its time, and a separate folder.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fs, tmpdir } from 'zx';

export const dist = resolve('dist');
export const folder = tmpdir('konnichiwagwan-bench');
export const clean: NodeJS.ProcessEnv = { PATH: process.env.PATH };
/** Two versions of the real server with the longest contracts, if they are there. */
export const REAL = resolve(
  process.env.KONNICHIWAGWAN_SHARED ?? '../shared',
  'corpus/captures/@notionhq__notion-mcp-server',
);

export interface BenchCase {
  name: string;
  /** What it should cost at most, as a multiple of a bare Node. */
  goal?: number;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  input: string;
  expect: (output: string) => boolean;
  /** Asks a process that is already running, instead of starting one. */
  ask?: () => Promise<string>;
}

/** Runs a process, or asks one; gives its time in ms, and its output. */
export const run = async ({
  command,
  args,
  env,
  cwd,
  input,
  ask,
}: BenchCase): Promise<{ ms: number; output: string }> => {
  const began = performance.now();
  if (ask !== undefined) {
    const output = await ask();
    return { ms: performance.now() - began, output };
  }
  return new Promise((done, failed) => {
    const child = spawn(command, args, { env, cwd, stdio: ['pipe', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', failed);
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('close', () => done({ ms: performance.now() - began, output }));
  });
};

/** The median; sorts the numbers in place. */
export const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] as number;

/** Peak resident memory of one run, in KiB, which every Node process writes when it exits. */
export const peak = async (one: BenchCase): Promise<number> => {
  const hook = join(folder, 'peak.cjs');
  const out = join(folder, 'peak.txt');
  writeFileSync(
    hook,
    `process.on('exit',()=>require('fs').writeFileSync(${JSON.stringify(out)},String(process.resourceUsage().maxRSS)))`,
  );
  const peaks: number[] = [];
  for (let round = 0; round < 5; round++) {
    await run({ ...one, args: ['--require', hook, ...one.args] });
    peaks.push(Number(fs.readFileSync(out, 'utf8')));
  }
  return median(peaks);
};
