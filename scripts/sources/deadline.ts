import { restOf } from '../contract/limits.ts';

/** The time limit of one question to a source, for everything that it takes. */
export interface Deadline {
  /** The whole time, in ms. */
  ms: number;
  /** Aborted when it is too late for an answer; the remaining time is for cleaning up. */
  late: AbortSignal;
  /** Aborted when the time is up: then everything stops. */
  over: AbortSignal;
  /** Milliseconds until the time is up. */
  left(): number;
}

export interface Unanswered {
  status: 'unreachable';
  why: string;
}

/** Milliseconds as text for people: `1.5 s`. */
export const inSeconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

/** The answer of a source that did not answer in time. */
export const unanswered = ({ ms }: Pick<Deadline, 'ms'>): Unanswered => ({
  status: 'unreachable',
  why: `no answer within ${inSeconds(ms)}`,
});

/**
 * The code of an error, such as ECONNREFUSED; undefined if it has none. Codes are fixed words; everything else in an error
 * may quote headers, addresses and answers, and so is never shown or stored.
 */
export const codeOf = (error: unknown): string | undefined => {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : undefined;
};

/** What `work` gives; `pending` if that takes longer than `ms` milliseconds. Rejects as `work` does. */
export const orPending = <T>(work: Promise<T>, ms: number): Promise<T | 'pending'> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'pending'>((give) => {
    timer = setTimeout(() => give('pending'), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

/**
 * Calls `ask`, and returns when the time is up, whatever still hangs: `ask` has to abort its work on the deadline's
 * signals. Never throws: an error of `ask` becomes an answer.
 * @param ms the whole time, in milliseconds
 */
export const within = async <T>(ms: number, ask: (deadline: Deadline) => Promise<T>): Promise<T | Unanswered> => {
  if (!(ms > 0)) return { status: 'unreachable', why: 'no time was left to ask' };
  const end = Date.now() + ms;
  const [late, over] = [new AbortController(), new AbortController()];
  const deadline: Deadline = { ms, late: late.signal, over: over.signal, left: () => Math.max(0, end - Date.now()) };
  const timers: NodeJS.Timeout[] = [];
  const tooLate = new Promise<Unanswered>((give) => {
    timers.push(setTimeout(() => late.abort(), ms - restOf(ms)));
    timers.push(setTimeout(() => give(unanswered(deadline)), ms));
  });
  try {
    return await Promise.race([ask(deadline), tooLate]);
  } catch (error) {
    return { status: 'unreachable', why: codeOf(error) ?? 'the connection was interrupted' };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    late.abort();
    over.abort();
  }
};
