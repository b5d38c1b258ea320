import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Io } from '../command/command.ts';
import { ownLaunchers, shellWord } from '../install/launchers.ts';
import { placeOf } from '../install/layout.ts';
import { plainName, quoteName, quotePath } from '../text/quote.ts';
import { visible } from '../text/visible.ts';
import { hostEntries } from './entries.ts';
import { wordsOf } from './entry-text.ts';
import { folderOf, isWrapped } from './plan.ts';

const onPath = (name: string, { env, cwd }: Pick<Io, 'env' | 'cwd'>): string | undefined =>
  (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => resolve(cwd, folder, name))
    .find((path) => existsSync(path));

/** What breaks once the user's installation is gone: a warning for each server that starts through its programs. */
export const leftBehind = (io: Pick<Io, 'env' | 'cwd'>, version: string): string[] => {
  const place = placeOf(io, false);
  const launchers = ownLaunchers(place, io);
  const programs = new Set([...launchers, join(place.skill, 'dist/cli.cjs')]);
  const isGone = (word: string): boolean => programs.has(word) || launchers.includes(onPath(word, io) ?? '');
  return hostEntries(io, true).entries.flatMap((entry) => {
    const program = isWrapped(entry) ? wordsOf(entry.value, entry.place.form)?.slice(0, 2).find(isGone) : undefined;
    if (program === undefined) return [];
    const { title, host, scope, file } = entry.place;
    const folder = folderOf(entry);
    const where = folder === undefined ? '' : `, in ${quotePath(folder)}`;
    const back = `npx -y konnichiwagwan@${version} wrap --remove ${shellWord(visible(entry.name))} --host ${host} --scope ${scope}`;
    return [
      `${quoteName(entry.name)} (${title}, ${quotePath(file)}) starts through ${plainName(program)}, which goes with the installation. To put it back: ${back}${where}`,
    ];
  });
};
