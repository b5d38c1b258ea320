import { sameJson } from '../../contract/same.ts';
import { own } from '../../contract/types.ts';
import { quoteValue } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import type { Rule, SchemaPair } from '../types.ts';

const KEYWORDS = ['title', 'description', 'examples'] as const;

/** A text that is equal for two texts that differ only in digits, case and punctuation. */
export const letters = (text: unknown): string =>
  typeof text === 'string'
    ? // A text that is longer than any real description is compared as it is.
      text.length > 100_000
      ? text
      : text
          .toLowerCase()
          .replace(/[^\p{L}]+/gu, ' ')
          .trim()
    : '';

export const inputPropertyWordsChanged: Rule<SchemaPair> = {
  id: 'input-property-words-changed',
  purpose: 'A parameter keeps its name and type and says something else: the change that no validator sees.',
  at: 'schema',
  keywords: KEYWORDS,
  find: ({ before, after }) =>
    KEYWORDS.filter((keyword) => !sameJson(own(before, keyword), own(after, keyword))).map((keyword) => {
      const had = own(before, keyword);
      const has = own(after, keyword);
      // A first description contradicts nothing that the model was told.
      const [said, says] = keyword === 'description' ? [letters(had), letters(has)] : ['', ''];
      const meant = said !== '' && says !== '' && said !== says;
      return {
        kind: meant ? 'meaning' : 'touch-up',
        path: `/${keyword}`,
        message: say`re-described: ${quoteValue(had, 160)} → ${quoteValue(has, 160)}`,
        brief: say`its ${keyword} changed`,
        before: had,
        after: has,
      };
    }),
  examples: [
    {
      what: 'the same name, another meaning',
      before: { type: 'object', properties: { limit: { type: 'integer', description: 'max results to return' } } },
      after: { type: 'object', properties: { limit: { type: 'integer', description: 'page index (0-based)' } } },
      gives: ['input-property-words-changed /inputSchema/properties/limit/description'],
    },
    {
      what: 'words where there were none',
      before: { type: 'object', properties: { limit: { type: 'integer' } } },
      after: { type: 'object', properties: { limit: { type: 'integer', description: 'most results' } } },
      gives: ['input-property-words-changed /inputSchema/properties/limit/description'],
    },
    {
      what: 'digits, case and punctuation',
      before: { type: 'object', properties: { limit: { type: 'integer', description: 'Max results (1-100).' } } },
      after: { type: 'object', properties: { limit: { type: 'integer', description: 'max results: 1-200' } } },
      gives: ['input-property-words-changed /inputSchema/properties/limit/description'],
    },
  ],
};
