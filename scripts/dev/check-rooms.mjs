// Checks the sources against the map in ARCHITECTURE.md: every file is in a room, and imports only from its own room and
// from those above it in the map, types included. So no two rooms can depend on each other. And a type's name means one thing.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { roomNames, roomsOfTest } from './test-rooms.mjs';

const MAP = /```rooms\n([\s\S]*?)```/.exec(readFileSync('ARCHITECTURE.md', 'utf8'))?.[1] ?? '';
const rooms = MAP.split('\n').flatMap((line) => /^[\w-]+/.exec(line) ?? []);

const files = ['scripts', 'hooks']
  .flatMap((root) => readdirSync(root, { recursive: true }).map((file) => join(root, file).replaceAll(sep, '/')))
  .filter((file) => /\.(ts|mjs)$/.test(file));

/** The files that a file imports in any form: types only, dynamically, or with `require`. */
const importsOf = (file) =>
  [...readFileSync(file, 'utf8').matchAll(/\b(?:from|import|require)\s*\(?\s*'(\.[^']*\.ts)'/g)].map(([, path]) =>
    normalize(join(dirname(file), path)).replaceAll(sep, '/'),
  );

/** The room of a file: ROOM for `scripts/ROOM/…`, hooks for `hooks/…`; undefined for a file directly in scripts/. */
const roomOf = (file) => /^(?:scripts\/([^/]+)\/|(hooks)\/)/.exec(file)?.slice(1).find(Boolean);

const problems = [];
for (const room of rooms) {
  if (!files.some((file) => roomOf(file) === room)) problems.push(`${room} is in the map, and has no file`);
}
for (const file of files) {
  const room = roomOf(file);
  const rank = rooms.indexOf(room);
  if (room === undefined) problems.push(`${file} stands in no room: move it into one`);
  else if (rank < 0) problems.push(`${file} stands in a room that is not in the map: ${room}`);
  // Development programs may use everything, including the helpers of the tests.
  else if (room !== 'dev') {
    for (const imported of importsOf(file)) {
      const other = rooms.indexOf(roomOf(imported));
      if (other < 0 || other > rank) problems.push(`${file} imports ${imported}, which the map does not allow`);
    }
  }
}
/** Types by name, with the file of each. Declarations that ship repeat those of the sources. */
const types = new Map();
for (const file of files.filter((name) => !name.endsWith('.d.ts'))) {
  const declared = /^(?:export )?(?:declare )?(?:abstract )?(?:type|interface|class|enum) (\w+)/gm;
  for (const [, name] of readFileSync(file, 'utf8').matchAll(declared)) {
    const other = types.get(name);
    if (other !== undefined && other !== file)
      problems.push(`${file} and ${other} both have a type ${name}: rename one`);
    types.set(name, file);
  }
}
for (const room of roomNames) {
  if (!rooms.includes(room)) problems.push(`${room} has tests, and is not in the map`);
}
for (const file of readdirSync('test').filter((name) => name.endsWith('.test.ts'))) {
  const found = roomsOfTest(file.replace('.test.ts', ''));
  if (found.length !== 1) problems.push(`test/${file} stands in the lines of ${found.length} rooms: ${found.join()}`);
}
if (problems.length > 0) {
  console.error(`${problems.join('\n')}\nThe map of rooms is in ARCHITECTURE.md: a room imports from those above it.`);
  process.exitCode = 1;
}
