import { IGNORED } from '../../contract/dialect.ts';
import { pointer } from '../../contract/json-pointer.ts';
import { sameJson } from '../../contract/same.ts';
import { own } from '../../contract/types.ts';
import { isChecked } from '../../proof/conjuncts.ts';
import { quoteName, quoteValue } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import type { Rule, SchemaPair } from '../types.ts';

/** Keywords that other rules find, that say where something is defined, or that say nothing. */
const OTHERS = new Set(
  `$anchor $comment $defs $dynamicAnchor $id $recursiveAnchor $schema $vocabulary ${IGNORED} default definitions deprecated
  description examples id readOnly title writeOnly x-mcp-header`.split(/\s+/),
);

/** Without an encoding, callers wrote plain text: adding or removing one gives the same value another meaning. */
const ENCODINGS = new Set(['contentEncoding', 'contentMediaType', 'contentSchema']);

export const inputAnnotationChanged: Rule<SchemaPair> = {
  id: 'input-annotation-changed',
  purpose:
    'What no validator checks is told otherwise of a value: its encoding, its unit, what its choices mean. The value is still accepted.',
  at: 'schema',
  keywords: [],
  find: ({ before, after }) =>
    [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((keyword) => !isChecked(keyword) && !OTHERS.has(keyword))
      .filter((keyword) => !sameJson(own(before, keyword), own(after, keyword)))
      .map((keyword) => {
        const [had, has] = [own(before, keyword), own(after, keyword)];
        const meant = ENCODINGS.has(keyword) || (had !== undefined && has !== undefined);
        return {
          kind: meant ? 'meaning' : 'touch-up',
          keywords: [keyword],
          path: pointer(keyword),
          message: say`${quoteName(keyword)} changed: ${quoteValue(had, 80)} → ${quoteValue(has, 80)}`,
          brief: say`${quoteName(keyword)} changed`,
          before: had,
          after: has,
        };
      }),
  examples: [
    {
      what: 'the same number in another unit',
      before: { type: 'object', properties: { wait: { type: 'integer', 'x-unit': 's' } } },
      after: { type: 'object', properties: { wait: { type: 'integer', 'x-unit': 'ms' } } },
      gives: ['semantic input-annotation-changed /inputSchema/properties/wait/x-unit, ask when used'],
    },
    {
      what: 'a text that has to be encoded',
      before: { type: 'object', properties: { data: { type: 'string' } } },
      after: { type: 'object', properties: { data: { type: 'string', contentEncoding: 'base64' } } },
      gives: ['semantic input-annotation-changed /inputSchema/properties/data/contentEncoding, ask when used'],
    },
    {
      what: 'a text of another kind',
      before: { type: 'object', properties: { body: { type: 'string', contentMediaType: 'text/plain' } } },
      after: { type: 'object', properties: { body: { type: 'string', contentMediaType: 'text/html' } } },
      gives: ['semantic input-annotation-changed /inputSchema/properties/body/contentMediaType, ask when used'],
    },
    {
      what: 'what a choice means',
      before: {
        type: 'object',
        properties: { mode: { enum: ['a', 'b'], enumDescriptions: ['all of them', 'none'] } },
      },
      after: {
        type: 'object',
        properties: { mode: { enum: ['a', 'b'], enumDescriptions: ['none', 'all of them'] } },
      },
      gives: ['semantic input-annotation-changed /inputSchema/properties/mode/enumDescriptions, ask when used'],
    },
    {
      what: 'a unit where none was told',
      before: { type: 'object', properties: { wait: { type: 'integer' } } },
      after: { type: 'object', properties: { wait: { type: 'integer', 'x-unit': 's' } } },
      gives: ['semantic input-annotation-changed /inputSchema/properties/wait/x-unit'],
    },
  ],
};
