import { CommandError } from '../command/command.ts';
import { defined } from '../contract/defined.ts';
import { pointer } from '../contract/json-pointer.ts';
import { LIMITS } from '../contract/read.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { quoteName, quoteText } from '../text/quote.ts';
import { type Budget, inputFields, newBudget, readSchema } from './schema-fields.ts';
import type { CliCommand, Field, Manifest } from './types.ts';

const HINT =
  'pass what the CLI\'s manifest command prints: {"commands": {"deploy": {"flags": {…}}}}, bare or as an envelope';
const MOST_FLAGS = 2_000;

const JSON_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'];
/** JSON types, by the manifest's names for types and those of other frameworks. */
export const FLAG_KINDS: Record<string, string> = {
  ...Object.fromEntries(JSON_TYPES.map((type) => [type, type])),
  ...{ enum: 'string', str: 'string', int: 'integer', float: 'number', bool: 'boolean', list: 'array' },
};

/** The error for a place in the manifest, with what was expected there. */
const wrong = (path: string, message: string): CommandError =>
  new CommandError('not-a-manifest', `the manifest is not one: ${quoteText(path || '/', 160)} ${message}`, HINT);

const textIn = (value: Json, key: string): string | undefined => {
  const text = own(value, key);
  return typeof text === 'string' ? text : undefined;
};

/** The manifest in an answer: bare, or in the envelope of the command that printed it. */
const unwrap = (value: Json): JsonObject => {
  if (!isObject(value)) throw wrong('', 'must be an object');
  const object = value as JsonObject;
  if (own(object, 'commands') !== undefined) return object;
  const data = own(object, 'data');
  if (isObject(data) && own(data, 'commands') !== undefined) return data as JsonObject;
  const error = own(object, 'error');
  if (isObject(error)) {
    const code = textIn(error as Json, 'code') ?? 'unknown';
    throw new CommandError('no-manifest', `the CLI answered with the error ${quoteText(code, 60)}`, HINT);
  }
  if (own(own(object, 'meta'), 'not_modified') === true) {
    throw new CommandError(
      'no-manifest',
      'the CLI answered that its manifest has not changed',
      'ask it without --etag',
    );
  }
  throw wrong('', "must have required property 'commands'");
};

/** The entries of a map by name, or of a list whose elements have names. */
const entriesOf = (
  value: Json | undefined,
  path: string,
  nameKeys: readonly string[],
  most: number,
): [string, JsonObject, string][] => {
  if (value === undefined || value === null) return [];
  if (!isObject(value) && !Array.isArray(value)) throw wrong(path, 'must be object or array');
  const count = Array.isArray(value) ? value.length : Object.keys(value).length;
  if (count > most) throw wrong(path, `must NOT have more than ${most} entries`);
  if (!Array.isArray(value)) {
    return Object.entries(value as JsonObject).map(([name, entry]) => {
      const at = path + pointer(name);
      if (!isObject(entry)) throw wrong(at, 'must be object');
      return [name, entry as JsonObject, at];
    });
  }
  return value.map((entry, index) => {
    const at = `${path}/${index}`;
    const name = nameKeys.map((key) => textIn(entry, key)).find((one) => one !== undefined && one !== '');
    if (name === undefined) throw wrong(at, `must have required property '${nameKeys[0]}'`);
    return [name, entry as JsonObject, at];
  });
};

/** A member of an entry, if it has one. @throws CommandError if that is of another type */
const memberOf = <T extends Json>(
  value: Json | undefined,
  path: string,
  [expected, isRight]: readonly [expected: string, isRight: (value: Json) => value is T],
): T | undefined => {
  if (value === undefined || isRight(value)) return value;
  throw wrong(path, `must be ${expected}`);
};
const STRING = ['string', (value: Json): value is string => typeof value === 'string'] as const;
const BOOLEAN = ['boolean', (value: Json): value is boolean => typeof value === 'boolean'] as const;
const ARRAY = ['array', (value: Json): value is Json[] => Array.isArray(value)] as const;

/** A flag or a positional argument. */
const readFlag = (name: string, entry: JsonObject, at: string, budget: Budget): Field => {
  const type = memberOf(own(entry, 'type'), `${at}/type`, STRING);
  const required = memberOf(own(entry, 'required'), `${at}/required`, BOOLEAN) === true;
  const listed = memberOf(own(entry, 'enum_values') ?? own(entry, 'enum'), `${at}/enum_values`, ARRAY);
  const one = readValue({ name, type, listed, schema: own(entry, 'schema'), at, budget });
  const isVariadic = own(entry, 'variadic') === true && one.kinds.join() !== 'array';
  const preset = own(entry, 'default');
  const short = textIn(entry, 'short')?.replace(/^-+/, '');
  return {
    ...(isVariadic ? { name, kinds: ['array'], nullable: false, pointer: at, items: () => one } : one),
    required,
    ...(preset === undefined || preset === null ? {} : { default: preset }),
    ...(short === undefined || short === '' ? {} : { short }),
  };
};

/** What a manifest says of a flag's value. `schema` is the shape of one value: of the object, or of an array's item. */
interface StatedValue {
  name: string;
  type: string | undefined;
  listed: Json[] | undefined;
  schema: Json | undefined;
  at: string;
  budget: Budget;
}

