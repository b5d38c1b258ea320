import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Here } from '../command/command.ts';
import { ownLaunchers } from '../install/launchers.ts';
import { placeOf } from '../install/layout.ts';
import { type HostEntry, hostEntries } from './entries.ts';
import { wordsOf } from './entry-text.ts';
import { isWrapped } from './plan.ts';
import { PROJECT_PROGRAM } from './start-words.ts';

const onPath = (name: string, { env, cwd }: Here): string | undefined =>
  (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => resolve(cwd, folder, name))
    .find((path) => existsSync(path));

/** The entries of the project's `.mcp.json` whose servers are started through the project's installation. */
const ofProject = (io: Here): HostEntry[] => {
  const { mcp } = placeOf(io, true);
  return hostEntries(io).entries.filter(
    (entry) =>
      entry.place.file === mcp && isWrapped(entry) && wordsOf(entry.value, entry.place.form)?.[1] === PROJECT_PROGRAM,
  );
};

/** The entries whose servers are started through the installation, the user's or the project's: without it they would not start. */
export const startedThrough = (io: Here, project: boolean): HostEntry[] => {
  if (project) return ofProject(io);
  const place = placeOf(io, false);
  const launchers = ownLaunchers(place, io);
  const programs = new Set([...launchers, join(place.skill, 'dist/cli.cjs')]);
  const isOurs = (word: string): boolean => programs.has(word) || launchers.includes(onPath(word, io) ?? '');
  return hostEntries(io, true).entries.filter(
    (entry) => isWrapped(entry) && wordsOf(entry.value, entry.place.form)?.slice(0, 2).some(isOurs) === true,
  );
};
