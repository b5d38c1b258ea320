import { plural } from '../text/plural.ts';

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

/** The day from which calls count, and the present time. */
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

/** Why the numbers may be too low, for people; empty if everything was read. */
export const gaps = (what: string, read: ReadCount): string[] => [
  ...(read.unread > 0 ? [`${what}: ${plural(read.unread, 'file')} could not be read`] : []),
  ...(read.damaged > 0 ? [`${what}: ${plural(read.damaged, 'line')} could not be understood`] : []),
  ...(read.tooLong > 0 ? [`${what}: ${plural(read.tooLong, 'line')} longer than 16 MB left out`] : []),
  ...(read.future > 0 ? [`${what}: ${plural(read.future, 'call')} with a time in the future left out`] : []),
  ...(read.overflow ? [`${what}: there is more than is counted; --days N makes it less`] : []),
];
