// The messages about an assessed call.
import { inputConstraintChanged } from '../diff/rules/input-constraint-changed.ts';
import { inputPropertyEnumChanged } from '../diff/rules/input-property-enum-changed.ts';
import { inputPropertyMarked } from '../diff/rules/input-property-marked.ts';
import { inputPropertyMirrored } from '../diff/rules/input-property-mirrored.ts';
import { inputPropertyReplaced } from '../diff/rules/input-property-replaced.ts';
import { toolHintChanged } from '../diff/rules/tool-hint-changed.ts';
import type { FoundChange } from '../diff/types.ts';
import type { Judgement } from '../judge/judge.ts';
import { countText } from '../reports/changes.ts';
import { quoteName, quoteText } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import type { HookAnswer } from './answer.ts';
import { bullets, doubtLines, inLines, parameterName } from './change-lines.ts';
import { meant } from './invoker/meant.ts';
import type { OuterCall } from './invoker/outer-call.ts';
import { type Subject, subjectText } from './subject.ts';
import { reasonLines, toldLines, toldOf } from './told.ts';
import { afterStop, branchesLine, isGone, nextStep, stopsEveryCall, wayOut } from './way-out.ts';

const LONGEST_WHY = 500;

/** Of a call that would have been sent as it was proposed, with nothing filled in. */
const UNFILLED = 'still holds placeholders, which stand for values to be filled in.';

const denial = (judgement: Judgement, about: Subject): HookAnswer => {
  const gone = isGone(judgement);
  const told = judgement.reasons.filter((reason) => reason.verdict === 'deny' || about.trusted);
  const lines = reasonLines(told.length > 0 ? told : judgement.reasons, about.trusted);
  const what = gone
    ? 'is gone: the server no longer has this tool.'
    : judgement.changes.length === 0
      ? UNFILLED
      : 'changed after this conversation learned it.';
  const shown = (lines: Shown[], words: boolean): Shown[] => {
    if (gone) return [];
    return judgement.reasons.length === 0 ? toldLines(judgement.changes, words) : bullets(lines);
  };
  return {
    decision: 'deny',
    reason: inLines(
      say`konnichiwagwan stopped this call: ${subjectText(about)} ${what}`,
      ...shown(lines, about.trusted),
      ...doubtLines(judgement),
      ...wayOut(judgement, about),
      ...(stopsEveryCall(judgement, about) ? [] : [nextStep(judgement, about)]),
    ),
    systemMessage: inLines(
      say`konnichiwagwan stopped a call: ${subjectText(about)} ${what}`,
      // Of the reason, the client shows the first line alone.
      ...shown(reasonLines(judgement.reasons, true), true),
      ...afterStop(judgement, about),
    ),
  };
};

const unknownName = (about: Subject, near: readonly string[]): Shown =>
  say`${subjectText(about)} is in no list of tools that is known: ${meant(near)}`;

/** For an inner call that is invalid although nothing changed: the model was never shown what the tool takes. */
const misfit = (judgement: Judgement, about: Subject, { name, parameter, near }: OuterCall): HookAnswer => {
  const lines = near ? [] : bullets(reasonLines(judgement.reasons, about.trusted));
  const what = near ? unknownName(about, near) : say`${subjectText(about)} does not take these arguments.`;
  const next = near
    ? say`Nothing was sent, and no tool is broken. If the name is right, make the same call again: it goes through.`
    : say`Nothing was sent, and no tool is broken: ${quoteName(name)} passes on the content of ${quoteName(parameter)}. Call it again with arguments that it takes.`;
  if (judgement.decision === 'notice') {
    return {
      systemMessage: inLines(say`konnichiwagwan: ${what} The mode is warn, so the call was sent.`, ...lines),
      context: inLines(say`konnichiwagwan: ${what}`, ...lines, ...wayOut(judgement, about)),
    };
  }
  return {
    decision: 'deny',
    reason: inLines(say`konnichiwagwan stopped this call: ${what}`, ...lines, ...wayOut(judgement, about), next),
    systemMessage: say`konnichiwagwan stopped a call: ${what}`,
  };
};

