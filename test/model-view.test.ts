import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { modelView, readTranscript, wasGranted } from '../scripts/transcript/model-view.ts';
import { sandbox } from './sandbox.ts';

describe('what the model sees', () => {
  it('is unknown while the transcript is not read to its end: a newer list may follow', async (test) => {
    const { home } = await sandbox(test, []);
    const path = join(home, 'transcript.jsonl');
    const tools = [{ name: 'mcp__demo__search', input_schema: { type: 'object' } }];
    const line = JSON.stringify({ type: 'attachment', attachment: { tools } });
    writeFileSync(path, `${line}\n`);
    const attachments: [number, number][] = [[0, line.length]];
    const index = { path, offset: line.length + 1, shapes: {}, attachments };
    assert.deepEqual([...modelView(index).tools.keys()], ['mcp__demo__search']);
    assert.equal(modelView({ ...index, behind: {} }).tools.size, 0);
  });

  it('is what the newest fifty attachments show, where the client writes no shapes', async (test) => {
    const { home } = await sandbox(test, []);
    const path = join(home, 'transcript.jsonl');
    const shown = (name: string) => ({ name: `mcp__demo__${name}`, input_schema: { type: 'object' } });
    const lines = Array.from({ length: 52 }, (_, index) => {
      const attachment = { type: 'deferred_tools_record', entries: [shown(`t${index}`)] };
      return `${JSON.stringify({ type: 'attachment', attachment })}\n`;
    });
    writeFileSync(path, lines.slice(0, 40).join(''));
    const begun = readTranscript(path) ?? assert.fail();
    writeFileSync(path, lines.join(''));
    for (const index of [readTranscript(path), readTranscript(path, begun)]) {
      const names = [...modelView(index).tools.keys()];
      assert.deepEqual([names.length, names[0], names.at(-1)], [50, 'mcp__demo__t2', 'mcp__demo__t51']);
    }
  });
});

describe('a call that a person was asked about', () => {
  const result = (id: string, more: object = {}) => ({ type: 'tool_result', tool_use_id: id, content: 'x', ...more });
  const record = (...content: object[]): string => `${JSON.stringify({ type: 'user', message: { content } })}\n`;

  it('was granted where it has a result; a no is a result that is an error', async (test) => {
    const { home } = await sandbox(test, []);
    const path = join(home, 'transcript.jsonl');
    const earlier = record(result('early'));
    const text = record(result('no', { is_error: true }), result('yes')) + record({ type: 'text', text: 'asked' });
    writeFileSync(path, earlier + text + record({ type: 'tool_use', id: 'open', input: {} }));
    const granted = (id: string) => wasGranted(path, earlier.length, id);
    assert.deepEqual(['yes', 'no', 'open', 'early', ''].map(granted), [true, false, false, false, false]);
  });
});
