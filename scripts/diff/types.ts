import type { Contract, Json, JsonObject } from '../contract/types.ts';
import type { Shown } from '../text/shown.ts';

/** How bad a change is for a caller who knows the old contract. */
export type Level = 'breaking' | 'silent' | 'semantic' | 'compatible' | 'unclassified';

/** Worst first. */
export const LEVELS: readonly Level[] = ['breaking', 'unclassified', 'silent', 'semantic', 'compatible'];

/**
 * When a change matters to one call: `used`, if the call passes the parameter; `omitted`, if it leaves it out;
 * `always`. And what the guard then does. Whether the arguments are still valid is judged apart, by the live schema.
 */
export interface Effect {
  when: 'used' | 'omitted' | 'always';
  verdict: 'deny' | 'ask';
}

/** One change of a contract, as users and programs see it. */
export interface Change {
  tool: string;
  /** JSON Pointer into the contract. */
  path: string;
  rule: string;
  level: Level;
  message: string;
  before?: Json;
  after?: Json;
}

/** A change with what the judge needs to know about it. */
export interface FoundChange extends Change {
  message: Shown;
  /** The parameter it is about, as a way into the arguments: property names, `*` for each element or value. */
  parameter?: readonly string[];
  /** All the ways, where a shared definition has several. */
  ways?: (readonly string[])[];
  effect?: Effect;
  /** The parameter's new name, where it was renamed. */
  renamedTo?: string;
  /** The comparison was given up: what changed is not known. */
  incomplete?: boolean;
  /** What changed, from names and types alone: for the model, which gets no new prose from untrusted servers. */
  brief: Shown;
}

/** Two versions of one tool, matched by name. */
export interface ToolPair {
  at: 'tool';
  before: Contract;
  after: Contract;
}

/** A parameter of one object that was renamed, with the reason to think so. */
export interface Rename {
  from: string;
  to: string;
  evidence: Shown;
}

/** Two versions of the schema at the same place of an input schema. */
export interface SchemaPair {
  at: 'schema';
  /** JSON Pointer into the contract. */
  path: string;
  /** Way into the arguments; empty for the root. */
  parameter: readonly string[];
  before: JsonObject;
  after: JsonObject;
  /** Names of the properties that came, went, or changed their name here. */
  added: string[];
  removed: string[];
  renamed: Rename[];
}

/** The whole lists, for what happens to tools and not within them. */
export interface ListPair {
  at: 'list';
  added: Contract[];
  removed: Contract[];
  renamed: { before: Contract; after: Contract; evidence: Shown }[];
  /** One tool that became several, or several that became one. */
  divided: { before: Contract[]; after: Contract[] }[];
}

type Pair = ListPair | ToolPair | SchemaPair;

/** What a rule found at one pair. */
export interface Finding {
  /** Which row of the rule's levels applies; the first one if absent. */
  kind?: string;
  /** Below the pair's own path, as JSON Pointer; the pair's path if absent. */
  path?: string;
  /** For `ListPair`: the tool it is about. */
  tool?: string;
  /** Below the pair's own parameter. */
  parameter?: string;
  renamedTo?: string;
  message: Shown;
  /** The same without prose of the server, where `message` has some. */
  brief?: Shown;
  /** Undefined where there is nothing on that side. */
  before?: Json | undefined;
  after?: Json | undefined;
}

/** What `before` and `after` must give, with all rules on. Documentation and test at once. */
export interface Example {
  what: string;
  before: Json;
  after: Json;
  /** `rule path`, in the order of the diff. */
  gives: string[];
}

/** One kind of change. `keywords` are what it explains: a difference that no finding explains is `unclassified`. */
export interface Rule<P extends Pair = Pair> {
  id: string;
  purpose: string;
  at: P['at'];
  keywords: readonly string[];
  find(pair: P): Finding[];
  examples: Example[];
}
