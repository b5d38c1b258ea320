// Descriptions of parameters in the description of their tool, as the docstring of a function has them:
//
//     Args:
//         city: Where to look.
//
// Newer generators put each one at its parameter. If it says the same there, nothing changed.
import { type Contract, isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { spaced } from './words/words-change.ts';

const HEADING =
  /^[ \t]{0,40}(?:(?:#{1,4}[ \t]|\*\*)?(?:args|arguments|parameters|params):?(?:\*\*:?)?|it takes \w{2,6}(?: (?:optional|required))? arguments?:)[ \t]*$/i;
const TYPE = String.raw`(?:any|array|bool|boolean|bytes|dict|float|int|integer|list|none|null|number|object|optional|required|str|string)(?:\[[\w, |]{1,40}\])?`;
/** A name, in brackets at most its type, and what is said of it. */
const ENTRY = new RegExp(
  String.raw`^([ \t]{0,40})(?:[-*] )?\x60?(\w{1,80})\x60?(?: ?\((${TYPE}(?:(?:, | \| | or )${TYPE}){0,9})\))?: +(\S.*)$`,
);
const LONGEST = 20_000;

export interface Docstring {
  /** The description without the block. */
  rest: string;
  /** What is said of each parameter, by its name. */
  said: Map<string, string>;
  /** The type that stands in brackets behind the name, where one does. */
  types: Map<string, string>;
}

export const docstringOf = (text: string): Docstring | undefined => {
  if (text.length > LONGEST) return undefined;
  const lines = text.split(/\r?\n/);
  const heading = lines.findIndex((line) => HEADING.test(line));
  if (heading < 0) return undefined;
  const said = new Map<string, string>();
  const types = new Map<string, string>();
  let [at, indent, last] = [heading + 1, Number.POSITIVE_INFINITY, ''];
  for (; at < lines.length; at++) {
    const line = lines[at] as string;
    if (line.trim() === '') break;
    const [, its = '', name = '', type, words = ''] = ENTRY.exec(line) ?? [];
    if (name !== '' && its.length <= indent) {
      // It says two things of one parameter.
      if (said.has(name)) return undefined;
      [indent, last] = [its.length, name];
      said.set(name, words);
      if (type !== undefined) types.set(name, type);
    } else if (last !== '' && line.search(/\S/) > indent) said.set(last, `${said.get(last)} ${line.trim()}`);
    else break;
  }
  const around = [lines.slice(0, heading), lines.slice(at)].map((part) => part.join('\n').trim());
  const rest = around.filter((part) => part !== '').join('\n\n');
  return said.size === 0 ? undefined : { rest, said, types };
};

export const propertiesOf = ({ inputSchema }: Contract): JsonObject => {
  const properties = own(inputSchema, 'properties');
  return isObject(properties) ? (properties as JsonObject) : {};
};

const wordsAt = (properties: JsonObject, name: string): Json | undefined => own(own(properties, name), 'description');

/** A contract whose parameters have the descriptions that its docstring gives them, if another contract has just these. */
const withWordsInPlace = (contract: Contract, { rest, said }: Docstring, other: Contract): Contract => {
  const [its, theirs] = [propertiesOf(contract), propertiesOf(other)];
  const isSame = ([name, words]: [string, string]): boolean => {
    const now = wordsAt(theirs, name);
    const isUntold = isObject(own(its, name)) && wordsAt(its, name) === undefined;
    return isUntold && typeof now === 'string' && spaced(now) === spaced(words);
  };
  if (![...said].every(isSame)) return contract;
  const told = [...said.keys()].map((name) => [
    name,
    { ...(own(its, name) as JsonObject), description: wordsAt(theirs, name) as string },
  ]);
  const properties: JsonObject = { ...its, ...Object.fromEntries(told) };
  return {
    ...contract,
    description: rest,
    inputSchema: { ...(contract.inputSchema as JsonObject), properties },
  };
};

/** Two contracts with their words in the same places, if only one of them has a docstring, and it says what the other one does. */
export const withWordsAtParameters = (before: Contract, after: Contract): [Contract, Contract] => {
  const [had, has] = [before, after].map(({ description = '' }) => docstringOf(description));
  if (had !== undefined && has === undefined) return [withWordsInPlace(before, had, after), after];
  if (has !== undefined && had === undefined) return [before, withWordsInPlace(after, has, before)];
  return [before, after];
};
