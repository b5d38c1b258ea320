import { type UserInfo, userInfo } from 'node:os';
import { runGit } from '../state/git.ts';
import { visible } from '../text/visible.ts';

const LONGEST = 200;

/** Name and address of git's settings, each empty if there is none. Both in one start of git, since each takes some ms. */
const gitUser = (project: string, env: NodeJS.ProcessEnv): { name: string; email: string } => {
  const asked = ['config', '-z', '--get-regexp', '^user\\.(name|email)$'];
  const { status, stdout } = runGit(project, asked, { timeout: 2_000, env });
  const lines = status === 0 ? stdout.split('\0') : [];
  // Of several values, the last one counts.
  const lastOf = (key: string): string =>
    lines.flatMap((line) => (line.split('\n')[0] === key ? [line.slice(key.length).trim()] : [])).at(-1) ?? '';
  return { name: lastOf('user.name'), email: lastOf('user.email') };
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
export const emailOf = (project: string, env: NodeJS.ProcessEnv): string => gitUser(project, env).email;

/** Who approves: name and e-mail as git would write them into a commit, else the name of the system's user. */
export const whoApproves = (project: string, env: NodeJS.ProcessEnv): string => {
  const { name, email } = gitUser(project, env);
  const both = email === '' ? name : `${name} <${email}>`.trim();
  return visible(both || (systemAccount()?.username ?? 'unknown'), { max: LONGEST });
};
