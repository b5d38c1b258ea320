import { type Args, type Command, CommandError, type Io } from '../command/command.ts';
import { readText, readToolFile } from '../command/read-file.ts';
import { whereabouts } from '../command/session.ts';
import { writeOutput } from '../command/write-output.ts';
import type { Contract, Json } from '../contract/types.ts';
import { countLevels } from '../diff/diff.ts';
import { askOffers, NOT_CONFIGURED } from '../lock/offers.ts';
import { countText } from '../reports/changes.ts';
import { FORMATS, isFormat } from '../reports/formats.ts';
import type { FormatContext } from '../reports/types.ts';
import { painter } from '../text/paint.ts';
import { quoteText } from '../text/quote.ts';
import { readHeaders, toolsBehind } from '../validate/ask-url.ts';
import { compare } from '../validate/compare.ts';
import { toDrift } from '../validate/drift.ts';
import { parseGiven } from '../validate/parse-given.ts';
import { NotComparable } from '../validate/problem.ts';
import { readManifest } from '../validate/read-manifest.ts';
import { readMap } from '../validate/read-map.ts';
import { bothSides, headline, toChanges } from '../validate/report.ts';
import { outputOf } from '../validate/run-command.ts';
import { splitCommand } from '../validate/split-command.ts';
import type { Manifest } from '../validate/types.ts';
import { uriOf } from './diff.ts';

const HINT = 'konnichiwagwan mcp-validate --help';
const usage = (message: string, hint = HINT): CommandError => new CommandError('usage', message, hint);

/** Milliseconds: a program that has to be unpacked first may take its time. */
const DEADLINE = { command: 30_000, url: 20_000, longest: 600_000 };

interface Settings {
  manifest?: string;
  'manifest-command'?: string;
  'mcp-schema-file'?: string;
  'mcp-server-url'?: string;
  'mcp-server'?: string;
  map?: string;
  prefix?: string;
  output?: string;
  format: keyof typeof FORMATS;
  timeout?: number;
}

const onlyOne = (values: Args['values'], options: readonly string[], what: string): void => {
  const given = options.filter((option) => values[option] !== undefined);
  const list = options.map((option) => `--${option}`).join(', ');
  if (given.length === 0) throw usage(`mcp-validate needs ${what}: one of ${list}`);
  if (given.length > 1) throw usage(`--${given[0]} and --${given[1]} both name ${what}`);
};

const settingsOf = ({ values }: Args): Settings => {
  onlyOne(values, ['manifest', 'manifest-command'], 'the CLI');
  onlyOne(values, ['mcp-schema-file', 'mcp-server-url', 'mcp-server'], 'the MCP wrapper');
  const { format = 'text', output, json, timeout } = values;
  if (typeof format !== 'string' || !isFormat(format)) {
    throw usage(`--format is one of ${Object.keys(FORMATS).join(', ')}, not ${quoteText(String(format), 40)}`);
  }
  // So other frameworks spell --json; here it would quietly write a file.
  if (output === 'json')
    throw usage('--output names a file', '--json for JSON, or --output ./json for a file of that name');
  if (json && values.format !== undefined && output === undefined) {
    throw usage('--json is a format of its own', 'add --output FILE for the other one');
  }
  const seconds = timeout === undefined ? undefined : Number(timeout);
  if (seconds !== undefined && !(seconds > 0 && seconds * 1_000 <= DEADLINE.longest)) {
    throw usage(`--timeout is a number of seconds, at most ${DEADLINE.longest / 1_000}`);
  }
  const files = ['manifest', 'mcp-schema-file', 'map'].filter((option) => values[option] === '-');
  if (files.length > 1) throw usage(`standard input cannot be read twice (--${files.join(' and --')})`);
  const empty = Object.entries(values).find(([, value]) => value === '');
  if (empty) throw usage(`--${empty[0]} is empty`);
  if (values.header !== undefined && values['mcp-server-url'] === undefined)
    throw usage('--header goes with --mcp-server-url');
  if (values.spawn && values['mcp-server'] === undefined) throw usage('--spawn goes with --mcp-server');
  return { ...(values as unknown as Settings), format, ...(seconds === undefined ? {} : { timeout: seconds * 1_000 }) };
};

