// What changed, as one call meets it.
import type { Json } from '../contract/types.ts';
import type { Validity } from '../contract/validate.ts';
import { withWordsAtParameters } from '../diff/docstring.ts';
import type { FoundChange } from '../diff/types.ts';
import { shiftsFor } from './declared.ts';
import { doubted, isAsUnread } from './doubted.ts';
import type { LiveQuestion } from './judge.ts';
import { newNames } from './new-names.ts';
import type { Shift } from './shift.ts';
import { unfound, withDefaults } from './unfound.ts';
import { validityOf } from './validity.ts';

export interface Differences {
  /** All changes: those that rules found in the contract, and those that the values of this call show. */
  changes: FoundChange[];
  /** Of these, the ones that no rule found in the contract: only the values of this call show them. */
  fromValues: readonly FoundChange[];
  /** What the call's values mean otherwise now; undefined if that is unknown. */
  shifts: readonly Shift[] | undefined;
  renamed: ReturnType<typeof newNames>;
  /** Whether the live contract takes the call. */
  validity: Validity;
  /** A change that the diff did not see to its end. */
  unseen: FoundChange | undefined;
  /** Whether something remains that could change the meaning of this call and cannot be judged. */
  isUnknown: boolean;
}

/** Places that are unreadable now and were before, if nothing else keeps the call from being validated. */
const unreadAsBefore = (validity: Validity, before: Json, after: Json): readonly string[] | undefined => {
  if (validity.valid !== 'unknown') return undefined;
  return validity.unread?.every((place) => isAsUnread(place, before, after)) ? validity.unread : undefined;
};

/** @param found the changes that rules found in the contract */
export const differencesFor = ({ believed, live, args }: LiveQuestion, found: readonly FoundChange[]): Differences => {
  const [before, after] = [believed.inputSchema, live.inputSchema];
  const validity = validityOf(after, args);
  const unread = unreadAsBefore(validity, before, after);
  const known = validity.valid === 'unknown' ? found.map((change) => doubted(change, unread)) : found;
  const renamed = newNames(found, args);
  const shiftsHere = (): Shift[] | undefined => {
    const [old, now] = withWordsAtParameters(believed, live);
    return shiftsFor(old.inputSchema, now.inputSchema, args, renamed.names);
  };
  const shifts = found.length > 0 ? shiftsHere() : [];
  const fromValues = unfound(live.name, shifts ?? [], known, validity);
  const changes = [...(shifts ? withDefaults(known, shifts) : known), ...fromValues];
  // An uncheckable part that is as the model knows it is not drift: we mention it along with what changed.
  const isOpen = validity.valid === 'unknown' && unread === undefined;
  const unseen = changes.find(({ incomplete }) => incomplete);
  const isUnknown = isOpen || shifts === undefined || unseen !== undefined;
  return { changes, fromValues, shifts, renamed, validity, unseen, isUnknown };
};
