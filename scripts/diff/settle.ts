import { bounded } from '../contract/bounded.ts';
import { canonical } from '../contract/canonical.ts';
import { IGNORED } from '../contract/dialect.ts';
import { namesIn } from '../contract/json-pointer.ts';
import { type Contract, type Json, type JsonObject, own } from '../contract/types.ts';
import { bare } from '../proof/conjuncts.ts';
import { proverFor } from '../proof/subset.ts';
import { say } from '../text/shown.ts';
import { isMeasure } from './annotations.ts';
import { becameOne, parametersIn } from './branches.ts';
import { conditionAt } from './places.ts';
import { type Proofs, retoldAt, rewritten } from './retold.ts';
import { inputAnnotationChanged } from './rules/input-annotation-changed.ts';
import { inputBranchChanged } from './rules/input-branch-changed.ts';
import { inputConstraintChanged } from './rules/input-constraint-changed.ts';
import { inputPropertyAdded } from './rules/input-property-added.ts';
import { inputPropertyEnumChanged } from './rules/input-property-enum-changed.ts';
import { inputPropertyTypeChanged } from './rules/input-property-type-changed.ts';
import { REWRITTEN, UNCLASSIFIED } from './table.ts';
import type { FoundChange, SchemaPair } from './types.ts';
import { toldIn } from './words/told.ts';

/** Changes at one place of the input schema. */
export interface PairChanges {
  pair: SchemaPair;
  changes: FoundChange[];
}

/** How long one proof may take, in ms, where each has a limit of its own. */
const BUDGET_MS = 60;

const isHarmful = ({ level }: FoundChange): boolean => level === 'breaking' || level === 'unclassified';

/** Whether another format tells what numbers mean: it is of no text, if it breaks no call. */
const isOfNumbers = ({ path, before, after }: FoundChange): boolean => {
  const keyword = namesIn(path).at(-1);
  if (keyword !== 'format' && keyword !== IGNORED) return false;
  const [had, has] = [before, after].map((said) => (keyword === 'format' ? said : own(said, 'format')));
  return isMeasure(had) && isMeasure(has) && had !== has;
};

/** Rules for what a value has to be: what they find means nothing where the same values are taken. */
const OF_FORM: ReadonlySet<string> = new Set([
  inputBranchChanged.id,
  inputConstraintChanged.id,
  inputPropertyEnumChanged.id,
  inputPropertyTypeChanged.id,
  REWRITTEN.id,
]);

const isOfForm = ({ rule, quiet, path }: FoundChange): boolean =>
  quiet === true && OF_FORM.has(rule) && !path.endsWith('/format');

/** Whether a form is gone, or all that could be anything is forms now: proven harmless, as other forms take the same. */
const isOtherForms = ({ rule, path, after }: FoundChange): boolean =>
  rule === inputBranchChanged.id && after === undefined && /\/(?:anyOf|oneOf)\/\d+$/.test(path);

/** The change with a lower level, for when it is proven that every call that was valid still is. */
const tame = (change: FoundChange, old: Json, now: Json): FoundChange => {
  if (!isHarmful(change)) return change;
  if (isOfNumbers(change)) return { ...change, rule: inputAnnotationChanged.id, level: 'semantic' };
  const { effect, ...mild } = change;
  // A pattern gives other names to its parts.
  if (change.rule === inputConstraintChanged.id && change.path.endsWith('/pattern') && effect !== undefined)
    return { ...change, level: 'semantic' };
  if (isOtherForms(change)) {
    const message = say`its forms are written in another way: every call that was valid is still valid`;
    return { ...mild, level: 'compatible', quiet: true, message, brief: message };
  }
  // An added parameter is reported as usual: it is irrelevant if nothing is said about calls without it.
  if (change.rule !== UNCLASSIFIED.id)
    return { ...mild, level: 'compatible', ...(change.rule === inputPropertyAdded.id ? {} : { quiet: true }) };
  const keyword = namesIn(change.path).at(-1) ?? '';
  // With its keyword, or names of parameters would be taken for keywords.
  const told = (value: Json | undefined, root: Json): string =>
    canonical(toldIn(value === undefined ? undefined : { [keyword]: value }, root));
  return { ...mild, ...rewritten(keyword, told(change.before, old) !== told(change.after, now)) };
};

/** Results for whole tools, by both schemas without their words: tools of one server are often alike. */
let settledBefore = new Map<string, boolean>();
const MOST_SETTLED = 500;
/** Larger schemas are not kept: those with more parameters, or longer as JSON. */
const MOST_PARAMETERS = 100;
const LONGEST = 20_000;

const isLarge = (schema: Json): boolean => Object.keys(own(schema, 'properties') ?? {}).length > MOST_PARAMETERS;

const onceFor = (old: Json, now: Json, prove: () => boolean): boolean => {
  if (isLarge(old) || isLarge(now)) return prove();
  const key = JSON.stringify([bare(old), bare(now)]);
  const known = settledBefore.get(key);
  if (known !== undefined) return known;
  const proven = prove();
  if (settledBefore.size >= MOST_SETTLED) settledBefore = new Map();
  if (key.length <= LONGEST) settledBefore.set(key, proven);
  return proven;
};

