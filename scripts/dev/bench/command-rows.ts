import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contract, JsonObject } from '../../contract/types.ts';
import { startGateway } from '../../demo/loopback.ts';
import { type BenchCase, clean, dist, folder, median, run } from './run.ts';

const TOOLS = 1_000;
const FLAGS = ['target', 'region', 'force', 'limit', 'format'];

const tool = (index: number): JsonObject => ({
  name: `deploy_${index}`,
  description: 'Deploys a build.',
  annotations: { readOnlyHint: false },
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(FLAGS.map((flag) => [flag, { type: flag === 'limit' ? 'integer' : 'string' }])),
    required: ['target'],
  },
});

const command = (): JsonObject => ({
  flags: Object.fromEntries(
    FLAGS.map((flag) => [flag, { type: flag === 'limit' ? 'integer' : 'string', required: flag === 'target' }]),
  ),
});

/** Commands on a thousand tools, and the start of any command. */
export const commandRows = async (base: number): Promise<void> => {
  const numbers = Array.from({ length: TOOLS }, (_none, index) => index);
  const [tools, manifest] = [join(folder, 'tools.json'), join(folder, 'manifest.json')];
  writeFileSync(tools, JSON.stringify({ tools: numbers.map(tool) }));
  const commands = Object.fromEntries(numbers.map((index) => [`deploy.${index}`, command()]));
  writeFileSync(manifest, JSON.stringify({ commands }));
  const cli = (name: string, ...args: string[]): BenchCase => ({
    name: `${name}, ${TOOLS.toLocaleString('en')} tools`,
    command: process.execPath,
    args: [join(dist, 'cli.cjs'), name, ...args],
    env: clean,
    input: '',
    expect: () => true,
  });
  // A project whose gateway is pinned.
  const gateway = await startGateway('1', numbers.map(tool) as unknown as Contract[]);
  const project = join(folder, 'pinned');
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, '.mcp.json'), '{}');
  const pinned = (name: string, ...args: string[]): BenchCase => ({
    ...cli(name, ...args),
    cwd: project,
    env: { ...clean, HOME: join(folder, 'pinned-home'), GATEWAY_URL: gateway.url },
  });
  await run(pinned('pin'));
  console.log('\n| command | ms | × bare Node |\n|---|---|---|');
  const rows = [
    { ...cli('--version'), name: '--version' },
    cli('lint', tools),
    cli('mcp-validate', '--manifest', manifest, '--mcp-schema-file', tools),
    { ...pinned('verify'), name: `verify, ${TOOLS.toLocaleString('en')} unchanged tools` },
  ];
  for (const one of rows) {
    const times: number[] = [];
    for (let round = 0; round < 7; round++) times.push((await run(one)).ms);
    console.log(`| ${one.name} | ${median(times).toFixed(0)} | ${(median(times) / base).toFixed(1)} |`);
  }
  gateway.close();
};
