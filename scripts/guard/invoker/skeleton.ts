import { DEEPEST_ARGUMENTS, isDeeper } from '../../contract/depth.ts';
import { typeText } from '../../contract/signature.ts';
import { type Contract, isObject, type Json, type JsonObject, own } from '../../contract/types.ts';
import { type Invalid, validateArguments } from '../../contract/validate.ts';
import { quoteName } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import { PLACEHOLDER } from '../input.ts';
import { PLAIN_PARAMETER } from '../plain-parameter.ts';

const DEEPEST = 3;

const propertiesOf = (schema: Json | undefined): Record<string, unknown> => {
  const properties = own(schema, 'properties');
  return isObject(properties) ? properties : {};
};

const requiredOf = (schema: Json | undefined): string[] => {
  const required = own(schema, 'required');
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : [];
};

/** A placeholder that cannot be mistaken for a real value. */
const placeholder = (schema: Json | undefined, root: Json, depth = 0): Json => {
  const type = own(schema, 'type');
  if (depth < DEEPEST && type === 'array') return [placeholder(own(schema, 'items'), root, depth + 1)];
  if (depth < DEEPEST && type === 'object' && Object.keys(propertiesOf(schema)).length > 0) {
    const names = requiredOf(schema);
    return Object.fromEntries(
      names.map((name) => [name, placeholder(own(propertiesOf(schema), name), root, depth + 1)]),
    );
  }
  return `${PLACEHOLDER}${typeText(schema, root, 1)}>`;
};

const namesIn = (value: Json): string[] => {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inside]) => [name, ...namesIn(inside as Json)]);
};

/**
 * Arguments with everything that a tool requires: given values if they are valid, else placeholders. Undefined if a
 * server's names are not plain enough to be shown in a call, or the arguments are nested too deeply.
 */
export const fillIn = ({ inputSchema }: Contract, given: JsonObject): JsonObject | undefined => {
  if (isDeeper(given, DEEPEST_ARGUMENTS)) return undefined;
  const properties = propertiesOf(inputSchema);
  const found = validateArguments(inputSchema, given);
  const wrong = new Set(found.valid === false ? found.errors.map(({ parameter }) => parameter) : []);
  const isPlaceholder = (name: string): boolean => placeholders({ [name]: given[name] as Json }).length > 0;
  const fitting = Object.entries(given).filter(([name]) => !wrong.has(name) && !isPlaceholder(name));
  const known = Object.keys(given).filter((name) => Object.hasOwn(properties, name));
  const wanted = [...new Set([...requiredOf(inputSchema), ...known])];
  const missing = wanted
    .filter((name) => !fitting.some(([fits]) => fits === name))
    .map((name) => [name, placeholder(own(properties, name), inputSchema)] as const);
  if (missing.some(([name, value]) => [name, ...namesIn(value)].some((one) => !PLAIN_PARAMETER.test(one))))
    return undefined;
  const filled: JsonObject = Object.fromEntries([...missing, ...fitting]);
  // In the order of the signature: what is required comes first.
  return Object.fromEntries(
    [...wanted, ...Object.keys(filled)]
      .filter((name) => Object.hasOwn(filled, name))
      .map((name) => [name, filled[name] as Json]),
  );
};

const holdsPlaceholder = (value: Json): boolean => {
  const open: Json[] = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one === 'string' && one.startsWith(PLACEHOLDER) && one.endsWith('>')) return true;
    if (typeof one === 'object' && one !== null) for (const member of Object.values(one)) open.push(member);
  }
  return false;
};

/** Errors for arguments that still hold placeholders: a skeleton that was sent unchanged can be valid by its schema. */
export const placeholders = (args: JsonObject): Invalid[] =>
  Object.entries(args)
    .filter(([, value]) => holdsPlaceholder(value))
    .slice(0, 5)
    .map(([name]) => ({ parameter: name, text: say`${quoteName(name)} is still a placeholder` }));
