import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, type Io } from '../command/command.ts';
import { PUBLISHED } from '../command/published.ts';
import { ownLaunchers } from '../install/launchers.ts';
import { NAME, placeOf } from '../install/layout.ts';

/** The bundle that `wrap` runs: an older installation has none. */
const WRAP = 'dist/wrap-server.cjs';

/** How to start this user's installation; undefined if there is none with `wrap`. */
const installedStart = (io: Pick<Io, 'env' | 'cwd'>): string[] | undefined => {
  const place = placeOf(io, false);
  if (!existsSync(join(place.skill, WRAP))) return undefined;
  const [launcher] = ownLaunchers(place, io);
  // On Windows a launcher is a script, which hosts do not start.
  return launcher === undefined || process.platform === 'win32'
    ? ['node', join(place.skill, 'dist/cli.cjs')]
    : [launcher];
};

const publishedStart = (version: string): string[] | undefined =>
  PUBLISHED === undefined ? undefined : ['npx', '-y', `${PUBLISHED}@${version}`];

/**
 * The words that start `wrap`: those of the installed program. A file that others get, too, names no path of this machine,
 * so there it is the name by which a shell finds the program.
 * @throws CommandError if no installation could be started
 */
export const startWords = (io: Pick<Io, 'env' | 'cwd'>, isShared: boolean, version: string): string[] => {
  const published = publishedStart(version);
  if (isShared) return [...(published ?? [NAME]), 'wrap'];
  const onWindows = process.platform === 'win32' && published ? ['cmd', '/c', ...published] : published;
  const start = installedStart(io) ?? onWindows;
  if (start !== undefined) return [...start, 'wrap'];
  throw new CommandError(
    'not-installed',
    'konnichiwagwan is not installed, so no host could start it before a server',
    'Install it first: konnichiwagwan install. Nothing was changed.',
  );
};
