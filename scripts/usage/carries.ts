// Whether a call of one tool may have been a call of another: judged by its schema, and by its actual arguments.
import { spelled } from '../contract/names.ts';
import { parsedJson } from '../contract/parsed-json.ts';
import { targetOf } from '../contract/references.ts';
import { type Contract, isObject, type Json } from '../contract/types.ts';

/** Words of names of tools that call others: `batch`, `run_actions`, `call-any`. */
const CALLS_OTHERS = new Set(
  (
    'action actions any batch bulk call calls code command commands dispatch do eval exec execute gateway ' +
    'invoke mcp multi operation operations orchestrate parallel perform pipeline proxy route router run ' +
    'script tool tools use workflow'
  ).split(' '),
);
/** Parameters that may name the tool to call. */
const NAMES_A_TOOL =
  /^(?:mcp|target|inner|sub|next)?(?:tool|action|command|cmd|operation|op|method|function|func|fn|procedure|code|script|program|expression|call)s?(?:name|id)?$/;
/** Parameters in which a tool whose name says that it calls others may name one. */
const HOLDS_ANYTHING =
  /^(?:name|id|items?|input|payload|requests?|body|text|prompt|query|kind|type|what|which|args|arguments|params|data|spec|config|options)$/;
/** Lists of calls: in their items, `name` says which tool. */
const LIST_OF_CALLS =
  /^(?:mcp|tool|function)?(?:calls|steps|actions|tools|commands|operations|ops|requests|tasks|jobs|invocations|batch)$/;
/** Anything larger is assumed to carry any call. */
const MOST_NODES = 20_000;
const DEEPEST = 60;
/** How many parts of one parameter's schema are read: references can make a small one endless. */
const MOST_PARTS = 200;
/** How many texts within texts are read as JSON. */
const MOST_TEXTS = 4;

const plain = (key: string): string => key.toLowerCase().replace(/[^a-z0-9]/g, '');
/** A text with a border between the words of names in camel case: `getURLNow` becomes `get_URL_Now`. */
const parted = (text: string): string =>
  text.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/([A-Z])([A-Z][a-z])/g, '$1_$2');
const wordsOf = (name: string): string[] =>
  parted(name)
    .toLowerCase()
    .split(/[^a-z0-9]+/);

/**
 * Visits values; true as soon as `says` is true for one, or if there are too many.
 * @param referred what a value in a list of calls refers to, if that is to be visited as well
 */
const some = (
  root: unknown,
  says: (value: unknown, key: string, inList: boolean) => boolean,
  referred?: (value: object) => unknown,
): boolean => {
  const left: { value: unknown; key: string; inList: boolean; depth: number }[] = [
    { value: root, key: '', inList: false, depth: 0 },
  ];
  for (let seen = 0; left.length > 0; seen += 1) {
    const { value, key, inList, depth } = left.pop() as (typeof left)[number];
    if (seen > MOST_NODES || depth > DEEPEST || says(value, key, inList)) return true;
    if (typeof value !== 'object' || value === null) continue;
    const isList = inList || LIST_OF_CALLS.test(plain(key));
    const target = isList ? referred?.(value) : undefined;
    if (target !== undefined) left.push({ value: target, key: '', inList: true, depth: depth + 1 });
    for (const [name, inner] of Object.entries(value))
      left.push({ value: inner, key: Array.isArray(value) ? key : name, inList: isList, depth: depth + 1 });
  }
  return false;
};

