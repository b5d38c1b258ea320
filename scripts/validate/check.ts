import { CommandError } from '../command/command.ts';
import type { Contract } from '../contract/types.ts';
import { countLevels } from '../diff/levels.ts';
import type { FoundChange } from '../diff/types.ts';
import { quoteName, quoteText } from '../text/quote.ts';
import { type Compared, type CompareSettings, compare } from './compare.ts';
import type { Drift, McpValidateMeta } from './kit/validate.d.ts';
import { FLAG_KINDS } from './read-manifest.ts';
import { toChanges, toDrift } from './report.ts';
import type { Manifest } from './types.ts';

/** How many problems of one kind are reported. */
const MOST_TOLD = 50;

/** The result of comparing a CLI with its wrapper, by the parts of the answer. */
export interface Checked {
  compared: Compared;
  changes: FoundChange[];
  data: { drift: Drift };
  warnings: string[];
  meta: Omit<McpValidateMeta, 'duration_ms'>;
}

/** Names in a map or an option that neither side has: most likely a typo, or something that is gone. */
const unknownNames = (
  { map = new Map(), ignoreTools = [] }: CompareSettings,
  { commands }: Manifest,
  tools: readonly Contract[],
): string[] => {
  const [known, offered] = [new Set(commands.map(({ name }) => name)), new Set(tools.map(({ name }) => name))];
  const unknown = (what: string, name: string): string => `${what} ${quoteText(name, 60)} is unknown`;
  return [
    ...[...map.keys()].filter((name) => !known.has(name)).map((name) => unknown("the map's command", name)),
    ...[...map.values()].flatMap((name) =>
      name === null || offered.has(name) ? [] : [unknown("the map's tool", name)],
    ),
    ...ignoreTools.filter((name) => !offered.has(name)).map((name) => unknown("--ignore-tool's", name)),
  ].slice(0, MOST_TOLD);
};

const placeOf = ({ field, command }: { field: string; command: string }): string =>
  `${quoteName(field)} of ${quoteName(command)}`;

/** Reports unknown types, which cannot be compared. @throws CommandError unless that is tolerated */
const unknownTypes = ({ aside }: Compared, lenient: boolean): string[] => {
  const told = [...new Map(aside.unknown.map((one) => [one.type, one])).values()]
    .slice(0, MOST_TOLD)
    .map((one) => `${quoteText(one.type, 40)} (of ${placeOf(one)})`);
  const problem = `the manifest has types that are unknown: ${told.slice(0, 5).join(', ')}`;
  const hint = `write one of ${Object.keys(FLAG_KINDS).join(', ')}, or leave it out; --lenient compares such a flag with nothing`;
  if (told.length > 0 && !lenient) throw new CommandError('unknown-type', problem, hint);
  return told.map((one) => `the type ${one} is unknown, and compared with nothing`);
};

/** Reports schemas that cannot be read. @throws CommandError unless that is tolerated */
const unreadSchemas = ({ aside }: Compared, lenient: boolean): string[] => {
  const told = [...new Set(aside.unread.map((one) => `${placeOf(one)}: ${one.why}`))].slice(0, MOST_TOLD);
  const problem = `schemas cannot be compared: ${told.slice(0, 5).join('; ')}`;
  const hint = 'correct them; --lenient compares such a place with nothing';
  if (told.length > 0 && !lenient) throw new CommandError('unread-schema', problem, hint);
  return told.map((one) => `${one}; compared with nothing`);
};

/** Differences of type that the user tolerates. */
const tolerated = ({ aside }: Compared): string[] =>
  toChanges(aside.tolerated)
    .slice(0, MOST_TOLD)
    .map(({ tool, message }) => `tolerated: ${quoteName(tool)}: ${message}`);

/**
 * Compares a CLI with the tools of its wrapper.
 * @throws CommandError
 */
export const check = (manifest: Manifest, tools: readonly Contract[], settings: CompareSettings): Checked => {
  const compared = compare(manifest, tools, settings);
  const { pairs, missing, extra, found, leftOut } = compared;
  const changes = toChanges(found);
  const alone = pairs.length === 0 && missing.length > 0 && extra.length > 0;
  return {
    compared,
    changes,
    data: { drift: toDrift(found) },
    warnings: [
      ...unknownTypes(compared, settings.lenient === true),
      ...unreadSchemas(compared, settings.lenient === true),
      ...tolerated(compared),
      ...unknownNames(settings, manifest, tools),
      ...(alone ? ['no command matches any tool: is this the wrapper of this CLI? See --prefix and --map'] : []),
    ],
    meta: {
      commands: manifest.commands.length,
      tools: tools.length,
      compared: pairs.length,
      left_out: leftOut,
      outputs: compared.outputs,
      levels: countLevels(changes),
    },
  };
};
