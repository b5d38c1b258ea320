// Runs in Node for Windows: runs bundled tests, and writes each event of node:test as a line of JSON to a file. A file with
// an unexpected failure runs again at the end, alone: about one in a thousand times Wine starts no program, and times mean
// little there.
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { run } from 'node:test';
import { testsOf, unexpected } from './results.mjs';

const { files, firstSteps, known, events, bin, modules, shim, atOnce, fileLimit } = JSON.parse(
  readFileSync(process.argv[2], 'utf8'),
);
process.env.PATH = `${process.env.PATH};${bin}`;
process.env.NODE_PATH = modules;
// As in run-tests.mjs.
delete process.env.USERPROFILE;
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --require "${shim.replaceAll('\\', '\\\\')}"`.trim();

/** The error of a test as text: `error` wraps what was thrown. */
const textOf = (error) => String(error?.cause?.stack ?? error?.cause ?? error ?? '');

/** Runs one file, and gives its events with that file added: an event itself names the file that the test was written in. */
const runFile = (file) =>
  new Promise((done) => {
    const told = [];
    const tests = run({ files: [file], timeout: fileLimit });
    for (const kind of ['test:pass', 'test:fail'])
      tests.on(kind, ({ name, nesting, skip, details }) => {
        const [passed, ms] = [kind === 'test:pass', details.duration_ms];
        told.push({ file, passed, name, nesting, skip, error: textOf(details.error), ms });
      });
    tests.on('end', () => done(told)).resume();
  });

const write = (told) => appendFileSync(events, told.map((event) => `${JSON.stringify(event)}\n`).join(''));

const again = [];
const runNext = async () => {
  for (let file = files.shift(); file !== undefined; file = files.shift()) {
    const told = await runFile(file);
    if (unexpected(testsOf(told), known).unlisted.length > 0) again.push(file);
    else write(told);
  }
};
await Promise.all(Array.from({ length: atOnce }, runNext));
for (const file of again) write(await runFile(file));
if (firstSteps !== undefined) {
  const start = Date.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [firstSteps], {
    encoding: 'utf8',
    timeout: fileLimit,
  });
  const outcome = { passed: status === 0, error: `${stdout}${stderr}`, ms: Date.now() - start };
  write([{ file: 'first-steps', name: 'what a user types first', nesting: 0, ...outcome }]);
}
if (again.length > 0) console.log(`${again.length} files ran twice`);
