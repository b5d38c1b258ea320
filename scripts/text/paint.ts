import type { Shown } from './shown.ts';

const CODES = { red: 31, green: 32, yellow: 33, blue: 34, grey: 90, bold: 1 } as const;

export type PaintStyle = keyof typeof CODES;

export interface Paint {
  (style: PaintStyle, text: Shown): Shown;
  (style: PaintStyle, text: string): string;
}

/** Gives a function that colours text with ANSI codes, or leaves it unchanged if `colour` is false. */
export const painter =
  (colour: boolean): Paint =>
  (style: PaintStyle, text: string) =>
    (colour ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text) as Shown;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the codes
const COLOURS = /\u001b\[[0-9;]*m/g;

/** A text without the codes that `painter` puts in. */
export const unpainted = (text: string): string => text.replace(COLOURS, '');
