import { canonical } from './canonical.ts';
import { pointer } from './json-pointer.ts';
import { type Contract, isObject, type Json, type JsonObject, own } from './types.ts';

/**
 * One of the forms that a tool's input can take, which its server lists next to the input schema: if one schema has the
 * fields of all forms, only the list tells which forms there are.
 */
export interface Branch {
  /** How a call names it; absent if the list does not say. */
  name?: string;
  /** JSON Pointer into the contract. */
  path: string;
  /** What this form takes, and the place of that. */
  schema?: Json;
  schemaPath: string;
  /** What else the list says about it. */
  about: JsonObject;
}

const SCHEMA_KEYS = ['schema', 'inputSchema', 'input_schema'];
const NAME_KEYS = ['name', 'const'];
/** With one of these keywords, the rest is a schema. */
const OF_SCHEMAS = ['properties', '$ref', 'anyOf', 'oneOf', 'allOf'];

const toBranch = (value: Json, path: string, key?: string): Branch => {
  if (!isObject(value)) {
    const name = key ?? (typeof value === 'string' ? value : undefined);
    const schema = key !== undefined && typeof value === 'boolean' ? { schema: value } : {};
    return { ...(name === undefined ? {} : { name }), path, ...schema, schemaPath: path, about: {} };
  }
  const given = value as JsonObject;
  const nameKey = key === undefined ? NAME_KEYS.find((one) => typeof own(given, one) === 'string') : undefined;
  const name = key ?? (nameKey === undefined ? undefined : (given[nameKey] as string));
  const about = Object.fromEntries(Object.entries(given).filter(([one]) => one !== nameKey));
  const named = name === undefined ? {} : { name };
  const schemaKey = SCHEMA_KEYS.find((one) => own(given, one) !== undefined);
  if (schemaKey !== undefined) {
    const { [schemaKey]: schema, ...rest } = about;
    return { ...named, path, schema: schema as Json, schemaPath: `${path}/${schemaKey}`, about: rest };
  }
  if (!OF_SCHEMAS.some((one) => own(given, one) !== undefined)) return { ...named, path, schemaPath: path, about };
  return { ...named, path, schema: about, schemaPath: path, about: {} };
};

/** The branches, in whichever form they are listed: names, objects with names, or a map. */
export const branchesOf = ({ branches }: Pick<Contract, 'branches'>): Branch[] => {
  if (Array.isArray(branches)) return branches.map((value, index) => toBranch(value, `/branches/${index}`));
  if (!isObject(branches)) return [];
  return Object.entries(branches as JsonObject).map(([name, value]) =>
    toBranch(value, `/branches${pointer(name)}`, name),
  );
};

/** What a branch is paired by: its name, or all of it. */
export const branchKey = ({ name, schema, about }: Branch): string =>
  name === undefined ? `=${canonical({ about, schema: schema ?? null })}` : `:${name}`;

/** The same for every form of the list, and every order in it. */
export const meaningOfBranches = (branches: Json, ofSchema: (schema: Json) => Json): Json => {
  const said = branchesOf({ branches }).map(({ name, schema, about }): JsonObject => {
    return {
      ...(name === undefined ? {} : { name }),
      ...(schema === undefined ? {} : { schema: ofSchema(schema) }),
      ...(Object.keys(about).length === 0 ? {} : { about }),
    };
  });
  const keyed = new Map(said.map((branch) => [canonical(branch), branch]));
  return [...keyed.keys()].sort().map((key) => keyed.get(key) as JsonObject);
};
