import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Args, type Command, CommandError, type Io, type Outcome, usageError } from '../command/command.ts';
import { EXPLAIN, explainRule } from '../command/explain-rule.ts';
import { ONE_PAGE, readSource, readToolFile } from '../command/read-file.ts';
import { lookOf, oneOf, REPORT_OPTIONS, reported, reportOptions } from '../command/report.ts';
import { whereabouts } from '../command/session.ts';
import { uriOf } from '../command/uri.ts';
import { NotAToolList, parseBounded, readToolList } from '../contract/read.ts';
import type { ToolList } from '../contract/types.ts';
import { checkDoc } from '../lint/check-doc.ts';
import { FORMATS } from '../lint/formats/formats.ts';
import { countText } from '../lint/formats/group.ts';
import { fileAt } from '../lint/git.ts';
import { askInputs, type Input } from '../lint/inputs.ts';
import { lintTools, lintVersionBump, worstFirst } from '../lint/lint.ts';
import { recordedAndNow } from '../lint/recorded.ts';
import { PROJECT_FILE, readSettings } from '../lint/settings.ts';
import { lintSources } from '../lint/source/lint-source.ts';
import { SOURCE_RULES } from '../lint/source/table.ts';
import { TOOL_RULES, VERSION_RULES } from '../lint/table.ts';
import { type DisciplineFacts, LEVELS, type LintFinding } from '../lint/types.ts';
import { applyWaivers } from '../lint/waivers.ts';
import { quoteText } from '../text/quote.ts';
import { visible } from '../text/visible.ts';

const HINT = 'konnichiwagwan lint --help';

const usage = (message: string): CommandError => usageError('lint', message);

/** What was checked, and what was found in it, before waivers. */
interface LintRun {
  findings: LintFinding[];
  inputs: Input[];
  /** Names of what was checked. */
  what: string[];
  unchecked: string[];
  warnings: string[];
  /** A file that findings can point into. */
  file?: string;
  ran: string[];
}

const nothing = (): LintRun => ({ findings: [], inputs: [], what: [], unchecked: [], warnings: [], ran: [] });
const idsOf = (rows: readonly { rule: { id: string } }[]): string[] => rows.map(({ rule }) => rule.id);
const list = (value: unknown): string[] => (value === undefined ? [] : [value].flat().map(String));

const lintInputs = (inputs: readonly Input[], known: DisciplineFacts): LintFinding[] =>
  inputs.flatMap(({ server, gateway, ...answer }) =>
    lintTools(answer, { ...known, gateway }).map((finding) =>
      server === undefined ? finding : { ...finding, server },
    ),
  );

/** Checks tools: of a file, of servers and gateways, or of everything that is configured. */
const checkTools = async (args: Args, io: Io, known: DisciplineFacts): Promise<LintRun> => {
  const { positionals, values } = args;
  const [file, surplus] = positionals;
  const [servers, gateways] = [list(values.server), values.gateway === true];
  if (surplus !== undefined) throw usage('lint takes one file; two are for --version-bump');
  const ran = [...idsOf(TOOL_RULES), 'version-not-a-date'];
  if (file !== undefined) {
    if (servers.length > 0) throw usage('lint takes a file or servers, not both');
    const answer = await readToolFile(file, io);
    // Only a gateway's answer has a version.
    const inputs = [{ ...answer, gateway: gateways || answer.schemaVersion !== undefined }];
    const findings = lintInputs(inputs, known);
    const run = { ...nothing(), findings, inputs, what: [file], file, ran };
    if (!answer.partial) return run;
    return {
      ...run,
      // The twin or its sibling may be on another page.
      findings: findings.filter(({ rule }) => rule !== 'raw-twin-missing' && rule !== 'raw-twin-orphan'),
      unchecked: [`${visible(file, { max: 200 })} ${ONE_PAGE}: whether twins are missing cannot be told`],
    };
  }
  const only = values.source !== undefined || values.doc !== undefined;
  if (only && servers.length === 0 && !gateways) return nothing();
  const { home, project } = whereabouts(args, io);
  const asked = await askInputs({ home, project, spawn: values.spawn === true, servers, gateways }, io);
  if (asked.inputs.length === 0 && asked.unchecked.length === 0)
    throw new CommandError('nothing-to-lint', 'there is no gateway and no server here', 'konnichiwagwan lint FILE');
  return {
    ...nothing(),
    findings: lintInputs(asked.inputs, known),
    inputs: asked.inputs,
    what: asked.inputs.map(({ server }) => server as string),
    unchecked: asked.unchecked,
    warnings: asked.problems,
    ran,
  };
};

