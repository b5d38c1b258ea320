// What keeps a call of a tool from harm, by its description: a trash, a draft, a yes that is waited for. And whether the
// description itself says that something was otherwise before.

import { withoutQuoted } from './examples.ts';

/** What makes a call less final, and what makes it more so. */
const SAFE: readonly RegExp[] = [
  /\b(?:trash|recycle bin|soft[- ]delete[sd]?)\b/i,
  /\bdrafts?\b/i,
  /(?<!\b(?:not|never|non)[ -])\bidempotent(?:ly)?\b|\bsafe to (?:call again|re-?run|repeat|retry)\b/i,
  /\b(?:dry[- ]?runs?|sandbox|staging|simulat(?:es?|ed|ion)|test mode)\b/i,
  // What was there before is still there, or can be had again.
  /\b(?:atomic(?:ally)?|all[- ]or[- ](?:nothing|none)|(?:as|in|inside|within) (?:a|one|a single) transaction|(?:are|be|is) rolled back|rolls? back (?:if|on|when))\b/i,
  /\bcan (?:(?:always|later|still) )?be (?:recovered|restored|resumed|reversed|reverted|undone)\b|\breversible\b/i,
  /\b(?:keeps?|kept|leaves?|left|remains?|stays?)\b[^.\n]{0,40}\b(?:as (?:is|it is|it was|they are|they were)|intact|unaffected|unchanged|unmodified|untouched)\b|\b(?:is|are|be) (?:preserved|retained|unaffected|unchanged|untouched|not (?:affected|changed|modified|touched))\b/i,
  /\b(?:backups?|cop(?:y|ies)|history|originals?|revisions?|versions?)\b[^.\n]{0,30}\b(?:is|are|be) (?:kept|preserved|retained)\b|\b(?:keeps|retains)\b[^.\n]{0,30}\b(?:backups?|cop(?:y|ies)|history|originals?|revisions?|versions?)\b/i,
  /\b(?:conflicts?|errors?|fails?|refuses?|rejects?|rejected|throws?)\b[^.\n]{0,30}\b(?:if|when)\b[^.\n]{0,40}\b(?:changed|exists?|modified)\b/i,
  /\b(?:after|before|once|only if|only when|unless|until)\b[^.\n]{0,60}\b(?:accept|agree|approv|confirm|consent)/i,
  /\b(?:never|not|nothing(?: is)?)(?: (?:be|been))? (?:billed|changed|charged|deleted|executed|overwritten|paid|posted|published|saved|sent|touched|written)\b/i,
];
/** A call does not do, or not yet, what it did. */
const HELD_BACK =
  /\b(?:is|are|be|gets?)(?: (?:just|merely|only))? simulated\b|\b(?:just|merely|only) simulates?\b|\b(?:goes|go|moved|moves|put|sent) (?:(?:it|them) )?(?:in|to|into) the (?:recycle bin|trash)\b/i;
const FINAL: readonly RegExp[] = [
  /\b(?:(?:can ?not|can't|can never|never) be (?:recovered|restored|reversed|reverted|undone)|erased?|irreversibl[ey]|irrevocabl[ey]|permanently|unrecoverable)\b/i,
  /(?<!\b(?:answers?|responds?|returns?) )\b(?:at once|immediately|instantly)\b/i,
  /\b(?:production|live (?:accounts?|environments?|mode|servers?|systems?|trading))\b/i,
  HELD_BACK,
  /\b(?:all|any|complete|entire|every|whole)\b[^.\n]{0,40}\b(?:is|are|gets?) (?:deleted|dropped|lost|overwritten|removed|replaced|wiped)\b/i,
];

/** Whether a description of a tool speaks no longer of what kept its calls from harm, or is the first to call them final or put off. */
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
