// JSON Schemas from the schemas of any library, without depending on any.
import { pointer } from '../contract/json-pointer.ts';
import { isObject, type Json, type JsonObject } from '../contract/types.ts';
import { DefinitionError } from './errors.ts';
import type { ToJsonSchema } from './gateway.d.ts';

type SchemaSide = 'input' | 'output';
type Say = (options: { target?: string; io?: SchemaSide }) => unknown;
/** The members of a library's schema that can give JSON Schema; ArkType's schemas are functions. */
interface KitSayable {
  '~standard'?: { jsonSchema?: Partial<Record<SchemaSide, Say>> };
  toJSONSchema?: Say;
}

const isOfLibrary = (schema: unknown): schema is KitSayable & object =>
  ((typeof schema === 'object' && schema !== null) || typeof schema === 'function') &&
  ('~standard' in schema || '_def' in schema || '_zod' in schema || 'toJSONSchema' in schema);

/** Whether this is a shape, `{city: z.string()}`: as a JSON Schema it would have the keyword `city`, and allow anything. */
const isShape = (schema: unknown): boolean => isObject(schema) && Object.values(schema).some(isOfLibrary);

const say = (schema: KitSayable & object, io: SchemaSide, toJsonSchema: ToJsonSchema | undefined): unknown => {
  if (toJsonSchema) return toJsonSchema(schema as never, { io });
  const standard = schema['~standard']?.jsonSchema;
  if (standard?.[io]) return standard[io]({ target: 'draft-2020-12' });
  if (schema.toJSONSchema) return schema.toJSONSchema({ io });
  throw new Error('cannot say its JSON Schema: give the option toJsonSchema (z.toJSONSchema, zodToJsonSchema)');
};

/** The value as pure JSON, as it would be sent, without what a library adds to its schemas. @throws DefinitionError */
export const toJson = (value: unknown, path: string): Json => {
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null') as Json;
  } catch (error) {
    throw new DefinitionError(path, `is not JSON: ${(error as Error).message.split('\n')[0]}`);
  }
};

const SCHEMA_KEYS = ['schema', 'inputSchema', 'input_schema'];

/** Branches as they are served: names stay, and what a branch takes becomes a JSON Schema. */
export const toBranches = (branches: unknown, toJsonSchema: ToJsonSchema | undefined, path: string): Json => {
  const inside = (branch: unknown, at: string, isMapped: boolean): Json => {
    if (isMapped && isOfLibrary(branch)) return toSchema(branch, 'input', toJsonSchema, at);
    if (!isObject(branch)) return toJson(branch, at);
    const key = SCHEMA_KEYS.find((one) => branch[one] !== undefined);
    if (key === undefined) return toJson(branch, at);
    const { [key]: schema, ...rest } = branch;
    return { ...(toJson(rest, at) as JsonObject), schema: toSchema(schema, 'input', toJsonSchema, `${at}/${key}`) };
  };
  if (Array.isArray(branches)) return branches.map((branch, index) => inside(branch, `${path}/${index}`, false));
  if (!isObject(branches)) return toJson(branches, path);
  return Object.fromEntries(
    Object.entries(branches).map(([name, branch]) => [name, inside(branch, `${path}${pointer(name)}`, true)]),
  );
};

/** The JSON Schema of any schema. @throws DefinitionError if there is no way to get it */
export const toSchema = (
  schema: unknown,
  io: SchemaSide,
  toJsonSchema: ToJsonSchema | undefined,
  path: string,
): Json => {
  if (isShape(schema)) throw new DefinitionError(path, 'is a shape, not a schema: put it into z.object()');
  if (!isOfLibrary(schema)) return toJson(schema, path);
  let said: unknown;
  try {
    said = say(schema, io, toJsonSchema);
  } catch (error) {
    throw new DefinitionError(path, error instanceof Error ? error.message : String(error));
  }
  return toJson(said, path);
};