const readRevision = async (revision: string, file: string, io: Io): Promise<ToolList> => {
  const text = fileAt(revision, file, io.cwd);
  try {
    return readToolList(parseBounded(text));
  } catch (error) {
    if (!(error instanceof NotAToolList)) throw error;
    const why = visible(error.message, { max: 160 });
    throw new CommandError('not-a-tool-list', `${file} is not a tool list in ${revision}: ${why}`, HINT);
  }
};

/** Two answers, in two files or in two revisions of one. Without `--to`, the second one is the current file. */
const twoAnswers = async ({ positionals, values }: Args, io: Io): Promise<[ToolList, ToolList] | undefined> => {
  const [first, second] = positionals;
  const { from, to } = values as { from?: string; to?: string };
  if (from !== undefined || to !== undefined) {
    if (from === undefined) throw usage('--to needs --from');
    if (first === undefined || second !== undefined) throw usage('--from compares revisions of one file');
    const before = await readRevision(from, first, io);
    return [before, to === undefined ? await readToolFile(first, io) : await readRevision(to, first, io)];
  }
  if (first === undefined) return undefined;
  if (second === undefined) throw usage('--version-bump needs two files, or --from REV and one');
  return [await readToolFile(first, io), await readToolFile(second, io)];
};

const checkVersions = async (args: Args, io: Io): Promise<LintRun> => {
  const { positionals, values } = args;
  const ran = idsOf(VERSION_RULES);
  const pair = await twoAnswers(args, io);
  if (pair !== undefined) {
    const [before, after] = pair;
    const file = positionals.at(-1) as string;
    const inputs = [{ ...after, gateway: true }];
    if (before.partial || after.partial) {
      const page = before.partial ? (positionals[0] as string) : file;
      const why = `${visible(page, { max: 200 })} ${ONE_PAGE}: whether its tools changed cannot be told`;
      return { ...nothing(), inputs, what: [file], unchecked: [why], file, ran };
    }
    const unversioned = before.schemaVersion === undefined && after.schemaVersion === undefined;
    const unchecked = unversioned ? [`${visible(file, { max: 200 })} has no schema_version, before or after`] : [];
    return { ...nothing(), findings: lintVersionBump(before, after), inputs, what: [file], unchecked, file, ran };
  }
  const { home, project } = whereabouts(args, io);
  const wanted = list(values.server);
  const recorded = await recordedAndNow(home, project, io.env, wanted.length > 0 ? wanted : undefined);
  const absent = wanted.filter((name) => !recorded.some((one) => one.name === name));
  const files = 'konnichiwagwan lint --version-bump BEFORE AFTER';
  if (recorded.length === 0 && absent.length === 0)
    throw new CommandError('nothing-to-lint', 'there is no gateway here', files);
  const compared = recorded.filter((one) => 'after' in one);
  return {
    ...nothing(),
    findings: compared.flatMap(({ name, before, after }) =>
      lintVersionBump(before, after).map((finding) => ({ ...finding, server: name })),
    ),
    inputs: compared.map(({ name, after }) => ({ ...after, server: name, gateway: true })),
    what: compared.map(({ name }) => name),
    unchecked: [
      ...recorded.flatMap((one) =>
        'why' in one ? [`${visible(one.name, { max: 100 })} could not be checked: ${one.why}`] : [],
      ),
      ...absent.map((name) => `there is no gateway ${quoteText(name, 60)}`),
    ],
    ran,
  };
};

const settingsOf = (args: Args) => {
  const { values } = args;
  const wanted = reportOptions('lint', args, FORMATS);
  const level = oneOf('lint', 'level', values.level ?? 'note', LEVELS);
  if (!values['version-bump'] && (values.from !== undefined || values.to !== undefined))
    throw usage('--from and --to are for --version-bump');
  return { wanted, level };
};

/** The file that findings about servers are reported for: the one that configures them. */
const homeOfServers = (project: string): string => (existsSync(resolve(project, '.mcp.json')) ? '.mcp.json' : '.');

const exitOf = (findings: readonly LintFinding[], unchecked: readonly string[]): Outcome['exit'] =>
  findings.some(({ level }) => level !== 'note') ? 1 : unchecked.length > 0 ? 2 : 0;

