// Bundles what is shipped into dist/, self-contained: users install the plugin without npm.
import { readFileSync } from 'node:fs';
import { chmod, cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { build } from 'esbuild';
import { licences } from './licenses.mjs';

/** One bundle per command: reading the code of the others would take longer than most of a command's work. */
const commands = Object.fromEntries(
  [...readFileSync('scripts/cli/commands.ts', 'utf8').matchAll(/import\('\.\/([\w-]+)\.ts'\)/g)].map(([, name]) => [
    name,
    `scripts/cli/${name}.ts`,
  ]),
);

/** Large programs, in two files each: Node compiles the first, a small one, at each start, and keeps the second compiled. */
const inTwoFiles = {
  'session-start': { 'session-start-hook': 'hooks/session-start.ts' },
  'tool-failure': { 'tool-failure-hook': 'hooks/tool-failure.ts' },
  offers: { 'offers-hook': 'hooks/offers.ts' },
  worker: { 'resident-worker': 'scripts/resident/worker.ts' },
};
const compiledPrograms = Object.entries(inTwoFiles).map(([name, second]) => ({
  [name]: `compiled:${Object.keys(second)}`,
  ...second,
}));
const compiled = {
  name: 'compiled',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^compiled:/ }, ({ path }) => ({ path: path.slice(9), namespace: 'compiled' }));
    onResolve({ filter: /^\.\/[\w-]+\.cjs$/ }, ({ path, namespace }) =>
      namespace === 'compiled' ? { path, external: true } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'compiled' }, ({ path }) => ({
      contents: `require('./scripts/state/compile-cache.ts').cacheCompiled(); require('./${path}.cjs');`,
      resolveDir: resolve('.'),
    }));
  },
};

const shipped = {
  guard: 'hooks/guard.ts',
  'compile-cache': 'scripts/state/compile-cache.ts',
  'judge-call': 'scripts/guard/judge-call.ts',
  'session-end': 'hooks/session-end.ts',
  'send-events': 'hooks/send-events.ts',
  resident: 'hooks/resident.ts',
  'scan-worker': 'scripts/scan/scan-worker.ts',
  'resident-tools': 'scripts/resident/resident-tools.ts',
  'wrap-server': 'scripts/wrap/wrap-server.ts',
  'typed-tools': 'scripts/wrap/typed/typed-tools.ts',
  judging: 'scripts/wrap/judging.ts',
  'users-environment': 'scripts/wrap/users-environment.ts',
  'beside-guard': 'scripts/wrap/beside-guard.ts',
  cli: 'scripts/cli/main.ts',
  run: 'scripts/cli/run.ts',
  ...Object.assign({}, ...compiledPrograms),
  ...commands,
  html: 'scripts/reports/html/html.ts',
  'drifted-tools': 'scripts/session/drifted-tools.ts',
  'what-changed': 'scripts/session/what-changed.ts',
  config: 'scripts/config/config.ts',
  ajv: 'ajv-bundle',
  http: 'scripts/sources/http.ts',
  proxy: 'scripts/sources/proxy.ts',
  'shared-refresh': 'scripts/shared/shared-refresh.ts',
  'list-over-mcp': 'scripts/sources/mcp/list-over-mcp.ts',
};

/** Keeps dynamic imports of files that are separate bundles, so that Node does not even read what is not needed. */
const bundleOfItsOwn = {
  name: 'bundle-of-its-own',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\.ts$/ }, ({ path, kind }) => {
      const name = basename(path, '.ts');
      return kind === 'dynamic-import' && name in shipped ? { path: `./${name}.cjs`, external: true } : undefined;
    }),
};

/** A separate bundle: most runs validate nothing, and ajv would be half of what they read. */
const AJV = /^ajv(?:\/dist\/20(?:19|20)\.js)?$/;
const ajvApart = {
  name: 'ajv-apart',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^ajv-bundle$/ }, ({ path }) => ({ path, namespace: 'ajv-bundle' }));
    onLoad({ filter: /.*/, namespace: 'ajv-bundle' }, () => ({
      contents: `module.exports = {
        get 'ajv'() { return require('ajv') },
        get 'ajv/dist/2019.js'() { return require('ajv/dist/2019.js') },
        get 'ajv/dist/2020.js'() { return require('ajv/dist/2020.js') },
      }`,
      resolveDir: resolve('.'),
    }));
    onResolve({ filter: AJV }, ({ path, kind, importer }) =>
      kind === 'require-call' && importer.endsWith('.ts') ? { path, namespace: 'ajv-apart' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'ajv-apart' }, ({ path }) => ({
      contents: `module.exports = require('./ajv.cjs')[${JSON.stringify(path)}]`,
    }));
    onResolve({ filter: /^\.\/ajv\.cjs$/ }, ({ path }) => ({ path, external: true }));
  },
};

