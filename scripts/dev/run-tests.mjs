// Bundles the tests (Node 20 does not run TypeScript) and runs them with node:test: test/e2e with `e2e`, else all others. Files
// whose first line puts them into the full tier run only if they are named, or with the built files.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { bundleOf, bundleTests, groupsOf, RUN, TIMES, testFiles, writeCommands, writeGroups } from './bundle-tests.mjs';
import { folderInMemory } from './test-folder.mjs';

/** Whether a process runs, by its id as text. */
const isRunning = (pid) => {
  try {
    return pid !== undefined && process.kill(Number(pid), 0);
  } catch {
    return false;
  }
};

/** In CI, files that failed run again, alone: a shared machine may be slow for minutes. With more of them, it was not that. */
const MOST_AGAIN = 8;

const e2e = RUN === 'e2e';
const wanted = process.argv[e2e ? 3 : 2];
const isFast = !e2e && !wanted && process.env.KONNICHIWAGWAN_BUILT !== '1';
const root = e2e ? 'test/e2e' : 'test';
const { files, leftOut } = await testFiles(root, wanted, isFast);
const outdir = e2e ? '.build/e2e' : '.build/test';
if (files.length === 0) {
  console.error(`no test file in ${root} has ${wanted} in its name`);
  process.exit(2);
}
await bundleTests(files, root, outdir);
const programs = e2e
  ? files.map((file) => bundleOf(file, root, outdir))
  : await writeGroups(groupsOf(files), root, outdir);
process.env.PATH = [process.env.PATH, await writeCommands()].join(delimiter);
// Tests name a home folder by HOME. On Windows this variable would win, and every process gets it from the one above.
delete process.env.USERPROFILE;
if (RUN === 'fast' && process.env.TMPDIR === undefined) process.env.TMPDIR = folderInMemory() ?? tmpdir();

/** Repeated at the end of the output: why tests were skipped, how many, and which free runs failed. */
const skipped = new Map();
const failedFreely = [];
const note = ({ name, skip, file }) => {
  if (skip === undefined || skip === false) return;
  const why = typeof skip === 'string' && skip !== '' ? skip : `${basename(file ?? '', '.test.mjs')}: ${name}`;
  skipped.set(why, (skipped.get(why) ?? 0) + 1);
};

/** The files of the repository, with their sizes and times: tests must not change them. */
const filesNow = async () => {
  const found = new Map();
  const apart = /^(?:node_modules|dist|plugin|corpus|\.(?:build|e2e|git))$/;
  for (const entry of await readdir('.', { withFileTypes: true })) {
    if (apart.test(entry.name)) continue;
    const below = entry.isDirectory() ? await readdir(entry.name, { recursive: true }) : [];
    for (const path of [entry.name, ...below.map((name) => join(entry.name, name))]) {
      const stats = await lstat(path);
      if (!stats.isDirectory()) found.set(path, `${stats.size} ${stats.mtimeMs}`);
    }
  }
  return found;
};
const before = await filesNow();

// Each program runs in its own process, which inherits these flags. Random tests create many short-lived objects, and most
// programs end before optimized code pays, so Node 20 makes it later. In all, that saves a sixth of the processor time.
process.execArgv.push(
  '--max-semi-space-size=64',
  '--min-semi-space-size=32',
  '--single-threaded-gc',
  ...(process.version.startsWith('v20.') ? ['--interrupt-budget=1000000'] : []),
  ...['few-hooks', 'hold-ports'].flatMap((name) => ['--import', pathToFileURL(resolve(`test/${name}.mjs`)).href]),
);
/** Seconds that each file took, by its name. */
const took = {};
const time = ({ file, nesting, details }) => {
  const name = basename(file ?? '', '.test.mjs');
  if (nesting === 0) took[name] = (took[name] ?? 0) + details.duration_ms / 1000;
};
/**
 * Replaces bundles by their sources in stack traces. Node could do that in each test file, but would read its map at every
 * start, and look for another one in all code that a test generates.
 */
