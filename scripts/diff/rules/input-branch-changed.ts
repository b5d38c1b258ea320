import { LIMIT_KEYWORDS } from '../../contract/meaning.ts';
import { wayOf } from '../../contract/references.ts';
import { isObject, type Json, type JsonObject, own } from '../../contract/types.ts';
import { plainName, quoteList, quoteName, quoteValue } from '../../text/quote.ts';
import { joined, type Shown, say } from '../../text/shown.ts';
import { type BranchLists, becameOne } from '../branches.ts';
import { conditionText } from '../conditions.ts';
import { scaleChange } from '../listed-scales.ts';
import { isAnything } from '../plain-limits.ts';
import { MAY_MEAN_OTHER } from '../scales.ts';
import type { Finding, Rule, SchemaPair } from '../types.ts';
import { requiredNames } from './input-property-became-required.ts';
import { valuesText } from './input-property-enum-changed.ts';

const KEYWORDS = ['allOf', 'anyOf', 'oneOf'] as const;

const MOST_VALUES = 4;

/** The name of a branch in a message: names, types and values, without the server's prose. */
const nameOf = (branch: Json | undefined): Shown => {
  const ref = own(branch, '$ref');
  if (typeof ref === 'string') return quoteName(wayOf(ref)?.at(-1) ?? ref.split('/').at(-1) ?? ref);
  const properties = own(branch, 'properties');
  const names = Object.keys((properties as object | undefined) ?? {});
  if (names.length > 0) return say`{ ${joined(names.slice(0, 4).map(plainName), ', ')} }`;
  const [type, values, only] = [own(branch, 'type'), own(branch, 'enum'), own(branch, 'const')];
  if (Array.isArray(values) && values.length > 0) return quoteList(values, MOST_VALUES);
  if (only !== undefined) return quoteValue(only, 40);
  if (typeof type === 'string') return quoteName(type);
  return Array.isArray(type) && type.length > 0
    ? joined(
        type.map((one) => quoteName(String(one))),
        ' | ',
      )
    : limitsOf(branch);
};

const MOST_LIMITS = 3;

/** A branch without a name or type, by what it limits. */
const limitsOf = (branch: Json | undefined): Shown => {
  const limits = LIMIT_KEYWORDS.filter((keyword) => typeof own(branch, keyword) === 'number');
  const condition = isObject(branch) ? conditionText(branch as JsonObject) : undefined;
  if (condition !== undefined) return condition;
  const required = requiredNames((isObject(branch) ? branch : {}) as JsonObject);
  const found = [
    ...limits.map((keyword) => say`${plainName(keyword)} ${quoteValue(own(branch, keyword))}`),
    ...(required.length > 0 ? [say`with ${quoteList(required, MOST_VALUES)}`] : []),
  ];
  return found.length > 0 ? joined(found.slice(0, MOST_LIMITS), ' & ') : say`another one`;
};

const MOST_BRANCHES = 4;
const namesOf = (branches: readonly Json[]): Shown => {
  const names = joined(branches.slice(0, MOST_BRANCHES).map(nameOf), ', ');
  return branches.length > MOST_BRANCHES ? say`${names} and ${branches.length - MOST_BRANCHES} more` : names;
};

/** What it means for a value that its schema gained or lost the keyword. */
const cameOrWent = (keyword: (typeof KEYWORDS)[number], branches: readonly Json[], came: boolean): Shown => {
  if (keyword === 'allOf')
    return came ? say`has to meet more conditions now: ${namesOf(branches)}` : say`has to meet fewer conditions now`;
  const which = keyword === 'oneOf' ? say`exactly one` : say`one`;
  return came
    ? say`has to have ${which} of these forms now: ${namesOf(branches)}`
    : say`no longer has to have ${which} of these forms: ${namesOf(branches)}`;
};

/** Values that came and went, where every form only lists some. */
const ofValues = (keyword: string, { had, has, removed, added, values }: BranchLists): Finding[] | undefined => {
  if (values === undefined) return undefined;
  const { dropped, gained } = values;
  const isSame = dropped.length + gained.length === 0;
  if (isSame && removed.length + added.length === 0) return [];
  return [
    {
      kind: dropped.length > 0 ? 'narrower' : 'wider',
      path: `/${keyword}`,
      message: isSame ? say`the same values are listed in another way` : valuesText(dropped, gained),
      before: had as Json[],
      after: has as Json[],
    },
  ];
};

/** How libraries write that a parameter may be left out. */
const isNull = (branch: Json | undefined): boolean => own(branch, 'type') === 'null';

const find = ({ before, after, lists }: SchemaPair): Finding[] =>
  KEYWORDS.flatMap((keyword) => {
    const [had, has] = [own(before, keyword), own(after, keyword)];
    if (had === undefined && has === undefined) return [];
    if (!Array.isArray(had) || !Array.isArray(has)) {
      const came = Array.isArray(has);
      return [
        {
          kind: came ? 'came' : 'went',
          path: `/${keyword}`,
          message: cameOrWent(keyword, (came ? has : Array.isArray(had) ? had : []) as Json[], came),
          before: had,
          after: has,
        },
      ];
    }
    const list = lists.find((one) => one.had === had && one.has === has);
    const found = list && ofValues(keyword, list);
    if (found !== undefined) return found;
    const { removed = [], added = [] } = list ?? {};
    const isOne = list !== undefined && becameOne(list);
    return [
      ...removed.map(
        (index): Finding => ({
          kind: keyword === 'allOf' ? 'wider' : 'narrower',
          path: `/${keyword}/${index}`,
          message:
            keyword === 'allOf'
              ? say`one condition less has to be met: ${nameOf(had[index])}`
              : isOne
                ? say`its forms became one, ${nameOf(has[0])}, which may not take all that they took`
                : isAnything(had[index])
                  ? say`could be anything, and has to have one of these forms now: ${namesOf(has)}`
                  : say`one form is no longer taken: ${nameOf(had[index])}`,
          before: had[index],
        }),
      ),
      ...added.map(
        (index): Finding => ({
          kind: keyword === 'allOf' ? 'narrower' : isNull(has[index]) ? 'nullable' : 'wider',
          path: `/${keyword}/${index}`,
          message:
            keyword === 'allOf'
              ? say`one condition more has to be met: ${nameOf(has[index])}`
              : say`one more form is taken: ${nameOf(has[index])}`,
          after: has[index],
        }),
      ),
    ];
  });

