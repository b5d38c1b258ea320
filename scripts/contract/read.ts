import { constants } from 'node:buffer';
import { quoteName } from '../text/quote.ts';
import { canonical } from './canonical.ts';
import { defined } from './defined.ts';
import { isDeeper } from './depth.ts';
import { pointer, pointerText } from './json-pointer.ts';
import { LONGEST_ANSWER } from './limits.ts';
import { nextCursor } from './next-cursor.ts';
import { toOffers } from './offers.ts';
import { parsedJson } from './parsed-json.ts';
import { type Contract, isObject, type Json, type JsonObject, own, type ToolList } from './types.ts';

/** An answer that is not a tool list. `path` is a JSON Pointer to what is wrong. */
export class NotAToolList extends Error {
  constructor(
    readonly path: string,
    message: string,
  ) {
    super(`${pointerText(path) || '/'}: ${message}`);
  }
}

/** Limits for one answer. Real servers stay far below: the deepest schemas have 11 levels, long lists 100 tools. */
export const LIMITS = { bytes: LONGEST_ANSWER, tools: 20_000, branches: 1_000, depth: 100 };
/** Limits for a file that a person named: as large as a text can be. A server has no say in that. */
export const FILE_LIMITS: Size = { bytes: constants.MAX_STRING_LENGTH, tools: Number.POSITIVE_INFINITY };
/** How large a list may be. */
type Size = Pick<typeof LIMITS, 'bytes' | 'tools'>;
const TOO_DEEP = `is nested deeper than ${LIMITS.depth} levels`;

/** Says what is wrong with a value, worded as JSON Schema validators do; undefined if nothing is. */
type FieldCheck = (value: Json) => string | undefined;

const text: FieldCheck = (value) => (typeof value === 'string' ? undefined : 'must be string');
const object: FieldCheck = (value) => (isObject(value) ? undefined : 'must be object');
const schema: FieldCheck = (value) =>
  isObject(value) || typeof value === 'boolean' ? undefined : 'must be object,boolean';

const LONGEST_NAME = 256;
const shortText: FieldCheck = (value) => {
  if (typeof value !== 'string') return text(value);
  const isLong = value.length > LONGEST_NAME && Array.from(value).length > LONGEST_NAME;
  return isLong ? `must NOT have more than ${LONGEST_NAME} characters` : undefined;
};
const toolName: FieldCheck = (value) => (value === '' ? 'must NOT have fewer than 1 characters' : shortText(value));
const duration: FieldCheck = (value) => ((value as number) >= 0 ? undefined : 'must be >= 0');
const list: FieldCheck = (value) => (Array.isArray(value) ? undefined : 'must be array');

const branchList: FieldCheck = (value) => {
  if (!Array.isArray(value) && !isObject(value)) return 'must be array,object';
  return Object.keys(value).length > LIMITS.branches ? `must NOT have more than ${LIMITS.branches} items` : undefined;
};
/** In a map the key is the name, and the value may be empty. */
const listedBranch: FieldCheck = (value) => (typeof value === 'string' ? toolName(value) : object(value));
const mappedBranch: FieldCheck = (value) => (value === null ? undefined : schema(value));
const BRANCH: Record<string, FieldCheck> = { name: toolName, schema, inputSchema: schema, input_schema: schema };

const ANSWER: Record<string, FieldCheck> = { schema_version: shortText, ttlMs: duration, tools: list };
const TOOL: Record<string, FieldCheck> = {
  name: toolName,
  title: text,
  description: text,
  inputSchema: schema,
  outputSchema: schema,
  annotations: object,
  branches: branchList,
  hash: text,
};

const checkFields = (value: JsonObject, fields: Record<string, FieldCheck>, path: string): void => {
  for (const name of Object.keys(fields)) {
    const wrong = Object.hasOwn(value, name) ? fields[name]?.(value[name] as Json) : undefined;
    if (wrong !== undefined) throw new NotAToolList(`${path}/${name}`, wrong);
  }
};