/** The CLI's side, and how a report calls it. */
const cliSide = async (settings: Settings, io: Io): Promise<{ manifest: Manifest; name: string }> => {
  const { manifest: file, 'manifest-command': line, timeout = DEADLINE.command } = settings;
  const text =
    file !== undefined
      ? await readText(file, io)
      : await outputOf(splitCommand(line as string), { cwd: io.cwd, env: io.env, deadline: timeout });
  const name = file === '-' ? 'standard input' : (file ?? (line as string));
  return { manifest: readManifest(parseGiven(text, name)), name };
};

/** The wrapper's side. `file` where it was one: reports then point into it. */
const mcpSide = async (
  settings: Settings,
  args: Args,
  io: Io,
): Promise<{ tools: readonly Contract[]; name: string; file?: string }> => {
  const { 'mcp-schema-file': file, 'mcp-server-url': url, 'mcp-server': server, timeout = DEADLINE.url } = settings;
  if (file !== undefined) {
    const { tools, partial } = await readToolFile(file, io);
    if (partial)
      throw new CommandError(
        'incomplete',
        `${quoteText(file, 160)} is one page of a longer list`,
        'pass all pages as one list',
      );
    return { tools, name: file === '-' ? 'standard input' : file, file };
  }
  const { home, project } = whereabouts(args, io);
  if (url !== undefined) {
    const headers = readHeaders((args.values.header ?? []) as string[], io.env);
    const { tools, where } = await toolsBehind(url, { headers, project, deadline: timeout });
    return { tools, name: where };
  }
  const name = server as string;
  const offers = await askOffers({ home, project, env: io.env, spawn: args.values.spawn === true, only: [name] });
  const offer = offers.get(name) ?? NOT_CONFIGURED;
  if ('tools' in offer) return { tools: offer.tools, name };
  throw new CommandError(
    'unreachable',
    `${quoteText(name, 60)} could not be asked: ${offer.why}`,
    offer.hint ?? 'konnichiwagwan doctor',
  );
};

/** What a map or an option names and nobody has: most likely a typing error, or something that is gone. */
const unknownNames = (
  map: ReadonlyMap<string, string | null>,
  ignoredTools: readonly string[],
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
    ...ignoredTools.filter((name) => !offered.has(name)).map((name) => unknown("--ignore-tool's", name)),
  ].slice(0, 50);
};

const check = async (args: Args, io: Io) => {
  const { values } = args;
  const settings = settingsOf(args);
  const map =
    settings.map === undefined ? new Map() : readMap(parseGiven(await readText(settings.map, io), settings.map));
  const { manifest, name: cliName } = await cliSide(settings, io);
  const { tools, name: mcpName, file } = await mcpSide(settings, args, io);
  const ignoreTools = (values['ignore-tool'] ?? []) as string[];
  const compared = compare(manifest, tools, {
    map,
    prefix: settings.prefix,
    ignoreBuiltins: values['ignore-builtins'] === true,
    ignoreFlags: (values['ignore-flag'] ?? []) as string[],
    ignoreTools,
    strict: values.strict === true,
  });
  const alone = compared.pairs.length === 0 && compared.missing.length > 0 && compared.extra.length > 0;
  const warnings = [
    ...manifest.warnings,
    ...unknownNames(map, ignoreTools, manifest, tools),
    ...(alone ? ['no command matches any tool: is this the wrapper of this CLI? See --prefix and --map'] : []),
  ];
  return { settings, manifest, tools, compared, warnings, cliName, mcpName, file };
};

/** What cannot be compared is no bug of ours: it is said like every other input that is no good. */
const checked = async (args: Args, io: Io): ReturnType<typeof check> => {
  try {
    return await check(args, io);
  } catch (error) {
    if (error instanceof NotComparable) throw new CommandError(error.code, error.message, error.hint);
    throw error;
  }
};

