// MCP servers that are asked without a gateway: twenty of them over HTTP, with fifty tools each.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fs, sleep } from 'zx';
import { type McpOnLoopback, startMcp } from '../../../test/mcp-servers.ts';
import type { Contract } from '../../contract/types.ts';
import { BEFORE } from '../../demo/release.ts';
import { type BenchCase, median, run } from './run.ts';
import { manyTools, session } from './session.ts';

const SERVERS = 20;
const TOOLS = 50;
const silent = (output: string): boolean => output === '';
const PROFILE = { user_id: 'u_42' };
const input = { mcp_server: { name: 'demo', source: 'user' } };

const startServers = (tools: Contract[], ttlMs: number, hanging: boolean, count = SERVERS): Promise<McpOnLoopback[]> =>
  Promise.all(
    Array.from({ length: count }, (_none, index) =>
      startMcp('modern', { tools, ttlMs, ...(hanging && index === count - 1 ? { before: () => sleep(5_000) } : {}) }),
    ),
  );

const configured = (name: string, tools: Contract[], servers: McpOnLoopback[]) => {
  const made = session(name, tools, 1);
  const named = servers.map(({ url }, index) => [index === 0 ? 'demo' : `server${index}`, { type: 'http', url }]);
  writeFileSync(join(made.home, '.claude.json'), JSON.stringify({ mcpServers: Object.fromEntries(named) }));
  return made;
};

/** Calls of a tool of one of the servers, unchanged: within the time that its answer counts as live, and outside it. */
export const serverCases = async (): Promise<{ cases: BenchCase[]; close: () => void }> => {
  const tools = manyTools(TOOLS, BEFORE);
  const lasting = await startServers(tools, 60_000, false);
  const passing = await startServers(tools, 1, false);
  const [live, asking] = [configured('servers', tools, lasting), configured('servers-asking', tools, passing)];
  const profile = (from: typeof live): Omit<BenchCase, 'name'> => from.call('get_profile', PROFILE, silent, input);
  for (const one of [live, asking]) {
    await run({ name: '', ...one.start() });
    await sleep(2_000);
    for (const _look of [1, 2]) await run({ name: '', ...profile(one) });
  }
  return {
    cases: [
      {
        name: `unchanged, ${SERVERS} servers, ${(SERVERS * TOOLS).toLocaleString('en')} tools`,
        goal: 1.12,
        ...profile(live),
      },
      { name: 'unchanged, one `tools/list` over MCP', goal: 1.6, ...profile(asking) },
    ],
    close: () => {
      for (const server of [...lasting, ...passing]) server.close();
    },
  };
};

/** A call of a tool of one of `count` servers, unchanged, within the time that its answer counts as live. */
export const unchangedWith = async (count: number) => {
  const tools = manyTools(TOOLS, BEFORE);
  const servers = await startServers(tools, 60_000, false, count);
  const made = configured(`servers-${count}`, tools, servers);
  await run({ name: '', ...made.start() });
  await sleep(2_000);
  const end = (): void => {
    for (const server of servers) server.close();
  };
  return { one: made.call('get_profile', PROFILE, silent, input), end };
};

/** How long a session's start takes with twenty servers, one of which hangs, and when its baseline is complete. */
export const startRows = async (base: number): Promise<void> => {
  const tools = manyTools(TOOLS, BEFORE);
  const servers = await startServers(tools, 0, true);
  const starts: number[] = [];
  const complete: number[] = [];
  for (let round = 0; round < 5; round++) {
    const made = configured(`starting${round}`, tools, servers);
    const began = performance.now();
    starts.push((await run({ name: '', ...made.start() })).ms);
    const file = join(made.home, 'state/sessions/bench.json');
    const sources = () => Object.keys((JSON.parse(fs.readFileSync(file, 'utf8')) as { sources: object }).sources);
    while (sources().length < SERVERS && performance.now() - began < 30_000) await sleep(50);
    complete.push(performance.now() - began);
  }
  for (const server of servers) server.close();
  const start = median(starts);
  console.log(
    `| SessionStart, ${SERVERS} servers, one hanging for 5 s | ${start.toFixed(0)} | ${(start / base).toFixed(1)} | what most take and as long again, at least 420 ms |`,
  );
  console.log(`| the same: baseline complete after | ${median(complete).toFixed(0)} | | |`);
};