const checkBranches = (branches: Json | undefined, path: string): void => {
  if (branches === undefined) return;
  const check = Array.isArray(branches) ? listedBranch : mappedBranch;
  for (const [key, branch] of Object.entries(branches as JsonObject)) {
    const at = `${path}/branches${pointer(key)}`;
    const wrong = (Array.isArray(branches) ? undefined : toolName(key)) ?? check(branch);
    if (wrong !== undefined) throw new NotAToolList(at, wrong);
    if (isObject(branch)) checkFields(branch as JsonObject, BRANCH, at);
  }
};

/** Whether a tool is listed by its branches, of which there is at least one: then it may lack an input schema. */
const hasBranches = (tool: unknown): boolean => {
  const branches = own(tool, 'branches');
  return typeof branches === 'object' && branches !== null && Object.keys(branches).length > 0;
};

/** Written by hand: compiling a JSON Schema of the answer took longer than all other work on a small answer. */
const checkTool = (tool: Json, path: string, isDeep: boolean): void => {
  const wrong = object(tool);
  if (wrong !== undefined) throw new NotAToolList(path, wrong);
  for (const name of hasBranches(tool) ? ['name'] : ['name', 'inputSchema']) {
    if (!Object.hasOwn(tool as JsonObject, name)) throw new NotAToolList(path, `must have required property '${name}'`);
  }
  checkFields(tool as JsonObject, TOOL, path);
  // The list around it adds levels of its own.
  if (isDeep && isDeeper(tool, LIMITS.depth - 4)) throw new NotAToolList(path, TOO_DEEP);
  checkBranches((tool as JsonObject).branches, path);
};

/** A text nested deeper than this, in levels, is not even parsed. */
const DEEPEST_LISTED = 50_000;

/** How an answer is read. */
interface Reading {
  /** An unreadable tool is kept by its name, with the reason, as long as another one is readable. */
  keepsOthers: boolean;
  /** It may be nested too deeply, which must be checked. */
  isDeep: boolean;
  mostTools: number;
}

/** What is wrong with single tools, by their index. @throws NotAToolList if the list itself cannot be read */
const validateAnswer = (answer: JsonObject, { keepsOthers, isDeep, mostTools }: Reading): Map<number, NotAToolList> => {
  checkFields(answer, ANSWER, '');
  const tools = answer.tools as Json[];
  if (tools.length > mostTools) throw new NotAToolList('/tools', `must NOT have more than ${mostTools} items`);
  const defects = new Map<number, NotAToolList>();
  for (const [index, tool] of tools.entries()) {
    try {
      checkTool(tool, `/tools/${index}`, isDeep);
    } catch (error) {
      const name = own(tool, 'name');
      if (!(error instanceof NotAToolList) || !keepsOthers || name === undefined || toolName(name) !== undefined)
        throw error;
      defects.set(index, error);
    }
  }
  const [first] = defects.values();
  if (first !== undefined && defects.size === tools.length) throw first;
  return defects;
};

/** Where a string that begins before `from` ends: at the first quote not preceded by an odd number of backslashes. */
export const endOfString = (text: string, from: number): number => {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 92) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
};

/** Whether a JSON text is nested deeper than `most` levels; found without parsing it. */
const isDeeperThan = (text: string, most: number): boolean => {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    // Most of a tool list is strings: skip each as a whole.
    if (char === 34) i = endOfString(text, i + 1);
    else if (char === 123 || char === 91) {
      if (++depth > most) return true;
    } else if (char === 125 || char === 93) depth--;
  }
  return false;
};

/**
 * Parses JSON from outside, after checking its size and depth, so that nothing recursive meets a hostile value.
 * @throws NotAToolList if it is too large, too deep, or not JSON
 */
export const parseBounded = (text: string, { bytes }: Pick<Size, 'bytes'> = LIMITS): Json => {
  checkSize(text, bytes);
  if (isDeeperThan(text, LIMITS.depth)) throw new NotAToolList('', TOO_DEEP);
  return parse(text);
};

