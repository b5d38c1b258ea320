// Full tier: sources that are huge, nested 20,000 deep, or too many.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { lintSources } from '../scripts/lint/source/lint-source.ts';
import { remove } from '../scripts/state/in-use.ts';

const base = mkdtempSync(join(tmpdir(), 'konnichiwagwan-hostile-source-'));
process.on('exit', () => remove(base));

/** A folder with these files. */
const folderOf = (files: Record<string, string>): string => {
  const folder = mkdtempSync(join(base, 'case-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
};

describe('hostile and odd files', () => {
  it('stops at 5,000 files', async () => {
    const folder = folderOf(Object.fromEntries(Array.from({ length: 5_001 }, (_, index) => [`${index}.ts`, ''])));
    const { problems } = await lintSources(['.'], folder);
    assert.deepEqual(problems, ['more than 5,000 files: the rest was not linted']);
  });

  const size = 60_000;
  const nested = (open: string, middle: string, close: string): string =>
    open.repeat(size / open.length) + middle + close.repeat(size / open.length);
  for (const [what, code] of [
    ['brackets', nested('[', '', ']')],
    ['calls', nested('f(', '', ')')],
    ['routes within routes', nested("app.post('/x', (req) => ", 'req.body.a', ')')],
    ['tools within tools', nested("server.tool('a_raw', (payload) => JSON.parse(payload, ", '1', '))')],
    ['tools as objects within objects', nested("({ name: 'a', inputSchema: ", '1', '})')],
    ['arrays spread into one another', `const a = [...b];\nconst b = [...a];\n${nested('[...a, ', '', ']')}`],
    ['names that mean each other', 'const a = b;\nconst b = a;\nserver.registerTool(a, b, a);\nfetch(a + b);'],
    ['chains', `post${'.post()'.repeat(size / 3)}`],
    ['chains of parsing', `server.tool('a_raw', (payload) => JSON${'.parse(payload)'.repeat(size / 15)})`],
    ['keys within keys', nested('({ [', '1', ']: 1 })')],
    ['declarations within declarations', nested('const a = f(() => { z.x; ', '', '});')],
    ['many fields', `app.post('/x', (req) => [${Array.from({ length: size / 12 }, (_, at) => `req.body.a${at}`)}])`],
    ['sums', `fetch(${'a+'.repeat(size / 2)}b)`],
    ['reserved names', "server.tool('__proto__', { constructor: z.number() }, { destructiveHint: true }, f);"],
  ] as const) {
    it(`${what}: an end within bounds`, { timeout: 60_000 }, async () => {
      const { findings, problems } = await lintSources(['.'], folderOf({ 'file.ts': code }));
      assert.ok(findings.length <= 10_000);
      assert.ok(problems.every((problem) => problem.length < 300));
    });
  }
});
