import { CommandError } from '../../command/command.ts';
import { defined } from '../../contract/defined.ts';
import { isObject } from '../../contract/types.ts';
import { quoteName } from '../../text/quote.ts';
import { membersOf, textsOf } from './manifest.ts';

/** What a program declared about one option. */
export interface YargsOption {
  type?: string | undefined;
  array?: boolean | undefined;
  alias?: string[] | undefined;
  default?: unknown;
  choices?: readonly unknown[] | undefined;
  required?: boolean | undefined;
  hidden?: boolean | undefined;
  description?: string | undefined;
}

/** A command that a builder declares. */
export interface Nested {
  line: string;
  aliases: string[];
  description: unknown;
  builder: unknown;
  handler: unknown;
}

/** The options of a command, under each of their names. */
export interface YargsOptions {
  add(names: readonly string[], option: YargsOption): void;
  /** The first name of each declared option. */
  names(): string[];
  aliasesOf(name: string): string[];
  of(names: readonly string[]): YargsOption;
}

const TYPES = ['boolean', 'string', 'number', 'count', 'array'];

/** Whether an option takes several values each time: then yargs makes a list of them. */
export const takesMany = (nargs: unknown): boolean => Number(nargs) > 1;

/** Reads the second argument of `.option(name, …)`. */
export const declaration = (given: unknown): YargsOption => {
  const one = membersOf(given);
  const named = typeof one.type === 'string' ? one.type : undefined;
  const type = TYPES.find((each) => each !== 'array' && (one[each] === true || named === each));
  const said = one.describe ?? one.description ?? one.desc;
  const needed = one.demandOption ?? one.demand ?? one.required ?? one.require;
  return defined({
    type: type ?? (one.normalize === true ? 'string' : undefined),
    array: one.array === true || named === 'array' || takesMany(one.nargs) ? true : undefined,
    alias: one.alias === undefined ? undefined : textsOf(one.alias),
    default: one.default ?? one.defaults,
    choices: Array.isArray(one.choices) ? one.choices : undefined,
    required: needed === undefined ? undefined : needed !== false,
    hidden: one.hidden === true ? true : undefined,
    description: typeof said === 'string' ? said : undefined,
  });
};

const optionsAround = (around?: YargsOptions): YargsOptions => {
  const own = new Map<string, YargsOption>();
  /** The name that it was declared by: the given name may be an alias. */
  const keyOf = (name: string): string =>
    [...own].find(([key, { alias }]) => key === name || alias?.includes(name))?.[0] ?? name;
  const find = (name: string): YargsOption | undefined => own.get(keyOf(name)) ?? undefined;
  return {
    add: (names, option) => {
      for (const name of names) {
        const before = find(name) ?? (around?.names().includes(name) ? around.of([name]) : {});
        const alias = [...new Set([...(before.alias ?? []), ...(option.alias ?? [])])];
        own.set(keyOf(name), { ...before, ...option, ...(alias.length > 0 ? { alias } : {}) });
      }
    },
    names: () => [...new Set([...(around?.names() ?? []), ...own.keys()])],
    aliasesOf: (name) => {
      const found = find(name);
      return found === undefined ? (around?.aliasesOf(name) ?? []) : [keyOf(name), ...(found.alias ?? [])];
    },
    of: (names) => {
      const found = names.map(find).find((one) => one !== undefined);
      return found ?? around?.of(names) ?? {};
    },
  };
};

/** Several forms in which yargs takes names and values: `('a', 1)`, `(['a', 'b'], 1)`, `({a: 1})`. */
const pairsOf = (first: unknown, second: unknown): [string, unknown][] =>
  isObject(first) && !Array.isArray(first) ? Object.entries(first) : textsOf(first ?? []).map((name) => [name, second]);

const nestedOf = (given: unknown, description?: unknown, builder?: unknown, handler?: unknown): Nested[] => {
  if (Array.isArray(given) && given.some((one) => typeof one !== 'string'))
    return given.flatMap((one) => nestedOf(one));
  const module = membersOf(given);
  const isModule = !Array.isArray(given) && typeof given !== 'string';
  const [line = '', ...more] = textsOf(isModule ? (module.command ?? []) : given);
  // A builder that is an object with a handler is the whole module.
  const inside = membersOf(isModule ? module : isObject(builder) && 'handler' in builder ? builder : undefined);
  const said = isModule ? (module.describe ?? module.description ?? module.desc) : description;
  return [
    {
      line,
      aliases: [...more, ...textsOf(inside.aliases ?? [])],
      description: said,
      builder: inside.builder ?? (isModule ? undefined : builder),
      handler: inside.handler ?? (isModule ? undefined : handler),
    },
  ];
};

/**
 * A stand-in for yargs that notes what builders declare. It accepts and ignores all other methods: they do not affect a
 * command's options.
 * @param around options of its parent commands
 */
export const recorder = (around?: YargsOptions) => {
  const options = optionsAround(around);
  const nested: Nested[] = [];
  let alone = true;
  const each = (first: unknown, second: unknown, toOption: (value: unknown) => YargsOption): void => {
    for (const [name, value] of pairsOf(first, second)) options.add([name], toOption(value));
  };
  const typed = (type: string) => (names: unknown) => each(names, undefined, () => ({ type }));
  const needed = (first: unknown) => {
    if (typeof first !== 'number') each(first, true, (value) => ({ required: value !== false }));
  };
  const option = (first: unknown, second: unknown) => each(first, second, declaration);
  const known: Record<string, (first: unknown, second: unknown, third: unknown, fourth: unknown) => void> = {
    option,
    options: option,
    positional: option,
    boolean: typed('boolean'),
    string: typed('string'),
    normalize: typed('string'),
    number: typed('number'),
    count: typed('count'),
    array: (names) => each(names, undefined, () => ({ array: true })),
    nargs: (first, second) => each(first, second, (value) => (takesMany(value) ? { array: true } : {})),
    alias: (first, second) => each(first, second, (value) => ({ alias: textsOf(value) })),
    default: (first, second) => each(first, second, (value) => ({ default: value })),
    defaults: (first, second) => each(first, second, (value) => ({ default: value })),
    choices: (first, second) => each(first, second, (value) => ({ choices: Array.isArray(value) ? value : [value] })),
    hide: (names) => each(names, undefined, () => ({ hidden: true })),
    demandOption: needed,
    demand: needed,
    require: needed,
    required: needed,
    demandCommand: (least) => {
      if (least !== 0) alone = false;
    },
    command: (first, second, third, fourth) => {
      nested.push(...nestedOf(first, second, third, fourth));
    },
    commandDir: () => {
      throw new CommandError(
        'unreadable',
        `the commands that ${quoteName('commandDir')} finds within a command cannot be found out`,
        'declare them with command(), or give a manifest',
      );
    },
  };
  const yargs: unknown = new Proxy(() => yargs, {
    // A builder may be async: what it returns must not be taken for a promise.
    get: (_target, name) => {
      if (typeof name === 'symbol' || name === 'then') return undefined;
      return (...args: unknown[]) => {
        if (Object.hasOwn(known, name)) known[name]?.(args[0], args[1], args[2], args[3]);
        return yargs;
      };
    },
  });
  return { options, nested, yargs, calledAlone: () => alone };
};
