import { version } from '../../package.json';
import { sha256 } from '../contract/canonical.ts';
import { defined } from '../contract/defined.ts';
import { namesIn } from '../contract/json-pointer.ts';
import type { FoundChange, Level } from '../diff/types.ts';
import { readable, visible, visibleJson } from '../text/visible.ts';
import { sarifMessage as message } from './escape.ts';
import { locator, type Spot } from './locate.ts';
import { plainMessage } from './place.ts';
import { allRules, type RuleFacts } from './rules.ts';
import type { Format } from './types.ts';

export const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** GitHub accepts no file with more results. */
export const MOST_RESULTS = 25_000;

const SARIF_LEVELS: Record<Level, 'error' | 'warning' | 'note'> = {
  breaking: 'error',
  unclassified: 'error',
  silent: 'warning',
  semantic: 'warning',
  compatible: 'note',
};

const descriptor = ({ id, purpose, levels, examples }: RuleFacts) => {
  const help = [
    `${purpose} Level: ${levels.join(' or ')}.`,
    ...examples.map(({ what }) => `Example: ${what}.`),
    'What the levels mean: breaking and unclassified, some call that was valid may be refused; silent, it is accepted and part of it is ignored or means something else; semantic, only words or hints changed; compatible, only widens.',
  ].join('\n');
  return {
    id,
    name: id.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: message(purpose),
    fullDescription: message(purpose),
    help: message(help),
    defaultConfiguration: { level: SARIF_LEVELS[levels[0] ?? 'unclassified'] },
    properties: { tags: ['mcp', 'tool-contract', ...levels] },
  };
};

const location = (change: FoundChange, uri: string, { line, column }: Spot) => ({
  physicalLocation: {
    artifactLocation: { uri, index: 0 },
    region: { startLine: line, startColumn: column },
  },
  logicalLocations: [
    { name: visible(change.tool), fullyQualifiedName: change.tool, kind: 'function' },
    ...(change.path === ''
      ? []
      : [
          {
            name: visible(namesIn(change.path).at(-1) ?? ''),
            fullyQualifiedName: `${change.tool}#${change.path}`,
            kind: 'property',
          },
        ]),
  ],
});

/**
 * SARIF 2.1.0, for code scanning. A fingerprint depends on what the change is about, not on lines or words, so that it
 * stays the same while the change is open. GitHub reads only the one called `primaryLocationLineHash`.
 */
export const sarif: Format = (changes, { uri, source, warnings, ignored, after, bearingOf, rules = allRules() }) => {
  const indices = new Map(rules.map(({ id }, index) => [id, index]));
  const spotOf = locator(source);
  const seen = new Map<string, number>();
  const results = changes.slice(0, MOST_RESULTS).map((change) => {
    const identity = JSON.stringify([uri, change.rule, change.tool, change.path]);
    const nth = (seen.get(identity) ?? 0) + 1;
    seen.set(identity, nth);
    const fingerprint = `${sha256(identity).slice(0, 32)}:${nth}`;
    const index = indices.get(change.rule);
    return {
      ruleId: change.rule,
      ...defined({ ruleIndex: index }),
      // A change that makes the exit code 1 is more than a note.
      level:
        SARIF_LEVELS[change.level] === 'note' && bearingOf?.(change) === 'failed'
          ? 'warning'
          : SARIF_LEVELS[change.level],
      kind: 'fail',
      message: message(`${visible(change.tool)}: ${plainMessage(change)}`),
      locations: [location(change, uri, spotOf(change.tool, change.path))],
      partialFingerprints: { 'contractChange/v1': fingerprint, primaryLocationLineHash: fingerprint },
      properties: {
        level: change.level,
        tool: change.tool,
        path: change.path,
        ...(change.before === undefined ? {} : { before: readable(change.before, 1_000) }),
        ...(change.after === undefined ? {} : { after: readable(change.after, 1_000) }),
      },
    };
  });
  const left = changes.length - results.length;
  const notes = [...warnings, ...(left > 0 ? [`${left} milder changes were left out`] : [])];
  const log = {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'konnichiwagwan', version, semanticVersion: version, rules: rules.map(descriptor) },
        },
        // A category for each compared file, so that the report on one server does not close the alerts of another.
        automationDetails: { id: `konnichiwagwan/${uri}/` },
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: notes.map((text) => ({ level: 'warning', message: message(visible(text)) })),
          },
        ],
        artifacts: [{ location: { uri }, sourceLanguage: 'json', description: message(visible(after.file)) }],
        columnKind: 'utf16CodeUnits',
        properties: { ignoredChanges: ignored.length },
        results,
      },
    ],
  };
  return visibleJson(JSON.stringify(log, null, 2));
};
