import { sameJson } from '../../contract/same.ts';
import { own } from '../../contract/types.ts';
import { say } from '../../text/shown.ts';
import type { Rule, SchemaPair } from '../types.ts';

const KEYWORDS = ['deprecated', 'readOnly', 'writeOnly'] as const;

export const inputPropertyMarked: Rule<SchemaPair> = {
  id: 'input-property-marked',
  purpose: 'A parameter was marked as deprecated, read-only or write-only, or no longer is. Nothing is refused for it.',
  at: 'schema',
  keywords: KEYWORDS,
  find: ({ before, after }) =>
    KEYWORDS.filter((keyword) => !sameJson(own(before, keyword) ?? false, own(after, keyword) ?? false)).map(
      (keyword) => ({
        kind: keyword === 'readOnly' && own(after, keyword) === true ? 'unwritable' : 'marked',
        path: `/${keyword}`,
        message: say`${own(after, keyword) === true ? 'marked' : 'no longer marked'} as ${keyword}`,
        before: own(before, keyword),
        after: own(after, keyword),
      }),
    ),
  examples: [
    {
      what: 'to be replaced some day',
      before: { type: 'object', properties: { ref: { type: 'string' } } },
      after: { type: 'object', properties: { ref: { type: 'string', deprecated: true } } },
      gives: ['semantic input-property-marked /inputSchema/properties/ref/deprecated'],
    },
    {
      what: 'a value that the server may ignore now',
      before: { type: 'object', properties: { owner: { type: 'string' } } },
      after: { type: 'object', properties: { owner: { type: 'string', readOnly: true } } },
      gives: ['semantic input-property-marked /inputSchema/properties/owner/readOnly, ask when used'],
    },
    {
      what: 'one that the server takes again',
      before: { type: 'object', properties: { owner: { type: 'string', readOnly: true } } },
      after: { type: 'object', properties: { owner: { type: 'string' } } },
      gives: ['semantic input-property-marked /inputSchema/properties/owner/readOnly'],
    },
  ],
};
