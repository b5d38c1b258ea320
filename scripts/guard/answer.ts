import { fstatSync, statSync, writeSync } from 'node:fs';
import type { Shown } from '../text/shown.ts';
import { visible } from '../text/visible.ts';

/** What a hook answers to Claude Code. An empty answer is silence. */
export interface HookAnswer {
  /** For the user only. */
  systemMessage?: Shown;
  decision?: 'deny' | 'ask';
  /** Goes with `decision`: for the model, and for the person to be asked. */
  reason?: Shown;
  /** For the model, with a call that goes through. */
  context?: Shown;
}

/** How long a write may make no progress because its reader does not read, in ms. */
const PATIENCE = 3_000;

/** Whether standard output can be read. If it was closed, Node has replaced it by the null device. */
const isHeard = (): boolean => {
  try {
    const [output, nothing] = [fstatSync(1), statSync('/dev/null')];
    return !output.isCharacterDevice() || output.rdev !== nothing.rdev;
  } catch {
    return true;
  }
};

/** Writes all of a text to standard output. Gives an error code if that fails, else undefined. */
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

/** Writes a line to standard error. Never throws: the line is optional. */
export const writeError = (line: string): void => {
  try {
    writeSync(2, `${line}\n`);
  } catch {
    // Closed or full.
  }
};

let answered = false;

/** Longest text that is printed, in UTF-16 units: longer than any message. */
const LONGEST = 20_000;

/** A second safeguard: whatever a message holds, nothing that controls a terminal and nothing endless is printed. */
const safe = (text: string): string =>
  // Our own warning sign is two characters; everywhere else the second one is spelled out.
  visible(text, { max: LONGEST, lines: true }).replaceAll('⚠\\u{fe0f}', '⚠\ufe0f');

/**
 * The answer in the form that Claude Code reads; an object without fields is silence.
 * @param event name of the hook's event, such as `PreToolUse`
 */
export const answerJson = (event: string, { systemMessage, decision, reason, context }: HookAnswer): object => {
  // What a person types has no permissions: it is sent or not, and the reason is for the person.
  const isTyped = event === 'UserPromptExpansion';
  const specific = {
    hookEventName: event,
    ...(decision === undefined || isTyped
      ? {}
      : { permissionDecision: decision, permissionDecisionReason: safe(reason ?? '') }),
    ...(context === undefined ? {} : { additionalContext: safe(context) }),
  };
  return {
    ...(systemMessage === undefined ? {} : { systemMessage: safe(systemMessage) }),
    ...(decision !== undefined && isTyped ? { decision: 'block', reason: safe(reason ?? '') } : {}),
    ...(Object.keys(specific).length === 1 ? {} : { hookSpecificOutput: specific }),
  };
};

/**
 * Prints the answer as JSON on standard output, once; prints nothing for silence. A stop that the client cannot read would
 * let the call pass: if it cannot be printed, exit code 2 stops the call, and the reason goes to standard error.
 */
export const printAnswer = (event: string, answer: HookAnswer): void => {
  const { systemMessage, decision, reason, context } = answer;
  const json = answerJson(event, answer);
  if (answered || Object.keys(json).length === 0) return;
  answered = true;
  const unheard = decision === undefined || isHeard() ? write(JSON.stringify(json)) : 'closed';
  if (unheard === undefined) return;
  process.exitCode = decision === undefined ? 1 : 2;
  writeError(
    `konnichiwagwan could not print its answer (${unheard}): ${safe(reason ?? systemMessage ?? context ?? '')}`,
  );
};