const readValue = ({ name, type, listed, schema, at, budget }: StatedValue): Field => {
  const stated = type ?? (listed && 'enum');
  const known = stated === undefined || !Object.hasOwn(FLAG_KINDS, stated) ? undefined : FLAG_KINDS[stated];
  const kinds = known === undefined ? [] : [known];
  const inside = isObject(schema) ? readSchema(schema as Json, `${at}/schema`, budget) : undefined;
  const values = listed !== undefined && listed.length > 0 ? listed : undefined;
  // Without a type of their own, listed values tell it.
  const { kinds: told, values: allowed } = values ? readSchema({ enum: values }, at, budget) : {};
  const ofValues = defined({ kinds: told, values: allowed, spelled: told && (true as const) });
  const isUnknown = known === undefined;
  const one: Field = { name, kinds, nullable: isUnknown, pointer: at, ...(isUnknown ? { unknown: type ?? true } : {}) };
  if (known === 'array') {
    // Listed values are those of the items.
    const items = inside ?? (values && { name, kinds: [], nullable: false, pointer: at, ...ofValues });
    return items ? { ...one, items: () => items } : one;
  }
  if (type === undefined || type === 'enum') return { ...one, ...ofValues };
  const { members, others, unread } = (type === 'object' && inside) || {};
  return { ...one, ...defined({ values, members, others, unread }) };
};

const bare = (flag: string): string => flag.replace(/^--?/, '');

/** @throws CommandError if something is there twice, since only one of the two would be compared */
const unlessTwice = (names: readonly string[], path: string): void => {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw wrong(path, `has ${quoteName(name)} twice`);
    seen.add(name);
  }
};

const readFlags = (value: Json | undefined, path: string, budget: Budget): [string, Field][] => {
  const entries = entriesOf(value, path, ['name'], MOST_FLAGS);
  const names = entries.map(([name]) => bare(name));
  unlessTwice(names, path);
  return entries.map(([name, entry, at]) => [bare(name), readFlag(bare(name), entry, at, budget)]);
};

/** The names that manifests give a part of a command. */
const FLAGS = ['flags', 'parameters', 'options'];
const POSITIONALS = ['positionals', 'arguments', 'args'];
const SUBCOMMANDS = ['subcommands', 'commands'];

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** The part of a command that has one of some names, and its place. @throws CommandError if it has two of them */
const partOf = (entry: JsonObject, names: readonly string[], at: string): [Json | undefined, string] => {
  const [name = names[0] as string, other] = names.filter((one) => !isEmpty(own(entry, one)));
  if (other !== undefined) throw wrong(at, `must NOT have both ${quoteName(name)} and ${quoteName(other)}`);
  return [own(entry, name), `${at}/${name}`];
};

const notForMcp = (entry: JsonObject): string | undefined => {
  if (own(entry, 'requires_person') === true) return 'only a person may run it';
  if (own(entry, 'mcp') === false) return 'its manifest says that it is never a tool';
  return own(entry, 'stdout') === 'protocol' ? 'it serves a protocol' : undefined;
};

const readCommand = (name: string, entry: JsonObject, at: string, budget: Budget): CliCommand => {
  const input = own(entry, 'input_schema') ?? own(entry, 'inputSchema');
  const positionals = new Map(readFlags(...partOf(entry, POSITIONALS, at), budget));
  const fields = new Map<string, Field>([
    ...(input === undefined ? [] : inputFields(readSchema(input, `${at}/input_schema`, budget))),
    ...positionals,
    // A flag may be named like an argument, and is another field.
    ...readFlags(...partOf(entry, FLAGS, at), budget).map(([flag, field]): [string, Field] => [
      positionals.has(flag) ? `--${flag}` : flag,
      field,
    ]),
  ]);
  const stated = own(entry, 'output_schema') ?? own(entry, 'outputSchema');
  const output = isObject(stated) || stated === true ? (stated as Json) : undefined;
  const open = input === true && fields.size === 0;
  const aliases = own(entry, 'aliases');
  const builtin = own(entry, 'builtin');
  const why = notForMcp(entry);
  return {
    name,
    aliases: Array.isArray(aliases) ? aliases.filter((alias): alias is string => typeof alias === 'string') : [],
    fields,
    // A command that takes nothing and prints nothing only holds others.
    group: !isEmpty(partOf(entry, SUBCOMMANDS, at)[0]) && fields.size === 0 && !open && output === undefined,
    ...(open ? { open } : {}),
    ...defined({ description: textIn(entry, 'description'), output }),
    ...(typeof builtin === 'boolean' ? { builtin } : {}),
    ...defined({ notForMcp: why }),
  };
};

/** Commands and those within them, which are named by their path, or by the last part of it. */
const readCommands = (value: Json | undefined, path: string, budget: Budget, parent = ''): CliCommand[] =>
  entriesOf(value, path, ['name', 'path', 'command'], LIMITS.tools).flatMap(([given, entry, at]) => {
    const isPath = given.startsWith(parent) && /^[.\s/:]/.test(given.slice(parent.length));
    const name = parent === '' || isPath ? given : `${parent}.${given}`;
    const [inside, below] = partOf(entry, SUBCOMMANDS, at);
    // A list may hold names alone, of commands that stand elsewhere.
    const nested = Array.isArray(inside) ? inside.filter((one) => typeof one !== 'string') : inside;
    return [readCommand(name, entry, at, budget), ...readCommands(nested, below, budget, name)];
  });

/**
 * Reads a CLI's manifest: `{commands: {"deploy.rollback": {flags, positionals, aliases, output_schema, input_schema,
 * …}}}`, with flags and commands as maps or as lists of named entries, bare or as `data` of a response envelope.
 * @throws CommandError with the place of what is wrong
 */
export const readManifest = (value: Json): Manifest => {
  const manifest = unwrap(value);
  const budget = newBudget();
  const listed = own(manifest, 'commands');
  if (listed === null) throw wrong('/commands', 'must be object or array');
  const commands = readCommands(listed, '/commands', budget);
  unlessTwice(
    commands.map(({ name }) => name),
    '/commands',
  );
  return { commands, globals: new Map(readFlags(...partOf(manifest, FLAGS, ''), budget)) };
};
