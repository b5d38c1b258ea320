// The files of tests, and their bundles: Node 20 does not run TypeScript.
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, relative, resolve, sep } from 'node:path';
import { build } from 'esbuild';
import { roomsOfTest } from './test-rooms.mjs';

const isFull = (file) => readFileSync(file, 'utf8').startsWith('// Full tier');
const nameOf = (file) => basename(file, '.test.ts');
/** Where the seconds are that each file took when `KONNICHIWAGWAN_TIMES=1` recorded them, by the run. */
export const TIMES = 'test/times.json';
export const RUN = process.argv[2] === 'e2e' ? 'e2e' : process.env.KONNICHIWAGWAN_BUILT === '1' ? 'full' : 'fast';
const { fast, full, e2e } = JSON.parse(readFileSync(TIMES, 'utf8'));
const times = { fast, full: { ...fast, ...full }, e2e }[RUN];
/** Files that were never recorded: those of the full tier take long. */
const timeOf = (file) => times[nameOf(file)] ?? (isFull(file) ? 30 : 1);
const longestFirst = (a, b) => timeOf(b) - timeOf(a) || (a < b ? -1 : 1);

/**
 * The test files in a folder, the longest first, and how many were left out.
 * @param wanted a room, or what their names contain; undefined for all
 * @param isFast leaves out files whose first line says that they are of the full tier
 */
export const testFiles = async (root, wanted, isFast) => {
  const all = (await readdir(root, { recursive: true }))
    .filter((file) => file.endsWith('.test.ts') && (root !== 'test' || !file.startsWith('e2e')))
    .filter(
      (file) => !wanted || file.includes(wanted) || (root === 'test' && roomsOfTest(nameOf(file)).includes(wanted)),
    )
    .map((file) => `${root}/${file}`);
  const files = all.filter((file) => !isFast || !isFull(file)).sort(longestFirst);
  return { files, leftOut: all.length - files.length };
};

/** No process takes longer than this, in recorded seconds, if it has more than one file. */
const LIMIT = RUN === 'full' ? 60 : 40;

/**
 * Rooms whose tests take less, in recorded seconds, share a process: to start one and load the code takes half a second. Files
 * of the full tier share none.
 */
const SMALL = 5;

/** Puts the groups of small rooms together, as long as a process does not get too long. */
const together = (groups) => {
  const isSmall = ({ time, files }) => time < SMALL && !files.some(isFull);
  const shared = [];
  for (const group of groups.filter(isSmall)) {
    const last = shared.at(-1);
    if (last === undefined || last.time + group.time > LIMIT) shared.push({ ...group });
    else {
      last.name += `+${group.name}`;
      last.time += group.time;
      last.files.push(...group.files);
    }
  }
  return [...groups.filter((group) => !isSmall(group)), ...shared];
};

/**
 * What runs in one process each: the files of a room, of several small ones, or part of a room's. Files of the full tier do
 * what may disturb others, so each is alone.
 */
export const groupsOf = (files) => {
  const groups = new Map();
  for (const file of [...files].sort()) {
    const [room] = roomsOfTest(nameOf(file));
    const isAlone = room === undefined || isFull(file);
    const name = isAlone ? nameOf(file) : room;
    const [last] = groups.get(name) ?? [];
    if (last === undefined || last.time + timeOf(file) > LIMIT)
      groups.set(name, [{ files: [file], time: timeOf(file) }, ...(groups.get(name) ?? [])]);
    else {
      last.files.push(file);
      last.time += timeOf(file);
    }
  }
  const named = [...groups.entries()].flatMap(([name, parts]) =>
    parts.map((part, index) => ({ ...part, name: index === 0 ? name : `${name}-${index + 1}` })),
  );
  return together(named).sort((a, b) => b.time - a.time);
};

export const bundleOf = (file, root, outdir) => file.replace(root, outdir).replace(/\.ts$/, '.mjs');

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

/** Writes a program for each group that loads the bundles of its files. Returns the programs. */
export const writeGroups = async (groups, root, outdir) => {
  const folder = `${outdir}/groups`;
  await mkdir(folder, { recursive: true });
  const written = groups.map(async ({ name, files }) => {
    const program = `${folder}/${name}.mjs`;
    const bundles = files.map((file) => relative(folder, bundleOf(file, root, outdir)).replaceAll(sep, '/'));
    await writeFile(program, bundles.map((bundle) => `import '${bundle}';\n`).join(''));
    return program;
  });
  return Promise.all(written);
};

/** Writes our commands for a shell, as on users' machines: then messages use the short names. Returns their folder. */
export const writeCommands = async () => {
  const bin = resolve('.build/bin');
  const write = async (path, text) => {
    // Another run of tests may be using them.
    if ((await readFile(path, 'utf8').catch(() => '')) !== text) await writeFile(path, text, { mode: 0o755 });
  };
  await mkdir(bin, { recursive: true });
  for (const name of ['konnichiwagwan', 'kwg']) {
    await write(`${bin}/${name}`, `#!/bin/sh\nexec node '${resolve('dist/cli.cjs')}' "$@"\n`);
    await write(`${bin}/${name}.cmd`, '@node "%~dp0..\\..\\dist\\cli.cjs" %*\r\n');
  }
  return bin;
};
