// Bundles what is shipped into dist/, self-contained: nobody who installs the plugin runs npm.
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { build } from 'esbuild';

const shipped = {
  guard: 'hooks/guard.ts',
  'judge-call': 'hooks/judge-call.ts',
  'session-start': 'hooks/session-start.ts',
  'tool-failure': 'hooks/tool-failure.ts',
  offers: 'hooks/offers.ts',
  cli: 'scripts/cli/main.ts',
  commands: 'commands',
  demo: 'scripts/cli/demo.ts',
  diff: 'scripts/cli/diff.ts',
  html: 'scripts/reports/html/html.ts',
  config: 'scripts/config/config.ts',
  http: 'scripts/sources/http.ts',
  'list-over-mcp': 'scripts/sources/mcp/list-over-mcp.ts',
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

/**
 * Reading the other commands takes longer than most of what one command does: they are a bundle that the entry reads
 * when it needs it, and each of them runs when it is asked for.
 */
const commandsApart = {
  name: 'commands-apart',
  setup: ({ onResolve, onLoad }) => {
    const entry = resolve('scripts/cli/main.ts');
    const loads = [...readFileSync(entry, 'utf8').matchAll(/import\('(\.\/([\w-]+)\.ts)'\)\)\.(\w+)/g)];
    const members = loads
      .filter(([, , name]) => !(name in shipped))
      .map(([, path, , exported]) => `get ${exported}() { return require('${path}').${exported} }`);
    onResolve({ filter: /^commands$/ }, ({ path }) => ({ path, namespace: 'commands' }));
    onLoad({ filter: /.*/, namespace: 'commands' }, () => ({
      contents: `module.exports = { ${members.join(', ')} }`,
      resolveDir: dirname(entry),
    }));
    onResolve({ filter: /\.ts$/ }, ({ path, importer, kind }) => {
      const isCommand = kind === 'dynamic-import' && importer === entry && !(basename(path, '.ts') in shipped);
      return isCommand ? { path: './commands.cjs', external: true } : undefined;
    });
  },
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

/** The protocol's library brings a validator of its own for what tools answer. We call none. */
const mcpWithoutValidator = {
  name: 'mcp-without-validator',
  setup: ({ onLoad }) =>
    onLoad({ filter: /@modelcontextprotocol[\\/]client[\\/]dist[\\/]ajvProvider-.*\.mjs$/ }, ({ path }) => {
      const [, exported] = /export \{([^}]*)\};?\s*(?:\/\/.*)?\s*$/.exec(readFileSync(path, 'utf8')) ?? [];
      const names = [...(exported ?? '').matchAll(/ as (\w+)/g)].map(([, name]) => name);
      return { contents: names.map((name) => `export class ${name} {}`).join('\n') };
    }),
};

/**
 * Of undici only `request` is called. What stands beside it (fetch, WebSocket, caches, mocks) would cost every first
 * question to a gateway 40 ms, and HTTP/2, which nobody asks for unless `allowH2` is set, another 10 ms.
 */
const undiciRequestAlone = {
  name: 'undici-request-alone',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^undici$/ }, ({ path }) => ({ path, namespace: 'undici-request-alone' }));
    onLoad({ filter: /.*/, namespace: 'undici-request-alone' }, () => ({
      contents: `
        const Agent = require('undici/lib/dispatcher/agent.js');
        const request = require('undici/lib/api/api-request.js');
        const agent = new Agent();
        exports.request = ({ origin, pathname, search }, options) =>
          request.call(agent, { method: 'GET', ...options, origin, path: pathname + search });`,
      resolveDir: resolve('.'),
    }));
    onLoad({ filter: /undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/ }, () => ({
      contents: `module.exports = () => { throw new Error('HTTP/2 is not built in') };`,
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
  // What its `main` names cannot be bundled.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  plugins: [bundleOfItsOwn, commandsApart, confWithoutSchemas, mcpWithoutValidator, undiciRequestAlone],
  define: { 'import.meta.url': '__fileUrl' },
  metafile: true,
  write: false,
  legalComments: 'none',
  logLevel: 'warning',
});
/**
 * The gateway kit, for both kinds of modules: other people's servers load it, and bundle it, so that neither form may
 * read other files. Its types are written by hand, and the sources are checked against them. In a folder of its own: the
 * installer copies what lies in dist/ itself.
 */
const kit = await Promise.all(
  [
    // Its sources load Node's modules late, with a require that ESM does not have.
    { format: 'esm', extension: '.mjs', banner: 'const require = process.getBuiltinModule;' },
    { format: 'cjs', extension: '.cjs', banner: '' },
  ].map(({ format, extension, banner }) =>
    build({
      entryPoints: { index: 'scripts/gateway-kit/entry.ts' },
      outdir: 'dist/gateway',
      outExtension: { '.js': extension },
      bundle: true,
      minify: true,
      platform: 'node',
      target: 'node20',
      format,
      banner: { js: banner },
      write: false,
      legalComments: 'none',
      logLevel: 'warning',
    }),
  ),
);
const kitTypes = readFileSync('scripts/gateway-kit/gateway.d.ts');
const kitFiles = [
  ...kit.flatMap(({ outputFiles }) => outputFiles),
  ...['.d.mts', '.d.cts'].map((extension) => ({ path: `dist/gateway/index${extension}`, contents: kitTypes })),
];
// Only a build that succeeded replaces the last one.
await rm('dist', { recursive: true, force: true });
await mkdir('dist/gateway', { recursive: true });
/** For libraries that ask for their own address. Making it takes half a millisecond, so only where one does. */
const FILE_URL = 'const __fileUrl=require("node:url").pathToFileURL(__filename).href;';
const withAddress = ({ path, text }) =>
  writeFile(path, text.includes('__fileUrl') ? text.replace(/^(#!.*\n)?/, (line) => `${line}${FILE_URL}`) : text);
await Promise.all([
  ...outputFiles.map(withAddress),
  ...kitFiles.map(({ path, contents }) => writeFile(path, contents)),
]);

// What is run here alone: neither shipped nor installed.
await build({
  entryPoints: {
    'write-pages': 'scripts/dev/pages/write-pages.ts',
    bench: 'scripts/dev/bench/bench.ts',
    corpus: 'scripts/dev/corpus/corpus.ts',
    'draw-terminal': 'scripts/dev/pages/draw-terminal.ts',
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
