import { parseArgs } from 'node:util';
import {
  type Args,
  type Command,
  CommandError,
  type Io,
  type Options,
  type Outcome,
  usageError,
} from '../command/command.ts';
import { readSource, readText, readToolFile, wholeList } from '../command/read-file.ts';
import { lookOf, REPORT_OPTIONS, type ReportOptions, reported, reportOptions } from '../command/report.ts';
import { whereabouts } from '../command/session.ts';
import { uriOf } from '../command/uri.ts';
import type { Contract } from '../contract/types.ts';
import { askOffers, NOT_CONFIGURED } from '../lock/offers.ts';
import { countText } from '../reports/changes.ts';
import { FORMATS } from '../reports/formats.ts';
import { quoteText } from '../text/quote.ts';
import { readHeaders, toolsBehind } from '../validate/ask-url.ts';
import { check } from '../validate/check.ts';
import { parseGiven } from '../validate/parse-given.ts';
import { readManifest } from '../validate/read-manifest.ts';
import { readMap } from '../validate/read-map.ts';
import { bothSides, headline, outputsText } from '../validate/report.ts';
import { RULES } from '../validate/rules.ts';
import { outputOf } from '../validate/run-command.ts';
import { splitCommand } from '../validate/split-command.ts';
import type { Manifest } from '../validate/types.ts';

const usage = (message: string, hint?: string): CommandError => usageError('mcp-validate', message, hint);

/** In ms; a program may have to be downloaded and unpacked first. */
const DEADLINE = { command: 30_000, url: 20_000, longest: 600_000 };

interface ValidateSettings {
  manifest?: string;
  'manifest-command'?: string;
  'mcp-schema-file'?: string;
  'mcp-server-url'?: string;
  'mcp-server'?: string;
  map?: string;
  prefix?: string;
  timeout?: number;
  wanted: ReportOptions<keyof typeof FORMATS>;
}

const onlyOne = (values: Args['values'], options: readonly string[], what: string): void => {
  const given = options.filter((option) => values[option] !== undefined);
  const list = options.map((option) => `--${option}`).join(', ');
  if (given.length === 0) throw usage(`mcp-validate needs ${what}: one of ${list}`);
  if (given.length > 1) throw usage(`--${given[0]} and --${given[1]} both name ${what}`);
};

/** `--output json` and `--output text` are formats, as other frameworks spell them; anything else is a file. */
const withFormats = ({ positionals, values }: Args): Args => {
  const { output, ...rest } = values;
  if (output !== 'json' && output !== 'text') return { positionals, values };
  if (rest.format !== undefined || (rest.json && output === 'text')) {
    throw usage(
      `--output ${output} and --${rest.json ? 'json' : 'format'} both name a format`,
      `--output ./${output} for a file of that name`,
    );
  }
  return { positionals, values: { ...rest, json: output === 'json' } };
};

const settingsOf = (given: Args): ValidateSettings => {
  const args = withFormats(given);
  const { values } = args;
  onlyOne(values, ['manifest', 'manifest-command'], 'the CLI');
  onlyOne(values, ['mcp-schema-file', 'mcp-server-url', 'mcp-server'], 'the MCP wrapper');
  const wanted = reportOptions('mcp-validate', args, FORMATS);
  const { timeout } = values;
  const seconds = timeout === undefined ? undefined : Number(timeout);
  if (seconds !== undefined && !(seconds > 0 && seconds * 1_000 <= DEADLINE.longest)) {
    throw usage(`--timeout is a number of seconds, at most ${DEADLINE.longest / 1_000}`);
  }
  const files = ['manifest', 'mcp-schema-file', 'map'].filter((option) => values[option] === '-');
  if (files.length > 1) throw usage(`standard input cannot be read twice (--${files.join(' and --')})`);
  if (values.strict && values.lenient) throw usage('--strict and --lenient contradict each other');
  const empty = Object.entries(values).find(([, value]) => value === '');
  if (empty) throw usage(`--${empty[0]} is empty`);
  if (values.header !== undefined && values['mcp-server-url'] === undefined)
    throw usage('--header goes with --mcp-server-url');
  if (values.spawn && values['mcp-server'] === undefined) throw usage('--spawn goes with --mcp-server');
  return {
    ...(values as Partial<ValidateSettings>),
    wanted,
    ...(seconds === undefined ? {} : { timeout: seconds * 1_000 }),
  };
};

/** The CLI's side, and its name in reports. */
const cliSide = async (settings: ValidateSettings, io: Io): Promise<{ manifest: Manifest; name: string }> => {
  const { manifest: file, 'manifest-command': line, timeout = DEADLINE.command } = settings;
  const text =
    file !== undefined
      ? await readText(file, io)
      : await outputOf(splitCommand(line as string), { cwd: io.cwd, env: io.env, deadline: timeout });
  const name = file === '-' ? 'standard input' : (file ?? (line as string));
  return { manifest: readManifest(parseGiven(text, name)), name };
};