/**
 * Corrects the levels of changes by proof, which has the last word. If every call that was valid provably still is, changes
 * that rules call breaking, and unclassified ones, become compatible. If it cannot be proven, at least one change is
 * breaking or unclassified: if rules found none, one is added.
 * @param careful gives each proof a time limit of its own, so that an endless one leaves time for the others
 */
export const settle = (found: PairChanges[], before: Contract, after: Contract, careful = false): FoundChange[] => {
  if (found.length === 0) return [];
  const inTime = (work: () => boolean): boolean => {
    if (!careful) return work();
    const result = bounded(work, BUDGET_MS);
    return result.done && result.value;
  };
  const [old, now] = [before.inputSchema, after.inputSchema];
  let prover: ReturnType<typeof proverFor> | undefined;
  const proves: ReturnType<typeof proverFor> = (...parts) => {
    prover ??= proverFor(old, now);
    return prover(...parts);
  };
  // A shared definition is found in many places.
  const known = new Map<JsonObject, Map<JsonObject, boolean>>();
  const isTame = ({ pair }: PairChanges): boolean => {
    // A condition that accepts more may ask more of a call.
    if (pair.parameter.length === 0 || conditionAt(pair.path) !== undefined) return false;
    // What a name has to meet is no condition on a value.
    if (pair.isOfNames) return inTime(() => proves({ allOf: [{ type: 'string' }, pair.before] }, pair.after));
    const its = known.get(pair.before) ?? new Map<JsonObject, boolean>();
    known.set(pair.before, its);
    const tame = its.get(pair.after) ?? inTime(() => proves(pair.before, pair.after));
    its.set(pair.after, tame);
    return tame;
  };
  const provesCalls = () => proves(old, now, true);
  const tamed = ({ changes }: PairChanges) => changes.map((change) => tame(change, old, now));
  let backward: ReturnType<typeof proverFor> | undefined;
  const proofs: Proofs = {
    old,
    now,
    proves: (given, claim) => inTime(() => proves(given, claim)),
    provesBack: (given, claim) =>
      inTime(() => {
        backward ??= proverFor(now, old);
        return backward(given, claim);
      }),
  };
  const retold = ({ pair }: PairChanges) => retoldAt(pair, after.name, proofs);
  const isAlike = (one: PairChanges): boolean =>
    !careful && one.changes.some(isOfForm) && isTame(one) && proofs.provesBack(one.pair.after, one.pair.before);
  /** With a mark at what only says the same in another way. */
  const marked = (settled: readonly PairChanges[]): FoundChange[] => {
    // Of forms that are written in another way, each is compared with one that it may not belong to.
    const rewritten = settled.flatMap(({ pair: { path, lists }, changes }) =>
      lists.some(becameOne) || changes.some((change) => change.quiet && isOtherForms(change))
        ? [{ path: `${path}/`, names: new Set(lists.flatMap(({ had }) => had.flatMap(parametersIn))) }]
        : [],
    );
    const isOfOtherForm = (change: FoundChange): boolean =>
      isOfForm(change) ||
      (change.quiet === true &&
        change.rule === inputPropertyAdded.id &&
        rewritten.some(({ names }) => names.has(namesIn(change.path).at(-1) ?? '')));
    return settled.flatMap((one) => {
      const isWithin = rewritten.some(({ path }) => one.pair.path.startsWith(path));
      const isSame = !isWithin && isAlike(one);
      return one.changes.map((change) =>
        (isWithin && isOfOtherForm(change)) || (isSame && isOfForm(change)) ? { ...change, alike: true } : change,
      );
    });
  };
  // With a time limit of its own, a proof may fail this time and succeed another time.
  if (careful ? inTime(provesCalls) : onceFor(old, now, provesCalls))
    return marked(
      found.map((one): PairChanges => {
        const { pair, changes } = one;
        if (!pair.isRenamed || !changes.some(isHarmful) || isTame(one))
          return { pair, changes: [...tamed(one), ...retold(one)] };
        // The old name is still accepted; only a caller who switches to the new one meets the change.
        return {
          pair,
          changes: changes.map((change) => (isHarmful(change) ? { ...change, level: 'silent' } : change)),
        };
      }),
    );

  const settled = marked(
    found.map((one) => {
      const its = one.changes.some(isHarmful) && isTame(one) ? tamed(one) : one.changes;
      const told = retold(one);
      return { pair: one.pair, changes: told.length > 0 && isTame(one) ? [...its, ...told] : its };
    }),
  );
  if (settled.some(isHarmful)) return settled;
  const unproven = found.filter((one) => !isTame(one)).map(({ pair }) => pair);
  // The deepest place is the most exact one.
  const deepest = unproven.sort((a, b) => b.path.length - a.path.length)[0];
  const message = say`cannot be proven to accept every call that was valid`;
  const open: FoundChange = {
    tool: after.name,
    path: deepest?.path ?? '/inputSchema',
    rule: UNCLASSIFIED.id,
    level: UNCLASSIFIED.level,
    message,
    brief: message,
    ...(deepest && deepest.parameter.length > 0
      ? { parameter: deepest.parameter, ways: deepest.ways, effect: UNCLASSIFIED.effect }
      : {}),
    isOpen: true,
  };
  return [...settled, open];
};
