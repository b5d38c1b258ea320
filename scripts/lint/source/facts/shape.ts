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

/** Matches Zod's names for everything but plain strings. */
const STRUCTURED =
  /^(any|array|bigint|boolean|coerce|date|discriminatedUnion|enum|int|int32|lazy|literal|map|nativeEnum|number|object|strictObject|looseObject|record|set|tuple|union|unknown|or|and|intersection)$/;
const OBJECTS = /^(object|strictObject|looseObject)$/;
const BRANCHES = ['allOf', 'anyOf', 'enum', 'oneOf'];

const zodShape = (code: Code, node: AstNode, isRoot: boolean): Shape => {
  let objects = 0;
  let texts = 0;
  for (const call of code.all(kinds('call_expression'), node)) {
    const { name, object } = callee(call);
    if (name === 'string') texts++;
    // In `z.coerce.number()`, `coerce` is not a call; `number` is enough.
    if (!object || !STRUCTURED.test(name)) continue;
    if (!OBJECTS.test(name)) return 'structured';
    objects++;
    if (objects > (isRoot ? 1 : 0)) return 'structured';
  }
  return texts > 0 || objects > 0 ? 'flat' : 'unknown';
};

const isJsonSchema = (node: AstNode): boolean =>
  literal(property(node, 'type')) === 'object' || property(node, 'properties')?.kind() === 'object';

const jsonSchemaShape = (code: Code, node: AstNode): Shape => {
  const root = property(node, 'type');
  for (const pair of code.all(kinds('pair'), node)) {
    const value = pair.field('value');
    const key = keyName(pair.field('key'));
    if (!value || value.id() === root?.id()) continue;
    // A parameter may be called `type` or `enum`: then the value is a schema, not a string or list.
    if (key === 'type' && (literal(value) ?? 'string') !== 'string') return 'structured';
    if (key !== undefined && BRANCHES.includes(key) && unwrap(value).kind() === 'array') return 'structured';
  }
  const properties = property(node, 'properties');
  if (!properties) return 'flat';
  const known = properties.kind() === 'object' && parts(properties).every((part) => part.kind() === 'pair');
  return known ? 'flat' : 'unknown';
};

/** Whether a tool's input is more than plain strings, as far as its schema is in this file. */
export const shapeOf = (code: Code, schema: AstNode | undefined, depth = 0): Shape => {
  if (!schema || depth > 4) return 'unknown';
  const bare = unwrap(schema);
  const kind = bare.kind();
  if (kind === 'identifier') {
    const declared = code.declared(bare.text());
    return declared && declared.id() !== bare.id() ? shapeOf(code, declared, depth + 1) : { ref: bare.text() };
  }
  // `Schema.shape`
  if (kind === 'member_expression') {
    return lastName(bare) === 'shape' ? shapeOf(code, bare.field('object') ?? undefined, depth + 1) : 'unknown';
  }
  if (kind === 'object') return isJsonSchema(bare) ? jsonSchemaShape(code, bare) : zodShape(code, bare, false);
  if (kind !== 'call_expression') return 'unknown';
  // `zodToJsonSchema(Schema)`, `z.toJSONSchema(Schema)`
  if (/json_?schema/i.test(callee(bare).name)) return shapeOf(code, argumentsOf(bare)[0], depth + 1);
  return zodShape(code, bare, true);
};

const DECLARED: AstRule = {
  kind: 'variable_declarator',
  has: {
    field: 'value',
    any: [{ kind: 'call_expression' }, { kind: 'object', all: [hasKey('type'), hasKey('properties')] }],
  },
};

/** Whether a value looks like a Zod schema or JSON Schema; no other call, and nothing very long, counts. */
const isSchema = (value: AstNode | null): boolean =>
  value !== null && lengthOf(value) < 20_000 && (value.kind() === 'object' || /^z(od)?\./.test(value.text()));

/** The shapes of the schemas that this file declares, for files that refer to them. */
export const declaredShapes = (code: Code): [name: string, shape: Shape][] =>
  code
    .all(DECLARED)
    .filter((node) => isSchema(node.field('value')))
    .map((node): [string, Shape] => [node.field('name')?.text() ?? '', shapeOf(code, node.field('value') ?? undefined)])
    .filter(([, shape]) => shape === 'flat' || shape === 'structured');
