import { CommandError } from '../command/command.ts';
import { defined } from '../contract/defined.ts';
import { pointer } from '../contract/json-pointer.ts';
import { LIMITS } from '../contract/read.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { quoteName, quoteText } from '../text/quote.ts';
import { kindsOfFlag } from './flag-type.ts';
import { type Budget, inputFields, newBudget, readSchema } from './schema-fields.ts';
import type { CliCommand, Field, Manifest } from './types.ts';

const HINT =
  'pass what the CLI\'s manifest command prints: {"commands": {"deploy": {"flags": {…}}}}, bare or as an envelope';
const MOST_FLAGS = 2_000;

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

/** A flag or a positional argument. `schema` is the shape of one value: of the object, or of an array's item. */
const readFlag = (name: string, entry: JsonObject, at: string, budget: Budget): Field => {
  const type = own(entry, 'type');
  if (type !== undefined && typeof type !== 'string') throw wrong(`${at}/type`, 'must be string');
  const required = own(entry, 'required');
  if (required !== undefined && typeof required !== 'boolean') throw wrong(`${at}/required`, 'must be boolean');
  const listed = own(entry, 'enum_values') ?? own(entry, 'enum');
  if (listed !== undefined && !Array.isArray(listed)) throw wrong(`${at}/enum_values`, 'must be array');
  const kinds = type === undefined ? (listed === undefined ? [] : ['string']) : kindsOfFlag(type);
  const schema = own(entry, 'schema');
  const inside = isObject(schema) ? readSchema(schema as Json, `${at}/schema`, budget) : undefined;
  const isList = kinds?.join() === 'array';
  const variadic = own(entry, 'variadic') === true && !isList;
  const preset = own(entry, 'default');
  const values = Array.isArray(listed) && listed.length > 0 ? listed : undefined;
  const one: Field = {
    name,
    kinds:
      type === 'enum' && values !== undefined && values.every((value) => Number.isInteger(value))
        ? ['integer']
        : (kinds ?? []),
    nullable: (kinds ?? []).length === 0,
    pointer: at,
    ...(kinds === undefined || kinds.length === 0 ? { unknown: (type as string | undefined) ?? true } : {}),
    ...(values === undefined || isList ? {} : { values }),
    ...(type === 'object' && inside
      ? defined({ members: inside.members, others: inside.others, unread: inside.unread })
      : {}),
    ...(isList && inside ? { items: () => inside } : {}),
    // Listed values are those of the items.
    ...(isList && !inside && values
      ? { items: () => ({ name, kinds: ['string'], nullable: false, pointer: at, values }) }
      : {}),
  };
  const short = textIn(entry, 'short')?.replace(/^-+/, '');
  return {
    ...(variadic ? { name, kinds: ['array'], nullable: false, pointer: at, items: () => one } : one),
    required: required === true,
    ...(preset === undefined || preset === null ? {} : { default: preset }),
    ...(short === undefined || short === '' ? {} : { short }),
  };
};

const bare = (flag: string): string => flag.replace(/^--?/, '');

const readFlags = (value: Json | undefined, path: string, budget: Budget): [string, Field][] =>
  entriesOf(value, path, ['name'], MOST_FLAGS).map(([name, entry, at]) => [
    bare(name),
    readFlag(bare(name), entry, at, budget),
  ]);

/** Whether a command only holds others: then it takes nothing, and prints nothing itself. */
const isGroup = (entry: JsonObject, fields: number, output: Json | undefined): boolean => {
  const children = own(entry, 'subcommands');
  return Array.isArray(children) && children.length > 0 && fields === 0 && output === undefined;
};

const notForMcp = (entry: JsonObject): string | undefined => {
  if (own(entry, 'requires_person') === true) return 'only a person may run it';
  if (own(entry, 'mcp') === false) return 'its manifest says that it is never a tool';
  return own(entry, 'stdout') === 'protocol' ? 'it serves a protocol' : undefined;
};

const readCommand = (name: string, entry: JsonObject, at: string, budget: Budget): CliCommand => {
  const input = own(entry, 'input_schema') ?? own(entry, 'inputSchema');
  const flags = own(entry, 'flags') !== undefined ? 'flags' : 'parameters';
  const fields = new Map<string, Field>([
    ...(input === undefined ? [] : inputFields(readSchema(input, `${at}/input_schema`, budget))),
    ...readFlags(own(entry, 'positionals'), `${at}/positionals`, budget),
    ...readFlags(own(entry, flags), `${at}/${flags}`, budget),
  ]);
  const stated = own(entry, 'output_schema') ?? own(entry, 'outputSchema');
  const output = isObject(stated) || stated === true ? (stated as Json) : undefined;
  const aliases = own(entry, 'aliases');
  const builtin = own(entry, 'builtin');
  const why = notForMcp(entry);
  return {
    name,
    aliases: Array.isArray(aliases) ? aliases.filter((alias): alias is string => typeof alias === 'string') : [],
    fields,
    group: isGroup(entry, fields.size, output),
    ...defined({ description: textIn(entry, 'description'), output }),
    ...(typeof builtin === 'boolean' ? { builtin } : {}),
    ...defined({ notForMcp: why }),
  };
};

/**
 * Reads a CLI's manifest: `{commands: {"deploy.rollback": {flags, positionals, aliases, output_schema, input_schema,
 * …}}}`, with flags and commands as maps or as lists of named entries, bare or as `data` of a response envelope.
 * @throws CommandError with the place of what is wrong
 */
export const readManifest = (value: Json): Manifest => {
  const manifest = unwrap(value);
  const budget = newBudget();
  const commands = entriesOf(own(manifest, 'commands'), '/commands', ['name', 'path', 'command'], LIMITS.tools).map(
    ([name, entry, at]) => readCommand(name, entry, at, budget),
  );
  const seen = new Set<string>();
  for (const { name } of commands) {
    if (seen.has(name)) throw wrong('/commands', `has ${quoteName(name)} twice`);
    seen.add(name);
  }
  return { commands, globals: new Map(readFlags(own(manifest, 'flags'), '/flags', budget)) };
};
