// Compares two schemas at one place.
import { IGNORED } from '../contract/dialect.ts';
import { SCHEMA_KEYWORDS } from '../contract/meaning.ts';
import { excludesType } from '../contract/readable.ts';
import { sameJson } from '../contract/same.ts';
import { isObject, type Json, own } from '../contract/types.ts';
import { quoteName } from '../text/quote.ts';
import { say } from '../text/shown.ts';
import { conditionAt, followed } from './places.ts';
import { areMembersLimited, isAnyElement, isAnything } from './plain-limits.ts';
import { type ChangePlace, differingKeys, propertyAt, runRules } from './run-rules.ts';
import { NAME_RULES, SCHEMA_RULES } from './table.ts';
import type { FoundChange, SchemaPair } from './types.ts';
import { unclassified, WHAT_CHANGED } from './unclassified.ts';

/** Whether a keyword holds a list or map of schemas whose members are all compared at their own places. */
const pairedElsewhere = (key: string, before: Json | undefined, after: Json | undefined): boolean => {
  if (['allOf', 'anyOf', 'oneOf'].includes(key)) return Array.isArray(before) && Array.isArray(after);
  if (key === 'prefixItems') return Array.isArray(before) && Array.isArray(after) && before.length === after.length;
  if (key !== 'patternProperties' && key !== 'dependentSchemas') return false;
  return isObject(before) && isObject(after) && sameJson(Object.keys(before).sort(), Object.keys(after).sort());
};

/** Drops the effect: when properties have moved, the call's values tell what that means for it. */
const moved = ({ effect: _byPlace, ...change }: FoundChange): FoundChange => change;

const movesProperties = ({ added, removed, renamed }: SchemaPair, had: object, has: object): boolean => {
  const told = new Set([...added, ...removed, ...renamed.flatMap(({ from, to }) => [from, to])]);
  return [...Object.keys(had), ...Object.keys(has)].some(
    (name) => !told.has(name) && Object.hasOwn(had, name) !== Object.hasOwn(has, name),
  );
};

const isSameSchema = (one: Json | undefined, other: Json | undefined): boolean =>
  sameJson(one, other) || (isAnything(one) && isAnything(other));

/** What changed in `properties` beside what rules tell of it: some of them are no schemas, or moved to a form or out of one. */
const diffProperties = (place: ChangePlace, pair: SchemaPair, had: object, has: object): FoundChange[] => {
  const changes = Object.keys(had).flatMap((name) => {
    const [old, now] = [own(had, name), own(has, name)];
    if (now === undefined || isSameSchema(old, now) || (isObject(old) && isObject(now))) return [];
    const at = propertyAt({ ...place, path: `${place.path}/properties` }, name);
    return unclassified(at, name, old, now, say`${quoteName(name)} changed`);
  });
  if (!movesProperties(pair, had, has)) return changes;
  return [...changes, moved(unclassified(place, 'properties', had as Json, has as Json))];
};

/** Keywords about the elements of a list, which say nothing of any other value. */
const OF_ELEMENTS = new Set(['additionalItems', 'contains', 'items', 'prefixItems', 'unevaluatedItems']);

/** Whether a difference in a keyword is told of elsewhere, though no rule explained the keyword. */
const isToldElsewhere = (key: string, pair: SchemaPair): boolean => {
  const { added, removed, renamed, before, after, path } = pair;
  if (key === 'required' && conditionAt(path) !== undefined) return false;
  // If properties were added, removed or renamed, the rules that found that explain the change of `required`.
  if (key === 'required') return added.length > 0 || removed.length > 0 || renamed.length > 0;
  const [had, has] = [own(before, key), own(after, key)];
  // If ignored keywords exist on one side only, the dialect changed: they are compared under their own names.
  if (key === IGNORED) return had === undefined || has === undefined;
  if (SCHEMA_KEYWORDS.has(key) && isAnything(had) && isAnything(has)) return true;
  if (areMembersLimited(pair, key) || (key === 'items' && isAnyElement(pair))) return true;
  // That a list is expected, or no longer one, the rule for types tells.
  if (OF_ELEMENTS.has(key) && [before, after].some((one) => excludesType(one, 'array'))) return true;
  // Definitions are compared where they are used.
  return followed(key, had, has) || pairedElsewhere(key, had, has);
};

export const diffSchemas = (tool: string, pair: SchemaPair): FoundChange[] => {
  const place: ChangePlace = { tool, path: pair.path, parameter: pair.parameter, ways: pair.ways };
  const differing = differingKeys(pair.before, pair.after);
  // A choice that is written as before may name definitions that changed places.
  const isSame = differing.length === 0 && pair.otherDefinition === undefined;
  if (isSame && !Object.hasOwn(pair.before, 'discriminator')) return [];
  if (pair.isOfNames)
    return runRules(NAME_RULES, pair, place, differing).changes.map((change) => ({ ...change, ofNames: true }));
  const { changes, explained } = runRules(SCHEMA_RULES, pair, place, differing);
  for (const key of differing) {
    const [had, has] = [own(pair.before, key), own(pair.after, key)];
    if (key === 'properties' && isObject(had) && isObject(has)) changes.push(...diffProperties(place, pair, had, has));
    else if (!explained.has(key) && !isToldElsewhere(key, pair)) {
      const condition = key === 'required' ? conditionAt(pair.path) : undefined;
      const change = unclassified(place, key, had, has, WHAT_CHANGED.get(condition ?? key));
      changes.push(key === 'properties' ? moved(change) : change);
    }
  }
  return changes;
};

/** The changes that a reference may hide. No proof takes them back: words may have changed as well as types. */
export const behindDynamic = (tool: string, pairs: readonly SchemaPair[]): FoundChange[] =>
  pairs
    .filter(({ refersSomewhere }) => refersSomewhere)
    .map(({ path, parameter, ways, after }) => {
      const keyword = Object.hasOwn(after, '$dynamicRef') ? '$dynamicRef' : '$recursiveRef';
      const what = say`it refers to a definition, and definitions changed`;
      return unclassified({ tool, path, parameter, ways }, keyword, undefined, undefined, what);
    });
