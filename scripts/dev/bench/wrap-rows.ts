import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { clean, dist, folder, median } from './run.ts';

const CALLS = 500;
const ROUNDS = 5;

/** A server that costs as little as possible, so that wrap itself is measured. */
const serverOf = (tools: number): string => `
  const schema = { type: 'object', properties: Object.fromEntries(Array.from({ length: 6 }, (_, at) => ['p' + at, { type: 'string', description: 'x'.repeat(60) }])) };
  const tools = Array.from({ length: ${tools} }, (_, at) => ({ name: 'tool_' + at, description: 'y'.repeat(300), inputSchema: schema }));
  const list = JSON.stringify({ tools });
  const begun = JSON.stringify({ protocolVersion: '2025-06-18', capabilities: { tools: { listChanged: true } }, serverInfo: { name: 's', version: '1' } });
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (id === undefined) return;
    const result = method === 'initialize' ? begun : method === 'tools/list' ? list : '{"content":[]}';
    process.stdout.write('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":' + result + '}\\n');
  });`;

interface Measured {
  /** ms until the first answer. */
  start: number;
  /** ms of one call. */
  call: number;
  /** MB, at the end; undefined if the system does not report it. */
  memory: number | undefined;
}

const memoryOf = (pid: number | undefined): number | undefined => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return undefined;
  }
};

/** A process that a host has just started, and asked for its tools. */
const begin = async (command: string, args: string[]) => {
  const begun = performance.now();
  const env = { ...clean, HOME: folder, KONNICHIWAGWAN_HOME: join(folder, 'wrap-state') };
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<unknown, () => void>();
  createInterface({ input: child.stdout }).on('line', (line) => waiting.get(JSON.parse(line).id)?.());
  let count = 0;
  const ask = (method: string, params: object): Promise<void> =>
    new Promise((done) => {
      waiting.set(++count, done);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: count, method, params })}\n`);
    });
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'b', version: '1' } });
  const start = performance.now() - begun;
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  await ask('tools/list', {});
  const calls = async (count: number): Promise<number[]> => {
    const times: number[] = [];
    for (let round = 0; round < count; round++) {
      const before = performance.now();
      await ask('tools/call', { name: 'tool_0', arguments: { p0: 'x' } });
      times.push(performance.now() - before);
    }
    return times;
  };
  const end = async (): Promise<void> => {
    child.stdin.end();
    await new Promise((done) => child.once('close', done));
  };
  return { pid: child.pid, start, calls, end };
};

const measure = async (command: string, args: string[]): Promise<Measured> => {
  const one = await begin(command, args);
  const call = median(await one.calls(CALLS));
  const memory = memoryOf(one.pid);
  await one.end();
  return { start: one.start, call, memory };
};

const TEN = 10;

/** MB of a process's own memory, plus its part of shared memory; 0 if the system does not report it. */
const shareOf = (pid: number | undefined): number => {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024;
  } catch {
    return 0;
  }
};

/** Ten servers started at once: the time until all have listed their tools, that of a call, and their memory. */
const tenAtOnce = async (args: string[]): Promise<Measured> => {
  const begun = performance.now();
  const all = await Promise.all(Array.from({ length: TEN }, () => begin(process.execPath, args)));
  const start = performance.now() - begun;
  const times: number[] = [];
  for (const one of all) times.push(...(await one.calls(30)));
  const memory = all.reduce((sum, { pid }) => sum + shareOf(pid), 0);
  await Promise.all(all.map((one) => one.end()));
  return { start, call: median(times), memory };
};

const tenRows = async (direct: string[], wrapped: string[]): Promise<void> => {
  console.log(
    '\n| ten servers at once, of 10 tools each | start of all, ms | a call, ms | wrap in memory, MB |\n|---|---|---|---|',
  );
  for (const [name, args] of [
    ['direct', direct],
    ['wrap before each', wrapped],
  ] as const) {
    const rounds: Measured[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await tenAtOnce(args));
    const of = (pick: (one: Measured) => number): number => median(rounds.map(pick));
    const memory = name === 'direct' ? '' : of(({ memory: mb }) => mb ?? 0).toFixed(0);
    console.log(`| ${name} | ${of((one) => one.start).toFixed(0)} | ${of((one) => one.call).toFixed(2)} | ${memory} |`);
  }
};

/** What wrap adds to a program, compared with a Node that only passes bytes on. */
export const wrapRows = async (): Promise<void> => {
  const bare = join(folder, 'bare.cjs');
  writeFileSync(
    bare,
    "const c = require('node:child_process').spawn(process.execPath, process.argv.slice(2), { stdio: ['pipe', 'pipe', 'inherit'] }); process.stdin.pipe(c.stdin); c.stdout.pipe(process.stdout);",
  );
  console.log('\n| behind wrap, a program with | start, ms | a call, ms | memory, MB |\n|---|---|---|---|');
  for (const tools of [1, 10, 100]) {
    const server = join(folder, `server-${tools}.cjs`);
    writeFileSync(server, serverOf(tools));
    const rows = {
      direct: [server],
      'a bare Node between': [bare, server],
      wrap: [join(dist, 'cli.cjs'), 'wrap', '--', process.execPath, server],
    };
    for (const [name, args] of Object.entries(rows)) {
      const rounds: Measured[] = [];
      for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(process.execPath, args));
      const of = (pick: (one: Measured) => number): number => median(rounds.map(pick));
      const memory = name === 'direct' ? '' : of(({ memory: mb }) => mb ?? 0).toFixed(0);
      const [start, call] = [of((one) => one.start).toFixed(0), of((one) => one.call).toFixed(2)];
      console.log(`| ${tools} ${tools === 1 ? 'tool' : 'tools'}: ${name} | ${start} | ${call} | ${memory} |`);
    }
  }
  const server = join(folder, 'server-10.cjs');
  await tenRows([server], [join(dist, 'cli.cjs'), 'wrap', '--', process.execPath, server]);
};
