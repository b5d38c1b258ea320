import { type LintRow, OWN_RULES, RULES } from '../../lint/table.ts';
import type { LintExample } from '../../lint/types.ts';

const LONGEST_EXAMPLE = 700;

/** A value as code in Markdown, with very long names shortened. */
const code = (value: unknown): string => {
  const text = JSON.stringify(value)
    .replace(/([a-z])\1{40,}/g, '$1…')
    .replace(/( and so on){20,}/g, ' and so on …');
  return `\`${text.length > LONGEST_EXAMPLE ? `${text.slice(0, LONGEST_EXAMPLE)}…` : text}\``;
};

const exampleText = ({ what, before, tools, known, gives }: LintExample): string => {
  const input = before === undefined ? code(tools) : `${code(before)} → ${code(tools)}`;
  const levels = [...new Set(gives.map((line) => line.split(' ')[0]))].join(', ') || 'nothing';
  return `- ${what}${known === undefined ? '' : ` (known: ${code(known)})`}: ${input} gives ${levels}`;
};

const section = ({ rule, levels }: LintRow): string[] => [
  `## ${rule.id}`,
  '',
  rule.purpose,
  '',
  `Level: ${[...new Set(Object.values(levels))].join(' or ')}. ${
    rule.governance === undefined
      ? 'Asked for by clients.'
      : `Enforces "${rule.governance.heading}", SHA-256 \`${rule.governance.sha256}\`.`
  }`,
  '',
  ...rule.examples.map(exampleText),
  '',
];

/** The page of all rules of lint, in Markdown. */
export const lintRulesPage = (): string =>
  [
    '# Rules of lint',
    '',
    'Generated from the rules (`npm run rules`). Each example is also a test, with all rules on. Errors and warnings make',
    '`konnichiwagwan lint` exit with 1; notes say what could not be decided.',
    '',
    ...RULES.flatMap(section),
    '## About waivers and the governance text',
    '',
    ...OWN_RULES.map(({ id, purpose, level }) => `- \`${id}\` (${level}): ${purpose}`),
    '',
  ].join('\n');
