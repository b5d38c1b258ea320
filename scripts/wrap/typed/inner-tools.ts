// Reads a hub's lists of the tools behind it. Hubs have no common form for them.
import { parsedJson } from '../../contract/parsed-json.ts';
import { isObject, type Json, type JsonObject, own } from '../../contract/types.ts';

/** A tool behind an invoker. */
export interface InnerTool {
  /** The server that the invoker has to be told; absent where it finds that by the tool's name. */
  server?: string;
  /** The name that the invoker has to be told. */
  name: string;
  /** All that is listed of it, in the form of `tools/list`. */
  listed: JsonObject & { inputSchema: Json };
}

const MOST_TOOLS = 5_000;
const DEEPEST = 8;

const SCHEMAS = ['inputSchema', 'input_schema', 'parameters', 'schema', 'args_schema', 'argsSchema'] as const;
const SERVERS = ['server', 'server_name', 'serverName', 'service', 'service_name', 'serviceName'] as const;
/** Keys under which an answer holds a list of tools, or of servers with their tools. */
const LISTS = ['tools', 'servers', 'services', 'mcpServers', 'items', 'results'] as const;
/** Keys that wrap an answer. */
const AROUND = ['result', 'data', 'response', 'details', 'service', 'server'] as const;
/** The fields that our list takes over. Not `outputSchema`, since the invoker's answer comes back. */
const KEPT = ['title', 'description', 'annotations', 'icons'] as const;

const textIn = (value: Json | undefined, keys: readonly string[]): string | undefined => {
  for (const key of keys) {
    const found = own(value, key);
    if (typeof found === 'string' && found !== '') return found;
    const name = own(found, 'name');
    if (typeof name === 'string' && name !== '') return name;
  }
  return undefined;
};

const asTool = (value: JsonObject, around: string | undefined): InnerTool | undefined => {
  const name = own(value, 'name');
  const key = SCHEMAS.find((one) => isObject(own(value, one)));
  if (typeof name !== 'string' || name === '' || key === undefined) return undefined;
  const kept = KEPT.flatMap((one) => (own(value, one) === undefined ? [] : [[one, value[one] as Json] as const]));
  const server = textIn(value, SERVERS) ?? around;
  return {
    ...(server === undefined ? {} : { server }),
    name,
    listed: { name, ...Object.fromEntries(kept), inputSchema: value[key] as Json },
  };
};

/**
 * What a value holds that may be tools or hold some, each with the server that it belongs to: the items of a list, what an
 * answer is wrapped in, or lists of tools and servers.
 */
const insideOf = (value: Json | undefined, server: string | undefined): [inner: Json, server: string | undefined][] => {
  if (Array.isArray(value)) return value.map((one) => [one, server]);
  if (!isObject(value)) return [];
  const owner = textIn(value as JsonObject, ['name', 'id', ...SERVERS]) ?? server;
  const wrapped = AROUND.map((key) => own(value, key)).filter(isObject);
  const lists = LISTS.map((key) => own(value, key));
  return [
    ...wrapped.map((one): [Json, string | undefined] => [one as Json, owner]),
    ...lists.flatMap((list): [Json, string | undefined][] => {
      if (Array.isArray(list)) return [[list, owner]];
      // A map: of tools by their names, or of servers by theirs.
      return Object.entries(isObject(list) ? list : {}).map(([name, one]) => {
        const isTool = isObject(one) && SCHEMAS.some((field) => isObject(own(one, field)));
        return isTool ? [{ name, ...(one as JsonObject) }, owner] : [one as Json, name];
      });
    }),
  ];
};

const collect = (value: Json | undefined, server: string | undefined, found: InnerTool[], depth = 0): void => {
  if (depth > DEEPEST || found.length >= MOST_TOOLS) return;
  const tool = isObject(value) ? asTool(value as JsonObject, server) : undefined;
  if (tool !== undefined) found.push(tool);
  else for (const [inner, owner] of insideOf(value, server)) collect(inner, owner, found, depth + 1);
};

/** Whether an answer is the schema of a tool's arguments, and nothing around it. */
const isBareSchema = (answer: Json | undefined): answer is JsonObject =>
  isObject(answer) && own(answer, 'type') === 'object' && isObject(own(answer, 'properties') ?? {});

/**
 * The tools in an answer; empty without any.
 * @param server the one that was asked about
 * @param tool the one that was asked about: the answer may be its schema alone
 */
export const innerToolsIn = (answer: Json | undefined, server?: string, tool?: string): InnerTool[] => {
  const found: InnerTool[] = [];
  collect(answer, server, found);
  if (found.length > 0 || tool === undefined || !isObject(answer)) return found;
  const known = { ...(server === undefined ? {} : { server }), name: tool };
  if (isBareSchema(answer)) return [{ ...known, listed: { name: tool, inputSchema: answer } }];
  collect({ ...(answer as JsonObject), ...known }, server, found);
  return found;
};

/** The names of servers in an answer that lists no tools. */
export const serversIn = (answer: Json | undefined): string[] => {
  const list = Array.isArray(answer) ? answer : LISTS.map((key) => own(answer, key)).find((one) => one !== undefined);
  const names = Array.isArray(list)
    ? list.map((one) => (typeof one === 'string' ? one : textIn(one, ['name', 'id', ...SERVERS])))
    : isObject(list)
      ? Object.keys(list)
      : [];
  return names.filter((name) => name !== undefined && name !== '') as string[];
};

/** A call's result as JSON, from its structured content or its text. */
export const answersIn = (result: unknown): Json[] => {
  if (own(result, 'isError') === true) return [];
  const structured = own(result, 'structuredContent');
  const content = own(result, 'content');
  const texts = (Array.isArray(content) ? content : []).map((part) => own(part, 'text'));
  const parsed = texts.flatMap((text) => {
    const value = typeof text === 'string' ? parsedJson(text) : undefined;
    return value === undefined ? [] : [value as Json];
  });
  return structured === undefined ? parsed : [structured, ...parsed];
};
