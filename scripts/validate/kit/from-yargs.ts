import { CommandError } from '../../command/command.ts';
import { quoteName } from '../../text/quote.ts';
import { type FoundCommand, flagOf, listOf, manifestOf, membersOf, textsOf } from './manifest.ts';
import type * as Kit from './validate.d.ts';
import { declaration, type Nested, recorder, takesMany, type YargsOptions } from './yargs-recorder.ts';

/** A command as yargs keeps it. */
interface YargsCommand {
  description?: unknown;
  handler?: unknown;
  builder?: unknown;
  demanded?: Positional[];
  optional?: Positional[];
}

interface Positional {
  cmd: string[];
  variadic: boolean;
}

/** What yargs knows about a program before it parses. Yargs goes on filling these same objects. */
export interface YargsState {
  handlers: Record<string, YargsCommand>;
  aliasMap: Record<string, string>;
  options: Record<string, unknown>;
  name: string;
}

export const stateOf = (program: Kit.YargsProgram): YargsState => {
  const { getInternalMethods, getOptions, $0 } = membersOf(program);
  const methods = membersOf((getInternalMethods as () => unknown).call(program));
  const commands = membersOf((methods.getCommandInstance as () => unknown)());
  return {
    handlers: commands.handlers as YargsState['handlers'],
    aliasMap: commands.aliasMap as YargsState['aliasMap'],
    options: membersOf((getOptions as () => unknown).call(program)),
    name: String($0)
      .replace(/^.*[\\/]/, '')
      .replace(/\.[cm]?js$/, ''),
  };
};

/** Reads `<target> [regions..]` in a command's line. */
const positionalsIn = (words: readonly string[]): Pick<YargsCommand, 'demanded' | 'optional'> => {
  const read = (open: string) =>
    words
      .filter((word) => word.startsWith(open))
      .map((word) => ({ cmd: word.replace(/[.<>[\]]/g, '').split('|'), variadic: word.includes('..') }));
  return { demanded: read('<'), optional: read('[') };
};

const DEFAULT = /^(\*|\$0)$/;

/** A nested command, in the form in which yargs keeps the program's own commands. */
const nestedHandler = ({
  line,
  aliases,
  ...rest
}: Nested): { name: string; aliases: string[]; handler: YargsCommand } => {
  const [name = '', ...words] = line.split(/\s+(?![^[]*]|[^<]*>)/).map((word) => word.replace(/\s/g, ''));
  return { name, aliases, handler: { ...rest, ...positionalsIn(words) } };
};

/** Without its own handler, a command only holds others. */
const isEmpty = (handler: unknown): boolean => handler === undefined || String(handler).replace(/\s/g, '') === '()=>{}';

const flagFrom = (options: YargsOptions, names: readonly string[]): [string, Kit.ManifestFlag] => {
  const one = options.of(names);
  const all = [...new Set([...names, ...names.flatMap((name) => options.aliasesOf(name))])];
  const short = all.find((name) => name.length === 1);
  const type = one.choices !== undefined ? 'enum' : one.type === 'count' ? 'integer' : one.type;
  return [
    all.find((name) => name.length > 1) ?? all[0] ?? '',
    flagOf({
      // Without a type, yargs guesses it from the value; in a list, from each one.
      type,
      variadic: one.array,
      required: one.required,
      default: one.default,
      enum_values: one.choices,
      ...(short === undefined || all.length === 1 ? {} : { short }),
      description: one.description,
    }),
  ];
};

const takesOf = (options: YargsOptions, { demanded = [], optional = [] }: YargsCommand) => {
  const places = [...demanded.map((one) => ({ ...one, required: true })), ...optional];
  const positional = new Set(places.flatMap(({ cmd }) => cmd));
  const flags = options
    .names()
    .filter((name) => !positional.has(name) && !options.of([name]).hidden)
    .map((name) => flagFrom(options, [name]));
  return {
    flags: Object.fromEntries(flags),
    positionals: places.map(({ cmd, variadic, ...rest }) => {
      const [name, flag] = flagFrom(options, cmd);
      const required = 'required' in rest || flag.required === true;
      return { ...flag, name, ...(required ? { required } : {}), ...(variadic ? { variadic } : {}) };
    }),
  };
};

