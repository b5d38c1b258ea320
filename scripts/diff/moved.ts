import { namesIn } from '../contract/json-pointer.ts';
import { plainName, quoteName, quoteText } from '../text/quote.ts';
import { say } from '../text/shown.ts';
import { inputPropertyWordsChanged } from './rules/input-property-words-changed.ts';
import { toolDescriptionChanged } from './rules/tool-description-changed.ts';
import { toolHintChanged } from './rules/tool-hint-changed.ts';
import { toolTitleChanged } from './rules/tool-title-changed.ts';
import type { FoundChange } from './types.ts';

const WORDS: ReadonlySet<string> = new Set([
  inputPropertyWordsChanged.id,
  toolDescriptionChanged.id,
  toolHintChanged.id,
  toolTitleChanged.id,
]);

/** What the words of a change are about. */
const subjectOf = ({ parameter = [], ofNames = false }: FoundChange): string => JSON.stringify([parameter, ofNames]);

/** The form of a value that a place belongs to; undefined outside of all forms. */
const formOf = ({ path }: FoundChange): string | undefined => /^.*\/(?:anyOf|oneOf)\/\d+(?=\/|$)/.exec(path)?.[0];

/** Whether the words at two places are about the same values: of two forms, they are not. */
const isSameForm = (one: FoundChange, other: FoundChange): boolean => {
  const [had, has] = [formOf(one), formOf(other)];
  return had === undefined || has === undefined || had === has;
};

const keywordOf = ({ path }: FoundChange): string => namesIn(path).at(-1) ?? '';

/** The change of words that moved unchanged: one for the old place and the new one. */
const moved = (from: FoundChange, to: FoundChange): FoundChange => {
  const { effect: _none, ...change } = from;
  const [had, has] = [keywordOf(from), keywordOf(to)];
  const where = had === has ? say`` : say` as ${quoteName(has)}`;
  const brief = say`its ${plainName(had)} stands elsewhere now${where}, and says the same`;
  const message = say`${brief}: ${quoteText(String(from.before), 80)}`;
  // The model never sees a tool's title: a former title is new to it as a description.
  const isNew = from.parameter === undefined && to.rule === toolDescriptionChanged.id;
  return {
    ...change,
    ...(isNew ? { level: 'semantic', quiet: false } : { level: 'compatible', quiet: true }),
    path: to.path,
    rule: to.rule,
    after: to.after as string,
    message,
    brief,
  };
};

/**
 * The changes of one tool, with one line for words that moved, and one for the same change of words at several places of one
 * parameter, such as its schema and a branch of it.
 */
export const withoutMoves = (changes: readonly FoundChange[]): FoundChange[] => {
  const left = changes.filter(
    ({ rule, before, after }) => WORDS.has(rule) && typeof before === 'string' && after === undefined,
  );
  const taken = new Set<FoundChange>();
  const movesOf = new Map<FoundChange, FoundChange>();
  for (const came of changes) {
    if (!WORDS.has(came.rule) || came.before !== undefined) continue;
    const from = left.find(
      (one) =>
        !movesOf.has(one) && one.before === came.after && subjectOf(one) === subjectOf(came) && isSameForm(one, came),
    );
    if (from === undefined) continue;
    movesOf.set(from, moved(from, came));
    taken.add(came);
  }
  const told = new Set<string>();
  return changes.flatMap((change) => {
    if (taken.has(change)) return [];
    if (change.rule !== inputPropertyWordsChanged.id) return [movesOf.get(change) ?? change];
    const key = JSON.stringify([subjectOf(change), keywordOf(change), change.before ?? null, change.after ?? null]);
    if (told.has(key)) return [];
    told.add(key);
    return [movesOf.get(change) ?? change];
  });
};
