import { own } from '../../contract/types.ts';
import { assumptionsOf, declaredKeys } from '../conjuncts.ts';
import { derived } from '../derived.ts';
import { asObject, isImpossible, operandsOf, propertyOf, requiredOf } from '../facts.ts';
import { about, type Obligation } from './keyword.ts';

/** Each property that a caller can pass comes with those that it requires: they are required, or given as its dependents. */
const dependentRequired: Obligation = (given, operand, _claim, proof) => {
  const has = requiredOf(given);
  const declared = declaredKeys(given);
  return Object.entries(asObject(operand)).every(([name, names]) => {
    if (!Array.isArray(names)) return false;
    if (proof.isUnused(given, declared, name)) return true;
    const implied = operandsOf(given, 'dependentRequired').flatMap((one) => own(one.operand, name) ?? []);
    return (
      names.every((one) => (typeof one === 'string' && has.has(one)) || one === name || implied.includes(one)) ||
      isImpossible(propertyOf(given, name))
    );
  });
};

/** Values with a property that a caller can pass satisfy its schema; what is given for values with it is added. */
const dependentSchemas: Obligation = (given, operand, { root }, proof) => {
  const declared = declaredKeys(given);
  return Object.entries(asObject(operand)).every(([name, schema]) => {
    if (proof.isUnused(given, declared, name)) return true;
    const implied = ['dependentSchemas', 'dependencies'].flatMap((keyword) =>
      operandsOf(given, keyword).flatMap((one) => {
        const its = own(one.operand, name);
        return its === undefined || Array.isArray(its) ? [] : assumptionsOf(its, one.root);
      }),
    );
    const present = derived(asObject(operand), `has ${name}`, () => ({ required: [name] }));
    return proof.proves([...given, ...implied, { schema: present, root: true }], schema, root);
  });
};

export const DEPENDENCIES = about(['object'], {
  dependentRequired,
  dependentSchemas,
  /** The older form of both: entries that are lists are `dependentRequired`, schemas are `dependentSchemas`. */
  dependencies: (given, operand, claim, proof) => {
    const entries = Object.entries(asObject(operand));
    const lists = Object.fromEntries(entries.filter(([, value]) => Array.isArray(value)));
    const schemas = Object.fromEntries(entries.filter(([, value]) => !Array.isArray(value)));
    return dependentRequired(given, lists, claim, proof) && dependentSchemas(given, schemas, claim, proof);
  },
});
