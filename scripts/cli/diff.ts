import { existsSync, readFileSync, statSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Args, type Command, CommandError, type Io } from '../command/command.ts';
import { readToolFile } from '../command/read-file.ts';
import { writeOutput } from '../command/write-output.ts';
import type { Json } from '../contract/types.ts';
import { countLevels, publicChange } from '../diff/diff.ts';
import { diffOffered } from '../diff/offered.ts';
import { type FoundChange, LEVELS, type Level } from '../diff/types.ts';
import { countText } from '../reports/changes.ts';
import { FORMATS, isFormat } from '../reports/formats.ts';
import { allRules } from '../reports/rules.ts';
import type { FormatContext, IgnoredChange } from '../reports/types.ts';
import { projectConfigPath, stateHome } from '../state/paths.ts';
import { painter } from '../text/paint.ts';
import { quoteText } from '../text/quote.ts';
import { type Ignore, ignoreFor, parseIgnore, readIgnores } from './ignore.ts';

const HINT = 'konnichiwagwan diff --help';

const oneOf = (option: string, value: unknown, allowed: readonly string[]): CommandError =>
  new CommandError('usage', `--${option} is one of ${allowed.join(', ')}, not ${quoteText(String(value), 40)}`, HINT);

/** Which changes the project's file wants left out. Settings are loaded only if there is such a file. */
const projectIgnores = async ({ env, cwd }: Io, rules: ReadonlySet<string>) => {
  const project = env.CLAUDE_PROJECT_DIR || cwd;
  if (!existsSync(projectConfigPath(project))) return { ignores: [], warnings: [] };
  const { loadConfig } = await import('../config/config.ts');
  const config = loadConfig(stateHome(env), project, env);
  const { ignores, warnings } = readIgnores(config.project.ignore, rules);
  return { ignores, warnings: [...config.problems, ...warnings] };
};

const wantedIgnores = async ({ values }: Args, io: Io): Promise<{ ignores: Ignore[]; warnings: string[] }> => {
  const rules = new Set(allRules().map(({ id }) => id));
  const given = ((values.ignore ?? []) as string[]).map((text) => {
    const parsed = parseIgnore(text, rules);
    if (typeof parsed === 'string') throw new CommandError('usage', parsed, HINT);
    return parsed;
  });
  const { ignores, warnings } = await projectIgnores(io, rules);
  return { ignores: [...given, ...ignores], warnings };
};

const encoded = (path: string): string => path.split(sep).map(encodeURIComponent).join('/');

/** The place of a file for programs, percent-encoded: relative to the repository if it is in it, else a `file:` URL. */
export const uriOf = (file: string, { env, cwd }: Io): string => {
  if (file === '-') return 'stdin';
  const path = resolve(cwd, file);
  for (const root of [env.GITHUB_WORKSPACE, cwd]) {
    const within = root ? relative(root, path) : '..';
    if (within !== '' && within !== '..' && !within.startsWith(`..${sep}`) && resolve(root as string, within) === path)
      return encoded(within);
  }
  return pathToFileURL(path).href;
};

/** The text of a file, for finding lines in it; undefined if it is no file: to read a pipe again would wait forever. */
const sourceOf = (file: string, cwd: string): string | undefined => {
  try {
    const path = resolve(cwd, file);
    return file !== '-' && statSync(path).isFile() ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
};

const sift = (changes: readonly FoundChange[], level: Level, ignores: readonly Ignore[]) => {
  const kept: FoundChange[] = [];
  const ignored: IgnoredChange[] = [];
  for (const change of changes) {
    if (LEVELS.indexOf(change.level) > LEVELS.indexOf(level)) continue;
    const ignore = ignoreFor(change, ignores);
    if (ignore) ignored.push({ ...publicChange(change), reason: ignore.reason });
    else kept.push(change);
  }
  return { kept, ignored };
};

export const diff: Command = {
  name: 'diff',
  summary: 'what changed between two tool lists, and between the prompts and resources in them',
  words: 2,
  usage: 'BEFORE AFTER [--format NAME] [--output FILE] [--level LEVEL] [--ignore RULE[@TOOL][:PATH]]',
  options: {
    format: { type: 'string' },
    output: { type: 'string', short: 'o' },
    level: { type: 'string' },
    ignore: { type: 'string', multiple: true },
  },
  help: `
Shows every change between two tool lists, each with its level:

  breaking      some call that was valid before is invalid now
  unclassified  something changed that no rule knows; treated like breaking
  silent        still accepted, but part of the call is ignored or means something else
  semantic      only words or hints changed
  compatible    only widens

BEFORE and AFTER take the forms that "hash" takes.

  --format NAME  text; markdown, for pull requests; sarif, for code scanning; github, annotations in a workflow;
                 junit, for any CI; html, one page with old and new side by side
  --output FILE  write it there, whole or not at all
  --level LEVEL  leave out what is milder
  --ignore ...   leave out what a rule found: in every tool, in one (RULE@TOOL), at one JSON Pointer or below it
                 (RULE:PATH). Can be repeated. What a whole project ignores stands in .claude/konnichiwagwan.json:
                 {"ignore": [{"rule": "tool-added", "tool": "...", "path": "/...", "reason": "required"}]}
                 The guard ignores nothing of this.

Exits with 1 if there is any change that was not left out.`,
  run: async (args, io) => {
    const { positionals, values } = args;
    const [before, after] = positionals;
    if (before === undefined || after === undefined || positionals.length > 2) {
      throw new CommandError('usage', 'diff needs two files', 'konnichiwagwan diff BEFORE AFTER');
    }
    const { format = 'text', level = 'compatible', output, json } = values;
    if (typeof format !== 'string' || !isFormat(format)) throw oneOf('format', format, Object.keys(FORMATS));
    if (!LEVELS.includes(level as Level)) throw oneOf('level', level, LEVELS);
    if (json && values.format !== undefined && output === undefined) {
      throw new CommandError('usage', '--json is a format of its own', 'add --output FILE for the other one');
    }
    const { ignores, warnings } = await wantedIgnores(args, io);
    const [old, now] = [await readToolFile(before, io), await readToolFile(after, io)];
    const { kept, ignored } = sift(diffOffered(old, now), level as Level, ignores);
    const data = {
      changes: kept.map(publicChange),
      summary: countLevels(kept),
      ignored: { count: ignored.length, changes: ignored },
    } as unknown as Json;
    const context: FormatContext = {
      before: { file: before, tools: old.tools },
      after: { file: after, tools: now.tools },
      uri: uriOf(after, io),
      source: format === 'sarif' || format === 'github' ? sourceOf(after, io.cwd) : undefined,
      ignored,
      warnings,
      paint: painter(io.colour && output === undefined),
      columns: Number(io.env.COLUMNS) || process.stdout.columns || 100,
    };
    const exit = kept.length > 0 ? 1 : 0;
    if (json && output === undefined) return { exit, data, text: '', warnings };
    const text = (await FORMATS[format]())(kept, context);
    if (typeof output !== 'string') {
      // The other formats, for programs, contain the warnings.
      return { exit, data, text, ...(format === 'text' ? { warnings } : {}) };
    }
    writeOutput(output, io.cwd, text === '' ? '' : `${text}\n`);
    return { exit, data, text: `${countText(kept)}; written to ${output}`, warnings };
  },
};
