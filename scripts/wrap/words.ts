// The messages to the model about a call that is not passed on: the guard's words, for any host.
import { defined } from '../contract/defined.ts';
import type { JsonObject } from '../contract/types.ts';
import { bullets, doubtLines, inLines } from '../guard/change-lines.ts';
import type { OuterCall } from '../guard/invoker/outer-call.ts';
import { reasonLines, toldLines } from '../guard/told.ts';
import { CALL_AGAIN, isGone, notOffered, wayOut } from '../guard/way-out.ts';
import type { Judgement, Reason } from '../judge/judge.ts';
import { quoteName } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';

/** What a message is about. */
export interface CallSubject {
  tool: string;
  /** The server's name; undefined if it was not given. */
  server: string | undefined;
  args: JsonObject;
  /** Whether the server's prose may reach the model. */
  trusted: boolean;
  /** What the host calls itself. */
  host: string | undefined;
  /** For a tool that is called through an invoker. */
  through?: OuterCall | undefined;
}

/** Codex shows no more than about 12,500 characters of a text, and leaves out the middle. */
const LONGEST = 8_000;
const LONGEST_WHY = 500;

const bounded = (text: Shown): Shown => visible(text, { max: LONGEST, lines: true });

const subjectText = ({ tool, server, through }: Pick<CallSubject, 'tool' | 'server' | 'through'>): Shown => {
  const about = [
    ...(server === undefined ? [] : [say`server ${quoteName(server)}`]),
    ...(through === undefined ? [] : [say`called through ${quoteName(through.name)}`]),
  ];
  return about.length === 0 ? quoteName(tool) : say`${quoteName(tool)} (${joined(about, ', ')})`;
};

/** Qwen Code checks arguments itself, by the list that it read at its start, and never reads another one. */
const hostAdvice = ({ host }: CallSubject): Shown[] =>
  host?.startsWith('qwen-cli')
    ? [
        say`If Qwen Code itself refuses the new arguments, it still knows the old contract: ask the user to restart it. Nothing else helps.`,
      ]
    : [];

/** The model sees a new name once the program has listed the tools again. Some never do. */
const successorAdvice = ({ successor }: Judgement): Shown =>
  successor === undefined
    ? say``
    : say` If ${quoteName(successor)} is not among your tools, this program has not listed the server's tools again: ask the user to restart it.`;

const wayOutOf = (judgement: Judgement, { tool, server = '', args, trusted, through }: CallSubject): Shown[] => {
  // With the exact call at hand, a template is of no use.
  const { skeleton, ...plain } = through ?? {};
  const kept = through && judgement.corrected === undefined ? { ...plain, ...defined({ skeleton }) } : plain;
  const way = through === undefined ? {} : { through: kept as OuterCall };
  return wayOut(judgement, { tool, server, prefix: '', args, trusted, attended: false, ...way });
};

/** For arguments that a tool does not take, although it has not changed. */
const misfitText = (about: CallSubject): Shown =>
  about.through === undefined
    ? say`${subjectText(about)} does not take these arguments.`
    : say`${subjectText(about)} does not take what ${quoteName(about.through.parameter)} holds.`;

/** The same for a tool behind an invoker. */
const misfit = (judgement: Judgement, reasons: readonly Reason[], about: CallSubject): Shown =>
  bounded(
    inLines(
      say`konnichiwagwan stopped this call: ${misfitText(about)}`,
      ...bullets(reasonLines(reasons, about.trusted)),
      ...doubtLines(judgement),
      ...wayOutOf(judgement, about),
      say`Nothing was sent, and no tool is broken. A call that fits goes through at once.`,
    ),
  );

/** For a call that does not fit what the server runs now. */
export const denial = (judgement: Judgement, reasons: readonly Reason[], about: CallSubject): Shown => {
  if (judgement.changes.length === 0 && judgement.signature !== undefined) return misfit(judgement, reasons, about);
  const gone = isGone(judgement);
  const what = gone
    ? say`is gone: the server no longer has this tool.`
    : say`changed after this conversation learned it.`;
  return bounded(
    inLines(
      say`konnichiwagwan stopped this call: ${subjectText(about)} ${what}`,
      ...(gone ? [] : bullets(reasonLines(reasons, about.trusted))),
      ...doubtLines(judgement),
      ...wayOutOf(judgement, about),
      gone ? say`${notOffered(about.tool)}${successorAdvice(judgement)}` : CALL_AGAIN,
      ...(gone ? [] : hostAdvice(about)),
    ),
  );
};

