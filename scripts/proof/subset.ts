import { canonical } from '../contract/canonical.ts';
import { IGNORED } from '../contract/dialect.ts';
import { sameJson } from '../contract/same.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { ANNOTATIONS, accepts, matches, namedTypes, type Type, textsOf } from './check.ts';
import { type Conjunct, conjunctsOf, declaredKeys, sameDefinitions } from './conjuncts.ts';
import {
  areDisjoint,
  closedBy,
  elementOf,
  isImpossible,
  isMap,
  largest,
  lowerBound,
  mostItems,
  mostKeys,
  prefixLength,
  propertyOf,
  requiredOf,
  restOf,
  sameText,
  smallest,
  typesOf,
  upperBound,
  valuesOf,
} from './facts.ts';

/** Steps after which a proof is given up: what takes longer is not proven. */
const FUEL = 20_000;
const DEEPEST = 60;
/** How often one claim may be split into cases. */
const MOST_SPLITS = 5;

class OutOfFuel extends Error {}

type Claim = (given: Conjunct[], operand: Json, claim: Conjunct) => boolean;

let ids = new WeakMap<object, number>();
let nextId = 0;
const idOf = (value: object): number => {
  const known = ids.get(value);
  if (known !== undefined) return known;
  ids.set(value, ++nextId);
  return nextId;
};

/** The same schema means something else in another document, if it refers to that. */
const markOf = ({ schema, root }: Conjunct): string => `${idOf(schema)}@${isObject(root) ? idOf(root) : 0}`;

const only = (types: ReadonlySet<Type>, ...none: Type[]): boolean => !none.some((type) => types.has(type));
const noNumber = (given: Conjunct[]) => only(typesOf(given), 'integer', 'fraction');
const noText = (given: Conjunct[]) => only(typesOf(given), 'string');
const noList = (given: Conjunct[]) => only(typesOf(given), 'array');
const noObject = (given: Conjunct[]) => only(typesOf(given), 'object');

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? (value as JsonObject) : {});

const withKeyword = (given: Conjunct[], key: string): { value: Json; root: Json }[] =>
  given.flatMap(({ schema, root }) => {
    const value = own(schema, key);
    return value === undefined ? [] : [{ value, root }];
  });

/** Schemas that were taken apart, remembered so that the same part is the same object. */
const parts = new WeakMap<object, Map<string, JsonObject>>();
const part = (schema: JsonObject, name: string, make: () => JsonObject): JsonObject => {
  const known = parts.get(schema) ?? new Map<string, JsonObject>();
  parts.set(schema, known);
  const made = known.get(name) ?? make();
  known.set(name, made);
  return made;
};
const without = (schema: JsonObject, ...keys: string[]): JsonObject =>
  part(schema, `-${keys.join()}`, () =>
    Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key))),
  );

const TYPE: Record<Type, JsonObject> = {
  array: { type: 'array' },
  boolean: { type: 'boolean' },
  fraction: { type: 'number', not: { type: 'integer' } },
  integer: { type: 'integer' },
  null: { type: 'null' },
  object: { type: 'object' },
  string: { type: 'string' },
};

/**
 * Proves that every value that `before` accepts, `after` accepts, too. Values are what a caller who knows `before` can
 * send: objects hold the properties that it declares, and others only where it says something of their values. True is
 * a proof; false means that there is none, which need not mean that it is not so.
 */
