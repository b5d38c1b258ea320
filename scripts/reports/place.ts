import type { FoundChange } from '../diff/types.ts';
import { quoteName } from '../text/quote.ts';
import { visible } from '../text/visible.ts';

/** How many parameters of one change are named. */
export const MOST_PLACES = 5;

/**
 * The parameters that a change is about, as `filter.items.*`: several where their schemas refer to one that changed. The only
 * one comes without its last name if the message already has it.
 */
export const placesOf = ({ parameter = [], ways = [], message }: FoundChange): string[] => {
  const places = [...new Set([parameter, ...ways].map((way) => way.join('.')))];
  if (places.length > 1) return places.filter((place) => place !== '');
  const place = parameter.slice(0, message.includes(quoteName(parameter.at(-1) ?? '')) ? -1 : undefined).join('.');
  return place === '' ? [] : [place];
};

/** The parameters that a change is about, and a colon, before its message; empty if there are none. */
export const placeText = (change: FoundChange, show: (place: string) => string): string => {
  const places = placesOf(change);
  if (places.length === 0) return '';
  const named = places.slice(0, MOST_PLACES).map((place) => show(place));
  const more = places.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}: `;
};

/** Parameters and message of a change, without markup. */
export const plainMessage = (change: FoundChange): string =>
  visible(`${placeText(change, (place) => place)}${change.message}`, { max: 2_000 });
