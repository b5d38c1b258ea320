import { statSync } from 'node:fs';
import { configPath, lockPath, projectConfigPath } from './paths.ts';

/** Of a file: changes whenever its content could have. */
export const stampOf = (path: string): string => {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs}:${size}:${ino}`;
  } catch {
    return '-';
  }
};

/** A URL can hold a password, or a key in its query; the stamp is written to a file. */
const withoutSecrets = (url: string): string => url.replace(/\/\/[^/]*@/, '//').replace(/[?#].*$/s, '');

/** Changes whenever the settings could: the fast path compares it and reads no settings. */
export const configStamp = (home: string, project: string, env: NodeJS.ProcessEnv): string =>
  [
    stampOf(configPath(home)),
    stampOf(projectConfigPath(project)),
    stampOf(lockPath(project)),
    withoutSecrets(env.GATEWAY_URL ?? ''),
  ].join('|');
