import type { Contract } from '../contract/types.ts';
import type { Change, FoundChange } from '../diff/types.ts';
import type { Paint } from '../text/paint.ts';
import type { RuleFacts } from './rules.ts';

/** One of the two tool lists that were compared. */
interface ComparedList {
  /** The path or name that the user gave. */
  file: string;
  tools: readonly Contract[];
}

/** A change that the user, or the project's file, wants left out. */
export interface IgnoredChange extends Change {
  reason: string;
}

/** What a finding means for a check: it fails the check, it could not be checked, or it is only reported. */
export type Bearing = 'failed' | 'not-checked' | 'told';

export interface FormatContext {
  before: ComparedList;
  after: ComparedList;
  /** The place of AFTER for programs, percent-encoded: relative to the project, or a `file:` URL. */
  uri: string;
  /** The text of AFTER, for finding the line of a change; absent if it is not a file. */
  source?: string | undefined;
  ignored: readonly IgnoredChange[];
  /** How many more changes are milder than the wanted level, and so left out. */
  milder?: number;
  /** How findings decide the exit code. Absent: each makes it 1. */
  bearingOf?: (change: FoundChange) => Bearing;
  /** The rules that may have found the changes. Absent: those of `diff`. */
  rules?: readonly RuleFacts[];
  /** What the user has to know about the comparison itself. */
  warnings: readonly string[];
  paint: Paint;
  /** Width of the terminal. */
  columns: number;
}

export type Format = (changes: readonly FoundChange[], context: FormatContext) => string;
