import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { CommandError } from '../command/command.ts';
import { unmarked } from '../command/read-file.ts';
import { LIMITS } from '../contract/read.ts';
import { runGit } from '../state/git.ts';
import { quoteText } from '../text/quote.ts';

const DEADLINE = 20_000;

/** What git prints; null if it fails. @throws CommandError if there is no git, or if it prints too much */
const git = (args: string[], folder: string): string | null => {
  const { status, stdout, error } = runGit(folder, args, { timeout: DEADLINE, maxBuffer: LIMITS.bytes + 1024 });
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === 'ENOENT' || !existsSync(folder))
    throw new CommandError('no-git', 'git or the folder of the file is not there', 'give two files instead');
  if (code === 'ENOBUFS')
    throw new CommandError(
      'too-large',
      `the file is larger than ${LIMITS.bytes} bytes there`,
      'pass a smaller tool list',
    );
  return status === 0 ? stdout : null;
};

/** A revision that a person gave. Anything that git could take for an option, a path or a range is refused. */
const checked = (revision: string): string => {
  if (/^[A-Za-z0-9_@][\w@{}^~./+-]{0,199}$/.test(revision) && !revision.includes('..')) return revision;
  throw new CommandError(
    'usage',
    `${quoteText(revision, 60)} is not one revision`,
    'a commit, branch or tag, such as main or HEAD~1',
  );
};

/**
 * The text of a file in a revision.
 * @throws CommandError if there is no such revision, or no such file in it
 */
export const fileAt = (revision: string, file: string, cwd: string): string => {
  const path = resolve(cwd, file);
  const folder = dirname(path);
  const asked = checked(revision);
  const commit = git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${asked}^{commit}`], folder)?.trim();
  if (commit === undefined || !/^[0-9a-f]{40,64}$/.test(commit))
    throw new CommandError(
      'no-revision',
      `there is no revision ${quoteText(asked, 60)} here`,
      'git log shows the revisions',
    );
  const text = git(['cat-file', 'blob', `${commit}:./${basename(path)}`], folder);
  if (text === null)
    throw new CommandError('no-file', `${file} is not in the revision ${asked}`, 'git log --follow shows where it was');
  return unmarked(text);
};