export const lint: Command = {
  name: 'lint',
  words: 2,
  usage: '[FILE] [--server NAME] [--gateway] [--spawn] [--source PATH] [--version-bump] [--format NAME] …',
  options: {
    server: { type: 'string', multiple: true },
    gateway: { type: 'boolean' },
    spawn: { type: 'boolean' },
    source: { type: 'string', multiple: true },
    validated: { type: 'string', multiple: true },
    'url-only': { type: 'string', multiple: true },
    waivers: { type: 'string', multiple: true },
    doc: { type: 'string' },
    'version-bump': { type: 'boolean' },
    from: { type: 'string' },
    to: { type: 'string' },
    ...REPORT_OPTIONS,
    level: { type: 'string' },
    ...EXPLAIN,
  },
  help: `
Looks at a tool list for what makes stale clients lose data, and for what clients refuse. FILE takes the forms that
"hash" takes. Without a file: everything that is configured here, or what these name:

  --server NAME    a server; can be repeated
  --gateway        the gateways. With a file: take it for a gateway's answer, which lists what changes state
  --spawn          start servers that talk over stdio, to ask them
  --source PATH    look at TypeScript sources, too; can be repeated
  --validated TOOL the tool's endpoint validates its input: no contract tells that. A gateway may say it
                   ("validated": true), or the source, or the project's file. Holds for --source, too
  --url-only TOOL  the tool sends everything in the URL
  --waivers FILE   findings that people accept: [{"rule", "tool", "reason", "until": "2026-12-31"}].
                   All four are needed; one that has ended is an error
  --doc FILE       is the governance text still the one that the rules enforce? Found by its headings
  --format NAME    text, markdown, sarif, github, junit, html; --output FILE writes it whole or not at all
  --level LEVEL    leave out what is milder: error, warning, note
  --explain RULE   what a rule asks for, with its examples; "--explain list" names the rules

  --version-bump   did contracts change without a new SCHEMA_VERSION?
                   BEFORE AFTER; or --from REV [--to REV] FILE, revisions of git; or neither: what this session
                   recorded of the gateways, and now

In .claude/konnichiwagwan.json: {"lint": {"validated": [], "urlOnly": [], "waivers": []}}

  0  nothing found; notes, which say what could not be decided, fail nothing
  1  an error or a warning
  2  something could not be checked, and nothing was found`,
  run: async (args, io) => {
    const { values } = args;
    if (typeof values.explain === 'string')
      return explainRule('lint', values.explain, (await import('./lint-rules.ts')).lintRules());
    const { wanted, level } = settingsOf(args);
    const { project } = whereabouts(args, io);
    const settings = readSettings(project, list(values.waivers), io.cwd);
    const said = {
      validated: [...settings.validated, ...list(values.validated)],
      urlOnly: [...settings.urlOnly, ...list(values['url-only'])],
    };
    const sources = await lintSources(list(values.source), io.cwd, said);
    const known: DisciplineFacts = { ...said, validated: [...said.validated, ...sources.validated] };
    const checked = values['version-bump'] ? await checkVersions(args, io) : await checkTools(args, io, known);
    const papers = typeof values.doc === 'string' ? await checkDoc(values.doc, io) : [];
    const ran = new Set([...checked.ran, ...(values.source === undefined ? [] : SOURCE_RULES.map(({ id }) => id))]);
    const today = new Date().toISOString().slice(0, 10);
    const all = [...checked.findings, ...sources.findings, ...papers];
    const { kept, waived } = applyWaivers(all, settings.waivers, today, ran);
    const findings = worstFirst(kept).filter((one) => LEVELS.indexOf(one.level) <= LEVELS.indexOf(level));
    const unchecked = [...checked.unchecked, ...sources.problems];
    const warnings = [...checked.warnings, ...unchecked];
    const outcome: Outcome = {
      exit: exitOf(findings, unchecked),
      data: {
        findings,
        summary: Object.fromEntries(LEVELS.map((one) => [one, findings.filter((found) => found.level === one).length])),
        waived,
        checked: checked.inputs.map(({ server, tools }) => ({ server, tools: tools.length })),
      },
      text: `${countText(findings)}; written to ${wanted.output}`,
      warnings,
    };
    return reported(wanted, io, outcome, async () =>
      (await FORMATS[wanted.format]())(findings, {
        what: [...checked.what, ...list(values.source), ...list(values.doc)].join(', ') || 'nothing',
        uri: uriOf(checked.file ?? list(values.source)[0] ?? homeOfServers(project), io),
        source: readSource(checked.file, io.cwd),
        tools: checked.inputs.flatMap(({ server, tools }) =>
          tools.map((tool) => (server === undefined ? tool : { ...tool, server })),
        ),
        waived,
        warnings,
        paint: lookOf(wanted, io).paint,
        toUri: (file) => uriOf(file === PROJECT_FILE ? resolve(project, file) : file, io),
      }),
    );
  },
};
