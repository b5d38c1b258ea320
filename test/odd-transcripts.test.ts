// Full tier: huge transcripts.
// Transcripts that are not files, are far too large, or change while they are read: then they do not show what the model
// sees, and the guard decides in time by what else it knows.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { modelView } from '../scripts/transcript/model-view.ts';
import { readTranscript, type TranscriptIndex } from '../scripts/transcript/transcript-index.ts';
import { sandbox, slownessOf, tool } from './sandbox.ts';

const OLD = tool('weather', { city: { type: 'string' } }, { required: ['city'] });
const NEW = tool('weather', { city: { type: 'string' }, units: { enum: ['c', 'f'] } }, { required: ['city', 'units'] });
const CLIENT_NAME = 'mcp__demo__weather';
const MB = 1024 * 1024;
/** Judging a call takes a fraction of this; unbounded reading takes much more. */
const IN_TIME = 2_500;

const filler = (bytes: number): string =>
  `${JSON.stringify({ type: 'user', message: { content: 'x'.repeat(9_900) } })}\n`.repeat(Math.ceil(bytes / 9_940));

const started = async (test: TestContext) => {
  const box = await sandbox(test, [OLD]);
  await box.start();
  box.show([OLD], 'aaa1');
  return box;
};

/** Reads until everything was read: on a busy machine one attempt may not be enough. */
const readWhole = (path: string, known?: TranscriptIndex): TranscriptIndex | null => {
  let index = readTranscript(path, known);
  for (let looks = 0; index?.behind && looks < 2_000; looks++) index = readTranscript(path, index);
  return index;
};

const schemaIn = (index: TranscriptIndex | null) => modelView(index).tools.get(CLIENT_NAME)?.inputSchema;

const ODD: [string, (path: string, home: string) => void][] = [
  ['a folder', (path) => mkdirSync(path)],
  ['a named pipe', (path) => execFileSync('mkfifo', [path])],
  ['a link to an endless device', (path) => symlinkSync('/dev/zero', path)],
  ['a link to itself', (path) => symlinkSync(path, path)],
  ['8 GB in one line', (path) => execFileSync('truncate', ['-s', '8G', path])],
];

describe('a transcript that cannot be read', { skip: process.platform === 'win32' && 'made with mkfifo' }, () => {
  for (const [name, make] of ODD) {
    it(`${name}: the baseline decides, in time`, async (test) => {
      const box = await started(test);
      assert.equal((await box.call('weather', { city: 'Rabat' })).stdout, '');
      rmSync(box.transcript);
      make(box.transcript, box.home);
      box.release([NEW]);
      for (const _look of [1, 2]) {
        const slowness = slownessOf();
        const since = performance.now();
        const { answer, stderr, code } = await box.call('weather', { city: 'Rabat' });
        const took = performance.now() - since;
        assert.ok(took < IN_TIME * slowness(), `${Math.round(took)} ms`);
        assert.deepEqual([stderr, code, answer.hookSpecificOutput.permissionDecision], ['', 0, 'deny']);
      }
      const failed = await box.fail('weather', { city: 'Rabat' }, 'MCP error -32602: invalid arguments');
      assert.match(failed.answer.hookSpecificOutput.additionalContext, /looks like drift/);
    });
  }

  it('8 GB after what the model saw: nobody takes that for what it still sees', async (test) => {
    const box = await started(test);
    truncateSync(box.transcript, 8 * 1024 * MB);
    const index = readTranscript(box.transcript);
    assert.deepEqual([index?.behind, index?.current, schemaIn(index)], [{ shape: 'aaa1' }, undefined, undefined]);
  });
});

describe('a transcript that is too much for one look', () => {
  it('is read on by the next looks, and tells what the model sees when all of it was read', async (test) => {
    const box = await started(test);
    truncateSync(box.transcript, 12 * 1024 * MB);
    appendFileSync(box.transcript, '\n');
    box.show([NEW], 'bbb1');
    let index = readTranscript(box.transcript);
    assert.ok(index?.behind);
    for (let looks = 0; index?.behind && looks < 2_000; looks++) {
      assert.equal(schemaIn(index), undefined, 'half a transcript tells nothing');
      const on = readTranscript(box.transcript, JSON.parse(JSON.stringify(index)));
      assert.ok(on && on.offset > index.offset, 'each look goes on');
      index = on;
    }
    assert.deepEqual(schemaIn(index), NEW.inputSchema);
  });

  it('a line is never held in memory: what stands behind one of 40 MB counts', async (test) => {
    const box = await started(test);
    appendFileSync(box.transcript, `{"type":"user","content":"${'x'.repeat(40 * MB)}"}\n`);
    assert.deepEqual(schemaIn(readWhole(box.transcript)), OLD.inputSchema);
    box.show([NEW], 'bbb1');
    assert.deepEqual(schemaIn(readWhole(box.transcript)), NEW.inputSchema);
  });

  it('a shape that is too long to be read is not replaced by what an older attachment says', async (test) => {
    const box = await started(test);
    const attached = { name: CLIENT_NAME, input_schema: OLD.inputSchema };
    appendFileSync(
      box.transcript,
      `{"type":"attachment","attachment":{"type":"prompt_snapshot","tools":[${JSON.stringify(attached)}]}}\n` +
        `{"type":"api-request-shape","shapeHash":"ccc1","shape":{"system":["${'x'.repeat(20 * MB)}"],"tools":[]}}\n` +
        '{"type":"api-request","querySource":"sdk","shapeHash":"ccc1"}\n',
    );
    assert.equal(modelView(readWhole(box.transcript)).tools.size, 0);
  });
});

