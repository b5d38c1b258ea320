import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { modelView } from '../scripts/transcript/model-view.ts';
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
});
