// Bundles what is shipped into dist/, self-contained: nobody who installs the plugin runs npm.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { build } from 'esbuild';

const shipped = {
  guard: 'hooks/guard.ts',
  'judge-call': 'hooks/judge-call.ts',
  'session-start': 'hooks/session-start.ts',
  'tool-failure': 'hooks/tool-failure.ts',
  cli: 'scripts/cli/main.ts',
  http: 'scripts/sources/http.ts',
};

/** A dynamic import of a file that is a bundle of its own stays one: what is not needed is not even read. */
const bundleOfItsOwn = {
  name: 'bundle-of-its-own',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\.ts$/ }, ({ path, kind }) => {
      const name = basename(path, '.ts');
      return kind === 'dynamic-import' && name in shipped ? { path: `./${name}.cjs`, external: true } : undefined;
    }),
};

/** conf validates where it is given a schema. We give it none, and its validator would cost every session's start 15 ms. */
const confWithoutSchemas = {
  name: 'conf-without-schemas',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^ajv/ }, ({ path, importer }) =>
      /node_modules[\\/]conf[\\/]/.test(importer) ? { path, namespace: 'conf-without-schemas' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'conf-without-schemas' }, () => ({
      contents: 'export class Ajv2020 {}; export default class {}',
    }));
  },
};

const { metafile, outputFiles } = await build({
  entryPoints: shipped,
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  // Node reads a CommonJS file that is imported twice, once to guess its exports: a require does not.
  supported: { 'dynamic-import': false },
  plugins: [bundleOfItsOwn, confWithoutSchemas],
  define: { 'import.meta.url': '__fileUrl' },
  banner: { js: 'const __fileUrl=require("node:url").pathToFileURL(__filename).href;' },
  metafile: true,
  write: false,
  legalComments: 'none',
  logLevel: 'warning',
});
// Only a build that succeeded replaces the last one.
await rm('dist', { recursive: true, force: true });
await mkdir('dist');
await Promise.all(outputFiles.map(({ path, contents }) => writeFile(path, contents)));

// What is run here alone: neither shipped nor installed.
await build({
  entryPoints: {
    'write-rules-page': 'scripts/write-rules-page.ts',
    bench: 'scripts/bench/bench.ts',
    'draw-terminal': 'scripts/draw-terminal.ts',
  },
  outdir: '.build',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  packages: 'external',
  banner: { js: "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);" },
  platform: 'node',
  target: 'node20',
  format: 'esm',
  logLevel: 'warning',
});
await mkdir('.build', { recursive: true });
await writeFile('.build/metafile.json', JSON.stringify(metafile));
