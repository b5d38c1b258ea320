import { defined } from '../../contract/defined.ts';
import { type Contract, isObject, type Json, type JsonObject, own } from '../../contract/types.ts';
import { nameWords } from '../../diff/name-words.ts';
import type { Invoker } from './types.ts';

/** The words of an invoker's name. With any other word (`validate`, `register`, `test`) a tool does something else. */
const VERBS = new Set(['call', 'dispatch', 'exec', 'execute', 'invoke', 'run', 'use']);
const NOUNS = new Set(['mcp', 'tool']);
const FILLERS = new Set(['any', 'by', 'dynamic', 'external', 'gateway', 'generic', 'hub', 'name', 'proxy', 'remote']);
for (const word of ['server', 'service', 'upstream', 'a', 'on']) FILLERS.add(word);

const TOOL = /^(mcp|target|inner)?tool(name|id)?$/;
/** The parameter's name in `tools/call` itself; ignored if another parameter says more clearly that it names the tool. */
const TOOL_AS_IN_MCP = /^name$/;
const SERVER = /^(mcp|target)?server(name|id)?$/;
const ARGUMENTS = /^(json)?(tool)?(arguments|args|params|parameters|input)(json)?$/;
/** A tool with more other parameters than this does something of its own. */
const MOST_OTHERS = 3;

/** Whether a tool calls itself one that calls others. */
export const saysSo = (name: string): boolean => {
  const words = nameWords(name);
  return (
    words.some((word) => VERBS.has(word)) &&
    words.some((word) => NOUNS.has(word)) &&
    words.every((word) => VERBS.has(word) || NOUNS.has(word) || FILLERS.has(word))
  );
};

/** A schema without the `null` branch that libraries add to optional parameters. */
const withoutNull = (schema: Json | undefined): Json | undefined => {
  const branches = own(schema, 'anyOf') ?? own(schema, 'oneOf');
  if (!Array.isArray(branches)) return schema;
  const others = branches.filter((branch) => own(branch, 'type') !== 'null');
  return others.length === 1 ? others[0] : undefined;
};

const typeOf = (schema: Json | undefined): string | undefined => {
  const type = own(schema, 'type');
  const types = (Array.isArray(type) ? type : [type]).filter((name) => name !== 'null');
  return types.length === 1 && typeof types[0] === 'string' ? types[0] : undefined;
};

const isFree = (schema: Json | undefined): boolean =>
  typeOf(schema) === 'string' && ['const', 'format', 'pattern'].every((key) => own(schema, key) === undefined);

/** Whether a schema accepts any property, as one for the arguments of an unknown tool has to. */
const isOpen = (schema: Json | undefined): boolean => {
  const isEmpty = (value: Json | undefined): boolean =>
    value === undefined || value === true || (isObject(value) && Object.keys(value).length === 0);
  const listed = own(schema, 'properties');
  return (
    typeOf(schema) === 'object' &&
    (listed === undefined || isEmpty(listed)) &&
    isEmpty(own(schema, 'additionalProperties')) &&
    own(schema, 'patternProperties') === undefined &&
    own(schema, 'required') === undefined
  );
};

const isJsonText = (name: string, schema: Json | undefined): boolean => {
  const description = own(schema, 'description');
  return isFree(schema) && (/json/i.test(name) || (typeof description === 'string' && /\bjson\b/i.test(description)));
};

/** The name that fits; undefined if none or several do. */
const only = (names: string[], fits: (name: string) => boolean): string | undefined => {
  const found = names.filter(fits);
  return found.length === 1 ? found[0] : undefined;
};

const plain = (key: string): string => key.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Recognises a call of a generic invoker if only its name and its arguments are known. */
export const invokerByCall = (args: JsonObject): Invoker | undefined => {
  const names = Object.keys(args);
  const isText = (key: string): boolean => typeof args[key] === 'string';
  const named = (pattern: RegExp) => only(names, (key) => pattern.test(plain(key)) && isText(key));
  const tool = named(TOOL) ?? named(TOOL_AS_IN_MCP);
  const server = named(SERVER);
  const given = only(names, (key) => ARGUMENTS.test(plain(key)));
  if (tool === undefined) return undefined;
  return {
    ...(server === undefined ? {} : { server }),
    tool,
    arguments: given ?? 'arguments',
    others: [],
    sure: false,
  };
};

/**
 * Recognises an invoker by its contract: its name says that it calls tools, one required string names a tool, one parameter
 * takes any object (or JSON text), and nothing else is required but a server's name. Strict, because an invoker that is
 * missed can be configured, while a tool that is mistaken for one would have its calls stopped.
 */
export const invokerByShape = ({ name, inputSchema }: Contract): Invoker | undefined => {
  const properties = own(inputSchema, 'properties');
  if (!isObject(properties) || !saysSo(name)) return undefined;
  const names = Object.keys(properties);
  const schemaOf = (key: string): Json | undefined => withoutNull(own(properties, key));
  const isTool = (pattern: RegExp) => (key: string) =>
    pattern.test(plain(key)) && isFree(schemaOf(key)) && own(schemaOf(key), 'enum') === undefined;
  const tool = names.some((key) => TOOL.test(plain(key)))
    ? only(names, isTool(TOOL))
    : only(names, isTool(TOOL_AS_IN_MCP));
  const given = only(names, (key) => ARGUMENTS.test(plain(key)));
  const server = only(names, (key) => SERVER.test(plain(key)));
  if (tool === undefined || given === undefined || (server !== undefined && !isFree(schemaOf(server))))
    return undefined;

  const asText = isJsonText(given, schemaOf(given));
  if (!asText && !isOpen(schemaOf(given))) return undefined;
  const required = own(inputSchema, 'required');
  const must = new Set(Array.isArray(required) ? required : []);
  const others = names.filter((key) => key !== tool && key !== given && key !== server);
  if (!must.has(tool) || others.length > MOST_OTHERS || others.some((key) => must.has(key))) return undefined;
  return { ...defined({ server }), tool, arguments: given, asText, others, sure: server !== undefined };
};
