import { bounded, canRunAway } from '../contract/bounded.ts';
import { defined } from '../contract/defined.ts';
import { IGNORED } from '../contract/dialect.ts';
import { elapsed } from '../contract/elapsed.ts';
import { pointer } from '../contract/json-pointer.ts';
import { meaningOf, SCHEMA_KEYWORDS } from '../contract/meaning.ts';
import { excludesType } from '../contract/readable.ts';
import { asOneDocument } from '../contract/references.ts';
import { sameJson } from '../contract/same.ts';
import { type Contract, isObject, type Json, own } from '../contract/types.ts';
import { quoteName } from '../text/quote.ts';
import { type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { withoutRepeatedChoices } from './discriminator.ts';
import { withWordsAtParameters } from './docstring.ts';
import { withLosses } from './lost.ts';
import { withoutMoves } from './moved.ts';
import { withNewPlaces } from './new-places.ts';
import { withOtherForms } from './other-forms.ts';
import { conditionAt, followed } from './places.ts';
import { areMembersLimited, isAnyElement, isAnything } from './plain-limits.ts';
import { withRecordsAlike } from './records.ts';
import { findToolDivisions, findToolRenames } from './rename.ts';
import { changedBranches, shownForm } from './rules/tool-branch-changed.ts';
import { type PairChanges, settle } from './settle.ts';
import { DOUBT, LIST_RULES, NAME_RULES, type RuleRow, SCHEMA_RULES, TOOL_RULES, UNCLASSIFIED } from './table.ts';
import {
  type Change,
  type Effect,
  type Finding,
  type FoundChange,
  LEVELS,
  type ListPair,
  type SchemaPair,
  type ToolPair,
} from './types.ts';
import { walk } from './walk.ts';

type ParameterWays = (readonly string[])[];
/** Where a change is: with the parameters that stand there, the first of them on its own. */
type ChangePlace = { tool: string; path: string; parameter?: readonly string[]; ways?: ParameterWays };

/** The place of a property at another place. */
const propertyAt = (
  { parameter = [], ways = [parameter], ...place }: ChangePlace,
  name: string,
): Required<ChangePlace> => ({ ...place, parameter: [...parameter, name], ways: ways.map((way) => [...way, name]) });

/** The parameters that a change is about, if any. */
const parametersAt = ({ parameter = [], ways = [parameter] }: ChangePlace) =>
  parameter.length === 0 ? {} : { parameter, ways };

/** A place with the ways to another property beside its own. */
const withSibling = ({ ways = [], ...place }: ChangePlace, name: string): ChangePlace => ({
  ...place,
  ways: [...ways, ...ways.map((way) => [...way.slice(0, -1), name])],
});

/** What is said of all arguments, and not of a parameter, concerns every call. */
const effectAt = (effect: Effect | undefined, { parameter }: ChangePlace): Effect | undefined =>
  effect?.when === 'used' && parameter?.length === 0 ? { ...effect, when: 'always' } : effect;

const toChange = (place: ChangePlace, row: RuleRow<never>, finding: Finding): FoundChange => {
  const kind = finding.kind ?? (Object.keys(row.levels)[0] as string);
  const level = row.levels[kind];
  if (level === undefined) throw new Error(`rule ${row.rule.id} has no level for its kind ${kind}`);
  const { parameter, alsoParameter } = finding;
  const itself = parameter === undefined ? place : propertyAt(place, parameter);
  const about = alsoParameter === undefined ? itself : withSibling(itself, alsoParameter);
  return {
    tool: finding.tool ?? place.tool,
    path: place.path + (finding.path ?? ''),
    rule: row.rule.id,
    level,
    message: finding.message,
    ...defined({ before: finding.before, after: finding.after }),
    ...parametersAt(about),
    ...defined({ effect: effectAt(row.effects?.[kind], about), values: finding.values, branch: finding.branch }),
    ...defined({ of: finding.of, renamedTo: finding.renamedTo }),
    ...(row.quiet?.includes(kind) ? { quiet: true } : {}),
    brief: finding.brief ?? finding.message,
  };
};

/** Runs a table's rules that these differing keywords may concern on a pair. Also returns the keywords they explain. */
const runRules = <P extends ListPair | ToolPair | SchemaPair>(
  rows: RuleRow<P>[],
  pair: P,
  place: ChangePlace,
  differing: readonly string[],
) => {
  const changes: FoundChange[] = [];
  const explained = new Set<string>();
  for (const row of rows) {
    const { keywords } = row.rule;
    if (keywords.length > 0 && !differing.some((keyword) => keywords.includes(keyword))) continue;
    for (const finding of row.rule.find(pair)) {
      changes.push(toChange(place, row as unknown as RuleRow<never>, finding));
      for (const keyword of finding.keywords ?? keywords) explained.add(keyword);
    }
  }
  return { changes, explained };
};

/** What keywords are about, for a caller of the tool. */
const WHAT_CHANGED: ReadonlyMap<string, Shown> = new Map(
  Object.entries({
    additionalItems: say`the limits on further elements changed`,
    additionalProperties: say`the limits on other parameters changed`,
    allOf: say`the conditions that it has to meet changed`,
    anyOf: say`the forms that it may have changed`,
    contains: say`the limits on one of its elements changed`,
    dependencies: say`the rules for what is given together changed`,
    dependentSchemas: say`the limits where a certain parameter is given changed`,
    else: say`the limits where a condition does not hold changed`,
    if: say`the condition on which other limits depend changed`,
    items: say`the limits on its elements changed`,
    not: say`the excluded values changed`,
    oneOf: say`the forms that it may have changed`,
    patternProperties: say`the limits on parameters with certain names changed`,
    prefixItems: say`the limits on its first elements changed`,
    properties: say`its parameters are declared in another way`,
    propertyNames: say`the limits on names changed`,
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: say`the limits where a condition holds changed`,
    unevaluatedItems: say`the limits on further elements changed`,
    unevaluatedProperties: say`the limits on other parameters changed`,
  }),
);

/** When a change that no rule knows matters: a parameter's own `required: true` is about calls that leave it out. */
const effectOf = (keyword: string, after: Json | undefined): Effect =>
  keyword === 'required' && after === true ? { ...UNCLASSIFIED.effect, when: 'omitted' } : UNCLASSIFIED.effect;

const unclassified = (
  place: ChangePlace,
  keyword: string,
  before: Json | undefined,
  after: Json | undefined,
  what = WHAT_CHANGED.get(keyword),
): FoundChange => {
  const message = say`${what ?? say`${quoteName(keyword)} changed`}${DOUBT}`;
  return {
    tool: place.tool,
    path: `${place.path}${pointer(keyword)}`,
    rule: UNCLASSIFIED.id,
    level: UNCLASSIFIED.level,
    message,
    ...defined({ before, after }),
    ...parametersAt(place),
    ...(place.parameter && place.parameter.length > 0 ? { effect: effectOf(keyword, after) } : {}),
    brief: message,
  };
};

const differingKeys = (before: object, after: object): string[] => {
  const keys = Object.keys(before).filter((key) => !sameJson(own(before, key), own(after, key)));
  for (const key of Object.keys(after))
    if (!Object.hasOwn(before, key) && own(after, key) !== undefined) keys.push(key);
  return keys;
};

/** Fields of a contract that rules of their own cover completely, or that are not part of it. */
const UNCOMPARED = new Set(['name', 'annotations', 'branches', 'extra']);

const diffTool = (before: Contract, after: Contract): FoundChange[] => {
  const place = { tool: after.name, path: '' };
  const differing = differingKeys(before, after);
  const { changes, explained } = runRules(TOOL_RULES, { at: 'tool', before, after }, place, differing);
  const walked = isObject(before.inputSchema) && isObject(after.inputSchema);
  for (const key of differing) {
    if (explained.has(key) || UNCOMPARED.has(key) || (key === 'inputSchema' && walked)) continue;
    changes.push(unclassified(place, key, own(before, key), own(after, key)));
  }
  return changes;
};

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

const diffSchemas = (tool: string, pair: SchemaPair): FoundChange[] => {
  const place: ChangePlace = { tool, path: pair.path, parameter: pair.parameter, ways: pair.ways };
  const differing = differingKeys(pair.before, pair.after);
  // A choice that is written as before may name definitions that changed places.
  if (differing.length === 0 && !Object.hasOwn(pair.before, 'discriminator')) return [];
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
const behindDynamic = (tool: string, pairs: readonly SchemaPair[]): FoundChange[] =>
  pairs
    .filter(({ refersSomewhere }) => refersSomewhere)
    .map(({ path, parameter, ways, after }) => {
      const keyword = Object.hasOwn(after, '$dynamicRef') ? '$dynamicRef' : '$recursiveRef';
      const what = say`it refers to a definition, and definitions changed`;
      return unclassified({ tool, path, parameter, ways }, keyword, undefined, undefined, what);
    });

/** Sorts changes; those of one level stay in their order. */
const worstFirst = (changes: readonly FoundChange[]): FoundChange[] =>
  LEVELS.flatMap((level) => changes.filter((change) => change.level === level));

/** Merges equal changes, such as those from several references to one definition, into one with all its parameters. */
const onceEach = (changes: FoundChange[]): FoundChange[] => {
  const known = new Map<string, { change: FoundChange; ways: ParameterWays[] }>();
  for (const change of changes) {
    const key = `${change.path.length} ${change.path}${change.rule} ${change.message}`;
    const first = known.get(key);
    if (first === undefined) known.set(key, { change, ways: change.ways ? [change.ways] : [] });
    else if (change.ways) first.ways.push(change.ways);
  }
  return [...known.values()].map(({ change, ways }) => (ways.length < 2 ? change : { ...change, ways: ways.flat() }));
};

/** How long comparing two versions of one tool may take, in ms, whatever other tools take. */
const BUDGET_MS = 600;
/** How much of it the first attempt gets, in ms, where a pattern may run away; after it, no single proof gets all. */
const FIRST_MS = 120;
/** Schemas shorter than this, in characters, without references and runaway patterns, never take long: no time limit. */
const PLAIN = 20_000;

/** Why a tool could not be compared, or not all of it. */
const INCOMPLETE = {
  late: say`could not be compared in time`,
  failed: say`could not be compared`,
  large: say`is too large to be compared as a whole: more may have changed`,
};

/** The change of a tool that is too large or too complex to compare: what changed is unknown. */
const incomplete = (tool: string, why: keyof typeof INCOMPLETE): FoundChange => {
  const message = INCOMPLETE[why];
  const { id: rule, level } = UNCLASSIFIED;
  return { tool, path: '/inputSchema', rule, level, message, brief: message, incomplete: true };
};

/** Outside the schemas, rules look at what was sent: there the paths are those of the answer. */
const asSent = (meaning: Contract, { branches, extra }: Contract): Contract => ({
  ...meaning,
  ...defined({ branches, extra }),
});

/** Compares what each branch takes like an input schema; a change matters to the calls that name the branch. */
const diffBranches = (before: Contract, after: Contract, careful: boolean): FoundChange[] =>
  changedBranches(before, after).flatMap(({ had, has }) => {
    const [old, now] = [had.branch, has.branch];
    const [was, is] = [old, now].map(({ schema }) => ({ name: after.name, inputSchema: schema as Json }));
    const within = say`branch ${shownForm(has)}: `;
    return compare(was as Contract, is as Contract, careful).map(
      (change): FoundChange => ({
        ...change,
        path: now.schemaPath + change.path.slice('/inputSchema'.length),
        message: say`${within}${change.message}`,
        brief: say`${within}${change.brief}`,
        of: { had, has },
        ...defined({ branch: now.name }),
      }),
    );
  });

/** If one side does not list what the tool takes, there is nothing to compare the other with. */
const comparable = (before: Contract, after: Contract): [Contract, Contract] =>
  before.schemaless === after.schemaless ? [before, after] : [before, { ...after, inputSchema: before.inputSchema }];

const asCompared = (contract: Contract): Contract => {
  const meaning = meaningOf(contract);
  return { ...meaning, inputSchema: asOneDocument(meaning.inputSchema, contract.inputSchema) };
};

/** The change of a tool that could not be read on one side: what changed is unknown. */
const unreadable = ({ name }: Contract, defect: string): FoundChange => {
  const { id: rule, level } = UNCLASSIFIED;
  const message = say`could not be read: ${visible(defect, { max: 160 })}`;
  return { tool: name, path: '', rule, level, message, brief: message, incomplete: true };
};

/** Changes without those of tools that could not be read on one side: whether these changed is unknown. */
export const ofReadable = <C extends { tool: string }>(
  changes: readonly C[],
  ...lists: (readonly Contract[])[]
): C[] => {
  const dark = new Set(lists.flat().flatMap(({ name, defect }) => (defect === undefined ? [] : [name])));
  return changes.filter(({ tool }) => !dark.has(tool));
};

/** What is said of one form's values, where the list around it tells which of all values came and went. */
const OF_VALUES: ReadonlySet<string> = new Set(['/const', '/enum', '/nullable', '/type']);

/** Without what is told of the list of forms as a whole. */
const withoutListed = (found: PairChanges[]): PairChanges[] => {
  const listed = new Set(
    found.flatMap(({ pair: { path, lists } }) =>
      lists.flatMap(({ keyword, pairs, values }) =>
        values === undefined ? [] : pairs.map(([from]) => `${path}/${keyword}/${from}`),
      ),
    ),
  );
  if (listed.size === 0) return found;
  return found.map(({ pair, changes }) => ({
    pair,
    changes: changes.filter(
      ({ path, level }) =>
        level === 'semantic' || !listed.has(pair.path) || !OF_VALUES.has(path.slice(pair.path.length)),
    ),
  }));
};

const compare = (given: Contract, current: Contract, careful = false): FoundChange[] => {
  const defect = current.defect ?? given.defect;
  if (defect !== undefined) return [unreadable(current, defect)];
  const [before, after] = withWordsAtParameters(...comparable(given, current));
  const [had, has] = [before, after].map(asCompared) as [Contract, Contract];
  const [inputs, inputsNow] = withRecordsAlike(...withoutRepeatedChoices(had.inputSchema, has.inputSchema));
  const [old, now]: [Contract, Contract] = [
    { ...had, inputSchema: inputs },
    { ...has, inputSchema: inputsNow },
  ];
  const { pairs, allPlaces, allWays } = walk(old, now);
  const found = withoutListed(pairs.map((pair) => ({ pair, changes: diffSchemas(after.name, pair) })));
  const settled = withLosses(withoutMoves(settle(found, old, now, careful)), pairs, old, now);
  const ofSchema = [
    ...withNewPlaces(withOtherForms(settled, pairs, old.inputSchema), old.inputSchema, now.inputSchema),
    ...behindDynamic(after.name, pairs),
  ];
  // A call may take a way that is not known. That matters if it could meet a change there.
  const isWhole = allPlaces && (allWays || ofSchema.every(({ effect }) => effect === undefined));
  return worstFirst([
    ...withoutMoves(diffTool(asSent(old, before), asSent(now, after))),
    ...onceEach(isWhole ? ofSchema : [...ofSchema, incomplete(after.name, 'large')]),
    ...diffBranches(before, after, careful),
  ]);
};

/** How long a comparison may take: never long, longer than anyone waits, or without end, as a pattern may run away. */
type Risk = 'none' | 'long' | 'endless';

const REFERENCE = /"\$(?:ref|dynamicRef|recursiveRef)"/;

const riskOf = (before: Contract, after: Contract): Risk => {
  const results = [before.outputSchema, after.outputSchema];
  const text = JSON.stringify([
    ...[before.inputSchema, after.inputSchema, before.branches, after.branches],
    // They are compared only if they differ.
    ...(sameJson(before.outputSchema, after.outputSchema) ? [] : results),
  ]);
  if (canRunAway(text)) return 'endless';
  return text.length < PLAIN && !REFERENCE.test(text) ? 'none' : 'long';
};

/** What changed between two versions of one tool, the worst first; empty if they differ only in noise. */
export const diffContract = (before: Contract, after: Contract, risk = riskOf(before, after)): FoundChange[] => {
  if (risk === 'none') return compare(before, after);
  const quick = bounded(() => compare(before, after), risk === 'endless' ? FIRST_MS : BUDGET_MS);
  if (quick.done) return quick.value;
  const careful = risk === 'endless' ? bounded(() => compare(before, after, true), BUDGET_MS - FIRST_MS) : quick;
  return careful.done ? careful.value : [incomplete(after.name, careful.timedOut ? 'late' : 'failed')];
};

/** How many tools are compared so far, out of how many. */
export type DiffProgress = (done: number, of: number) => void;

/** For how long, in ms, tools begin under a time limit that they share. The last one has what is left of it. */
const SHARED_MS = 100;

const diffPairs = (
  pairs: (readonly [Contract, Contract])[],
  budget: number,
  compared: DiffProgress,
): FoundChange[][] => {
  const end = elapsed() + budget;
  const risks = pairs.map(([old, now]) => riskOf(old, now));
  const found: FoundChange[][] = [];
  const next = (diff: typeof diffContract, risk?: Risk): void => {
    const [old, now] = pairs[found.length] as [Contract, Contract];
    compared(found.length, pairs.length);
    found.push(elapsed() > end ? [incomplete(now.name, 'late')] : diff(old, now, risk));
  };
  while (found.length < pairs.length) {
    // Setting a time limit takes longer than comparing most tools. What runs out of a shared one gets one of its own.
    if (risks[found.length] === 'long' && risks[found.length + 1] === 'long')
      bounded(() => {
        const until = elapsed() + SHARED_MS;
        while (found.length < pairs.length && risks[found.length] !== 'endless' && elapsed() < until)
          next((old, now) => compare(old, now));
      }, BUDGET_MS);
    if (found.length < pairs.length) next(diffContract, risks[found.length]);
  }
  return found;
};

/**
 * What changed between two lists of tools, the worst first: in tools that both have, and tools that were added, removed or
 * renamed.
 * @param budget milliseconds; after that, further tools are reported as changed, but not compared
 * @param compared receives how many of the changed tools are compared
 */
export const diffLists = (
  before: readonly Contract[],
  after: readonly Contract[],
  budget = Number.POSITIVE_INFINITY,
  compared: DiffProgress = () => {},
): FoundChange[] => {
  const had = new Map(before.map((tool) => [tool.name, tool]));
  const has = new Map(after.map((tool) => [tool.name, tool]));
  const gone = before.filter((tool) => !has.has(tool.name));
  const came = after.filter((tool) => !had.has(tool.name));
  const renamed = findToolRenames(gone, came);
  const from = new Set(renamed.map((pair) => pair.before.name));
  const to = new Set(renamed.map((pair) => pair.after.name));
  const [left, right] = [gone.filter((tool) => !from.has(tool.name)), came.filter((tool) => !to.has(tool.name))];
  const divided = findToolDivisions(left, right);
  const moved = new Set(divided.flatMap((division) => [...division.before, ...division.after]));
  const lists: ListPair = {
    at: 'list',
    added: right.filter((tool) => !moved.has(tool)),
    removed: left.filter((tool) => !moved.has(tool)),
    renamed,
    divided,
  };
  const changed = after.flatMap((tool): [Contract, Contract][] => {
    const old = had.get(tool.name);
    return old === undefined || sameJson(old as never, tool as never) ? [] : [[old, tool]];
  });
  const pairs = [...changed, ...renamed.map((pair): [Contract, Contract] => [pair.before, pair.after])];
  const ofLists = runRules(LIST_RULES, lists, { tool: '', path: '' }, []).changes;
  return worstFirst([ofLists, ...diffPairs(pairs, budget, compared)].flat());
};

/** A change as users and programs see it: without the fields that only the judge needs. */
export const publicChange = ({ tool, path, rule, level, message, before, after }: FoundChange): Change => ({
  tool,
  path,
  rule,
  level,
  message,
  ...defined({ before, after }),
});
