import { sameJson } from '../contract/same.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import type { Move } from '../diff/types.ts';

/** The values that a value holds at a path, which has `*` for every element or any key. */
export const given = (value: Json | undefined, path: readonly string[]): Json[] => {
  if (value === undefined) return [];
  const [step, ...rest] = path;
  if (step === undefined) return [value];
  if (step === '*') {
    const members = Array.isArray(value) ? value : isObject(value) ? (Object.values(value) as Json[]) : [];
    return members.flatMap((member) => given(member, rest));
  }
  if (!isObject(value) || !Object.hasOwn(value, step)) return [];
  return given(value[step] as Json, rest);
};

/** Whether the arguments hold the parameter at least once. */
export const uses = (args: JsonObject, parameter: readonly string[]): boolean => given(args, parameter).length > 0;

/** Whether the arguments hold one of these values for the parameter. */
export const passes = (args: JsonObject, parameter: readonly string[], values: readonly Json[]): boolean =>
  given(args, parameter).some((passed) => values.some((value) => sameJson(value, passed)));

/** Whether the arguments hold the parameter with another value than these. */
export const passesOther = (args: JsonObject, parameter: readonly string[], values: readonly Json[]): boolean =>
  given(args, parameter).some((passed) => !values.some((value) => sameJson(value, passed)));

/** Whether the arguments hold an object that the parameter belongs to, and that lacks it. */
export const omits = (args: JsonObject, parameter: readonly string[]): boolean => {
  const name = parameter.at(-1);
  if (name === undefined || name === '*') return false;
  return given(args, parameter.slice(0, -1)).some((owner) => isObject(owner) && !Object.hasOwn(owner, name));
};

const filled = (value: Json, [step, ...rest]: readonly string[], added: Json): Json => {
  if (Array.isArray(value)) return step === '*' ? value.map((element) => filled(element, rest, added)) : value;
  if (!isObject(value) || step === undefined) return value;
  if (rest.length === 0) return Object.hasOwn(value, step) ? value : { ...(value as JsonObject), [step]: added };
  const entries = Object.entries(value as JsonObject).map(([key, inner]): [string, Json] => [
    key,
    key === step || step === '*' ? filled(inner, rest, added) : inner,
  ]);
  return Object.fromEntries(entries);
};

/** A copy of the arguments in which each object that a parameter belongs to and that lacks it gives it a value. */
export const giveArgument = (args: JsonObject, parameter: readonly string[], value: Json): JsonObject =>
  filled(args, parameter, value) as JsonObject;

const renamed = (value: Json, path: readonly string[], to: string): Json => {
  const [step, ...rest] = path;
  if (Array.isArray(value)) return step === '*' ? value.map((element) => renamed(element, rest, to)) : value;
  if (!isObject(value)) return value;
  const entries = Object.entries(value as JsonObject).map(([key, inner]): [string, Json] => {
    if (key !== step && step !== '*') return [key, inner];
    // Any key is not a name that a parameter had.
    if (rest.length === 0) return [step === '*' ? key : to, inner];
    return [key, renamed(inner, rest, to)];
  });
  return Object.fromEntries(entries);
};

const cut = (value: Json, [step, ...rest]: readonly string[]): Json => {
  if (Array.isArray(value)) return step === '*' ? value.map((element) => cut(element, rest)) : value;
  if (!isObject(value)) return value;
  const isMeant = (key: string): boolean => key === step || step === '*';
  const entries = Object.entries(value as JsonObject).filter(([key]) => rest.length > 0 || !isMeant(key));
  return Object.fromEntries(entries.map(([key, inner]) => [key, isMeant(key) ? cut(inner, rest) : inner]));
};

/** A copy of the arguments without a parameter, wherever it occurs. */
export const without = (args: JsonObject, parameter: readonly string[]): JsonObject =>
  cut(args, parameter) as JsonObject;

/** A copy of the arguments in which a parameter has its new name, everywhere it occurs. */
export const renameArgument = (args: JsonObject, parameter: readonly string[], to: string): JsonObject =>
  renamed(args, parameter, to) as JsonObject;

/** Whether an object in the arguments holds both names of a parameter with different values: which one was meant is unknown. */
export const holdsOther = (args: JsonObject, parameter: readonly string[], to: string): boolean => {
  const from = parameter.at(-1) ?? '';
  return given(args, parameter.slice(0, -1)).some(
    (owner) =>
      isObject(owner) &&
      Object.hasOwn(owner, from) &&
      Object.hasOwn(owner, to) &&
      !sameJson(owner[from] as Json, owner[to] as Json),
  );
};

/**
 * A copy of the arguments in which renamed parameters have their old names.
 * @param names where each was, by its old name, and what it is called now
 */
export const withOldNames = (
  args: JsonObject,
  names: readonly { way: readonly string[]; to: string }[],
): JsonObject => {
  // Outer ones first: the ways to inner ones have old names only.
  const outward = [...names].sort((a, b) => a.way.length - b.way.length);
  return outward.reduce((known, { way, to }) => {
    const from = way.at(-1);
    // A call that has both names is one by the old contract.
    if (from === undefined || uses(known, way)) return known;
    return renameArgument(known, [...way.slice(0, -1), to], from);
  }, args);
};

/** The value with another one at a path, in objects that are made where there are none; undefined if there is one. */
const placed = (value: Json | undefined, [step, ...rest]: readonly string[], moved: Json): Json | undefined => {
  if (step === undefined) return value === undefined ? moved : undefined;
  if (value !== undefined && !isObject(value)) return undefined;
  const inside = placed(own(value, step), rest, moved);
  return inside === undefined ? undefined : { ...(value as JsonObject | undefined), [step]: inside };
};

/** A copy of the arguments without the objects that a path leads through, where nothing is left in them. */
const withoutEmpty = (args: JsonObject, owner: readonly string[]): JsonObject => {
  const [only] = given(args, owner);
  if (owner.length === 0 || !isObject(only) || Object.keys(only).length > 0) return args;
  return withoutEmpty(without(args, owner), owner.slice(0, -1));
};

/** A copy of the arguments with a parameter at its new place; undefined if another value is in the way. */
export const moveArgument = (args: JsonObject, { from, to }: Move): JsonObject | undefined => {
  const [value] = given(args, from);
  if (value === undefined) return args;
  return placed(withoutEmpty(without(args, from), from.slice(0, -1)), to, value) as JsonObject | undefined;
};
