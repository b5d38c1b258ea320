import { shorten } from '../text/visible.ts';
import { LIMIT_KEYWORDS, SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS } from './meaning.ts';
import { type Contract, isObject, type Json } from './types.ts';

const MOST_VALUES = 50;
const LONGEST_VALUE = 64;
const DEEPEST = 12;

/** Keywords whose values are numbers, truth values and fixed words: no room for prose. */
const PLAIN = new Set<string>([...LIMIT_KEYWORDS, 'type', 'uniqueItems']);
/** Keywords whose values a call must hold, or use as names. */
const VALUES = new Set(['const', 'enum', 'required', '$ref']);

const shortened = (value: Json): Json => {
  if (typeof value === 'string') return shorten(value, LONGEST_VALUE);
  if (Array.isArray(value)) return value.slice(0, MOST_VALUES).map((one) => (isObject(one) ? {} : shortened(one)));
  return isObject(value) ? {} : value;
};

/** A schema without any prose: only what a call must look like, and none of its author's words. */
export const withoutProse = (schema: Json, depth = 0): Json => {
  if (!isObject(schema)) return typeof schema === 'boolean' ? schema : true;
  if (depth > DEEPEST) return {};
  const below = (value: Json): Json => withoutProse(value, depth + 1);
  const kept: [string, Json][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (VALUES.has(keyword) || PLAIN.has(keyword)) kept.push([keyword, shortened(value)]);
    else if (SCHEMA_MAP_KEYWORDS.has(keyword) && isObject(value)) {
      const named = Object.entries(value).map(([name, inner]) => [shorten(name, LONGEST_VALUE), below(inner)]);
      kept.push([keyword, Object.fromEntries(named)]);
    } else if (SCHEMA_LIST_KEYWORDS.has(keyword) && Array.isArray(value)) kept.push([keyword, value.map(below)]);
    else if (SCHEMA_KEYWORDS.has(keyword)) kept.push([keyword, below(value)]);
  }
  return Object.fromEntries(kept);
};

/** A contract without any prose of its server's: what a call has to look like. */
export const withoutProseOf = ({ name, inputSchema }: Contract): Contract => ({
  name,
  inputSchema: withoutProse(inputSchema),
});
