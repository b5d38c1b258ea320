import type { Io } from '../command/command.ts';
import { shellWord } from '../install/launchers.ts';
import { quoteName, quotePath } from '../text/quote.ts';
import { visible } from '../text/visible.ts';
import { hostEntries } from './entries.ts';
import { wordsOf } from './entry-text.ts';
import { isWrapped } from './plan.ts';
import { installedStart } from './start-words.ts';

/** What breaks once an installation is gone: a warning for each server that starts through its programs. */
export const leftBehind = (io: Pick<Io, 'env' | 'cwd'>, version: string): string[] => {
  const start = installedStart(io);
  if (start === undefined) return [];
  const own = start.at(-1) as string;
  return hostEntries(io, true)
    .entries.filter((entry) => isWrapped(entry) && (wordsOf(entry.value, entry.place.form) ?? []).includes(own))
    .map(({ name, place }) => {
      const folder = place.scope === 'local' ? ` in ${quotePath(String(place.path[1]))}` : '';
      return (
        `${quoteName(name)} (${place.title}, ${quotePath(place.file)}) starts through ${quotePath(own)}, which is no longer there: ` +
        `npx -y konnichiwagwan@${version} wrap --remove ${shellWord(visible(name))} --host ${place.host} --scope ${place.scope}${folder}`
      );
    });
};
