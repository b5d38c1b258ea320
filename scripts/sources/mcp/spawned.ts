import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Launch } from '../../servers/types.ts';
import { remove } from '../../state/in-use.ts';
import type { Reach } from './list-over-mcp.ts';

type Program = Extract<Launch, { type: 'stdio' }>;

/** Whether the command line holds a path relative to the project's folder. */
const namesPlace = ({ command, args }: Program, project: string): boolean =>
  [command, ...args].some(
    (part) =>
      /(^|=)\.{1,2}([\\/]|$)/.test(part) ||
      (/[\\/.]/.test(part) && !isAbsolute(part) && existsSync(resolve(project, part))),
  );

/**
 * How to start a second copy of a program: in the environment that the client gives it, and in an empty folder, where it
 * finds nothing to change, unless its command line needs the project's folder. `tidy` removes the empty folder.
 */
export const spawned = (launch: Program, project: string): { reach: Reach; tidy: () => void } => {
  const { command, args, env } = launch;
  const inherited = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const reach = { type: 'stdio' as const, command, args, env: { ...Object.fromEntries(inherited), ...env } };
  const folder = launch.cwd ?? project;
  if (namesPlace(launch, folder)) return { reach: { ...reach, cwd: folder }, tidy: () => {} };
  const away = mkdtempSync(join(tmpdir(), 'konnichiwagwan-'));
  return { reach: { ...reach, cwd: away }, tidy: () => remove(away) };
};
