import { writeSync } from 'node:fs';
import type { Shown } from '../text/shown.ts';
import { visible } from '../text/visible.ts';

/** What a hook answers Claude Code. An empty answer is silence. */
export interface HookAnswer {
  /** For the user alone. */
  systemMessage?: Shown;
  decision?: 'deny' | 'ask';
  /** Goes with `decision`: for the model, and for the person who is asked. */
  reason?: Shown;
  /** For the model, beside a call that goes through. */
  context?: Shown;
}

/** Writes all of a text to standard output; a reader that went away is no error of ours. */
const write = (text: string): void => {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(1, bytes, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
};

/** Longer than anything that we say. */
const LONGEST = 20_000;

/** Whatever went wrong before: nothing that steers a terminal and nothing endless is printed. */
const safe = (text: string): string => visible(text, { max: LONGEST, lines: true });

/** Prints the decision, once and whole; prints nothing for silence. */
export const printAnswer = (event: string, { systemMessage, decision, reason, context }: HookAnswer): void => {
  const specific = {
    hookEventName: event,
    ...(decision === undefined ? {} : { permissionDecision: decision, permissionDecisionReason: safe(reason ?? '') }),
    ...(context === undefined ? {} : { additionalContext: safe(context) }),
  };
  const answer = {
    ...(systemMessage === undefined ? {} : { systemMessage: safe(systemMessage) }),
    ...(Object.keys(specific).length === 1 ? {} : { hookSpecificOutput: specific }),
  };
  if (Object.keys(answer).length > 0) write(JSON.stringify(answer));
};
