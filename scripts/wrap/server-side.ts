import type { Moment } from '../state/circumstances.ts';
import type { Side } from './types.ts';

/** A server, however it is reached. */
export interface ServerSide extends Side {
  /** How it ended: with a code, or by a signal. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Passes a signal on. */
  signal(name: NodeJS.Signals): void;
  /** The host will send nothing more. @param isAtWork whether the server still owes it an answer */
  hostDone(isAtWork: () => boolean): void;
  /** When the stream began on which it says what changes; undefined while it has none. Absent: it is asked before each call. */
  listeningSince?(): Moment | undefined;
  /** Judges a call again before it is repeated, because the server has restarted. @param restarted is told so before that */
  again?(judge: (line: Buffer) => void, restarted: () => void): void;
  /** Ends it, with everything it started. No one is left to hear it. */
  end(): void;
}
