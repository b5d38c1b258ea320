import { sameJson } from '../../contract/same.ts';
import { type Json, own } from '../../contract/types.ts';
import { quoteChange } from '../../text/quote.ts';
import { say } from '../../text/shown.ts';
import type { Rule, SchemaPair } from '../types.ts';
import { compareTexts } from '../words/compare.ts';

const KEYWORDS = ['title', 'description', 'examples'] as const;

/** A text that is equal for two texts that differ only in digits, case and punctuation. */
const letters = (text: unknown): string =>
  typeof text === 'string'
    ? // A text that is longer than any real description is compared unchanged.
      text.length > 100_000
      ? text
      : text
          .toLowerCase()
          .replace(/[^\p{L}]+/gu, ' ')
          .trim()
    : '';

/** A title that says what the name says: libraries make it from the name. */
const isName = (title: Json | undefined, name: string | undefined): boolean =>
  title === undefined || (name !== undefined && joinedLetters(title) === joinedLetters(name));

const joinedLetters = (text: Json): string => letters(text).replaceAll(' ', '');

/** What a change of words means to a reader who knows the old ones. */
const kindOf = (
  { tool, parameter }: SchemaPair,
  keyword: (typeof KEYWORDS)[number],
  had: Json | undefined,
  has: Json | undefined,
): string => {
  // An example is only one of many.
  if (keyword === 'examples') return 'plainer';
  const name = parameter.findLast((step) => step !== '*');
  if (keyword === 'title' && isName(had, name) && isName(has, name)) return 'plainer';
  // Nothing now contradicts the old words.
  if (typeof had === 'string' && (has === undefined || has === '')) return 'untold';
  if (typeof has !== 'string' || (typeof had !== 'string' && had !== undefined)) return 'meaning';
  const { change } = compareTexts(had ?? '', has, { names: [tool, ...parameter] });
  return change === 'same' || change === 'widened' ? 'plainer' : change;
};

export const inputPropertyWordsChanged: Rule<SchemaPair> = {
  id: 'input-property-words-changed',
  purpose: 'A parameter keeps its name and type and says something else: the change that no validator sees.',
  at: 'schema',
  keywords: KEYWORDS,
  find: (pair) =>
    KEYWORDS.filter((keyword) => !sameJson(own(pair.before, keyword), own(pair.after, keyword))).map((keyword) => {
      const had = own(pair.before, keyword);
      const has = own(pair.after, keyword);
      return {
        kind: kindOf(pair, keyword, had, has),
        path: `/${keyword}`,
        message: say`new description: ${quoteChange(had, has, 160)}`,
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
      gives: ['semantic input-property-words-changed /inputSchema/properties/limit/description, ask when used'],
    },
    {
      what: 'the same words, and some that say nothing new',
      before: { type: 'object', properties: { author: { type: 'string', description: 'Name or email address' } } },
      after: {
        type: 'object',
        properties: {
          author: { type: 'string', description: 'The name or email address of the author, or an identifier.' },
        },
      },
      gives: ['semantic input-property-words-changed /inputSchema/properties/author/description'],
    },
    {
      what: 'one word more, and a limit counts something else',
      before: { type: 'object', properties: { limit: { type: 'integer', description: 'max results' } } },
      after: { type: 'object', properties: { limit: { type: 'integer', description: 'max results per page' } } },
      gives: ['semantic input-property-words-changed /inputSchema/properties/limit/description, ask when used'],
    },
    {
      what: 'words where there were none',
      before: { type: 'object', properties: { limit: { type: 'integer' } } },
      after: { type: 'object', properties: { limit: { type: 'integer', description: 'most results' } } },
      gives: ['semantic input-property-words-changed /inputSchema/properties/limit/description'],
    },
    {
      what: 'its words are gone',
      before: { type: 'object', properties: { limit: { type: 'integer', description: 'most results' } } },
      after: { type: 'object', properties: { limit: { type: 'integer' } } },
      gives: ['semantic input-property-words-changed /inputSchema/properties/limit/description'],
    },
    {
      what: 'digits, case and punctuation',
      before: { type: 'object', properties: { limit: { type: 'integer', description: 'Max results (1-100).' } } },
      after: { type: 'object', properties: { limit: { type: 'integer', description: 'max results: 1-200' } } },
      gives: ['compatible input-property-words-changed /inputSchema/properties/limit/description, quiet'],
    },
  ],
};
