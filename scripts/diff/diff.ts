// Compares two versions of one tool.
import { bounded, canRunAway } from '../contract/bounded.ts';
import { defined } from '../contract/defined.ts';
import { meaningOf } from '../contract/meaning.ts';
import { asOneDocument } from '../contract/references.ts';
import { sameJson } from '../contract/same.ts';
import { type Contract, isObject, type Json, own } from '../contract/types.ts';
import { say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { behindDynamic, diffSchemas } from './diff-schemas.ts';
import { withoutRepeatedChoices } from './discriminator.ts';
import { withWordsAtParameters } from './docstring.ts';
import { withLosses } from './lost.ts';
import { withoutMoves } from './moved.ts';
import { withNewPlaces } from './new-places.ts';
import { withOtherForms } from './other-forms.ts';
import { withRecordsAlike } from './records.ts';
import { changedBranches, shownForm } from './rules/tool-branch-changed.ts';
import { differingKeys, type ParameterWays, runRules } from './run-rules.ts';
import { type PairChanges, settle } from './settle.ts';
import { TOOL_RULES, UNCLASSIFIED } from './table.ts';
import { type FoundChange, LEVELS } from './types.ts';
import { unclassified } from './unclassified.ts';
import { walk } from './walk.ts';

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

/** Sorts changes; those of one level stay in their order. */
export const worstFirst = (changes: readonly FoundChange[]): FoundChange[] =>
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
export const BUDGET_MS = 600;

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
export const incomplete = (tool: string, why: keyof typeof INCOMPLETE): FoundChange => {
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

export const compare = (given: Contract, current: Contract, careful = false): FoundChange[] => {
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
export type Risk = 'none' | 'long' | 'endless';

const REFERENCE = /"\$(?:ref|dynamicRef|recursiveRef)"/;

export const riskOf = (before: Contract, after: Contract): Risk => {
  const results = [before.outputSchema, after.outputSchema];
  const text = JSON.stringify([
    ...[before.inputSchema, after.inputSchema, before.branches, after.branches],
    // They are compared only if they differ.
    ...(sameJson(before.outputSchema, after.outputSchema) ? [] : results),
  ]);
  if (canRunAway(text)) return 'endless';
  return text.length < PLAIN && !REFERENCE.test(text) ? 'none' : 'long';
};

const diffInTime = (before: Contract, after: Contract, risk: Risk): { isWhole: boolean; found: FoundChange[] } => {
  if (risk === 'none') return { isWhole: true, found: compare(before, after) };
  const quick = bounded(() => compare(before, after), risk === 'endless' ? FIRST_MS : BUDGET_MS);
  if (quick.done) return { isWhole: true, found: quick.value };
  const careful = risk === 'endless' ? bounded(() => compare(before, after, true), BUDGET_MS - FIRST_MS) : quick;
  const found = careful.done ? careful.value : [incomplete(after.name, careful.timedOut ? 'late' : 'failed')];
  return { isWhole: false, found };
};

/** What changed between contracts that are still in use: each call of a wrapped tool compares the same two. */
const known = new WeakMap<Contract, WeakMap<Contract, readonly FoundChange[]>>();

/** What changed between two versions of one tool, the worst first; empty if they differ only in noise. */
export const diffContract = (
  before: Contract,
  after: Contract,
  risk = riskOf(before, after),
): readonly FoundChange[] => {
  const told = known.get(before)?.get(after);
  if (told !== undefined) return told;
  const { isWhole, found } = diffInTime(before, after, risk);
  // With more time, the next one may find more.
  if (isWhole) known.set(before, (known.get(before) ?? new WeakMap()).set(after, found));
  return found;
};
