// The programs of a project’s installation. They are committed, so they are packed: a repository gets 1.1 megabytes instead
// of fifteen, and files that programs share take up no extra space.
import { brotliCompressSync, constants } from 'node:zlib';

/** Commands that a project does not need, and files: people run these from their own installation or the package. */
const LEFT_OUT_COMMANDS = new Set(['demo', 'scan', 'lint', 'mcp-validate']);
const LEFT_OUT = new Set([...LEFT_OUT_COMMANDS, 'scan-worker', 'html']);

/** What stands for a program that is left out. */
const leftOutText = (
  name: string,
): string => `var error = Object.assign(new Error('${name} is not in the installation of a project'), {
  name: 'CommandError', code: 'left-out', hint: 'run it from an installation of your own: install.sh makes one', exit: 2
});
${
  LEFT_OUT_COMMANDS.has(name)
    ? `module.exports = { ${name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())}: {
  name: '${name}', usage: '', help: error.hint,
  readable: function (words) { return words.filter(function (word) { return word === '--help' || word === '-h'; }); },
  run: function () { return Promise.reject(error); }
} };`
    : 'throw error;'
}
`;

/** What hooks run, and `explain`, which runs the guard. These are unpacked together, without what only commands need. */
const HOOKS = new Set(
  (
    'session-start session-start-hook session-end tool-failure tool-failure-hook offers offers-hook ' +
    'judge-call explain compile-cache drifted-tools what-changed judging send-events shared-refresh resident ' +
    'resident-tools worker resident-worker ajv http proxy list-over-mcp'
  ).split(' '),
);

/** Never packed: without a resident guard, the fast path starts for every call. */
const PLAIN = new Set(['guard']);

const LOADER = 'programs';

/** Runs a packed program as if it stood in its own file. Plain old JavaScript: it runs in any Node, before anything else. */
const LOADER_TEXT = `'use strict';
// Unpacks the programs beside it: hooks.br and commands.br hold a line of JSON (names and lengths) and the programs' texts.
var fs = require('fs');
var path = require('path');
var zlib = require('zlib');
var archives = {};
module.exports = function (archive, name, module) {
  if (!archives[archive]) archives[archive] = zlib.brotliDecompressSync(fs.readFileSync(path.join(__dirname, archive)));
  var all = archives[archive];
  var end = all.indexOf(10);
  var at = end + 1;
  JSON.parse(all.toString('utf8', 0, end)).some(function (entry) {
    if (entry[0] === name) module._compile(all.toString('utf8', at, at + entry[1]).replace(/^#!.*/, ''), module.filename);
    at += entry[1];
    return entry[0] === name;
  });
};
`;

const packed = (given: readonly (readonly [string, Buffer])[]): Buffer => {
  // The largest first: the others repeat parts of it, which saves a hundredth.
  const programs = given.toSorted(([, one], [, other]) => other.length - one.length);
  const index = JSON.stringify(programs.map(([name, bytes]) => [name, bytes.length]));
  const all = Buffer.concat([Buffer.from(`${index}\n`), ...programs.map(([, bytes]) => bytes)]);
  return brotliCompressSync(all, {
    // Quality 9 takes half a second; 11 takes five to save a tenth. The window spans everything.
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: all.length,
    },
  });
};

/** Whether these files of a folder `program` are packed already. */
export const isPacked = (names: Iterable<string>): boolean => [...names].some((name) => name.endsWith('hooks.br'));

/**
 * Packs programs: two archives, and for each program a one-line file that runs it from there.
 * @param programs the text of each, by its name without `.cjs`
 * @returns the files, by their names
 */
export const pack = (programs: ReadonlyMap<string, Buffer>): Map<string, Buffer> => {
  const archived = [...programs].filter(([name]) => !PLAIN.has(name) && !LEFT_OUT.has(name));
  const asIs = [...programs].filter(([name]) => PLAIN.has(name));
  const absent = [...programs.keys()].filter((name) => LEFT_OUT.has(name));
  const archiveOf = (name: string): string => (HOOKS.has(name) ? 'hooks.br' : 'commands.br');
  const stub = (name: string): Buffer =>
    Buffer.from(`require('./${LOADER}.cjs')('${archiveOf(name)}', '${name}', module);\n`);
  return new Map([
    ...asIs.map(([name, bytes]) => [`${name}.cjs`, bytes] as const),
    ...absent.map((name) => [`${name}.cjs`, Buffer.from(leftOutText(name))] as const),
    ...archived.map(([name]) => [`${name}.cjs`, stub(name)] as const),
    [`${LOADER}.cjs`, Buffer.from(LOADER_TEXT)] as const,
    ...['hooks.br', 'commands.br'].map(
      (archive) => [archive, packed(archived.filter(([name]) => archiveOf(name) === archive))] as const,
    ),
  ]);
};