/** Whether a schema takes any text, or an object of any form. One with too many parts to read is assumed to. */
const takesAnyText = (schema: unknown, root: Json, left = { parts: MOST_PARTS }): boolean => {
  if (schema === true || left.parts-- <= 0) return true;
  if (!isObject(schema) || Object.hasOwn(schema, 'enum') || Object.hasOwn(schema, 'const')) return false;
  const { type, $ref, anyOf, oneOf, allOf } = schema as Record<string, unknown>;
  const takes = (part: unknown): boolean => takesAnyText(part, root, left);
  const isForm = Object.hasOwn(schema, 'properties') || Object.hasOwn(schema, 'items');
  const says = isForm || [anyOf, oneOf, allOf, $ref].some((part) => part !== undefined);
  if (type !== undefined)
    return (Array.isArray(type) ? type : [type]).some((one) => one === 'string' || (one === 'object' && !says));
  // An optional text is often written as a text or null, and what several parameters take as a reference.
  if (typeof $ref === 'string') return takes(targetOf($ref, root) ?? true);
  const branches = [anyOf, oneOf].find(Array.isArray);
  if (branches !== undefined) return branches.some(takes);
  return Array.isArray(allOf) ? allOf.every(takes) : !says;
};

/** A test for texts with a tool's name in them, as a whole word, in any spelling. */
const holdsName = (tool: string, behind = ''): ((text: string) => boolean) => {
  const letters = wordsOf(tool).join('[^A-Za-z0-9]?');
  const word = new RegExp(`(?<![A-Za-z0-9])${letters}(?![A-Za-z0-9]|[_-][A-Za-z0-9])${behind}`, 'i');
  return (text) => word.test(parted(text)) || spelled(text) === tool;
};

/** A test for names that may mean a tool: its own in any spelling, alone or after another one, such as its server's. */
export const meansTool = (tool: string): ((name: string) => boolean) => {
  const endsWithName = holdsName(tool, '$');
  return (name) => /^\S{1,200}$/.test(name) && endsWithName(name);
};

/**
 * Whether calls of a tool may be calls of another one: its name says that it calls others, or its schema has a place for the
 * name of the other.
 * @param contract of the first tool; if unknown, only its name decides
 */
export const mayCarry = (name: string, contract: Contract | undefined, tool: string): boolean => {
  const callsOthers = wordsOf(name).some((word) => CALLS_OTHERS.has(word));
  if (contract === undefined) return callsOthers;
  const { inputSchema } = contract;
  const holds = holdsName(tool);
  const says = (schema: unknown, key: string, inList: boolean): boolean => {
    // A listed value is visited under the key `enum`, as a schema is under its parameter's name.
    if (typeof schema === 'string') return (key === 'enum' || key === 'const') && holds(schema);
    const name = plain(key);
    const isNamed = NAMES_A_TOOL.test(name) || (inList && /^(?:name|id|items)$/.test(name));
    return (isNamed || (callsOthers && HOLDS_ANYTHING.test(name))) && takesAnyText(schema, inputSchema);
  };
  const followed = new Set<string>();
  // What a list refers to stands elsewhere, where nothing shows that it is in a list.
  const referred = (schema: object): unknown => {
    const { $ref } = schema as { $ref?: unknown };
    if (typeof $ref !== 'string' || followed.has($ref)) return undefined;
    followed.add($ref);
    return targetOf($ref, inputSchema);
  };
  return some(inputSchema, says, referred);
};

/** Visits the arguments of a call, and texts in them that are JSON, which may spell a name with escapes. */
const someArgument = (args: unknown, says: (value: unknown, key: string) => boolean, depth = 0): boolean =>
  some(args, (value, key) => {
    if (says(value, key)) return true;
    if (typeof value !== 'string' || depth === MOST_TEXTS || !/^\s*[[{"]/.test(value)) return false;
    const inner = parsedJson(value);
    return inner !== undefined && someArgument(inner, says, depth + 1);
  });

/** Whether the arguments of a call name a tool anywhere: as a value, a key, or a word of a text. */
export const mentions = (args: Json, tool: string): boolean => {
  const holds = holdsName(tool);
  return someArgument(args, (value, key) => holds(key) || (typeof value === 'string' && holds(value)));
};

/** Whether a value in the arguments of a call is the name of a tool, or a text that names it where tools are named. */
export const givesName = (args: Json, tool: string): boolean => {
  const [means, holds] = [meansTool(tool), holdsName(tool)];
  return someArgument(
    args,
    (value, key) => typeof value === 'string' && (means(value) || (NAMES_A_TOOL.test(plain(key)) && holds(value))),
  );
};
