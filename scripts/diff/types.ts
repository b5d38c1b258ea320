import type { Form } from '../contract/branch-marks.ts';
import type { Contract, Json, JsonObject, OfferKind } from '../contract/types.ts';
import type { Shown } from '../text/shown.ts';
import type { BranchLists } from './branches.ts';

/** How bad a change is for a caller who knows the old contract. */
export type Level = 'breaking' | 'silent' | 'semantic' | 'compatible' | 'unclassified';

/** Worst first. */
export const LEVELS: readonly Level[] = ['breaking', 'unclassified', 'silent', 'semantic', 'compatible'];

/**
 * When a change affects a call (`used`: if it passes the parameter, `omitted`: if it leaves it out, `always`), and the
 * verdict then. Whether the arguments are still valid is judged separately, by the live schema.
 */
export interface Effect {
  when: 'used' | 'omitted' | 'always';
  verdict: 'deny' | 'ask';
}

/** One branch on both sides; an added or removed one is on one side only. */
export interface BranchSides {
  had?: Form;
  has?: Form;
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

/** A parameter that stands elsewhere now, by its old path and its new one. */
export interface Move {
  from: readonly string[];
  to: readonly string[];
}

/** A change with what the judge needs to know about it. */
export interface FoundChange extends Change {
  message: Shown;
  /** The list of the prompt or resource that it is about; absent for a tool, whatever its name. */
  offer?: OfferKind;
  /** The parameter that it is about, as a path into the arguments: property names, `*` for each element or value. */
  parameter?: readonly string[];
  /** All such paths: a shared definition can have several. */
  ways?: (readonly string[])[];
  effect?: Effect;
  /** The values of the parameter that it is about; absent if it is about all. */
  values?: readonly Json[];
  /** The values of the parameter that mean what they did, if it is about all others. */
  sameValues?: readonly Json[];
  /** The branch that a call must mean for the change to matter to it, by name. */
  branch?: string;
  /** That branch, as it was and as it is: how calls show that they mean it. */
  of?: BranchSides;
  /** The new name, if a parameter or tool was renamed. */
  renamedTo?: string;
  /** It is not shown that a value means the same under that name. */
  isLikely?: true;
  /** The new places of a removed parameter, or of those in a removed object, at which its values mean the same. */
  moves?: readonly Move[];
  /** Irrelevant for a call: nothing that a caller could have got wrong. Reported along with others, never alone. */
  quiet?: boolean;
  /** The same, written in another way: told only where nothing else is. */
  alike?: boolean;
  /** No rule found anything harmful, but it is not proven that every call that was valid still is. */
  isOpen?: boolean;
  /** It is about the names of properties: `*` at the end of the path stands for each name, not its value. */
  ofNames?: boolean;
  /** The comparison was abandoned: what changed is unknown. */
  incomplete?: boolean;
  /** What changed, by names and types only: for the model, which gets no new prose from untrusted servers. */
  brief: Shown;
}

/** Two versions of one tool, matched by name. */
export interface ToolPair {
  at: 'tool';
  before: Contract;
  after: Contract;
}

/** A property that was renamed, with the evidence for it. */
export interface Rename {
  from: string;
  to: string;
  evidence: Shown;
  /** The names say different things: what was meant for one must not be given to the other. */
  isUnlike: boolean;
  /** It is shown that a value means the same under the new name. */
  isSure: boolean;
}

/** Two versions of the schema at one place of an input schema. */
export interface SchemaPair {
  at: 'schema';
  /** JSON Pointer into the contract. */
  path: string;
  /** Path into the arguments; empty for the root. */
  parameter: readonly string[];
  /** All such paths, that one first: a place in a shared definition can have several. */
  ways: (readonly string[])[];
  /** The tool's name. */
  tool: string;
  /** It, or something around it, has a new name: a call by the old one does not reach it. */
  isRenamed: boolean;
  /** The new name of the parameter, if it has one. */
  newName: string | undefined;
  /** It is about the names of properties: the value here is a name. */
  isOfNames: boolean;
  /** Whether a call had to give a value here. */
  wasRequired: boolean;
  before: JsonObject;
  after: JsonObject;
  /** The end of the old description, if that stood in a definition, behind words that are shown as before. */
  behind: string | undefined;
  /** The names of the definitions that were and are referred to, if these are of different things and nothing else tells. */
  otherDefinition: [string, string] | undefined;
  /** Names of the properties that were added, removed or renamed here. */
  added: string[];
  removed: string[];
  renamed: Rename[];
  /** Of the removed ones, those that another one may stand for whose name says something else: by the names of those. */
  replaced: ReadonlyMap<string, string>;
  /** The lists of branches that both versions have. */
  lists: BranchLists[];
  /** An object inside the arguments that named no property before, and so took any. */
  isFree: boolean;
  /** It refers to a definition in a way that is not followed here, and definitions changed. */
  refersSomewhere: boolean;
  /** The new input schema, which references on that side are relative to. */
  root: Json;
}

/** Two whole lists: tools that were added, removed, renamed, split or merged. */
export interface ListPair {
  at: 'list';
  added: Contract[];
  removed: Contract[];
  renamed: { before: Contract; after: Contract; evidence: Shown }[];
  /** One tool that became several, or several that became one. */
  divided: { before: Contract[]; after: Contract[] }[];
}

type RulePair = ListPair | ToolPair | SchemaPair;

/** What a rule found at one pair. */
export interface Finding {
  /** Which of the rule's levels applies; the first one if absent. */
  kind?: string;
  /** The keywords that it explains; those of its rule if absent. */
  keywords?: readonly string[];
  /** JSON Pointer below the pair's own path; absent for that path itself. */
  path?: string;
  /** For a `ListPair`: the tool that it is about. */
  tool?: string;
  /** Name of a property below the pair's own parameter. */
  parameter?: string;
  /** Another one beside it that the finding is about, too. */
  alsoParameter?: string;
  /** The values of the pair's parameter that it is about; absent if it is about all. */
  values?: readonly Json[];
  /** Those that mean what they did, if it is about all others. */
  sameValues?: readonly Json[];
  /** The branch that it is about. */
  branch?: string;
  of?: BranchSides;
  renamedTo?: string;
  isLikely?: true;
  message: Shown;
  /** The message without the server's prose; absent if it has none. */
  brief?: Shown;
  /** Undefined if that side has nothing there. */
  before?: Json | undefined;
  after?: Json | undefined;
}

/** What all rules together must find for `before` and `after`. Both documentation and test. */
export interface Example {
  what: string;
  before: Json;
  after: Json;
  /** `level rule path`, then the effect on a call and `quiet`, where there are any; in the order of the diff. */
  gives: string[];
}

/**
 * Finds one kind of change. A difference in a keyword that the `keywords` of no finding explain is `unclassified`. A rule
 * that names keywords is asked only where one of these differs.
 */
export interface Rule<P extends RulePair = RulePair> {
  id: string;
  purpose: string;
  at: P['at'];
  keywords: readonly string[];
  find(pair: P): Finding[];
  examples: Example[];
}
