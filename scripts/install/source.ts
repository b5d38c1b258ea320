import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CommandError } from '../command/command.ts';
import { own } from '../contract/types.ts';
import { COMPILED } from '../state/compile-cache.ts';
import { readJson } from '../state/files.ts';
import type { InstallPlace } from './layout.ts';
import { isPacked, pack } from './packed.ts';

/** What is installed: the content of each file of the skill folder, by its path in there (with `/`). */
export interface InstallSource {
  version: string | null;
  files: Map<string, Buffer>;
}

const NAMES = ['cli', 'run', 'install', 'uninstall', 'guard', 'session-start', 'session-end', 'tool-failure', 'offers'];

/** In an installed folder: what Node compiled of the programs, and needs no keeping. */
export const COMPILED_HERE = `dist/${COMPILED}`;

/** The paths of all files and links below a folder, sorted, without compiled ones; empty if there is no such folder. */
export const listFiles = (folder: string): string[] => {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !path.startsWith(`${COMPILED_HERE}/`))
    .sort();
};

/** Whether a path in a skill folder looks like one that we put there, judged only by its name. */
export const isOurPlace = (path: string): boolean =>
  /^(?:SKILL\.md|install\.json|\.claude-plugin\/plugin\.json|hooks\/hooks\.json|(?:references|scripts)\/.+|(?:program|dist)\/(?:[^/]+\.(?:cjs|br)|licenses\.txt))$/.test(
    path,
  );

const versionOf = (file: string): string | null => {
  const version = own(readJson(file), 'version');
  return typeof version === 'string' ? version : null;
};

/** What makes Claude Code load a folder of skills as a plugin, with its hooks and its resident guard. */
const PLUGIN = ['.claude-plugin/plugin.json', 'hooks/hooks.json'];

/** Whether what is at `root` can be installed as a folder that is a plugin. */
export const isWholePlugin = (root: string): boolean =>
  [...PLUGIN, 'dist/resident.cjs', 'dist/resident-tools.cjs'].every((path) => existsSync(join(root, path)));

/** Packs the programs for a project. @throws CommandError for a person's own installation if `root` holds packed ones */
const shaped = (files: Map<string, Buffer>, programs: InstallPlace['programs'], root: string): Map<string, Buffer> => {
  if (isPacked(files.keys())) {
    if (programs === 'program') return files;
    throw new CommandError(
      'packed',
      `${root} holds a project's programs, not all of konnichiwagwan's`,
      'Install from a checkout or a package.',
    );
  }
  if (programs === 'dist') return files;
  const program = /^program\/([^/]+)\.cjs$/;
  const [plain, rest] = [new Map<string, Buffer>(), new Map<string, Buffer>()];
  for (const [path, bytes] of files) {
    const name = program.exec(path)?.[1];
    if (name === undefined) rest.set(path, bytes);
    else plain.set(name, bytes);
  }
  return new Map([...rest, ...[...pack(plain)].map(([file, bytes]) => [`program/${file}`, bytes] as const)]);
};

/**
 * Reads what is to be installed, from a package's root or an installed skill folder.
 * @param programs the folder that the programs are to be in
 * @param asPlugin whether the folder is to be a plugin
 * @throws CommandError if incomplete
 */
export const readSource = (root: string, programs: InstallPlace['programs'], asPlugin = false): InstallSource => {
  const nested = join(root, 'skills', 'konnichiwagwan');
  const packaged = existsSync(join(nested, 'SKILL.md'));
  const skill = packaged ? nested : root;
  const paths = new Map<string, string>();
  paths.set('SKILL.md', join(skill, 'SKILL.md'));
  for (const part of ['references', 'scripts'])
    for (const file of listFiles(join(skill, part))) paths.set(`${part}/${file}`, join(skill, part, file));
  for (const path of asPlugin ? PLUGIN : []) paths.set(path, join(root, path));
  // A project's installation has its programs in another folder.
  const from = ['dist', 'program'].find((folder) => existsSync(join(root, folder, 'cli.cjs'))) ?? 'dist';
  for (const file of listFiles(join(root, from))) {
    if (/^[^/]+\.(?:cjs|br)$|^licenses\.txt$/.test(file)) paths.set(`${programs}/${file}`, join(root, from, file));
  }
  const needed = [['SKILL.md', 'SKILL.md'], ...NAMES.map((name) => [`${programs}/${name}.cjs`, `${from}/${name}.cjs`])];
  const missing = needed.flatMap(([path = '', shown = '']) =>
    paths.has(path) && existsSync(paths.get(path) as string) ? [] : [shown],
  );
  if (missing.length > 0) {
    throw new CommandError(
      'not-built',
      `${root} is not complete: ${missing.join(', ')} missing`,
      'In a checkout, run ./install.sh, on Windows node install.mjs (or npm ci && npm run build).',
    );
  }
  return {
    // A plugin that was copied from a marketplace has only its manifest.
    version: packaged
      ? (versionOf(join(root, 'package.json')) ?? versionOf(join(root, '.claude-plugin/plugin.json')))
      : versionOf(join(root, 'install.json')),
    files: shaped(new Map([...paths].map(([path, file]) => [path, readFileSync(file)])), programs, root),
  };
};
