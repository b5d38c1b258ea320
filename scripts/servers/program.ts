// We cannot ask a running program for its tools, but we can check whether the files that it was started from changed.
import { createHash } from 'node:crypto';
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { attempt } from '../contract/attempt.ts';
import { defined } from '../contract/defined.ts';
import { pathIn } from '../state/paths.ts';
import { contentStamp, stampOf } from '../state/stamp.ts';
import type { Launch } from './types.ts';

/** One file that a server's program is made of. */
export interface ProgramFile {
  path: string;
  /** See `stampOf`: what the guard compares first. */
  stamp: string;
  /** Of its content, if that is at most 1 MB: a build without changes changes only the stamp. */
  hash?: string;
}

const MOST_FILES = 64;
const MOST_FOLDERS = 32;
const LARGEST_HASHED = 1024 * 1024;
const SOURCES = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.py', '.rb', '.jar', '.dll', '.json']);
const PACKAGES = (
  'package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock ' +
  'pyproject.toml uv.lock poetry.lock'
).split(' ');
const RUNNERS = new Set(['npx', 'bunx', 'pnpx']);

const isFile = (path: string): boolean => attempt(() => statSync(path).isFile(), false);

const onPath = (command: string, cwd: string, env: NodeJS.ProcessEnv): string | undefined => {
  if (isAbsolute(command) || /[\\/]/.test(command)) {
    const path = resolve(cwd, command);
    return isFile(path) ? path : undefined;
  }
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];
  const folders = pathIn(env)
    .split(delimiter)
    .filter((folder) => folder !== '');
  return folders.flatMap((folder) => endings.map((ending) => join(folder, command + ending))).find(isFile);
};

/** Whether a file beside a script is a part of the program. Other JSON may be what the server itself writes: its memory, its log. */
const isPart = (name: string): boolean =>
  SOURCES.has(extname(name)) && (extname(name) !== '.json' || PACKAGES.includes(name));

/** The scripts in a script's folder and below it: a build often rewrites only those that changed. */
const besides = (start: string): string[] => {
  const found: string[] = [];
  const folders = [start];
  for (let read = 0; read < MOST_FOLDERS && folders.length > 0 && found.length < MOST_FILES; read++) {
    const folder = folders.shift() as string;
    let entries: Dirent[];
    try {
      entries = readdirSync(folder, { withFileTypes: true });
    } catch {
      continue;
    }
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() && isPart(entry.name)) found.push(path);
    }
  }
  return found;
};

/** The manifest and lockfiles of the package that a script belongs to. */
const packageFiles = (script: string): string[] => {
  let folder = dirname(script);
  for (let level = 0; level < 6; level++) {
    const found = PACKAGES.map((name) => join(folder, name)).filter(isFile);
    if (found.length > 0) return found;
    folder = dirname(folder);
  }
  return [];
};

/** The package that a runner such as npx takes from the project; one that it downloads cannot be seen. */
const ofRunner = (args: readonly string[], cwd: string): string[] => {
  const name = args.find((arg) => !arg.startsWith('-'))?.replace(/(?<=.)@[^/@]*$/, '');
  return name === undefined ? [] : [join(cwd, 'node_modules', name, 'package.json')].filter(isFile);
};

const hashOf = (path: string): string | undefined =>
  attempt(() => {
    if (statSync(path).size > LARGEST_HASHED) return undefined;
    return createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 32);
  }, undefined);

/**
 * Whether a file is what a server reads or writes, such as its memory, and no part of it: JSON that an option names. What has
 * no option before it is what the server is made from, such as the description of an API.
 */
const isData = (path: string, before: string | undefined): boolean =>
  extname(path) === '.json' && before?.startsWith('-') === true;

/** The files that a server's program consists of, as far as its command line shows; at most 64. Starts nothing. */
export const programFiles = (launch: Launch, project: string, env: NodeJS.ProcessEnv): ProgramFile[] => {
  if (launch.type !== 'stdio') return [];
  const cwd = launch.cwd ?? project;
  const scripts = launch.args
    .filter((arg, at) => !arg.startsWith('-') && SOURCES.has(extname(arg)) && !isData(arg, launch.args[at - 1]))
    .map((arg) => resolve(cwd, arg))
    .filter(isFile);
  const main = scripts.find((path) => extname(path) !== '.json');
  const command = onPath(launch.command, cwd, { ...env, ...launch.env });
  const paths = [
    // An interpreter is not the program.
    ...(command === undefined || main !== undefined || RUNNERS.has(launch.command) ? [] : [command]),
    ...scripts,
    ...(RUNNERS.has(launch.command) ? ofRunner(launch.args, cwd) : []),
    ...(main === undefined ? [] : [...packageFiles(main), ...besides(dirname(main))]),
  ];
  return [...new Set(paths)].slice(0, MOST_FILES).map((path) => {
    const hash = hashOf(path);
    return { path, stamp: stampOf(path), ...defined({ hash }) };
  });
};

/** The paths of files that are gone, or whose content has changed. */
export const rebuilt = (before: readonly ProgramFile[], now: readonly ProgramFile[]): string[] => {
  const known = new Map(now.map((file) => [file.path, file]));
  return before
    .filter(({ path, stamp, hash }) => {
      const file = known.get(path);
      if (file === undefined) return true;
      if (file.hash !== undefined && hash !== undefined) return file.hash !== hash;
      return contentStamp(file.stamp) !== contentStamp(stamp);
    })
    .map(({ path }) => path);
};
