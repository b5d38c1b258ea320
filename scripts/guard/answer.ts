import { fstatSync, statSync, writeSync } from 'node:fs';
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

/** How long a reader may take none of it, in ms. */
const PATIENCE = 3_000;

/** A standard output that was closed is the null device by now: Node puts that in its place. */
const isHeard = (): boolean => {
  try {
    const [output, nothing] = [fstatSync(1), statSync('/dev/null')];
    return !output.isCharacterDevice() || output.rdev !== nothing.rdev;
  } catch {
    return true;
  }
};

/** Writes all of a text to standard output; what went wrong, if that did not work. */
const write = (text: string): string | undefined => {
  const bytes = Buffer.from(text);
  let written = 0;
  let since = Date.now();
  while (written < bytes.length) {
    try {
      written += writeSync(1, bytes, written);
      since = Date.now();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EAGAIN' || Date.now() - since > PATIENCE) return code ?? 'unknown error';
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
  return undefined;
};

/** Writes a line to standard error, which nobody has to read: what goes wrong with it is no error of the hook. */
export const writeError = (line: string): void => {
  try {
    writeSync(2, `${line}\n`);
  } catch {
    // Closed, full, or gone.
  }
};

let answered = false;

/** Longer than anything that we say. */
const LONGEST = 20_000;

/** Whatever went wrong before: nothing that steers a terminal and nothing endless is printed. */
const safe = (text: string): string => visible(text, { max: LONGEST, lines: true });

/**
 * Prints the decision, once and whole; prints nothing for silence. A stop that nobody hears would be a pass: where it
 * cannot be printed, the exit code stops the call (2 does), and the reason is on standard error.
 */
export const printAnswer = (event: string, { systemMessage, decision, reason, context }: HookAnswer): void => {
  // What a person types has no permissions: it is sent or not, and the reason is for the person.
  const isTyped = event === 'UserPromptExpansion';
  const specific = {
    hookEventName: event,
    ...(decision === undefined || isTyped
      ? {}
      : { permissionDecision: decision, permissionDecisionReason: safe(reason ?? '') }),
    ...(context === undefined ? {} : { additionalContext: safe(context) }),
  };
  const answer = {
    ...(systemMessage === undefined ? {} : { systemMessage: safe(systemMessage) }),
    ...(decision !== undefined && isTyped ? { decision: 'block', reason: safe(reason ?? '') } : {}),
    ...(Object.keys(specific).length === 1 ? {} : { hookSpecificOutput: specific }),
  };
  if (answered || Object.keys(answer).length === 0) return;
  answered = true;
  const unheard = decision === undefined || isHeard() ? write(JSON.stringify(answer)) : 'closed';
  if (unheard === undefined) return;
  process.exitCode = decision === undefined ? 1 : 2;
  writeError(
    `konnichiwagwan could not print its answer (${unheard}): ${safe(reason ?? systemMessage ?? context ?? '')}`,
  );
};
