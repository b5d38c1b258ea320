import { plainName, quoteValue } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { shorten } from '../text/visible.ts';
import { type Contract, isObject, type Json, own } from './types.ts';

const MOST_PARAMETERS = 30;
const MOST_VALUES = 6;
const LONGEST = 800;

const KNOWN_TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] as const;
type KnownType = (typeof KNOWN_TYPES)[number];

/**
 * A schema as a short type, such as `string` or `"a" | "b"`: names, types and enum values, none of the server's prose.
 * @param depth how many levels of unions, arrays and objects are spelled out
 */
export const typeText = (schema: Json | undefined, depth: number): Shown => {
  if (!isObject(schema)) return say`any`;
  const values = own(schema, 'enum');
  if (Array.isArray(values)) {
    const shown = values.slice(0, MOST_VALUES).map((value) => quoteValue(value, 40));
    const more = values.length > MOST_VALUES ? [say`… ${values.length - MOST_VALUES} more`] : [];
    return joined([...shown, ...more], ' | ');
  }
  const constant = own(schema, 'const');
  if (constant !== undefined) return quoteValue(constant, 40);
  const union = own(schema, 'anyOf') ?? own(schema, 'oneOf');
  if (Array.isArray(union) && depth > 0) {
    return joined(
      union.slice(0, MOST_VALUES).map((branch) => typeText(branch, depth - 1)),
      ' | ',
    );
  }
  const type = own(schema, 'type');
  const listed = Array.isArray(type) ? type : [type];
  const types = [...new Set(listed.filter((name): name is KnownType => KNOWN_TYPES.includes(name as KnownType)))];
  return types.length === 0
    ? say`any`
    : joined(
        types.map((name) => oneType(name, schema, depth)),
        ' | ',
      );
};

const oneType = (name: KnownType, schema: unknown, depth: number): Shown => {
  if (name === 'array' && depth > 0) {
    const items = typeText(own(schema, 'items'), depth - 1);
    return items.includes(' | ') ? say`(${items})[]` : say`${items}[]`;
  }
  if (name === 'object' && depth > 0 && isObject(own(schema, 'properties')))
    return say`{ ${parameters(schema, depth - 1)} }`;
  return say`${name}`;
};

const parameters = (schema: unknown, depth: number): Shown => {
  const properties = own(schema, 'properties');
  const required = own(schema, 'required');
  const must = new Set(Array.isArray(required) ? required : []);
  const names = isObject(properties) ? Object.keys(properties) : [];
  const ordered = [...names.filter((name) => must.has(name)), ...names.filter((name) => !must.has(name))];
  const shown = ordered
    .slice(0, MOST_PARAMETERS)
    .map((name) => say`${plainName(name)}${must.has(name) ? '' : '?'}: ${typeText(own(properties, name), depth)}`);
  if (names.length > MOST_PARAMETERS) shown.push(say`… ${names.length - MOST_PARAMETERS} more`);
  return joined(shown, ', ');
};

/** How the tool is called, on one bounded line: `get_page(url: string, format?: "markdown")`. */
export const signature = (contract: Contract): Shown => {
  const given = contract.schemaless ? say`…` : parameters(contract.inputSchema, 2);
  const text = say`${plainName(contract.name)}(${given})`;
  return shorten(text, LONGEST);
};
