import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import { isPacked, pack } from '../scripts/install/packed.ts';
import { remove } from '../scripts/state/in-use.ts';

interface Metafile {
  outputs: Record<string, { imports: { path: string }[] }>;
}

/** Programs of which one loads another, and another a thread: each prints its name. */
const programs: Record<string, string> = {
  guard: "console.log('guard', typeof require('./judge-call.cjs').name)",
  'judge-call': "exports.name = 'é judge, ' + require('path').basename(__filename)",
  cli: "#!/usr/bin/env node\nconsole.log('cli', require('./judge-call.cjs').name, require.main === module, __dirname === process.argv[2])",
  resident:
    "new (require('worker_threads').Worker)(require('path').join(__dirname, 'worker.cjs')).on('message', console.log)",
  worker: "require('worker_threads').parentPort.postMessage(require('./judge-call.cjs').name)",
};

const unpacked = (t: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'kwg-packed-'));
  t.after(() => remove(folder));
  const texts = new Map(Object.entries(programs).map(([name, text]) => [name, Buffer.from(text)]));
  for (const [file, bytes] of pack(texts)) writeFileSync(join(folder, file), bytes);
  return folder;
};

const run = (folder: string, name: string) =>
  spawnSync(process.execPath, [join(folder, `${name}.cjs`), folder], { encoding: 'utf8', timeout: 20_000 });

describe('packed programs', () => {
  let packedPrograms: ReturnType<typeof pack>;
  before(() => {
    const built = readdirSync('dist').filter((file) => file.endsWith('.cjs'));
    packedPrograms = pack(new Map(built.map((file) => [file.slice(0, -4), readFileSync(join('dist', file))])));
  });

  it('run as if each stood in its own file, from both archives, in a thread, too', (t) => {
    const folder = unpacked(t);
    assert.equal(run(folder, 'guard').stdout, 'guard string\n');
    assert.equal(run(folder, 'cli').stdout, 'cli é judge, judge-call.cjs true true\n');
    assert.equal(run(folder, 'resident').stdout, 'é judge, judge-call.cjs\n');
  });

  it('that are left out say so when they are run, and not when their help is listed', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'kwg-packed-'));
    t.after(() => remove(folder));
    for (const [file, bytes] of packedPrograms) writeFileSync(join(folder, file), bytes);
    const cli = (...args: string[]) =>
      spawnSync(process.execPath, [join(folder, 'cli.cjs'), ...args], { encoding: 'utf8', timeout: 20_000 });
    const listed = cli('help');
    assert.equal(listed.status, 0, listed.stderr);
    assert.match(listed.stdout, /\n {2}mcp-validate +compares /);
    assert.match(listed.stdout, /\n {2}doctor +is everything in place/);
    assert.equal(cli('scan', '--help').status, 0);
    const { status, stdout } = cli('mcp-validate', 'some.json', '--strict', '--json');
    assert.equal(status, 2);
    assert.equal(JSON.parse(stdout).error.code, 'left-out');
    writeFileSync(join(folder, 'tools.json'), '[]');
    const tools = join(folder, 'tools.json');
    const page = cli('diff', tools, tools, '--format', 'html');
    assert.equal(page.status, 2);
    assert.match(page.stderr, /^konnichiwagwan: html is not in the installation of a project\n {2}run it from /);
  });

  it('take about one megabyte with their licences: a repository holds them', () => {
    const sizes = [...packedPrograms.values(), readFileSync('dist/licenses.txt')].map(({ length }) => length);
    const bytes = sizes.reduce((sum, length) => sum + length, 0);
    assert.ok(bytes > 500_000 && bytes < 1_150_000, `${bytes} bytes`);
  });

  it('hold what hooks load in the archive of the hooks: another one would be unpacked for it', () => {
    const { outputs } = JSON.parse(readFileSync('.build/metafile.json', 'utf8')) as Metafile;
    const built = readdirSync('dist').filter((file) => file.endsWith('.cjs'));
    const files = pack(new Map(built.map((file) => [file.replace('.cjs', ''), Buffer.from('')])));
    const isForHooks = (file: string): boolean =>
      file === 'guard.cjs' || String(files.get(file)).includes("('hooks.br'");
    const loaded = built
      .filter(isForHooks)
      .flatMap((file) => (outputs[`dist/${file}`]?.imports ?? []).map(({ path }) => path))
      .filter((path) => path.startsWith('./'))
      .map((path) => path.slice(2));
    assert.ok(loaded.includes('proxy.cjs'));
    assert.deepEqual([...new Set(loaded.filter((file) => !isForHooks(file)))], []);
  });

  it('are known, and packed in the same way each time', () => {
    const texts = new Map(Object.entries(programs).map(([name, text]) => [name, Buffer.from(text)]));
    const [first, second] = [pack(texts), pack(texts)];
    assert.deepEqual([...first], [...second]);
    assert.ok(isPacked(first.keys()));
    assert.ok(!isPacked(Object.keys(programs).map((name) => `${name}.cjs`)));
  });
});
