import type { FilePlace, Governance } from '../types.ts';

/** What the source lint says. Lines and columns count from 1. */
export interface SourceFinding {
  rule: string;
  level: 'error' | 'warning';
  file: string;
  line: number;
  column: number;
  endLine: number;
  tool?: string;
  message: string;
}

export type SourceRange = Required<FilePlace>;

/** An HTTP call in a handler. What is not written down as text is absent. */
export interface EndpointCall {
  method?: string;
  /** The path's segments; `:` where one is computed. */
  path?: string[];
  /** Its options stand here, and hold no body: everything goes in the URL. */
  bodyless?: true;
}

/** What the source shows of a tool's input: flat strings, something with structure, or a name to look up elsewhere. */
export type Shape = 'flat' | 'structured' | 'unknown' | { ref: string };

export interface Registration {
  tool: string;
  place: SourceRange;
  /** Tools with the same block are registered side by side. Absent: a definition that is registered somewhere else. */
  block?: string;
  shape: Shape;
  /** By its hints; `computed` where they depend on something. */
  readOnly?: boolean | 'computed';
}

/** A block that registers tools whose names are made at run time: what is missing in it cannot be told. */
export interface OpenBlock {
  block: string;
  place: SourceRange;
}

/** What is done with a payload or a request's body. */
export interface Uses {
  /** Names of the fields that are taken out, each once, with the place of the first. */
  picks: { field: string; place: SourceRange; index: number }[];
  /** It is handed on whole, to something that is no log. */
  whole: boolean;
  /** What is left of it beside the fields is bound together: `const { id, ...rest } = body`. */
  rest?: true;
  /** Where it is validated whole for the first time. */
  validatedAt?: number;
}

export interface Handler {
  tool: string;
  calls: EndpointCall[];
  /** Where the handler parses a `payload`. */
  payload?: Uses;
  /** What it does with its arguments, as far as fields go anywhere but into a URL; where it sends a body. */
  input?: Uses;
}

export interface Route {
  method: string;
  path: string[];
  place: SourceRange;
  /** The handler itself, or something before it, validates the body as a whole. */
  validated: boolean;
  /** Something between route and handler is unknown and gets hold of the request or its body. */
  unknown: boolean;
  uses: Uses;
}

/** All that is kept of a file. */
export interface Facts {
  registrations: Registration[];
  open: OpenBlock[];
  handlers: Handler[];
  routes: Route[];
  /** Prefixes that routers are mounted under. */
  mounts: string[][];
  /** Schemas by the name they are declared with. */
  shapes: [name: string, shape: Shape][];
}

export interface SourceRuleFinding {
  level: SourceFinding['level'];
  place: SourceRange;
  tool?: string;
  message: string;
}

/** Code, and what all rules together say about it. Documentation and test at once. */
export interface SourceExample {
  what: string;
  /** One file, or several by name. */
  code: string | Record<string, string>;
  /** `rule level file:line`, sorted. */
  gives: string[];
}

export interface SourceRule {
  id: string;
  purpose: string;
  /** The section of the governance text it enforces. */
  governance: Governance;
  find(sources: Sources): SourceRuleFinding[];
  examples: SourceExample[];
}

/** The facts of all files, with what they say together. */
export interface Sources extends Facts {
  /** Whether the tool's handler sends something that changes state; undefined where that can't be seen. */
  sendsChanges(tool: string): boolean | undefined;
  /** Whether all that the tool sends is in the URL: then there is no body to forward. */
  isUrlOnly(tool: string): boolean;
  /** What the tool's endpoint does with a body. */
  endpointOf(tool: string): 'validates' | 'does not' | 'unknown';
  /** Whether some tool forwards to this route. */
  isBacking(route: Route): boolean;
  /** What could not be told, for the report. */
  untold(place: SourceRange, message: string): void;
}
