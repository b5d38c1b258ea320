import type { Contract } from '../../contract/types.ts';
import type { Paint } from '../../text/paint.ts';
import type { LintFinding } from '../types.ts';
import type { Waived } from '../waivers.ts';

/** What a report may know besides the findings. */
export interface LintContext {
  /** What was linted, as the user named it. */
  what: string;
  /** Where that is, for machines: relative to the project with `/`, or a `file:` URL; percent-encoded. */
  uri: string;
  /** The list as it was read, for finding lines; absent where it was not a file. */
  source?: string | undefined;
  tools: readonly (Contract & { server?: string })[];
  waived: readonly Waived[];
  /** What could not be checked, and other things that the user has to know. */
  warnings: readonly string[];
  paint: Paint;
  /** Rules of the source lint are known by what they found. */
  toUri(file: string): string;
}

export type LintFormat = (findings: readonly LintFinding[], context: LintContext) => string;
