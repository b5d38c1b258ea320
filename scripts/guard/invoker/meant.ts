import { quoteName } from '../../text/quote.ts';
import { joined, type Shown, say } from '../../text/shown.ts';

/** For a name that no list has. */
export const meant = (names: readonly string[]): Shown => say`did you mean ${joined(names.map(quoteName), ', ')}?`;
