import { plainName, quoteText, quoteValue } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { shorten } from '../text/visible.ts';
import { asOneDocument, targetOf } from './references.ts';
import { type Contract, isObject, type Json, type JsonObject, own } from './types.ts';

const MOST_PARAMETERS = 30;
const MOST_VALUES = 6;
const MOST_ELEMENTS = 6;
const LONGEST = 800;

const KNOWN_TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] as const;
type KnownType = (typeof KNOWN_TYPES)[number];

/** A schema with everything that also holds for its value: what it refers to, and all of its `allOf`. */
const opened = (schema: Json | undefined, root: Json): JsonObject[] => {
  const found = new Set<JsonObject>();
  const open = [schema];
  while (open.length > 0) {
    const one = open.shift() as JsonObject;
    if (!isObject(one) || found.has(one)) continue;
    found.add(one);
    const [all, reference] = [own(one, 'allOf'), own(one, '$ref')];
    if (typeof reference === 'string') open.push(targetOf(reference, root));
    if (Array.isArray(all)) open.push(...all);
  }
  return [...found];
};

const first = (schemas: JsonObject[], keyword: string): Json | undefined =>
  schemas.map((schema) => own(schema, keyword)).find((value) => value !== undefined);

const unionsOf = (schemas: JsonObject[]): Json[][] =>
  schemas.flatMap((schema) =>
    ['anyOf', 'oneOf'].map((keyword) => own(schema, keyword)).filter((union) => Array.isArray(union)),
  );

const unionText = (branches: Json[], text: (branch: Json) => Shown): Shown => {
  const shown = [...new Set(branches.slice(0, MOST_VALUES).map(text))];
  if (branches.length > MOST_VALUES) shown.push(say`… ${branches.length - MOST_VALUES} more`);
  return joined(shown, ' | ');
};

/** The state of writing: the schema that references are relative to, and how many more types may be written. */
interface Writing {
  root: Json;
  left: number;
}

/** Whether a schema says, as libraries write it, that it takes no value. */
const takesNothing = (schema: JsonObject): boolean => {
  const [values, negated] = [own(schema, 'enum'), own(schema, 'not')];
  const isAll = negated === true || (isObject(negated) && Object.keys(negated).length === 0);
  return isAll || (Array.isArray(values) && values.length === 0);
};

const typeOf = (schema: Json | undefined, writing: Writing, depth: number, unions = DEEPEST_FORMS): Shown => {
  if (--writing.left < 0) return say`…`;
  const { root } = writing;
  const schemas = opened(schema, root);
  if (schema === false || schemas.some(takesNothing)) return say`never`;
  const values = first(schemas, 'enum');
  if (Array.isArray(values)) return unionText(values, (value) => quoteValue(value, 40));
  const constant = first(schemas, 'const');
  if (constant !== undefined) return quoteValue(constant, 40);
  const fields = fieldsOf(schemas, root);
  const [union] = unionsOf(schemas);
  const stated = first(schemas, 'type');
  if (union !== undefined && depth > 0 && unions > 0 && fields.size === 0) {
    // The fields of the forms stand as deep as those of an object would.
    const text = unionText(union, (branch) => typeOf(branch, writing, Math.max(depth - 1, 1), unions - 1));
    // Forms that only limit a value say less than its type.
    if (text !== 'any' || stated === undefined) return text;
  }
  const type = stated ?? (fields.size > 0 ? 'object' : undefined);
  const listed = Array.isArray(type) ? type : [type];
  const types = [...new Set(listed.filter((name): name is KnownType => KNOWN_TYPES.includes(name as KnownType)))];
  return types.length === 0
    ? say`any`
    : joined(
        types.map((name) => oneType(name, schemas, writing, depth)),
        ' | ',
      );
};

/** A list whose first elements have a schema each. */
const tupleText = (tuple: readonly Json[], schemas: JsonObject[], writing: Writing, depth: number): Shown => {
  const shown = tuple.slice(0, MOST_ELEMENTS).map((element) => typeOf(element, writing, depth));
  const most = first(schemas, 'maxItems');
  const isWhole =
    tuple.length <= MOST_ELEMENTS &&
    ((typeof most === 'number' && most <= tuple.length) ||
      [first(schemas, 'items'), first(schemas, 'additionalItems')].includes(false));
  return say`[${joined(isWhole ? shown : [...shown, say`…`], ', ')}]`;
};

const oneType = (name: KnownType, schemas: JsonObject[], writing: Writing, depth: number): Shown => {
  if (name === 'array' && depth > 0) {
    const tuple = [first(schemas, 'prefixItems'), first(schemas, 'items')].find(Array.isArray) as Json[] | undefined;
    if (tuple !== undefined && tuple.length > 0) return tupleText(tuple, schemas, writing, depth - 1);
    const items = typeOf(first(schemas, 'items'), writing, depth - 1);
    return items.includes(' | ') ? say`(${items})[]` : say`${items}[]`;
  }
  if (name === 'object' && depth > 0) {
    const fields = fieldsOf(schemas, writing.root);
    if (fields.size > 0 || first(schemas, 'properties') !== undefined) return objectText(schemas, writing, depth - 1);
  }
  return say`${name}`;
};

interface SignatureField {
  name: Shown;
  schema: Json | undefined;
  required: boolean;
}

const entriesAt = (schema: JsonObject, keyword: string): [string, Json][] => {
  const map = own(schema, keyword);
  return isObject(map) ? Object.entries(map as JsonObject) : [];
};

