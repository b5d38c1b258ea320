// Shared by the readers of past calls, in the activity log and in transcripts.

/** What the client can write. Everything else is not its work, so no name needs more care than this on its way out. */
export const TOOL_NAME = /^mcp__[A-Za-z0-9_-]{1,250}$/;
export const SESSION_ID = /^[A-Za-z0-9_-]{1,100}$/;

/** Keeps one copy of each text: half a million calls are of few tools in few sessions. */
export const oneCopy = (): ((text: string) => string) => {
  const texts = new Map<string, string>();
  return (text) => texts.get(text) ?? (texts.set(text, text) && text);
};

/** What was read, and what could not be. */
export interface ReadCount {
  files: number;
  bytes: number;
  /** Lines that could hold a call and could not be understood. */
  damaged: number;
  tooLong: number;
  /** Files that could not be read, or not to their end. */
  unread: number;
  /** Calls with a time in the future. */
  future: number;
  /** More calls, files or bytes than are read. */
  overflow: boolean;
}

export const nothingRead = (): ReadCount => ({
  files: 0,
  bytes: 0,
  damaged: 0,
  tooLong: 0,
  unread: 0,
  future: 0,
  overflow: false,
});

/** From which day on calls count, and what time it is. */
export interface Span {
  from: string;
  /** The same in milliseconds. */
  since: number;
  now: number;
}

/** Clocks differ a little. */
const AHEAD = 86_400_000;

/** Whether a time is one to be counted; a time in the future is noted. */
export const within = ({ since, now }: Span, at: number, read: ReadCount): boolean => {
  if (at > now + AHEAD) {
    read.future += 1;
    return false;
  }
  return at >= since;
};
