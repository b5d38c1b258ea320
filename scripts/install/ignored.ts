import { join } from 'node:path';
import { runGit } from '../state/git.ts';
import { visible } from '../text/visible.ts';
import type { InstallPlace } from './layout.ts';

/** The lines of `git check-ignore -v` for these paths; empty where git ignores none, is missing, or knows no repository. */
export const ignoredBy = (folder: string, paths: readonly string[], env: NodeJS.ProcessEnv): string[] => {
  const input = paths.map((path) => `${path}\0`).join('');
  const { status, stdout } = runGit(folder, ['check-ignore', '-v', '--stdin', '-z'], { timeout: 10_000, env, input });
  if (status !== 0) return [];
  const fields = stdout.split('\0');
  // Four fields for each: the file with the pattern, its line, the pattern, and the path.
  return fields.flatMap((_, at) => {
    const [file = '', line, pattern = '', path] = fields.slice(at, at + 4);
    // A pattern that begins with `!` un-ignores the path.
    return at % 4 === 0 && path !== undefined && path !== '' && !pattern.startsWith('!')
      ? [`${visible(file, { max: 200 })}:${line}: ${visible(pattern, { max: 100 })}`]
      : [];
  });
};

/**
 * The ignore line that keeps programs out of a project's repository although its committed hooks start them. Undefined if
 * there is none, or if the hooks themselves are not committed.
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
