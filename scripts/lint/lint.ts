import { defined } from '../contract/defined.ts';
import type { Contract } from '../contract/types.ts';
import { diffLists } from '../diff/diff-lists.ts';
import { ofContract } from '../diff/table.ts';
import { isTwin, requiresTwin, twinOf } from './criteria.ts';
import { type LintRow, TOOL_RULES, VERSION_RULES } from './table.ts';
import {
  type DisciplineFacts,
  LEVELS,
  type LintFinding,
  type Listing,
  type RuleFinding,
  type Versioned,
  type Versions,
} from './types.ts';

const toFinding = ({ rule, levels }: LintRow, tool: string, { kind, path = '', message }: RuleFinding): LintFinding => {
  const level = levels[kind ?? (Object.keys(levels)[0] as string)];
  if (level === undefined) throw new Error(`rule ${rule.id} has no level for its kind ${kind}`);
  return { rule: rule.id, level, tool, path, message };
};

/** Findings, the worst first; within a level, in their order. */
export const worstFirst = (findings: readonly LintFinding[]): LintFinding[] =>
  [...findings].sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));

const listing = ({ tools, schemaVersion }: Versioned, known: DisciplineFacts): Listing => ({
  ...known,
  ...defined({ schemaVersion }),
  tools: new Map(tools.map((tool) => [tool.name, tool])),
});

/** What the rules find in one list: those about tools, and those about versions that need one answer only. */
export const lintTools = (list: Versioned, known: DisciplineFacts = {}): LintFinding[] => {
  const listed = listing(list, known);
  const found = list.tools.flatMap((tool) =>
    TOOL_RULES.flatMap((row) => row.rule.find(tool, listed).map((one) => toFinding(row, tool.name, one))),
  );
  return worstFirst([...found, ...lintVersions({ after: list, changes: [] })]);
};

const lintVersions = (versions: Versions): LintFinding[] =>
  VERSION_RULES.flatMap((row) => row.rule.find(versions).map((one) => toFinding(row, '', one)));

/** What the rules about versions find in two answers of one source. */
export const lintVersionBump = (before: Versioned, after: Versioned): LintFinding[] =>
  worstFirst(lintVersions({ before, after, changes: ofContract(diffLists(before.tools, after.tools)) }));

/** The names of tools that must have a twin and have none. If a criterion is not known, a tool is not listed. */
export const twinless = (tools: readonly Contract[], known: DisciplineFacts = {}): string[] => {
  const listed = listing({ tools: [...tools] }, known);
  const lacksTwin = (tool: Contract): boolean => !isTwin(tool) && !twinOf(tool, listed);
  return tools.filter((tool) => lacksTwin(tool) && requiresTwin(tool, listed) === true).map(({ name }) => name);
};
