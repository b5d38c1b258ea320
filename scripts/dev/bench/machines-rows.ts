// What many machines cost: reading what they exported, by lines, and sending what waits, by verdicts.

import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fs } from 'zx';
import { activityPath } from '../../state/paths.ts';
import { type Curve, writePlots } from './plots.ts';
import { clean, dist, folder, median, run } from './run.ts';

const FILE = 'docs/costs-machines.svg';
const MILLION = 1_000_000;
/** How many lines are read, in millions. */
const MILLIONS = (process.env.MILLIONS ?? '1,3,10').split(',').map(Number);
const MACHINES = 1_000;
const LINES = 1_000;
const CALLS_OF_SESSION = 50;
const DAY = 86_400_000;
const VERDICTS = ['silence', 'silence', 'silence', 'silence', 'notice', 'ask', 'deny', 'unchecked'];
const [SECONDS_GOAL, MB_GOAL] = [120, 1_000];

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Lines as the guard writes them, from one time on. */
const linesFrom = (at: number, count: number, verdicts: readonly string[]): string => {
  let session = '';
  return Array.from({ length: count }, (_none, nth) => {
    if (nth % CALLS_OF_SESSION === 0) session = randomUUID();
    const tool = `mcp__server${nth % 4}__tool_${nth % 31}`;
    const call = { session, server: `server${nth % 4}`, tool, verdict: verdicts[nth % verdicts.length] };
    return `${JSON.stringify({ at: new Date(at + nth * 1_000).toISOString(), ...call })}\n`;
  }).join('');
};

/** Processor time in seconds and most memory in MB of one run, which its process writes when it ends. */
const measured = async (args: string[], env: NodeJS.ProcessEnv): Promise<{ seconds: number; megabytes: number }> => {
  const [hook, out] = [join(folder, 'usage.cjs'), join(folder, 'usage.txt')];
  writeFileSync(
    hook,
    `process.on('exit',()=>require('fs').writeFileSync(${JSON.stringify(out)},JSON.stringify(process.resourceUsage())))`,
  );
  const { output } = await run({
    ...{ name: '', command: process.execPath, args: ['--require', hook, ...args], input: '', expect: () => true },
    env: { ...clean, ...env },
  });
  if (args.includes('--json') && JSON.parse(output).ok !== true) throw new Error(output.slice(0, 300));
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(fs.readFileSync(out, 'utf8'));
  return { seconds: (userCPUTime + systemCPUTime) / 1e6, megabytes: maxRSS / 1024 };
};

/** Logs of many machines. The machines of one day share one file, linked: its sessions are told apart by their machine. */
const logsOf = (lines: number): string => {
  const logs = join(folder, `logs-${lines}`);
  const first = Date.parse(dayOf(Date.now())) - (lines / MACHINES / LINES) * DAY;
  for (let day = 0; day < lines / MACHINES / LINES; day++) {
    const name = `${dayOf(first + day * DAY)}.jsonl`;
    const text = join(folder, name);
    writeFileSync(text, linesFrom(first + day * DAY, LINES, VERDICTS));
    for (let machine = 0; machine < MACHINES; machine++) {
      mkdirSync(join(logs, `m${machine}`), { recursive: true });
      linkSync(text, join(logs, `m${machine}`, name));
    }
    fs.rmSync(text);
  }
  return logs;
};

const readingRows = async (): Promise<Curve[]> => {
  console.log('\n| lines | files | processor time, s | for 10 million, s | most memory, MB |\n|---|---|---|---|---|');
  const [time, memory]: [Curve['points'], Curve['points']] = [[], []];
  for (const millions of MILLIONS) {
    const logs = logsOf(millions * MILLION);
    const args = [join(dist, 'cli.cjs'), 'usage', '--days', '400', '--from', logs, '--json'];
    const { seconds, megabytes } = await measured(args, { HOME: folder });
    fs.rmSync(logs, { recursive: true });
    const each = (seconds / millions) * 10;
    console.log(
      `| ${millions} million | ${((millions * MILLION) / LINES).toLocaleString('en')} | ${seconds.toFixed(0)} | ${each.toFixed(0)} | ${megabytes.toFixed(0)} |`,
    );
    time.push([millions, each, SECONDS_GOAL]);
    memory.push([millions, megabytes, MB_GOAL]);
  }
  const axis = 'million lines';
  return [
    { title: 'usage --from: processor time for 10 million lines', axis, unit: 's', beside: 'the most', points: time },
    { title: 'usage --from: most memory', axis, unit: 'MB', beside: 'the most', points: memory },
  ];
};

/** What one process that sends costs, beside one with nothing to send, by how many verdicts wait. */
const sendingRows = async (): Promise<Curve[]> => {
  let bytes = 0;
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.end());
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/logs`;
  console.log('\n| verdicts | encoding | processor time, ms | kB sent | most memory, MB |\n|---|---|---|---|---|');
  const curves: Curve[] = [];
  for (const encoding of ['protobuf', 'json']) {
    const points: Curve['points'] = [];
    let idle = 0;
    for (const verdicts of [0, 100, 1_000, 10_000, 100_000]) {
      const home = join(folder, `sender-${encoding}-${verdicts}`);
      const path = activityPath(home, dayOf(Date.now() - 2 * DAY));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, linesFrom(Date.now() - 2 * DAY, verdicts, ['notice', 'ask', 'deny']));
      writeFileSync(join(home, 'config.json'), JSON.stringify({ telemetry: { endpoint, encoding } }));
      const [times, most]: [number[], number[]] = [[], []];
      for (let round = 0; round < 5; round++) {
        fs.rmSync(join(home, 'telemetry'), { recursive: true, force: true });
        bytes = 0;
        const { seconds, megabytes } = await measured([join(dist, 'send-events.cjs'), home, home], { HOME: home });
        times.push(seconds * 1_000);
        most.push(megabytes);
      }
      const ms = median(times);
      if (verdicts === 0) idle = ms;
      else points.push([verdicts, ms, idle]);
      console.log(
        `| ${verdicts.toLocaleString('en')} | ${encoding} | ${ms.toFixed(0)} | ${(bytes / 1024).toFixed(0)} | ${median(most).toFixed(0)} |`,
      );
    }
    curves.push({
      ...{ title: `Sending what waits, ${encoding}: processor time`, axis: 'verdicts', unit: 'ms' },
      ...{ beside: 'nothing waits', points },
    });
  }
  server.close();
  return curves;
};

/** Measures both, prints tables, and writes the picture. */
export const machinesRows = async (): Promise<void> => {
  const label = 'How costs grow: usage --from by lines, in processor time and memory, and sending events by verdicts';
  const sending = await sendingRows();
  writePlots(FILE, label, [...(await readingRows()), ...sending]);
};
