import type { Contract } from '../../contract/types.ts';
import type { Paint } from '../../text/paint.ts';
import type { LintFinding } from '../types.ts';
import type { Waived } from '../waivers.ts';

/** What a format is given besides the findings. */
interface LintContext {
  /** What was linted, by the name that the user gave. */
  what: string;
  /** Its place for programs, percent-encoded: relative to the project, or a `file:` URL. */
  uri: string;
  /** The text of the list, for finding lines; absent if it is not a file. */
  source?: string | undefined;
  tools: readonly (Contract & { server?: string })[];
  waived: readonly Waived[];
  /** What could not be checked, and anything else the user has to know. */
  warnings: readonly string[];
  paint: Paint;
  /** The place of any file for programs, in the form of `uri`. */
  toUri(file: string): string;
}

export type LintFormat = (findings: readonly LintFinding[], context: LintContext) => string;