const checkSize = (text: string, most: number): void => {
  if (Buffer.byteLength(text) > most) throw new NotAToolList('', `is larger than ${most} bytes`);
};

const parse = (text: string): Json => {
  const value = parsedJson(text);
  if (value === undefined) throw new NotAToolList('', 'is not JSON');
  return value as Json;
};

const SCHEMA_SPELLINGS = ['inputSchema', 'input_schema', 'schema'];
const isTool = (value: unknown): boolean =>
  isObject(value) && SCHEMA_SPELLINGS.some((spelling) => isObject(value[spelling]));

const OTHER_SPELLINGS = ['input_schema', 'schema', 'schema_version', 'output_schema'];

/** Whether all fields of a tool have their standard names, and a value. */
const isStandard = (tool: JsonObject): boolean => {
  for (const field of Object.keys(tool)) if (tool[field] === null || OTHER_SPELLINGS.includes(field)) return false;
  return true;
};

/** A tool with every accepted spelling of its fields replaced by the standard one; unknown fields are kept. */
const respell = (tool: Json, name?: string): Json => {
  if (!isObject(tool)) return tool;
  if (name === undefined && isStandard(tool as JsonObject)) return tool as JsonObject;
  const { input_schema, schema, schema_version: _version, ...rest } = tool as JsonObject;
  const inputSchema = rest.inputSchema ?? input_schema ?? schema;
  const output = rest.outputSchema ?? rest.output_schema;
  const present = Object.entries(rest).filter(([, value]) => value !== null);
  return {
    ...defined({ name }),
    ...(Object.fromEntries(present) as JsonObject),
    ...defined({ inputSchema, outputSchema: output }),
  };
};

/** Turns every accepted form into one: `{schema_version?, ttlMs?, tools: [...]}`. */
const unwrap = (value: Json): JsonObject => {
  if (Array.isArray(value)) return { tools: value };
  if (!isObject(value)) throw new NotAToolList('', 'is not a tool list: an object or an array is expected');
  const object = value as JsonObject;
  if (isObject(object.error) && object.result === undefined) {
    throw new NotAToolList('/error', 'is a JSON-RPC error, not a result');
  }
  if (isObject(object.result)) return unwrap(object.result);
  const tools: Json | undefined = object.tools;
  if (isTool(object)) return { tools: [{ name: 'tool', ...object }] };
  if (tools === undefined && typeof object.name === 'string' && hasBranches(object)) return { tools: [object] };
  if (Array.isArray(tools)) return object;
  const map = isObject(tools) ? tools : object;
  const isNamed = (tool: unknown): boolean => isTool(tool) || (map === tools && hasBranches(tool));
  if (Object.keys(map).length > 0 && Object.values(map).every(isNamed)) {
    const named = Object.entries(map as JsonObject).map(([name, tool]) => respell(tool, name));
    return { ...(map === tools ? object : {}), tools: named };
  }
  throw new NotAToolList('', 'has no "tools"');
};

const KNOWN = new Set([
  'name',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
  'branches',
  'hash',
]);
/** Stands for the schema of a tool that lists none: what it takes is unknown. */
const ANY_OBJECT: Json = { type: 'object' };

const toContract = (tool: JsonObject): Contract => {
  const extra = Object.keys(tool).filter((key) => !KNOWN.has(key));
  return {
    name: tool.name as string,
    ...defined({ title: tool.title as string | undefined, description: tool.description as string | undefined }),
    inputSchema: tool.inputSchema ?? ANY_OBJECT,
    ...defined({
      outputSchema: tool.outputSchema,
      annotations: tool.annotations as JsonObject | undefined,
      branches: tool.branches,
    }),
    ...(tool.inputSchema === undefined ? { schemaless: true as const } : {}),
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra.map((key) => [key, tool[key] as Json])) }),
  };
};

/** Prompts and resources, if the list of tools includes them: a capture of a whole server. */
const offersIn = ({ prompts, resources, resourceTemplates }: JsonObject): Pick<ToolList, 'offers'> => {
  const lists = { prompts, resources, resourceTemplates };
  const present = Object.entries(lists).filter((entry): entry is [string, Json[]] => Array.isArray(entry[1]));
  return present.length === 0 ? {} : { offers: toOffers(Object.fromEntries(present)) };
};

