import { nextCursor } from '../contract/next-cursor.ts';
import type { JsonObject } from '../contract/types.ts';
import { quoteName } from '../text/quote.ts';
import type * as Kit from './gateway.d.ts';
import { createTwin } from './twin.ts';

/** What SDK 1.x passes to a Zod 3 schema: the value, and the object that contains it. */
interface ZodInput {
  parent: { data: unknown };
}

/**
 * `{payload: string}` in the forms that both major versions of the SDK need, without Zod. For 1.x it is a shape with one
 * Zod 3 schema, of which the SDK uses only these members; for 2.x it is a Standard Schema, which 1.x does not see. Both
 * accept everything: the twin itself refuses, always in the same words, and sees fields that a Zod object would strip.
 */
const payloadSchema = (inputSchema: Kit.TwinDefinition['inputSchema']): object => {
  const everything = ({ parent }: ZodInput) => ({ status: 'valid', value: parent.data });
  const leaf = {
    _def: { typeName: 'ZodString', checks: [] },
    _parse: everything,
    isOptional: () => false,
    parse: (value: unknown) => value,
    safeParse: (data: unknown) => ({ success: true, data }),
  };
  return Object.defineProperty({ payload: leaf }, '~standard', {
    value: {
      version: 1,
      vendor: 'konnichiwagwan',
      validate: (value: unknown) => ({ value: { payload: value } }),
      jsonSchema: { input: () => inputSchema, output: () => inputSchema },
    },
  });
};

interface HighLevel {
  registerTool(name: string, config: object, call: (args: { payload: unknown }, extra: unknown) => unknown): unknown;
}

const onMcpServer = (server: HighLevel, { definition, call }: Kit.Twin): void => {
  const { name, inputSchema, ...config } = definition;
  const given = { ...config, inputSchema: payloadSchema(inputSchema) };
  server.registerTool(name, given, ({ payload: args }, extra) => call(args, extra));
};

type McpHandler = (request: { params?: JsonObject }, extra: unknown) => unknown;
type ListedTools = { tools: { name: string }[]; nextCursor?: string };

interface LowLevel {
  setRequestHandler(...args: unknown[]): unknown;
  /** Private, but in all versions of both majors; there is no other way to a handler that is already set. */
  _requestHandlers?: unknown;
}

/** The twins of each server, whose handlers are wrapped only once. */
const twinsOf = new WeakMap<LowLevel, Kit.Twin[]>();

const listing =
  (before: McpHandler, twins: Kit.Twin[]): McpHandler =>
  async (request, extra) => {
    const listed = (await before(request, extra)) as ListedTools;
    if (nextCursor(listed) !== undefined) return listed;
    return { ...listed, tools: [...listed.tools, ...twins.map(({ definition }) => definition)] };
  };

const calling =
  (before: McpHandler, twins: Kit.Twin[]): McpHandler =>
  (request, extra) => {
    const { name, arguments: args } = request.params ?? {};
    const twin = twins.find(({ definition }) => definition.name === name);
    return twin ? twin.call(args, extra) : before(request, extra);
  };

const wrapHandlers = (server: LowLevel, twins: Kit.Twin[]): void => {
  const handlers = server._requestHandlers;
  if (!(handlers instanceof Map))
    throw new TypeError('this is no server of a version of the official SDK that is known');
  const ours = new Set<McpHandler>();
  const wrap = (method: string, around: typeof listing): void => {
    const set = handlers.get(method) as McpHandler | undefined;
    if (set === undefined || ours.has(set)) return;
    const wrapped = around(set, twins);
    ours.add(wrapped);
    handlers.set(method, wrapped);
  };
  const wrapBoth = (): void => {
    wrap('tools/list', listing);
    wrap('tools/call', calling);
  };
  const set = server.setRequestHandler;
  server.setRequestHandler = (...args) => {
    const result = set.apply(server, args);
    wrapBoth();
    return result;
  };
  wrapBoth();
};

const onServer = (server: LowLevel, twin: Kit.Twin): void => {
  const twins = twinsOf.get(server) ?? [];
  if (twins.length === 0) wrapHandlers(server, twins);
  const { name } = twin.definition;
  if (twins.some(({ definition }) => definition.name === name)) {
    throw new TypeError(`${quoteName(name)} is already registered`);
  }
  twins.push(twin);
  twinsOf.set(server, twins);
};

export const rawTwin: typeof Kit.rawTwin = (server, options) => {
  const twin = createTwin(options);
  if ('registerTool' in server) onMcpServer(server as unknown as HighLevel, twin);
  else onServer(server as unknown as LowLevel, twin);
  return twin.definition;
};
