// Repositories for tests.
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { remove } from '../scripts/state/in-use.ts';

/** Why tests that need git are skipped, for node:test's `skip`; false if git is there. */
export const noGit = spawnSync('git', ['--version']).status !== 0 && 'there is no git';

let template: string | undefined;
const madeTemplate = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'kwg-git-'));
  process.on('exit', () => remove(folder));
  // Without examples of hooks, and no commit starts a second git to tidy up.
  execFileSync('git', ['init', '-q', '--template=', '-b', 'main', folder]);
  appendFileSync(join(folder, '.git', 'config'), '[maintenance]\n\tauto = false\n');
  setUser(folder, 'A');
  return folder;
};

/** Makes a folder a repository without a commit, with the branch `main` and the user A: a copy takes less than `git init`. */
export const initGit = (folder: string): void => {
  template ??= madeTemplate();
  cpSync(join(template, '.git'), join(folder, '.git'), { recursive: true });
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
