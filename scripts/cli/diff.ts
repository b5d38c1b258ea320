import type { Json } from '../contract/types.ts';
import { countLevels, diffLists, publicChange } from '../diff/diff.ts';
import { changeLines, countText } from '../text/changes.ts';
import { painter } from '../text/paint.ts';
import { type Command, CommandError } from './command.ts';
import { readToolFile } from './read-file.ts';

export const diff: Command = {
  name: 'diff',
  summary: 'what changed between two tool lists',
  usage: 'BEFORE AFTER',
  help: `
Shows every change between two tool lists, each with its level:

  breaking      some call that was valid before is invalid now
  unclassified  something changed that no rule knows; treated like breaking
  silent        still accepted, but part of the call is ignored or means something else
  semantic      only words or hints changed
  compatible    only widens

BEFORE and AFTER take the forms that "hash" takes. Exits with 1 if there is any change.`,
  run: async ({ positionals }, io) => {
    const [before, after] = positionals;
    if (before === undefined || after === undefined) {
      throw new CommandError('usage', 'diff needs two files', 'konnichiwagwan diff BEFORE AFTER');
    }
    const changes = diffLists((await readToolFile(before, io)).tools, (await readToolFile(after, io)).tools);
    const data = { changes: changes.map(publicChange), summary: countLevels(changes) } as unknown as Json;
    if (changes.length === 0) return { exit: 0, data, text: 'no changes' };
    const lines = changeLines(changes, painter(io.colour));
    return { exit: 1, data, text: [...lines, '', countText(changes)].join('\n') };
  },
};
