import { optionalPackage } from '../../command/optional-package.ts';
import { visible } from '../../text/visible.ts';
import type { DisciplineFacts, LintFinding } from '../types.ts';
import { Code, TimeUp } from './code.ts';
import { handlersOf } from './facts/handlers.ts';
import { registrationsOf } from './facts/registrations.ts';
import { routesOf } from './facts/routes.ts';
import { declaredShapes } from './facts/shape.ts';
import { listSources, readSource, type SourceFile } from './files.ts';
import { withImported } from './imported.ts';
import { sourcesOf } from './sources.ts';
import { SOURCE_RULES } from './table.ts';
import type { Facts, SourceRange } from './types.ts';

type AstGrep = typeof import('@ast-grep/napi');

/** Loads the parser, which is native and so cannot be part of a bundle. */
export const loadAstGrep = (from = import.meta.url): AstGrep =>
  optionalPackage('@ast-grep/napi', from, {
    code: 'no-parser',
    what: 'Linting source needs',
    without: 'Linting contracts does not need it.',
  });

const MOST_MS = 120_000;
const MOST_MS_PER_FILE = 5_000;
/** How many findings are kept: more would not be read. */
const MOST_FINDINGS = 10_000;

/** A file without any of these words has no tool, schema or route: most files need not be parsed. */
const WORDS = /_raw|parameters|properties|schema|tool|z\.|\b(basePath|delete|patch|post|put|register|route|use)\b/i;

const NOTHING: Facts = { registrations: [], open: [], handlers: [], routes: [], mounts: [], shapes: [] };

const codeOf = ({ parse, Lang }: AstGrep, name: string, text: string, until: number): Code => {
  // JavaScript is parsed as TSX, so that rules need to know the node kinds of one grammar only.
  const root = parse(/\.[cm]?ts$/.test(name) ? Lang.TypeScript : Lang.Tsx, text).root();
  return new Code(root, name, Math.min(until, Date.now() + MOST_MS_PER_FILE));
};

/** All facts about a file that the rules need. Its tree is not kept, since there may be thousands of files. */
const factsOf = (code: Code): Facts => {
  const { registrations, open } = registrationsOf(code);
  return {
    registrations: registrations.map(({ handler: _, forward: _forward, ...rest }) => rest),
    open,
    handlers: handlersOf(code, registrations),
    ...routesOf(code),
    shapes: declaredShapes(code),
  };
};

/** A file's facts; undefined, and an entry in `problems`, if it cannot be parsed as TypeScript or JavaScript. */
const readFacts = (
  astGrep: AstGrep,
  name: string,
  text: string,
  until: number,
  problems: string[],
): Facts | undefined => {
  try {
    const code = codeOf(astGrep, name, text, until);
    const { root } = code;
    const wrong = root.find({ rule: { kind: 'ERROR' } });
    if (wrong) {
      problems.push(
        `${name}:${wrong.range().start.line + 1}: syntax error, or syntax that the parser does not know: not linted`,
      );
      return undefined;
    }
    if (!WORDS.test(text)) return NOTHING;
    return factsOf(code);
  } catch (error) {
    problems.push(`${name}: ${error instanceof TimeUp ? 'takes too long' : 'cannot be analysed'}: not linted`);
    return undefined;
  }
};

/** A finding about a source always has a place. */
type PlacedFinding = LintFinding & { place: SourceRange };

const byPlace = ({ place: a, ...one }: PlacedFinding, { place: b, ...other }: PlacedFinding): number => {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column || (one.rule < other.rule ? -1 : 1);
};

/** What was found in sources. `validated`: tools whose handler validates. `problems`: what could not be read. */
interface SourceReport {
  findings: PlacedFinding[];
  validated: string[];
  problems: string[];
}

/**
 * Lints TypeScript and JavaScript by the raw twin discipline.
 * @param known what settings or options say about tools: it counts as if the sources showed it
 * @returns findings; tools whose endpoint validates, as far as the source tells; and what could not be linted or decided,
 * one line each
 */
export const lintSources = async (paths: string[], cwd: string, known: DisciplineFacts = {}): Promise<SourceReport> => {
  // Then the parser is not needed.
  if (paths.length === 0) return { findings: [], validated: [], problems: [] };
  const astGrep = loadAstGrep();
  const problems: string[] = [];
  const until = Date.now() + MOST_MS;
  const files = await listSources(paths, cwd, problems);
  const facts: { file: SourceFile; facts: Facts }[] = [];
  let left = files.length;
  for (const file of files) {
    if (Date.now() > until) break;
    left--;
    const text = await readSource(file, problems);
    const found = text === undefined ? undefined : readFacts(astGrep, file.name, text, until, problems);
    if (found) facts.push({ file, facts: found });
  }
  if (left > 0) problems.push(`time is up: ${left} of ${files.length} files were not linted`);
  // A helper that cannot be read counts as unknown.
  const parsed = async (file: SourceFile): Promise<Code | undefined> => {
    const text = Date.now() > until ? undefined : await readSource(file, []);
    return text === undefined ? undefined : codeOf(astGrep, file.name, text, until);
  };
  const sources = sourcesOf(await withImported(facts, cwd, parsed), problems, known);
  const findings = SOURCE_RULES.flatMap(({ id, find }) =>
    find(sources).map(({ level, place, tool = '', message }): PlacedFinding => {
      return { rule: id, level, tool, path: '', message, place };
    }),
  ).sort(byPlace);
  if (findings.length > MOST_FINDINGS) problems.push(`${findings.length} findings: only the first are listed`);
  const tools = [...new Set(sources.registrations.map(({ tool }) => tool))];
  return {
    findings: findings.slice(0, MOST_FINDINGS),
    validated: tools.filter((tool) => sources.endpointOf(tool) === 'validates').sort(),
    problems: problems.map((problem) => visible(problem)),
  };
};