export const isSubset = (before: Json, after: Json, beforeRoot: Json = before, afterRoot: Json = after): boolean => {
  let fuel = FUEL;
  let descents = 0;
  let assumed = false;
  /** Names that nobody declared are not used. Not so in a claim about `after`: there `before` may declare them. */
  let closedWorld = true;
  /** Claims that are being proven, with how deep inside the value they were made: recursion comes back to them. */
  const open = new Map<string, number>();
  const known = new Map<string, boolean>();
  const sameDocuments = sameDefinitions(beforeRoot, afterRoot);
  ids = new WeakMap();

  const inside = (given: Conjunct[], schema: Json, root: Json): boolean => {
    descents++;
    try {
      return proves(given, schema, root);
    } finally {
      descents--;
    }
  };

  const proves = (given: Conjunct[], schema: Json, root: Json, splits = 0): boolean => {
    if (schema === true) return true;
    if (--fuel < 0 || descents > DEEPEST) throw new OutOfFuel();
    const claims = conjunctsOf(schema, root);
    if (claims === false) return isImpossible(given);
    return claims.every((claim) => provesOne(given, claim, splits));
  };

  const provesOne = (given: Conjunct[], claim: Conjunct, splits: number): boolean => {
    const isSame = (one: Conjunct) => sameJson(one.schema, claim.schema) && (sameDocuments || one.root === claim.root);
    if (
      given.some((one) => !one.opaque && isSame(one)) ||
      (claim.opaque && given.some(isSame) && Object.keys(claim.schema).length > 0)
    )
      return true;
    if (claim.opaque) return isImpossible(given);
    const key = `${closedWorld} ${given.map(markOf).sort().join()}>${markOf(claim)}`;
    const result = known.get(key);
    if (result !== undefined) return result;
    const openAt = open.get(key);
    if (openAt !== undefined) {
      // Only deeper inside the value: a claim must not rest on itself about the same value.
      assumed ||= openAt < descents;
      return openAt < descents;
    }
    open.set(key, descents);
    const outer = assumed;
    assumed = false;
    const proven = attempt(given, claim, splits);
    open.delete(key);
    // What rests on a claim that is still open is not known for certain yet.
    if (!assumed) known.set(key, proven);
    assumed ||= outer;
    return proven;
  };

  const attempt = (given: Conjunct[], claim: Conjunct, splits: number): boolean => {
    if (--fuel < 0) throw new OutOfFuel();
    const values = valuesOf(given);
    if (values) return values.every((value) => accepts(claim.schema, claim.root, value) === true);
    if (isImpossible(given)) return true;
    const holds = Object.entries(claim.schema).every(([key, operand]) => {
      if (ANNOTATIONS.has(key) || key === 'allOf' || key === '$ref' || !Object.hasOwn(CLAIMS, key)) return true;
      return (CLAIMS[key] as Claim)(given, operand, claim);
    });
    if (holds || splits >= MOST_SPLITS) return holds;
    const cases = split(given);
    return cases?.every((one) => provesOne(one, claim, splits + 1)) ?? false;
  };

  /** The cases that make up a conjunction: branches first, then types. */
  const split = (given: Conjunct[]): Conjunct[][] | null => {
    // What one branch declares a caller may pass with another one, too.
    const names = [...declaredKeys(given)].sort();
    const declares = (schema: JsonObject): Conjunct => ({
      // The same schema can stand in another conjunction, which declares other names.
      schema: part(schema, `declares ${JSON.stringify(names)}`, () => ({
        properties: Object.fromEntries(names.map((name) => [name, true])),
      })),
      root: true,
    });
    for (const one of given) {
      const { schema, root } = one;
      const others = given.filter((other) => other !== one);
      const branch = (rest: JsonObject, ...added: Json[]): Conjunct[] => {
        const conjuncts = added.flatMap((schema) => conjunctsOf(schema, root) || [IMPOSSIBLE]);
        return [...others, { schema: rest, root }, declares(schema), ...conjuncts];
      };
      const any = own(schema, 'anyOf');
      if (Array.isArray(any)) return any.map((each) => branch(without(schema, 'anyOf'), each));
      const exactly = own(schema, 'oneOf');
      if (Array.isArray(exactly)) {
        return exactly.map((each, index) => {
          const rest = part(schema, `oneOf${index}`, () => ({
            not: { anyOf: exactly.filter((_other, at) => at !== index) },
          }));
          return branch(without(schema, 'oneOf'), each, rest);
        });
      }
      const condition = own(schema, 'if');
      if (condition !== undefined && (own(schema, 'then') !== undefined || own(schema, 'else') !== undefined)) {
        const rest = without(schema, 'if', 'then', 'else');
        const unless = part(schema, 'unless', () => ({ not: condition }));
        return [
          branch(rest, condition, own(schema, 'then') ?? true),
          branch(rest, unless, own(schema, 'else') ?? true),
        ];
      }
    }
    const types = [...typesOf(given)];
    return types.length > 1 ? types.map((type) => [...given, { schema: TYPE[type], root: true }]) : null;
  };

  const listed: Claim = (given, values) =>
    valuesOf(given)?.every((value) => Array.isArray(values) && textsOf(values).has(canonical(value))) ?? false;

  const provesOpenly = (given: Conjunct[], schema: Json, root: Json): boolean => {
    const outer = closedWorld;
    closedWorld = false;
    try {
      return proves(given, schema, root);
    } finally {
      closedWorld = outer;
    }
  };

  /** Whether a property is one that no caller passes. */
  const unused = (given: Conjunct[], declared: Set<string>, name: string): boolean =>
    closedWorld && !declared.has(name) && !isMap(given);

  const disjoint = (given: Conjunct[], schema: Json, root: Json): boolean => {
    const excluded = withKeyword(given, 'not');
    if (
      excluded.some(({ value, root: itsRoot }) =>
        provesOpenly(conjunctsOf(schema, root) || [IMPOSSIBLE], value, itsRoot),
      )
    )
      return true;
    const others = conjunctsOf(schema, root);
    return others === false || areDisjoint(given, others);
  };

  const everyElement = (given: Conjunct[], from: number, schema: Json, root: Json): boolean => {
    const last = Math.max(prefixLength(given), from);
    const most = mostItems(given);
    for (let index = from; index <= last && index < most; index++) {
      if (!inside(elementOf(given, index), schema, root)) return false;
    }
    return true;
  };

  const items: Claim = (given, operand, { schema, root }) => {
    if (noList(given)) return true;
    if (Array.isArray(operand)) {
      return operand.every((one, index) => index >= mostItems(given) || inside(elementOf(given, index), one, root));
    }
    const prefix = own(schema, 'prefixItems');
    return everyElement(given, Array.isArray(prefix) ? prefix.length : 0, operand, root);
  };

  /** Names that the claim says nothing of, and a value of `rest` under each. */
  const undeclared = (given: Conjunct[], rest: Json, { schema, root }: Conjunct): boolean => {
    const properties = objectOf(own(schema, 'properties'));
    const patterns = Object.keys(objectOf(own(schema, 'patternProperties')));
    for (const name of declaredKeys(given)) {
      if (Object.hasOwn(properties, name) || patterns.some((pattern) => matches(pattern, name))) continue;
      if (!inside(propertyOf(given, name), rest, root)) return false;
    }
    const allowed = closedBy(given);
    if (allowed !== null) return allowed.every((pattern) => patterns.includes(pattern));
    if (given.some((one) => Object.keys(objectOf(own(one.schema, 'patternProperties'))).length > 0))
      return rest === true;
    return inside(restOf(given), rest, root);
  };

  const CLAIMS: Record<string, Claim> = {
    type: (given, _type, { schema }) => {
      const allowed = namedTypes(schema);
      return allowed !== null && [...typesOf(given)].every((type) => allowed.has(type));
    },
    enum: listed,
    const: (given, constant, claim) => listed(given, [constant], claim),
    minimum: (given, limit) => noNumber(given) || (typeof limit === 'number' && lowerBound(given).at >= limit),
    maximum: (given, limit) => noNumber(given) || (typeof limit === 'number' && upperBound(given).at <= limit),
    exclusiveMinimum: (given, limit) => {
      const { at, open: isOpen } = lowerBound(given);
      return noNumber(given) || (typeof limit === 'number' && (at > limit || (at === limit && isOpen)));
    },
    exclusiveMaximum: (given, limit) => {
      const { at, open: isOpen } = upperBound(given);
      return noNumber(given) || (typeof limit === 'number' && (at < limit || (at === limit && isOpen)));
    },
    multipleOf: (given, step) => {
      if (noNumber(given)) return true;
      if (typeof step !== 'number') return false;
      if (step === 1 && !typesOf(given).has('fraction')) return true;
      // Whole steps only: what validators make of fractions depends on how they round.
      return withKeyword(given, 'multipleOf').some(
        ({ value }) =>
          value === step || (Number.isInteger(step) && Number.isInteger(value) && (value as number) % step === 0),
      );
    },
    minLength: (given, limit) => noText(given) || (typeof limit === 'number' && largest(given, 'minLength') >= limit),
    maxLength: (given, limit) => noText(given) || (typeof limit === 'number' && smallest(given, 'maxLength') <= limit),
    pattern: (given, pattern) => noText(given) || withKeyword(given, 'pattern').some(({ value }) => value === pattern),
    format: (given, format) => noText(given) || withKeyword(given, 'format').some(({ value }) => value === format),
    minItems: (given, limit) => noList(given) || (typeof limit === 'number' && largest(given, 'minItems') >= limit),
    maxItems: (given, limit) => noList(given) || (typeof limit === 'number' && mostItems(given) <= limit),
    uniqueItems: (given, unique) =>
      unique !== true ||
      noList(given) ||
      mostItems(given) <= 1 ||
      withKeyword(given, 'uniqueItems').some(({ value }) => value === true),
    items,
    prefixItems: items,
    additionalItems: (given, operand, { schema, root }) => {
      const prefix = own(schema, 'items');
      return noList(given) || !Array.isArray(prefix) || everyElement(given, prefix.length, operand, root);
    },
    contains: (given, operand, { schema, root }) => {
      const least = own(schema, 'minContains') ?? 1;
      const most = own(schema, 'maxContains');
      if (noList(given) || (least === 0 && most === undefined)) return true;
      const same = given.some(
        (one) =>
          ['contains', 'minContains', 'maxContains'].every((key) =>
            sameText(own(one.schema, key) ?? null, own(schema, key) ?? null),
          ) && sameDocuments,
      );
      if (same) return true;
      // One that was there is one of the looser kind, too.
      const implied = given.some((one) => {
        const its = own(one.schema, 'contains');
        const count = own(one.schema, 'minContains') ?? 1;
        const holds = its !== undefined && typeof count === 'number' && typeof least === 'number' && count >= least;
        return holds && most === undefined && inside(conjunctsOf(its, one.root) || [IMPOSSIBLE], operand, root);
      });
      if (implied) return true;
      return (
        typeof least === 'number' &&
        most === undefined &&
        largest(given, 'minItems') >= Math.max(1, least) &&
        everyElement(given, 0, operand, root)
      );
    },
    properties: (given, operand, { root }) => {
      if (noObject(given)) return true;
      const declared = declaredKeys(given);
      return Object.entries(objectOf(operand)).every(([name, schema]) => {
        if (unused(given, declared, name)) return true;
        const value = propertyOf(given, name);
        return isImpossible(value) || inside(value, schema, root);
      });
    },
    patternProperties: (given, operand, { root }) => {
      if (noObject(given)) return true;
      const patterns = Object.entries(objectOf(operand));
      const declared = [...declaredKeys(given)];
      const onDeclared = patterns.every(([pattern, schema]) =>
        declared.every((name) => matches(pattern, name) === false || inside(propertyOf(given, name), schema, root)),
      );
      if (!onDeclared) return false;
      const allowed = closedBy(given);
      if (allowed?.length === 0) return true;
      return patterns.every(([pattern, schema]) => {
        const same = withKeyword(given, 'patternProperties').flatMap(({ value, root: itsRoot }) => {
          const own_ = own(value, pattern);
          return own_ === undefined ? [] : conjunctsOf(own_, itsRoot) || [IMPOSSIBLE];
        });
        return inside([...same, ...restOf(given)], schema, root);
      });
    },
    additionalProperties: (given, operand, claim) => noObject(given) || undeclared(given, operand, claim),
    unevaluatedProperties: (given, operand, claim) => noObject(given) || undeclared(given, operand, claim),
    unevaluatedItems: (given, operand, { schema, root }) => {
      const { prefixItems, items: rest } = schema;
      if (noList(given) || (rest !== undefined && !Array.isArray(rest))) return true;
      const prefix = Array.isArray(rest) ? rest : prefixItems;
      return everyElement(given, Array.isArray(prefix) ? prefix.length : 0, operand, root);
    },
    propertyNames: (given, operand, { root }) => {
      if (noObject(given)) return true;
      if (![...declaredKeys(given)].every((name) => accepts(operand, root, name) === true)) return false;
      if (closedBy(given)?.length === 0) return true;
      const names = withKeyword(given, 'propertyNames').flatMap(
        ({ value, root: itsRoot }) => conjunctsOf(value, itsRoot) || [IMPOSSIBLE],
      );
      return inside([...names, { schema: TYPE.string, root: true }], operand, root);
    },
    required: (given, names) => {
      const has = requiredOf(given);
      return (
        noObject(given) || (Array.isArray(names) && names.every((name) => typeof name === 'string' && has.has(name)))
      );
    },
    minProperties: (given, limit) =>
      noObject(given) ||
      (typeof limit === 'number' && Math.max(largest(given, 'minProperties'), requiredOf(given).size) >= limit),
    maxProperties: (given, limit) => noObject(given) || (typeof limit === 'number' && mostKeys(given) <= limit),
    dependentRequired: (given, operand) => noObject(given) || dependentRequired(given, operand),
    dependentSchemas: (given, operand, { root }) => noObject(given) || dependentSchemas(given, operand, root),
    dependencies: (given, operand, { root }) => {
      const entries = Object.entries(objectOf(operand));
      const lists = Object.fromEntries(entries.filter(([, value]) => Array.isArray(value)));
      const schemas = Object.fromEntries(entries.filter(([, value]) => !Array.isArray(value)));
      return noObject(given) || (dependentRequired(given, lists) && dependentSchemas(given, schemas, root));
    },
    not: (given, operand, { root }) => disjoint(given, operand, root),
    // Where it is heeded on one side, it is on the other one, too.
    [IGNORED]: (given, operand, { root }) => {
      const heeded = withKeyword(given, IGNORED).flatMap(
        ({ value, root: itsRoot }) => conjunctsOf(value, itsRoot) || [IMPOSSIBLE],
      );
      return proves([...given, ...heeded], operand, root);
    },
    anyOf: (given, branches, { root }) => Array.isArray(branches) && branches.some((one) => proves(given, one, root)),
    oneOf: (given, branches, { root }) =>
      Array.isArray(branches) &&
      branches.some(
        (one, index) =>
          proves(given, one, root) && branches.every((other, at) => at === index || disjoint(given, other, root)),
      ),
    if: (given, condition, { schema, root }) => {
      const whenTrue = own(schema, 'then') ?? true;
      const whenFalse = own(schema, 'else') ?? true;
      if (whenTrue === true && whenFalse === true) return true;
      const unless = part(schema, 'unless', () => ({ not: condition }));
      const yes = conjunctsOf(condition, root);
      return (
        (yes === false || disjoint(given, condition, root) || proves([...given, ...yes], whenTrue, root)) &&
        (proves(given, condition, root) || proves([...given, { schema: unless, root }], whenFalse, root))
      );
    },
  };

  const dependentRequired = (given: Conjunct[], operand: Json): boolean => {
    const has = requiredOf(given);
    const declared = declaredKeys(given);
    return Object.entries(objectOf(operand)).every(([name, names]) => {
      if (!Array.isArray(names)) return false;
      if (unused(given, declared, name)) return true;
      const implied = withKeyword(given, 'dependentRequired').flatMap(({ value }) => own(value, name) ?? []);
      return (
        names.every((one) => (typeof one === 'string' && has.has(one)) || one === name || implied.includes(one)) ||
        isImpossible(propertyOf(given, name))
      );
    });
  };

  const dependentSchemas = (given: Conjunct[], operand: Json, root: Json): boolean => {
    const declared = declaredKeys(given);
    return Object.entries(objectOf(operand)).every(([name, schema]) => {
      if (unused(given, declared, name)) return true;
      const implied = ['dependentSchemas', 'dependencies'].flatMap((key) =>
        withKeyword(given, key).flatMap(({ value, root: itsRoot }) => {
          const one = own(value, name);
          return one === undefined || Array.isArray(one) ? [] : conjunctsOf(one, itsRoot) || [IMPOSSIBLE];
        }),
      );
      const present = part(objectOf(operand), `has ${name}`, () => ({ required: [name] }));
      return proves([...given, ...implied, { schema: present, root: true }], schema, root);
    });
  };

  const given = conjunctsOf(before, beforeRoot);
  if (given === false) return true;
  try {
    return proves(given, after, afterRoot);
  } catch (error) {
    if (error instanceof OutOfFuel || error instanceof RangeError) return false;
    throw error;
  }
};

const IMPOSSIBLE: Conjunct = { schema: { enum: [] }, root: true };
