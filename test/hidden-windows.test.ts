// On Windows no program of ours lets a console flash up: each one that it starts is hidden.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

/** The sources of what ships. */
const sources = [
  'install.mjs',
  ...['hooks', 'scripts'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  ),
].filter((path) => /\.(?:ts|mjs)$/.test(path) && !/^scripts.dev/.test(path));

/** What stands between the parenthesis at a place and the one that ends it, with both. */
const callAt = (text: string, start: number): string => {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth === 0) return text.slice(start, at + 1);
  }
  throw new Error(`no end: ${text.slice(start, start + 80)}`);
};

const calls = sources.flatMap((path) => {
  const text = readFileSync(path, 'utf8');
  const found = /child_process/.test(text)
    ? text.matchAll(
        /(?<![\w.])(?:spawn|spawnSync|exec|execSync|execFile|execFileSync|fork)\(|\(onWindows\(\)[^(]*\)\(/g,
      )
    : [];
  return [...found].map(({ 0: begin, index }) => {
    const name = begin.slice(0, -1);
    return { path, text, call: name + callAt(text, index + name.length) };
  });
});

describe('a program that we start', () => {
  it('has no window of its own', () => {
    const shown = calls.filter(
      ({ call, text }) =>
        !/windowsHide: true/.test(call) &&
        // Options that stand before the call.
        !(/\b(?:limits|options)\b/.test(call) && /(?:limits|options) = \{[^}]*windowsHide: true/.test(text)) &&
        // Programs that Windows lacks.
        !/^\w+\('\/bin\//.test(call) &&
        !/^execFileSync\(program, \[\.\.\.panes/.test(call),
    );
    assert.deepEqual(
      shown.map(({ path, call }) => `${path}: ${call}`),
      [],
    );
    assert.ok(calls.length > 10, String(calls.length));
  });
});