export const mcpValidate: Command = {
  name: 'mcp-validate',
  summary: "does a CLI's MCP wrapper still say what the CLI takes and prints?",
  usage:
    '(--manifest FILE | --manifest-command LINE) (--mcp-schema-file FILE | --mcp-server-url URL | --mcp-server NAME) [--map FILE] [--prefix NAME] [--ignore-builtins] [--ignore-flag NAME] [--ignore-tool NAME] [--strict] [--format NAME] [--output FILE] [--timeout SECONDS]',
  options: {
    manifest: { type: 'string' },
    'manifest-command': { type: 'string' },
    'mcp-schema-file': { type: 'string' },
    'mcp-server-url': { type: 'string' },
    'mcp-server': { type: 'string' },
    header: { type: 'string', multiple: true },
    spawn: { type: 'boolean' },
    map: { type: 'string' },
    prefix: { type: 'string' },
    'ignore-builtins': { type: 'boolean' },
    'ignore-flag': { type: 'string', multiple: true },
    'ignore-tool': { type: 'string', multiple: true },
    strict: { type: 'boolean' },
    timeout: { type: 'string' },
    format: { type: 'string' },
    output: { type: 'string', short: 'o' },
  },
  help: `
Compares the commands of a CLI with the tools of the MCP server that wraps it: flags, arguments, types, which of them
are required, allowed values, defaults, and what the command prints.

The CLI, one of
  --manifest FILE          what its manifest command prints: {"commands": {"deploy.rollback": {"flags": {...}}}}, bare or
                           in an envelope ({"ok", "data", ...}); - reads standard input
  --manifest-command LINE  run this and read what it prints. No shell runs it: quotes and backslashes work, variables,
                           pipes, ~ and * do not. It gets 30 s (--timeout) and 16 MiB

The wrapper, one of
  --mcp-schema-file FILE   its tools, in any form that "hash" takes; - reads standard input
  --mcp-server-url URL     asked over MCP, or a gateway's /api/tools/list. --header "Name: value" can be repeated;
                           \${VARIABLE} in it is taken from the environment
  --mcp-server NAME        a server of Claude Code's configuration; one that is a program only with --spawn

Which tool is which command: deploy.rollback is deploy_rollback, deploy-rollback, deploy.rollback or deployRollback,
with or without one name before all of them (mycli_deploy_rollback).
  --map FILE         {"deploy.rollback": "undo", "login": null}: by hand; null has no tool on purpose
  --prefix NAME      what stands before the tools' names, where it is not found out
  --ignore-builtins  leave out help, version, completion, manifest ..., and the flags --help and --version
  --ignore-flag NAME, --ignore-tool NAME   leave out that flag everywhere, or that tool; can be repeated
  --strict           every difference counts. Without it a wrapper may take more than the CLI (a number for an integer,
                     null for what is optional, another type besides), give a default to what the CLI requires, and
                     keep quiet about defaults

  --format NAME      text, markdown, sarif, github, junit, html: as for "diff"
  --output FILE      write it there, whole or not at all
  --json             {"ok", "data": {"drift": {"added", "removed", "changed", "missing_from_mcp"}}, "error", ...};
                     added is in the CLI and not in the wrapper, removed the other way round

  0  no drift
  1  drift: with --json, ok is false and error is null
  2  could not be checked`,
  run: async (args, io) => {
    const { settings, manifest, tools, compared, warnings, cliName, mcpName, file } = await checked(args, io);
    const { format, output } = settings;
    const changes = toChanges(compared.found);
    const exit = compared.found.length > 0 ? 1 : 0;
    const data = { drift: toDrift(compared.found) } as unknown as Json;
    const meta = {
      commands: manifest.commands.length,
      tools: tools.length,
      compared: compared.pairs.length,
      left_out: compared.leftOut,
      levels: countLevels(changes) as unknown as Json,
    };
    if (args.values.json && output === undefined) return { exit, data, text: '', warnings, meta };
    const sides = bothSides(compared);
    const place = file ?? settings.manifest;
    const context: FormatContext = {
      before: { file: mcpName, tools: sides.tools },
      after: { file: cliName, tools: sides.commands },
      // What is out of date is the wrapper: there the annotations go, where it is a file.
      uri: place === undefined ? encodeURIComponent(mcpName) : uriOf(place, io),
      source: file === undefined || file === '-' ? undefined : await readText(file, io),
      ignored: [],
      warnings,
      paint: painter(io.colour && output === undefined),
      columns: Number(io.env.COLUMNS) || process.stdout.columns || 100,
    };
    const report = (await FORMATS[format]())(changes, context);
    const line = headline(compared, manifest.commands.length, tools.length);
    const text = format !== 'text' ? report : exit === 0 ? `${line}: no drift` : `${line}\n\n${report}`;
    if (output === undefined) return { exit, data, text, meta, ...(format === 'text' ? { warnings } : {}) };
    writeOutput(output, io.cwd, text === '' ? '' : `${text}\n`);
    return { exit, data, text: `${countText(changes)}; written to ${output}`, warnings, meta };
  },
};
