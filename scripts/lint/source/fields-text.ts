import { quoteList } from '../../text/quote.ts';
import { SOME } from './facts/strips.ts';

/** The fields that are picked from a value, as far as the source names them. */
export const fieldsText = (fields: readonly string[]): string => {
  const named = fields.filter((field) => !SOME.includes(field));
  if (named.length === 0) return 'some fields';
  return named.length < fields.length ? `${quoteList(named)} and others` : quoteList(named);
};
