import type { Contract } from '../contract/types.ts';
import type { Change, FoundChange } from '../diff/types.ts';
import type { Paint } from '../text/paint.ts';

/** One of the two tool lists that were compared. */
interface Side {
  /** As the user named it. */
  file: string;
  tools: readonly Contract[];
}

/** A change that the user, or the project's file, wants to see no more. */
export interface IgnoredChange extends Change {
  reason: string;
}

/** What a format may know besides the changes. */
export interface FormatContext {
  before: Side;
  after: Side;
  /** Where AFTER is, for machines: relative to the project with `/`, or a `file:` URL; percent-encoded. */
  uri: string;
  /** AFTER as it was read, for finding the line of a change; absent where it was not a file. */
  source?: string | undefined;
  ignored: readonly IgnoredChange[];
  /** What the user has to know about the comparison itself. */
  warnings: readonly string[];
  paint: Paint;
  /** How wide the terminal is. */
  columns: number;
}

export type Format = (changes: readonly FoundChange[], context: FormatContext) => string;
