import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { visible } from '../text/visible.ts';
import type { InstallPlace } from './layout.ts';

/** The lines of `git check-ignore -v` for these paths; empty where git ignores none, is missing, or knows no repository. */
export const ignoredBy = (folder: string, paths: readonly string[], env: NodeJS.ProcessEnv): string[] => {
  const { status, stdout } = spawnSync(
    'git',
    ['-c', 'core.fsmonitor=', '-C', folder, 'check-ignore', '-v', '--stdin', '-z'],
    {
      // Nothing of the environment names another repository; `core.fsmonitor` could name a program.
      env: { PATH: env.PATH, HOME: env.HOME, XDG_CONFIG_HOME: env.XDG_CONFIG_HOME, GIT_OPTIONAL_LOCKS: '0' },
      input: paths.map((path) => `${path}\0`).join(''),
      encoding: 'utf8',
      windowsHide: true,
      timeout: 10_000,
    },
  );
  if (status !== 0) return [];
  const fields = stdout.split('\0');
  // Four fields for each: the file with the pattern, its line, the pattern, and the path.
  return fields.flatMap((_, at) => {
    const [file = '', line, pattern = '', path] = fields.slice(at, at + 4);
    // A pattern that begins with `!` is one that saves the path.
    return at % 4 === 0 && path !== undefined && path !== '' && !pattern.startsWith('!')
      ? [`${visible(file, { max: 200 })}:${line}: ${visible(pattern, { max: 100 })}`]
      : [];
  });
};

/**
 * What keeps programs out of the project's repository that its committed hooks start: the line of the ignoring file. Undefined
 * if nothing does, and if the hooks themselves are not committed.
 */
export const ignoredPrograms = (
  { form, claude, skill, settings }: Pick<InstallPlace, 'form' | 'claude' | 'skill' | 'settings'>,
  files: readonly string[],
  env: NodeJS.ProcessEnv,
): string | undefined => {
  if (form !== 'project' || ignoredBy(join(claude, '..'), [settings], env).length > 0) return undefined;
  return ignoredBy(
    join(claude, '..'),
    files.map((file) => join(skill, file)),
    env,
  )[0];
};

/** What to do about programs that git ignores. */
export const IGNORED_HINT =
  'Add the line !/.claude/skills/konnichiwagwan/** to .gitignore, or run: git add -f .claude/skills/konnichiwagwan';