/** For a call that is still accepted, but touches something with a new meaning. Said once. */
export const telling = (judgement: Judgement, reasons: readonly Reason[], about: CallSubject): Shown =>
  bounded(
    inLines(
      say`konnichiwagwan stopped this call: ${subjectText(about)} changed after this conversation learned it, and this call relies on what changed.`,
      ...bullets(reasonLines(reasons, about.trusted)),
      ...wayOutOf(judgement, about),
      say`Nothing was sent, and the tool is not broken. If the call is right as it is, make it again: it then goes through, unless the tool changes once more.`,
      ...(about.trusted
        ? []
        : [
            say`New words of the server are not shown here, because the user has not marked it as trusted (--trust). If the call depends on them, ask the user.`,
          ]),
    ),
  );

/** Where a tool whose contract broke is offered under another name, too. */
export const newNameLine = (name: string): Shown =>
  say`The same tool is offered with its current contract as ${quoteName(name)}: if that is among your tools, call it.`;

/** In mode strict, for every call of a tool that changed. */
export const strictDenial = (judgement: Judgement, about: CallSubject): Shown =>
  bounded(
    inLines(
      say`konnichiwagwan stopped this call: ${subjectText(about)} changed after this conversation learned it.`,
      ...toldLines(judgement.changes, about.trusted),
      ...doubtLines(judgement),
      say`Nothing was sent. The mode is strict: no call of a changed tool goes through before a person starts a new session.`,
    ),
  );

const whyText = (why: string): Shown => visible(why, { max: LONGEST_WHY });

const couldNot = (why: string, about: Pick<CallSubject, 'tool' | 'server'>): Shown =>
  say`konnichiwagwan could not check this call of ${subjectText(about)}: ${whyText(why)}.`;

/** In mode strict, for a call that could not be judged. */
export const uncheckedDenial = (why: string, about: CallSubject): Shown =>
  bounded(
    say`${couldNot(why, about)} The mode is strict, so nothing was sent. The server is asked again at the next call; if this stays so, a person has to look at it.`,
  );

/** For the model, before the answer to a call that could not be judged. */
export const uncheckedTelling = (why: string, about: CallSubject): Shown =>
  bounded(
    say`${couldNot(why, about)} It was sent as it is; if the tool has changed, the answer below may not mean what you expect.`,
  );

/** For people, when calls pass that could not be judged. */
export const uncheckedLine = (why: string, about: Pick<CallSubject, 'tool' | 'server'>): Shown =>
  say`konnichiwagwan could not check a call of ${subjectText(about)}: ${whyText(why)}. Such calls pass unchecked.`;

/** For a call that the guard let through by a contract that is no longer listed. */
export const unapprovedSince = (about: CallSubject): Shown =>
  say`konnichiwagwan stopped this call: the contract of ${subjectText(about)} changed after the call was checked, and the new one is not known to be approved. Nothing was sent. Call it again: then it is checked by the new contract.`;

/** With a lockfile, for a call whose approval is unknown. */
export const lockedDenial = (why: string, about: CallSubject): Shown =>
  bounded(
    say`konnichiwagwan stopped this call: it cannot tell whether the contract of ${subjectText(about)} is approved: ${whyText(why)}. With --lock only approved contracts are called, so nothing was sent. The server is asked again at the next call; if this stays so, tell the user.`,
  );

/** The same in mode warn, where the call is sent. */
export const lockedLine = (why: string, about: CallSubject): Shown =>
  bounded(
    say`konnichiwagwan cannot tell whether the contract of ${subjectText(about)} is approved: ${whyText(why)}. The mode is warn, so the call was sent.`,
  );

/** The same in mode warn, where the call is sent. */
export const misfitLine = (judgement: Judgement, about: CallSubject): Shown =>
  bounded(
    inLines(
      say`konnichiwagwan: ${misfitText(about)} The mode is warn, so it was sent.`,
      ...bullets(reasonLines(judgement.reasons, about.trusted)),
      ...wayOutOf(judgement, about),
    ),
  );

/**
 * Where a call of a changed tool passes.
 * @param reader whether people read it, who may read the server's prose, or the model
 */
export const changedLine = (
  { judgement: { changes, reasons }, isRestless = false }: { judgement: Judgement; isRestless?: boolean },
  about: CallSubject,
  reader: 'people' | 'model',
): Shown => {
  const sent = isRestless
    ? say`Its words have changed so often that calls are no longer stopped for them, and this one was sent.`
    : say`The mode is warn, so it was sent.`;
  return bounded(
    inLines(
      reasons.length > 0
        ? say`konnichiwagwan: ${subjectText(about)} changed, and a call relies on what changed. ${sent}`
        : say`konnichiwagwan: ${subjectText(about)} changed. A call whose arguments are valid under the current schema was sent.`,
      ...toldLines(changes, reader === 'people' || about.trusted),
    ),
  );
};