/**
 * Leaves out conf's validation and migrations: we give it neither a schema nor migrations, and these parts would cost
 * every session's start 20 ms.
 */
const confAlone = {
  name: 'conf-alone',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(ajv|semver$)/ }, ({ path, importer }) =>
      /node_modules[\\/]conf[\\/]/.test(importer) ? { path, namespace: 'conf-alone' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'conf-alone' }, () => ({
      contents: 'export class Ajv2020 {}; export default class {}',
    }));
    // It compares two values with it, and Node's own would prepare coloured output: 3 ms.
    onResolve({ filter: /^node:assert$/ }, ({ path, importer }) =>
      /node_modules[\\/]conf[\\/]/.test(importer) ? { path, namespace: 'conf-assert' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'conf-assert' }, () => ({
      contents: `import { isDeepStrictEqual } from 'node:util';
        export default { deepEqual(a, b) { if (!isDeepStrictEqual(a, b)) throw new Error('not equal') } };`,
    }));
  },
};

/** Modules of Node that few runs need: each takes some milliseconds to load, and is loaded when it is used. */
const LATE = ['node:child_process', 'node:v8', 'node:vm'];
const lateModules = {
  name: 'late-modules',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      LATE.includes(path) && kind === 'import-statement' ? { path, namespace: 'late-modules' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'late-modules' }, ({ path }) => ({
      contents: `module.exports = { ${Object.keys(process.getBuiltinModule(path))
        .map((name) => `get ${name}() { return require('${path}').${name} }`)
        .join()} }`,
    }));
  },
};

/** The names that a module exports, as its text says. */
const exportsOf = (path) => {
  const text = readFileSync(path, 'utf8');
  const [, listed] = /export \{([^}]*)\};?\s*(?:\/\/.*)?\s*$/.exec(text) ?? [];
  const found = [
    ...(listed ?? '').matchAll(/ as (\w+)/g),
    ...text.matchAll(/^export (?:\{ \w+ as|const|function) (\w+)/gm),
  ];
  return [...new Set(found.map(([, name]) => name))];
};

/** Leaves out the MCP library's validator of tool results, since we call no tools, and how it writes schemas of its own tools. */
const mcpWithoutSchemas = {
  name: 'mcp-without-schemas',
  setup: ({ onLoad }) => {
    onLoad({ filter: /@modelcontextprotocol[\\/]client[\\/]dist[\\/]ajvProvider-.*\.mjs$/ }, ({ path }) => ({
      contents: exportsOf(path)
        .map((name) => `export class ${name} {}`)
        .join('\n'),
    }));
    onLoad({ filter: /zod[\\/]v4[\\/]core[\\/](?:json-schema-processors|to-json-schema)\.js$/ }, ({ path }) => ({
      contents: `const left = () => () => { throw new Error('JSON Schema of zod is not built in') };
        ${exportsOf(path)
          .map((name) => `export const ${name} = left;`)
          .join('\n')}`,
    }));
  },
};

/**
 * Bundles only `request` of undici, also through a proxy. Its other parts (fetch, WebSocket, caches, mocks) would cost every
 * first question to a gateway 40 ms, and HTTP/2, which is not used unless `allowH2` is set, another 10 ms.
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
        exports.request = ({ origin, pathname, search }, { dispatcher = agent, ...options }) =>
          request.call(dispatcher, { method: 'GET', ...options, origin, path: pathname + search });
        Object.defineProperty(exports, 'ProxyAgent', { get: () => require('undici/lib/dispatcher/proxy-agent.js') });`,
      resolveDir: resolve('.'),
    }));
    // The parser for processors with SIMD is a second copy of the one that all run, and our answers are small.
    onLoad({ filter: /undici[\\/]lib[\\/]llhttp[\\/]llhttp_simd-wasm\.js$/ }, () => ({
      contents: `module.exports = require('./llhttp-wasm.js')`,
    }));
    onLoad({ filter: /undici[\\/]lib[\\/]web[\\/]fetch[\\/]body\.js$/ }, () => ({
      contents: `exports.extractBody = () => { throw new Error('forms and streams as bodies are not built in') };`,
    }));
    onLoad({ filter: /undici[\\/]lib[\\/]dispatcher[\\/]socks5-proxy-agent\.js$/ }, () => ({
      contents: `module.exports = class { constructor() { throw new Error('SOCKS is not built in') } };`,
    }));
    onLoad({ filter: /undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/ }, () => ({
      contents: `module.exports = () => { throw new Error('HTTP/2 is not built in') };`,
    }));
  },
};

/** Programs that show rules with their examples, in reports or to a reader. */
const SHOWING_RULES = ['diff', 'mcp-validate', 'verify'];

