// Bundles what is shipped into dist/, self-contained: nobody who installs the plugin runs npm.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';

const shipped = {
  guard: 'hooks/guard.ts',
  'judge-call': 'hooks/judge-call.ts',
  'session-start': 'hooks/session-start.ts',
  'tool-failure': 'hooks/tool-failure.ts',
  cli: 'scripts/cli/main.ts',
};

await rm('dist', { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: shipped,
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  // The guard loads its second half only when something changed: two bundles, joined by a plain require.
  external: ['./judge-call.cjs'],
  define: { 'import.meta.url': '__fileUrl' },
  banner: { js: 'const __fileUrl=require("node:url").pathToFileURL(__filename).href;' },
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
});
// What is run here alone: neither shipped nor installed.
await build({
  entryPoints: { 'write-rules-page': 'scripts/write-rules-page.ts' },
  outdir: '.build',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'node20',
  format: 'esm',
  logLevel: 'warning',
});
await mkdir('.build', { recursive: true });
await writeFile('.build/metafile.json', JSON.stringify(metafile));
