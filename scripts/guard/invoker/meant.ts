import { quoteName } from '../../text/quote.ts';
import { joined, type Shown, say } from '../../text/shown.ts';

/** Names near one that no list has, as a question. */
export const meant = (names: readonly string[]): Shown => say`did you mean ${joined(names.map(quoteName), ', ')}?`;
