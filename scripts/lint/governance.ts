import { sha256 } from '../contract/canonical.ts';
import type { Governance } from './types.ts';

/** Only the letters and digits of a text: a heading stays the same with or without Markdown. */
const words = (text: string): string => (text.match(/[\p{L}\p{N}]+/gu) ?? []).join(' ').toLowerCase();

/** A line without Markdown's marks: only the words that people agreed on. */
const plain = (line: string): string =>
  line
    .replace(/^\s*(?:#{1,6}|>|[-*+]|\d+[.)])\s+/, '')
    .replace(/[*`\\]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

const marks = (line: string): number => /^(#{1,6})\s/.exec(line)?.[1]?.length ?? 0;
const numberOf = (line: string): string | undefined => /^(?:#{1,6}\s+)?(\d+(?:\.\d+)*)\.?\s/.exec(line)?.[1];

/** The section numbers that can follow a section and its subsections: the next one at its level, or at a higher one. */
const endsOf = (number: string): Set<string> => {
  const steps = number.split('.').map(Number);
  return new Set(steps.map((step, depth) => [...steps.slice(0, depth), step + 1].join('.')));
};

/** Which lines are inside of code blocks, where a comment of a shell script is no heading. */
const fenced = (lines: readonly string[]): boolean[] => {
  let inside = false;
  return lines.map((line) => {
    const fence = /^\s*(```|~~~)/.test(line);
    if (fence) inside = !inside;
    return inside || fence;
  });
};

/**
 * The words below a heading, up to the next one of its level; undefined if there is no such heading. Markdown marks its
 * headings; in plain text they are recognised by their numbers, so that an item of a numbered list is not one.
 */
export const sectionOf = (text: string, heading: string): string | undefined => {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  const code = fenced(lines);
  const wanted = words(heading);
  const isHeading = (line: string, index: number): boolean => !code[index] && words(line) === wanted;
  const marked = lines.findIndex((line, index) => marks(line) > 0 && isHeading(line, index));
  const start = marked < 0 ? lines.findIndex(isHeading) : marked;
  if (start < 0) return undefined;
  const first = lines[start] as string;
  const rank = marks(first);
  const ends = endsOf(numberOf(first) ?? '');
  const after = lines.findIndex((line, index) => {
    if (index <= start || code[index]) return false;
    return rank > 0 ? marks(line) > 0 && marks(line) <= rank : ends.has(numberOf(line) ?? 'none');
  });
  return lines
    .slice(start + 1, after < 0 ? undefined : after)
    .map(plain)
    .filter(Boolean)
    .join('\n');
};

/** SHA-256 of a section's words; undefined if there is no such section. */
export const sectionHash = (text: string, heading: string): string | undefined => {
  const section = sectionOf(text, heading);
  return section === undefined ? undefined : sha256(section.normalize('NFC'));
};

/** How the text that a rule enforces has changed; undefined if it has not. */
export const changedText = (text: string, { heading, sha256: pinned }: Governance): string | undefined => {
  const now = sectionHash(text, heading);
  if (now === undefined) return `the section "${heading}" is missing`;
  return now === pinned ? undefined : `the section "${heading}" has changed: ${pinned.slice(0, 12)}… → ${now}`;
};
