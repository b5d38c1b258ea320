import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CommandError, type Io } from '../command/command.ts';
import { claudeHome, stateHome } from '../state/paths.ts';

/** One installation: for all projects of a user, or in one project. */
export interface InstallPlace {
  form: 'user' | 'project';
  /** The `.claude` folder that everything goes into. */
  claude: string;
  skill: string;
  settings: string;
  /** `<skill>/dist` as the hooks name it. */
  hookFolder: string;
}

export const NAME = 'konnichiwagwan';

/** Claude Code's own folder of the user. */
export const userFolder = (io: Pick<Io, 'env' | 'cwd'>): string => resolve(io.cwd, claudeHome(io.env));

/** Our own state: baselines, live answers, configuration. */
export const stateFolder = (io: Pick<Io, 'env' | 'cwd'>): string => resolve(io.cwd, stateHome(io.env));

const real = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

export const samePath = (a: string, b: string): boolean => real(a) === real(b);

export const placeOf = (io: Pick<Io, 'env' | 'cwd'>, project: boolean): InstallPlace => {
  const user = userFolder(io);
  const claude = project ? resolve(io.cwd, '.claude') : user;
  // The user's own settings hold for every project: a path in terms of one project would be wrong there.
  if (project && (samePath(claude, user) || samePath(io.cwd, join(user, '..')))) {
    throw new CommandError(
      'not-a-project',
      `${claude} holds your own settings, not a project's`,
      'Go to a project folder, or leave out --project to install for all projects.',
    );
  }
  const skill = join(claude, 'skills', NAME);
  // Claude Code puts the project's folder in the place of ${CLAUDE_PROJECT_DIR} in `args` (measured in 2.1.330 and
  // 2.1.197; the form without braces is not replaced), so that a project's settings can be committed.
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Code's own placeholder
  const hookFolder = project ? '${CLAUDE_PROJECT_DIR}/.claude/skills/konnichiwagwan/dist' : join(skill, 'dist');
  return { form: project ? 'project' : 'user', claude, skill, settings: join(claude, 'settings.json'), hookFolder };
};
