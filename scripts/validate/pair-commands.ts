import type { Contract } from '../contract/types.ts';
import { keyOf, wordsOf } from './spelling.ts';
import type { CliCommand } from './types.ts';

export interface Pairs {
  pairs: { command: CliCommand; tool: Contract }[];
  /** Commands without a tool, and tools without a command. */
  missing: CliCommand[];
  extra: Contract[];
  /** The prefix that names of tools have. */
  prefix: string;
}

/** Things by key, without keys that several of them share. */
const unique = <T>(things: readonly T[], keysOf: (thing: T) => readonly string[]): Map<string, T> => {
  const found = new Map<string, T | undefined>();
  for (const thing of things) {
    for (const key of new Set(keysOf(thing))) found.set(key, found.has(key) ? undefined : thing);
  }
  return new Map([...found].filter((entry): entry is [string, T] => entry[1] !== undefined));
};

/** The names that an alias may mean: a whole path, or another name for the path's last part. */
const aliasKeys = ({ name, aliases }: CliCommand): string[] => {
  const parent = name.slice(0, name.lastIndexOf('.') + 1);
  return aliases.flatMap((alias) => [keyOf(alias), keyOf(parent + alias)]);
};

/**
 * The prefix that most tools have before their command's name, spelled as keys are; empty if no single one leads.
 * @param least so many tools must have it
 */
const commonPrefix = (commands: readonly CliCommand[], tools: readonly Contract[], least: number): string => {
  const keys = new Set(commands.map(({ name }) => keyOf(name)));
  const counts = new Map<string, number>();
  for (const { name } of tools) {
    const words = wordsOf(name);
    for (let at = 1; at < Math.min(words.length, 8); at++) {
      if (!keys.has(words.slice(at).join('_'))) continue;
      const prefix = words.slice(0, at).join('_');
      counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
    }
  }
  const [first, second] = [...counts].sort((a, b) => b[1] - a[1] || a[0].length - b[0].length);
  return first === undefined || first[1] < least || first[1] === second?.[1] ? '' : first[0];
};

/**
 * Pairs tools with the commands that they wrap: by the map, then by equal names, by names that differ in spelling, by names
 * after the prefix, and by alias. Each step pairs what the earlier ones left.
 * @param map command to tool; null for a command that intentionally has none
 * @param prefix of the tools' names; detected if absent
 */
export const pairCommands = (
  commands: readonly CliCommand[],
  tools: readonly Contract[],
  map: ReadonlyMap<string, string | null> = new Map(),
  prefix?: string,
): Pairs => {
  const pairs: Pairs['pairs'] = [];
  const open = new Set(commands.filter(({ name }) => !map.has(name)));
  const free = new Map(tools.map((tool) => [tool.name, tool]));
  const take = (command: CliCommand, tool: Contract | undefined): void => {
    if (tool === undefined || !free.delete(tool.name)) return;
    pairs.push({ command, tool });
    open.delete(command);
  };
  for (const command of commands) take(command, free.get(map.get(command.name) as string));
  const byMap = pairs.length;
  for (const command of [...open]) take(command, free.get(command.name));
  const match = (commandKeys: (command: CliCommand) => readonly string[], before: string): void => {
    const byKey = unique([...free.values()], ({ name }) => [keyOf(name)]);
    for (const [key, command] of unique([...open], commandKeys)) {
      if (open.has(command)) take(command, byKey.get(before === '' ? key : `${before}_${key}`));
    }
  };
  const nameKeys = ({ name }: CliCommand): readonly string[] => [keyOf(name)];
  match(nameKeys, '');
  // Where other tools need no prefix, a single one with it is more likely a tool of another command.
  const found = (): string => commonPrefix([...open], [...free.values()], pairs.length > byMap ? 2 : 1);
  const before = prefix === undefined ? found() : keyOf(prefix);
  if (before !== '') match(nameKeys, before);
  match(aliasKeys, '');
  if (before !== '') match(aliasKeys, before);
  const paired = new Set(pairs.map(({ command }) => command));
  return {
    pairs,
    missing: commands.filter((command) => !paired.has(command) && map.get(command.name) !== null),
    extra: [...free.values()],
    prefix: before,
  };
};
