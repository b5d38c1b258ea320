import { defined, present } from '../contract/defined.ts';
import { namesIn } from '../contract/json-pointer.ts';
import type { FoundChange } from '../diff/types.ts';
import { readable, visible } from '../text/visible.ts';
import { SEVERITIES, severityOf } from './changes.ts';
import { sarifMessage as message } from './escape.ts';
import { locator, type Spot } from './locate.ts';
import { plainMessage } from './place.ts';
import { allRules, type RuleFacts } from './rules.ts';
import { fingerprinter, MOST_RESULTS, ruleName, sarifLog } from './sarif-log.ts';
import type { Format } from './types.ts';

const descriptor = ({ id, purpose, levels, examples }: RuleFacts) => {
  const help = [
    `${purpose} Level: ${levels.join(' or ')}.`,
    ...examples.map(({ what }) => `Example: ${what}.`),
    'What the levels mean: breaking and unclassified, some call that was valid may be refused; silent, it is accepted and part of it is ignored or means something else; semantic, only words or hints changed; compatible, what was valid still is, and means the same.',
  ].join('\n');
  return {
    id,
    name: ruleName(id),
    shortDescription: message(purpose),
    fullDescription: message(purpose),
    help: message(help),
    defaultConfiguration: { level: SEVERITIES[levels[0] ?? 'unclassified'] },
    properties: { tags: ['mcp', 'tool-contract', ...levels] },
  };
};

const location = (change: FoundChange, uri: string, { line, column }: Spot) => ({
  physicalLocation: { artifactLocation: { uri, index: 0 }, region: { startLine: line, startColumn: column } },
  logicalLocations: present([
    { name: visible(change.tool), fullyQualifiedName: change.tool, kind: 'function' },
    change.path !== '' && {
      name: visible(namesIn(change.path).at(-1) ?? ''),
      fullyQualifiedName: `${change.tool}#${change.path}`,
      kind: 'property',
    },
  ]),
});

/** SARIF 2.1.0, for code scanning. */
export const sarif: Format = (changes, { uri, source, warnings, ignored, after, bearingOf, rules = allRules() }) => {
  const indices = new Map(rules.map(({ id }, index) => [id, index]));
  const spotOf = locator(source);
  const fingerprints = fingerprinter('contractChange/v1');
  const results = changes.slice(0, MOST_RESULTS).map((change) => {
    const index = indices.get(change.rule);
    return {
      ruleId: change.rule,
      ...defined({ ruleIndex: index }),
      level: severityOf(change, bearingOf),
      kind: 'fail',
      message: message(`${visible(change.tool)}: ${plainMessage(change)}`),
      locations: [location(change, uri, spotOf(change.tool, change.path))],
      partialFingerprints: fingerprints([uri, change.rule, change.tool, change.path]),
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
  const notes = present([...warnings, left > 0 && `${left} milder changes were left out`]);
  return sarifLog(rules.map(descriptor), `konnichiwagwan/${uri}/`, notes, {
    artifacts: [{ location: { uri }, sourceLanguage: 'json', description: message(visible(after.file)) }],
    properties: { ignoredChanges: ignored.length },
    results,
  });
};
