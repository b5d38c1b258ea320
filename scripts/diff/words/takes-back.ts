// Whether a tool takes back what it promised, by its description: an agent that goes on takes a part for the whole, or old for new.
import { withoutQuoted } from './examples.ts';
import { isLessSafe, saysNoLonger } from './safeguards.ts';

/** What a description said, and what it says in its place. */
const LESS: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\b(?:fetch(?:es)?|gets?|lists?|returns?|shows?)\s+(?:all|each|every)\b/i,
    /\b(?:fetch(?:es)?|gets?|lists?|returns?|shows?)\s+(?:only\s+)?(?:(?:at most|no more than|up to|a maximum of)|(?:the\s+)?(?:first|last|latest|most recent|top))\s+\d/i,
  ],
  [/\b(?:live|real[- ]?time|up[- ]to[- ]date)\b/i, /\b(?:cached|delayed|out of date|outdated|stale)\b/i],
];

/** Whether a description of a tool promised all, or the latest, and promises less now. */
const givesLess = (before: string, after: string): boolean => {
  const [had, has] = [before, after].map(withoutQuoted) as [string, string];
  return LESS.some(([all, part]) => all.test(had) && !all.test(has) && part.test(has) && !part.test(had));
};

/** Whether a description of a tool promises less safety, fewer or older results, or says that something is no longer so. */
export const takesBack = (before: string, after: string): boolean =>
  [isLessSafe, givesLess, saysNoLonger].some((is) => is(before, after));
