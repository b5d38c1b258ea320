/**
 * For authors of servers: the endpoint that lists a server's current tools, and twins of tools, whose own contract never
 * changes. Node ≥ 20.18.1, ESM and CommonJS; depends on no version of Zod or of the MCP SDK.
 *
 * This file is both what the package ships and what the sources are checked against.
 */

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/**
 * A JSON Schema, or a schema of a library that can give one: through Standard JSON Schema (`~standard.jsonSchema`, Zod ≥
 * 4.2 and others) or a method `toJSONSchema`. For any other (Zod 3, Zod 4.0 and 4.1) give `toJsonSchema`.
 */
export type Schema = object | boolean;

/** One tool, as in the answer to MCP's `tools/list`. Fields that are not named here are passed on unchanged. */
export interface ToolDefinition {
  name: string;
  title?: string;
  description?: string;
  inputSchema: Schema;
  outputSchema?: Schema;
  annotations?: object;
  /** Whether the endpoint behind the tool checks its whole input by a schema. No contract shows that. */
  validated?: boolean | undefined;
  /** Whether its endpoint takes everything in the URL: then it needs no twin. */
  url_only?: boolean | undefined;
  /** Whether its input gets new fields or forms, though its schema is simple now. */
  evolving?: boolean | undefined;
  /**
   * The forms that its input can take, if one flat schema has the fields of all of them: names, objects with a `name`
   * and a `schema`, or a map from name to schema. A new one is a change like any other: it needs a new `schemaVersion`.
   */
  branches?: Branches;
  icons?: unknown;
  execution?: unknown;
  _meta?: unknown;
}

export type Branches = readonly (string | Branch)[] | { readonly [name: string]: Schema | null };

/** One form of a tool's input. Fields that are not named here are passed on unchanged. */
export interface Branch {
  name: string;
  /** What it takes. */
  schema?: Schema;
  description?: string;
}

/** Everything that `GET /api/tools/list` answers with. */
export interface Definitions {
  /** An ISO date, or date and time, which changes whenever any definition does: `2026-04-10`. */
  schemaVersion: string;
  /** Milliseconds for which an answer counts as live; if absent, the client decides. */
  ttlMs?: number;
  tools: readonly ToolDefinition[];
}

/** Gives the JSON Schema of a library's schema: `z.toJSONSchema`, `zodToJsonSchema`. Takes precedence if given. */
export type ToJsonSchema = (schema: never, options: { io: 'input' | 'output' }) => object;

/** A definition that no client could read. The message begins with `path`, the JSON Pointer of the place. */
export declare class DefinitionError extends TypeError {
  readonly path: string;
}

export interface ToolsListOptions {
  toJsonSchema?: ToJsonSchema;
  /** Called with the reason if a request is answered with 500. Never gets what a client sent. */
  onError?: (error: unknown) => void;
}

/** The part of Node's (and Express') request that is read. */
export interface NodeRequest {
  method?: string | undefined;
  url?: string | undefined;
  originalUrl?: string | undefined;
  headers: { readonly 'if-none-match'?: string | undefined };
}

/** The part of Node's (and Express') response that is used. */
export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body?: string): unknown;
}

/** The part of a web-standard `Request` that is read. */
export interface FetchRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
}

/** The same answers for every kind of server. Both functions work without their object. */
export interface ToolsList {
  /**
   * For `http.createServer` and, as middleware or route, for Express. A path that does not end with `/api/tools/list`
   * goes to `next`, or is answered with 404 without one. Never rejects.
   */
  node(request: NodeRequest, response: NodeResponse, next?: () => unknown): Promise<void>;
  /** For servers that turn a `Request` into a `Response`. Never rejects. */
  fetch(request: FetchRequest): Promise<Response>;
  /**
   * The current answer to a GET. `body` is JSON, the same bytes for the same definitions: tools in the order of their
   * names, each with its `hash`, schemas as they were written. `etag` is its SHA-256, quoted.
   * @throws DefinitionError, and any error of the function that gives the definitions
   */
  answer(): Promise<{ body: string; etag: string }>;
}