const changesOf = ({ reasons, changes }: Judgement): readonly FoundChange[] => {
  const concerned = reasons.flatMap((reason) => (reason.change ? [reason.change] : []));
  return concerned.length > 0 ? concerned : changes;
};

/** What shows a person the old and the new words of a call that was held. */
const SHOW_WORDS = say`konnichiwagwan logs --diff`;

const question = (judgement: Judgement, about: Subject): HookAnswer => {
  const words = about.attended || about.trusted;
  const lines = bullets(reasonLines(judgement.reasons, words));
  const head = say`konnichiwagwan: ${subjectText(about)} changed after this conversation learned it, and this call relies on what changed.`;
  if (about.attended) {
    return {
      decision: 'ask',
      reason: inLines(
        head,
        ...lines,
        say`Yes sends this call unchanged and, in this session, others that rely on the same change. No lets you tell Claude what to change.`,
      ),
    };
  }
  const [omit, give] = [judgement.omittable, judgement.givable].map((some = []) =>
    some.map((parameter) => quoteName(parameterName(parameter))),
  ) as [Shown[], Shown[]];
  return {
    decision: 'ask',
    reason: inLines(
      head,
      ...lines,
      say`A person has to say yes to this call; where no person can be asked, it is not sent, and the same call will be stopped again.`,
      ...(omit.length > 0 ? [say`A call that leaves out ${joined(omit, ', ')} goes through.`] : []),
      ...(give.length > 0 ? [say`A call that gives ${joined(give, ', ')} a value goes through.`] : []),
      ...(about.trusted
        ? []
        : [
            say`The model is not shown new words of ${quoteName(about.server)}, which the user has not marked as trusted ("servers": {${quoteText(about.server, 64)}: {"trusted": true}} in konnichiwagwan's config.json). A person sees them with: ${SHOW_WORDS}`,
          ]),
    ),
    // It reaches the reader of the run's output, and no model (test/e2e/hook-fields).
    ...(about.trusted
      ? {}
      : {
          systemMessage: inLines(
            say`konnichiwagwan: a call of ${subjectText(about)} waits for a person's yes, because it relies on what changed:`,
            ...bullets(reasonLines(judgement.reasons, true)),
            say`Where no person can be asked, it is not sent. The contracts in full: ${SHOW_WORDS}`,
          ),
        }),
  };
};

/** A twin's payload holds what its sibling takes: the changes are the sibling's. */
const twinNotice = (sibling: NonNullable<Judgement['sibling']>, about: Subject): HookAnswer => {
  const lines = (words: boolean) => toldLines(sibling.changes, words);
  const what = say`what ${subjectText(about)} takes in its payload changed after this conversation learned it`;
  return {
    systemMessage: inLines(
      say`konnichiwagwan: ${what} (${quoteName(sibling.name)}: ${countText(toldOf(sibling.changes))}).`,
      ...lines(true),
      about.held ? say`The server checks the payload.` : say`The server checks the payload, so the call was sent.`,
    ),
    context: inLines(
      say`konnichiwagwan: ${what}:`,
      ...lines(about.trusted),
      say`The payload is now the JSON text of an object with the parameters of: ${sibling.signature}`,
    ),
  };
};

/** Rules for changes of meaning that are no change of words. */
const WORDLESS: ReadonlySet<string> = new Set(
  [
    inputConstraintChanged,
    inputPropertyEnumChanged,
    inputPropertyMarked,
    inputPropertyMirrored,
    inputPropertyReplaced,
    toolHintChanged,
  ].map(({ id }) => id),
);

/**
 * What may be said of a call that goes through although its tool changed: that the schema takes its arguments, where that
 * was validated. Whether new words mean something else is not for us to say.
 */
const whatIsKnown = ({ changes, reasons, why }: Judgement, sent: string): Shown[] => {
  if (reasons.length > 0) return [say`This call relies on what changed; the mode is warn${visible(sent)}.`];
  const isReworded = changes.some(({ level, rule }) => level === 'semantic' && !WORDLESS.has(rule));
  return [
    // Where it was not validated, the line before says so.
    ...(why === undefined ? [say`This call fits the current schema${visible(sent)}.`] : []),
    ...(isReworded ? [say`Whether the changed words change what the call means, only a reader can tell.`] : []),
  ];
};

