import { type Contract, isObject, type Json, own } from '../contract/types.ts';
import { quoteName, quoteValue } from '../text/quote.ts';

const MOST_PARAMETERS = 30;
const MOST_VALUES = 6;
const LONGEST = 800;

const bare = (name: string): string => quoteName(name).replace(/^`|`$/g, '');

const KNOWN_TYPES = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

/** The type of a schema in a few letters: names, types and enum values alone, none of the server's prose. */
export const typeText = (schema: Json | undefined, depth: number): string => {
  if (!isObject(schema)) return 'any';
  const values = own(schema, 'enum');
  if (Array.isArray(values)) {
    const shown = values.slice(0, MOST_VALUES).map((value) => quoteValue(value, 40));
    return [...shown, ...(values.length > MOST_VALUES ? [`… ${values.length - MOST_VALUES} more`] : [])].join(' | ');
  }
  const constant = own(schema, 'const');
  if (constant !== undefined) return quoteValue(constant, 40);
  const union = own(schema, 'anyOf') ?? own(schema, 'oneOf');
  if (Array.isArray(union) && depth > 0) {
    return union
      .slice(0, MOST_VALUES)
      .map((branch) => typeText(branch, depth - 1))
      .join(' | ');
  }
  const type = own(schema, 'type');
  const listed = Array.isArray(type) ? type : [type];
  const types = [
    ...new Set(listed.filter((name): name is string => typeof name === 'string' && KNOWN_TYPES.has(name))),
  ];
  return types.length === 0 ? 'any' : types.map((name) => oneType(name, schema, depth)).join(' | ');
};

const oneType = (name: string, schema: unknown, depth: number): string => {
  if (name === 'array' && depth <= 0) return 'array';
  if (name === 'array') return `${typeText(own(schema, 'items'), depth - 1)}[]`.replace(/^(.* \| .*)\[\]$/, '($1)[]');
  if (name === 'object' && depth > 0 && isObject(own(schema, 'properties')))
    return `{ ${parameters(schema, depth - 1)} }`;
  return name;
};

const parameters = (schema: unknown, depth: number): string => {
  const properties = own(schema, 'properties');
  const required = own(schema, 'required');
  const must = new Set(Array.isArray(required) ? required : []);
  const names = isObject(properties) ? Object.keys(properties) : [];
  const ordered = [...names.filter((name) => must.has(name)), ...names.filter((name) => !must.has(name))];
  const shown = ordered
    .slice(0, MOST_PARAMETERS)
    .map((name) => `${bare(name)}${must.has(name) ? '' : '?'}: ${typeText(own(properties, name), depth)}`);
  if (names.length > MOST_PARAMETERS) shown.push(`… ${names.length - MOST_PARAMETERS} more`);
  return shown.join(', ');
};

/** How the tool is called, on one line: `get_page(url: string, format?: "markdown")`. */
export const signature = (contract: Contract): string => {
  const text = `${bare(contract.name)}(${parameters(contract.inputSchema, 2)})`;
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
};
