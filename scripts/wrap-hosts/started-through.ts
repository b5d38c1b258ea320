import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Io } from '../command/command.ts';
import { ownLaunchers } from '../install/launchers.ts';
import { placeOf } from '../install/layout.ts';
import { type HostEntry, hostEntries } from './entries.ts';
import { wordsOf } from './entry-text.ts';
import { isWrapped } from './plan.ts';

const onPath = (name: string, { env, cwd }: Pick<Io, 'env' | 'cwd'>): string | undefined =>
  (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => resolve(cwd, folder, name))
    .find((path) => existsSync(path));

/** The entries whose servers are started through the user's installation: without it they would not start. */
export const startedThrough = (io: Pick<Io, 'env' | 'cwd'>): HostEntry[] => {
  const place = placeOf(io, false);
  const launchers = ownLaunchers(place, io);
  const programs = new Set([...launchers, join(place.skill, 'dist/cli.cjs')]);
  const isOurs = (word: string): boolean => programs.has(word) || launchers.includes(onPath(word, io) ?? '');
  return hostEntries(io, true).entries.filter(
    (entry) => isWrapped(entry) && wordsOf(entry.value, entry.place.form)?.slice(0, 2).some(isOurs) === true,
  );
};