/** What was found, with what it means for a scale whose numbers are forms. Of a list in an enum, the rule for that tells. */
const withScale = (pair: SchemaPair, found: Finding[]): Finding[] => {
  const { before, after } = pair;
  const kind = [before, after].some((one) => Object.hasOwn(one, 'enum')) ? undefined : scaleChange(pair);
  if (kind === undefined) return found;
  const keyword = KEYWORDS.find((one) => Object.hasOwn(before, one) || Object.hasOwn(after, one)) ?? '';
  const path = `/${keyword}`;
  const told = found.find((one) => one.path === path)?.message ?? say`the numbers that it takes changed`;
  const message = say`${told}${MAY_MEAN_OTHER}`;
  const scale = { kind, path, message, before: own(before, keyword), after: own(after, keyword) };
  return [scale, ...found.filter((one) => one.path !== path)];
};

export const inputBranchChanged: Rule<SchemaPair> = {
  id: 'input-branch-changed',
  purpose: 'One of several forms of a value came or went. The forms that stay are compared one by one.',
  at: 'schema',
  keywords: KEYWORDS,
  find: (pair) => withScale(pair, find(pair)),
  examples: [
    {
      what: 'one form less',
      before: { type: 'object', properties: { to: { anyOf: [{ type: 'string' }, { type: 'integer' }] } } },
      after: { type: 'object', properties: { to: { anyOf: [{ type: 'string' }] } } },
      gives: ['breaking input-branch-changed /inputSchema/properties/to/anyOf/1'],
    },
    {
      what: 'one form more',
      before: { type: 'object', properties: { to: { anyOf: [{ type: 'string' }] } } },
      after: { type: 'object', properties: { to: { anyOf: [{ type: 'string' }, { type: 'integer' }] } } },
      gives: ['compatible input-branch-changed /inputSchema/properties/to/anyOf/1, quiet'],
    },
    {
      what: 'none of the forms, which says no more than leaving it out',
      before: { type: 'object', properties: { to: { anyOf: [{ type: 'string' }, { type: 'integer' }] } } },
      after: {
        type: 'object',
        properties: { to: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] } },
      },
      gives: ['compatible input-branch-changed /inputSchema/properties/to/anyOf/2, quiet'],
    },
    {
      what: 'forms for the numbers of a scale, which begins at 1 now',
      before: { type: 'object', properties: { rating: { anyOf: [{ const: 0 }, { const: 1 }, { const: 2 }] } } },
      after: { type: 'object', properties: { rating: { anyOf: [{ const: 1 }, { const: 2 }, { const: 3 }] } } },
      gives: [
        'breaking input-branch-changed /inputSchema/properties/rating/anyOf, ask when used',
        'breaking input-constraint-changed /inputSchema/properties/rating/anyOf/0/const',
      ],
    },
    {
      what: 'a scale with one number more',
      before: { type: 'object', properties: { rating: { oneOf: [{ const: 1 }, { const: 2 }] } } },
      after: { type: 'object', properties: { rating: { oneOf: [{ const: 1 }, { const: 2 }, { const: 3 }] } } },
      gives: [
        'semantic input-branch-changed /inputSchema/properties/rating/oneOf, ask when used',
        'compatible input-branch-changed /inputSchema/properties/rating/oneOf/2, quiet',
      ],
    },
    {
      what: 'conditions for the whole input that were not there',
      before: { type: 'object', properties: { from: { type: 'string' } } },
      after: {
        type: 'object',
        properties: { from: { type: 'string' } },
        allOf: [{ properties: { from: { minLength: 1 } } }],
      },
      gives: ['breaking input-branch-changed /inputSchema/allOf'],
    },
    {
      what: 'and that are gone',
      before: {
        type: 'object',
        properties: { from: { type: 'string' } },
        allOf: [{ properties: { from: { minLength: 1 } } }],
      },
      after: { type: 'object', properties: { from: { type: 'string' } } },
      gives: ['compatible input-branch-changed /inputSchema/allOf, quiet'],
    },
    {
      what: 'the same form, with another word in it, through a definition',
      before: {
        type: 'object',
        properties: { to: { $ref: '#/$defs/to' } },
        $defs: { to: { oneOf: [{ type: 'string', description: 'a name' }, { type: 'integer' }] } },
      },
      after: {
        type: 'object',
        properties: { to: { $ref: '#/$defs/to' } },
        $defs: { to: { oneOf: [{ type: 'integer' }, { type: 'string', description: 'an address' }] } },
      },
      gives: ['semantic input-property-words-changed /inputSchema/$defs/to/oneOf/0/description, ask when used'],
    },
  ],
};
