import { sameJson } from '../contract/same.ts';
import { isObject, type Json, type JsonObject } from '../contract/types.ts';

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

/** Whether the arguments hold an object that the parameter belongs to, and that lacks it. */
export const omits = (args: JsonObject, parameter: readonly string[]): boolean => {
  const name = parameter.at(-1);
  if (name === undefined || name === '*') return false;
  return given(args, parameter.slice(0, -1)).some((owner) => isObject(owner) && !Object.hasOwn(owner, name));
};

/** A copy of the arguments in which a parameter has its new name, everywhere it occurs. */
export const renameArgument = (args: JsonObject, parameter: readonly string[], to: string): JsonObject => {
  const [step, ...rest] = parameter;
  const inside = (value: Json): Json => {
    if (rest[0] === '*' && Array.isArray(value)) {
      return value.map((element) =>
        isObject(element) ? renameArgument(element as JsonObject, rest.slice(1), to) : element,
      );
    }
    return isObject(value) ? renameArgument(value as JsonObject, rest, to) : value;
  };
  const entries = Object.entries(args).map(([key, value]): [string, Json] => {
    if (key !== step) return [key, value];
    return rest.length === 0 ? [to, value] : [key, inside(value)];
  });
  return Object.fromEntries(entries);
};
