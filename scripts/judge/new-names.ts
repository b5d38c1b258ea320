// A call by the new names of parameters: the model has them from a stop, not from the contract that it believes.
import { defined } from '../contract/defined.ts';
import type { JsonObject } from '../contract/types.ts';
import { inputPropertyRenamed } from '../diff/rules/input-property-renamed.ts';
import { inputPropertyReplaced } from '../diff/rules/input-property-replaced.ts';
import type { FoundChange } from '../diff/types.ts';
import type { NewNames } from './declared.ts';
import type { Reason } from './judge.ts';
import { uses, withOldNames } from './touch.ts';

/** The parameters that were renamed, and how they are called now. */
const newNamesIn = (changes: readonly FoundChange[]): NewNames =>
  changes.flatMap(({ rule, renamedTo: to, ways = [] }) =>
    rule === inputPropertyRenamed.id && to !== undefined ? ways.map((way) => ({ way, to })) : [],
  );

/** Whether a way begins with these steps. */
const sameSteps = (steps: readonly string[], way: readonly string[]): boolean =>
  steps.every((step, index) => step === way[index]);

/** Whether a change is about a parameter that was renamed, or about a part of one, and says more than its new name. */
const isOfRenamed = ({ rule, ways = [] }: FoundChange, names: NewNames): boolean =>
  rule !== inputPropertyRenamed.id && ways.some((way) => names.some((one) => sameSteps(one.way, way)));

/** A change of a renamed parameter, told by its new name. */
const underNewNames = (change: FoundChange, names: NewNames): FoundChange => {
  const now = (way: readonly string[]): string[] =>
    way.map((step, at) => {
      const place = way.slice(0, at + 1);
      return names.find((one) => one.way.length === place.length && sameSteps(one.way, place))?.to ?? step;
    });
  const { parameter, ways } = change;
  return { ...change, ...defined({ parameter: parameter && now(parameter), ways: ways?.map(now) }) };
};

/** Whether a call has the name that came, and not the one that went. */
const hasOnlyNew = ({ rule, before: from, ways = [] }: FoundChange, args: JsonObject): boolean =>
  rule === inputPropertyReplaced.id && !ways.some((way) => way.at(-1) === from && uses(args, way));

/** How a call that may have new names already meets the changes, which are found under the old ones. */
export const newNames = (changes: readonly FoundChange[], args: JsonObject) => {
  const names = newNamesIn(changes);
  const byOldNames = names.length === 0 ? args : withOldNames(args, names);
  const concerns = (change: FoundChange): boolean => isOfRenamed(change, names);
  return {
    names,
    concerns,
    /** The arguments by the names under which the change is found. */
    argumentsFor: (change: FoundChange): JsonObject => (concerns(change) ? byOldNames : args),
    /** The change as the call meets it. */
    told: (change: FoundChange): Pick<Reason, 'change' | 'byNewName'> => {
      const { ways = [] } = change;
      if (hasOnlyNew(change, args)) return { change, byNewName: true };
      if (!concerns(change) || ways.some((way) => uses(args, way))) return { change };
      const has = ways.some((way) => uses(byOldNames, way));
      return { change: underNewNames(change, names), ...(has && { byNewName: true }) };
    },
  };
};
