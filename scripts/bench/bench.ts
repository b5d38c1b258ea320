// Whole processes, as Claude Code starts them, beside a bare Node in the same run. Prints a table; asserts nothing.
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { join, resolve } from 'node:path';
import { fs, sleep, tmpdir, which } from 'zx';
import { readToolList } from '../contract/read.ts';
import type { Contract, JsonObject } from '../contract/types.ts';
import { preToolUse, sessionStart } from '../demo/hooks.ts';
import { startGateway } from '../demo/loopback.ts';
import { AFTER, AFTER_VERSION, BEFORE, BEFORE_VERSION } from '../demo/release.ts';
import { diffLists } from '../diff/diff.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 40);
const dist = resolve('dist');
const folder = tmpdir('konnichiwagwan-bench');

interface Case {
  name: string;
  /** What it should cost at most, as a multiple of a bare Node. */
  goal?: number;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  input: string;
  expect: (output: string) => boolean;
}

const run = ({ command, args, env, input }: Case): Promise<{ ms: number; output: string }> =>
  new Promise((done, failed) => {
    const start = process.hrtime.bigint();
    const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', failed);
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('close', () => done({ ms: Number(process.hrtime.bigint() - start) / 1e6, output }));
  });

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] as number;

const manyTools = (count: number, tools: Contract[]): Contract[] => [
  ...tools,
  ...Array.from({ length: count - tools.length }, (_, index) => ({ ...(tools[3] as Contract), name: `tool_${index}` })),
];

/** A transcript as the client writes it: the shape with the tools at first, then talk up to a size. */
const writeTranscript = (path: string, tools: Contract[], bytes: number): void => {
  const shown = tools.slice(0, 20).map(({ name, description, inputSchema }) => ({
    name: `mcp__demo__${name}`,
    description,
    input_schema: inputSchema,
  }));
  const request = `${JSON.stringify({ type: 'api-request', querySource: 'sdk', shapeHash: 'aaaa' })}\n`;
  const talk = `${JSON.stringify({ parentUuid: null, type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'x'.repeat(4_000) }] } })}\n`;
  writeFileSync(
    path,
    `${JSON.stringify({ type: 'api-request-shape', shapeHash: 'aaaa', shape: { tools: shown } })}\n${request}`,
  );
  const block = talk.repeat(256) + request;
  for (let size = 0; size < bytes; size += block.length) appendFileSync(path, block);
};

const clean: NodeJS.ProcessEnv = { PATH: process.env.PATH };

/** A session of its own: GATEWAY_URL is all the configuration, and `ttlMs` says how long its answers stay live. */
const prepare = async (name: string, count: number, megabytes: number, ttlMs: number) => {
  const home = join(folder, name);
  mkdirSync(join(home, 'state'), { recursive: true });
  const transcript = join(home, 'transcript.jsonl');
  const tools = manyTools(count, BEFORE);
  writeTranscript(transcript, tools, megabytes * 1024 * 1024);
  const gateway = await startGateway(BEFORE_VERSION, tools, ttlMs);
  const env = { ...clean, HOME: home, KONNICHIWAGWAN_HOME: join(home, 'state'), GATEWAY_URL: gateway.url };
  const node = (script: string, input: JsonObject, expect: Case['expect']): Omit<Case, 'name'> => ({
    command: process.execPath,
    args: [join(dist, `${script}.cjs`)],
    env,
    input: JSON.stringify({ ...input, transcript_path: transcript }),
    expect,
  });
  await run({ name: '', ...node('session-start', sessionStart('bench', home), () => true) });
  const call = (tool: string, args: JsonObject, expect: Case['expect']) =>
    node('guard', preToolUse('bench', home, tool, args), expect);
  return { home, env, gateway, call, node };
};

const silent = (output: string): boolean => output === '';

const cases = async (): Promise<{ all: Case[]; close: () => void }> => {
  const small = await prepare('small', 10, 1, 60_000);
  const large = await prepare('large', 10_000, 1, 60_000);
  const long = await prepare('long', 10, 100, 60_000);
  const asking = await prepare('asking', 10, 1, 0);
  const drifted = await prepare('drifted', 10, 1, 60_000);
  const all = [small, large, long, asking, drifted];
  const profile = (from: typeof small) => from.call('get_profile', { user_id: 'u_42' }, silent);
  for (const one of all) await run({ name: '', ...profile(one) });
  drifted.gateway.set(AFTER_VERSION, manyTools(10, AFTER));
  fs.rmSync(join(drifted.home, 'state/live'), { recursive: true });

  const list: Case[] = [
    { name: 'bare node -e ""', command: process.execPath, args: ['-e', ''], env: clean, input: '', expect: silent },
    { name: 'unchanged, 10 tools, 1 MB transcript', goal: 1.25, ...profile(small) },
    { name: 'unchanged, 10,000 tools', goal: 1.25, ...profile(large) },
    { name: 'unchanged, 100 MB transcript', goal: 1.25, ...profile(long) },
    { name: 'unchanged, one request answered 304', goal: 2.5, ...profile(asking) },
    {
      name: 'drifted, full diff and verdict',
      goal: 4,
      ...drifted.call('create_export', { dataset: 'ds_7' }, (output) => output.includes('"deny"')),
    },
    {
      name: 'SessionStart, one gateway',
      goal: 3,
      ...asking.node('session-start', sessionStart('bench2', asking.home), silent),
    },
  ];
  const input = JSON.stringify(preToolUse('bench', asking.home, 'get_profile', { user_id: 'u_42' }));
  const rival = (name: string, command: string, script: string) =>
    list.push({ name, command, args: [resolve('scripts/bench', script)], env: asking.env, input, expect: () => true });
  if ((await which('curl', { nothrow: true })) && (await which('jq', { nothrow: true })))
    rival('the same check in sh (curl, jq)', 'sh', 'check.sh');
  const python = await which('python3', { nothrow: true });
  if (python) rival('the same check in Python', python, 'check.py');
  return { all: list, close: () => all.map(({ gateway }) => gateway.close()) };
};