describe('a transcript that changes', () => {
  it('cut off and written again with more in it, it is read from its beginning', async (test) => {
    const box = await started(test);
    const index = readWhole(box.transcript);
    rmSync(box.transcript);
    appendFileSync(box.transcript, filler(50_000));
    box.show([NEW], 'bbb1');
    assert.deepEqual(schemaIn(readWhole(box.transcript, index ?? undefined)), NEW.inputSchema);
  });

  it('cut off while the index still points behind its end, it tells nothing', async (test) => {
    const box = await started(test);
    const index = readWhole(box.transcript);
    truncateSync(box.transcript, 20);
    assert.equal(schemaIn(index), undefined);
    assert.equal(schemaIn(readWhole(box.transcript, index ?? undefined)), undefined);
  });

  it('a shape called __proto__ and 100,000 shapes are shapes like any other', async (test) => {
    const box = await started(test);
    box.show([NEW], '__proto__');
    const known = readWhole(box.transcript);
    assert.deepEqual(schemaIn(JSON.parse(JSON.stringify(known))), NEW.inputSchema);
    const shape = (hash: number) => `{"type":"api-request-shape","shapeHash":"x${hash}","shape":{"tools":[]}}\n`;
    appendFileSync(box.transcript, Array.from({ length: 100_000 }, (_, index) => shape(index)).join(''));
    box.show([NEW], 'bbb1');
    const index = readWhole(box.transcript, JSON.parse(JSON.stringify(known)));
    assert.deepEqual(schemaIn(index), NEW.inputSchema);
    assert.ok(Object.keys(index?.shapes ?? {}).length <= 1_000);
    box.release([NEW]);
    for (const _look of [1, 2]) assert.equal((await box.call('weather', { city: 'x', units: 'c' })).stderr, '');
  });

  it('a schema nested 100,000 levels deep in it crashes nothing', async (test) => {
    const box = await started(test);
    const deep = `${'{"items":'.repeat(100_000)}{}${'}'.repeat(100_000)}`;
    appendFileSync(
      box.transcript,
      `{"type":"api-request-shape","shapeHash":"ddd1","shape":{"tools":[{"name":"${CLIENT_NAME}","input_schema":${deep}}]}}\n` +
        '{"type":"api-request","querySource":"sdk","shapeHash":"ddd1"}\n',
    );
    box.release([NEW]);
    const { answer, stderr } = await box.call('weather', { city: 'Rabat' });
    assert.deepEqual([stderr, answer.hookSpecificOutput.permissionDecision], ['', 'deny']);
  });
});

describe('a file of the state folder that is none', {
  skip: process.platform === 'win32' && 'made with mkfifo',
}, () => {
  it('a pipe in the place of a baseline or a memo keeps no hook waiting', async (test) => {
    const box = await started(test);
    await box.call('weather', { city: 'Rabat' });
    box.release([NEW]);
    const files = execFileSync('find', [box.state, '-name', '*.json', '-not', '-name', 'config.json'], {
      encoding: 'utf8',
    });
    const paths = files.trim().split('\n');
    assert.ok(paths.length >= 4 && paths.every((path) => readFileSync(path, 'utf8').startsWith('{')));
    for (const path of paths) {
      rmSync(path);
      execFileSync('mkfifo', [path]);
    }
    const slowness = slownessOf();
    const since = performance.now();
    const { answer, stderr, code } = await box.call('weather', { city: 'Rabat' });
    const took = performance.now() - since;
    assert.ok(took < IN_TIME * slowness(), `${Math.round(took)} ms`);
    assert.deepEqual([stderr, code, answer.hookSpecificOutput.permissionDecision], ['', 0, 'deny']);
  });
});
