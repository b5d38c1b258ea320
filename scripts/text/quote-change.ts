// What changed between two texts, in few characters.
import { diffArrays } from 'diff';
import { plural } from './plural.ts';
import { quoteText, quoteValue } from './quote.ts';
import { type Shown, say } from './shown.ts';
import { shorten } from './visible.ts';
import { wordsOf } from './words.ts';

/** How many unchanged characters are shown beside a change. */
const CONTEXT = 24;
/** Changes with fewer unchanged characters between them are shown as one. */
const NEAR = 12;
/** With more added and removed parts, a text is compared by larger parts. So many in long texts would take too long. */
const MOST_EDITS = 150;
const MOST_STEPS = 4_000_000;
/** In longer texts, in characters of both, only the first place is looked for: to compare all words takes too much memory. */
const LONGEST = 100_000;

/** A place where two texts differ: what stands there in each, and the same text before and behind it. */
interface ChangedPlace {
  lead: string;
  old: string;
  now: string;
  trail: string;
  /** Where it ends in the text in which that is later. */
  end: number;
}

const sentencesOf = (text: string): string[] => text.match(/[^.!?\n]*[.!?\n]*\s*/g)?.filter((one) => one !== '') ?? [];

/** All parts of both texts, as they are the same, went or came. Of texts that differ too much, the whole texts. */
const partsOf = (before: string, after: string) => {
  for (const split of [wordsOf, sentencesOf]) {
    const [old, now] = [split(before), split(after)];
    const maxEditLength = Math.min(MOST_EDITS, Math.floor(MOST_STEPS / (old.length + now.length)));
    const parts = diffArrays(old, now, { maxEditLength });
    if (parts !== undefined)
      return parts.map(({ value, added, removed }) => ({ text: value.join(''), added, removed }));
  }
  return [
    { text: before, added: false, removed: true },
    { text: after, added: true, removed: false },
  ];
};

const placesOf = (before: string, after: string): ChangedPlace[] => {
  const places: ChangedPlace[] = [];
  let lead = '';
  let [oldAt, nowAt] = [0, 0];
  for (const { text, added, removed } of partsOf(before, after)) {
    if (!added) oldAt += text.length;
    if (!removed) nowAt += text.length;
    const last = places.at(-1);
    if (!added && !removed) {
      if (last) last.trail = text;
      lead = text;
      continue;
    }
    if (last && last.trail.length < NEAR) {
      last.old += last.trail;
      last.now += last.trail;
      last.trail = '';
    } else places.push({ lead, old: '', now: '', trail: '', end: 0 });
    const place = places.at(-1) as ChangedPlace;
    if (removed) place.old += text;
    else place.now += text;
    place.end = Math.max(oldAt, nowAt);
    lead = '';
  }
  return places;
};

/** The end of a text from a word on, and its beginning up to one. */
const tail = (text: string): string =>
  text.length <= CONTEXT ? text : `…${text.slice(-CONTEXT).replace(/^(?:\S*\s+(?=\S)|[\uDC00-\uDFFF])/, '')}`;
const head = (text: string): string =>
  text.length <= CONTEXT ? text : `${text.slice(0, CONTEXT).replace(/\s+\S*$|[\uD800-\uDBFF]$/, '')}…`;

/** Some places of one text, with what stands around each. */
const excerptOf = (places: readonly ChangedPlace[], side: 'old' | 'now', most: number): string =>
  places
    .map((place) => `${tail(place.lead)}${shorten(place[side], most)}${head(place.trail)}`)
    .join(' ')
    .replace(/… …/g, '…');

const lengthOf = ({ lead, old, now, trail }: ChangedPlace, most: number): number =>
  Math.min(lead.length, CONTEXT) +
  Math.min(Math.max(old.length, now.length), most) +
  Math.min(trail.length, CONTEXT) +
  2;

/** Those that fit into so many characters, first those that matter, in the order in which they stand. At least one. */
const fitting = (
  places: readonly ChangedPlace[],
  most: number,
  max: number,
  matters: (text: string) => boolean,
): ChangedPlace[] => {
  const isFirst = places.map(({ old, now }) => matters(`${old} ${now}`));
  const ranked = [...places.keys()].sort((a, b) => Number(isFirst[b]) - Number(isFirst[a]) || a - b);
  let left = max;
  const taken = ranked.filter((at, rank) => {
    const length = lengthOf(places[at] as ChangedPlace, most);
    if (rank > 0 && length > left) return false;
    left -= length;
    return true;
  });
  return places.filter((_place, at) => taken.includes(at));
};

/** Where to start showing two texts: at a word, shortly before the first place where they differ. */
const windowStart = (before: string, after: string, max: number): number => {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  if (at < max / 2) return 0;
  const from = Math.max(0, at - CONTEXT);
  const word = /\s/.exec(before.slice(from, at));
  if (word) return from + word.index + 1;
  return /[\uDC00-\uDFFF]/.test(before[from] ?? '') ? from + 1 : from;
};

/** A text on one line, with a sign for what was parted by lines. */
const onOneLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ⏎ ');

/**
 * Old and new value as `old → new`. Of long texts, it is the places where they differ, and how many more there are.
 * @param max how many characters of each are shown
 * @param matters whether a place is shown first
 */
export const quoteChange = (
  before: unknown,
  after: unknown,
  max = 80,
  matters: (text: string) => boolean = () => false,
): Shown => {
  const charactersIn = (value: unknown): number => (typeof value === 'string' ? value.length : 0);
  const isLong = charactersIn(before) + charactersIn(after) > LONGEST;
  const [had, has] = [before, after].map((value) => (typeof value === 'string' && !isLong ? onOneLine(value) : value));
  // Where only the lines differ, they are what to show.
  return had === has ? changeOf(before, after, max, matters) : changeOf(had, has, max, matters);
};

const changeOf = (before: unknown, after: unknown, max: number, matters: (text: string) => boolean): Shown => {
  if (typeof before !== 'string' || typeof after !== 'string' || Math.max(before.length, after.length) <= max)
    return say`${quoteValue(before, max)} → ${quoteValue(after, max)}`;
  const from = windowStart(before, after, max);
  const inWindow = (text: string): Shown => quoteText(from > 0 ? `…${text.slice(from)}` : text, max);
  const places = before.length + after.length > LONGEST ? [] : placesOf(before, after);
  const isInWindow = places.length < 2 || (places.at(-1) as ChangedPlace).end < from + max;
  if (isInWindow) return say`${inWindow(before)} → ${inWindow(after)}`;
  const most = Math.floor(max / 2);
  const shown = fitting(places, most, max, matters);
  const [old, now] = (['old', 'now'] as const).map((side) => quoteText(excerptOf(shown, side, most), max * 2)) as [
    Shown,
    Shown,
  ];
  const more = places.length - shown.length;
  return more > 0 ? say`${old} → ${now} and ${plural(more, 'more place')}` : say`${old} → ${now}`;
};
