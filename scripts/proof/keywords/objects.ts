import { own } from '../../contract/types.ts';
import { isOfType } from '../cases.ts';
import { accepts, matches } from '../check.ts';
import { assumptionsOf, declaredKeys } from '../conjuncts.ts';
import {
  asObject,
  closedBy,
  isImpossible,
  largest,
  mostKeys,
  operandsOf,
  propertyOf,
  requiredOf,
  restOf,
} from '../facts.ts';
import { about, limit, type Obligation } from './keyword.ts';

/** Each property that the claim neither names nor matches by a pattern satisfies the operand: declared ones, then others. */
const undeclared: Obligation = (given, operand, { schema, root }, proof) => {
  const properties = asObject(own(schema, 'properties'));
  const patterns = Object.keys(asObject(own(schema, 'patternProperties')));
  for (const name of declaredKeys(given)) {
    if (Object.hasOwn(properties, name) || patterns.some((pattern) => matches(pattern, name))) continue;
    if (!proof.provesInside(propertyOf(given, name), operand, root)) return false;
  }
  const allowed = closedBy(given);
  if (allowed !== null) return allowed.every((pattern) => patterns.includes(pattern));
  const hasPatterns = operandsOf(given, 'patternProperties').some(
    (one) => Object.keys(asObject(one.operand)).length > 0,
  );
  return hasPatterns ? operand === true : proof.provesInside(restOf(given), operand, root);
};

export const OBJECTS = about(['object'], {
  /** Each property that a caller can pass satisfies its schema. */
  properties: (given, operand, { root }, proof) => {
    const declared = declaredKeys(given);
    return Object.entries(asObject(operand)).every(([name, schema]) => {
      if (proof.isUnused(given, declared, name)) return true;
      const value = propertyOf(given, name);
      return isImpossible(value) || proof.provesInside(value, schema, root);
    });
  },
  /** Declared properties that may match satisfy the schema; others do by the same given pattern and the given rest. */
  patternProperties: (given, operand, { root }, proof) => {
    const patterns = Object.entries(asObject(operand));
    const declared = [...declaredKeys(given)];
    const onDeclared = patterns.every(([pattern, schema]) =>
      declared.every(
        (name) => matches(pattern, name) === false || proof.provesInside(propertyOf(given, name), schema, root),
      ),
    );
    if (!onDeclared) return false;
    if (closedBy(given)?.length === 0) return true;
    return patterns.every(([pattern, schema]) => {
      const same = operandsOf(given, 'patternProperties').flatMap((one) => {
        const its = own(one.operand, pattern);
        return its === undefined ? [] : assumptionsOf(its, one.root);
      });
      return proof.provesInside([...same, ...restOf(given)], schema, root);
    });
  },
  additionalProperties: undeclared,
  /** The claim has no branches here: with branches it is opaque. */
  unevaluatedProperties: undeclared,
  /** Declared names are accepted; all others are, by what is given about names. */
  propertyNames: (given, operand, { root }, proof) => {
    if (![...declaredKeys(given)].every((name) => accepts(operand, root, name) === true)) return false;
    if (closedBy(given)?.length === 0) return true;
    const names = operandsOf(given, 'propertyNames').flatMap((one) => assumptionsOf(one.operand, one.root));
    return proof.provesInside([...names, isOfType('string')], operand, root);
  },
  required: (given, names) => {
    const has = requiredOf(given);
    return Array.isArray(names) && names.every((name) => typeof name === 'string' && has.has(name));
  },
  minProperties: limit((given, least) => Math.max(largest(given, 'minProperties'), requiredOf(given).size) >= least),
  maxProperties: limit((given, most) => mostKeys(given) <= most),
});
