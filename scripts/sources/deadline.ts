import { restOf } from '../contract/limits.ts';

/** The time that one asking has, for all that it does. */
export interface Deadline {
  /** How much it is, in ms. */
  ms: number;
  /** Aborted when it is too late for an answer; what is left then is for ending what was begun. */
  late: AbortSignal;
  /** Aborted when nothing may go on any more. */
  over: AbortSignal;
  /** Milliseconds until all of it is over. */
  left(): number;
}

export interface Unanswered {
  status: 'unreachable';
  why: string;
}

/** Milliseconds as people read them. */
export const inSeconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

export const unanswered = ({ ms }: Pick<Deadline, 'ms'>): Unanswered => ({
  status: 'unreachable',
  why: `no answer within ${inSeconds(ms)}`,
});

/**
 * Error codes of Node, of its HTTP libraries and of its TLS are words that are known; what else an error says may quote
 * headers, addresses and answers, and is shown and kept nowhere.
 */
export const codeOf = (error: unknown): string | undefined => {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : undefined;
};

/**
 * Asks, and gives up when the time is over, whatever still hangs: who asks aborts it by the signals, and nobody waits
 * for it any longer. Never throws.
 * @param ms milliseconds, for everything
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
    return { status: 'unreachable', why: codeOf(error) ?? 'asking broke off' };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    late.abort();
    over.abort();
  }
};
