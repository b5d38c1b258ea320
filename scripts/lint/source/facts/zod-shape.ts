import {
  type AstNode,
  argumentsOf,
  type Code,
  callee,
  FUNCTION,
  isWithin,
  keyName,
  kinds,
  lastName,
  parts,
  unwrap,
} from '../code.ts';
import type { Shape } from '../types.ts';

/** A shape that this file shows. */
export type ShownShape = Exclude<Shape, object>;

/** Matches Zod's names for everything but plain strings. */
const STRUCTURED =
  /^(any|array|bigint|boolean|coerce|date|discriminatedUnion|enum|int|int32|lazy|literal|map|nativeEnum|number|object|strictObject|looseObject|record|set|tuple|union|unknown|or|and|intersection)$/;
const OBJECTS = /^(object|strictObject|looseObject)$/;
/** Methods of an object schema after which it has the same fields. */
const SAME_FIELDS =
  /^(partial|deepPartial|required|strict|strip|passthrough|loose|refine|superRefine|check|describe|meta|brand|readonly|transform|optional|default)$/;
/** Functions that return what a schema in their arguments is. */
const AROUND = /^(optional|nullable|nullish|readonly|default|preprocess|pipe)$/;

/** More parts than those of a real schema are not looked at. */
const MOST_PARTS = 2_000;
const MOST_STEPS = 30;

/** SchemaFields by their names; undefined for one whose schema is not in this file. `isWhole`: there are no others. */
interface SchemaFields {
  named: Map<string, AstNode | undefined>;
  isWhole: boolean;
}

/** `z.string().date()` and `z.iso.date()` are texts. */
const isTextDate = (object: AstNode): boolean => object.kind() === 'call_expression' || lastName(object) === 'iso';

const isStructuredCall = (call: AstNode): boolean => {
  const { name, object } = callee(call);
  // In `z.coerce.number()`, `coerce` is not a call; `number` is enough.
  return object !== undefined && STRUCTURED.test(name) && !(name === 'date' && isTextDate(object));
};

/** Reads what the input of a tool is from a schema of Zod, through the names of this file. */
class ZodShapes {
  #left = MOST_PARTS;

  constructor(private readonly code: Code) {}

  /** The shape of an object with these fields. */
  ofFields({ named, isWhole }: SchemaFields): ShownShape {
    const shapes = [...named.values()].map((field) => this.#ofField(field));
    if (shapes.includes('structured')) return 'structured';
    return isWhole && shapes.every((shape) => shape === 'flat') ? 'flat' : 'unknown';
  }

  /** The fields of an object schema, or of the object that it is made of; undefined for what is neither. */
  fields(given: AstNode | undefined): SchemaFields | undefined {
    const node = given && this.code.follow(given);
    if (this.#left-- <= 0) return undefined;
    if (node?.kind() === 'object') return this.#inObject(node);
    // `Note.shape`
    const bare = given && unwrap(given);
    if (bare?.kind() === 'member_expression' && lastName(bare) === 'shape')
      return this.fields(bare.field('object') ?? undefined);
    return node?.kind() === 'call_expression' ? this.#ofCall(node) : undefined;
  }

  #ofCall(call: AstNode): SchemaFields | undefined {
    const { name, object } = callee(call);
    const [first] = argumentsOf(call);
    if (OBJECTS.test(name)) return this.fields(first) ?? { named: new Map(), isWhole: false };
    const own = object && this.fields(object);
    if (!own || SAME_FIELDS.test(name)) return own;
    const more = this.fields(first);
    const isMask = name === 'omit' || name === 'pick';
    if (isMask) return more && masked(own, more, name === 'pick');
    return /^(extend|safeExtend|merge|augment)$/.test(name) ? joined(own, more) : undefined;
  }

  #inObject(object: AstNode): SchemaFields {
    let found: SchemaFields = { named: new Map(), isWhole: true };
    for (const part of parts(object)) {
      if (part.kind() === 'spread_element') found = joined(found, this.fields(parts(part)[0]));
      else found.named.set(keyName(part.field('key') ?? part) ?? '[…]', part.field('value') ?? part);
    }
    return found;
  }

  #ofField(given: AstNode | undefined): ShownShape {
    const field = this.code.follow(given);
    if (!field || this.#left-- <= 0) return 'unknown';
    if (this.#hasStructured(field)) return 'structured';
    return field.kind() === 'call_expression' ? this.#ofChain(field) : 'unknown';
  }

  /** Where a chain begins: `z.string()` and `Priority` of `Priority.optional()`. */
  #ofChain(chain: AstNode): ShownShape {
    let call = chain;
    let object = callee(call).object;
    for (let steps = 0; object?.kind() === 'call_expression' && steps < MOST_STEPS; steps++) {
      call = object;
      object = callee(call).object;
    }
    if (this.code.follow(object)) return this.#ofField(object);
    const { name } = callee(call);
    if (name === 'string' || (name === 'date' && object && isTextDate(object))) return 'flat';
    if (!AROUND.test(name)) return 'unknown';
    return (
      argumentsOf(call)
        .map((arg) => this.#ofField(arg))
        .find((shape) => shape !== 'unknown') ?? 'unknown'
    );
  }

  /** Whether a schema is more than a plain text, as far as it is written there. What its functions do does not count. */
  #hasStructured(node: AstNode): boolean {
    const calls = this.code.all(kinds('call_expression'), node).filter(isStructuredCall);
    if (calls.length === 0) return false;
    const functions = this.code.all(FUNCTION, node);
    return calls.some((call) => !isWithin(call, functions));
  }

  /** The shape of a schema that is no object. */
  ofOther(node: AstNode): ShownShape {
    return this.#hasStructured(node) ? 'structured' : 'unknown';
  }
}

const joined = (own: SchemaFields, more: SchemaFields | undefined): SchemaFields => ({
  named: new Map([...own.named, ...(more?.named ?? [])]),
  isWhole: own.isWhole && more?.isWhole === true,
});

/** The fields that a mask names, or those that it does not. */
const masked = ({ named, isWhole }: SchemaFields, mask: SchemaFields, isKept: boolean): SchemaFields => ({
  named: new Map([...named].filter(([name]) => mask.named.has(name) === isKept)),
  isWhole: isWhole && mask.isWhole,
});

/** The shape of an object schema, or of the object that it is made of; undefined for what is neither. */
export const objectShape = (code: Code, schema: AstNode): ShownShape | undefined => {
  const shapes = new ZodShapes(code);
  const fields = shapes.fields(schema);
  return fields && shapes.ofFields(fields);
};

/** Whether the input of a tool is more than plain strings, as far as a schema of Zod shows it. */
export const zodShape = (code: Code, schema: AstNode): ShownShape =>
  objectShape(code, schema) ?? new ZodShapes(code).ofOther(schema);
