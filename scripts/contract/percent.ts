import { attempt } from './attempt.ts';

/** Percent-decodes a text; undefined if it is malformed. */
export const decoded = (text: string): string | undefined => attempt(() => decodeURIComponent(text), undefined);
