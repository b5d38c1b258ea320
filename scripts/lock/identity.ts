import { type UserInfo, userInfo } from 'node:os';
import { runGit } from '../state/git.ts';
import { visible } from '../text/visible.ts';

const LONGEST = 200;

const gitConfig = (project: string, key: string, env: NodeJS.ProcessEnv): string => {
  const { status, stdout } = runGit(project, ['config', '--get', key], { timeout: 2_000, env });
  return status === 0 ? stdout.trim() : '';
};

/** The account of the system; undefined if it has none. */
export const systemAccount = (): UserInfo<string> | undefined => {
  try {
    return userInfo();
  } catch {
    return undefined;
  }
};

/** The address of git's settings; empty if there is none. */
export const emailOf = (project: string, env: NodeJS.ProcessEnv): string => gitConfig(project, 'user.email', env);

/** Who approves: name and e-mail as git would write them into a commit, else the name of the system's user. */
export const whoApproves = (project: string, env: NodeJS.ProcessEnv): string => {
  const [name, email] = [gitConfig(project, 'user.name', env), emailOf(project, env)];
  const both = email === '' ? name : `${name} <${email}>`.trim();
  return visible(both || (systemAccount()?.username ?? 'unknown'), { max: LONGEST });
};
