import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename } from 'node:path';
import { describe, it } from 'node:test';

interface Metafile {
  inputs: Record<string, unknown>;
  outputs: Record<string, { inputs: Record<string, unknown>; imports: { path: string; external?: boolean }[] }>;
}

const metafile = JSON.parse(readFileSync('.build/metafile.json', 'utf8')) as Metafile;
const output = (name: string) => metafile.outputs[`dist/${name}.cjs`] ?? assert.fail(`no bundle ${name}`);

describe('the bundle of the fast path', () => {
  const guard = output('guard');

  it('holds these files and no package', () => {
    assert.deepEqual(Object.keys(guard.inputs).sort(), [
      'hooks/guard.ts',
      'scripts/contract/attempt.ts',
      'scripts/contract/limits.ts',
      'scripts/contract/parsed-json.ts',
      'scripts/contract/types.ts',
      'scripts/guard/answer.ts',
      'scripts/guard/check-call.ts',
      'scripts/guard/fast-path.ts',
      'scripts/guard/foreign.ts',
      'scripts/guard/input.ts',
      'scripts/guard/run-hook.ts',
      'scripts/servers/command-line.ts',
      'scripts/servers/environment.ts',
      'scripts/servers/folder.ts',
      'scripts/servers/read.ts',
      'scripts/servers/settings.ts',
      'scripts/servers/system.ts',
      'scripts/sources/head.ts',
      'scripts/sources/mcp/announce.ts',
      'scripts/sources/mcp/ask-list.ts',
      'scripts/sources/mcp/kept-session.ts',
      'scripts/sources/pieces.ts',
      'scripts/sources/request.ts',
      'scripts/sources/revalidate.ts',
      'scripts/sources/share.ts',
      'scripts/state/activity.ts',
      'scripts/state/asking.ts',
      'scripts/state/circumstances.ts',
      'scripts/state/client-names.ts',
      'scripts/state/digest.ts',
      'scripts/state/files.ts',
      'scripts/state/handoff.ts',
      'scripts/state/in-use.ts',
      'scripts/state/judging.ts',
      'scripts/state/memo.ts',
      'scripts/state/node-version.ts',
      'scripts/state/paths.ts',
      'scripts/state/running.ts',
      'scripts/state/stamp.ts',
      'scripts/state/variables.ts',
      'scripts/text/shown.ts',
      'scripts/text/visible.ts',
      'scripts/transcript/records.ts',
    ]);
  });

  it('loads these modules of Node, and the rest of the guard only when it is needed', () => {
    const imported = [...new Set(guard.imports.map(({ path }) => path))].sort();
    const later = imported.splice(0, 3);
    assert.deepEqual(later, ['./compile-cache.cjs', './judge-call.cjs', './proxy.cjs']);
    assert.deepEqual(imported, ['node:crypto', 'node:fs', 'node:http', 'node:https', 'node:os', 'node:path']);
    const source = readFileSync('dist/guard.cjs', 'utf8');
    // At the top of a CommonJS bundle a module loads at once; these three are inside a function.
    assert.match(source, /=>require\("node:crypto"\)/);
    assert.match(source, /\?require\("node:https"\):require\("node:http"\)/);
  });

  it('has nothing in it that Node would take milliseconds for before it is needed', () => {
    const source = readFileSync('dist/guard.cjs', 'utf8');
    const costly = {
      'a module of its own, loaded at the first use of this name': /\bperformance\b/,
      'a literal that V8 checks when it reads the file': /\/[^/\n]*\\p\{[^/\n]*\/[a-z]*u/,
    };
    for (const [why, pattern] of Object.entries(costly)) assert.ok(!pattern.test(source), `${pattern}: ${why}`);
  });

  it('stays small', () => {
    // Of that, 500 bytes are for Windows: a file in use, an input that is never closed, and where the home folder is; and
    // 300 for proxies.
    assert.ok(statSync('dist/guard.cjs').size < 31_000, `${statSync('dist/guard.cjs').size} bytes`);
  });
});

describe('the bundle that a session waits for', () => {
  it('holds the wire of the resident guard, and loads the rest afterwards', () => {
    const resident = output('resident');
    assert.ok(statSync('dist/resident.cjs').size < 10_000, `${statSync('dist/resident.cjs').size} bytes`);
    const later = [...new Set(resident.imports.map(({ path }) => path))].filter((path) => path.startsWith('.'));
    assert.deepEqual(later, ['./compile-cache.cjs', './resident-tools.cjs']);
  });
});

describe('the other bundles', () => {
  it('are self-contained: they import nothing but Node and each other', () => {
    const imported = Object.entries(metafile.outputs).flatMap(([name, { imports }]) =>
      imports.filter(({ external }) => external).map(({ path }) => ({ name, path })),
    );
    assert.ok(imported.length > 0);
    for (const { name, path } of imported) {
      // A module of a newer Node (node:sqlite) is not a package either: `node:` shows that.
      const known = path.startsWith('./')
        ? `dist/${path.slice(2)}` in metafile.outputs
        : /^node:/.test(path) || isBuiltin(path);
      assert.ok(known, `${name} imports ${path}`);
    }
  });

  it('are ASCII, and with the differ read by a session only where something changed', () => {
    for (const name of Object.keys(metafile.outputs).filter((path) => path.endsWith('.cjs')))
      assert.doesNotMatch(readFileSync(name, 'utf8'), /[^\0-\x7f]/, name);
    const ofDiffer = Object.keys(output('session-start-hook').inputs).filter((path) =>
      /^scripts\/(?:diff|proof)\//.test(path),
    );
    assert.deepEqual(ofDiffer, ['scripts/diff/types.ts', 'scripts/diff/levels.ts']);
  });

  it('load undici only to make a request, and conf only to write a baseline', () => {
    const packages = (name: string) =>
      Object.keys(output(name).inputs).filter((file) => /node_modules\/(undici|conf|zx)\//.test(file));
    assert.deepEqual(packages('judge-call'), []);
    assert.deepEqual(packages('tool-failure-hook'), []);
    const ofStart = packages('session-start-hook');
    assert.ok(ofStart.length > 0 && ofStart.every((file) => file.includes('/conf/')), ofStart.join());
    assert.ok(packages('http').length > 0);
  });

  it('hold no more of undici than makes a request', () => {
    const rest = Object.keys(output('http').inputs).filter((file) =>
      /undici\/(index\.js|lib\/(mock|interceptor|cache|web\/(fetch\/index|websocket|cache))|.*client-h2)/.test(file),
    );
    // It exists, but throws.
    assert.deepEqual(
      rest.map((file) => basename(file)),
      ['client-h2.js'],
    );
    assert.ok(statSync('dist/http.cjs').size < 310_000, `${statSync('dist/http.cjs').size} bytes`);
  });

  it('share one ajv, and no command brings another one', () => {
    const names = Object.keys(metafile.outputs).map((path) => basename(path, '.cjs'));
    const having = (file: RegExp) =>
      names.filter((name) => Object.keys(output(name).inputs).some((one) => file.test(one)));
    assert.deepEqual(having(/node_modules\/ajv\//), ['ajv']);
    for (const command of ['pin', 'verify', 'approve', 'install', 'uninstall', 'usage'])
      assert.deepEqual(having(new RegExp(`scripts/cli/${command}\\.ts$`)), [command]);
  });
});
