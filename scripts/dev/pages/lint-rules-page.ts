import { SOURCE_RULES } from '../../lint/source/table.ts';
import type { SourceExample, SourceRule } from '../../lint/source/types.ts';
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

/** Code as it stands in a file: a block, since it may have several lines. */
const sourceExample = ({ what, code, gives }: SourceExample): string[] => {
  const files = typeof code === 'string' ? [code] : Object.entries(code).map(([name, text]) => `// ${name}\n${text}`);
  const found = gives.map((line) => `\`${line}\``).join(', ') || 'nothing';
  return [`- ${what}: gives ${found}`, '', ...files.join('\n').trimEnd().split('\n').map(indented), ''];
};
const indented = (line: string): string => (line === '' ? '' : `      ${line}`);

const levelsOf = ({ examples }: SourceRule): string =>
  ['error', 'warning']
    .filter((level) => examples.some(({ gives }) => gives.some((line) => line.includes(` ${level} `))))
    .join(' or ');

const sourceSection = (rule: SourceRule): string[] => [
  `### ${rule.id}`,
  '',
  rule.purpose,
  '',
  `Level: ${levelsOf(rule)}. Enforces "${rule.governance.heading}", SHA-256 \`${rule.governance.sha256}\`.`,
  '',
  ...rule.examples.flatMap(sourceExample),
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
    '## Rules about sources',
    '',
    'What `--source PATH` finds in TypeScript and JavaScript. An example names several files where it needs them; what it',
    'gives is rule, level and place.',
    '',
    ...SOURCE_RULES.flatMap(sourceSection),
    '## About waivers and the governance text',
    '',
    ...OWN_RULES.map(({ id, purpose, level }) => `- \`${id}\` (${level}): ${purpose}`),
    '',
  ].join('\n');
