import {
  type AstNode,
  type AstRule,
  argumentsOf,
  type Code,
  callee,
  hasKey,
  keyName,
  kinds,
  lastName,
  lengthOf,
  literal,
  parts,
  property,
  unwrap,
} from '../code.ts';
import type { Shape } from '../types.ts';
import { objectShape, type ShownShape, zodShape } from './zod-shape.ts';

const BRANCHES = ['allOf', 'anyOf', 'enum', 'oneOf'];

const isJsonSchema = (node: AstNode): boolean =>
  literal(property(node, 'type')) === 'object' || property(node, 'properties')?.kind() === 'object';

/** Whether `type` allows other values than texts; null, in a list, is none of them. */
const isOtherType = (type: AstNode): boolean => {
  const bare = unwrap(type);
  const isList = bare.kind() === 'array';
  const types = (isList ? parts(bare) : [bare]).map((one) => literal(one) ?? 'string');
  return types.some((one) => one !== 'string' && !(isList && one === 'null'));
};

/** Whether something below a node says that it is no plain text. @param root what says that the whole is an object */
const isStructured = (code: Code, node: AstNode, root?: AstNode): boolean =>
  code.all(kinds('pair'), node).some((pair) => {
    const value = pair.field('value');
    const key = keyName(pair.field('key'));
    if (!value || value.id() === root?.id()) return false;
    // A parameter may be called `type` or `enum`: then the value is a schema, not a string or list.
    if (key === 'type') return isOtherType(value);
    return key !== undefined && BRANCHES.includes(key) && unwrap(value).kind() === 'array';
  });

/** The shape of what stands behind `properties`, where its parts may have names. */
const propertiesShape = (code: Code, given: AstNode | undefined, depth = 0): ShownShape => {
  const properties = code.follow(given);
  if (properties?.kind() !== 'object' || depth > 4) return 'unknown';
  if (isStructured(code, properties)) return 'structured';
  const shapes = parts(properties).map((part): ShownShape => {
    if (part.kind() === 'spread_element') return propertiesShape(code, parts(part)[0], depth + 1);
    const value = code.follow(part.field('value') ?? part);
    if (value?.kind() !== 'object') return 'unknown';
    return isStructured(code, value) ? 'structured' : 'flat';
  });
  return shapes.find((shape) => shape === 'structured') ?? shapes.find((shape) => shape === 'unknown') ?? 'flat';
};

const jsonSchemaShape = (code: Code, node: AstNode): ShownShape => {
  if (isStructured(code, node, property(node, 'type'))) return 'structured';
  const properties = property(node, 'properties');
  return properties ? propertiesShape(code, properties) : 'flat';
};

/** Whether a tool's input is more than plain strings, as far as its schema is in this file. */
export const shapeOf = (code: Code, schema: AstNode | undefined, depth = 0): Shape => {
  if (!schema || depth > 4) return 'unknown';
  const bare = unwrap(schema);
  const found = code.follow(bare);
  if (!found) {
    const isShape = bare.kind() === 'member_expression' && lastName(bare) === 'shape';
    if (isShape) return shapeOf(code, bare.field('object') ?? undefined, depth + 1);
    return bare.kind() === 'member_expression' ? 'unknown' : { ref: bare.text() };
  }
  if (found.kind() === 'object') return isJsonSchema(found) ? jsonSchemaShape(code, found) : zodShape(code, found);
  if (found.kind() !== 'call_expression') return 'unknown';
  // `zodToJsonSchema(Schema)`, `z.toJSONSchema(Schema)`
  if (/json_?schema/i.test(callee(found).name)) return shapeOf(code, argumentsOf(found)[0], depth + 1);
  return zodShape(code, found);
};

const DECLARED: AstRule = {
  kind: 'variable_declarator',
  has: {
    field: 'value',
    any: [
      { kind: 'call_expression' },
      { kind: 'object', all: [hasKey('type'), hasKey('properties')] },
      { kind: 'object', has: { kind: 'pair', has: { field: 'value', kind: 'call_expression', regex: '^z(od)?\\.' } } },
    ],
  },
};

/** The shape of a value that looks like a Zod schema or JSON Schema; no other call, and nothing very long, has one. */
const declaredShape = (code: Code, value: AstNode | null): Shape | undefined => {
  if (value === null || lengthOf(value) >= 20_000) return undefined;
  return value.kind() === 'object' || /^z(od)?\./.test(value.text()) ? shapeOf(code, value) : objectShape(code, value);
};

/** The shapes of the schemas that this file declares, for files that refer to them. */
export const declaredShapes = (code: Code): [name: string, shape: Shape][] =>
  code
    .all(DECLARED)
    .map((node) => [node.field('name')?.text() ?? '', declaredShape(code, node.field('value'))] as const)
    .filter((one): one is [string, Shape] => one[1] === 'flat' || one[1] === 'structured');