/** The wrapper's side. `file`: present if it was one, so that reports can point into it. */
const mcpSide = async (
  settings: ValidateSettings,
  args: Args,
  io: Io,
): Promise<{ tools: readonly Contract[]; name: string; file?: string }> => {
  const { 'mcp-schema-file': file, 'mcp-server-url': url, 'mcp-server': server, timeout = DEADLINE.url } = settings;
  if (file !== undefined) {
    const tools = wholeList(await readToolFile(file, io), quoteText(file, 160));
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

/** Reports that list what was not compared among their warnings; text has a separate line for it. */
const FOR_PEOPLE: ReadonlySet<string> = new Set(['markdown', 'html']);

const checkBoth = async (args: Args, io: Io) => {
  const { values } = args;
  const settings = settingsOf(args);
  const map =
    settings.map === undefined ? new Map() : readMap(parseGiven(await readText(settings.map, io), settings.map));
  const { manifest, name: cliName } = await cliSide(settings, io);
  const { tools, name: mcpName, file } = await mcpSide(settings, args, io);
  const checked = check(manifest, tools, {
    map,
    prefix: settings.prefix,
    ignoreBuiltins: values['ignore-builtins'] === true,
    ignoreFlags: (values['ignore-flag'] ?? []) as string[],
    ignoreTools: (values['ignore-tool'] ?? []) as string[],
    strict: values.strict === true,
    lenient: values.lenient === true,
  });
  return { settings, checked, cliName, mcpName, file };
};

const OPTIONS: Options = {
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
  lenient: { type: 'boolean' },
  timeout: { type: 'string' },
  ...REPORT_OPTIONS,
};

export const mcpValidate: Command = {
  name: 'mcp-validate',
  usage:
    '(--manifest FILE | --manifest-command LINE) (--mcp-schema-file FILE | --mcp-server-url URL | --mcp-server NAME) [--map FILE] [--prefix NAME] [--ignore-builtins] [--ignore-flag NAME] [--ignore-tool NAME] [--strict | --lenient] [--format NAME] [--output FILE] [--timeout SECONDS]',
  options: OPTIONS,
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
  --strict           every difference counts. Without it a wrapper may take null for what is optional, give a default to
                     what the CLI requires, and keep quiet about defaults
  --lenient          a type that is wider than the CLI's (a number for an integer, one more type, anything), an unknown
                     type and a schema that cannot be read are warnings

  --format NAME      text, markdown, sarif, github, junit, html: as for "diff"
  --output FILE      write it there, whole or not at all; --output json and --output text are these formats, and no files
  --json             {"ok", "data": {"drift": {"added", "removed", "changed", "missing_from_mcp"}}, "error", ...};
                     added is in the CLI and not in the wrapper, removed the other way round

  0  no drift
  1  drift: with --json, ok is false and error is null
  2  could not be checked; also where a type of the manifest is unknown, or a schema cannot be read

What commands print is compared where both sides have an output schema; of how many that is not so is said.`,
  asksForJson: (words) => {
    const { output } = parseArgs({ args: words, options: OPTIONS, strict: false, allowPositionals: true }).values;
    return output === 'json';
  },
  run: async (args, io) => {
    const { settings, checked, cliName, mcpName, file } = await checkBoth(args, io);
    const { wanted } = settings;
    const { compared, changes, data, warnings, meta } = checked;
    const outcome: Outcome = {
      exit: changes.length > 0 ? 1 : 0,
      data,
      text: `${countText(changes)}; written to ${wanted.output}`,
      warnings,
      meta,
    };
    return reported(wanted, io, outcome, async () => {
      const sides = bothSides(compared);
      const outputs = outputsText(compared);
      const place = file ?? settings.manifest;
      const report = (await FORMATS[wanted.format]())(changes, {
        before: { file: mcpName, tools: sides.tools },
        after: { file: cliName, tools: sides.commands },
        // Annotations go to the wrapper, if it is a file, because that is what is out of date.
        uri: place === undefined ? encodeURIComponent(mcpName) : uriOf(place, io),
        source: readSource(file, io.cwd),
        ignored: [],
        rules: RULES,
        warnings: outputs !== undefined && FOR_PEOPLE.has(wanted.format) ? [...warnings, outputs] : warnings,
        ...lookOf(wanted, io),
      });
      const line = headline(compared, meta.commands, meta.tools);
      return wanted.format !== 'text' ? report : changes.length === 0 ? `${line}: no drift` : `${line}\n\n${report}`;
    });
  },
};
