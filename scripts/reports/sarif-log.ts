import { version } from '../../package.json';
import { sha256 } from '../contract/canonical.ts';
import { visible, visibleJson } from '../text/visible.ts';
import { sarifMessage } from './escape.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** GitHub accepts no file with more results. */
export const MOST_RESULTS = 25_000;

/** The name of a rule for people: `ToolAdded` for `tool-added`. */
export const ruleName = (id: string): string =>
  id.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/**
 * Makes the fingerprints of one report. They depend on what a result is about, not on lines or words, so that they stay the
 * same while it is open. GitHub reads only the one called `primaryLocationLineHash`.
 */
export const fingerprinter = (kind: string) => {
  const seen = new Map<string, number>();
  return (about: readonly unknown[]): Record<string, string> => {
    const identity = JSON.stringify(about);
    const nth = (seen.get(identity) ?? 0) + 1;
    seen.set(identity, nth);
    const fingerprint = `${sha256(identity).slice(0, 32)}:${nth}`;
    return { [kind]: fingerprint, primaryLocationLineHash: fingerprint };
  };
};

/** The text of a SARIF 2.1.0 log with one run. @param notes what the user has to know about the run itself */
export const sarifLog = (
  rules: readonly object[],
  id: string,
  notes: readonly string[],
  run: { artifacts: readonly object[]; properties?: object; results: readonly object[] },
): string => {
  const { artifacts, ...rest } = run;
  const log = {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'konnichiwagwan', version, semanticVersion: version, rules } },
        // A category for each file, so that the report on one server does not close the alerts of another.
        automationDetails: { id },
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: notes.map((text) => ({
              level: 'warning',
              message: sarifMessage(visible(text)),
            })),
          },
        ],
        artifacts,
        columnKind: 'utf16CodeUnits',
        ...rest,
      },
    ],
  };
  return visibleJson(JSON.stringify(log, null, 2));
};
