import { sameJson } from '../../contract/same.ts';
import { own } from '../../contract/types.ts';
import { quoteValue } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import type { Rule, SchemaPair } from '../types.ts';

const KEYWORD = 'x-mcp-header';

export const inputPropertyMirrored: Rule<SchemaPair> = {
  id: 'input-property-mirrored',
  purpose:
    'The value of a parameter is sent in an HTTP header now, or in another one: programs that see headers see it.',
  at: 'schema',
  keywords: [KEYWORD],
  find: ({ before, after }) => {
    const [had, has] = [own(before, KEYWORD), own(after, KEYWORD)];
    if (sameJson(had, has)) return [];
    return [
      {
        kind: has === undefined ? 'hidden' : 'shown',
        path: `/${KEYWORD}`,
        message: say`mirrored into an HTTP header: ${quoteValue(had)} → ${quoteValue(has)}`,
        brief: say`${has === undefined ? 'no longer' : 'its value is'} mirrored into an HTTP header`,
        before: had,
        after: has,
      },
    ];
  },
  examples: [
    {
      what: 'a value that goes into a header from now on',
      before: { type: 'object', properties: { tenant: { type: 'string' } } },
      after: { type: 'object', properties: { tenant: { type: 'string', 'x-mcp-header': 'Tenant' } } },
      gives: ['semantic input-property-mirrored /inputSchema/properties/tenant/x-mcp-header, ask when used'],
    },
    {
      what: 'no longer in a header',
      before: { type: 'object', properties: { tenant: { type: 'string', 'x-mcp-header': 'Tenant' } } },
      after: { type: 'object', properties: { tenant: { type: 'string' } } },
      gives: ['compatible input-property-mirrored /inputSchema/properties/tenant/x-mcp-header'],
    },
  ],
};
