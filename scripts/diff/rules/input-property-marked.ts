import { defined } from '../../contract/defined.ts';
import { sameJson } from '../../contract/same.ts';
import { type Json, own } from '../../contract/types.ts';
import { say } from '../../text/shown.ts';
import type { Rule, SchemaPair } from '../types.ts';

const KEYWORDS = ['deprecated', 'readOnly', 'writeOnly'] as const;

/** What the rule says of a mark that changed. */
export const markFinding = (keyword: (typeof KEYWORDS)[number], had: Json | undefined, has: Json | undefined) => {
  const message = say`${has === true ? 'marked' : 'no longer marked'} as ${keyword}`;
  return { path: `/${keyword}`, message, brief: message, ...defined({ before: had, after: has }) };
};

export const inputPropertyMarked: Rule<SchemaPair> = {
  id: 'input-property-marked',
  purpose: 'A parameter was marked as deprecated, read-only or write-only, or no longer is. Nothing is refused for it.',
  at: 'schema',
  keywords: KEYWORDS,
  find: ({ before, after }) =>
    KEYWORDS.filter((keyword) => !sameJson(own(before, keyword) ?? false, own(after, keyword) ?? false)).map(
      (keyword) => ({
        kind: keyword === 'readOnly' && own(after, keyword) === true ? 'unwritable' : 'marked',
        ...markFinding(keyword, own(before, keyword), own(after, keyword)),
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
