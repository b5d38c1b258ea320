import { LIST_RULES, type RuleRow, SCHEMA_RULES, TOOL_RULES } from '../../diff/table.ts';
import type { Example } from '../../diff/types.ts';

const newsText = ({ levels, quiet = [] }: RuleRow<never>): string => {
  if (quiet.length === 0) return '';
  return quiet.length === Object.keys(levels).length
    ? ' It is no news for a call.'
    : ' Some of what it finds is no news for a call.';
};

const effectText = ({ effects }: RuleRow<never>): string => {
  const texts = Object.values(effects ?? {}).map(({ when, verdict }) => {
    const done = verdict === 'deny' ? 'stopped' : 'asked about';
    return when === 'always'
      ? `every call is ${done}`
      : `a call that ${when === 'used' ? 'passes' : 'leaves out'} the parameter is ${done}`;
  });
  return [...new Set(texts)].join('; ') || 'judged by whether the call is still valid';
};

const exampleText = ({ what, before, after }: Example): string =>
  `- ${what}: \`${JSON.stringify(before)}\` → \`${JSON.stringify(after)}\``;

const section = (row: RuleRow<never>): string => {
  const { id, purpose, examples } = row.rule;
  return [
    `## ${id}`,
    '',
    purpose,
    '',
    `Level: ${[...new Set(Object.values(row.levels))].join(' or ')}. Verdict: ${effectText(row)}.${newsText(row)}`,
    '',
    ...examples.map(exampleText),
  ].join('\n');
};

/** The page of all rules with their levels and examples, in Markdown. */
export const rulesPage = (): string =>
  [
    '# Rules',
    '',
    'Generated from the rules. Each example is also a test. What no rule explains is `unclassified`: treated like a',
    'breaking change, and asked about where a call passes the parameter in question. What is no news for a call is told of',
    'beside other changes, and never alone.',
    '',
    ...([...LIST_RULES, ...TOOL_RULES, ...SCHEMA_RULES] as unknown as RuleRow<never>[]).flatMap((row) => [
      section(row),
      '',
    ]),
  ].join('\n');
