import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { CommandError, type Here } from '../command/command.ts';
import { realFolder } from '../servers/folder.ts';
import { claudeHome, stateHome, staysBelow } from '../state/paths.ts';
import { behindLinks } from '../state/write-whole.ts';

/** One installation: for all projects of a user, or in one project. */
export interface InstallPlace {
  form: 'user' | 'project';
  /** The `.claude` folder that everything goes into. */
  claude: string;
  skill: string;
  settings: string;
  /** The project's `.mcp.json`; undefined for all projects, where the folder itself names the resident guard. */
  mcp: string | undefined;
  /** The folder of the programs, in the skill. Not `dist` in a project: most repositories ignore that. */
  programs: 'dist' | 'program';
  /** The path of the programs in the hooks. */
  hookFolder: string;
}

export const NAME = 'konnichiwagwan';

/** The user's own `.claude` folder. */
export const userFolder = (io: Here): string => resolve(io.cwd, claudeHome(io.env));

/** The state folder: baselines, live answers, configuration. */
export const stateFolder = (io: Here): string => resolve(io.cwd, stateHome(io.env));

/** Whether two paths lead to the same file, through links too. */
export const samePath = (a: string, b: string): boolean => realFolder(a) === realFolder(b);

/** Where to install: for all projects of the user, or for one. @throws CommandError if the folder is no project */
export const placeOf = (io: Here, project: boolean): InstallPlace => {
  const user = userFolder(io);
  const claude = project ? resolve(io.cwd, '.claude') : user;
  // The user's settings apply to all projects, where a path relative to one project would be wrong.
  if (project && (samePath(claude, user) || samePath(io.cwd, join(user, '..')))) {
    throw new CommandError(
      'not-a-project',
      `${claude} holds your own settings, not a project's`,
      'Go to a project folder, or leave out --project to install for all projects.',
    );
  }
  const skill = join(claude, 'skills', NAME);
  // Keeps a project's settings fit to be committed: Claude Code replaces ${CLAUDE_PROJECT_DIR} in `args` (tested with
  // 2.1.330 and 2.1.197; it does not replace the form without braces).
  const programs = project ? 'program' : 'dist';
  const hookFolder = project ? `\${CLAUDE_PROJECT_DIR}/.claude/skills/${NAME}/${programs}` : join(skill, programs);
  const form = project ? 'project' : 'user';
  const mcp = project ? join(claude, '..', '.mcp.json') : undefined;
  return { form, claude, skill, settings: join(claude, 'settings.json'), mcp, programs, hookFolder };
};

/** The real path, even if nothing is there. */
export const reached = (path: string): string => {
  const target = behindLinks(path) ?? path;
  return existsSync(target) ? realpathSync(target) : join(reached(dirname(target)), basename(target));
};

/**
 * A repository may hold links, and so choose where an installation in it would write, and what is taken out.
 * @throws CommandError if one leads out of the project
 */
export const staysInProject = ({ claude, skill, settings, mcp }: InstallPlace): void => {
  if (mcp === undefined) return;
  const project = realpathSync(dirname(claude));
  for (const path of [claude, dirname(skill), settings, mcp]) {
    const way = relative(project, reached(path));
    if (!staysBelow(way))
      throw new CommandError(
        'outside-of-project',
        `${path} leads out of the project, to ${reached(path)}`,
        'Replace that link, or leave out --project. Nothing was changed.',
      );
  }
};
