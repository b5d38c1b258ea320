import { defined } from '../contract/defined.ts';
import type { Contract, Json, JsonObject } from '../contract/types.ts';
import type { FoundChange, Level } from '../diff/types.ts';
import { quoteName, quoteText } from '../text/quote.ts';
import { visible } from '../text/visible.ts';
import type { Compared } from './compare.ts';
import type { Drift, DriftEntry } from './kit/validate.d.ts';
import type { RULES } from './rules.ts';
import { typeText } from './type-text.ts';
import type { Aspect, CliCommand, Field, Mismatch } from './types.ts';

/** How deep lists of lists are shown. */
const DEEPEST = 8;

interface Sentence {
  rule: (typeof RULES)[number]['id'];
  level: Level;
  message: string;
}

/** The type of a field for a message; made safe, because it can hold text from either side. */
const told = (field: Field | undefined, aspects: readonly Aspect[]): string =>
  field === undefined ? 'none' : visible(typeText(field, aspects), { max: 160 }).replaceAll('`', "'");

const needed = (field: Field | undefined): boolean => field?.required === true && field.default === undefined;

const aspectSentence = (aspect: Aspect, { field = '', cli, mcp, output }: Mismatch): Sentence => {
  const name = quoteName(field);
  const [old, now] = [told(mcp, [aspect]), told(cli, [aspect])];
  const both = `${name}: ${now} in the CLI, ${old} in the tool`;
  if (aspect === 'type') return { rule: 'mcp-type-differs', level: 'breaking', message: both };
  if (aspect === 'values') {
    const offered = mcp?.values?.every(
      (value) => cli?.values === undefined || cli.values.some((one) => String(one) === String(value)),
    );
    return {
      rule: 'mcp-values-differ',
      level: offered && mcp?.values !== undefined && !output ? 'silent' : 'breaking',
      message: both,
    };
  }
  if (aspect === 'default') return { rule: 'mcp-default-differs', level: 'silent', message: both };
  return { rule: 'mcp-required-differs', level: output || needed(cli) ? 'breaking' : 'silent', message: both };
};

/** About a command or a tool that is alone. */
const wholeSentence = ({ kind, command, tool = command, why }: Mismatch): Sentence => {
  if (kind === 'missing')
    return { rule: 'mcp-command-missing', level: 'silent', message: `no tool for the command ${quoteName(command)}` };
  if (why === undefined)
    return {
      rule: 'mcp-tool-without-command',
      level: 'breaking',
      message: `no command for the tool ${quoteName(tool)}`,
    };
  const message = `the command ${quoteName(command)} must not be a tool: ${why}`;
  return { rule: 'mcp-tool-not-wanted', level: 'breaking', message };
};

/** About a field that only one side has. */
const fieldSentence = (field: string, { kind, cli, mcp, output }: Mismatch): Sentence => {
  const isAdded = kind === 'added';
  const [here, there] = isAdded ? ['CLI', 'tool'] : ['tool', 'CLI'];
  const type = told(isAdded ? cli : mcp, ['required']);
  const message = `${quoteName(field)} (${type}) is in the ${here}, and not in the ${there}`;
  if (isAdded && output) return { rule: 'mcp-output-field-missing', level: 'silent', message };
  if (isAdded) return { rule: 'mcp-flag-missing', level: needed(cli) ? 'breaking' : 'silent', message };
  if (!output) return { rule: 'mcp-flag-unknown', level: 'breaking', message };
  return { rule: 'mcp-output-field-unknown', level: mcp?.required === true ? 'breaking' : 'silent', message };
};

const sentencesOf = (found: Mismatch): Sentence[] => {
  if (found.kind === 'changed') return found.aspects.map((aspect) => aspectSentence(aspect, found));
  return [found.field === undefined ? wholeSentence(found) : fieldSentence(found.field, found)];
};

