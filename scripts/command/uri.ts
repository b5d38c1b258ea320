import { relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { staysBelow } from '../state/paths.ts';
import type { Io } from './command.ts';

const encoded = (path: string): string => path.split(sep).map(encodeURIComponent).join('/');

/** The place of a file for programs, percent-encoded: relative to the repository if it is in it, else a `file:` URL. */
export const uriOf = (file: string, { env, cwd }: Io): string => {
  if (file === '-') return 'stdin';
  const path = resolve(cwd, file);
  for (const root of [env.GITHUB_WORKSPACE, cwd]) {
    const within = root ? relative(root, path) : '..';
    if (within !== '' && staysBelow(within) && resolve(root as string, within) === path) return encoded(within);
  }
  return pathToFileURL(path).href;
};
