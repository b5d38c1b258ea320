// Runs in Windows' Node: bundled tests, and each event of node:test as a line of JSON into a file.
import { appendFileSync, readFileSync } from 'node:fs';
import { run } from 'node:test';

const { files, events, bin, modules, shim, atOnce, fileLimit } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
process.env.PATH = `${process.env.PATH};${bin}`;
process.env.NODE_PATH = modules;
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --require "${shim.replaceAll('\\', '\\\\')}"`.trim();

/** The error of a test as text: `error` wraps what was thrown. */
const textOf = (error) => String(error?.cause?.stack ?? error?.cause ?? error ?? '');

/** Runs one file. Events of several at once would not say which they are of: a test names the file that it is written in. */
const runFile = (file) =>
  new Promise((done) => {
    const tests = run({ files: [file], timeout: fileLimit });
    for (const kind of ['test:pass', 'test:fail'])
      tests.on(kind, ({ name, nesting, skip, details }) => {
        const event = { file, passed: kind === 'test:pass', name, nesting, skip, error: textOf(details.error) };
        appendFileSync(events, `${JSON.stringify({ ...event, ms: details.duration_ms })}\n`);
      });
    tests.on('end', done).resume();
  });

await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (let file = files.shift(); file !== undefined; file = files.shift()) await runFile(file);
  }),
);
