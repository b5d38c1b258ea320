import { defined } from '../../contract/defined.ts';
import { sarifMessage } from '../../reports/escape.ts';
import { locator } from '../../reports/locate.ts';
import { fingerprinter, MOST_RESULTS, ruleName, sarifLog } from '../../reports/sarif-log.ts';
import { visible } from '../../text/visible.ts';
import { SOURCE_RULES } from '../source/table.ts';
import { OWN_RULES, RULES } from '../table.ts';
import { LEVELS, type LintFinding, type LintLevel } from '../types.ts';
import { nameOf, spotIn } from './group.ts';
import type { LintFormat } from './types.ts';

const message = (text: string): { text: string } => sarifMessage(visible(text));

interface SarifRule {
  id: string;
  purpose: string;
  level: LintLevel;
}

/** All rules: about tool lists, about waivers and the governance text, and about sources. */
const ALL: readonly SarifRule[] = [
  ...RULES.map(({ rule: { id, purpose }, levels }) => ({
    id,
    purpose,
    level: LEVELS.find((level) => Object.values(levels).includes(level)) ?? ('error' as const),
  })),
  ...OWN_RULES,
  ...SOURCE_RULES.map(({ id, purpose }) => ({ id, purpose, level: 'error' as const })),
];

const descriptor = ({ id, purpose, level }: SarifRule) => ({
  id,
  name: ruleName(id),
  shortDescription: message(purpose),
  fullDescription: message(purpose),
  help: message(purpose),
  defaultConfiguration: { level },
  properties: { tags: ['mcp', 'tool-contract', 'lint'] },
});

/** SARIF 2.1.0, for code scanning. */
export const sarif: LintFormat = (findings, { uri, source, what, waived, warnings, toUri }) => {
  const indices = new Map(ALL.map(({ id }, index) => [id, index]));
  const spotOf = locator(source);
  const fingerprints = fingerprinter('lintFinding/v1');
  const artifacts = new Map([[uri, 0]]);
  const result = (finding: LintFinding, reason?: string) => {
    const { rule, level, tool, path, server } = finding;
    const { file, line, column, endLine } = spotIn(finding, uri, source, spotOf, toUri);
    const artifact = artifacts.get(file) ?? artifacts.size;
    artifacts.set(file, artifact);
    const name = nameOf(finding);
    return {
      ruleId: rule,
      ruleIndex: indices.get(rule),
      level,
      kind: 'fail',
      message: message(name === '' ? finding.message : `${visible(name, { max: 200 })}: ${finding.message}`),
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: file, index: artifact },
            region: { startLine: line, startColumn: column, ...defined({ endLine }) },
          },
          ...(name === ''
            ? {}
            : {
                logicalLocations: [
                  { name: visible(name), fullyQualifiedName: `${name}${path && `#${path}`}`, kind: 'function' },
                ],
              }),
        },
      ],
      partialFingerprints: fingerprints([file, rule, server, tool, path]),
      ...(reason === undefined ? {} : { suppressions: [{ kind: 'external', justification: visible(reason) }] }),
      properties: { tool, path },
    };
  };
  const results = [
    ...findings.slice(0, MOST_RESULTS).map((finding) => result(finding)),
    ...waived
      .slice(0, Math.max(0, MOST_RESULTS - findings.length))
      .map((finding) => result(finding, `${finding.reason} (until ${finding.until})`)),
  ];
  const left = Math.max(0, findings.length - MOST_RESULTS);
  const notes = [...warnings, ...(left > 0 ? [`${left} milder findings were left out`] : [])];
  return sarifLog(ALL.map(descriptor), `konnichiwagwan-lint/${uri}/`, notes, {
    artifacts: [...artifacts.keys()].map((file) => ({
      location: { uri: file },
      ...(file === uri ? { description: message(what) } : {}),
    })),
    results,
  });
};
