import type { FilePlace, Governance } from '../types.ts';

export type SourceRange = Required<FilePlace>;

/** An HTTP call in a handler. Parts that are computed are absent. */
export interface EndpointCall {
  method?: string;
  /** The path's segments; `:` for a computed one. */
  path?: string[];
  /** Its options are known and have no body, so everything is in the URL. */
  bodyless?: true;
}

/** A value of another file. */
export interface Imported {
  /** As the import names it: `./hints.js`. */
  module: string;
  /** The name there; `default` for what it exports by default. */
  name: string;
  /** The way to the value in there: `read` in `HINTS.read`. */
  keys: string[];
}

/** The shape of a tool's input: flat strings, something structured, unknown, or a name that is declared elsewhere. */
export type Shape = 'flat' | 'structured' | 'unknown' | { ref: string };

export interface Registration {
  tool: string;
  place: SourceRange;
  /** Tools with the same block are registered side by side. Absent if the tool is registered somewhere else. */
  block?: string;
  shape: Shape;
  /** By its hints; `computed` if they cannot be read. */
  readOnly?: boolean | 'computed';
  /** Where its handler is, if another file has it, and whether a function in this one wraps it. */
  handlerIn?: Imported & { isWrapped: boolean };
  /** Where its schema is, if another file has it. */
  shapeIn?: Imported;
  /** Where its hints are, if another file has them. Until that is examined, they count as computed. */
  hintsIn?: Imported;
}

/** A block that registers tools whose names are computed, so that it is not known which ones are missing. */
export interface OpenBlock {
  block: string;
  place: SourceRange;
  /** One tool is described there. */
  isTool?: true;
}

/** A function in another file that gets a value. */
export interface HandedTo extends Omit<Imported, 'keys'> {
  /** Which of its parameters gets the value. */
  at: number;
  place: SourceRange;
  /** Fields were deleted from the value before, so what gets it does not get the whole. */
  isPart?: true;
}

/** What becomes of fields that a schema does not name, where its result lacks them, or may lack them. */
export type Unnamed = 'dropped' | 'refused' | 'unknown';

/** What is done with a payload or a request's body. */
export interface Uses {
  /** Names of the fields that are picked, each once, with the first place. */
  picks: { field: string; place: SourceRange; index: number }[];
  /** It is passed on as a whole, to something other than a log. */
  whole: boolean;
  /** Functions in other files that get the value. Until they are examined, it counts neither as whole nor as picked. */
  handed: HandedTo[];
  /** The other fields are bound together: `const { id, ...rest } = body`. */
  rest?: true;
  /** Where a schema's result is passed on instead of its input. */
  schema?: { place: SourceRange; unnamed: Unnamed };
  /** The offset at which it is first validated as a whole. */
  validatedAt?: number;
}

export interface Handler {
  tool: string;
  /** The file that it stands in, or that registers it. */
  file: string;
  calls: EndpointCall[];
  /** What the handler does with a `payload`, if it parses one. */
  payload?: Uses;
  /** What it does with its arguments, apart from fields that only go into a URL; set if it sends a body. */
  input?: Uses;
}

export interface Route {
  method: string;
  path: string[];
  place: SourceRange;
  /** The handler, or middleware before it, validates the body as a whole. */
  validated: boolean;
  /** Unknown code gets the request or its body. */
  unknown: boolean;
  uses: Uses;
}

/** All facts that are kept of a file. */
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
  level: 'error' | 'warning';
  place: SourceRange;
  tool?: string;
  message: string;
}

/** Code, and what all rules together find in it. Both documentation and test. */
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

/** The facts of all files, and what follows from them together. */
export interface Sources extends Facts {
  /** Whether the tool's handler sends something that changes state; undefined if that is not known. */
  sendsChanges(tool: string): boolean | undefined;
  /** Whether all that the tool sends is in the URL: then there is no body to forward. */
  isUrlOnly(tool: string): boolean;
  /** What the tool's endpoint does with a body. */
  endpointOf(tool: string): 'validates' | 'does not' | 'unknown';
  /** Whether some tool forwards to this route. */
  isBacking(route: Route): boolean;
  /** Reports what could not be decided. */
  untold(place: SourceRange, message: string): void;
}
