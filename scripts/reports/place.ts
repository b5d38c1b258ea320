import type { FoundChange } from '../diff/types.ts';
import { quoteName } from '../text/quote.ts';
import { visible } from '../text/visible.ts';

/** The parameter that a change is about, as `filter.items.*`; without its last name if the message already has it. */
export const placeOf = ({ parameter = [], message }: FoundChange): string =>
  parameter.slice(0, message.includes(quoteName(parameter.at(-1) ?? '')) ? -1 : undefined).join('.');

/** Parameter and message of a change, without markup. */
export const plainMessage = (change: FoundChange): string => {
  const place = placeOf(change);
  return visible(`${place === '' ? '' : `${place}: `}${change.message}`, { max: 2_000 });
};
