// Parameters that moved from one form of a value to another one, told as that.
import { groupBy } from '../contract/group-by.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { plainName, quoteName, quoteValue } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { isAnything } from './plain-limits.ts';
import { namesBehind } from './references.ts';
import { inputPropertyAdded } from './rules/input-property-added.ts';
import { inputPropertyRemoved } from './rules/input-property-removed.ts';
import type { FoundChange, SchemaPair } from './types.ts';

const MOST_SHOWN = 4;

/** A form by the names that it lists, those with their only value first: `{ kind: "a", path }`. */
const formName = (form: JsonObject, without: string): Shown => {
  const properties = Object.entries((own(form, 'properties') ?? {}) as JsonObject).filter(([name]) => name !== without);
  const marks = properties.filter(([, said]) => own(said, 'const') !== undefined);
  const others = properties.filter((one) => !marks.includes(one));
  const shown = [
    ...marks.map(([name, said]) => say`${plainName(name)}: ${quoteValue(own(said, 'const'), 40)}`),
    ...others.map(([name]) => plainName(name)),
  ];
  return shown.length === 0 ? say`without it` : say`{ ${joined(shown.slice(0, MOST_SHOWN), ', ')} }`;
};

/** The forms of one value that two versions have: where it has several. */
interface FormsOf {
  whole: SchemaPair;
  parts: SchemaPair[];
}

const formsIn = (pairs: readonly SchemaPair[]): FormsOf[] => {
  const wholes = pairs.filter(({ lists }) =>
    lists.some(({ keyword, pairs }) => keyword !== 'allOf' && pairs.length > 1),
  );
  const byPlace = groupBy(pairs, ({ parameter }) => JSON.stringify(parameter));
  return wholes.map((whole) => ({
    whole,
    parts: (byPlace.get(JSON.stringify(whole.parameter)) ?? []).filter(
      (pair) =>
        pair !== whole &&
        !pair.isOfNames &&
        !/\/(?:allOf|then|else|if|not|dependentSchemas)(?:\/|$)/.test(pair.path.slice(whole.path.length)),
    ),
  }));
};

const isAt = ({ path }: FoundChange, pair: SchemaPair): boolean =>
  path.startsWith(`${pair.path}/properties/`) && !path.slice(pair.path.length + '/properties/'.length).includes('/');

const nameOf = ({ parameter = [] }: FoundChange): string => parameter.at(-1) ?? '';

/** A removal from one form, told with the other form that has the parameter now. */
const movedTo = (removal: FoundChange, parts: readonly SchemaPair[], changes: readonly FoundChange[]): FoundChange => {
  const name = nameOf(removal);
  const from = parts.find((pair) => isAt(removal, pair));
  const to = parts.filter((pair) => pair !== from && pair.added.includes(name));
  const [only] = to;
  if (from === undefined || only === undefined || to.length > 1) return removal;
  if (!changes.some((change) => change.rule === inputPropertyAdded.id && isAt(change, only))) return removal;
  const before = removal.level === 'breaking' ? 'refuses it' : 'only accepts it, like any unknown name';
  const message = say`moved: ${quoteName(name)} to the form ${formName(only.after, name)}; ${formName(from.after, name)} ${before}`;
  return { ...removal, message, brief: message };
};

/** A parameter that another form had, in a form that took anything under its name. */
const asTyped = (change: FoundChange, { whole, parts }: FormsOf, old: Json): FoundChange => {
  const name = nameOf(change);
  const form = parts.find((pair) => isAt(change, pair));
  const isNewHere = change.rule === inputPropertyAdded.id && change.level === 'compatible' && !isAnything(change.after);
  if (form === undefined || !isNewHere || !namesBehind(whole.before, old).has(name)) return change;
  const type = own(change.after, 'type');
  const is = typeof type === 'string' ? say`must be ${quoteName(type)}` : 'is restricted';
  const message = say`${quoteName(name)} is listed in the form ${formName(form.after, name)} now, and ${is} there`;
  return { ...change, level: 'breaking', quiet: false, message, brief: message };
};

/**
 * Tells of a parameter that moved from one form to another one. If nothing but its type there keeps the proof from saying that
 * every call is still valid, that is told instead.
 */
export const withOtherForms = (changes: FoundChange[], pairs: readonly SchemaPair[], old: Json): FoundChange[] => {
  if (!changes.some(({ rule, isOpen }) => isOpen || rule === inputPropertyRemoved.id)) return changes;
  const forms = formsIn(pairs);
  if (forms.length === 0) return changes;
  const moved = changes.map((change) =>
    change.rule === inputPropertyRemoved.id && isObject(change.before)
      ? forms.reduce((one, { parts }) => movedTo(one, parts, changes), change)
      : change,
  );
  const open = changes.find(({ isOpen }) => isOpen);
  const its = open && forms.find(({ whole }) => whole.path === open.path);
  if (its === undefined) return moved;
  const typed = moved.map((change) => asTyped(change, its, old));
  return typed.some((change, at) => change !== moved[at]) ? typed.filter(({ isOpen }) => !isOpen) : moved;
};