/** Leaves out the examples of rules and of kinds of words: tests and readers need them, and they are a fifth of the diff. */
const withoutExamples = {
  name: 'without-examples',
  setup: ({ onLoad }) =>
    onLoad({ filter: /diff[\\/](?:rules[\\/][\w-]+|words[\\/]kinds)\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const contents = text
        .replace(/^ {2}examples: \[\n[\s\S]*?^ {2}\],\n/gm, '  examples: [],\n')
        .replace(/^ {4}\{\n {6}meaning: \[\n[\s\S]*?^ {4}\},\n/gm, '    { meaning: [], near: [] },\n');
      if (contents === text) throw new Error(`no examples were found in ${path}`);
      return { contents, loader: 'ts' };
    }),
};

/**
 * Programs with short names: the first is read for every call, of the next three others hold no part, and the last one stays in
 * memory, where compiling long names takes 16 MB more.
 */
const SHORT = ['guard', 'http', 'ajv', 'list-over-mcp', 'resident-tools'];
const isShort = ([name]) => SHORT.includes(name);

const programs = (entryPoints, minified, plugins = []) => ({
  entryPoints,
  ...minified,
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  // Node reads an imported CommonJS file twice, once to find its exports; with `require` it reads it once.
  supported: { 'dynamic-import': false },
  alias: {
    // The file that the package's `main` names cannot be bundled.
    'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
    // Of these forms only what is used is bundled, a twelfth.
    ...Object.fromEntries(
      ['api-logs', 'core', 'otlp-transformer', 'resources', 'sdk-logs', 'sdk-metrics'].map((name) => [
        `@opentelemetry/${name}`,
        `@opentelemetry/${name}/build/esm/index.js`,
      ]),
    ),
  },
  plugins: [
    bundleOfItsOwn,
    compiled,
    ajvApart,
    confAlone,
    lateModules,
    mcpWithoutSchemas,
    undiciRequestAlone,
    ...plugins,
  ],
  define: {
    'import.meta.url': '__fileUrl',
    __version: JSON.stringify(JSON.parse(readFileSync('package.json', 'utf8')).version),
  },
  metafile: true,
  write: false,
  legalComments: 'none',
  logLevel: 'warning',
});
const all = Object.entries(shipped);
const showsRules = ([name]) => SHOWING_RULES.includes(name);
const some = (is) => Object.fromEntries(all.filter(is));
// These keep their names: what they share is the same text then, and a project's archives are a fifth smaller.
const NAMED = { minifyWhitespace: true, minifySyntax: true };
const built = await Promise.all([
  build(programs(some(isShort), { minify: true }, [withoutExamples])),
  build(programs(some(showsRules), NAMED)),
  build(
    programs(
      some((one) => !isShort(one) && !showsRules(one)),
      NAMED,
      [withoutExamples],
    ),
  ),
]);
const outputFiles = built.flatMap((one) => one.outputFiles);
const metafile = {
  inputs: Object.assign({}, ...built.map((one) => one.metafile.inputs)),
  outputs: Object.assign({}, ...built.map((one) => one.metafile.outputs)),
};

/** Files for both kinds of modules: other people's programs load and bundle them. */
const FORMS = [
  // The sources load Node's modules late, with a require that ESM does not have.
  { format: 'esm', extension: '.mjs', banner: 'const require = process.getBuiltinModule;' },
  { format: 'cjs', extension: '.cjs', banner: '' },
];

/** The code that asks servers is larger than all the rest, and few need it: both kinds of modules read it only then. */
const askingApart = {
  name: 'asking-apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/ask-url\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './ask-url.cjs', external: true } : undefined,
    ),
};
/** Shares the bundles of the command. */
const oneFolderUp = {
  name: 'one-folder-up',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\.ts$/ }, ({ path, kind }) => {
      const name = basename(path, '.ts');
      return kind === 'dynamic-import' && name in shipped ? { path: `../${name}.cjs`, external: true } : undefined;
    }),
};

