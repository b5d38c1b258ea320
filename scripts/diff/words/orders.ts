// An "order" that a customer places, which says nothing about what comes first.

import { type TextPart, textBefore, textBehind } from './parts.ts';

/** Says in which order things are. */
export const SORTS =
  /\b(?:sort\w{0,5}|order(?:ed|ing)|order (?:by|of)|(?:a|de)scending|asc|desc|sequence|rank\w{0,4}|directions?|columns?|fields?|first|last|priority|index|position)\b/i;

const BEFORE = /\b(?:of|placed|made|paid|shipped) (?:an?|the|this|that|your|their|each) (?:[a-z]+ )?$/i;
const NOT_BEHIND = /^ ?(?:of|in|by|is|matters|:|\()/i;
const BEHIND = /^ (?:ids?|identifiers?|total|status|items?|confirmation|details)\b/i;

/** Whether a part is such an order: "who placed the order", "order id". */
export const isPlacedOrder = (part: TextPart): boolean => {
  if (part.word !== 'order') return false;
  const behind = textBehind(part, 16);
  return BEHIND.test(behind) || (BEFORE.test(textBefore(part, 30)) && !NOT_BEHIND.test(behind));
};
