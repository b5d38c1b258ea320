// What keeps a call of a tool from harm, by its description: a trash, a draft, a yes that is waited for. And whether the
// description itself says that something was otherwise before.

import { withoutQuoted } from './examples.ts';

/** What makes a call less final, and what makes it more so. */
const SAFE: readonly RegExp[] = [
  /\b(?:trash|recycle bin|soft[- ]delete[sd]?)\b/i,
  /\bdrafts?\b/i,
  /(?<!\b(?:not|never|non)[ -])\bidempotent(?:ly)?\b|\bsafe to (?:call again|re-?run|repeat|retry)\b/i,
  /\b(?:dry[- ]?runs?|sandbox|staging|simulat(?:es?|ed|ion)|test mode)\b/i,
  /\b(?:after|before|once|only if|only when|unless|until)\b[^.\n]{0,60}\b(?:accept|agree|approv|confirm|consent)/i,
  /\b(?:never|not|nothing(?: is)?)(?: (?:be|been))? (?:billed|changed|charged|deleted|executed|overwritten|paid|posted|published|saved|sent|touched|written)\b/i,
];
const FINAL: readonly RegExp[] = [
  /\b(?:(?:can ?not|can't|can never|never) be (?:recovered|restored|reversed|reverted|undone)|erased?|irreversibl[ey]|irrevocabl[ey]|permanently|unrecoverable)\b/i,
  /(?<!\b(?:answers?|responds?|returns?) )\b(?:at once|immediately|instantly)\b/i,
  /\b(?:production|live (?:accounts?|environments?|mode|servers?|systems?|trading))\b/i,
];

/** Whether a description of a tool speaks no longer of what kept its calls from harm, or is the first to call them final. */
export const isLessSafe = (before: string, after: string): boolean => {
  // In quotes, "live" is a value that a caller may give.
  const [had, has] = [before, after].map(withoutQuoted) as [string, string];
  return (
    SAFE.some((form) => form.test(had) && !form.test(has)) || FINAL.some((form) => form.test(has) && !form.test(had))
  );
};

/** "Drafts are no longer listed.", not "images that are no longer used" or "if it is no longer needed". */
const NO_LONGER =
  /(?<!\b(?:because|if|once|since|that|when|whether|which|while|who)\b[^.;\n]{0,60})(?:\b(?:are|be|can|do|does|is|it|may|this|will)\s+no\s+longer|(?<=^|[.!?]\s|\n)\s{0,9}no\s+longer)\b(?! (?:maintained|necessary|needed|recommended|required|updated)\b)/i;

/** Whether a description of a tool is the first to say that something is not as it was. */
export const saysNoLonger = (before: string, after: string): boolean => {
  const [had, has] = [before, after].map(withoutQuoted) as [string, string];
  return NO_LONGER.test(has) && !NO_LONGER.test(had);
};
