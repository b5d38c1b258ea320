// `npm run windows [NAME…]`: runs the fast tier and first-steps.mjs, or what has a NAME in its name, in Node for Windows under
// Wine. A test that fails there has to be listed in test/windows/known.json, and a listed one has to fail. Where there is no
// Wine, and none can be installed, it says so and ends with 2.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundleTests, testFiles, writeCommands } from './bundle-tests.mjs';
import { forwarder } from './windows/forwarder.mjs';
import { faultsOf, testsOf, unexpected } from './windows/results.mjs';

const NODE = '20.20.2';
/** In ms: a file that takes longer has failed. A program takes half a second to start in Wine. */
const FILE_LIMIT = 180_000;
const RUN_LIMIT = 2_400_000;

const wanted = process.argv.slice(2);
const isWanted = (name) => wanted.length === 0 || wanted.some((one) => name.includes(one));
const prepare = resolve(process.env.KONNICHIWAGWAN_SHARED ?? '../shared', 'lab/windows/prepare.sh');
const lab = resolve(process.env.KONNICHIWAGWAN_WINDOWS ?? join(tmpdir(), 'konnichiwagwan-windows'));
const inWindows = (path) => `Z:${resolve(path).replaceAll('/', '\\')}`;

/** Installs the native parser for Windows: npm installed only this system's. Returns the folder of modules that has it. */
const installParser = () => {
  const modules = join(lab, 'node_modules');
  const parser = join(modules, '@ast-grep/napi-win32-x64-msvc');
  const versionIn = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
  const version = versionIn('node_modules/@ast-grep/napi');
  if (!existsSync(join(parser, 'package.json')) || versionIn(parser) !== version) {
    rmSync(parser, { recursive: true, force: true });
    mkdirSync(parser, { recursive: true });
    const args = ['pack', '--silent', '--pack-destination', lab, `@ast-grep/napi-win32-x64-msvc@${version}`];
    const packed = execFileSync('npm', args, { encoding: 'utf8' }).trim().split('\n').at(-1);
    execFileSync('tar', ['xzf', join(lab, packed), '-C', parser, '--strip-components=1']);
  }
  // Wine 8 lacks this library, from which Rust programs get their random numbers.
  const random = ['bcryptprimitives.dll', 'ProcessPrng', 'advapi32.SystemFunction036'];
  writeFileSync(join(parser, random[0]), forwarder(...random));
  return modules;
};

/** Installs Wine, Node and the parser. Returns the command that starts Node, and the folder of modules. */
const installLab = () => {
  try {
    const windowsNode = execFileSync(prepare, [lab, NODE], { encoding: 'utf8', timeout: 300_000 }).trim();
    return { windowsNode, modules: installParser() };
  } catch ({ message }) {
    console.error(`there is no Windows here, so nothing ran in it: ${message}`);
    process.exit(2);
  }
};

/** Runs test files in Wine. Returns the events of node:test, and how the run ended if it failed. */
const run = async (files, known) => {
  const { windowsNode, modules } = installLab();
  const folder = `.build/${['windows', ...wanted].join('-')}`;
  await bundleTests(files, 'test', folder, inWindows);
  const [events, options] = [`${folder}/events.jsonl`, `${folder}/run.json`];
  mkdirSync(folder, { recursive: true });
  writeFileSync(events, '');
  const given = {
    files: files.map((file) => inWindows(`${folder}${file.replace(/^test|\.ts$/g, '')}.mjs`)),
    ...(isWanted('first-steps') ? { firstSteps: inWindows('scripts/dev/first-steps.mjs') } : {}),
    known,
    events: inWindows(events),
    bin: inWindows(await writeCommands()),
    modules: inWindows(modules),
    shim: inWindows('scripts/dev/windows/wine.cjs'),
    // As in run-tests.mjs.
    atOnce: availableParallelism() + 1,
    fileLimit: FILE_LIMIT,
  };
  writeFileSync(options, JSON.stringify(given));
  const { status, signal } = spawnSync(windowsNode, [inWindows('scripts/dev/windows/run.mjs'), inWindows(options)], {
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: RUN_LIMIT,
  });
  // Ends programs that tests left behind, above all those that timed out.
  spawnSync('wineserver', ['-k'], { env: { ...process.env, WINEPREFIX: join(lab, 'prefix') } });
  const lines = readFileSync(events, 'utf8').split('\n');
  const told = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  return { events: told, failed: status === 0 ? undefined : (signal ?? `exit ${status}`) };
};

const known = JSON.parse(readFileSync('test/windows/known.json', 'utf8'));
const found =
  wanted.length > 0 ? wanted.map((name) => testFiles('test', name, false)) : [testFiles('test', undefined, true)];
const files = [...new Set((await Promise.all(found)).flatMap((one) => one.files))];
const { events, failed } = await run(files, known);
const tests = testsOf(events);
const { unlisted, mended } = unexpected(tests, known);
const faults = [
  ...faultsOf(known).map((fault) => `test/windows/known.json: ${fault}`),
  ...unlisted.map(({ file, test, error }) => `${file}: ${test}\n    ${error.replaceAll('\n', '\n    ')}`),
  ...mended.map(({ file, test }) => `${file}: ${test}\n    did not fail: take it out of test/windows/known.json`),
  ...(failed ? [`the run did not end well: ${failed}`] : []),
];
for (const fault of faults) console.log(`✖ ${fault}\n`);
const count = (outcome) => tests.filter((test) => test.outcome === outcome).length;
console.log(
  `${files.length} files in Windows' Node: ${count('passed')} tests passed, ${count('skipped')} skipped, ` +
    `${count('failed')} failed, of which ${unlisted.length} are not listed`,
);
process.exitCode = faults.length === 0 && tests.length > 0 ? 0 : 1;