/** The schemas that hold only under a condition. */
const conditionalIn = (schema: JsonObject, root: Json): JsonObject[] => {
  const dependent = entriesAt(schema, 'dependentSchemas').map(([, one]) => one);
  return [own(schema, 'then'), own(schema, 'else'), ...dependent].flatMap((one) => opened(one, root));
};

/** The fields of an object that are not named one by one, each under a key that no name is likely to have. */
const unnamedFields = (schema: JsonObject): [string, SignatureField][] => {
  const patterns = entriesAt(schema, 'patternProperties').map(([pattern, one]): [string, SignatureField] => [
    `~${pattern}`,
    { name: say`[${quoteText(pattern, 40)}]`, schema: one, required: false },
  ]);
  const rest = own(schema, 'additionalProperties') ?? own(schema, 'unevaluatedProperties');
  if (!isObject(rest) || Object.keys(rest).length === 0) return patterns;
  return [...patterns, ['~', { name: say`[any name]`, schema: rest as JsonObject, required: false }]];
};

/** The fields of objects, by name; those from `then` and similar keywords are optional. */
const fieldsOf = (
  schemas: JsonObject[],
  root: Json,
  outer?: ReadonlyMap<string, SignatureField>,
): Map<string, SignatureField> => {
  const fields = new Map<string, SignatureField>();
  const listed = schemas.flatMap((schema) => own(schema, 'required')).filter((name) => typeof name === 'string');
  const must = new Set(listed as string[]);
  const addNamed = (some: JsonObject[]): void => {
    for (const [name, schema] of some.flatMap((one) => entriesAt(one, 'properties')))
      if (!fields.has(name)) fields.set(name, { name: plainName(name), schema, required: must.has(name) });
  };
  addNamed(schemas);
  for (const schema of schemas) {
    addNamed(conditionalIn(schema, root));
    for (const [key, field] of unnamedFields(schema)) fields.set(key, field);
  }
  const rest = first(schemas, 'additionalProperties');
  for (const name of must)
    if (!fields.has(name))
      fields.set(name, {
        name: plainName(name),
        schema: isObject(rest) ? rest : undefined,
        ...outer?.get(name),
        required: true,
      });
  return fields;
};

const fieldList = (fields: ReadonlyMap<string, SignatureField>, writing: Writing, depth: number): Shown => {
  const all = [...fields.values()];
  const ordered = [...all.filter(({ required }) => required), ...all.filter(({ required }) => !required)];
  const shown = ordered
    .slice(0, MOST_PARAMETERS)
    .map(({ name, schema, required }) => say`${name}${required ? '' : '?'}: ${typeOf(schema, writing, depth)}`);
  if (all.length > MOST_PARAMETERS) shown.push(say`… ${all.length - MOST_PARAMETERS} more`);
  return joined(shown, ', ');
};

/** One text per group of forms: an object has a form of each group. Groups that name no fields are left out. */
const formsOf = (
  schemas: JsonObject[],
  writing: Writing,
  depth: number,
  fields: ReadonlyMap<string, SignatureField>,
  left = DEEPEST_FORMS,
): Shown[] =>
  unionsOf(schemas).flatMap((union) => {
    const holds = (branch: Json): boolean =>
      fieldsOf(opened(branch, writing.root), writing.root, fields).size > 0 ||
      unionsOf(opened(branch, writing.root)).length > 0;
    if (left === 0 || !union.some(holds)) return [];
    return [
      unionText(union, (branch) =>
        objectText(opened(branch, writing.root), writing, Math.max(depth - 1, 0), fields, left - 1),
      ),
    ];
  });

const objectText = (
  schemas: JsonObject[],
  writing: Writing,
  depth: number,
  outer?: ReadonlyMap<string, SignatureField>,
  left?: number,
): Shown => {
  const fields = fieldsOf(schemas, writing.root, outer);
  const forms = formsOf(schemas, writing, depth, fields, left);
  const named = fields.size > 0 ? [say`{ ${fieldList(fields, writing, depth)} }`] : [];
  const all = [
    ...named,
    ...forms.map((form) => (form.includes(' | ') && named.length + forms.length > 1 ? say`(${form})` : form)),
  ];
  return all.length > 0 ? joined(all, ' & ') : say`{}`;
};

/** How deep forms of forms are opened. */
const DEEPEST_FORMS = 2;

const MOST_TYPES = 500;

/** The type of a schema in a few letters: only names, types and enum values, none of the server's prose. */
export const typeText = (schema: Json | undefined, root: Json, depth: number): Shown =>
  typeOf(schema, { root, left: MOST_TYPES }, depth);

/** The text between the brackets: the parameters, in all their forms if there are several. */
const parameters = (schema: Json, depth: number): Shown => {
  const writing = { root: schema, left: MOST_TYPES };
  const schemas = opened(schema, schema);
  const fields = fieldsOf(schemas, schema);
  return unionsOf(schemas).length > 0 && formsOf(schemas, { ...writing }, 0, fields).length > 0
    ? objectText(schemas, writing, depth)
    : fieldList(fields, writing, depth);
};

/** How to call the tool, on one bounded line: `get_page(url: string, format?: "markdown")`. */
export const signature = (contract: Contract): Shown => {
  const given = contract.schemaless ? say`…` : parameters(asOneDocument(contract.inputSchema), 2);
  const text = say`${plainName(contract.name)}(${given})`;
  return shorten(text, LONGEST);
};
