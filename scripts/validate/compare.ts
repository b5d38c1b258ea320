import { propertiesOf } from '../contract/object-schema.ts';
import { type Contract, isObject, type Json, own } from '../contract/types.ts';
import type { Aside, FieldLook } from './compare-field.ts';
import { compareField, compareFields } from './compare-fields.ts';
import type { McpValidateOptions } from './kit/validate.d.ts';
import { outputFields } from './output.ts';
import { type Pairs, pairCommands } from './pair-commands.ts';
import { type Budget, inputFields, newBudget, readSchema } from './schema-fields.ts';
import { keyOf, lettersOf, wordsOf } from './spelling.ts';
import type { CliCommand, Field, Manifest, Mismatch } from './types.ts';

/** Commands that frameworks add. Used only if the manifest does not say which commands are built in. */
const BUILTIN_COMMANDS: ReadonlySet<string> = new Set(
  (
    'changelog completion completions generate_skills help manifest mcp mcp_serve mcp_validate schema update ' +
    'upgrade version'
  ).split(' '),
);

/** Flags that every command has. */
const BUILTIN_FLAGS: ReadonlySet<string> = new Set(['help', 'version']);

/** Gives a test for commands that the framework added: by the manifest, else by name, with their subcommands. */
const builtinTest = (commands: readonly CliCommand[]): ((command: CliCommand) => boolean) => {
  const said = commands.some(({ builtin }) => builtin !== undefined);
  return ({ name, builtin }) => {
    if (said) return builtin === true;
    const first = name.split(/[.\s/:]/)[0] ?? name;
    return BUILTIN_COMMANDS.has(wordsOf(first).join('_'));
  };
};

/** `map`: from command to tool; null for a command that intentionally has none. */
export type CompareSettings = Omit<McpValidateOptions, 'map'> & { map?: ReadonlyMap<string, string | null> };

export interface Compared {
  found: Mismatch[];
  aside: Aside;
  /** Of the pairs: how many have output schemas that were compared, and the commands where only one side has one. */
  outputs: { compared: number; not_compared: string[] };
  pairs: Pairs['pairs'];
  /** Commands without a tool, and tools without a command. */
  missing: CliCommand[];
  extra: Contract[];
  prefix: string;
  /** How many commands were intentionally not compared, by the reason. */
  leftOut: { builtin: number; group: number; not_for_mcp: number };
}

interface Budgets {
  cli: Budget;
  mcp: Budget;
}

type Manner = Pick<FieldLook, 'strict' | 'lenient' | 'aside'>;

type Pair = Pairs['pairs'][number];

const bothSayOutput = ({ command, tool }: Pair): boolean => isObject(command.output) && tool.outputSchema !== undefined;

const oneSaysOutput = (pair: Pair): boolean =>
  (pair.command.output !== undefined || pair.tool.outputSchema !== undefined) && !bothSayOutput(pair);

const compareOutputs = (command: CliCommand, tool: Contract, manner: Manner, budgets: Budgets): Mismatch[] => {
  if (!bothSayOutput({ command, tool })) return [];
  const look: FieldLook = { ...manner, output: true, seen: new Set() };
  const { cli, mcp } = outputFields(command.output as Json, tool.outputSchema as Json, budgets.cli, budgets.mcp);
  // `required` means nothing for an output as a whole.
  const quiet = ({ required: _required, ...field }: Field): Field => field;
  return compareField(quiet(cli), quiet(mcp), { way: 'data', about: { command: command.name, tool: tool.name }, look });
};

const without = (fields: ReadonlyMap<string, Field>, ignored: ReadonlySet<string>): Map<string, Field> =>
  ignored.size === 0 ? new Map(fields) : new Map([...fields].filter(([name]) => !ignored.has(lettersOf(name))));

