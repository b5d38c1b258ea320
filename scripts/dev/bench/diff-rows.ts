import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fs } from 'zx';
import { readToolList } from '../../contract/read.ts';
import type { Contract } from '../../contract/types.ts';
import { diffLists } from '../../diff/diff.ts';
import { clean, dist, folder, median, REAL, run } from './run.ts';

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

/** The diff only, in this process and as a command. */
export const diffRows = async (base: number): Promise<void> => {
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
