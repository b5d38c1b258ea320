import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Io } from '../command/command.ts';
import { ownLaunchers } from '../install/launchers.ts';
import { placeOf } from '../install/layout.ts';

/** The bundle that `wrap` runs: an older installation has none. */
const WRAP = 'dist/wrap-server.cjs';

/** How an installation of this user's is started; undefined if there is none that knows `wrap`. */
const installedStart = (io: Pick<Io, 'env' | 'cwd'>): string[] | undefined => {
  const place = placeOf(io, false);
  if (!existsSync(join(place.skill, WRAP))) return undefined;
  const [launcher] = ownLaunchers(place, io);
  return launcher === undefined ? ['node', join(place.skill, 'dist/cli.cjs')] : [launcher];
};

/** The words that start `wrap`. A file that others get, too, names no path of this machine. */
export const startWords = (io: Pick<Io, 'env' | 'cwd'>, isShared: boolean, version: string): string[] => {
  const installed = isShared ? undefined : installedStart(io);
  const npx = process.platform === 'win32' && !isShared ? ['cmd', '/c', 'npx'] : ['npx'];
  return [...(installed ?? [...npx, '-y', `konnichiwagwan@${version}`]), 'wrap'];
};
