// The lists that a wrapped server keeps with --record.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { remove } from '../scripts/state/in-use.ts';
import { ListRecord } from '../scripts/wrap/record.ts';
import { errorsDuring } from './own-process.ts';

describe('a record of lists', () => {
  const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-record-'));
  after(() => remove(folder));
  const list = (...names: string[]) => names.map((name) => ({ name, inputSchema: { type: 'object' } }));
  const linesIn = (path: string): Record<string, unknown>[] =>
    readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('has a line for each list that differs from the one before, also of an earlier process', () => {
    const path = join(folder, 'a.jsonl');
    const first = new ListRecord(path, 'files');
    for (const tools of [list('a'), list('a'), list('a', 'b'), list('a')]) first.add(tools);
    const second = new ListRecord(path, undefined);
    for (const tools of [list('a'), list('b')]) second.add(tools);
    const lines = linesIn(path);
    assert.deepEqual(
      lines.map(({ server, tools }) => [server, (tools as { name: string }[]).map(({ name }) => name).join()]),
      [
        ['files', 'a'],
        ['files', 'a,b'],
        ['files', 'a'],
        [undefined, 'b'],
      ],
    );
    assert.ok(lines.every(({ at }) => Math.abs(Date.parse(String(at)) - Date.now()) < 60_000));
  });

  it('loses its older half where it gets too large', () => {
    const path = join(folder, 'b.jsonl');
    const line = (index: number): string =>
      `${JSON.stringify({ at: '2026-01-01T00:00:00.000Z', tools: [{ name: `t${index}`, description: 'x'.repeat(1_600_000) }] })}\n`;
    writeFileSync(path, [1, 2, 3, 4, 5].map(line).join(''));
    new ListRecord(path, undefined).add([{ name: 't6', description: 'y'.repeat(500_000) }]);
    assert.deepEqual(
      linesIn(path).map(({ tools }) => (tools as { name: string }[])[0]?.name),
      ['t4', 't5', 't6'],
    );
  });

  it('that cannot be written says so once, and its owner goes on', () => {
    const path = join(folder, 'c.jsonl');
    mkdirSync(path);
    const said = errorsDuring(() => {
      const record = new ListRecord(path, 'files');
      for (const name of ['a', 'b']) record.add(list(name));
      const other = new ListRecord(join(folder, 'd.jsonl'), 'files');
      other.add([{ name: 'large', description: '€'.repeat(3_000_000) }]);
      other.add(list('a'));
    });
    const [first, second, ...more] = said.split('\n');
    assert.equal(first, 'konnichiwagwan: what is served cannot be recorded: it is no file');
    assert.match(second ?? '', /the list is too large/);
    assert.deepEqual(more, ['']);
    assert.ok(linesIn(join(folder, 'd.jsonl')).every((line) => Array.isArray(line.tools)));
  });
});