/**
 * The endpoint `GET /api/tools/list`. Answers 200 with an ETag, 304 if If-None-Match names it, the same to HEAD without
 * the body, 405 to other methods, and 500 if there is no answer: `{"error": "…"}`, with the reason if a definition is
 * wrong.
 *
 * It asks for no credentials: if descriptions are not public, protect it like the rest of the server.
 * @param definitions if a function, it is called for every request, so that a release shows at once
 * @throws DefinitionError if `definitions` is not a function and holds a wrong definition
 */
export declare const toolsList: (
  definitions: Definitions | (() => Definitions | Promise<Definitions>),
  options?: ToolsListOptions,
) => ToolsList;

/** Limits of a payload. */
export interface PayloadLimits {
  /** Bytes of its text in UTF-8; 4 MiB unless given. */
  maxBytes?: number;
  /** Objects and arrays within each other; 100 unless given. */
  maxDepth?: number;
}

/** A payload that was refused. The message is one line that quotes at most a few dozen characters of it. */
export declare class PayloadError extends Error {}

/**
 * The object in a payload's text, with nothing added or removed.
 * @throws PayloadError if it is too large or too deep, not JSON, not an object, or has a duplicate name or one that
 * attacks prototypes (`__proto__`, or `prototype` in `constructor`)
 */
export declare const parsePayload: (text: string, limits?: PayloadLimits) => JsonObject;

export interface TwinDescriptionOptions {
  toJsonSchema?: ToJsonSchema | undefined;
  /** Arguments to show as an example; if absent, they are made from the schema. */
  example?: object | undefined;
}

/**
 * The definition of a tool's twin: `<name>_raw`, which takes one string, `payload`. Its description names the required and
 * optional fields and every branch, and has an example that is valid under the tool's input schema.
 *
 * Add it to the definitions of the endpoint, too. If no example could be made and none is given, the description has none.
 * @throws DefinitionError if the example is not valid
 */
export declare const describeTwin: (tool: ToolDefinition, options?: TwinDescriptionOptions) => TwinDefinition;

export interface TwinDefinition {
  name: string;
  title?: string;
  description: string;
  inputSchema: {
    type: 'object';
    properties: { payload: { type: 'string' } };
    required: ['payload'];
    additionalProperties: false;
  };
  /** The tool's own: the twin changes the same things. */
  annotations?: object;
  /** The tool's own, as they are served. */
  branches?: Branches;
}

/** What comes with a payload. */
export interface ForwardContext {
  /** The original payload, to be sent on as a body: numbers beyond 2^53 survive here, but not in `body`. */
  text: string;
  /** The context that the MCP server gives its handlers. */
  extra: unknown;
}

/**
 * Hands a payload to the code that checks it. Its answer becomes the twin's: a tool's result (`{content: […]}`) unchanged;
 * a fetch `Response` as its text, an error unless `ok`; a string unchanged; any other value as JSON. What it throws
 * becomes an error with the whole message, or with all `issues` if there are any (Zod); errors of the MCP SDK are rethrown.
 */
export type Forward = (body: JsonObject, context: ForwardContext) => unknown;

export interface TwinOptions extends TwinDescriptionOptions, PayloadLimits {
  /** The tool whose twin it is. */
  tool: ToolDefinition;
  forward: Forward;
}

/** A tool's result in MCP. */
export interface ToolResult {
  content: unknown[];
  isError?: boolean;
  [key: string]: unknown;
}

/** A twin without a server, for servers that do not use the official SDK. */
export interface Twin {
  definition: TwinDefinition;
  /** Answers a `tools/call` with these arguments. */
  call(args: unknown, extra?: unknown): Promise<ToolResult>;
}

/** @throws DefinitionError as `describeTwin` does, and if no example could be made and none is given */
export declare const createTwin: (options: TwinOptions) => Twin;

/** `McpServer` or `Server` of `@modelcontextprotocol/sdk` (1.x) or `@modelcontextprotocol/server` (2.x). */
export type AnyMcpServer =
  | { registerTool: (...args: never[]) => unknown }
  | { setRequestHandler: (...args: never[]) => unknown };

/**
 * Registers the twin of a tool on a server, and returns its definition. On a `Server` it extends the handlers of
 * `tools/list` (the last page) and `tools/call`, whether they are already set or set later.
 * @throws DefinitionError as `createTwin` does; TypeError if this is not such a server
 */
export declare const rawTwin: (server: AnyMcpServer, options: TwinOptions) => TwinDefinition;
