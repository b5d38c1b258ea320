import { defined } from '../../contract/defined.ts';
import { sameJson } from '../../contract/same.ts';
import { type Json, own } from '../../contract/types.ts';
import { quoteValue } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import { clearsByNull } from '../left-out.ts';
import { isRespelled } from '../respelled.ts';
import { countedBy, isOtherUnit, MAY_MEAN_OTHER } from '../scales.ts';
import type { Rule, SchemaPair } from '../types.ts';
import { withoutStated } from '../words/stated.ts';

/** What the rule says of a changed default of a parameter that may be left out. */
export const defaultFinding = (had: Json | undefined, has: Json | undefined) => {
  // A default can be prose, which the model does not get: it gets only names and enum values.
  const plain = [had, has].every((value) => typeof value !== 'object' && /^[\w.-]{0,40}$/.test(String(value)));
  const message = say`default changed: ${quoteValue(had)} → ${quoteValue(has)}`;
  const brief = plain ? message : say`the default changed`;
  // Libraries write `null`, or nothing, for a parameter without a default.
  const kind = (had ?? null) === null && (has ?? null) === null ? 'none' : 'other';
  return { kind, path: '/default', message, brief, ...defined({ before: had, after: has }) };
};

/** Whether words say exactly that default, and no other one. */
const isStated = (words: Json | undefined, value: Json | undefined): boolean =>
  typeof words === 'string' &&
  value !== undefined &&
  /\bdefault/i.test(words) &&
  !/\bdefault/i.test(withoutStated(words, { default: value }, false));

/** Whether the numbers of a parameter are likely to be in another unit: its default says so, alone or with its bounds. */
const isOfOtherUnit = (pair: SchemaPair): boolean => {
  const movedAt = (keyword: string) => [own(pair.before, keyword), own(pair.after, keyword)] as const;
  return isOtherUnit(movedAt('default'), countedBy(pair), [movedAt('minimum'), movedAt('maximum')]);
};

export const inputPropertyDefaultChanged: Rule<SchemaPair> = {
  id: 'input-property-default-changed',
  purpose: 'Leaving the parameter out means something else now.',
  at: 'schema',
  keywords: ['default'],
  find: (pair) => {
    const had = own(pair.before, 'default');
    const has = own(pair.after, 'default');
    if (sameJson(had, has)) return [];
    const finding = defaultFinding(had, has);
    const isKnown =
      ((had ?? null) === null && isStated(own(pair.before, 'description'), has)) ||
      ((has ?? null) === null && isStated(own(pair.after, 'description'), had));
    if (isOfOtherUnit(pair)) {
      const [message, brief] = [say`${finding.message}${MAY_MEAN_OTHER}`, say`${finding.brief}${MAY_MEAN_OTHER}`];
      return [{ ...finding, kind: 'rescaled', message, brief }];
    }
    if (pair.wasRequired) return [{ ...finding, kind: 'unused' }];
    // A server may fill in its default, and then do what null does.
    if (had === undefined && has === null && clearsByNull(pair.after)) return [{ ...finding, kind: 'other' }];
    if (isRespelled(pair, had, has)) return [{ ...finding, kind: 'respelled' }];
    return [isKnown ? { ...finding, kind: 'none' } : finding];
  },
  examples: [
    {
      what: 'a smaller page',
      before: { type: 'object', properties: { max_results: { type: 'integer', default: 10 } } },
      after: { type: 'object', properties: { max_results: { type: 'integer', default: 5 } } },
      gives: ['silent input-property-default-changed /inputSchema/properties/max_results/default, ask when omitted'],
    },
    {
      what: 'milliseconds instead of seconds: a call that gives a number is concerned as well',
      before: {
        type: 'object',
        properties: { timeout: { type: 'integer', default: 30, description: "The caller's timeout" } },
      },
      after: {
        type: 'object',
        properties: { timeout: { type: 'integer', default: 30000, description: "The caller's timeout" } },
      },
      gives: ['silent input-property-default-changed /inputSchema/properties/timeout/default, ask'],
    },
    {
      what: 'longer by default, in the unit that its name tells',
      before: { type: 'object', properties: { timeout_s: { type: 'integer', default: 1 } } },
      after: { type: 'object', properties: { timeout_s: { type: 'integer', default: 60 } } },
      gives: ['silent input-property-default-changed /inputSchema/properties/timeout_s/default, ask when omitted'],
    },
    {
      what: 'the same value, which is written in another way',
      before: { type: 'object', properties: { format: { enum: ['json', 'yaml'], default: 'json' } } },
      after: { type: 'object', properties: { format: { enum: ['JSON', 'YAML'], default: 'JSON' } } },
      gives: [
        'breaking input-property-enum-changed /inputSchema/properties/format/enum',
        'compatible input-property-default-changed /inputSchema/properties/format/default',
      ],
    },
    {
      what: 'nothing is what it was: a library writes it as null',
      before: { type: 'object', properties: { region: { type: ['string', 'null'] } } },
      after: { type: 'object', properties: { region: { type: ['string', 'null'], default: null } } },
      gives: ['compatible input-property-default-changed /inputSchema/properties/region/default, quiet'],
    },
    {
      what: 'null, where the words say that null takes away what is there',
      before: {
        type: 'object',
        properties: { region: { type: ['string', 'null'], description: 'Region. Null removes it.' } },
      },
      after: {
        type: 'object',
        properties: { region: { type: ['string', 'null'], description: 'Region. Null removes it.', default: null } },
      },
      gives: ['silent input-property-default-changed /inputSchema/properties/region/default, ask when omitted'],
    },
    {
      what: 'the one that the words told',
      before: { type: 'object', properties: { max: { type: 'integer', description: 'Most rows (default: 20).' } } },
      after: {
        type: 'object',
        properties: { max: { type: 'integer', description: 'Most rows (default: 20).', default: 20 } },
      },
      gives: ['compatible input-property-default-changed /inputSchema/properties/max/default, quiet'],
    },
    {
      what: 'the one that the words tell now',
      before: { type: 'object', properties: { max: { type: 'integer', description: 'Most rows', default: 20 } } },
      after: { type: 'object', properties: { max: { type: 'integer', description: 'Most rows (default: 20).' } } },
      gives: [
        'compatible input-property-default-changed /inputSchema/properties/max/default, quiet',
        'compatible input-property-words-changed /inputSchema/properties/max/description, quiet',
      ],
    },
    {
      what: 'another one than the words told, which may be of another unit',
      before: {
        type: 'object',
        properties: { max: { type: 'integer', description: 'Timeout (default: 20 minutes).' } },
      },
      after: {
        type: 'object',
        properties: { max: { type: 'integer', description: 'Timeout (default: 20 minutes).', default: 20 } },
      },
      gives: ['silent input-property-default-changed /inputSchema/properties/max/default, ask when omitted'],
    },
    {
      what: 'callers could not leave it out',
      before: { type: 'object', properties: { region: { type: 'string' } }, required: ['region'] },
      after: { type: 'object', properties: { region: { type: 'string', default: 'eu' } } },
      gives: [
        'compatible input-property-became-optional /inputSchema/properties/region, quiet',
        'compatible input-property-default-changed /inputSchema/properties/region/default, quiet',
      ],
    },
    {
      what: 'null is another value than the one that was taken',
      before: { type: 'object', properties: { sort: { type: ['string', 'null'], default: 'name' } } },
      after: { type: 'object', properties: { sort: { type: ['string', 'null'], default: null } } },
      gives: ['silent input-property-default-changed /inputSchema/properties/sort/default, ask when omitted'],
    },
  ],
};
