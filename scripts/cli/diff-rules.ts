import type { ExplainedRule } from '../command/explain-rule.ts';
import { LIST_RULES, type RuleRow, SCHEMA_RULES, TOOL_RULES, UNCLASSIFIED } from '../diff/table.ts';
import { LEVELS } from '../diff/types.ts';

type Row = RuleRow<never>;

const quietText = ({ levels, quiet = [] }: Row): string => {
  if (quiet.length === 0) return '';
  const all = quiet.length === Object.keys(levels).length;
  return ` ${all ? 'All' : 'Some'} of what it finds matters to no call: that is told beside other changes, never alone.`;
};

const effectText = ({ effects }: Row): string => {
  const texts = Object.values(effects ?? {}).map(({ when, verdict }) => {
    const done = verdict === 'deny' ? 'stopped' : 'asked about';
    if (when === 'always') return `every call is ${done}`;
    return `a call that ${when === 'used' ? 'passes' : 'leaves out'} the parameter is ${done}`;
  });
  return [...new Set(texts)].join('; ') || 'a call is judged by whether it is still valid';
};

const explained = (row: Row): ExplainedRule => ({
  id: row.rule.id,
  purpose: row.rule.purpose,
  levels: LEVELS.filter((level) => Object.values(row.levels).includes(level)),
  what: `Verdict: ${effectText(row)}.${quietText(row)}`,
  examples: row.rule.examples.map(({ what, before, after }) => ({
    title: what,
    lines: [`before ${JSON.stringify(before)}`, `after  ${JSON.stringify(after)}`],
  })),
});

/** The rules of `diff` and of the guard, as `diff --explain` shows them. */
export const diffRules = (): ExplainedRule[] => [
  ...([...LIST_RULES, ...TOOL_RULES, ...SCHEMA_RULES] as unknown as Row[]).map(explained),
  {
    id: UNCLASSIFIED.id,
    purpose: 'Something changed that no rule explains. It is treated like a breaking change.',
    levels: [UNCLASSIFIED.level],
    what: 'Verdict: a call that passes the parameter in question is asked about.',
    examples: [],
  },
];
