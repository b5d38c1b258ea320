import { type Contract, isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { quoteName } from '../text/quote.ts';
import { joined, say } from '../text/shown.ts';
import { namesBehind } from './references.ts';
import { inputPropertyRemoved, namesNothingNow } from './rules/input-property-removed.ts';
import { inputPropertyRenamed } from './rules/input-property-renamed.ts';
import type { FoundChange, SchemaPair } from './types.ts';

const ownNames = (schema: Json | undefined): string[] => Object.keys(own(schema, 'properties') ?? {});

/** Parameters that a schema declares anywhere for its value; a pattern of names stands for those that match it. */
const declaredIn = (schema: JsonObject, root: Json): Set<string> =>
  new Set([
    ...ownNames(schema),
    ...namesBehind(schema, root),
    ...Object.keys(own(schema, 'patternProperties') ?? {}).map((pattern) => `/${pattern}/`),
  ]);

/** What a caller could pass at a place before and nothing declares now, apart from what rules reported. */
const lostAt = (pair: SchemaPair, before: Json, after: Json): Set<string> => {
  if (namesNothingNow(pair)) return new Set();
  const [had, has] = [declaredIn(pair.before, before), declaredIn(pair.after, after)];
  const told = new Set([...pair.removed, ...pair.renamed.map(({ from }) => from)]);
  return new Set([...had].filter((name) => !has.has(name) && !told.has(name)));
};

/** The names that a part of a schema declares: a branch, a condition, a map of either. */
const namesInPart = ({ path, before }: FoundChange, root: Json): Set<string> => {
  if (Array.isArray(before)) return declaredIn({ allOf: before }, root);
  if (!isObject(before)) return new Set();
  const keyword = path.slice(path.lastIndexOf('/') + 1);
  const part: JsonObject = ['dependentSchemas', 'patternProperties'].includes(keyword)
    ? { [keyword]: before as Json }
    : (before as JsonObject);
  return declaredIn(part, root);
};

/** The places above a place, nearest first. */
const waysUp = (path: string): string[] => {
  const found: string[] = [];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) found.push(path.slice(0, at));
  return found;
};

const GONE: ReadonlySet<string> = new Set([inputPropertyRemoved.id, inputPropertyRenamed.id]);

/** What it means for a call if one form no longer takes a parameter, while another accepts any value for it. */
const ignoredInForm = (change: FoundChange, pairs: readonly SchemaPair[], root: Json): FoundChange => {
  const { parameter = [] } = change;
  const name = parameter.at(-1) ?? '';
  const isAround = (pair: SchemaPair) =>
    !pair.isOfNames && pair.parameter.join('\n') === parameter.slice(0, -1).join('\n');
  // The walk goes from the outside in: the first one contains all forms.
  const whole = pairs.find(isAround);
  if (whole === undefined || namesNothingNow(whole) || declaredIn(whole.after, root).has(name)) return change;
  const message = say`removed: ${quoteName(name)} (no longer listed; still accepted, like any unknown name)`;
  return { ...change, level: 'silent', message, brief: message, effect: { when: 'used', verdict: 'deny' } };
};

/**
 * Corrects the levels of changes after which a parameter is declared nowhere, though every old call is still valid: it is
 * then accepted and ignored, as if it had been removed from `properties`.
 */
export const withLosses = (
  changes: FoundChange[],
  pairs: readonly SchemaPair[],
  { inputSchema: old }: Contract,
  { inputSchema: now }: Contract,
): FoundChange[] => {
  const byPath = new Map(pairs.map((pair) => [pair.path, pair]));
  const losses = new Map<SchemaPair, Set<string>>();
  return changes.map((change) => {
    if (change.level !== 'compatible' || change.before === undefined) return change;
    if (GONE.has(change.rule)) return ignoredInForm(change, pairs, now);
    const pair = byPath.get(waysUp(change.path).find((path) => byPath.has(path)) ?? '');
    const lost = pair === undefined ? new Set<string>() : (losses.get(pair) ?? lostAt(pair, old, now));
    if (pair !== undefined) losses.set(pair, lost);
    const names = lost.size === 0 ? [] : [...namesInPart(change, old)].filter((name) => lost.has(name));
    if (names.length === 0) return change;
    const told = say`; ${joined(names.slice(0, 5).map(quoteName), ', ')}: no longer listed; still accepted, like any unknown name`;
    const [message, brief] = [say`${change.message}${told}`, say`${change.brief}${told}`];
    return { ...change, level: 'silent', quiet: false, message, brief };
  });
};