/** Differences in the form of changes, for reports: from the current tool to the tool as the CLI requires it. */
export const toChanges = (found: readonly Mismatch[]): FoundChange[] =>
  found.flatMap((one) =>
    sentencesOf(one).map(({ rule, level, message }): FoundChange => {
      const told = one.tool !== undefined && one.tool !== one.command && one.field !== undefined;
      const whole = visible(told ? `${message} (command ${quoteName(one.command)})` : message);
      return {
        tool: one.tool ?? one.command,
        path: one.pointer,
        rule,
        level,
        message: whole,
        brief: whole,
        ...(one.mcp === undefined || one.field === undefined ? {} : { before: typeText(one.mcp, one.aspects) }),
        ...(one.cli === undefined || one.field === undefined ? {} : { after: typeText(one.cli, one.aspects) }),
      };
    }),
  );

const entryOf = ({ command, field, cli, mcp, aspects }: Mismatch): DriftEntry => ({
  command,
  field: field ?? null,
  cli_type: cli === undefined ? null : typeText(cli, aspects),
  // A tool without a command has no field whose type could be given.
  mcp_type: mcp === undefined ? (field === undefined ? 'tool' : null) : typeText(mcp, aspects),
});

/** The differences in the wire form of REQ-O-035. */
export const toDrift = (found: readonly Mismatch[]): Drift => {
  const of = (kind: Mismatch['kind']): Mismatch[] => found.filter((one) => one.kind === kind);
  return {
    added: of('added').map(entryOf),
    removed: of('removed').map(entryOf),
    changed: of('changed').map(entryOf),
    missing_from_mcp: of('missing').map(({ command }) => command),
  };
};

const schemaOf = ({ kinds, nullable, values, items, default: preset }: Field, depth = 0): JsonObject => {
  const inside = depth < DEEPEST ? items?.() : undefined;
  const types = [...kinds, ...(nullable && kinds.length > 0 && kinds.join() !== 'null' ? ['null'] : [])];
  return {
    ...(types.length === 0 ? {} : { type: types.length === 1 ? (types[0] as Json) : types }),
    ...(values === undefined ? {} : { enum: [...values] }),
    ...(inside === undefined || inside.kinds.length === 0 ? {} : { items: schemaOf(inside, depth + 1) }),
    ...defined({ default: preset }),
  };
};

/** A command as a contract, so that a page can show it next to the tool. */
const asContract = ({ name, description, fields, output }: CliCommand, tool: string): Contract => ({
  name: tool,
  description: description ?? name,
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries([...fields].map(([flag, field]) => [flag, schemaOf(field)])),
    required: [...fields.values()].filter(({ required }) => required === true).map((field) => field.name),
  },
  ...defined({ outputSchema: output }),
});

/** Both sides as lists of contracts, with the tools' names. */
export const bothSides = ({ pairs, missing, extra }: Compared): { tools: Contract[]; commands: Contract[] } => ({
  tools: [...pairs.map(({ tool }) => tool), ...extra],
  commands: [
    ...pairs.map(({ command, tool }) => asContract(command, tool.name)),
    ...missing.map((command) => asContract(command, command.name)),
  ],
});

/** Names commands whose output only one side describes, so that it is not compared; undefined if there are none. */
export const outputsText = ({ outputs: { compared, not_compared: left } }: Compared): string | undefined =>
  left.length === 0
    ? undefined
    : `outputs: ${compared} compared, ${left.length} not compared (one side has no output schema)`;

/** One line that says what was compared. */
export const headline = (compared: Compared, commands: number, tools: number): string => {
  const { pairs, leftOut, prefix } = compared;
  const outputs = outputsText(compared);
  const left = leftOut.builtin + leftOut.group + leftOut.not_for_mcp;
  return [
    `${commands} ${commands === 1 ? 'command' : 'commands'}, ${tools} ${tools === 1 ? 'tool' : 'tools'}: ${pairs.length} compared`,
    ...(left > 0 ? [`${left} left out`] : []),
    ...(outputs === undefined ? [] : [outputs]),
    ...(prefix === '' ? [] : [`tools are called ${quoteText(`${prefix}_…`, 60)}`]),
  ].join(', ');
};
