import { own } from './types.ts';

/**
 * The cursor of the page after this answer; undefined if it is the last one. Some servers write an empty text or null there,
 * which Claude Code takes for the end as well.
 */
export const nextCursor = (result: unknown): string | undefined => {
  const cursor = own(result, 'nextCursor');
  return typeof cursor === 'string' && cursor !== '' ? cursor : undefined;
};
