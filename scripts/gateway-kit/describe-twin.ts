import { branchesOf as listedBranches } from '../contract/branches.ts';
import { defined } from '../contract/defined.ts';
import { propertiesOf, requiredOf } from '../contract/object-schema.ts';
import { signature } from '../contract/signature.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { validateArguments } from '../contract/validate.ts';
import { quoteName, quoteValue } from '../text/quote.ts';
import { shorten } from '../text/visible.ts';
import { DefinitionError, PayloadError } from './errors.ts';
import { exampleFor } from './example.ts';
import type * as Kit from './gateway.d.ts';
import { parsePayload } from './payload.ts';
import { branchesOf, flatten } from './resolve.ts';
import { toBranches, toJson, toSchema } from './schema.ts';

/** Longest description, in UTF-16 units: clients cut longer ones. */
const LONGEST = 4_096;
/** How much of each field's description is tried, in UTF-16 units; the first one that fits is used. */
const PROSE = [200, 80, 0];
const DEEPEST = 3;

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Why a text is not an example payload of a tool with this input schema; undefined if it is one. */
export const wrongWith = (payload: string, inputSchema: Json): string | undefined => {
  try {
    const { valid, ...more } = validateArguments(inputSchema, parsePayload(payload));
    if (valid === true) return undefined;
    return 'errors' in more ? more.errors.map(({ text }) => text).join('; ') : (more as { why: string }).why;
  } catch (error) {
    if (error instanceof PayloadError) return error.message;
    throw error;
  }
};

/** One field as a line: `- title: string — what the tool says about it`. */
const field = (name: string, schema: Json, root: Json, prose: number): string => {
  const flat = flatten(schema, root);
  const inputSchema = { properties: Object.fromEntries([[name, flat]]), required: [name] };
  const typed = signature({ name: 'f', inputSchema }).slice('f('.length, -1);
  const said = own(flat, 'description');
  const about = typeof said === 'string' && prose > 0 ? ` — ${shorten(oneLine(said), prose)}` : '';
  return `- ${typed}${about}`;
};

const fields = (schema: JsonObject, root: Json, prose: number): string[] => {
  const must = requiredOf(schema);
  const lines = (wanted: boolean) =>
    Object.entries(propertiesOf(schema))
      .filter(([name]) => must.includes(name) === wanted)
      .map(([name, value]) => field(name, value, root, prose));
  const listed = (title: string, all: string[]): string[] => (all.length === 0 ? [] : [`${title}:`, ...all]);
  return [...listed('Required', lines(true)), ...listed('Optional', lines(false))];
};

/** What distinguishes a branch from the others: `kind = "note"`. */
const label = (branch: JsonObject, index: number): string => {
  for (const [name, schema] of Object.entries(propertiesOf(branch))) {
    const values = own(schema, 'enum');
    const only = own(schema, 'const') ?? (Array.isArray(values) && values.length === 1 ? values[0] : undefined);
    if (only !== undefined) return `${quoteName(name)} = ${quoteValue(only, 40)}`;
  }
  const title = own(branch, 'title');
  return typeof title === 'string' ? quoteName(title) : String(index + 1);
};

/** All unions of objects, at any place: lines for each branch. */
const unions = (schema: Json, root: Json, place: string, prose: number, depth = 0): string[] => {
  if (depth > DEEPEST) return [];
  const flat = flatten(schema, root);
  const branches = branchesOf(flat, root).filter((branch) => Object.keys(propertiesOf(branch)).length > 0);
  const here = branches.map((branch, index) => {
    const lines = fields(branch, root, prose).map((line) => `  ${line}`);
    return [`Branch ${label(branch, index)}${place && ` of ${place}`}:`, ...lines].join('\n');
  });
  const inside = (name: string) => (place === '' ? name : `${place}.${name}`);
  const below = [flat, ...branches].flatMap((schema) => Object.entries(propertiesOf(schema)));
  const items = own(flat, 'items');
  return [
    ...here,
    ...below.flatMap(([name, value]) => unions(value, root, inside(name), prose, depth + 1)),
    ...(isObject(items) ? unions(items as Json, root, `${place}[]`, prose, depth + 1) : []),
  ];
};

/** Every branch that is listed next to the schema, with what it takes if that is listed, too. */
const listed = (branches: Json | undefined, prose: number): string[] =>
  listedBranches(branches === undefined ? {} : { branches }).flatMap(({ name, schema }) => {
    if (name === undefined) return [];
    const lines = isObject(schema) ? fields(flatten(schema as Json, schema as Json), schema as Json, prose) : [];
    return [`Branch ${quoteName(name)}${lines.length > 0 ? ':' : ''}`, ...lines.map((line) => `  ${line}`)].join('\n');
  });

const write = (
  name: string,
  schema: Json,
  branches: Json | undefined,
  example: string | undefined,
  prose: number,
): string => {
  const flat = flatten(schema, schema);
  return [
    `The same as ${quoteName(name)}, with all its arguments as the JSON text of one object, payload. Every field in it ` +
      'reaches the server, newer ones too, and the server checks them.',
    // Before parts that may be long, so that a client that cuts the description keeps it.
    ...(example === undefined ? [] : [`Example payload: ${example}`]),
    ...fields(flat, schema, prose),
    ...new Set(unions(schema, schema, '', prose)),
    ...listed(branches, prose),
  ].join('\n');
};

/** An example; undefined if none could be made. @throws DefinitionError if the given one is not valid */
const exampleText = (tool: Kit.ToolDefinition, schema: Json, given: object | undefined): string | undefined => {
  if (given === undefined) {
    const made = exampleFor(schema);
    return made && JSON.stringify(made);
  }
  const text = JSON.stringify(toJson(given, '/example'));
  const wrong = wrongWith(text, schema);
  if (wrong !== undefined) throw new DefinitionError('/example', `is not valid for ${quoteName(tool.name)}: ${wrong}`);
  return text;
};

/** The definition of a tool's twin, and the example in it; undefined if none could be made. */
export const twinWithExample = (
  tool: Kit.ToolDefinition,
  { toJsonSchema, example }: Kit.TwinDescriptionOptions,
): { definition: Kit.TwinDefinition; shown: string | undefined } => {
  if (typeof tool.name !== 'string' || tool.name === '') throw new DefinitionError('/name', 'must be a text');
  const schema = toSchema(tool.inputSchema, 'input', toJsonSchema, '/inputSchema');
  const shown = exampleText(tool, schema, example);
  const branches = tool.branches === undefined ? undefined : toBranches(tool.branches, toJsonSchema, '/branches');
  const texts = PROSE.map((prose) => write(tool.name, schema, branches, shown, prose));
  const definition: Kit.TwinDefinition = {
    name: `${tool.name}_raw`,
    ...(tool.title === undefined ? {} : { title: `${tool.title} (raw)` }),
    description: texts.find((text) => text.length <= LONGEST) ?? (texts.at(-1) as string),
    inputSchema: {
      type: 'object',
      properties: { payload: { type: 'string' } },
      required: ['payload'],
      additionalProperties: false,
    },
    ...defined({ annotations: tool.annotations, branches: branches as Kit.Branches | undefined }),
  };
  return { definition, shown };
};

/** Without an example if none can be made: one tool must not take the endpoint down for all others. */
export const describeTwin: typeof Kit.describeTwin = (tool, options = {}) => twinWithExample(tool, options).definition;
