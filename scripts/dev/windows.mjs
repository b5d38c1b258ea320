// `npm run windows`: the fast tier in Windows' own Node, which Wine runs. What fails has to be listed in test/windows/known.json.
// `npm run windows NAME` runs the files with NAME in their names.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundleTests, testFiles, writeCommands } from './bundle-tests.mjs';
import { forwarder } from './windows/forwarder.mjs';
import { news, testsOf } from './windows/results.mjs';

/** In ms: a file that takes longer has failed, and so has a run. */
const FILE_LIMIT = 180_000;
const RUN_LIMIT = 1_200_000;
const NODE = '20.20.2';

const wanted = process.argv[2];
const prepare = resolve(process.env.KONNICHIWAGWAN_SHARED ?? '../shared', 'lab/windows/prepare.sh');
if (!existsSync(prepare)) {
  console.error('no Windows here: shared/lab/windows/prepare.sh, which installs Wine and Node, is not on this machine');
  process.exit(2);
}
const folder = resolve(process.env.KONNICHIWAGWAN_WINDOWS ?? join(tmpdir(), 'konnichiwagwan-windows'));
const start = execFileSync(prepare, [folder, NODE], { encoding: 'utf8', timeout: 300_000 }).trim();
const inWindows = (path) => `Z:${path.replaceAll('/', '\\')}`;

/** What is installed for this system beside other packages, and needed for that one: the parser of sources is native. */
const modules = join(folder, 'node_modules');
const { version } = JSON.parse(readFileSync('node_modules/@ast-grep/napi/package.json', 'utf8'));
const parser = join(modules, '@ast-grep/napi-win32-x64-msvc');
if (!existsSync(parser) || JSON.parse(readFileSync(join(parser, 'package.json'), 'utf8')).version !== version) {
  rmSync(parser, { recursive: true, force: true });
  mkdirSync(parser, { recursive: true });
  const pack = ['pack', '--silent', '--pack-destination', folder, `@ast-grep/napi-win32-x64-msvc@${version}`];
  const packed = execFileSync('npm', pack, { encoding: 'utf8' }).trim().split('\n').at(-1);
  execFileSync('tar', ['xzf', join(folder, packed), '-C', parser, '--strip-components=1']);
  // Wine 8 lacks the library that gives Rust's programs their random numbers.
  const random = ['bcryptprimitives.dll', 'ProcessPrng', 'advapi32.SystemFunction036'];
  writeFileSync(join(parser, random[0]), forwarder(...random));
}

const { files } = await testFiles('test', wanted, !wanted);
const outdir = `.build/windows${wanted ? `-${wanted}` : ''}`;
await bundleTests(files, 'test', outdir, inWindows);
const bin = await writeCommands();
const events = resolve(outdir, 'events.jsonl');
writeFileSync(events, '');
const bundles = files.map((file) => inWindows(resolve(outdir, file.replace(/^test\//, '').replace(/\.ts$/, '.mjs'))));
writeFileSync(
  `${outdir}/run.json`,
  JSON.stringify({
    files: bundles,
    events: inWindows(events),
    bin: inWindows(bin),
    modules: inWindows(modules),
    shim: inWindows(resolve('scripts/dev/windows/wine.cjs')),
    atOnce: Number(process.env.KONNICHIWAGWAN_CONCURRENCY ?? 2),
    fileLimit: FILE_LIMIT,
  }),
);
const { status, signal } = spawnSync(
  start,
  [inWindows(resolve('scripts/dev/windows/run.mjs')), inWindows(resolve(outdir, 'run.json'))],
  {
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: RUN_LIMIT,
  },
);
// What tests left behind there, a file that ran out of time above all.
spawnSync('wineserver', ['-k'], { env: { ...process.env, WINEPREFIX: join(folder, 'prefix') } });

const tests = testsOf(
  readFileSync(events, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line)),
);
const known = JSON.parse(readFileSync('test/windows/known.json', 'utf8'));
const { unlisted, mended } = news(tests, known);
for (const { file, test, error } of unlisted)
  console.log(`✖ ${file}: ${test}\n    ${error.replaceAll('\n', '\n    ')}\n`);
for (const { file, test } of mended)
  console.log(`✖ ${file}: ${test}\n    is listed in test/windows/known.json, and did not fail: take it out\n`);
const count = (outcome) => tests.filter((test) => test.outcome === outcome).length;
console.log(
  `${files.length} files in Windows' Node: ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped; ` +
    `${known.length} failures are listed, ${unlisted.length} are not, and ${mended.length} of the list did not happen`,
);
if (status !== 0) console.error(`the run did not end well: ${signal ?? `exit ${status}`}`);
process.exitCode = status === 0 && unlisted.length === 0 && mended.length === 0 && tests.length > 0 ? 0 : 1;
