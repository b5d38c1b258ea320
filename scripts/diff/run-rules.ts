// Runs the rules of a table on a pair, and gives each finding its place.
import { defined } from '../contract/defined.ts';
import { sameJson } from '../contract/same.ts';
import { own } from '../contract/types.ts';
import type { RuleRow } from './table.ts';
import type { Effect, Finding, FoundChange, ListPair, SchemaPair, ToolPair } from './types.ts';

export type ParameterWays = (readonly string[])[];

/** Where a change is: with the parameters that stand there, the first of them on its own. */
export type ChangePlace = { tool: string; path: string; parameter?: readonly string[]; ways?: ParameterWays };

/** The place of a property at another place. */
export const propertyAt = (
  { parameter = [], ways = [parameter], ...place }: ChangePlace,
  name: string,
): Required<ChangePlace> => ({ ...place, parameter: [...parameter, name], ways: ways.map((way) => [...way, name]) });

/** The parameters that a change is about, if any. */
export const parametersAt = ({ parameter = [], ways = [parameter] }: ChangePlace) =>
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
    ...defined({ effect: effectAt(row.effects?.[kind], about), branch: finding.branch, of: finding.of }),
    ...defined({ values: finding.values, sameValues: finding.sameValues }),
    ...defined({ renamedTo: finding.renamedTo, isLikely: finding.isLikely }),
    ...(row.quiet?.includes(kind) ? { quiet: true } : {}),
    brief: finding.brief ?? finding.message,
  };
};

/** Runs a table's rules that these differing keywords may concern on a pair. Also returns the keywords they explain. */
export const runRules = <P extends ListPair | ToolPair | SchemaPair>(
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

export const differingKeys = (before: object, after: object): string[] => {
  const keys = Object.keys(before).filter((key) => !sameJson(own(before, key), own(after, key)));
  for (const key of Object.keys(after))
    if (!Object.hasOwn(before, key) && own(after, key) !== undefined) keys.push(key);
  return keys;
};
