import { execFileSync } from 'node:child_process';
import { homedir, userInfo } from 'node:os';
import { visible } from '../text/visible.ts';

const LONGEST = 200;

const gitConfig = (project: string, key: string, env: NodeJS.ProcessEnv): string => {
  try {
    // Not in the project's folder: some systems look for programs in the working folder first.
    return execFileSync('git', ['-C', project, 'config', '--get', key], {
      cwd: homedir(),
      env,
      encoding: 'utf8',
      windowsHide: true,
      timeout: 2_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
};

const systemUser = (): string => {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
};

/** The address of git's settings; empty where there is none. */
export const emailOf = (project: string, env: NodeJS.ProcessEnv): string => gitConfig(project, 'user.email', env);

/** Who approves: name and e-mail as git would write them into a commit, else the name of the system's user. */
export const whoApproves = (project: string, env: NodeJS.ProcessEnv): string => {
  const [name, email] = [gitConfig(project, 'user.name', env), emailOf(project, env)];
  const both = email === '' ? name : `${name} <${email}>`.trim();
  return visible(both || systemUser(), { max: LONGEST });
};
