// The requirement REQ-O-035, "tool mcp-validate Built-In Command", section by section.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { runProgram } from './sandbox.ts';

const folder = mkdtempSync(join(tmpdir(), 'kwg-document-3-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

/** The CLI and the wrapper that the document's own example is about. */
const CLI = {
  commands: {
    deploy: { flags: {}, output_schema: { type: 'object', properties: { url: { type: 'string' } } } },
    delete: { flags: {} },
  },
};
const NULL_URL = { type: 'object', properties: { url: { type: 'null' } } };
const WRAPPER = { tools: [{ name: 'deploy', inputSchema: { type: 'object' }, outputSchema: NULL_URL }] };
const PRINTED = {
  added: [],
  removed: [],
  changed: [{ command: 'deploy', field: 'data.url', cli_type: 'string', mcp_type: 'null' }],
  missing_from_mcp: ['delete'],
};

write('mcp.json', WRAPPER);
write('manifest.json', CLI);

const run = (...args: string[]) =>
  runProgram(process.execPath, [resolve('dist/cli.cjs'), 'mcp-validate', ...args], {
    cwd: folder,
    env: { HOME: folder, KONNICHIWAGWAN_HOME: join(folder, 'state') },
  });

describe('Wire Format: --output json', () => {
  const SIDES = ['--manifest', 'manifest.json', '--mcp-schema-file', 'mcp.json'];

  for (const words of [['--output', 'json'], ['--output=json'], ['-o', 'json'], ['--json', '--output', 'json']]) {
    it(`${words.join(' ')} prints the envelope, and writes no file`, async () => {
      const { code, stdout, stderr } = await run(...SIDES, ...words);
      assert.deepEqual([code, stderr], [1, '']);
      const { ok, data, error, warnings, meta } = JSON.parse(stdout);
      assert.deepEqual(
        { ok, data, error, warnings },
        { ok: false, data: { drift: PRINTED }, error: null, warnings: [] },
      );
      assert.ok(meta.duration_ms >= 0);
      assert.ok(!existsSync(join(folder, 'json')));
    });
  }

  it('an error is told in the envelope, too', async () => {
    for (const words of [['--manifest', 'gone.json', '--mcp-schema-file', 'mcp.json'], ['--no-such-option']]) {
      const { code, stdout, stderr } = await run(...words, '--output', 'json');
      assert.deepEqual([code, stderr], [2, '']);
      assert.notEqual(JSON.parse(stdout).error, null);
    }
  });

  it('--output text is what is printed without it', async () => {
    const [plain, text] = [await run(...SIDES), await run(...SIDES, '--output', 'text')];
    assert.deepEqual([text.code, text.stdout], [1, plain.stdout]);
    assert.match(text.stdout, /delete/);
    assert.ok(!existsSync(join(folder, 'text')));
  });

  it('anything else is a file, as is ./json', async () => {
    for (const name of ['report.txt', './json']) {
      const { code, stdout } = await run(...SIDES, '--output', name);
      assert.equal(code, 1);
      assert.match(stdout, /written to/);
      assert.match(readFileSync(join(folder, name), 'utf8'), /delete/);
    }
    rmSync(join(folder, 'json'));
  });

  it('two formats at once are a mistake, and no guess', async () => {
    for (const words of [
      ['--output', 'json', '--format', 'sarif'],
      ['--output', 'text', '--json'],
    ]) {
      const { code, stdout, stderr } = await run(...SIDES, ...words);
      assert.equal(code, 2);
      assert.match(stdout + stderr, /both name a format/);
    }
  });
});
