import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
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
      'scripts/hook/answer.ts',
      'scripts/hook/failure.ts',
      'scripts/hook/input.ts',
      'scripts/hook/unchanged.ts',
      'scripts/sources/again.ts',
      'scripts/sources/exchange.ts',
      'scripts/sources/limits.ts',
      'scripts/sources/mcp/announce.ts',
      'scripts/sources/mcp/ask-list.ts',
      'scripts/state/activity.ts',
      'scripts/state/asking.ts',
      'scripts/state/files.ts',
      'scripts/state/memo.ts',
      'scripts/state/paths.ts',
      'scripts/state/stamp.ts',
      'scripts/view/records.ts',
    ]);
  });

  it('loads these modules of Node, and the rest of the guard only when it is needed', () => {
    const imported = [...new Set(guard.imports.map(({ path }) => path))].sort();
    const [later, ...modules] = imported;
    assert.equal(later, './judge-call.cjs');
    assert.deepEqual(modules, ['node:crypto', 'node:fs', 'node:http', 'node:https', 'node:os', 'node:path']);
    const source = readFileSync('dist/guard.cjs', 'utf8');
    // At the top of a CommonJS bundle a module is loaded at once; these three stand inside a function.
    assert.match(source, /=>require\("node:crypto"\)/);
    assert.match(source, /\?require\("node:https"\):require\("node:http"\)/);
  });

  it('stays small', () => {
    assert.ok(statSync('dist/guard.cjs').size < 14_000, `${statSync('dist/guard.cjs').size} bytes`);
  });
});

describe('the other bundles', () => {
  it('are self-contained: they import nothing but Node and each other', () => {
    for (const [name, { imports }] of Object.entries(metafile.outputs)) {
      for (const { path, external } of imports) {
        if (!external) continue;
        assert.ok(/^(node:|\.\/)/.test(path) || /^[a-z_/]+$/.test(path), `${name} imports ${path}`);
      }
    }
  });

  it('load undici only to make a request, and conf only to write a baseline', () => {
    const packages = (name: string) =>
      Object.keys(output(name).inputs).filter((file) => /node_modules\/(undici|conf|zx)\//.test(file));
    assert.deepEqual(packages('judge-call'), []);
    assert.deepEqual(packages('tool-failure'), []);
    assert.ok(packages('session-start').every((file) => file.includes('/conf/')));
    assert.ok(packages('http').length > 0);
  });
});
