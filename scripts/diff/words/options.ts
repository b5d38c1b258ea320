// What a text says about values that a call does not pass.
import type { Json } from '../../contract/types.ts';

/** A line about one value: "2. close - Closes the ticket". */
const OPTION =
  /^\s{0,20}(?:\d{1,3}[.)]|[-*•])?\s{0,9}(["'`]?)([\p{L}\p{N}_][\p{L}\p{N}_.-]{0,60})\1\s{0,9}(?:[-–—]\s|:\s)/u;
const NUMBER = /^\s{0,20}\d{1,3}[.)]/;
const NAMES = /[\p{L}\p{N}_][\p{L}\p{N}_.-]*(?<![.-])/gu;

/** "Pass null to remove it", "or null to remove it" */
const OF_NULL =
  /(?:,? or(?: pass)?|(?<=^|[.,\n] ?)(?:(?:pass|send|set to|use)))\s{1,9}[`'"]?null[`'"]?\s{1,9}(?:for|if|to|when)\s[^.,;()\n]{1,100}/gi;

/** A text without its lines about other values, if it has one about each value that a call passes. */
const ofOptions = (text: string, passed: ReadonlySet<Json>): string => {
  const lines = text.split(/(?<=\n)/);
  const subjects = lines.map((line) => OPTION.exec(line)?.[2]);
  if (passed.size === 0 || ![...passed].every((value) => subjects.includes(value as string))) return text;
  return lines
    .filter((line, at) => subjects[at] === undefined || (line.match(NAMES) ?? []).some((name) => passed.has(name)))
    .map((line) => (OPTION.test(line) ? line.replace(NUMBER, '') : line))
    .join('');
};

/** A text without what it says only about values that a call does not pass. */
export const ofValues = (text: string, passed: readonly Json[]): string => {
  const rest = ofOptions(text, new Set(passed));
  return passed.length === 0 || passed.includes(null) ? rest : rest.replace(OF_NULL, '');
};
