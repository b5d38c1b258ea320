import { LIMIT_KEYWORDS } from '../../contract/meaning.ts';
import { sameJson } from '../../contract/same.ts';
import { type JsonObject, own } from '../../contract/types.ts';
import { isSubset } from '../../proof/subset.ts';
import { quoteValue } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import type { Rule, SchemaPair } from '../types.ts';

const OTHERS = ['const', 'dependentRequired', 'format', 'pattern', 'propertyNames', 'uniqueItems'] as const;
const KEYWORDS = [...LIMIT_KEYWORDS, ...OTHERS].sort();

const alone = (schema: JsonObject, keyword: string): JsonObject => {
  const operand = own(schema, keyword);
  return operand === undefined ? {} : { [keyword]: operand };
};

export const inputConstraintChanged: Rule<SchemaPair> = {
  id: 'input-constraint-changed',
  purpose: 'A bound, a length, a pattern or another condition on a value changed.',
  at: 'schema',
  keywords: KEYWORDS,
  find: ({ before, after }) =>
    KEYWORDS.filter(
      (keyword) =>
        (Object.hasOwn(before, keyword) || Object.hasOwn(after, keyword)) &&
        !sameJson(own(before, keyword), own(after, keyword)),
    ).map((keyword) => ({
      kind: isSubset(alone(before, keyword), alone(after, keyword)) ? 'looser' : 'tighter',
      path: `/${keyword}`,
      message: say`${keyword} changed: ${quoteValue(own(before, keyword))} → ${quoteValue(own(after, keyword))}`,
      brief: say`${keyword} changed`,
      before: own(before, keyword),
      after: own(after, keyword),
    })),
  examples: [
    {
      what: 'a longer text is refused',
      before: { type: 'object', properties: { name: { type: 'string' } } },
      after: { type: 'object', properties: { name: { type: 'string', maxLength: 10 } } },
      gives: ['breaking input-constraint-changed /inputSchema/properties/name/maxLength'],
    },
    {
      what: 'more elements are allowed',
      before: { type: 'object', properties: { ids: { type: 'array', maxItems: 10 } } },
      after: { type: 'object', properties: { ids: { type: 'array', maxItems: 100 } } },
      gives: ['compatible input-constraint-changed /inputSchema/properties/ids/maxItems, quiet'],
    },
    {
      what: 'another pattern',
      before: { type: 'object', properties: { id: { type: 'string', pattern: '^a' } } },
      after: { type: 'object', properties: { id: { type: 'string', pattern: '^b' } } },
      gives: ['breaking input-constraint-changed /inputSchema/properties/id/pattern'],
    },
  ],
};
