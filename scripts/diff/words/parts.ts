// The parts of a text, as they are written: words, numbers, signs, marks, and what is in quotes.

import { exampleSpans, spans, type TextSpan } from './examples.ts';
import { QUOTED } from './marks.ts';

/** A part of a text, with what stands around it. */
export interface TextPart {
  text: string;
  /** In lower case. */
  word: string;
  /** All of the text, and where in it the part begins and ends. */
  whole: string;
  from: number;
  to: number;
  /** The parts before and behind it; empty where there is none. */
  previous: string;
  next: string;
  /** A single space parts it from the next one. */
  isSpaced: boolean;
  inExample: boolean;
  /** It stands in a list of values, where each word is one. */
  inValues: boolean;
}

/** What stands right before a part, at most so many characters. */
export const textBefore = ({ whole, from }: TextPart, length: number): string =>
  whole.slice(Math.max(0, from - length), from);
export const textBehind = ({ whole, to }: TextPart, length: number): string => whole.slice(to, to + length);

const PART = new RegExp(
  [
    String.raw`https?:\/\/[^\s<>"'\x60)\]]+`,
    // Code and quoted values, with their quotes.
    ...QUOTED,
    // An interval, whose brackets say whether its ends belong to it.
    String.raw`[[(]\s*[-+]?[\d.]+\s*[,;]\s*[-+]?[\d.∞]+\s*[\])]`,
    String.raw`\d+(?:[.,]\d+)*`,
    String.raw`[\p{L}_$](?:[\p{L}\p{N}_$]|['./\\](?=[\p{L}\p{N}_]))*`,
    '[<>=!≤≥≠]+',
    String.raw`\S`,
  ].join('|'),
  'gu',
);

/** What begins a list of values, which goes on to the end of the sentence. */
const VALUES =
  /\b(?:one of:?|either|(?:allowed|valid|possible|supported|accepted)?\s?values?:?|options?:|choices?:|enum:)(?=\s)/gi;
const VALUES_END = /\.(?=\s|$)|\n/g;

/** Whether a place lies in one of the spans; ask for places in ascending order. */
const asker = (list: readonly TextSpan[]): ((at: number) => boolean) => {
  let next = 0;
  return (at) => {
    while (next < list.length && (list[next] as TextSpan)[1] <= at) next++;
    return next < list.length && (list[next] as TextSpan)[0] <= at;
  };
};

export function* partsOf(whole: string): Generator<TextPart> {
  const [isExample, isValue] = [asker(exampleSpans(whole)), asker(spans(whole, VALUES, VALUES_END))];
  const found = [...whole.matchAll(PART)];
  for (const [at, { 0: text, index: from }] of found.entries()) {
    const [to, next] = [from + text.length, found[at + 1]];
    yield {
      text,
      word: text.toLowerCase(),
      whole,
      from,
      to,
      previous: found[at - 1]?.[0] ?? '',
      next: next?.[0] ?? '',
      isSpaced: next?.index === to + 1,
      inExample: isExample(from),
      inValues: isValue(from),
    };
  }
}
