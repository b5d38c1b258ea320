import { defined } from '../../contract/defined.ts';
import { LIMIT_KEYWORDS } from '../../contract/meaning.ts';
import { sameJson } from '../../contract/same.ts';
import { isObject, type Json, type JsonObject, own } from '../../contract/types.ts';
import { bare } from '../../proof/conjuncts.ts';
import { isSize } from '../../proof/sizes.ts';
import { isSubset } from '../../proof/subset.ts';
import { quoteList, quoteName, quoteNames, quoteValue } from '../../text/quote.ts';
import { joined, type Shown, say } from '../../text/shown.ts';
import { visible } from '../../text/visible.ts';
import { isAnnotation } from '../annotations.ts';
import { isWithin } from '../is-within.ts';
import { isLimitedBy } from '../plain-limits.ts';
import { BOUNDS, boundOf, countedBy, isOtherScale, MAY_MEAN_OTHER } from '../scales.ts';
import type { Rule, SchemaPair } from '../types.ts';

const OTHERS = ['const', 'dependentRequired', 'format', 'pattern', 'propertyNames', 'uniqueItems'] as const;
const KEYWORDS = [...LIMIT_KEYWORDS, ...OTHERS].sort();

/** Keywords that hold schemas and may only limit a value, and what they are about. */
const LIMITED: ReadonlyMap<string, Shown> = new Map([
  ['contains', say`one of its elements has to have a certain form now`],
  ['not', say`some values are excluded now`],
  ['patternProperties', say`fewer names are listed`],
]);

/** Whether a number that is still accepted may mean something else. */
const isRescaled = (pair: SchemaPair, keyword: string): boolean => {
  const bound = BOUNDS.find(({ including, excluding }) => keyword === including || keyword === excluding);
  if (bound === undefined) return false;
  return isOtherScale(bound.including, boundOf(pair.before, bound), boundOf(pair.after, bound), countedBy(pair));
};

