import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../contract/types.ts';
import { type Case, clean, dist, folder, median, run } from './run.ts';

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

/** The commands for those who write servers, on a thousand tools. */
export const commandRows = async (base: number): Promise<void> => {
  const numbers = Array.from({ length: TOOLS }, (_none, index) => index);
  const [tools, manifest] = [join(folder, 'tools.json'), join(folder, 'manifest.json')];
  writeFileSync(tools, JSON.stringify({ tools: numbers.map(tool) }));
  const commands = Object.fromEntries(numbers.map((index) => [`deploy.${index}`, command()]));
  writeFileSync(manifest, JSON.stringify({ commands }));
  const cli = (name: string, ...args: string[]): Case => ({
    name: `${name}, ${TOOLS.toLocaleString('en')} tools`,
    command: process.execPath,
    args: [join(dist, 'cli.cjs'), name, ...args],
    env: clean,
    input: '',
    expect: () => true,
  });
  console.log('\n| command | ms | × bare Node |\n|---|---|---|');
  const rows = [cli('lint', tools), cli('mcp-validate', '--manifest', manifest, '--mcp-schema-file', tools)];
  for (const one of rows) {
    const times: number[] = [];
    for (let round = 0; round < 7; round++) times.push((await run(one)).ms);
    console.log(`| ${one.name} | ${median(times).toFixed(0)} | ${(median(times) / base).toFixed(1)} |`);
  }
};
