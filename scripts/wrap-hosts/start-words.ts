import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandError, type Here } from '../command/command.ts';
import { PUBLISHED } from '../command/published.ts';
import { ownLaunchers } from '../install/launchers.ts';
import { NAME, placeOf } from '../install/layout.ts';
import { ownNode } from '../install/own-node.ts';
import { discoverPlugins } from '../servers/discover.ts';
import { startsOurs } from '../servers/wrapped.ts';
import { claudeHome, homeOf } from '../state/paths.ts';
import type { HostPlace } from './hosts.ts';

/** The bundle that `wrap` runs: an older installation has none. */
const WRAP = 'dist/wrap-server.cjs';

/** How to start this user's installation; undefined if there is none with `wrap`. */
const installedStart = (io: Here): string[] | undefined => {
  const place = placeOf(io, false);
  if (!existsSync(join(place.skill, WRAP))) return undefined;
  const program = join(place.skill, 'dist/cli.cjs');
  // On Windows a launcher is a script, which hosts do not start.
  if (process.platform === 'win32') return [ownNode(place, io.env).command, program];
  const [launcher] = ownLaunchers(place, io);
  return launcher === undefined ? ['node', program] : [launcher];
};

/** How to start the plugin whose marketplace is a folder of this machine; undefined if there is none. */
const pluginStart = ({ env, cwd }: Here): string[] | undefined => {
  const { plugins } = discoverPlugins({ project: cwd, home: homeOf(env), claudeHome: claudeHome(env), env });
  const own = plugins.find(
    ({ name, root, stays, verdict }) =>
      name === NAME && stays && verdict.state === 'ready' && existsSync(join(root, WRAP)),
  );
  if (own === undefined) return undefined;
  const start = ['node', join(own.root, 'dist/cli.cjs')];
  // An entry that could not be recognized as ours later could not be put back.
  return startsOurs(start) ? start : undefined;
};

/** The program of a project's own installation, from the folder of `.mcp.json`: there Claude Code starts its servers. */
export const PROJECT_PROGRAM = `.claude/skills/${NAME}/program/cli.cjs`;

/** Whether the program that starts servers of this file through `wrap` lies beside it, for everyone who gets the file. */
export const bringsWrap = ({ host, scope, file }: HostPlace): boolean =>
  host === 'claude' &&
  scope === 'project' &&
  existsSync(join(dirname(file), dirname(PROJECT_PROGRAM), 'wrap-server.cjs'));

/**
 * The words that start `wrap`: those of the installed program, or of the plugin. A file that others get, too, names no path
 * of this machine: there it is the project's own program, or else the name by which a shell finds one.
 * @throws CommandError if no installation could be started
 */
export const startWords = (io: Here, place: HostPlace, version: string): string[] => {
  if (bringsWrap(place)) return ['node', PROJECT_PROGRAM, 'wrap'];
  const published = PUBLISHED === undefined ? undefined : ['npx', '-y', `${PUBLISHED}@${version}`];
  if (place.scope === 'project') return [...(published ?? [NAME]), 'wrap'];
  // On Windows npx is a script: it takes `cmd /c`, for which a `&` in the address of a server ends the command.
  const start = installedStart(io) ?? pluginStart(io) ?? (process.platform === 'win32' ? undefined : published);
  if (start !== undefined) return [...start, 'wrap'];
  throw new CommandError(
    'not-installed',
    'konnichiwagwan is not installed, so no host could start it before a server',
    'Install it first: konnichiwagwan install. If you use the plugin: Claude Code downloads it to a path that changes with each version, so take it out first: claude plugin uninstall konnichiwagwan@konnichiwagwan. Only the plugin of a clone whose folder is called konnichiwagwan can stay. Nothing was changed.',
  );
};