/**
 * Reads every accepted form of a tool list: a `tools/list` result, a JSON-RPC answer around one, a bare array, a single
 * tool, a gateway answer, or a map from name to tool.
 * @throws NotAToolList with the JSON Pointer of what is wrong
 */
export const readToolList = (value: Json, { tools }: Pick<Size, 'tools'> = LIMITS): ToolList =>
  read(value, { keepsOthers: false, isDeep: false, mostTools: tools });

/**
 * Reads the text of a source's answer. An unreadable tool spoils only itself: it is in the list with a `defect`.
 * @throws NotAToolList if it is not a list, or none of its tools can be read
 */
export const readListed = (text: string): ToolList => {
  checkSize(text, LIMITS.bytes);
  const isDeep = isDeeperThan(text, LIMITS.depth);
  if (isDeep && isDeeperThan(text, DEEPEST_LISTED)) throw new NotAToolList('', TOO_DEEP);
  return read(parse(text), { keepsOthers: true, isDeep, mostTools: LIMITS.tools });
};

/** Each tool once. Which of two different contracts under one name a call reaches is not known, so it cannot be read. */
const eachOnce = (tools: readonly Contract[]): Contract[] => {
  const byName = new Map<string, Contract>();
  for (const tool of tools) {
    const { name } = tool;
    const earlier = byName.get(name) ?? tool;
    const isSame = earlier === tool || canonical(earlier as unknown as Json) === canonical(tool as unknown as Json);
    byName.set(name, isSame ? earlier : { name, inputSchema: ANY_OBJECT, defect: 'it is listed twice, differently' });
  }
  return [...byName.values()];
};

/** @throws NotAToolList if two of the tools have the same name */
const unlessTwice = (tools: Contract[]): Contract[] => {
  const seen = new Set<string>();
  for (const [index, { name }] of tools.entries()) {
    if (seen.has(name))
      throw new NotAToolList(`/tools/${index}/name`, `${quoteName(name)} is the name of an earlier tool, too`);
    seen.add(name);
  }
  return tools;
};

const read = (value: Json, reading: Reading): ToolList => {
  const unwrapped = unwrap(value);
  if (reading.isDeep && isDeeper({ ...unwrapped, tools: [] }, LIMITS.depth)) throw new NotAToolList('', TOO_DEEP);
  const version = unwrapped.schema_version ?? unwrapped.schemaVersion;
  const answer: JsonObject = {
    ...(version === undefined || version === null ? {} : { schema_version: version }),
    ...(typeof unwrapped.ttlMs === 'number' ? { ttlMs: unwrapped.ttlMs } : {}),
    tools: Array.isArray(unwrapped.tools) ? unwrapped.tools.map((tool) => respell(tool)) : (unwrapped.tools as Json),
  };
  const defects = validateAnswer(answer, reading);
  const tools = (answer.tools as JsonObject[]).map((tool, index): Contract => {
    const defect = defects.get(index)?.message;
    return defect === undefined ? toContract(tool) : { name: tool.name as string, inputSchema: ANY_OBJECT, defect };
  });
  const advertised = new Map<string, string>();
  for (const [index, tool] of (answer.tools as JsonObject[]).entries()) {
    if (typeof tool.hash === 'string' && !defects.has(index)) advertised.set(tool.name as string, tool.hash);
  }
  return {
    ...(nextCursor(unwrapped) !== undefined ? { partial: true } : {}),
    ...offersIn(unwrapped),
    ...(unwrapped.cacheScope === 'public' ? { cacheScope: 'public' as const } : {}),
    ...defined({
      schemaVersion: answer.schema_version as string | undefined,
      ttlMs: answer.ttlMs as number | undefined,
    }),
    tools: reading.keepsOthers ? eachOnce(tools) : unlessTwice(tools),
    advertised,
  };
};
