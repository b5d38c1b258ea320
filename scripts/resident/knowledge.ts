import type { ToolInput } from '../guard/input.ts';
import type { JudgedCall, Knowledge } from '../guard/unchanged.ts';
import { ageOfHead, type Head, LONGEST_TTL } from '../sources/head.ts';
import { askSource } from '../sources/live.ts';
import { type Moment, thisMoment } from '../state/circumstances.ts';

/** One line of thought: the main one of a session, or a subagent's. */
export interface Conversation {
  session: string;
  agent?: string | undefined;
}

const conversationKey = ({ session, agent }: Conversation): string => `${session} ${agent ?? ''}`;

/** So many conversations are remembered; then the oldest is forgotten, and nothing is known of when it began to think. */
const MOST_CONVERSATIONS = 500;

/** When each conversation began to think: at its last prompt, or the last answer that it got. */
export const thinkingTimes = () => {
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

export type ThinkingTimes = ReturnType<typeof thinkingTimes>;

/** Whether an answer was asked for at this moment or later, and is none from a future that a clock was set back from. */
export const isSince = (head: Head, { at, up }: Moment): boolean => {
  const age = ageOfHead(head);
  return age !== undefined && age < LONGEST_TTL && head.checkedAt >= at && head.checkedUp >= up;
};

/** What the resident guard knows beyond the files: see the interface. */
export const knowledgeOf = (
  thinking: ThinkingTimes,
  judged: (input: ToolInput, call: JudgedCall) => void,
): Knowledge => ({
  counts: (_key, head, input, reads) => {
    const began = reads ? thinking.of(input) : undefined;
    const isTheirs = head.session !== undefined && head.session !== input.session;
    return began !== undefined && !isTheirs && head.failure === undefined && isSince(head, began);
  },
  again: () => undefined,
  ask: askSource,
  judged,
});
