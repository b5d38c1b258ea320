// Repositories and keys for tests.
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { remove } from '../scripts/state/in-use.ts';

/** Why tests that need git are skipped, for node:test's `skip`; false if git is there. */
export const noGit = spawnSync('git', ['--version']).status !== 0 && 'there is no git';

let folder: string | undefined;
/** A folder for what is made once in this process. */
const shared = (): string => {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'kwg-git-'));
    process.on('exit', () => remove(made));
    folder = made;
  }
  return folder;
};

const madeTemplate = (): string => {
  const template = join(shared(), 'template');
  // Without examples of hooks, and no commit starts a second git to tidy up.
  execFileSync('git', ['init', '-q', '--template=', '-b', 'main', template]);
  appendFileSync(join(template, '.git', 'config'), '[maintenance]\n\tauto = false\n');
  setUser(template, 'A');
  return template;
};
let template: string | undefined;

/** Makes a folder a repository without a commit, with the branch `main` and the user A: a copy takes less than `git init`. */
export const initGit = (folder: string): void => {
  template ??= madeTemplate();
  cpSync(join(template, '.git'), join(folder, '.git'), { recursive: true });
};

const made = new Map<string, string>();
/**
 * Makes a folder a repository, with what `make` commits there, or with a copy of what it committed for a folder of the same
 * kind: one that holds the same files.
 */
export const initGitAs = (folder: string, kind: string, make: () => void): void => {
  const repository = join(folder, '.git');
  const before = made.get(kind);
  if (before === undefined) {
    initGit(folder);
    make();
    const copy = join(shared(), String(made.size));
    cpSync(repository, copy, { recursive: true });
    made.set(kind, copy);
  } else cpSync(before, repository, { recursive: true });
};

/** Sets whose commits are made in a repository. */
export const setUser = (folder: string, name: string, email = `${name.toLowerCase()}@example.org`): void =>
  appendFileSync(join(folder, '.git', 'config'), `[user]\n\tname = ${name}\n\temail = ${email}\n`);

/** The last commit that a repository was set to, by its own record: asking git takes a start. */
export const headOf = (folder: string): string =>
  readFileSync(join(folder, '.git', 'logs', 'HEAD'), 'utf8')
    .trimEnd()
    .split('\n')
    .at(-1)
    ?.split(' ')[1] ?? '';

/** A signing key by its name: its path and its public half. Each is made once, since that is a start of a program. */
export const keyOf = (name: string): { path: string; open: string } => {
  const path = join(shared(), `${name}-key`);
  if (!existsSync(path)) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', path]);
  return { path, open: readFileSync(`${path}.pub`, 'utf8').trim() };
};