/** Two lists of tools in which every tool changed. */
const changedTools = (count: number): [Contract[], Contract[]] => {
  const make = (words: string): Contract[] =>
    Array.from({ length: count }, (_, index) => ({
      name: `tool_${index}`,
      description: words,
      inputSchema: { type: 'object', properties: { a: { type: 'string', description: words } }, required: ['a'] },
    }));
  return [make('one'), make('another')];
};

const REAL = resolve(process.env.KONNICHIWAGWAN_SHARED ?? '../shared', 'corpus/captures/@notionhq__notion-mcp-server');

/** The diff alone, in this process and as a command. */
const diffRows = async (base: number): Promise<void> => {
  console.log('\n| diff | in process, ms | whole command, ms | × bare Node |\n|---|---|---|---|');
  const read = (file: string) => readToolList(JSON.parse(fs.readFileSync(file, 'utf8'))).tools;
  const write = (name: string, tools: Contract[]): string => {
    writeFileSync(join(folder, name), JSON.stringify({ tools }));
    return join(folder, name);
  };
  const inputs: [string, string, string][] = [1_000, 10_000].map((count) => {
    const [before, after] = changedTools(count);
    return [`${count.toLocaleString('en')} tools, all changed`, write(`${count}a`, before), write(`${count}b`, after)];
  });
  if (fs.existsSync(REAL))
    inputs.unshift(['the largest real pair', join(REAL, '2.2.1.json'), join(REAL, '2.4.1.json')]);
  for (const [name, before, after] of inputs) {
    const inside: number[] = [];
    const whole: number[] = [];
    for (let round = 0; round < 7; round++) {
      const [old, now] = [read(before), read(after)];
      const start = performance.now();
      diffLists(old, now);
      inside.push(performance.now() - start);
      const args = [join(dist, 'cli.cjs'), 'diff', before, after];
      whole.push((await run({ name, command: process.execPath, args, env: clean, input: '', expect: () => true })).ms);
    }
    const command = median(whole);
    console.log(`| ${name} | ${median(inside).toFixed(1)} | ${command.toFixed(0)} | ${(command / base).toFixed(1)} |`);
  }
};

/** Two other differs, on the same pair in the same run, where they accept it. They are fetched for this alone. */
const rivalRows = (): void => {
  if (!fs.existsSync(REAL)) return;
  const home = join(folder, 'rivals');
  mkdirSync(home, { recursive: true });
  const packages = ['json-schema-diff', 'json-schema-diff-validator'];
  const installed = spawnSync('npm', [
    'install',
    '--prefix',
    home,
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    ...packages,
  ]);
  if (installed.status !== 0) {
    console.log('\nThe other differs could not be fetched.');
    return;
  }
  const script = `
    const list = (file) => new Map(JSON.parse(require('fs').readFileSync(file, 'utf8')).tools.map((tool) => [tool.name, tool.inputSchema]));
    const [name, before, after] = process.argv.slice(2);
    const rival = require(name);
    (async () => {
      const [old, now] = [list(before), list(after)];
      const start = performance.now();
      let refused = 0, pairs = 0;
      for (const [tool, schema] of old) {
        if (!now.has(tool)) continue;
        pairs++;
        try {
          if (name === 'json-schema-diff') await rival.diffSchemas({ sourceSchema: schema, destinationSchema: now.get(tool) });
          else rival.validateSchemas ? rival.validateSchemas(schema, now.get(tool)) : rival(schema, now.get(tool));
        } catch { refused++; }
        if (performance.now() - start > 60000) break;
      }
      console.log(JSON.stringify({ ms: performance.now() - start, refused, pairs }));
    })();`;
  writeFileSync(join(home, 'rival.cjs'), script);
  for (const name of packages) {
    const args = [join(home, 'rival.cjs'), name, join(REAL, '2.2.1.json'), join(REAL, '2.4.1.json')];
    const { stdout } = spawnSync(process.execPath, args, { env: clean, encoding: 'utf8', timeout: 90_000 });
    const { ms, refused, pairs } = JSON.parse(stdout || '{"ms":90000,"refused":0,"pairs":0}') as Record<string, number>;
    console.log(`| ${name}, the same pair | ${ms?.toFixed(1)} (refuses ${refused} of ${pairs} tools) | | |`);
  }
};

/** Peak resident memory of one run, in KiB: every Node process writes its own as it exits. */
const peak = async (one: Case): Promise<number> => {
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

const main = async (): Promise<void> => {
  const { all, close } = await cases();
  const times = new Map(all.map((one) => [one, [] as number[]]));
  // Round by round, so that whatever else the machine does hits all of them.
  for (let round = 0; round < ROUNDS; round++) {
    for (const one of all) {
      const { ms, output } = await run(one);
      if (!one.expect(output)) throw new Error(`${one.name}: unexpected output ${output.slice(0, 200)}`);
      times.get(one)?.push(ms);
      await sleep(5);
    }
  }
  const [bare, unchanged] = all as [Case, Case];
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
  await diffRows(base);
  rivalRows();
  close();
};

main()
  .catch((error) => {
    console.error(error);
    process.exitCode = 1;
  })
  .finally(() => fs.rmSync(folder, { recursive: true, force: true }));
