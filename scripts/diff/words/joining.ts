// Whether the same words are joined, parted or grouped in another way.
import type { Token, Words } from './tokens.ts';

const isWithin = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  [...one].every((word) => other.has(word));

/** Words that say of a verb that it is possible, or depends on something. */
const MOODS: readonly string[] = ['can', 'would'];
/** What says that something else depends on the verb: "if it can be paid" is not "if it is paid". */
const DEPENDS = /^(?:if|when|whether)$/;
/** How far before a verb that is looked for, in words. */
const STATEMENT = 50;

/** Whether a condition is now about what is, and was about what may be, or the other way round. */
const isOtherMood = (had: ReadonlySet<string>, has: ReadonlySet<string>, last: readonly Token[]): boolean => {
  if (had.size === 0 || has.size === 0 || MOODS.every((word) => had.has(word) === has.has(word))) return false;
  const statement = last.slice(last.map(({ text }) => text).lastIndexOf('.') + 1);
  return statement.some(({ word }) => DEPENDS.test(word));
};

/**
 * Whether a joining word took the place of another one, between tokens that both texts have.
 * @param came the positions of the tokens that the old text has not; their joining words count with those around them
 */
export const isJoinedAnew = (before: Words, after: Words, came: readonly number[]): boolean => {
  const isNew = new Set(came);
  const gaps: Set<string>[] = [new Set()];
  const grown = new Set<number>();
  for (const [at, { joining }] of after.tokens.entries()) {
    for (const word of joining) gaps.at(-1)?.add(word);
    if (isNew.has(at)) grown.add(gaps.length - 1);
    else gaps.push(new Set());
  }
  for (const word of after.ending) gaps.at(-1)?.add(word);
  const old = [...before.tokens.map(({ joining }) => joining), before.ending];
  return gaps.some((gap, index) => {
    const had = old[index] as ReadonlySet<string>;
    if (!isWithin(had, gap) && !isWithin(gap, had)) return true;
    return !grown.has(index) && isOtherMood(had, gap, before.tokens.slice(Math.max(0, index - STATEMENT), index));
  });
};

/** The words of a text in groups, as its brackets part them. */
const inBrackets = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}()]+/gu, ' ')
    .split(/ ?([()]) ?/);

/** Whether brackets hold other parts of the same words. */
export const isGroupedAnew = (before: string, after: string): boolean => {
  const [had, has] = [inBrackets(before), inBrackets(after)];
  const words = (groups: readonly string[]): string =>
    groups
      .filter((one) => !/^[()]?$/.test(one))
      .join(' ')
      .trim();
  return had.length > 1 && has.length > 1 && words(had) === words(has) && had.join() !== has.join();
};

/** Words whose reach a comma or a bracket tells. */
const REACHES = /^(?:and|or|not|no|never|without|except|only|unless|if)$/;

/**
 * Whether the same words are parted at other places: "drafts (not posts) or pages" and "drafts (not posts or pages)". Where
 * one text has no such marks, they only shape it.
 */
export const isPartedAnew = (before: readonly Token[], after: readonly Token[]): boolean => {
  if (before.length !== after.length || !before.some(({ word }) => REACHES.test(word))) return false;
  const moved = (one: readonly Token[], other: readonly Token[]): boolean =>
    one.some(({ parted }, at) => parted === true && other[at]?.parted === undefined);
  return moved(before, after) && moved(after, before);
};
