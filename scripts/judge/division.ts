// Where a tool went that was split by one of its values, or merged into one that has a value for it.
import { propertiesOf } from '../contract/object-schema.ts';
import { type Contract, type Json, type JsonObject, own } from '../contract/types.ts';
import { nameWords } from '../diff/name-words.ts';

/** More new tools, and values of a parameter, are not compared. */
const MOST_TOOLS = 100;
const MOST_VALUES = 100;

const sameWords = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && [...some].sort().join(' ') === [...others].sort().join(' ');

/** The texts that a parameter can be, by its name. */
const choicesOf = ({ inputSchema }: Contract): [parameter: string, values: string[]][] =>
  Object.entries(propertiesOf(inputSchema)).flatMap(([name, schema]): [string, string[]][] => {
    const values = own(schema as Json, 'enum');
    if (!Array.isArray(values) || values.length > MOST_VALUES) return [];
    return [[name, values.filter((value): value is string => typeof value === 'string')]];
  });

const takes = ({ inputSchema }: Contract, names: readonly string[]): boolean => {
  const known = propertiesOf(inputSchema);
  return names.length > 0 && names.every((name) => Object.hasOwn(known, name));
};

/** Of `manage_user` with the action "delete": `delete_user`, if that takes the other arguments. */
const isPart = (whole: Contract, part: Contract, args: JsonObject): boolean => {
  const [words, wanted] = [nameWords(whole.name), nameWords(part.name)];
  return choicesOf(whole).some(([parameter, values]) => {
    const value = args[parameter];
    if (typeof value !== 'string' || !values.includes(value)) return false;
    const chosen = nameWords(value);
    const withoutOne = words
      .map((_, at) => words.filter((__, other) => other !== at))
      .filter(({ length }) => length > 0);
    const isNamed = [words, ...withoutOne].some((rest) => sameWords([...chosen, ...rest], wanted));
    const others = Object.keys(args).filter((name) => name !== parameter);
    return chosen.length > 0 && isNamed && takes(part, others);
  });
};

/** Of `stop_vm`: `vm_power`, if that takes its arguments, and the action "stop". */
const isWhole = (part: Contract, whole: Contract, args: JsonObject): boolean => {
  const [words, others] = [nameWords(part.name), nameWords(whole.name)];
  const isChosenBy = (value: string): boolean => {
    const chosen = nameWords(value);
    const rest = words.filter((word) => !chosen.includes(word));
    const isNamed = chosen.length > 0 && words.length - rest.length === chosen.length;
    return isNamed && rest.length > 0 && rest.every((word) => others.includes(word));
  };
  return (
    takes(whole, Object.keys(args)) &&
    choicesOf(whole).some(([parameter, values]) => !Object.hasOwn(args, parameter) && values.some(isChosenBy))
  );
};

/** The one new tool that does what a call asks of a tool that is gone; undefined if none or several may. */
export const divided = (gone: Contract, added: readonly Contract[], args: JsonObject): Contract | undefined => {
  if (added.length > MOST_TOOLS) return undefined;
  const [found, ...more] = added.filter((tool) => isPart(gone, tool, args) || isWhole(gone, tool, args));
  return more.length === 0 ? found : undefined;
};
