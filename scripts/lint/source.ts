import type { SourceFinding } from './source/types.ts';
import type { DisciplineFacts, LintFinding } from './types.ts';

/** What was found in sources. `validated`: tools whose handler validates. `problems`: what could not be read. */
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

const NOT_HERE: SourceReport = {
  findings: [],
  validated: [],
  problems: ['sources cannot be linted: this installation lacks that part (scripts/lint/source)'],
};

type KnownFacts = Pick<DisciplineFacts, 'validated' | 'urlOnly'>;
type LintSource = (paths: string[], cwd: string, known: KnownFacts) => Promise<SourceReport>;

/** Loads the source lint, whose parser is large, only if sources are named; undefined if it cannot be loaded. */
const load = async (): Promise<LintSource | undefined> => {
  try {
    const { lintSource }: { lintSource: LintSource } = await import('./source/lint-source.ts');
    return lintSource;
  } catch (error) {
    if (/MODULE_NOT_FOUND$/.test((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
};

/** Lints sources. If that is not possible, this is reported as such, and never as a result without findings. */
export const lintSources = async (
  paths: string[],
  cwd: string,
  known: KnownFacts,
): Promise<Omit<SourceReport, 'findings'> & { findings: LintFinding[] }> => {
  if (paths.length === 0) return { findings: [], validated: [], problems: [] };
  const lintSource = await load();
  const { findings, validated, problems } = lintSource === undefined ? NOT_HERE : await lintSource(paths, cwd, known);
  return { findings: findings.map(toFinding), validated, problems };
};
