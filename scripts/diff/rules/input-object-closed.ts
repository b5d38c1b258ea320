import { sameJson } from '../../contract/same.ts';
import { isObject, type JsonObject, own } from '../../contract/types.ts';
import { say } from '../../text/shown.ts';
import { areNamesLimited } from '../plain-limits.ts';
import type { Finding, Rule, SchemaPair } from '../types.ts';

/** Whether the schema named its parameters, so that callers rarely pass others. A tool that names none says so, too. */
const namedThem = ({ before, parameter }: SchemaPair): boolean => {
  const names = own(before, 'properties');
  return own(before, 'additionalProperties') === undefined && (isObject(names) || parameter.length === 0);
};

/** Keywords by which other schemas say more of the same value: what they name counts as evaluated. */
const APPLYING = '$ref $dynamicRef $recursiveRef allOf anyOf dependencies dependentSchemas else if oneOf then'.split(
  ' ',
);

/** By which keyword a schema refuses names that it does not know, if it refuses all. */
const closedBy = (schema: JsonObject): 'additionalProperties' | 'unevaluatedProperties' | undefined => {
  const [others, unevaluated] = [own(schema, 'additionalProperties'), own(schema, 'unevaluatedProperties')];
  if (others === false) return 'additionalProperties';
  return others === undefined && unevaluated === false ? 'unevaluatedProperties' : undefined;
};

/** What changed if unknown names were refused before, and still are, by another keyword. */
const stillClosed = ({ before, after }: SchemaPair): Finding | undefined => {
  const [by, now] = [closedBy(before), closedBy(after)];
  if (by === undefined || now === undefined || by === now) return undefined;
  const path = '/additionalProperties';
  const [had, has] = [own(before, 'additionalProperties'), own(after, 'additionalProperties')];
  const isNarrower = now === 'additionalProperties';
  if (!APPLYING.some((keyword) => Object.hasOwn(isNarrower ? before : after, keyword))) {
    const message = say`unknown parameters are refused as before`;
    return { kind: 'opened', keywords: [by, now], path, message, before: had, after: has };
  }
  const keywords = ['additionalProperties'];
  const message = isNarrower
    ? say`parameters that only its forms and conditions name are refused now, and all others as before`
    : say`parameters that its forms and conditions name are accepted now, and no others`;
  return { kind: isNarrower ? 'closed' : 'opened', keywords, path, message, before: had, after: has };
};

/** Names that no part of the schema lists are refused now, or no longer. */
const ofUnevaluated = (pair: SchemaPair): Finding[] => {
  const keyword = 'unevaluatedProperties';
  const [had, has] = [own(pair.before, keyword), own(pair.after, keyword)];
  const isClosed = has === false && (had === undefined || had === true);
  const isOpened = had === false && (has === undefined || has === true);
  if (!isClosed && !isOpened) return [];
  const kind = isOpened ? 'opened' : namedThem(pair) ? 'sealed' : 'closed';
  const message = say`unknown parameters are ${isOpened ? 'accepted' : 'refused'} now`;
  return [{ kind, keywords: [keyword], path: `/${keyword}`, message, before: had, after: has }];
};

export const inputObjectClosed: Rule<SchemaPair> = {
  id: 'input-object-closed',
  purpose: 'Whether parameters that the schema does not name are accepted changed.',
  at: 'schema',
  keywords: ['additionalProperties', 'unevaluatedProperties'],
  find: (pair) => {
    const { before, after } = pair;
    const had = own(before, 'additionalProperties');
    const has = own(after, 'additionalProperties');
    if (sameJson(had, has)) return ofUnevaluated(pair);
    if (areNamesLimited(pair)) return [];
    const still = stillClosed(pair);
    if (still !== undefined) return [still];
    // If names were listed, callers rarely pass others, whatever is now said of these.
    const isTyped = isObject(has) && Object.keys(has).length > 0 && namedThem(pair);
    if (has !== false && has !== undefined && !isTyped) return [];
    const refused = isTyped ? say`refused unless they have one form` : say`refused`;
    return [
      {
        kind: has === undefined ? 'opened' : namedThem(pair) ? 'sealed' : 'closed',
        keywords: ['additionalProperties'],
        path: '/additionalProperties',
        message: say`unknown parameters are ${has === undefined ? say`accepted` : refused} now`,
        before: had,
        after: has,
      },
    ];
  },
  examples: [
    {
      what: 'closed',
      before: { type: 'object', properties: { a: { type: 'string' } } },
      after: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
      gives: ['breaking input-object-closed /inputSchema/additionalProperties, quiet'],
    },
    {
      what: 'closed, with all of its parts',
      before: { type: 'object', allOf: [{ properties: { a: { type: 'string' } } }] },
      after: { type: 'object', allOf: [{ properties: { a: { type: 'string' } } }], unevaluatedProperties: false },
      gives: ['breaking input-object-closed /inputSchema/unevaluatedProperties, quiet'],
    },
    {
      what: 'a map of anything takes nothing now',
      before: { type: 'object', properties: { labels: { type: 'object' } } },
      after: { type: 'object', properties: { labels: { type: 'object', additionalProperties: false } } },
      gives: ['breaking input-object-closed /inputSchema/properties/labels/additionalProperties'],
    },
    {
      what: 'closed by another keyword',
      before: { type: 'object', properties: { a: { type: 'string' } }, unevaluatedProperties: false },
      after: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
      gives: ['compatible input-object-closed /inputSchema/additionalProperties, quiet'],
    },
    {
      what: 'closed by a keyword that does not know what a form names',
      before: {
        type: 'object',
        properties: { a: { type: 'string' } },
        allOf: [{ properties: { b: { type: 'string' } } }],
        unevaluatedProperties: false,
      },
      after: {
        type: 'object',
        properties: { a: { type: 'string' } },
        allOf: [{ properties: { b: { type: 'string' } } }],
        additionalProperties: false,
      },
      gives: [
        'breaking input-object-closed /inputSchema/additionalProperties',
        'unclassified unclassified /inputSchema/unevaluatedProperties',
      ],
    },
    {
      what: 'opened',
      before: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
      after: { type: 'object', properties: { a: { type: 'string' } } },
      gives: ['compatible input-object-closed /inputSchema/additionalProperties, quiet'],
    },
  ],
};
