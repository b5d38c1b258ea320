import { execFile } from 'node:child_process';
import { basename, dirname, resolve } from 'node:path';
import { CommandError } from '../command/command.ts';
import { LIMITS } from '../contract/read.ts';
import { quoteText } from '../text/quote.ts';

const DEADLINE = 20_000;

/** Runs git without a shell; null if it fails. The repository may be anybody's, so nothing of it is executed. */
const git = (args: string[], cwd: string): Promise<string | null> =>
  new Promise((done, fail) => {
    const quiet = ['--no-pager', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
    execFile(
      'git',
      [...quiet, ...args],
      {
        cwd,
        timeout: DEADLINE,
        maxBuffer: LIMITS.bytes + 1024,
        encoding: 'utf8',
        windowsHide: true,
        env: { ...process.env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', GIT_NO_LAZY_FETCH: '1' },
      },
      (error, stdout) => {
        const { code } = (error ?? {}) as NodeJS.ErrnoException;
        if (code === 'ENOENT')
          fail(new CommandError('no-git', 'git or the folder of the file is not there', 'give two files instead'));
        else if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
          fail(
            new CommandError(
              'too-large',
              `the file is larger than ${LIMITS.bytes} bytes there`,
              'pass a smaller tool list',
            ),
          );
        else done(error === null ? stdout : null);
      },
    );
  });

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
export const fileAt = async (revision: string, file: string, cwd: string): Promise<string> => {
  const path = resolve(cwd, file);
  const folder = dirname(path);
  const asked = checked(revision);
  const commit = (
    await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${asked}^{commit}`], folder)
  )?.trim();
  if (commit === undefined || !/^[0-9a-f]{40,64}$/.test(commit))
    throw new CommandError(
      'no-revision',
      `there is no revision ${quoteText(asked, 60)} here`,
      'git log shows the revisions',
    );
  const text = await git(['cat-file', 'blob', `${commit}:./${basename(path)}`], folder);
  if (text === null)
    throw new CommandError('no-file', `${file} is not in the revision ${asked}`, 'git log --follow shows where it was');
  return text;
};
