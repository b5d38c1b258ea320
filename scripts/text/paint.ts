import type { Level } from '../diff/types.ts';
import type { Shown } from './shown.ts';

const CODES = { red: 31, green: 32, yellow: 33, blue: 34, grey: 90, bold: 1 } as const;

export interface Paint {
  (style: keyof typeof CODES, text: Shown): Shown;
  (style: keyof typeof CODES, text: string): string;
}

/** Colours text, or leaves it as it is where there is no terminal to colour. */
export const painter =
  (colour: boolean): Paint =>
  (style: keyof typeof CODES, text: string) =>
    (colour ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text) as Shown;

export const LEVEL_STYLES: Record<Level, keyof typeof CODES> = {
  breaking: 'red',
  unclassified: 'red',
  silent: 'yellow',
  semantic: 'blue',
  compatible: 'green',
};