/** How the tool is called now: nothing where its signature is the one that the model knows, unless the call has to be made again. */
const formNow = ({ signature, isOtherForm }: Judgement, { held }: Subject): Shown[] => {
  if (signature === undefined || !(held || isOtherForm)) return [];
  return [say`${held ? 'Call it like this now' : 'From now on, call it like this'}: ${signature}`];
};

const notice = (judgement: Judgement, about: Subject): HookAnswer => {
  if (judgement.sibling && judgement.reasons.length === 0) return twinNotice(judgement.sibling, about);
  const lines = (words: boolean) => toldLines(judgement.changes, words);
  const sent = about.held ? '' : ', so it was sent';
  const fits = judgement.reasons.length === 0 && judgement.why === undefined;
  return {
    systemMessage: inLines(
      say`konnichiwagwan: ${subjectText(about)} changed after this conversation learned it (${countText(toldOf(judgement.changes))}).`,
      ...lines(true),
      ...doubtLines(judgement),
      ...whatIsKnown(judgement, sent),
    ),
    context: inLines(
      say`konnichiwagwan: the contract of ${subjectText(about)} changed after this conversation learned it.`,
      ...lines(about.trusted),
      ...(about.held
        ? []
        : [say`This call was let through as it is${fits ? visible('; there is no need to repeat it') : ''}.`]),
      ...formNow(judgement, about),
      ...(judgement.branches ? [branchesLine(judgement.branches)] : []),
    ),
  };
};

/** The answer for a judgement: what the model and the user are told; empty for silence. */
export const answerFor = (judgement: Judgement, about: Subject): HookAnswer => {
  const misfits = about.through !== undefined && judgement.changes.length === 0 && judgement.reasons.length > 0;
  if (about.through && misfits) return misfit(judgement, about, about.through);
  if (judgement.decision === 'deny') return denial(judgement, about);
  if (judgement.decision === 'ask') return question(judgement, about);
  if (judgement.decision === 'notice') return notice(judgement, about);
  return {};
};

/**
 * What is told of a call that was sent before its tool changed: it is too late to stop it.
 * @param within in ms; if no look happened between the call and the change, so that its answer may come from the new
 *   contract: how long before now the call was checked
 */
export const changedLater = (judgement: Judgement, about: Subject, within?: number): HookAnswer => {
  // The call is over, and must not be copied.
  const { corrected: _corrected, twin: _twin, ...rest } = judgement;
  const changes = (words: boolean) => toldLines(changesOf(judgement), words);
  const seconds = Math.max(1, Math.ceil((within ?? 0) / 1_000));
  const [what, toModel] =
    within !== undefined
      ? [
          say`${subjectText(about)} changed within ${seconds} s after a call of it was checked: the answer may already come from the new contract.`,
          say`konnichiwagwan: ${subjectText(about)} changed within ${seconds} s after your call of it was checked. The answer to that call may come from another contract than the one that it was made for: look at it again before you rely on it.`,
        ]
      : [
          say`${subjectText(about)} changed after this conversation used it: the same call would be stopped now.`,
          say`konnichiwagwan: ${subjectText(about)} changed on the server after you used it. What you know of it no longer holds${visible(stopsEveryCall(judgement, about) ? '' : ': call it in its current form')}.`,
        ];
  return {
    systemMessage: inLines(say`konnichiwagwan: ${what}`, ...changes(true)),
    context: inLines(toModel, ...changes(about.trusted), ...wayOut(rest, about)),
  };
};

/** What is told of a call whose arguments were changed after it was checked, if what was sent relies on what changed. */
export const rewritten = (judgement: Judgement, about: Subject): HookAnswer => {
  const changes = (words: boolean) => toldLines(changesOf(judgement), words);
  return {
    systemMessage: inLines(
      say`konnichiwagwan checked a call of ${subjectText(about)}, then another hook or a permission prompt tool changed its arguments. What was sent relies on what changed:`,
      ...changes(true),
      say`Look at that hook or tool: it may know the old contract.`,
    ),
    context: inLines(
      say`konnichiwagwan: another hook or a permission prompt tool changed the arguments of your call of ${subjectText(about)} after it was checked. What was sent relies on what changed, so the answer above may be wrong: do not rely on it, and do not take your own call for the cause.`,
      ...changes(about.trusted),
    ),
  };
};

