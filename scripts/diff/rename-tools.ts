// Which tool is another one under a new name, and which were split or merged.
import { canonical } from '../contract/canonical.ts';
import { groupBy } from '../contract/group-by.ts';
import { meaningHash } from '../contract/meaning.ts';
import { type Contract, type JsonObject, own } from '../contract/types.ts';
import { type Shown, say } from '../text/shown.ts';
import { letters, nameWords } from './name-words.ts';
import { shareWord, tally, typeOf } from './rename.ts';
import { doOther } from './unlike-tools.ts';

const parametersOf = (tool: Contract): string[] =>
  Object.keys((own(tool.inputSchema, 'properties') as JsonObject) ?? {}).sort();

/** Shorter names are part of too many others to be evidence. */
const LEAST_LETTERS = 4;

/** Where a word of a name begins: `getUser`, `APIGetUser`, `search2`. */
const BOUNDARY = /[^\p{L}\p{M}\p{N}]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=v?\p{N})/u;

/** Whether the longer name is the shorter one with whole words before or behind it: not `restore` and `store`. */
const extendsName = (longer: string, shorter: string): boolean => {
  const [long, short] = [letters(longer), letters(shorter)];
  if (short.length < LEAST_LETTERS || long.length <= short.length) return false;
  if (!long.startsWith(short) && !long.endsWith(short)) return false;
  const words = longer.split(BOUNDARY).map(letters);
  return words.some((_, at) => words.slice(0, at).join('') === short || words.slice(at).join('') === short);
};

const isAffixed = (before: Contract, after: Contract): boolean =>
  (extendsName(before.name, after.name) || extendsName(after.name, before.name)) &&
  parametersOf(before).join() === parametersOf(after).join();

/** Any other tool could share fewer words than this. */
const LEAST_WORDS = 2;

/** Whether the longer name has all words of the shorter one, in order, and more. */
const hasWordsOf = (longer: string, shorter: string): boolean => {
  const [long, short] = [nameWords(longer), nameWords(shorter)];
  if (short.length < LEAST_WORDS || long.length <= short.length) return false;
  let at = 0;
  for (const word of long) if (word === short[at]) at++;
  return at === short.length;
};

const declared = (tool: Contract): string =>
  canonical(
    Object.entries((own(tool.inputSchema, 'properties') as JsonObject) ?? {})
      .map(([name, one]) => [name, typeOf(one as JsonObject)])
      .sort(),
  );

const isReworded = (before: Contract, after: Contract): boolean =>
  (hasWordsOf(before.name, after.name) || hasWordsOf(after.name, before.name)) &&
  parametersOf(before).length > 0 &&
  declared(before) === declared(after);

/** Whether equal contracts are evidence: tools that have nothing to do with each other may take nothing, and say nothing. */
const saysMore = (before: Contract, after: Contract): boolean =>
  (before.description ?? '').trim() !== '' ||
  ['properties', 'required'].some((keyword) => own(before.inputSchema, keyword) !== undefined) ||
  shareWord(before.name, after.name);

/** If more tools than this share a mark, it is no evidence. */
const MOST_ALIKE = 8;
const fewOf = (alike: Contract[]): Contract[] => (alike.length > MOST_ALIKE ? [] : alike);

/** A tool that was renamed, with the evidence for it. */
export interface ToolRename {
  before: Contract;
  after: Contract;
  evidence: Shown;
}

/**
 * Pairs removed tools with added ones that are likely the same, by the best evidence. Each is used once, and none where two
 * are equally likely.
 */
export const findToolRenames = (removed: readonly Contract[], added: readonly Contract[]): ToolRename[] => {
  if (removed.length === 0 || added.length === 0) return [];
  // Comparing all names with each other is quadratic: only if there are few.
  const few = removed.length * added.length <= 2_500;
  const marked = (mark: (tool: Contract) => string) => {
    const groups = groupBy(added, mark);
    return (tool: Contract): Contract[] => fewOf(groups.get(mark(tool)) ?? []);
  };
  const ofSameContract = marked(meaningHash);
  const compared =
    (isLikely: (before: Contract, after: Contract) => boolean) =>
    (tool: Contract): Contract[] =>
      few ? fewOf(added.filter((other) => isLikely(tool, other))) : [];
  const reasons: [evidence: Shown, candidates: (tool: Contract) => Contract[]][] = [
    [say`the same name in another spelling`, marked(({ name }) => letters(name))],
    [say`the same contract`, (tool) => ofSameContract(tool).filter((other) => saysMore(tool, other))],
    [say`a name that was extended or cut, and the same parameters`, compared(isAffixed)],
    [say`a name of the same words and others, and the same parameters`, compared(isReworded)],
  ];
  const [gone, taken] = [new Set<Contract>(), new Set<Contract>()];
  return reasons.flatMap(([evidence, candidates]) => {
    const likely = removed
      .filter((tool) => !gone.has(tool))
      .map((before) => ({
        before,
        after: candidates(before).filter((tool) => !taken.has(tool) && !doOther(before, tool)),
      }));
    const suitors = tally(likely.flatMap(({ after }) => after));
    return likely.flatMap(({ before, after: [after, ...others] }) => {
      if (after === undefined || others.length > 0 || suitors.get(after) !== 1) return [];
      gone.add(before);
      taken.add(after);
      return [{ before, after, evidence }];
    });
  });
};

/** One tool that was split into several, or several that were merged into one. */
export interface ToolDivision {
  before: Contract[];
  after: Contract[];
}

const share = (a: Contract, b: Contract): boolean => {
  const names = new Set(parametersOf(a));
  return parametersOf(b).some((name) => names.has(name));
};

/** Finds splits and mergers: several names that extend one name, with a parameter in common. */
export const findToolDivisions = (removed: readonly Contract[], added: readonly Contract[]): ToolDivision[] => {
  if (removed.length * added.length > 2_500) return [];
  const taken = new Set<Contract>();
  const divide = (one: Contract, others: readonly Contract[]): Contract[] => {
    const parts = others.filter((other) => !taken.has(other) && extendsName(other.name, one.name) && share(one, other));
    if (taken.has(one) || parts.length < 2) return [];
    for (const tool of [one, ...parts]) taken.add(tool);
    return parts;
  };
  const splits = removed.map((one) => ({ before: [one], after: divide(one, added) }));
  const mergers = added.map((one) => ({ before: divide(one, removed), after: [one] }));
  return [...splits, ...mergers].filter(({ before, after }) => before.length > 0 && after.length > 0);
};