const comparePair = (
  command: CliCommand,
  tool: Contract,
  globals: ReadonlyMap<string, Field>,
  ignored: ReadonlySet<string>,
  manner: Manner,
  budgets: Budgets,
): Mismatch[] => {
  if (command.open) return compareOutputs(command, tool, manner, budgets);
  const about = { command: command.name, tool: tool.name };
  const flags = without(command.fields, ignored);
  const taken = new Set([...flags.keys()].map(lettersOf));
  const more = [...without(globals, ignored)].filter(([name]) => !taken.has(lettersOf(name)));
  // The wrapper may leave out options of the whole CLI, unless they are required.
  const optional = new Set(more.map(([, field]) => field).filter(({ required }) => required !== true));
  const input = readSchema(tool.inputSchema, '/inputSchema', budgets.mcp);
  if (input.unread !== undefined)
    manner.aside.unread.push({ command: command.name, field: 'inputSchema', why: input.unread });
  const mcp = without(inputFields(input), ignored);
  const look: FieldLook = { ...manner, output: false, seen: new Set() };
  return [
    ...compareFields(new Map([...flags, ...more]), mcp, { way: '', about, look, pointer: '/inputSchema', optional }),
    ...compareOutputs(command, tool, manner, budgets),
  ];
};

/** Whether a tool is the twin of one that wraps a command: it takes the same, as one text. */
const isTwin = ({ name, inputSchema }: Contract, wrapping: ReadonlySet<string>): boolean => {
  const properties = propertiesOf(inputSchema);
  return (
    name.endsWith('_raw') &&
    wrapping.has(name.slice(0, -'_raw'.length)) &&
    Object.keys(properties).join() === 'payload' &&
    own(properties.payload, 'type') === 'string'
  );
};

/**
 * All differences between a wrapper and its CLI, in the order of the manifest.
 * @throws CommandError if the schemas are too large
 */
export const compare = (manifest: Manifest, tools: readonly Contract[], settings: CompareSettings = {}): Compared => {
  const { map = new Map(), prefix, ignoreBuiltins = false, strict = false, lenient = false } = settings;
  const isBuiltin = builtinTest(manifest.commands);
  const builtins = ignoreBuiltins ? manifest.commands.filter(isBuiltin) : [];
  const ignoredTools = new Set(settings.ignoreTools ?? []);
  const shown = tools.filter(({ name }) => !ignoredTools.has(name));
  // Left-out commands are paired, too, or else their tools would count as tools without a command.
  const all = pairCommands(manifest.commands, shown, map, prefix);
  const skipped = new Set(builtins);
  const isWanted = (command: CliCommand): boolean => !skipped.has(command) && command.notForMcp === undefined;
  const pairs = all.pairs.filter(({ command }) => isWanted(command));
  const missing = all.missing.filter((command) => isWanted(command) && !command.group);
  const ignored = new Set([...(settings.ignoreFlags ?? []), ...(ignoreBuiltins ? BUILTIN_FLAGS : [])].map(lettersOf));
  const aside: Aside = { tolerated: [], unknown: [], unread: [] };
  const manner: Manner = { strict, lenient, aside };
  const budgets = { cli: newBudget(), mcp: newBudget() };
  const toolOf = new Map(all.pairs.map(({ command, tool }) => [command, tool]));
  const absent = new Set(missing);
  const found = manifest.commands.flatMap((command): Mismatch[] => {
    const about = { command: command.name, output: false, aspects: [], pointer: '' };
    if (absent.has(command)) return [{ kind: 'missing', ...about }];
    const tool = toolOf.get(command);
    if (tool === undefined || skipped.has(command)) return [];
    const { notForMcp: why } = command;
    if (why !== undefined) return [{ kind: 'removed', ...about, tool: tool.name, why }];
    return comparePair(command, tool, manifest.globals, ignored, manner, budgets);
  });
  const wrapping = new Set(
    all.pairs.filter(({ command }) => command.notForMcp === undefined).map(({ tool }) => tool.name),
  );
  const left = all.extra.filter((tool) => !isTwin(tool, wrapping));
  const extra = left.filter(
    ({ name }) => !ignoreBuiltins || !isBuiltin({ name: keyOf(name), aliases: [], fields: new Map(), group: false }),
  );
  const unwanted = extra.map(({ name }): Mismatch => {
    return { kind: 'removed', command: name, tool: name, output: false, aspects: [], pointer: '' };
  });
  return {
    found: [...found, ...unwanted],
    aside,
    outputs: {
      compared: pairs.filter(bothSayOutput).length,
      not_compared: pairs.filter(oneSaysOutput).map(({ command }) => command.name),
    },
    pairs,
    missing,
    extra,
    prefix: all.prefix,
    leftOut: {
      builtin: builtins.length,
      group: all.missing.filter((command) => command.group && !skipped.has(command)).length,
      not_for_mcp: manifest.commands.filter((command) => !isWanted(command) && !skipped.has(command)).length,
    },
  };
};
