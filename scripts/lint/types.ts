import type { Contract, Json, ToolList } from '../contract/types.ts';
import type { FoundChange } from '../diff/types.ts';

/** `error`: breaks the discipline or a client. `warning`: may do so. `note`: could not be decided; fails nothing. */
export type LintLevel = 'error' | 'warning' | 'note';

/** Worst first. */
export const LEVELS: readonly LintLevel[] = ['error', 'warning', 'note'];

/** A place in a file, for findings that are not about a tool list. Line and column count from 1. */
export interface FilePlace {
  file: string;
  line: number;
  column: number;
  endLine?: number;
}

/** What lint found, as users and programs see it. */
export interface LintFinding {
  rule: string;
  level: LintLevel;
  /** Empty if it is about the list as a whole. */
  tool: string;
  /** JSON Pointer into the contract. */
  path: string;
  message: string;
  /** The server that has the tool, if several were asked. */
  server?: string;
  place?: FilePlace;
}

/** Facts that are in no contract: they come from a gateway, from settings or from the source lint. */
export interface DisciplineFacts {
  /** It is a gateway's list, which holds only tools that change state. */
  gateway?: boolean;
  /** Tools whose endpoint validates the whole input. */
  validated?: readonly string[];
  /** Tools that send everything in the URL, so that there is no body to forward. */
  urlOnly?: readonly string[];
}

/** A tool list with what is known about it. */
export interface Listing extends DisciplineFacts {
  tools: ReadonlyMap<string, Contract>;
  schemaVersion?: string;
}

/** What of an answer is linted. */
export type Versioned = Pick<ToolList, 'tools' | 'schemaVersion'>;

/** Two answers of one source, for the rules about its SCHEMA_VERSION. */
export interface Versions {
  before?: Versioned;
  after: Versioned;
  /** What changed between them, without noise. */
  changes: readonly FoundChange[];
}

/** What one rule found. `kind`: which of the rule's levels applies; the first one if absent. */
export interface RuleFinding {
  kind?: string;
  path?: string;
  message: string;
}

/** The section of the governance text that a rule enforces, and the hash of its words. */
export interface Governance {
  heading: string;
  sha256: string;
}

/** What all rules together must find. Both documentation and test. */
export interface LintExample {
  what: string;
  /** A tool list in any accepted form; for rules about versions, the later one. */
  tools: Json;
  before?: Json;
  known?: DisciplineFacts;
  /** `level rule tool path` */
  gives: string[];
}

interface RuleBasis {
  id: string;
  purpose: string;
  /** Absent if clients require it, not the discipline. */
  governance?: Governance;
  examples: readonly LintExample[];
}

/** A rule about one tool in its list. */
export interface ToolRule extends RuleBasis {
  at: 'tool';
  find(tool: Contract, list: Listing): RuleFinding[];
}

/** A rule about the version that a list advertises. */
export interface VersionRule extends RuleBasis {
  at: 'versions';
  find(versions: Versions): RuleFinding[];
}

export type LintRule = ToolRule | VersionRule;
