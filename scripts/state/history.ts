// Shared by the readers of past calls, in the activity log and in transcripts.

/** Makes a function that returns one shared copy of equal texts: many calls use few tools in few sessions. */
export const oneCopy = (): ((text: string) => string) => {
  const texts = new Map<string, string>();
  return (text) => texts.get(text) ?? (texts.set(text, text) && text);
};

/** What was read, and what could not be. */
export interface ReadCount {
  files: number;
  bytes: number;
  /** Lines that may hold a call, but could not be parsed. */
  damaged: number;
  tooLong: number;
  /** Files that could not be read, or not to their end. */
  unread: number;
  /** Calls with a time in the future. */
  future: number;
  /** More calls, files or bytes than are read. */
  overflow: boolean;
}

/** A new count, with nothing read. */
export const nothingRead = (): ReadCount => ({
  files: 0,
  bytes: 0,
  damaged: 0,
  tooLong: 0,
  unread: 0,
  future: 0,
  overflow: false,
});

/** The day from which calls count, and the current time. */
export interface Span {
  from: string;
  /** The beginning of that day, in ms since 1970. */
  since: number;
  now: number;
}

/** How far in the future a call's time may be, in ms, because clocks differ. */
const AHEAD = 86_400_000;

/** Whether a call at this time counts. One in the future does not, and is noted in `read`. */
export const within = ({ since, now }: Span, at: number, read: ReadCount): boolean => {
  if (at > now + AHEAD) {
    read.future += 1;
    return false;
  }
  return at >= since;
};
