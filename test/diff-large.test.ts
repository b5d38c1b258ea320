// Files that a person names may be larger than a server's answer: more than 16 MiB, more than 20,000 tools.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { LIMITS } from '../scripts/contract/read.ts';
import { drive, sandbox } from './sandbox.ts';

const listOf = (count: number, description: string, type: string): string =>
  JSON.stringify({
    tools: Array.from({ length: count }, (_, at) => ({
      name: `tool_${at}`,
      description: at === count - 1 ? 'The last.' : description,
      inputSchema: { type: 'object', properties: { id: { type: at === count - 1 ? type : 'string' } } },
    })),
  });

const compare = async (test: TestContext, count: number, description: string) => {
  const { env, home } = await sandbox(test, []);
  const [before, after] = [listOf(count, description, 'string'), listOf(count, description, 'integer')];
  const [old, now] = [join(home, 'old.json'), join(home, 'now.json')];
  writeFileSync(old, before);
  writeFileSync(now, after);
  const { answer, code } = await drive('cli.cjs', null, env, ['diff', old, now, '--json']);
  const changes = answer.data.changes.map(({ tool, rule }: { tool: string; rule: string }) => `${tool} ${rule}`);
  return { code, changes, bytes: before.length, hash: await drive('cli.cjs', null, env, ['hash', old], true) };
};

it('diff compares files of more than 16 MiB', async (test) => {
  const { code, changes, bytes, hash } = await compare(test, 6_000, 'words '.repeat(550));
  assert.ok(bytes > LIMITS.bytes, `${bytes} bytes`);
  assert.deepEqual([code, changes], [1, ['tool_5999 input-property-type-changed']]);
  assert.match(hash.stderr, /larger than/, 'what stands for an answer keeps its limit');
});

it('diff compares more than 20,000 tools', async (test) => {
  const { code, changes } = await compare(test, LIMITS.tools + 10, 'x');
  assert.deepEqual([code, changes], [1, [`tool_${LIMITS.tools + 9} input-property-type-changed`]]);
});
