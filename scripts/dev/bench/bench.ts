// Times whole processes, as Claude Code starts them, and a bare Node in the same run. Prints tables; asserts nothing.
import { cpus, release } from 'node:os';
import { join, resolve } from 'node:path';
import { fs, sleep, which } from 'zx';
import { removeSandboxes } from '../../../test/e2e/run.ts';
import { resident } from '../../../test/resident-client.ts';
import type { JsonObject } from '../../contract/types.ts';
import { preToolUse } from '../../demo/hooks.ts';
import { AFTER, AFTER_VERSION } from '../../demo/release.ts';
import { clientRows } from './client-rows.ts';
import { thinkingRows } from './client-thinking.ts';
import { commandRows } from './command-rows.ts';
import { diffRows } from './diff-rows.ts';
import { eventsRows } from './events-rows.ts';
import { machinesRows } from './machines-rows.ts';
import { memoryRows } from './memory-rows.ts';
import { plots } from './plots.ts';
import { rivalRows } from './rivals.ts';
import { type BenchCase, clean, folder, median, peak, run } from './run.ts';
import { serverCases, startRows } from './servers.ts';
import { manyTools, withGateway } from './session.ts';
import { wrapRows } from './wrap-rows.ts';

// What users run is timed: the built files, in processes of their own.
process.env.KONNICHIWAGWAN_BUILT = '1';

const ROUNDS = Number(process.env.ROUNDS ?? 40);

const silent = (output: string): boolean => output === '';

const cases = async (): Promise<{ all: BenchCase[]; close: () => void }> => {
  const small = await withGateway('small', 10, 1, 60_000);
  const large = await withGateway('large', 10_000, 1, 60_000);
  const long = await withGateway('long', 10, 100, 60_000);
  const asking = await withGateway('asking', 10, 1, 0);
  const drifted = await withGateway('drifted', 10, 1, 60_000);
  const all = [small, large, long, asking, drifted];
  const profile = (from: typeof small) => from.call('get_profile', { user_id: 'u_42' }, silent);
  for (const one of all) await run({ name: '', ...profile(one) });
  drifted.gateway.set(AFTER_VERSION, manyTools(10, AFTER));
  fs.rmSync(join(drifted.home, 'state/live'), { recursive: true });

  const list: BenchCase[] = [
    { name: 'bare node -e ""', command: process.execPath, args: ['-e', ''], env: clean, input: '', expect: silent },
    { name: 'unchanged, 10 tools, 1 MB transcript', goal: 1.12, ...profile(small) },
    { name: 'unchanged, 10,000 tools', goal: 1.12, ...profile(large) },
    { name: 'unchanged, 100 MB transcript', goal: 1.12, ...profile(long) },
    { name: 'unchanged, one request answered 304', goal: 2.5, ...profile(asking) },
    {
      name: 'drifted, full diff and verdict',
      goal: 3,
      ...drifted.call('create_export', { dataset: 'ds_7' }, (output) => output.includes('"deny"')),
    },
    {
      name: 'SessionStart, one gateway',
      goal: 2,
      ...asking.start('bench2', silent),
    },
  ];
  const ends: (() => void)[] = [];
  const guard = await resident({ after: (end) => void ends.push(end as () => void) }, small.env);
  const { goal: _none, ...same } = list[1] as BenchCase;
  const ask = async (): Promise<string> => JSON.stringify(await guard.hook(JSON.parse(same.input) as JsonObject)) ?? '';
  list.push({ ...same, ask, name: 'unchanged, 10 tools, asked of the resident guard' });
  const input = JSON.stringify(preToolUse('bench', asking.home, 'get_profile', { user_id: 'u_42' }));
  const rival = (name: string, command: string, script: string) =>
    list.push({
      name,
      command,
      args: [resolve('scripts/dev/bench', script)],
      env: asking.env,
      input,
      expect: () => true,
    });
  if ((await which('curl', { nothrow: true })) && (await which('jq', { nothrow: true })))
    rival('the same check in sh (curl, jq)', 'sh', 'check.sh');
  const python = await which('python3', { nothrow: true });
  if (python) rival('the same check in Python', python, 'check.py');
  const close = (): void => {
    for (const { gateway } of all) gateway.close();
    for (const end of ends) end();
  };
  return { all: list, close };
};

const shuffled = <T>(list: readonly T[]): T[] =>
  list
    .map((one) => ({ one, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);

/** Times calls and a session's start, each in a separate process; returns the time of a bare Node, in ms. */
const callRows = async (): Promise<number> => {
  const gateways = await cases();
  const servers = await serverCases();
  const all = [...gateways.all, ...servers.cases];
  const times = new Map(all.map((one) => [one, [] as number[]]));
  // In rounds, so that other load on the machine affects all cases alike; and what runs after a short case is faster.
  for (let round = 0; round < ROUNDS; round++) {
    for (const one of shuffled(all)) {
      const { ms, output } = await run(one);
      if (!one.expect(output)) throw new Error(`${one.name}: unexpected output ${output.slice(0, 200)}`);
      times.get(one)?.push(ms);
      await sleep(5);
    }
  }
  const [bare, unchanged] = all as [BenchCase, BenchCase];
  const base = median(times.get(bare) ?? []);
  console.log(
    `Node ${process.version}, ${cpus()[0]?.model.trim()} × ${cpus().length}, ${process.platform} ${release()}, medians of ${ROUNDS} runs\n`,
  );
  console.log('| what | ms | × bare Node | goal |\n|---|---|---|---|');
  for (const one of all) {
    const ms = median(times.get(one) ?? []);
    console.log(
      `| ${one.name} | ${ms.toFixed(1)} | ${(ms / base).toFixed(2)} | ${one.goal === undefined ? '' : `≤ ${one.goal}`} |`,
    );
  }
  const [free, used] = [await peak(bare), await peak(unchanged)];
  console.log(`| peak memory, unchanged | ${(used / 1024).toFixed(1)} MiB | ${(used / free).toFixed(2)} | ≤ 1.2 |`);
  await startRows(base);
  gateways.close();
  servers.close();
  return base;
};

/** How long a bare Node takes, in ms. */
const bareNode = async (): Promise<number> => {
  const times: number[] = [];
  const bare = { name: '', command: process.execPath, args: ['-e', ''], env: clean, input: '', expect: silent };
  for (let round = 0; round < ROUNDS; round++) times.push((await run(bare)).ms);
  return median(times);
};

/** What `npm run bench -- NAME` measures; without a name, all but those that take very long. */
const parts: Record<string, (base: number) => Promise<unknown>> = {
  diff: diffRows,
  commands: commandRows,
  wrap: wrapRows,
  events: eventsRows,
  rivals: async () => rivalRows(),
  memory: memoryRows,
  client: clientRows,
  plots,
  machines: machinesRows,
  thinking: () => thinkingRows().finally(removeSandboxes),
};

const LONG = new Set(['machines', 'thinking']);

const main = async (): Promise<void> => {
  const { 2: name } = process.argv;
  if (name === 'calls') return void (await callRows());
  if (name !== undefined) {
    const part = parts[name];
    if (part === undefined) throw new Error(`there is calls, ${Object.keys(parts).join(', ')}, and no ${name}`);
    await part(await bareNode());
    return;
  }
  const base = await callRows();
  for (const [each, part] of Object.entries(parts)) if (!LONG.has(each)) await part(base);
};

main()
  .catch((error) => {
    console.error(error);
    process.exitCode = 1;
  })
  .finally(() => fs.rmSync(folder, { recursive: true, force: true }));
