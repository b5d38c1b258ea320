// Bundles the tests (Node 20 runs no TypeScript) and hands them to node:test. `e2e` runs test/e2e, nothing the rest.
import { spawnSync } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { build } from 'esbuild';

const e2e = process.argv[2] === 'e2e';
const wanted = process.argv[e2e ? 3 : 2];
const root = e2e ? 'test/e2e' : 'test';
const all = await readdir(root, { recursive: true });
const files = all
  .filter((file) => file.endsWith('.test.ts') && (e2e || !file.startsWith('e2e')))
  .filter((file) => !wanted || file.includes(wanted))
  .map((file) => `${root}/${file}`)
  .sort();
const outdir = `.build/${root}`;
if (files.length === 0) {
  console.error(`no test file in ${root} has ${wanted} in its name`);
  process.exit(2);
}
await rm(outdir, { recursive: true, force: true });
await build({
  entryPoints: files,
  outdir,
  outbase: root,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // Sources that load a package only when they need it do so with require.
  banner: { js: "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);" },
  sourcemap: 'inline',
  logLevel: 'warning',
});
const built = files.map((file) => file.replace(root, outdir).replace(/\.ts$/, '.mjs'));
// One file at a time end to end: each starts real clients, and they share two cores.
const flags = ['--enable-source-maps', '--test', '--test-reporter=spec', ...(e2e ? ['--test-concurrency=1'] : [])];
process.exit(spawnSync(process.execPath, [...flags, ...built], { stdio: 'inherit' }).status ?? 1);
