import { plural } from '../text/plural.ts';

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

/** Why the numbers may be too low, in words; none if everything was read. */
export const gaps = (what: string, read: ReadCount): string[] => [
  ...(read.unread > 0 ? [`${what}: ${plural(read.unread, 'file')} could not be read`] : []),
  ...(read.damaged > 0 ? [`${what}: ${plural(read.damaged, 'line')} could not be understood`] : []),
  ...(read.tooLong > 0 ? [`${what}: ${plural(read.tooLong, 'line')} longer than 16 MB left out`] : []),
  ...(read.future > 0 ? [`${what}: ${plural(read.future, 'call')} with a time in the future left out`] : []),
  ...(read.overflow ? [`${what}: there is more than is counted; --days N makes it less`] : []),
];
