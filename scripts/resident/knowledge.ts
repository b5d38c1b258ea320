import { loadConfig } from '../config/config.ts';
import type { JudgedCall, Knowledge } from '../guard/fast-path.ts';
import type { ToolInput } from '../guard/input.ts';
import { orPending } from '../sources/deadline.ts';
import { ageOfHead, type Head, LONGEST_TTL } from '../sources/head.ts';
import { type WarmSettings, type WarmSources, warmSources } from '../sources/warm/warm.ts';
import { type Moment, thisMoment } from '../state/circumstances.ts';
import type { Threads } from './threads.ts';
import { type Asked, type KnownToGuard, sourceOf, type Where } from './work.ts';

/** One line of thought: the main one of a session, or a subagent's. */
interface Conversation {
  session: string;
  agent?: string | undefined;
}

const conversationKey = ({ session, agent }: Conversation): string => `${session} ${agent ?? ''}`;

/** How many conversations are remembered. Beyond that, the oldest is forgotten, and when it began to think is unknown. */
const MOST_CONVERSATIONS = 500;

/** When each conversation began to think: at its last prompt, or the last answer that it got. */
const thinkingTimes = () => {
  const began = new Map<string, Moment>();
  return {
    begin: (conversation: Conversation): void => {
      const key = conversationKey(conversation);
      began.delete(key);
      began.set(key, thisMoment());
      const [oldest] = began.keys();
      if (began.size > MOST_CONVERSATIONS && oldest !== undefined) began.delete(oldest);
    },
    of: (conversation: Conversation): Moment | undefined => began.get(conversationKey(conversation)),
  };
};

/**
 * Whether an answer was asked for at this moment or later, and may still count as live. One from the future, after a clock was
 * set back, does not.
 */
export const isSince = (head: Head, { at, up }: Moment): boolean => {
  const age = ageOfHead(head);
  return age !== undefined && age < LONGEST_TTL && head.checkedAt >= at && head.checkedUp >= up;
};

/** How many calls that ran are remembered. Earlier ones are in the transcript. */
const MOST_RAN = 200;
/** How long a prompt waits for the answers it asked for, in ms: an unannounced change can then come with it. */
const PATIENCE = 200;

/** How long a question in the background may take beyond its own time limit, in ms: reading and storing the answer. */
const READING = 10_000;

/** What the resident guard knows of its sources beyond the files: it is connected with them, and asks while the model thinks. */
export const knownSources = (threads: Threads, judged: (input: ToolInput, call: JudgedCall) => void) => {
  const began = thinkingTimes();
  /** Ids of calls that ran without an error, the newest last. */
  let ran: string[] = [];
  /** `of`: the state folder and the session that they are kept for. A session can end before this process, with `/clear`. */
  let kept: { warm: WarmSources; of: string } | undefined;
  const warmFor = (where: Where, session: string): WarmSources => {
    const { home, project, env } = where;
    const { freshFor } = loadConfig(home, project, env).user;
    const of = JSON.stringify([home, session, freshFor]);
    if (kept?.of !== of) {
      void kept?.warm.close();
      // All in one thread: no call waits for them.
      const ask: NonNullable<WarmSettings['ask']> = ({ key }, options) =>
        threads.run('in the background', { kind: 'ask', key, where, options }, options.deadline + READING);
      kept = { of, warm: warmSources({ home, freshFor, session, ask }) };
    }
    return kept.warm;
  };
  const isSubscribed = (key: string): boolean => kept?.warm.standing(key)?.kind === 'subscribed';

  const knowledge: Knowledge = {
    counts: (key, head, input, reads) => {
      if (head.failure !== undefined || (head.session !== undefined && head.session !== input.session))
        return undefined;
      if (kept?.warm.announcedSince(key, head) !== undefined) return false;
      const since = reads ? began.of(input) : undefined;
      return isSubscribed(key) || (since !== undefined && isSince(head, since)) || undefined;
    },
    again: (key, head, deadline) => kept?.warm.againForCall(key, head, deadline),
    ran: (toolUseId) => ran.includes(toolUseId),
    judged,
  };
  return {
    knowledge,
    isSubscribed,
    /** Asks over a connection that is kept whether a source's answer is still the same. For the work of threads. */
    again: async (key: string, head: Head, deadline: number) => kept?.warm.again(key, head, deadline),
    /** What work in another thread has to know. */
    known: (): KnownToGuard => ({
      subscribed: kept?.warm.subscribed() ?? [],
      announced: kept?.warm.announced() ?? [],
      ran,
    }),
    /** Notes what was asked for a call, and keeps these sources warm from then on. */
    asked: (asked: Asked, where: Where, session: string): void => {
      for (const [key, outcome] of asked) {
        const source = sourceOf(key, where);
        if (source !== undefined) warmFor(where, session).asked(source, outcome);
      }
    },
    /** The model begins to think about a prompt: its sources are asked again. Waits a moment for the answers. */
    prompted: async (conversation: Conversation): Promise<void> => {
      began.begin(conversation);
      if (kept !== undefined) await orPending(kept.warm.refresh(), PATIENCE);
    },
    /** A call begins. Some models use an id again: what is known of an earlier call is not of this one. */
    begun: (toolUseId: string): void => {
      ran = ran.filter((one) => one !== toolUseId);
    },
    /** A call gave a result that is no error. */
    succeeded: (toolUseId: string): void => {
      ran = [...ran, toolUseId].slice(-MOST_RAN);
    },
    /** The model begins to think about the answer of a call that rested on these sources. */
    answered: (conversation: Conversation, keys: Iterable<string>, reads: boolean): void => {
      began.begin(conversation);
      for (const key of keys) kept?.warm.called(key, reads);
    },
    close: async (): Promise<void> => kept?.warm.close(),
  };
};
