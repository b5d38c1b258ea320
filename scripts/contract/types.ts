/** Any JSON value, as `JSON.parse` returns it. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** What one tool promises, as its server answered it. */
export interface Contract {
  name: string;
  title?: string;
  description?: string;
  /** A JSON Schema: an object, or `true`/`false`. */
  inputSchema: Json;
  outputSchema?: Json;
  annotations?: JsonObject;
  /** Fields that are not part of the contract (`execution`, `icons`, `_meta`, …): kept, and hashed apart. */
  extra?: JsonObject;
}

/** What a server lists, and calls changed, as one. */
export type ListKind = 'tools' | 'prompts' | 'resources';
/** What a server lists besides tools; templates of resources are among the resources. */
export type OfferKind = Exclude<ListKind, 'tools'>;
/** Lists that could not be read, and why, as a phrase that begins with "its". */
export type Unread = { [kind in OfferKind]?: string };

/** What a server calls itself, and the revision of the protocol that it speaks. */
export interface Identity {
  name: string;
  version: string;
  protocol?: string;
}

/** One answer of a source: the tools, and the version it claims for them. */
export interface ToolList {
  schemaVersion?: string;
  /** Milliseconds for which the answer may be taken as live, as the source said it. */
  ttlMs?: number;
  tools: Contract[];
  /** Whether the answer may be shared between those who have other rights; `private` unless the source says `public`. */
  cacheScope?: 'public' | 'private';
  /** There is more of it on another page, which is not here. */
  partial?: boolean;
  /** What the server offers besides tools, in the form of contracts; absent where that was not asked. */
  offers?: Contract[];
  /** What is missing in the offers because it could not be read. */
  unread?: Unread;
  identity?: Identity;
  /** Lists that the server said had changed, while it was asked. */
  signals?: ListKind[];
  /** Hashes that the source advertised, by tool name. They are checked, never believed. */
  advertised: Map<string, string>;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `value[key]` only where the object itself has it: `constructor` is not a property of every schema. */
export const own = (value: unknown, key: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, key) ? (value[key] as Json) : undefined;
