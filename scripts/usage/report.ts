import type { Retirement } from './retire.ts';
import type { Summary } from './summary.ts';

/** The input of a format. */
export interface UsageReport {
  /** UTC days, both included. */
  from: string;
  to: string;
  summary: Summary;
  retirement?: Retirement;
  /** Whose calls are known, and whose are not. */
  scope: string;
  /** What was read, in words. */
  sources: string;
  /** Why the numbers may be too low. */
  gaps: readonly string[];
  /** The tool or server that the report is limited to. */
  filter?: string;
}

/** The answer in one sentence. */
export const answerOf = ({ answer, tool, wanted }: Retirement): string =>
  ({
    yes: `${tool} can be retired`,
    no: `${tool} cannot be retired yet`,
    'not-enough-data': `${wanted} sessions do not show whether ${tool} can be retired: not enough data`,
  })[answer];

/** The scope of what is read here: other people's calls are in their own logs. */
export const SCOPE = 'Only the sessions of this user on this machine are known.';