/**
 * A command and its nested ones.
 * @param around options of its parent commands, which it accepts, too
 */
const commandsFrom = async (
  path: readonly string[],
  aliases: readonly string[],
  handler: YargsCommand,
  around: YargsOptions,
): Promise<FoundCommand[]> => {
  const { options, nested, yargs, calledAlone } = recorder(around);
  const { builder } = handler;
  if (typeof builder === 'function') {
    try {
      await builder(yargs, false);
    } catch (error) {
      if (error instanceof CommandError) throw error;
      throw new CommandError(
        'unreadable',
        `what the command ${quoteName(path.join(' '))} takes cannot be found out: its builder throws`,
        'give it as a manifest',
      );
    }
  } else for (const [name, given] of Object.entries(membersOf(builder))) options.add([name], declaration(given));
  const inside = nested.filter(({ description }) => description !== false).map(nestedHandler);
  const children = inside.filter(({ name }) => !DEFAULT.test(name));
  const standIn = inside.find(({ name }) => DEFAULT.test(name));
  const callable = children.length === 0 || (calledAlone() && !isEmpty(handler.handler));
  return [
    ...(standIn
      ? await commandsFrom(path, aliases, standIn.handler, options)
      : [
          {
            path,
            aliases,
            description: handler.description,
            holds: children.map(({ name }) => name),
            takes: callable ? takesOf(options, handler) : undefined,
          },
        ]),
    ...(
      await Promise.all(
        children.map(({ name, aliases: others, handler: child }) =>
          commandsFrom([...path, name], others, child, options),
        ),
      )
    ).flat(),
  ];
};

/** Options of the program itself, from the lists in which yargs keeps them. */
const programOptions = (kept: Record<string, unknown>): YargsOptions => {
  const { options } = recorder();
  const has = (list: unknown, name: string): boolean => listOf(list).includes(name);
  const types = ['boolean', 'string', 'number', 'count'];
  const [aliases, choices] = [membersOf(kept.alias), membersOf(kept.choices)];
  const others = new Set(Object.values(aliases).flatMap(textsOf));
  const names = new Set([...Object.keys(membersOf(kept.key)), ...types.flatMap((type) => textsOf(kept[type] ?? []))]);
  for (const name of names) {
    if (others.has(name) && !Object.hasOwn(aliases, name)) continue;
    options.add([name], {
      type: types.find((type) => has(kept[type], name)),
      array: has(kept.array, name) || takesMany(membersOf(kept.narg)[name]),
      ...(aliases[name] === undefined ? {} : { alias: textsOf(aliases[name]) }),
      default: membersOf(kept.default)[name],
      ...(Array.isArray(choices[name]) ? { choices: choices[name] as unknown[] } : {}),
      required: Object.hasOwn(membersOf(kept.demandedOptions), name),
      hidden: has(kept.hiddenOptions, name),
    });
  }
  return options;
};

export const manifestFrom = async ({ handlers, aliasMap, options, name }: YargsState): Promise<Kit.Manifest> => {
  const everywhere = programOptions(options);
  const found: FoundCommand[] = [];
  for (const [command, handler] of Object.entries(handlers)) {
    if (handler.description === false) continue;
    const isDefault = DEFAULT.test(command);
    const aliases = Object.keys(aliasMap).filter((alias) => aliasMap[alias] === command);
    found.push(
      ...(await commandsFrom([isDefault ? name : command], isDefault ? [] : aliases, handler, recorder().options)),
    );
  }
  const itself = found.length > 0 ? [] : [{ path: [name], takes: takesOf(everywhere, {}) }];
  return manifestOf([...itself, ...found], takesOf(everywhere, {}).flags);
};

export const fromYargs: typeof Kit.fromYargs = (program) => manifestFrom(stateOf(program));
