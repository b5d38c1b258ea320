// What the docstrings of a tool say of its parameters, one by one, where there was a docstring before, too. A call that leaves
// a parameter out does not rely on what is said of its values.
import { sameJson } from '../contract/same.ts';
import { type Contract, isObject, own } from '../contract/types.ts';
import { type Docstring, docstringOf, propertiesOf } from './docstring.ts';
import { requiredNames } from './rules/input-property-became-required.ts';
import {
  isOtherDefault,
  isOtherOmission,
  meansOtherDefault,
  meansOtherToldDefault,
  ofCallsWith,
} from './worded-defaults.ts';
import { actsOn, doesMore } from './words/acts.ts';
import { compareTexts } from './words/compare.ts';
import { kindOf } from './words/kinds.ts';
import { stem } from './words/opposites.ts';
import { takesBack } from './words/takes-back.ts';
import { type Token, wordsOf } from './words/tokens.ts';

/** Which calls it concerns: none, those with the parameter, those without it, or all. */
type Concern = 'none' | 'with' | 'without' | 'all';

const both = (one: Concern, other: Concern): Concern => {
  if (one === 'none' || one === other) return other;
  return other === 'none' ? one : 'all';
};

/** Something else that is said of a parameter now. */
export interface ToldAnew {
  parameter: string;
  before: string;
  after: string;
  concern: Concern;
}

const concernOf = (before: string, after: string, names: readonly string[], isOfOmission: boolean): Concern => {
  const areSame = (had: string, has: string): boolean =>
    ['same', 'added', 'widened'].includes(compareTexts(had, has, { names }).change);
  const isSaid = areSame(ofCallsWith(before), ofCallsWith(after));
  if (isOfOmission || isOtherDefault(before, after, names)) return isSaid ? 'without' : 'all';
  return isSaid || areSame(before, after) ? 'none' : 'with';
};

/** Words about calls that leave the parameter out. */
const OF_LEAVING_OUT = /\b(?:otherwise|unless|without it)\b/i;

/** Sentences that only one of two texts has. */
const changedSentences = (before: string, after: string): string[] => {
  const [had, has] = [before, after].map((text) => text.split(/(?<=[.!?;])\s+/)) as [string[], string[]];
  const [old, now] = [new Set(had), new Set(has)];
  return [...had.filter((sentence) => !now.has(sentence)), ...has.filter((sentence) => !old.has(sentence))];
};

/** Whether what is said of one parameter is also about calls without it: about another one, or about what the tool does. */
const isOfAll = (before: string, after: string, isOther: (name: string) => boolean): boolean => {
  const [had, has] = [before, after].map((text) => wordsOf(text).tokens) as [Token[], Token[]];
  if (actsOn(had, after) || doesMore(had, has) || takesBack(before, after)) return true;
  const known = new Set(had.map(({ word }) => stem(word)));
  return changedSentences(before, after).some(
    (sentence) =>
      OF_LEAVING_OUT.test(sentence) ||
      // "All files are deleted."
      wordsOf(sentence).tokens.some((token) => kindOf(token) === 'effect' && !known.has(stem(token.word))) ||
      sentence.split(/\W+/).some((word) => isOther(word) || isOther(word.toLowerCase())),
  );
};

/** What types in brackets say beside the type. */
const NEED = /\b(?:optional|required)\b/;
const formOf = (type: string): string => type.replace(NEED, '').replace(/[\s,]+$/, '');

/** Which calls other types in brackets concern. A call may leave out only what is optional. */
const ofTypes = ([had = '', has = '']: readonly (string | undefined)[]): Concern => {
  const [was, is] = [had, has].map((type) => NEED.exec(type)?.[0]);
  const isNeeded = (is === 'required' && was !== is) || (was === 'optional' && is === undefined);
  if (!isNeeded) return 'with';
  return formOf(had) === formOf(has) ? 'without' : 'all';
};

/** Whether both tell of the parameters that both have: a new one may be told of, too, but none has another name. */
const areOfSame = (before: Contract, after: Contract, had: Docstring, has: Docstring): boolean => {
  const [old, now] = [propertiesOf(before), propertiesOf(after)];
  const isKept = (name: string): boolean => Object.hasOwn(old, name) && Object.hasOwn(now, name);
  return (
    Object.keys(old).every(isKept) &&
    [...had.said.keys()].every((name) => isKept(name) && has.said.has(name)) &&
    [...has.said.keys()].every((name) => Object.hasOwn(now, name))
  );
};

/** What else is said of each parameter now, and the contracts without all that is said of parameters. */
export interface Apart {
  told: ToldAnew[];
  rests: readonly [Contract, Contract];
}

/** Undefined if one of the contracts has no docstring, or they do not tell of the same parameters. */
export const docstringsApart = (before: Contract, after: Contract): Apart | undefined => {
  const [had, has] = [before, after].map(({ description = '' }) => docstringOf(description));
  if (had === undefined || has === undefined || !areOfSame(before, after, had, has)) return undefined;
  const [old, now] = [propertiesOf(before), propertiesOf(after)];
  const needed = isObject(before.inputSchema) ? requiredNames(before.inputSchema) : [];
  const told = [...has.said].flatMap(([parameter, said]): ToldAnew[] => {
    const known = had.said.get(parameter);
    if (known === undefined) return [];
    const types = [had.types.get(parameter), has.types.get(parameter)];
    const isOtherType = types[0] !== types[1];
    if (known === said && !isOtherType) return [];
    // What the schema tells as well is found there.
    const isUntold = isOtherType && sameJson(own(old, parameter), own(now, parameter));
    const [was, is] = types.map((type) => (isOtherType && type !== undefined ? `(${type}) ` : '')) as [string, string];
    const isOther = (name: string): boolean => name !== parameter && Object.hasOwn(now, name);
    const schemas = [own(old, parameter), own(now, parameter)] as const;
    const isOfOmission = !needed.includes(parameter) && isOtherOmission(parameter, schemas, [known, said]);
    const ofWords = known === said ? 'none' : concernOf(known, said, [after.name, parameter], isOfOmission);
    const isOfDefault =
      ofWords === 'with' && (meansOtherToldDefault(known, said) || meansOtherDefault(schemas, [known, said]));
    const ofEntry = isOfDefault || isOfAll(known, said, isOther) ? 'all' : ofWords;
    const concern = isUntold ? both(ofEntry, ofTypes(types)) : ofEntry;
    return [{ parameter, before: was + known, after: is + said, concern }];
  });
  return {
    told,
    rests: [
      { ...before, description: had.rest },
      { ...after, description: has.rest },
    ],
  };
};
