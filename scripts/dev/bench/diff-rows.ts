import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fs } from 'zx';
import { readToolList } from '../../contract/read.ts';
import type { Contract, JsonObject } from '../../contract/types.ts';
import { diffLists } from '../../diff/diff-lists.ts';
import { clean, dist, folder, median, REAL, run } from './run.ts';

const read = (file: string): Contract[] => readToolList(JSON.parse(fs.readFileSync(file, 'utf8'))).tools;

/** Every tool that differs between two versions of one real server, once for each such pair of contracts. */
export const realChanges = (): [Contract, Contract][] => {
  const captures = join(REAL, '..');
  const pairs = new Map<string, [Contract, Contract]>();
  for (const server of readdirSync(captures).sort()) {
    const files = readdirSync(join(captures, server)).filter((file) => file.endsWith('.json'));
    const lists = files.sort().map((file) => read(join(captures, server, file)));
    for (const [index, before] of lists.entries()) {
      for (const after of lists.slice(index + 1)) {
        for (const old of before) {
          const now = after.find(({ name }) => name === old.name);
          const text = JSON.stringify([old, now]);
          if (now !== undefined && JSON.stringify(old) !== JSON.stringify(now)) pairs.set(text, [old, now]);
        }
      }
    }
  }
  return [...pairs.values()];
};

/** Two lists of `count` tools, in which every tool changed as a real one did. */
export const changedTools = (count: number, real: [Contract, Contract][]): [Contract[], Contract[]] => {
  const pairs = Array.from({ length: count }, (_, index) => {
    const [old, now] = real[Math.floor((index * real.length) / count) % real.length] as [Contract, Contract];
    const name = `tool_${index}`;
    return [
      { ...old, name },
      { ...now, name },
    ] as const;
  });
  return [pairs.map(([old]) => old), pairs.map(([, now]) => now)];
};

/** Lists of `count` tools with two parameters. Of every four, one gets a parameter, one a default, one new words. */
const smallTools = (count: number): [Contract[], Contract[]] => {
  const one = (index: number, properties: JsonObject = {}, words = ''): Contract => ({
    name: `tool_${index}`,
    description: `Does thing ${index}${words}.`,
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string' }, limit: { type: 'integer', default: 10 }, ...properties },
      required: ['id'],
    },
  });
  const changes = [
    (index: number) => one(index, { note: { type: 'string' } }),
    (index: number) => one(index, { limit: { type: 'integer', default: 20 } }),
    (index: number) => one(index, {}, ' now'),
    one,
  ];
  const numbers = Array.from({ length: count }, (_none, index) => index);
  return [numbers.map((index) => one(index)), numbers.map((index) => (changes[index % 4] ?? one)(index))];
};

/** The diff only, in this process and as a command. */
export const diffRows = async (base: number): Promise<void> => {
  if (!fs.existsSync(REAL)) return;
  console.log('\n| diff | in process, ms | whole command, ms | × bare Node |\n|---|---|---|---|');
  const write = (name: string, tools: Contract[]): string => {
    writeFileSync(join(folder, name), JSON.stringify({ tools }));
    return join(folder, name);
  };
  const real = realChanges();
  const inputs: [string, string, string][] = [1_000, 10_000].map((count) => {
    const [before, after] = changedTools(count, real);
    return [
      `${count.toLocaleString('en')} tools, changed as real ones did`,
      write(`${count}a`, before),
      write(`${count}b`, after),
    ];
  });
  const [before, after] = smallTools(10_000);
  inputs.push(['10,000 small tools, three of four changed', write('small-a', before), write('small-b', after)]);
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
