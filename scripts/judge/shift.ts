import type { Json } from '../contract/types.ts';
import type { Shown } from '../text/shown.ts';

/**
 * Something that a call relies on and about which its contract now says something else. `ofNames`: said of the names of
 * properties, for which the last step of the way stands.
 */
export type Shift = { way: string[]; ofNames?: true } & (
  | {
      kind: 'gone';
      /** Another form than that of this call still lists it. */
      isElsewhere?: true;
    }
  /** `untold`: nothing is said of the value now, so nothing contradicts the old words. */
  | { kind: 'reworded'; before: string[]; after: string[]; untold?: true }
  /** `isGone`: the parameter went with it, so that no call can give it a value. */
  | { kind: 'default'; before: Json | undefined; after: Json | undefined; isGone?: true }
  /** A parameter that was not there acts in a call that leaves it out. */
  | { kind: 'acting'; message: Shown; after: Json }
  /** What no validator checks. */
  | { kind: 'annotated'; keyword: string; before: Json | undefined; after: Json | undefined }
  /** A format is asked for now that the value is not known to have. */
  | { kind: 'formatted'; before: string | undefined; after: string }
  /** The server may ignore the value now. */
  | { kind: 'unwritable' }
  /** What is declared from here on is unknown. */
  | { kind: 'unknown' }
);
