// Servers and their states in a line: those that share a text stand together.
import type { Freshness } from '../../session/freshness.ts';
import { THROUGH_WRAP } from '../../sources/wrapped.ts';
import { plainName } from '../../text/quote.ts';
import { joined, type Shown, say } from '../../text/shown.ts';
import { visible } from '../../text/visible.ts';
import { sourceText } from '../probe.ts';

/** How many names one line has at most. */
const MOST_NAMES = 4;
/** With more than this the last line counts them: the names stand above it. */
const MOST_NAMED = 3;

export const some = (names: readonly Shown[]): Shown => {
  const first = joined(names.slice(0, MOST_NAMES), ', ');
  return names.length > MOST_NAMES ? say`${first} and ${names.length - MOST_NAMES} more` : first;
};

/** Groups names that share a text, in their original order. */
export const alike = (said: readonly (readonly [name: Shown, what: Shown])[]): [names: Shown[], what: Shown][] => {
  const groups = new Map<Shown, Shown[]>();
  for (const [name, what] of said) groups.set(what, [...(groups.get(what) ?? []), name]);
  return [...groups].map(([what, names]) => [names, what]);
};

/** One line for each group of servers that share a text. */
export const alikeLines = (said: readonly (readonly [name: Shown, what: Shown])[]): Shown[] =>
  alike(said).map(([names, what]) => say`${some(names)}: ${what}`);

/** A few names, or how many there are: for a line that says one thing of all. */
export const fewOrCount = (names: readonly Shown[]): Shown =>
  names.length > MOST_NAMED ? say`${names.length} servers` : joined(names, ', ');

/** A state in words for people; `probe` and the data use its real name. */
export const stateText = ({ state, late }: Freshness): Shown =>
  state === 'unaskable' ? say`not asked` : late && state === 'fresh' ? say`unchanged` : say`${state}`;

/** Why a server is in its state. `--spawn` is an option of `probe`, so there it is named with its command. */
export const noteOf = ({ note }: Freshness): Shown =>
  visible(note.replace(/(?<!probe )--spawn/, 'konnichiwagwan probe --spawn'));

/** A server and where it is asked. Left out behind wrap: it would say nothing, and many servers are. */
export const nameText = (one: Freshness): Shown => (one.where === THROUGH_WRAP ? plainName(one.name) : sourceText(one));
