// Builds konnichiwagwan where it is not built, and hands over to its own installer: what is installed is decided there.
// On Windows: `node install.mjs`, with the options of install.sh. Nothing is imported before the version of Node is known.

const NEEDED = [20, 18, 1];
const ME = process.platform === 'win32' ? 'node install.mjs' : './install.sh';
const USAGE = `usage: ${ME} [--yes | --no-wrap] [--dry-run]       install for all projects; --yes: guard all servers, too
       ${ME} --project [--dry-run]                 install in the current project
       ${ME} --uninstall [--purge] [--project] [--dry-run]   take out what was installed (--purge: and its state)
       ${ME} --demo                                show a stale call being stopped; installs nothing
`;

const end = (code, ...lines) => {
  process.stderr.write(`install: ${lines.join('\n  ')}\n`);
  process.exit(code);
};
const misused = (why) => end(2, `${why}\n${USAGE.trimEnd()}`);

const version = process.versions.node.split(/[.-]/).map(Number);
const at = NEEDED.findIndex((part, index) => version[index] !== part);
if (at >= 0 && version[at] < NEEDED[at])
  end(1, `Node.js ${process.versions.node} is too old: ${NEEDED.join('.')} or newer is needed (${process.execPath}).`);

const { spawn } = await import('node:child_process');
const { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } = await import('node:fs');
const { createRequire } = await import('node:module');
const { homedir, tmpdir } = await import('node:os');
const { dirname, join } = await import('node:path');
const { fileURLToPath } = await import('node:url');

const OPTIONS = ['--project', '--dry-run', '--purge', '--yes', '--no-wrap', '--demo', '--uninstall'];

const read = (words) => {
  if (words.includes('-h') || words.includes('--help')) {
    process.stdout.write(USAGE);
    process.exit(0);
  }
  const unknown = words.find((word) => !OPTIONS.includes(word));
  if (unknown !== undefined) misused(`unknown option: ${unknown}`);
  const given = new Set(words);
  for (const [one, other] of [
    ['--yes', '--no-wrap'],
    ['--demo', '--uninstall'],
  ])
    if (given.has(one) && given.has(other)) misused(`${one} and ${other} exclude each other`);
  const command = given.has('--demo') ? 'demo' : given.has('--uninstall') ? 'uninstall' : 'install';
  if (command === 'demo' && given.size > 1) misused('--demo stands alone');
  if (command !== 'uninstall' && given.has('--purge')) misused('--purge goes with --uninstall');
  const servers = ['--yes', '--no-wrap'].find((option) => given.has(option));
  if (command !== 'install' && servers) misused(`${servers} goes with an installation`);
  // In the order in which they are told of.
  const passed = ['--project', '--purge', '--yes', '--no-wrap', '--dry-run'].filter((option) => given.has(option));
  return { command, project: given.has('--project'), passed };
};

const { command, project, passed } = read(process.argv.slice(2));
const root = dirname(fileURLToPath(import.meta.url));
const claude = project ? join(process.cwd(), '.claude') : process.env.CLAUDE_CONFIG_DIR || join(homedir(), '.claude');

/** When a file, or the newest one in a folder, was written; 0 where there is none. */
const newest = (path) => {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return stats?.mtimeMs ?? 0;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
};
const isOlder = (path, ...sources) => sources.some((source) => newest(join(root, source)) > newest(join(root, path)));

// What was built is older than what it is built from. A package that npm packed holds no sources, and is never built.
const isStale = () =>
  !existsSync(join(root, 'dist/cli.cjs')) ||
  (existsSync(join(root, 'scripts')) &&
    isOlder('dist/cli.cjs', 'scripts', 'hooks', 'package.json', 'package-lock.json'));

/** How npm is started. On Windows it is a script for the shell; the program behind it needs none. */
const npmWords = () => {
  const program = join(dirname(process.execPath), 'node_modules/npm/bin/npm-cli.js');
  return process.platform === 'win32' && existsSync(program) ? [process.execPath, program] : ['npm'];
};

/** A quiet step in the checkout, whose output is shown only if it fails. */
const step = (what, args, env) =>
  new Promise((done) => {
    process.stderr.write(`${what} (npm ${args[0]}) …\n`);
    const [program, ...words] = [...npmWords(), ...args];
    const child = spawn(program, words, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    const said = [];
    child.stdout.on('data', (chunk) => said.push(chunk));
    child.stderr.on('data', (chunk) => said.push(chunk));
    child.on('error', ({ code, message }) =>
      end(1, code === 'ENOENT' ? 'npm is missing: it comes with Node.js.' : `npm does not start: ${message}`),
    );
    child.on('close', (code) => {
      if (code === 0) return done();
      process.stderr.write(Buffer.concat(said));
      end(1, `\`npm ${args.join(' ')}\` failed in ${root} (its output is above).`, 'Nothing was installed.');
    });
  });

const build = async () => {
  if (!isStale()) return;
  const env = { ...process.env, npm_config_update_notifier: 'false' };
  // The demo leaves nothing behind, so not even npm's cache and logs are the user's.
  if (command === 'demo') {
    const temporary = mkdtempSync(join(tmpdir(), 'konnichiwagwan-npm-'));
    process.on('exit', () => rmSync(temporary, { recursive: true, force: true, maxRetries: 3 }));
    env.npm_config_cache = join(temporary, 'npm');
    env.npm_config_logs_dir = join(temporary, 'logs');
    env.NODE_DISABLE_COMPILE_CACHE = '1';
  }
  const installed = 'node_modules/.package-lock.json';
  // esbuild is a development dependency, and its program an optional one: NODE_ENV=production or an `omit` in some .npmrc
  // must leave out neither.
  if (!existsSync(join(root, installed)) || isOlder(installed, 'package-lock.json')) {
    const words = ['ci', '--include=dev', '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
    await step('fetching what the build needs', words, env);
  }
  await step('building', ['run', 'build'], env);
};

// Before anything is fetched or built: settings that no installer could change.
const checkSettings = () => {
  const file = join(claude, 'settings.json');
  try {
    const text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
    if (text.trim() !== '') JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError)
      end(
        1,
        `${file} is not valid JSON: ${error.message}`,
        'Repair it, then run this again. Nothing was built or installed.',
      );
  }
};

const stop = { SIGINT: () => process.exit(130), SIGTERM: () => process.exit(143) };
for (const [signal, handle] of Object.entries(stop)) process.on(signal, handle);
let cli = join(root, 'dist/cli.cjs');
if (command === 'uninstall' && !existsSync(cli)) {
  // `dist`: for all projects. An installation that is there needs no build.
  const copies = ['program', 'dist'].map((folder) => join(claude, 'skills/konnichiwagwan', folder, 'cli.cjs'));
  cli = copies.find((path) => existsSync(path)) ?? cli;
  if (!existsSync(cli)) await build();
} else if (command !== 'uninstall') {
  if (command === 'install') checkSettings();
  await build();
}
for (const [signal, handle] of Object.entries(stop)) process.off(signal, handle);
// In this process, from where the user stands: `--project` means that folder.
process.argv = [process.execPath, cli, command, ...passed];
createRequire(import.meta.url)(cli);
