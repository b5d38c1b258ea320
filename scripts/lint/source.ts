import type { SourceFinding } from './source/types.ts';
import type { DisciplineFacts, LintFinding } from './types.ts';

/** Everything of it; `validated`: tools whose handler validates; `problems`: what could not be read. */
export interface SourceReport {
  findings: SourceFinding[];
  validated: string[];
  problems: string[];
}

const toFinding = ({ rule, file, line, column, endLine, tool = '', message, level }: SourceFinding): LintFinding => ({
  rule,
  level,
  tool,
  path: '',
  message,
  place: { file, line, column, endLine },
});

/** Its rules by name: a waiver of one of them holds whether or not sources are looked at. */
export const SOURCE_RULES: readonly string[] = [
  'source-handler-picks',
  'source-route-unvalidated',
  'source-twin-missing',
  'source-twin-picks',
];

const NOT_HERE: SourceReport = {
  findings: [],
  validated: [],
  problems: ['sources cannot be linted: this installation lacks that part (scripts/lint/source)'],
};

type Known = Pick<DisciplineFacts, 'validated' | 'urlOnly'>;
type LintSource = (paths: string[], cwd: string, known: Known) => Promise<SourceReport>;

/** Its parser is large, and most runs need none: it is loaded where sources are named. */
const load = async (): Promise<LintSource | undefined> => {
  try {
    const { lintSource }: { lintSource: LintSource } = await import('./source/lint-source.ts');
    return lintSource;
  } catch (error) {
    if (/MODULE_NOT_FOUND$/.test((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
};

/** What the sources show; that they could not be looked at is said, and no result. */
export const lintSources = async (
  paths: string[],
  cwd: string,
  known: Known,
): Promise<Omit<SourceReport, 'findings'> & { findings: LintFinding[] }> => {
  if (paths.length === 0) return { findings: [], validated: [], problems: [] };
  const lintSource = await load();
  const { findings, validated, problems } = lintSource === undefined ? NOT_HERE : await lintSource(paths, cwd, known);
  return { findings: findings.map(toFinding), validated, problems };
};
