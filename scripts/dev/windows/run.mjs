// Runs in Node for Windows: runs bundled tests, and writes each event of node:test as a line of JSON to a file.
import { appendFileSync, readFileSync } from 'node:fs';
import { run } from 'node:test';

const { files, events, bin, modules, shim, atOnce, fileLimit } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
process.env.PATH = `${process.env.PATH};${bin}`;
process.env.NODE_PATH = modules;
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

/** Wine's error, about once in a thousand starts, for a program that it could have started. */
const NOT_STARTED = 'spawn UNKNOWN';

const runNext = async () => {
  for (let file = files.shift(); file !== undefined; file = files.shift()) {
    const first = await runFile(file);
    const told = first.some(({ error }) => error.includes(NOT_STARTED)) ? await runFile(file) : first;
    appendFileSync(events, told.map((event) => `${JSON.stringify(event)}\n`).join(''));
  }
};
await Promise.all(Array.from({ length: atOnce }, runNext));
