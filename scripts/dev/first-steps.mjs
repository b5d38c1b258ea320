// What a user types first, as the README writes it, on any system: the demo, install, doctor, uninstall. It has a home folder
// of its own, which must be the same afterwards, byte for byte. `npm run windows` and the workflows run it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

const WINDOWS = process.platform === 'win32';
const root = mkdtempSync(join(tmpdir(), 'kwg first steps of Jörg '));
const [home, project] = [join(root, 'home'), join(root, 'project')];
const env = { ...process.env, HOME: home, USERPROFILE: home, CLAUDE_CONFIG_DIR: '', KONNICHIWAGWAN_HOME: '' };
// A copy of Windows' environment may spell it otherwise.
const path = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
env[path] = [join(home, '.local', 'bin'), env[path]].join(delimiter);

/** The line of the README that has these options, for this system. */
const line = (options) => {
  const written = `./install.sh${options}`;
  assert.match(readFileSync('README.md', 'utf8'), new RegExp(`^${written.replaceAll('.', '\\.')}(?= |$)`, 'm'));
  return WINDOWS ? `node install.mjs${options}` : written;
};

/** Types a line into the system's shell, and gives what it prints. */
const type = (typed, cwd = resolve('.')) => {
  const start = Date.now();
  const { status, stdout, stderr } = spawnSync(typed, { shell: true, cwd, env, encoding: 'utf8', timeout: 300_000 });
  assert.equal(status, 0, `${typed}\n${stdout}${stderr}`);
  console.log(`${typed}: ${((Date.now() - start) / 1_000).toFixed(1)} s`);
  return stdout;
};

/** Everything below a folder, with the bytes of files. */
const listing = (folder) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true }).map((name) => {
      const at = join(folder, name);
      return [name, statSync(at).isDirectory() ? 'folder' : readFileSync(at, 'latin1')];
    }),
  );

try {
  for (const folder of [join(home, '.claude'), project]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(home, '.claude', 'settings.json'), '{\r\n\t"model": "opus" }');
  writeFileSync(join(home, '.claude.json'), '{"numStartups":1}\n');
  const before = listing(root);
  assert.match(type(line(' --demo')), /with it 4 caught/);
  assert.deepEqual(listing(root), before, 'the demo wrote something');
  assert.match(type(line(' --dry-run')), /^Would install/);
  assert.deepEqual(listing(root), before, 'the dry run wrote something');
  assert.match(type(line('')), /^Installed/);
  for (const command of ['konnichiwagwan', 'kwg']) assert.match(type(`${command} doctor`, project), /stale/);
  assert.match(type(line(' --uninstall').concat(' --purge')), /^Removed/);
  assert.deepEqual(listing(root), before, 'not everything was taken out');
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}
