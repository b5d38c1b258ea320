/** Any JSON value, as `JSON.parse` returns it. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** The contract of one tool, as its server sent it. */
export interface Contract {
  name: string;
  title?: string;
  description?: string;
  /** A JSON Schema: an object, or `true`/`false`. */
  inputSchema: Json;
  outputSchema?: Json;
  annotations?: JsonObject;
  /** The forms that its input can take, if its server lists them separately: names, objects with names, or a map. */
  branches?: Json;
  /** Its server lists no input schema: the one here stands for any object, and does not tell what the tool takes. */
  schemaless?: true;
  /** Why it could not be read: then only the tool's existence is known. */
  defect?: string;
  /** Fields that are not part of the contract (`execution`, `icons`, `_meta`, …): kept, and hashed apart. */
  extra?: JsonObject;
}

/** What a server lists, and announces as changed, as a whole. */
export type ListKind = 'tools' | 'prompts' | 'resources';
/** What a server lists besides tools; resource templates count as resources. */
export type OfferKind = Exclude<ListKind, 'tools'>;
/** Lists that could not be read, and why, as a phrase that begins with "its". */
export type Unread = { [kind in OfferKind]?: string };

/** The name and version that a server gives itself, and the MCP revision that it speaks. */
export interface Identity {
  name: string;
  version: string;
  protocol?: string;
}

/** One answer of a source: the tools, and the version it claims for them. */
export interface ToolList {
  schemaVersion?: string;
  /** Milliseconds for which the answer counts as live, as the source said it. */
  ttlMs?: number;
  tools: Contract[];
  /** Whether callers with other rights may be given this answer; absent means `private`. */
  cacheScope?: 'public' | 'private';
  /** The list continues on another page, which was not read. */
  partial?: boolean;
  /** Prompts and resources, in the form of contracts; absent if they were not asked for. */
  offers?: Contract[];
  /** What is missing in the offers because it could not be read. */
  unread?: Unread;
  identity?: Identity;
  /** Lists that the server reported as changed while it was asked. */
  signals?: ListKind[];
  /** For a server behind wrap: digests of the tools as it listed them, by name; see state/wraps.ts. */
  listed?: { [tool: string]: string };
  /** For a server behind wrap: the server's tool for each name that wrap gave to one. */
  standsFor?: { [name: string]: string };
  /** Hashes that the source advertised, by tool name. They are checked, never believed. */
  advertised: Map<string, string>;
}

/** A JSON object: neither null nor an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object's own property; undefined for an inherited one such as `constructor`, and for a value that is not an object. */
export const own = (value: unknown, key: string): Json | undefined =>
  // Not `isObject`: this is called more often than anything else, at first in interpreted code.
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) && !Array.isArray(value)
    ? ((value as JsonObject)[key] as Json)
    : undefined;
