// The answer of `GET /api/tools/list`: always the same bytes for the same definitions, checked by the code of our own probe.
import { contractHash, sha256 } from '../contract/canonical.ts';
import { defined } from '../contract/defined.ts';
import { isoTime } from '../contract/iso-date.ts';
import { NotAToolList, parseBounded, readToolList } from '../contract/read.ts';
import type { JsonObject } from '../contract/types.ts';
import { DefinitionError } from './errors.ts';
import type { Definitions, ToJsonSchema, ToolDefinition } from './gateway.d.ts';
import { toBranches, toJson, toSchema } from './schema.ts';

export interface ListAnswer {
  body: string;
  etag: string;
}

const sorted = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1)));

/** A definition as JSON. Its fields are in a fixed order; schemas keep theirs, which is the order of a call's parameters. */
const toolJson = (tool: ToolDefinition, index: number, toJsonSchema: ToJsonSchema | undefined): JsonObject => {
  const path = `/tools/${index}`;
  if (typeof tool !== 'object' || tool === null) throw new DefinitionError(path, 'must be object');
  const { name, title, description, inputSchema, outputSchema, annotations, branches, ...rest } = tool;
  if (inputSchema === undefined) throw new DefinitionError(path, "must have required property 'inputSchema'");
  return {
    ...(toJson({ name, title, description }, path) as JsonObject),
    inputSchema: toSchema(inputSchema, 'input', toJsonSchema, `${path}/inputSchema`),
    ...(outputSchema === undefined
      ? {}
      : { outputSchema: toSchema(outputSchema, 'output', toJsonSchema, `${path}/outputSchema`) }),
    ...sorted({
      ...(toJson({ annotations, ...rest }, path) as JsonObject),
      ...(branches === undefined ? {} : { branches: toBranches(branches, toJsonSchema, `${path}/branches`) }),
    }),
  };
};

/** Definitions as JSON, without hashes. @throws DefinitionError */
export const toList = (definitions: Definitions, toJsonSchema: ToJsonSchema | undefined): JsonObject => {
  const { schemaVersion, ttlMs, tools } = definitions ?? {};
  if (typeof schemaVersion !== 'string' || isoTime(schemaVersion) === undefined)
    throw new DefinitionError('/schemaVersion', 'must be an ISO date, like 2026-04-10');
  if (ttlMs !== undefined && !(Number.isFinite(ttlMs) && ttlMs >= 0))
    throw new DefinitionError('/ttlMs', 'must be >= 0');
  if (!Array.isArray(tools)) throw new DefinitionError('/tools', 'must be array');
  return {
    schema_version: schemaVersion,
    ...defined({ ttlMs }),
    tools: tools.map((tool, index) => toolJson(tool, index, toJsonSchema)),
  };
};

const byName = (one: JsonObject, other: JsonObject): number => ((one.name as string) < (other.name as string) ? -1 : 1);

/** The answer for a list, with hashes. @throws DefinitionError if our probe could not read it */
export const toAnswer = (list: JsonObject): ListAnswer => {
  try {
    const { tools } = readToolList(parseBounded(JSON.stringify(list)));
    const hashes = new Map(tools.map((contract) => [contract.name, contractHash(contract)]));
    const hashed = (list.tools as JsonObject[]).map((tool) => ({
      ...tool,
      hash: hashes.get(tool.name as string) as string,
    }));
    const body = JSON.stringify({ ...list, tools: hashed.sort(byName) });
    return { body, etag: `"${sha256(body)}"` };
  } catch (error) {
    if (error instanceof NotAToolList)
      throw new DefinitionError(error.path, error.message.slice(error.path.length + 2));
    throw error;
  }
};
