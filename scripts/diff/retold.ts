import { canonical } from '../contract/canonical.ts';
import { defined } from '../contract/defined.ts';
import { type Json, own } from '../contract/types.ts';
import { quoteName } from '../text/quote.ts';
import { say } from '../text/shown.ts';
import type { BranchLists } from './branches.ts';
import { isWithin } from './is-within.ts';
import { REWRITTEN } from './table.ts';
import type { FoundChange, SchemaPair } from './types.ts';
import { toldIn } from './words/told.ts';

/** Whether a schema provably accepts every value that another one accepts. */
type Proves = (given: Json, claim: Json) => boolean;

/** The documents of both sides, and proofs in both directions. */
export interface Proofs {
  old: Json;
  now: Json;
  proves: Proves;
  provesBack: Proves;
}

/** A part that was rewritten so that every call that was valid still is; `semantic` if its words changed, too. */
export const rewritten = (
  keyword: string,
  isRetold: boolean,
): Pick<FoundChange, 'rule' | 'level' | 'effect' | 'quiet' | 'message' | 'brief'> => {
  const message = say`${quoteName(keyword)} was rewritten${isRetold ? say`, and its words changed` : say``}: every call that was valid is still valid`;
  return {
    rule: REWRITTEN.id,
    level: isRetold ? 'semantic' : 'compatible',
    ...(isRetold ? { effect: REWRITTEN.effect } : { quiet: true }),
    message,
    brief: message,
  };
};

/** What is said of a branch alone, as texts: not what is also said of the value whatever its form. */
const saidOf = (branch: Json, root: Json, around: ReadonlySet<string>): string[] =>
  toldIn(branch, root)
    .map(canonical)
    .filter((text) => !around.has(text));

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((text, index) => text === others[index]);

/**
 * Whether words of a list of branches are lost, or tell of other values now. The words of two forms that belong together are
 * compared at their place, but that is no answer for values that another form takes now.
 */
const isListRetold = (
  lists: BranchLists,
  around: ReadonlySet<string>,
  { old, now, proves, provesBack }: Proofs,
): boolean => {
  const { keyword, had, has, pairs, removed, added } = lists;
  const said = had.map((branch) => saidOf(branch, old, around));
  const says = has.map((branch) => saidOf(branch, now, around));
  if ([...said, ...says].every((texts) => texts.length === 0)) return false;
  if (keyword === 'allOf') {
    const [before, after] = [new Set(said.flat()), new Set(says.flat())];
    return (
      removed.some((at) => said[at]?.some((text) => !after.has(text))) ||
      added.some((at) => says[at]?.some((text) => !before.has(text)))
    );
  }
  const takenBy = new Map(pairs);
  const isLost = (from: number): boolean => {
    const its = said[from] as string[];
    const kept = has.filter((_, to) => takenBy.get(from) === to || isSame(its, says[to] as string[]));
    return kept.length === 0 || !proves(had[from] as Json, { anyOf: kept });
  };
  const isNew = (to: number): boolean => {
    const its = says[to] as string[];
    const alike = had.filter((_, from) => isSame(its, said[from] as string[]));
    return (
      its.length > 0 &&
      provesBack(has[to] as Json, { anyOf: [...had] }) &&
      !(alike.length > 0 && provesBack(has[to] as Json, { anyOf: alike }))
    );
  };
  return had.some((_, from) => isLost(from)) || added.some(isNew);
};

const KEYWORDS = ['allOf', 'anyOf', 'oneOf'];

/**
 * The lists of branches at a place that tell of the same values in other words, if every call that was valid still is. No
 * validator sees that, and no other rule: each branch is compared only with the one that it is paired with.
 */
export const retoldAt = (pair: SchemaPair, tool: string, proofs: Proofs): FoundChange[] => {
  const { before, after, lists, path, parameter, ways } = pair;
  const around = new Set(
    [before, after].flatMap((schema) =>
      ['default', 'description', 'title'].flatMap((keyword) => {
        const word = own(schema, keyword);
        return word === undefined ? [] : [canonical(word)];
      }),
    ),
  );
  const texts = (value: Json, root: Json) => saidOf(value, root, new Set());
  return KEYWORDS.filter((keyword) => {
    const [had, has] = [own(before, keyword), own(after, keyword)];
    const its = lists.find((list) => list.had === had || list.has === has);
    if (its !== undefined) return its.keyword === keyword && isListRetold(its, around, proofs);
    if (had !== undefined) return !isWithin(texts(had, proofs.old), texts(after, proofs.now));
    return has !== undefined && !isWithin(texts(has, proofs.now), texts(before, proofs.old));
  }).map((keyword) => ({
    tool,
    path: `${path}/${keyword}`,
    ...rewritten(keyword, true),
    ...defined({ before: own(before, keyword), after: own(after, keyword) }),
    ...(parameter.length > 0 ? { parameter, ways } : {}),
  }));
};