/** The names that a pattern gives to its parts, in their order. */
const groupsOf = (pattern: Json | undefined): string[] =>
  [...String(pattern ?? '').matchAll(/\(\?P?<([^<>=!][^<>]*)>/g)].map(([, name]) => name as string);

/** Whether a pattern gives other names to its parts: the month may be the day now. */
const isRegrouped = (had: Json | undefined, has: Json | undefined): boolean => {
  const [fewer, more] = [groupsOf(had), groupsOf(has)].sort((a, b) => a.length - b.length) as [string[], string[]];
  return !isWithin(fewer, more);
};

/** Words of names are compared at their own place. */
const isReworded = (had: Json | undefined, has: Json | undefined): boolean =>
  isObject(had) && isObject(has) && sameJson(bare(had as JsonObject), bare(has as JsonObject));

/** The names of formats that JSON Schema defines: a closed list, so no words of a server. */
const FORMATS: ReadonlySet<unknown> = new Set([
  undefined,
  ...`date date-time duration email hostname idn-email idn-hostname ipv4 ipv6 iri iri-reference json-pointer regex
  relative-json-pointer time uri uri-reference uri-template uuid`.split(/\s+/),
]);

/** A change of format as it may be told without words of the server. */
const formatText = (had: Json | undefined, has: Json | undefined): Shown | undefined =>
  FORMATS.has(had) && FORMATS.has(has) ? say`format changed: ${plainValue(had)} → ${plainValue(has)}` : undefined;

/** A change of numbers or switches alone holds no words of the server. */
const boundsText = (keyword: string, had: Json | undefined, has: Json | undefined): Shown | undefined =>
  [had, has].every((value) => value === undefined || typeof value === 'number' || typeof value === 'boolean')
    ? say`${keyword as Shown} changed (${quoteValue(had)} → ${quoteValue(has)})`
    : undefined;

const MOST_NEEDED = 4;

/** The names that are required now beside others, if no less is required than before. */
const neededText = (had: Json | undefined, has: Json | undefined): Shown | undefined => {
  if ((had !== undefined && !isObject(had)) || !isObject(has)) return undefined;
  const needs = (from: Json | undefined, name: string): string[] => {
    const names = isObject(from) ? own(from, name) : undefined;
    return Array.isArray(names) ? names.filter((one) => typeof one === 'string') : [];
  };
  const isLess = Object.keys(had ?? {}).some((name) => needs(had, name).some((one) => !needs(has, name).includes(one)));
  const came = Object.keys(has).flatMap((name) => {
    const names = needs(has, name).filter((one) => !needs(had, name).includes(one));
    return names.length === 0 ? [] : [say`${quoteNames(names)} required beside ${quoteName(name)}`];
  });
  return isLess || came.length === 0 || came.length > MOST_NEEDED ? undefined : say`now ${joined(came, ', ')}`;
};

/** What changed, without words of the server. */
const plainText = (keyword: string, had: Json | undefined, has: Json | undefined): Shown | undefined => {
  if (keyword === 'format') return formatText(had, has);
  return keyword === 'dependentRequired' ? neededText(had, has) : boundsText(keyword, had, has);
};

const plainValue = (format: Json | undefined): Shown => visible(String(format ?? 'none'), { max: 40 });

const alone = (schema: JsonObject, keyword: string): JsonObject => {
  const operand = own(schema, keyword);
  return operand === undefined ? {} : { [keyword]: operand };
};

/** What the rule says of a condition that changed. */
const conditionFinding = (keyword: (typeof KEYWORDS)[number], had: Json | undefined, has: Json | undefined) => {
  const needed = keyword === 'dependentRequired' ? neededText(had, has) : undefined;
  return {
    path: `/${keyword}`,
    message: needed ?? say`${keyword} changed: ${quoteValue(had)} → ${quoteValue(has)}`,
    brief: plainText(keyword, had, has) ?? say`${keyword} changed`,
    ...defined({ before: had, after: has }),
  };
};

/** The same of a format. */
export const formatFinding = (had: string | undefined, has: string) => conditionFinding('format', had, has);

export const inputConstraintChanged: Rule<SchemaPair> = {
  id: 'input-constraint-changed',
  purpose: 'A bound, a length, a pattern or another condition on a value changed.',
  at: 'schema',
  keywords: [...KEYWORDS, ...LIMITED.keys()],
  find: (pair) => {
    const { before, after } = pair;
    const changed = KEYWORDS.filter(
      (keyword) =>
        (Object.hasOwn(before, keyword) || Object.hasOwn(after, keyword)) &&
        !sameJson(own(before, keyword), own(after, keyword)) &&
        // Of numbers, a format is no condition.
        ![before, after].some((one) => Object.hasOwn(one, keyword) && isAnnotation(keyword, one)) &&
        !(keyword === 'propertyNames' && isReworded(own(before, keyword), own(after, keyword))),
    );
    const limits = [...LIMITED.keys()]
      .filter((keyword) => isLimitedBy(pair, keyword))
      .map((keyword) => {
        const [what, value] = [LIMITED.get(keyword) ?? say``, own(after, keyword)];
        const names = keyword === 'patternProperties' && isObject(value) ? Object.keys(value) : undefined;
        return {
          kind: 'tighter',
          keywords: names === undefined ? [keyword] : [keyword, 'additionalProperties'],
          path: `/${keyword}`,
          message: say`${what}: ${names === undefined ? quoteValue(value) : quoteList(names)}`,
          brief: what,
          before: own(before, keyword),
          after: value,
        };
      });
    const others = changed.map((keyword) => {
      const isLooser = isSubset(alone(before, keyword), alone(after, keyword));
      const regrouped = keyword === 'pattern' && isRegrouped(own(before, keyword), own(after, keyword));
      const rescaled = isRescaled(pair, keyword);
      const now = regrouped ? say` (its parts have other names)` : rescaled ? MAY_MEAN_OTHER : say``;
      const [had, has] = [own(before, keyword), own(after, keyword)];
      const finding = conditionFinding(keyword, had, has);
      const isStored = keyword === 'format' && [had ?? has, has].every((one) => typeof one === 'string' && isSize(one));
      const narrower = isStored ? 'stored' : keyword === 'format' || regrouped || rescaled ? 'formatted' : 'tighter';
      return {
        keywords: KEYWORDS,
        kind: isLooser && (rescaled || regrouped) ? 'rescaled' : isLooser ? 'looser' : narrower,
        ...finding,
        message: say`${finding.message}${now}`,
        brief: say`${finding.brief}${now}`,
      };
    });
    return [...others, ...limits];
  },
  examples: [
    {
      what: 'a longer text is refused',
      before: { type: 'object', properties: { name: { type: 'string' } } },
      after: { type: 'object', properties: { name: { type: 'string', maxLength: 10 } } },
      gives: ['breaking input-constraint-changed /inputSchema/properties/name/maxLength'],
    },
    {
      what: 'a number is stored in fewer bits, which concerns one that does not fit',
      before: { type: 'object', properties: { n: { type: 'integer' } } },
      after: { type: 'object', properties: { n: { type: 'integer', format: 'int32' } } },
      gives: ['breaking input-constraint-changed /inputSchema/properties/n/format, ask when used, quiet'],
    },
    {
      what: 'more elements are allowed',
      before: { type: 'object', properties: { ids: { type: 'array', maxItems: 10 } } },
      after: { type: 'object', properties: { ids: { type: 'array', maxItems: 100 } } },
      gives: ['compatible input-constraint-changed /inputSchema/properties/ids/maxItems, quiet'],
    },
    {
      what: 'pages that count from 0 now',
      before: { type: 'object', properties: { page: { type: 'integer', minimum: 1 } } },
      after: { type: 'object', properties: { page: { type: 'integer', minimum: 0 } } },
      gives: ['semantic input-constraint-changed /inputSchema/properties/page/minimum, ask when used'],
    },
    {
      what: 'pages that count from 1 now: 0 is refused, and 1 is another one',
      before: { type: 'object', properties: { page: { type: 'integer', minimum: 0 } } },
      after: { type: 'object', properties: { page: { type: 'integer', minimum: 1 } } },
      gives: ['breaking input-constraint-changed /inputSchema/properties/page/minimum, ask when used'],
    },
    {
      what: 'a longest time in milliseconds instead of seconds',
      before: { type: 'object', properties: { delay: { type: 'integer', maximum: 300 } } },
      after: { type: 'object', properties: { delay: { type: 'integer', maximum: 300000 } } },
      gives: ['semantic input-constraint-changed /inputSchema/properties/delay/maximum, ask when used'],
    },
    {
      what: 'the best is 10 now, and not 5',
      before: { type: 'object', properties: { rating: { type: 'integer', maximum: 5 } } },
      after: { type: 'object', properties: { rating: { type: 'integer', maximum: 10 } } },
      gives: ['semantic input-constraint-changed /inputSchema/properties/rating/maximum, ask when used'],
    },
    {
      what: 'more of what is counted',
      before: { type: 'object', properties: { copies: { type: 'integer', minimum: 0, maximum: 1 } } },
      after: { type: 'object', properties: { copies: { type: 'integer', minimum: 0, maximum: 40 } } },
      gives: ['compatible input-constraint-changed /inputSchema/properties/copies/maximum, quiet'],
    },
    {
      what: 'a share that is a percentage now',
      before: { type: 'object', properties: { part: { type: 'number', minimum: 0, maximum: 1 } } },
      after: { type: 'object', properties: { part: { type: 'number', minimum: 0, maximum: 100 } } },
      gives: ['semantic input-constraint-changed /inputSchema/properties/part/maximum, ask when used'],
    },
    {
      what: 'behind two definitions that only lead on, one with a title',
      before: {
        type: 'object',
        properties: { n: { $ref: '#/$defs/A' } },
        $defs: { A: { $ref: '#/$defs/B', title: 'N' }, B: { $ref: '#/$defs/C' }, C: { type: 'integer', minimum: 1 } },
      },
      after: {
        type: 'object',
        properties: { n: { $ref: '#/$defs/A' } },
        $defs: { A: { $ref: '#/$defs/B', title: 'N' }, B: { $ref: '#/$defs/C' }, C: { type: 'integer', minimum: 5 } },
      },
      gives: ['breaking input-constraint-changed /inputSchema/$defs/A/minimum'],
    },
    {
      what: 'another form of the same',
      before: { type: 'object', properties: { day: { type: 'string', format: 'date' } } },
      after: { type: 'object', properties: { day: { type: 'string', format: 'date-time' } } },
      gives: ['breaking input-constraint-changed /inputSchema/properties/day/format, ask when used'],
    },
    {
      what: 'the same texts in a pattern with other names',
      before: { type: 'object', properties: { at: { type: 'string', pattern: '^(?<row>\\d)-(?<col>\\d)$' } } },
      after: { type: 'object', properties: { at: { type: 'string', pattern: '^(?<col>\\d)-(?<row>\\d)$' } } },
      gives: ['semantic input-constraint-changed /inputSchema/properties/at/pattern, ask when used'],
    },
    {
      what: 'other texts, too',
      before: { type: 'object', properties: { at: { type: 'string', pattern: '^(?<row>\\d+)-(?<col>\\d)$' } } },
      after: { type: 'object', properties: { at: { type: 'string', pattern: '^(?<col>\\d)-(?<row>\\d)$' } } },
      gives: ['breaking input-constraint-changed /inputSchema/properties/at/pattern, ask when used'],
    },
    {
      what: 'more parts with names',
      before: { type: 'object', properties: { at: { type: 'string', pattern: '^(?<row>\\d)-\\d$' } } },
      after: { type: 'object', properties: { at: { type: 'string', pattern: '^(?<row>\\d)-(?<col>\\d)$' } } },
      gives: ['compatible input-constraint-changed /inputSchema/properties/at/pattern, quiet'],
    },
    {
      what: 'values that are taken no longer',
      before: { type: 'object', properties: { user: { type: 'string' } } },
      after: { type: 'object', properties: { user: { type: 'string', not: { enum: ['mail', 'sync'] } } } },
      gives: ['breaking input-constraint-changed /inputSchema/properties/user/not'],
    },
    {
      what: 'a map that took any name takes some',
      before: {
        type: 'object',
        properties: { seats: { type: 'object', patternProperties: { '^.*$': { type: 'integer' } } } },
      },
      after: {
        type: 'object',
        properties: { seats: { type: 'object', patternProperties: { '^ROW-': { type: 'integer' } } } },
      },
      gives: ['breaking input-constraint-changed /inputSchema/properties/seats/patternProperties'],
    },
    {
      what: 'elements that were anything',
      before: { type: 'object', properties: { marks: { type: 'array' } } },
      after: { type: 'object', properties: { marks: { type: 'array', items: { maxLength: 9 } } } },
      gives: ['breaking input-constraint-changed /inputSchema/properties/marks/items/maxLength'],
    },
    {
      what: 'another pattern',
      before: { type: 'object', properties: { id: { type: 'string', pattern: '^a' } } },
      after: { type: 'object', properties: { id: { type: 'string', pattern: '^b' } } },
      gives: ['breaking input-constraint-changed /inputSchema/properties/id/pattern'],
    },
  ],
};