const maps = new Map();
const inSources = (text) =>
  text.replace(
    /(?:file:\/\/)?(?:[^\s()]*[\\/])?(\.build[\\/][^\s():]+\.mjs):(\d+):(\d+)/g,
    (place, bundle, line, column) => {
      // A program of several files has no map.
      if (!existsSync(`${bundle}.map`)) return place;
      if (!maps.has(bundle)) maps.set(bundle, new SourceMap(JSON.parse(readFileSync(`${bundle}.map`, 'utf8'))));
      const { originalSource, originalLine, originalColumn } = maps.get(bundle).findEntry(line - 1, column - 1);
      if (originalSource === undefined) return place;
      return `${relative('.', resolve(dirname(bundle), originalSource))}:${originalLine + 1}:${originalColumn + 1}`;
    },
  );

/** Runs programs, so many at a time, and returns which failed, with the names of their tests that did. */
const runTests = async (programs, concurrency) => {
  const failed = new Map();
  // A test that leaves a program running would never end. The longest file takes seven minutes, on a slow machine thirty.
  const tests = run({ files: programs.map((program) => resolve(program)), concurrency, timeout: 45 * 60_000 });
  tests.on('test:pass', (test) => {
    note(test);
    time(test);
  });
  tests.on('test:fail', (test) => {
    note(test);
    const file = relative('.', test.file ?? '');
    // A suite fails with its tests, and a program with its files.
    const isCause = test.details.error?.failureType !== 'subtestsFailed';
    failed.set(file, [...(failed.get(file) ?? []), ...(isCause ? [test.name] : [])]);
  });
  tests.on('test:diagnostic', ({ message }) => {
    if (message.startsWith('free run failed')) failedFreely.push(message);
  });
  for await (const text of tests.compose(spec)) process.stdout.write(inSources(String(text)));
  return failed;
};
// Tests wait for servers, clocks and clients, so more programs than there are cores keep these busy. With the built files, each
// program starts others itself, and clients have time limits of their own.
const AT_ONCE = availableParallelism() + { fast: 2, full: 0, e2e: 1 }[RUN];
let failed = await runTests(programs, AT_ONCE);
/** What failed beside other tests, but not alone. */
let failedOnce = new Map();
if (process.env.CI && failed.size > 0 && failed.size <= MOST_AGAIN && !failed.has('')) {
  while (isRunning(process.env.KONNICHIWAGWAN_RUNS_BESIDE)) await setTimeout(1000);
  console.log('\nThe files that failed run once more, one at a time:');
  failedOnce = failed;
  failed = await runTests([...failed.keys()], 1);
  for (const file of failed.keys()) failedOnce.delete(file);
}
if (failed.size > 0) process.exitCode = 1;
if (process.env.KONNICHIWAGWAN_TIMES === '1') {
  const times = JSON.parse(readFileSync(TIMES, 'utf8'));
  const sorted = Object.entries({ ...times[RUN], ...took }).sort(([a], [b]) => (a < b ? -1 : 1));
  const rounded = sorted.map(([name, seconds]) => [name, Math.max(0.1, Math.round(seconds * 10) / 10)]);
  writeFileSync(TIMES, `${JSON.stringify({ ...times, [RUN]: Object.fromEntries(rounded) }, null, 2)}\n`);
}
if (leftOut > 0)
  console.log(`\n${leftOut} files of the full tier were left out: KONNICHIWAGWAN_BUILT=1 runs them, too`);
const count = [...skipped.values()].reduce((sum, one) => sum + one, 0);
if (count > 0) console.log(`\nskipped, ${count} in all:`);
for (const [why, times] of skipped) console.log(`  ${times} × ${why}`);
for (const message of failedFreely) console.log(`\n${message}`);
const sayFailed = (word, files) => {
  for (const [file, names] of files) for (const name of names) console.log(`${word}: ${basename(file)}: ${name}`);
};
sayFailed('failed once, and passed alone', failedOnce);
sayFailed('failed', failed);
const after = await filesNow();
const touched = [...new Set([...before.keys(), ...after.keys()])].filter(
  (path) => before.get(path) !== after.get(path),
);
if (touched.length > 0) {
  console.error(`\nfiles of the repository changed while the tests ran: ${touched.slice(0, 10).join(', ')}`);
  // On a developer's machine, someone may just have edited the files.
  if (process.env.CI) process.exitCode = 1;
}
