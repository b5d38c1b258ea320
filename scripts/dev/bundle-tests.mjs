// The files of tests, and their bundles: Node 20 does not run TypeScript.
import { readFileSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { build } from 'esbuild';

/** The files that take longest, the longest first, so that none of them runs alone at the end. */
const LONGEST = [
  'install-at-once hostile-contracts warm declared cli action agreement doctor-forms corpus wrap-relay resident-faults',
  'wrap-url-attacks corpus-told asking parallel resident-servers bounded odd-transcripts resident-hostile package',
  'corpus-calls lint-source formats hostile-words wrap-histories resident-histories real-servers hostile-gateway',
].flatMap((names) => names.split(' '));
const rank = (file) => (LONGEST.indexOf(basename(file, '.test.ts')) + LONGEST.length + 1) % (LONGEST.length + 1);

/**
 * The test files in a folder, in the order in which to run them, and how many were left out.
 * @param wanted what their names contain; undefined for all
 * @param isFast leaves out files whose first line says that they are of the full tier
 */
export const testFiles = async (root, wanted, isFast) => {
  const all = (await readdir(root, { recursive: true }))
    .filter((file) => file.endsWith('.test.ts') && (root !== 'test' || !file.startsWith('e2e')))
    .filter((file) => !wanted || file.includes(wanted));
  const isLeftOut = (file) => isFast && readFileSync(`${root}/${file}`, 'utf8').startsWith('// Full tier');
  const files = all.filter((file) => !isLeftOut(file)).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return { files: files.map((file) => `${root}/${file}`), leftOut: all.length - files.length };
};

/** Writes the bundles of test files. `path`: gives a path of this machine in the form of the Node that will run them. */
export const bundleTests = async (files, root, outdir, path = (here) => here) => {
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
    // Sources that load a package late do so with `require`.
    banner: { js: "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);" },
    sourcemap: 'external',
    // Code in a test's process finds its version and the built files next to it, as a built file does.
    define: {
      __version: JSON.stringify(JSON.parse(readFileSync('package.json', 'utf8')).version),
      __filename: JSON.stringify(path(resolve('dist/cli.cjs'))),
      __dirname: JSON.stringify(path(resolve('dist'))),
    },
    // Most of the tests load the same code.
    splitting: true,
    logLevel: 'warning',
  });
};

/** Writes our commands for a shell, as on users' machines: then messages use the short names. Returns their folder. */
export const writeCommands = async () => {
  const bin = resolve('.build/bin');
  await mkdir(bin, { recursive: true });
  for (const name of ['konnichiwagwan', 'kwg']) {
    await writeFile(`${bin}/${name}`, `#!/bin/sh\nexec node '${resolve('dist/cli.cjs')}' "$@"\n`, { mode: 0o755 });
    await writeFile(`${bin}/${name}.cmd`, '@node "%~dp0..\\..\\dist\\cli.cjs" %*\r\n');
  }
  return bin;
};
