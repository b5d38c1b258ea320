import { existsSync } from 'node:fs';
import { type Args, type Command, type Io, type Outcome, usageError } from '../command/command.ts';
import { EXPLAIN, explainRule } from '../command/explain-rule.ts';
import { reporter } from '../command/progress.ts';
import { pageWarnings, readSource, readText, toolListIn } from '../command/read-file.ts';
import { lookOf, oneOf, REPORT_OPTIONS, reported, reportOptions } from '../command/report.ts';
import { uriOf } from '../command/uri.ts';
import { patiently } from '../contract/bounded.ts';
import { FILE_LIMITS } from '../contract/read.ts';
import type { ToolList } from '../contract/types.ts';
import { countLevels } from '../diff/levels.ts';
import { diffOffered } from '../diff/offered.ts';
import { publicChange } from '../diff/public-change.ts';
import { type FoundChange, LEVELS, type Level } from '../diff/types.ts';
import { lockAsTools } from '../lock/as-tools.ts';
import { LOCKFILE } from '../lock/types.ts';
import { countShown } from '../reports/changes.ts';
import { FORMATS } from '../reports/formats.ts';
import { allRules } from '../reports/rules.ts';
import type { IgnoredChange } from '../reports/types.ts';
import { needShared, SHARED } from '../shared/command.ts';
import { projectConfigPath, stateHome } from '../state/paths.ts';
import { plural } from '../text/plural.ts';
import { type Ignore, ignoreFor, parseIgnore, readIgnores } from './ignore.ts';

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
    if (typeof parsed === 'string') throw usageError('diff', parsed);
    return parsed;
  });
  const { ignores, warnings } = await projectIgnores(io, rules);
  return { ignores: [...given, ...ignores], warnings };
};

type DiffSide = Pick<ToolList, 'tools' | 'offers' | 'unread' | 'partial'>;

/** A tool list in any accepted form, or what a lockfile pins. */
const readSide = async (file: string, io: Io): Promise<DiffSide> => {
  const text = await readText(file, io, FILE_LIMITS);
  return lockAsTools(text, file) ?? toolListIn(text, file, FILE_LIMITS);
};

/** The two files; the shared approvals are read already. */
const sidesOf = ({ values, positionals }: Args, io: Io) => {
  if (values.shared !== true) {
    const [before, after] = positionals;
    return { before, after, shared: undefined };
  }
  const [after = LOCKFILE, ...more] = positionals;
  if (more.length > 0) throw usageError('diff', 'diff --shared takes one file');
  const project = io.env.CLAUDE_PROJECT_DIR || io.cwd;
  const before = 'the shared approvals';
  const { text } = needShared({ home: stateHome(io.env), project }, io);
  return { before, after, shared: lockAsTools(text, before) };
};

const sift = (changes: readonly FoundChange[], level: Level, ignores: readonly Ignore[]) => {
  const kept: FoundChange[] = [];
  const ignored: IgnoredChange[] = [];
  let milder = 0;
  for (const change of changes) {
    const isMilder = LEVELS.indexOf(change.level) > LEVELS.indexOf(level);
    const ignore = ignoreFor(change, ignores);
    if (isMilder) milder += ignore ? 0 : 1;
    else if (ignore) ignored.push({ ...publicChange(change), reason: ignore.reason });
    else kept.push(change);
  }
  return { kept, ignored, milder };
};

export const diff: Command = {
  name: 'diff',
  words: 2,
  usage:
    'BEFORE AFTER | --shared [AFTER] [--format NAME] [--output FILE] [--level LEVEL] [--ignore RULE[@TOOL][:PATH]]',
  options: {
    ...REPORT_OPTIONS,
    level: { type: 'string' },
    ignore: { type: 'string', multiple: true },
    ...EXPLAIN,
    ...SHARED,
  },
  help: `
Shows every change between two tool lists, each with its level:

  breaking      some call that was valid before is invalid now
  unclassified  something changed that no rule knows; treated like breaking
  silent        still accepted, but part of the call is ignored or means something else
  semantic      only words or hints changed
  compatible    what was valid still is, and means the same

BEFORE and AFTER take the forms that "hash" takes, or are lockfiles: then it shows what the pins of both say. Of a file
that "wrap --record" wrote, FILE@1 is the first list, and FILE@-1 the last one.

  --format NAME  text; markdown, for pull requests; sarif, for code scanning; github, annotations in a workflow;
                 junit, for any CI; html, one page with old and new side by side
  --output FILE  write it there, whole or not at all
  --level LEVEL  leave out what is milder
  --shared       take the shared approvals for BEFORE: the copy on this machine. Without AFTER: this project's lockfile
  --ignore ...   leave out what a rule found: in every tool, in one (RULE@TOOL), at one JSON Pointer or below it
                 (RULE:PATH). Can be repeated. What a whole project ignores stands in .claude/konnichiwagwan.json:
                 {"ignore": [{"rule": "tool-added", "tool": "...", "path": "/...", "reason": "required"}]}
                 The guard ignores nothing of this.
  --explain RULE what a rule looks for, with its examples; "--explain list" names the rules

Exits with 1 if there is any change that was not left out.`,
  run: async (args, io) => {
    if (typeof args.values.explain === 'string')
      return explainRule('diff', args.values.explain, (await import('./diff-rules.ts')).diffRules());
    const { before, after, shared } = sidesOf(args, io);
    if (before === undefined || after === undefined)
      throw usageError('diff', 'diff needs two files', 'konnichiwagwan diff BEFORE AFTER');
    const wanted = reportOptions('diff', args, FORMATS);
    const { format, output } = wanted;
    const level = oneOf('diff', 'level', args.values.level ?? 'compatible', LEVELS);
    const wished = await wantedIgnores(args, io);
    const report = reporter(io.progress);
    const compared = (done: number, of: number): void => report(() => `compared ${done} of ${plural(of, 'tool')}`);
    const old: DiffSide = shared ?? (await readSide(before, io));
    const now = await readSide(after, io);
    const found = patiently(() => diffOffered(old, now, undefined, compared));
    const pages = new Set([...pageWarnings(before, old), ...pageWarnings(after, now)]);
    const warnings = [...wished.warnings, ...pages];
    const { kept, ignored, milder } = sift(found, level, wished.ignores);
    const data = {
      changes: kept.map(publicChange),
      summary: countLevels(kept),
      ignored: { count: ignored.length, changes: ignored },
    };
    const outcome: Outcome = {
      exit: kept.length > 0 ? 1 : 0,
      data,
      text: `${countShown(kept, milder)}; written to ${output}`,
      warnings,
    };
    return reported(wanted, io, outcome, async () =>
      (await FORMATS[format]())(kept, {
        before: { file: before, tools: old.tools },
        after: { file: after, tools: now.tools },
        uri: uriOf(after, io),
        source: format === 'sarif' || format === 'github' ? readSource(after, io.cwd) : undefined,
        ignored,
        milder,
        warnings,
        ...lookOf(wanted, io),
      }),
    );
  },
};
