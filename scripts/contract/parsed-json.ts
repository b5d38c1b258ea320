import { attempt } from './attempt.ts';

/** The value of a JSON text; undefined for any other text. */
export const parsedJson = (text: string): unknown => attempt(() => JSON.parse(text), undefined);
