// What is judged where the validity of a call is not known.
import { namesIn } from '../contract/json-pointer.ts';
import { targetOf } from '../contract/references.ts';
import { sameJson } from '../contract/same.ts';
import type { Json } from '../contract/types.ts';
import { inputPropertyAdded } from '../diff/rules/input-property-added.ts';
import { inputPropertyBecameRequired } from '../diff/rules/input-property-became-required.ts';
import type { FoundChange } from '../diff/types.ts';
import { INPUT, standingAt } from './relies.ts';

const isInside = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}/`);

const ASKS_FOR_MORE: ReadonlySet<string> = new Set([inputPropertyAdded.id, inputPropertyBecameRequired.id]);

/** Where parts of a schema only count together: whether a value may have one form depends on the others. */
const TOGETHER = /^.*?(?:\/(?:anyOf|oneOf|not|contains)(?=\/)|(?=\/if\/))/s;

/**
 * A change as judged when it is unknown whether the call is still valid: we ask about one that breaks calls.
 * @param unread places of the live schema that could not be checked before either; absent if these may be anywhere
 */
export const doubted = (change: FoundChange, unread: readonly string[] | undefined): FoundChange => {
  const { level, path, rule, parameter = [], effect } = change;
  const isHarmful = level === 'breaking' || level === 'unclassified';
  if (!isHarmful || effect !== undefined || !path.startsWith(INPUT)) return change;
  const isChecked = (place: string): boolean => {
    const whole = INPUT + (TOGETHER.exec(place)?.[0] ?? place);
    return !isInside(path, whole) && !isInside(whole, path);
  };
  if (unread?.every(isChecked)) return change;
  const when = parameter.length === 0 ? 'always' : ASKS_FOR_MORE.has(rule) ? 'omitted' : 'used';
  return { ...change, effect: { when, verdict: 'ask' } };
};

/** Whether a place of a schema is unreadable both before and now, and the same: that is not a change. */
export const isAsUnread = (place: string, before: Json, after: Json): boolean => {
  const [had, has] = [before, after].map((root) => standingAt(namesIn(place), root));
  const wasResolved = place.endsWith('/$ref') && typeof had === 'string' && targetOf(had, before) !== undefined;
  return had !== undefined && !wasResolved && sameJson(had, has);
};
