import { defined } from '../../contract/defined.ts';
import { type FoundCommand, flagOf, manifestOf, membersOf, textsOf } from './manifest.ts';
import type * as Kit from './validate.d.ts';

type Parse = (text: string, context: object, flag: unknown) => unknown;

/** What a flag's parser returns for a text; undefined if it refuses the text. */
const parsed = async (one: Record<string, unknown>, text: string): Promise<unknown> => {
  try {
    return await (one.parse as Parse)(text, {}, one);
  } catch {
    return undefined;
  }
};

/** Finds the type of a flag's value: oclif only records that there is one. */
const valueType = async (one: Record<string, unknown>): Promise<string | undefined> => {
  if (textsOf(one.options ?? []).length > 0) return 'enum';
  if (typeof one.parse !== 'function') return undefined;
  const value = await parsed(one, '1');
  if (value === '1') return 'string';
  if (value !== 1) return undefined;
  return (await parsed(one, '1.5')) === 1.5 ? 'number' : 'integer';
};

const flagFrom = async (one: Record<string, unknown>): Promise<Kit.ManifestFlag> => {
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return flagOf({
    type: one.type === 'boolean' ? 'boolean' : await valueType(one),
    required: one.required === true,
    default: typeof one.default === 'function' ? undefined : one.default,
    variadic: one.multiple === true,
    enum_values: textsOf(one.options ?? []),
    short: text(one.char),
    description: text(one.summary) ?? text(one.description),
  });
};

type OclifNamed = [string, Record<string, unknown>];

const namedIn = (map: unknown): OclifNamed[] =>
  Object.entries(membersOf(map))
    .map(([name, one]): OclifNamed => [name, membersOf(one)])
    .filter(([, one]) => one.hidden !== true);

const flagsFrom = async (flags: readonly OclifNamed[]): Promise<Record<string, Kit.ManifestFlag>> =>
  Object.fromEntries(await Promise.all(flags.map(async ([name, one]) => [name, await flagFrom(one)] as const)));

const pathOf = (id: string): string => id.replaceAll(':', '.');

export const fromOclif: typeof Kit.fromOclif = async (config) => {
  // Oclif lists a command again under each of its aliases.
  const isAlias = ({ id, aliases, hiddenAliases }: Record<string, unknown>): boolean =>
    [...textsOf(aliases ?? []), ...textsOf(hiddenAliases ?? [])].some((alias) => pathOf(alias) === pathOf(String(id)));
  const all = config.commands.map(membersOf).filter((command) => command.hidden !== true && !isAlias(command));
  let globals: Record<string, Kit.ManifestFlag> = {};
  const commands: FoundCommand[] = [];
  for (const command of all) {
    const load = command.load as (() => Promise<unknown>) | undefined;
    const loaded = membersOf(typeof load === 'function' ? await load.call(command) : command);
    const everywhere = namedIn(loaded.baseFlags);
    // The recorded facts about a flag, plus those that only the flag itself has.
    const [listed, declared] = [namedIn(command.flags), new Map([...everywhere, ...namedIn(loaded.flags)])];
    const flags = listed.map(([name, one]): OclifNamed => [name, { ...one, ...declared.get(name) }]);
    const isGlobal = ([name, { helpGroup }]: OclifNamed): boolean =>
      helpGroup === 'GLOBAL' || everywhere.some(([one]) => one === name);
    globals = { ...globals, ...(await flagsFrom(flags.filter(isGlobal))) };
    const args = await flagsFrom(namedIn(loaded.args ?? command.args));
    const isPlugin = typeof command.pluginName === 'string' && command.pluginName.startsWith('@oclif/plugin-');
    commands.push({
      path: [pathOf(String(command.id))],
      description: command.summary ?? command.description,
      aliases: textsOf(command.aliases ?? []).map(pathOf),
      takes: {
        flags: await flagsFrom(flags.filter((flag) => !isGlobal(flag))),
        positionals: Object.entries(args).map(([name, flag]) => ({ name, ...flag })),
      },
      ...defined({ builtin: isPlugin ? true : undefined }),
    });
  }
  return manifestOf(commands, globals);
};
