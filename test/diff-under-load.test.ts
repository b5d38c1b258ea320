// Full tier: burns all cores for some seconds.
// The output of `diff` depends only on the contracts, not on the load of the machine.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import type { JsonObject } from '../scripts/contract/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import { runProgram } from './sandbox.ts';

const text = { type: 'string' };
/** Tools of each kind that is compared differently: plain, with references, with runaway patterns, large. */
const schemaOf = (nth: number, now: boolean): JsonObject => {
  const kind = nth % 4;
  const extra = now ? { [`added_${nth}`]: text } : {};
  if (kind === 1)
    return {
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, ...(now ? { at: text } : {}) } } },
      properties: { root: { $ref: '#/$defs/node' }, ...extra },
    };
  if (kind === 2) return { properties: { key: { type: 'string', pattern: now ? '^(a+)+b$' : '^(a|b)*$' }, ...extra } };
  if (kind === 3 && nth % 40 === 3)
    return {
      properties: { ...Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`p${at}`, text])), ...extra },
    };
  return { properties: { a: now ? { type: 'integer' } : text, ...extra }, required: now ? [] : ['a'] };
};

it('diff prints the same on a machine that is busy with other things', async (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'kwg-load-'));
  test.after(() => remove(folder));
  const [before, after] = [false, true].map((now) => {
    const file = join(folder, `${now}.json`);
    const tools = Array.from({ length: 400 }, (_, nth) => ({
      name: `tool_${nth}`,
      inputSchema: { type: 'object', ...schemaOf(nth, now) },
    }));
    writeFileSync(file, JSON.stringify({ tools }));
    return file;
  });
  const diff = () =>
    runProgram(process.execPath, ['dist/cli.cjs', 'diff', '--json', before as string, after as string]);
  const printed = async (): Promise<unknown> => JSON.parse((await diff()).stdout).data;
  const quiet = await printed();
  const burning: ChildProcess[] = [];
  test.after(() => {
    for (const one of burning) one.kill('SIGKILL');
  });
  for (let nth = 0; nth < 3 * availableParallelism(); nth += 1)
    burning.push(spawn(process.execPath, ['-e', 'const end = Date.now() + 60_000; while (Date.now() < end);']));
  for (let round = 0; round < 3; round += 1) assert.deepEqual(await printed(), quiet);
});