const kitBuild = (folder, options) =>
  build({
    outdir: `dist/${folder}`,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    metafile: true,
    write: false,
    legalComments: 'none',
    logLevel: 'warning',
    ...options,
  });

/**
 * Builds an export into a separate folder, because the installer copies all files directly in dist/. The types are written
 * by hand, and the sources are checked against them.
 */
const exported = async (folder, entry, types, plugins = []) => {
  const kit = await Promise.all(
    FORMS.map(({ format, extension, banner }) =>
      kitBuild(folder, {
        entryPoints: { index: entry },
        outExtension: { '.js': extension },
        format,
        banner: { js: banner },
        plugins,
      }),
    ),
  );
  const contents = readFileSync(types);
  return {
    files: [
      ...kit.flatMap(({ outputFiles }) => outputFiles),
      ...['.d.mts', '.d.cts'].map((extension) => ({ path: `dist/${folder}/index${extension}`, contents })),
    ],
    metafiles: kit.map((one) => one.metafile),
  };
};
const kits = [
  await exported('gateway', 'scripts/gateway-kit/entry.ts', 'scripts/gateway-kit/gateway.d.ts'),
  await exported('validate', 'scripts/validate/kit/entry.ts', 'scripts/validate/kit/validate.d.ts', [askingApart]),
];
const kitFiles = kits.flatMap(({ files }) => files);
const { outputFiles: asking, metafile: askingMetafile } = await kitBuild('validate', {
  entryPoints: { 'ask-url': 'scripts/validate/ask-url.ts' },
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  supported: { 'dynamic-import': false },
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  plugins: [oneFolderUp, confAlone, mcpWithoutSchemas],
  define: { 'import.meta.url': '__fileUrl' },
});
// Only a build that succeeded replaces the last one.
await rm('dist', { recursive: true, force: true });
await Promise.all(['gateway', 'validate'].map((folder) => mkdir(`dist/${folder}`, { recursive: true })));
/** For libraries that use their own URL. Making it takes half a millisecond, so it is added only if one does. */
const FILE_URL = 'const __fileUrl=require("node:url").pathToFileURL(__filename).href;';
/**
 * The same program in ASCII. esbuild leaves other characters in regular expressions and tagged templates. A single one makes
 * the engine compile the file 50 % more slowly.
 */
const inAscii = (path, text) => {
  const [escaped] = /\\[^\0-\x7f]/.exec(text) ?? [];
  if (escaped !== undefined) throw new Error(`${path}: write ${escaped} without its backslash`);
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
};
const written = ({ path, text }) =>
  writeFile(
    path,
    inAscii(path, text.includes('__fileUrl') ? text.replace(/^(#!.*\n)?/, (line) => `${line}${FILE_URL}`) : text),
  );
await Promise.all([
  ...[...outputFiles, ...asking].map(written),
  ...kitFiles.map(({ path, contents }) => writeFile(path, contents)),
  writeFile('dist/licenses.txt', licences(metafile, askingMetafile, ...kits.flatMap(({ metafiles }) => metafiles))),
]);
// A link to this file still starts the command after a build.
await chmod('dist/cli.cjs', 0o755);

/**
 * The folder that the marketplace names as the plugin. The client copies that folder and, if it has a package.json, installs
 * all its dependencies, even those for development. Without a build there is no such folder, and the client refuses to
 * install it; it would install the checkout itself, which would stop every call because `dist` is missing.
 */
await rm('plugin', { recursive: true, force: true });
for (const part of ['.claude-plugin/plugin.json', 'hooks/hooks.json', 'skills', 'LICENSE'])
  await cp(part, `plugin/${part}`, { recursive: true });
await cp('dist', 'plugin/dist', {
  recursive: true,
  // On Windows the path is absolute.
  filter: (path) => basename(path) === 'dist' || /\.cjs$|licenses\.txt$/.test(path),
});

// Programs for development: neither shipped nor installed.
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
