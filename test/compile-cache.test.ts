import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { COMPILED } from '../scripts/state/compile-cache.ts';
import { remove } from '../scripts/state/in-use.ts';
import { copyPrograms, runProgram } from './run-program.ts';

/** A copy of the built programs, whose `diff` runs in processes of its own. */
const programs = (test: TestContext, folder = 'dist') => {
  const root = mkdtempSync(join(tmpdir(), 'compiled-'));
  test.after(() => remove(root));
  const dist = join(root, folder);
  copyPrograms(dist);
  writeFileSync(join(root, 'a.json'), '{"tools":[{"name":"a","description":"Waits.","inputSchema":{}}]}');
  writeFileSync(join(root, 'b.json'), '{"tools":[{"name":"b","description":"Waits.","inputSchema":{}}]}');
  const compiled = join(dist, COMPILED);
  return {
    dist,
    compiled,
    diff: async (more: NodeJS.ProcessEnv = {}) => {
      const env = { HOME: root, ...more };
      const { pid: _, ...ran } = await runProgram(
        process.execPath,
        [join(dist, 'cli.cjs'), 'diff', 'a.json', 'b.json'],
        {
          env,
          cwd: root,
        },
      );
      return ran;
    },
    files: () => readdirSync(compiled, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
  };
};

describe('compiled programs', () => {
  it('are kept beside the programs, and give the same answer when they are used', async (test) => {
    const { compiled, diff, files } = programs(test);
    const first = await diff();
    assert.equal(first.code, 1, first.stderr);
    const kept = files().map(({ name }) => name);
    assert.ok(kept.length > 0);
    const read = () => files().map(({ name, parentPath }) => readFileSync(join(parentPath, name)));
    const before = read();
    assert.deepEqual(await diff(), first);
    assert.deepEqual(read(), before);
    // A file that was damaged is replaced, and not run: V8 would crash.
    for (const { name, parentPath } of files()) {
      const file = join(parentPath, name);
      const bytes = readFileSync(file);
      writeFileSync(file, bytes.fill(0xff, bytes.length / 4, bytes.length / 2));
    }
    const damaged = read();
    assert.deepEqual(await diff(), first);
    assert.notDeepEqual(read(), damaged);
    rmSync(compiled, { recursive: true });
    writeFileSync(compiled, 'a file, where the folder would be');
    assert.deepEqual(await diff(), first);
    assert.equal(readFileSync(compiled, 'utf8'), 'a file, where the folder would be');
  });

  it('are kept by a thread that is ended before its process', async (test) => {
    const { dist, files } = programs(test);
    const ended = `
      const { Worker } = require('node:worker_threads');
      const { readdirSync } = require('node:fs');
      const worker = new Worker(process.argv[1] + '/worker.cjs').on('message', () => {
        const end = setInterval(() => {
          try { readdirSync(process.argv[1] + '/${COMPILED}'); } catch { return; }
          clearInterval(end);
          setTimeout(() => worker.terminate(), 500);
        }, 20);
      });`;
    const { code, stderr } = await runProgram(process.execPath, ['-e', ended, dist], { cwd: dist, env: {} });
    assert.equal(code, 0, stderr);
    assert.ok(files().length > 0);
  });

  it('are not used for a program that changed, though it is as long as before', async (test) => {
    const { dist, diff } = programs(test);
    const first = await diff();
    const file = join(dist, 'diff.cjs');
    const source = readFileSync(file, 'utf8');
    const changed = source.replaceAll('the same contract', 'THE SAME CONTRACT');
    assert.notEqual(changed, source);
    writeFileSync(file, changed);
    const [second, third] = [await diff(), await diff()];
    assert.notEqual(second.stdout, first.stdout);
    assert.deepEqual(third, second);
  });

  it('are not kept in a project, nor where the user does not want it', async (test) => {
    for (const [folder, env] of [
      ['program', {}],
      ['dist', { NODE_DISABLE_COMPILE_CACHE: '1' }],
    ] as const) {
      const { dist, diff } = programs(test, folder);
      assert.equal((await diff(env)).code, 1);
      assert.ok(!readdirSync(dist).includes(COMPILED), folder);
    }
  });
});
