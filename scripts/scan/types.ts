import type { ReadCount } from '../state/history.ts';

/** A record's place in a transcript: offset and length, in bytes. */
export type Place = readonly [offset: number, length: number];

/** A conversation was shown a contract that it had not been shown before. */
export interface Sighting {
  /** The client's name for the tool. */
  tool: string;
  /** Of the contract, as the model sees it. */
  hash: string;
  /** In ms since 1970. */
  at: number;
  place: Place;
}

/** One call of an MCP tool. */
export interface ScannedCall {
  id: string;
  tool: string;
  at: number;
  /** The hash of the contract that the conversation had seen; absent if the transcript does not show it. */
  hash?: string;
  failed: boolean;
  place: Place;
}

/** The contents of one transcript: names, times, hashes, and where the rest can be read again. */
export interface FileScan {
  path: string;
  sightings: Sighting[];
  calls: ScannedCall[];
  /** Calls that the guard stopped; they are not among the calls. */
  stopped: number;
  read: ReadCount;
}
