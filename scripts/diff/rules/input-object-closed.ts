import { sameJson } from '../../contract/same.ts';
import { isObject, own } from '../../contract/types.ts';
import { say } from '../../text/shown.ts';
import type { Rule, SchemaPair } from '../types.ts';

/** Whether the schema named its parameters, so that callers rarely pass others. A tool that names none says so, too. */
const namedThem = ({ before, parameter }: SchemaPair): boolean => {
  const names = own(before, 'properties');
  return own(before, 'additionalProperties') === undefined && (isObject(names) || parameter.length === 0);
};

export const inputObjectClosed: Rule<SchemaPair> = {
  id: 'input-object-closed',
  purpose: 'Whether parameters that the schema does not name are accepted changed.',
  at: 'schema',
  keywords: ['additionalProperties'],
  find: (pair) => {
    const { before, after } = pair;
    const had = own(before, 'additionalProperties');
    const has = own(after, 'additionalProperties');
    if (sameJson(had, has)) return [];
    // If names were listed, callers rarely pass others, whatever is now said of these.
    const isTyped = isObject(has) && Object.keys(has).length > 0 && namedThem(pair);
    if (has !== false && has !== undefined && !isTyped) return [];
    const refused = isTyped ? say`refused unless they have one form` : say`refused`;
    return [
      {
        kind: has === undefined ? 'opened' : namedThem(pair) ? 'sealed' : 'closed',
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
      what: 'a map of anything takes nothing now',
      before: { type: 'object', properties: { labels: { type: 'object' } } },
      after: { type: 'object', properties: { labels: { type: 'object', additionalProperties: false } } },
      gives: ['breaking input-object-closed /inputSchema/properties/labels/additionalProperties'],
    },
    {
      what: 'opened',
      before: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
      after: { type: 'object', properties: { a: { type: 'string' } } },
      gives: ['compatible input-object-closed /inputSchema/additionalProperties, quiet'],
    },
  ],
};
