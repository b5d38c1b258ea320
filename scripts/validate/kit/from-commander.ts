import { defined } from '../../contract/defined.ts';
import { type FoundCommand, flagOf, listOf, manifestOf, membersOf } from './manifest.ts';
import type * as Kit from './validate.d.ts';

/** What commander's `Option` and `Argument` have in common. */
interface Declared {
  variadic?: boolean;
  defaultValue?: unknown;
  argChoices?: readonly unknown[];
  parseArg?: unknown;
  description?: string;
}

interface Option extends Declared {
  long?: string;
  short?: string;
  /** Whether it requires a value, and whether it can take one. */
  required: boolean;
  optional: boolean;
  mandatory: boolean;
  negate: boolean;
  hidden: boolean;
}

interface Argument extends Declared {
  required: boolean;
  name(): string;
}

const isParsed = ({ parseArg }: Declared): boolean => parseArg !== undefined && parseArg !== null;

/** The type that a parser returns is known only for parsers that are built into the language. */
const typeOf = ({ parseArg, argChoices, defaultValue }: Declared): string | undefined => {
  if (argChoices !== undefined) return 'enum';
  if (!isParsed({ parseArg })) return 'string';
  if (parseArg === Number.parseInt) return 'integer';
  if (parseArg === Number || parseArg === Number.parseFloat) return 'number';
  return Array.isArray(defaultValue) ? 'array' : undefined;
};

const declared = (one: Declared, type: string | undefined, required: boolean): Kit.ManifestFlag =>
  flagOf({
    type,
    required,
    default: one.defaultValue,
    enum_values: one.argChoices,
    variadic: one.variadic,
    description: one.description,
  });

const flagName = ({ long, short, negate }: Option): string => {
  const name = (long ?? short ?? '').replace(/^--?/, '');
  return negate ? name.replace(/^no-/, '') : name;
};

const flagsOf = (options: readonly unknown[]): Record<string, Kit.ManifestFlag> => {
  const shown = (options as Option[]).filter(({ hidden }) => !hidden);
  // `--colour` and `--no-colour` are one flag, and the former says what it takes.
  const negated = new Set(shown.filter(({ negate }) => negate).map(flagName));
  const inOrder = [...shown.filter(({ negate }) => negate), ...shown.filter(({ negate }) => !negate)];
  return Object.fromEntries(
    inOrder.map((option): [string, Kit.ManifestFlag] => {
      const { required, optional, mandatory, negate, short } = option;
      if (negate) return [flagName(option), { type: 'boolean', default: option.defaultValue ?? true }];
      // With `[value]`, or with `--no-` besides, it is a value or a boolean, also where the values are listed.
      const isOpen = optional || (required && negated.has(flagName(option)));
      // A flag's parser may count how often it is given.
      const type = isOpen ? undefined : required ? typeOf(option) : isParsed(option) ? undefined : 'boolean';
      const described = isOpen ? { ...option, argChoices: [] } : option;
      const letter = short === undefined || /^--/.test(short) ? undefined : short.replace(/^-/, '');
      return [flagName(option), { ...declared(described, type, mandatory), ...defined({ short: letter }) }];
    }),
  );
};

const positionalsOf = (args: readonly unknown[]): (Kit.ManifestFlag & { name: string })[] =>
  (args as Argument[]).map((argument) => ({
    name: argument.name(),
    ...declared(argument, typeOf(argument), argument.required),
  }));

export const fromCommander: typeof Kit.fromCommander = (program) => {
  /** @param inherited options of its parent commands, which it accepts, too */
  const walk = (given: object, path: readonly string[], inherited: readonly unknown[]): FoundCommand[] => {
    const command = membersOf(given);
    const children = listOf(command.commands).filter((child) => membersOf(child)._hidden !== true) as object[];
    const nameOf = (child: object): string => (child as Kit.CommanderProgram).name();
    const options = [...inherited, ...(path.length === 0 ? [] : listOf(command.options))];
    const args = command.registeredArguments ?? command._args;
    // A command with subcommands can be called only if it has an action.
    const callable = Boolean(command._actionHandler);
    const takesAny = Boolean(command._executableHandler);
    const found: FoundCommand = {
      path: path.length === 0 ? [program.name()] : path,
      description: (given as { description?(): unknown }).description?.(),
      aliases: path.length === 0 ? [] : ((given as { aliases?(): string[] }).aliases?.() ?? []),
      holds: children.map(nameOf),
      // What another program takes is not known here.
      takes: takesAny
        ? { input_schema: true }
        : callable || children.length === 0
          ? {
              flags: flagsOf(path.length === 0 ? listOf(command.options) : options),
              positionals: positionalsOf(listOf(args)),
            }
          : undefined,
    };
    // The program itself is a command if it does something, or if there is no other.
    const itself = path.length > 0 || found.takes !== undefined ? [found] : [];
    return [...itself, ...children.flatMap((child) => walk(child, [...path, nameOf(child)], options))];
  };
  return manifestOf(walk(program, [], []), flagsOf(program.options));
};
