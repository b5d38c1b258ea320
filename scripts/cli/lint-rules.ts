import type { ExplainedRule } from '../command/explain-rule.ts';
import { present } from '../contract/defined.ts';
import { SOURCE_RULES } from '../lint/source/table.ts';
import type { SourceExample, SourceRule } from '../lint/source/types.ts';
import { type LintRow, OWN_RULES, RULES } from '../lint/table.ts';
import { type Governance, LEVELS, type LintExample } from '../lint/types.ts';

const LONGEST_EXAMPLE = 700;

/** A value on one line, with very long names shortened. */
const code = (value: unknown): string => {
  const text = JSON.stringify(value)
    .replace(/([a-z])\1{40,}/g, '$1…')
    .replace(/( and so on){20,}/g, ' and so on …');
  return text.length > LONGEST_EXAMPLE ? `${text.slice(0, LONGEST_EXAMPLE)}…` : text;
};

const enforced = (governance: Governance | undefined): string =>
  governance === undefined
    ? 'Asked for by clients.'
    : `Enforces "${governance.heading}", SHA-256 ${governance.sha256}.`;

const given = (gives: readonly string[]): string => `gives  ${gives.join(', ') || 'nothing'}`;

const ofTools = ({ what, before, tools, known, gives }: LintExample): ExplainedRule['examples'][number] => ({
  title: what,
  lines: present([
    before !== undefined && `before ${code(before)}`,
    `tools  ${code(tools)}`,
    known !== undefined && `known  ${code(known)}`,
    given(gives),
  ]),
});

const ofSource = ({ what, code, gives }: SourceExample): ExplainedRule['examples'][number] => ({
  title: what,
  lines: [
    ...(typeof code === 'string' ? [code] : Object.entries(code).map(([name, text]) => `// ${name}\n${text}`))
      .join('\n')
      .trimEnd()
      .split('\n'),
    given(gives),
  ],
});

const ofRow = ({ rule, levels }: LintRow): ExplainedRule => ({
  id: rule.id,
  purpose: rule.purpose,
  levels: LEVELS.filter((level) => Object.values(levels).includes(level)),
  what: enforced(rule.governance),
  examples: rule.examples.map(ofTools),
});

const ofSourceRule = ({ id, purpose, governance, examples }: SourceRule): ExplainedRule => ({
  id,
  purpose,
  levels: LEVELS.filter((level) => examples.some(({ gives }) => gives.some((line) => line.includes(` ${level} `)))),
  what: enforced(governance),
  examples: examples.map(ofSource),
});

/** The rules of `lint`, as `lint --explain` shows them: about tools, about sources, and about lint's own files. */
export const lintRules = (): ExplainedRule[] => [
  ...RULES.map(ofRow),
  ...SOURCE_RULES.map(ofSourceRule),
  ...OWN_RULES.map(({ id, purpose, level }) => ({
    id,
    purpose,
    levels: [level],
    what: 'About files of lint itself.',
    examples: [],
  })),
];