/** The message if there was no time to find out whether a call whose arguments were changed relies on what changed. */
export const rewrittenUnread = (toolName: string): HookAnswer => ({
  systemMessage: say`konnichiwagwan checked a call of the tool ${quoteName(toolName)}, then another hook or a permission prompt tool changed its arguments. What was sent could not be checked in time.`,
});

/** The message if there was no time to find out whether a change concerns an earlier call. */
export const notCompared = (toolName: string): HookAnswer => ({
  systemMessage: say`konnichiwagwan: the tool ${quoteName(toolName)} changed after this conversation used it. The change could not be checked in time.`,
  context: say`konnichiwagwan: the tool ${quoteName(toolName)} changed on the server after you used it, and the change could not be checked in time. Read its current contract before you rely on what you know of it.`,
});

/**
 * The message about a server whose calls go through unchecked.
 * @param unaskable there is nothing that could be repaired
 * @param held this call does not go through: it is stopped or asked about for another reason
 */
export const uncheckedMessage = (server: string, why: string, unaskable = false, held = false): Shown =>
  say`konnichiwagwan could not check calls of server ${quoteName(server)}: ${visible(why, { max: LONGEST_WHY })}.${held ? '' : ' They go through unchecked.'}${unaskable ? '' : ' Run: konnichiwagwan doctor'}`;

/** The message if the client does not record what a conversation shows the model. */
export const hiddenMessage = (): Shown =>
  say`konnichiwagwan: Claude Code does not record which tool contracts it shows the model here, as in Code Mode, in older versions, or with megabytes of tools. Calls are compared with the contracts of the session's start; those that differ are still judged, all others go through unchecked.`;

/** The message about a server whose program was changed on disk while a copy of it runs. */
export const rebuiltMessage = (server: string, file: string): Shown =>
  say`konnichiwagwan: the program of server ${quoteName(server)} was rebuilt since this session started (${quoteText(file, 120)}). The running copy is the old one. After a reconnect or a crash, calls go to the new one, whose tools may differ. To see them: konnichiwagwan probe --spawn`;

/** The question about an unchecked call in mode strict. */
export const uncheckedQuestion = (server: string, why: string): HookAnswer => ({
  decision: 'ask',
  reason: say`konnichiwagwan could not check this call of server ${quoteName(server)}: ${visible(why, { max: LONGEST_WHY })}. The mode is strict, so a person has to say yes.`,
});

/** What the model reads about an error of a drifted tool, so that it does not think the tool is broken. */
export const failureContext = (judgement: Judgement, about: Subject): Shown =>
  about.through?.near
    ? inLines(
        say`konnichiwagwan: this error is about the name, no tool is broken: ${unknownName(about, about.through.near)}`,
        ...wayOut(judgement, about),
      )
    : about.through && judgement.changes.length === 0
      ? inLines(
          say`konnichiwagwan: this error is about the arguments, no tool is broken: ${quoteName(about.through.name)} passes on the content of ${quoteName(about.through.parameter)}, and ${subjectText(about)} does not take it:`,
          ...bullets(reasonLines(judgement.reasons, about.trusted)),
          ...wayOut(judgement, about),
        )
      : driftContext(judgement, about);

const driftContext = (judgement: Judgement, about: Subject): Shown => {
  const { sibling } = judgement;
  if (sibling && judgement.reasons.length === 0)
    return say`konnichiwagwan: this error may come from drift. ${twinNotice(sibling, about).context ?? ''}`;
  return inLines(
    say`konnichiwagwan: this error looks like drift, not like a broken tool. The contract of ${subjectText(about)} changed after this conversation learned it:`,
    ...toldLines(judgement.changes, about.trusted),
    ...wayOut(judgement, about),
  );
};
