import { defined } from '../../contract/defined.ts';
import { type Contract, isObject, type Json, own } from '../../contract/types.ts';
import type { Invoker } from './types.ts';

/** What an invoker calls itself. One other word (`validate`, `register`, `test`), and the tool does something else. */
const VERBS = new Set(['call', 'dispatch', 'exec', 'execute', 'invoke', 'run', 'use']);
const NOUNS = new Set(['mcp', 'tool']);
const FILLERS = new Set(['any', 'by', 'dynamic', 'external', 'gateway', 'generic', 'hub', 'name', 'proxy', 'remote']);
for (const word of ['server', 'service', 'upstream', 'a', 'on']) FILLERS.add(word);

const TOOL = /^(mcp|target|inner)?tool(name|id)?$/;
/** As `tools/call` itself names it; means anything where another parameter says more clearly that it names the tool. */
const TOOL_AS_IN_MCP = /^name$/;
const SERVER = /^(mcp|target)?server(name|id)?$/;
const ARGUMENTS = /^(json)?(tool)?(arguments|args|params|parameters|input)(json)?$/;
/** More parameters than these are the signs of a tool that does something of its own. */
const MOST_OTHERS = 3;

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');

const saysSo = (name: string): boolean => {
  const words = wordsOf(name);
  return (
    words.some((word) => VERBS.has(word)) &&
    words.some((word) => NOUNS.has(word)) &&
    words.every((word) => VERBS.has(word) || NOUNS.has(word) || FILLERS.has(word))
  );
};

/** A schema without the `null` that libraries add to what is optional. */
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

/** Takes any property at all: whose arguments they are, only the inner tool knows. */
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

/** The one name that fits; two of them are no sign of anything. */
const only = (names: string[], fits: (name: string) => boolean): string | undefined => {
  const found = names.filter(fits);
  return found.length === 1 ? found[0] : undefined;
};

/**
 * Recognises a generic invoker by its contract: its own name says that it calls tools, one required text names a tool,
 * one parameter takes any object (or JSON text), and nothing else is required but a server's name. Strict: a tool that
 * is missed can be configured, one that is taken for an invoker would have its calls stopped.
 */
export const invokerByShape = ({ name, inputSchema }: Contract): Invoker | undefined => {
  const properties = own(inputSchema, 'properties');
  if (!isObject(properties) || !saysSo(name)) return undefined;
  const names = Object.keys(properties);
  const schemaOf = (key: string): Json | undefined => withoutNull(own(properties, key));
  const plain = (key: string): string => key.toLowerCase().replace(/[^a-z0-9]/g, '');
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
