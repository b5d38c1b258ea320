import { present } from '../contract/defined.ts';
import { DEEPEST_ARGUMENTS, isDeeper } from '../contract/depth.ts';
import { clientName } from '../contract/names.ts';
import type { JsonObject } from '../contract/types.ts';
import type { Effect, FoundChange } from '../diff/types.ts';
import type { Judgement, Reason } from '../judge/judge.ts';
import { LOCKFILE } from '../lock/types.ts';
import { countText } from '../reports/changes.ts';
import { MOST_PLACES } from '../reports/place.ts';
import { plainName, quoteName, quoteNames, quoteText } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { visible, visibleJson } from '../text/visible.ts';
import type { HookAnswer } from './answer.ts';
import type { Assessment } from './assessment.ts';
import { PLACEHOLDER } from './input.ts';
import { meant } from './invoker/meant.ts';
import type { OuterCall } from './invoker/outer-call.ts';

/** What a message is about. */
export interface Subject {
  /** The tool's own name. */
  tool: string;
  server: string;
  /** The client's name for the tool, up to the tool's own name: `mcp__server__`. Empty: tools are called by their own names. */
  prefix: string;
  args: JsonObject;
  /** Whether the server's prose may reach the model. */
  trusted: boolean;
  /** Whether a person at a terminal reads the question; else the model does. */
  attended: boolean;
  /** For a tool that is called through an invoker. */
  through?: OuterCall;
  /** Whether the call is stopped, or waits for a person's yes, for another reason. */
  held?: boolean;
  /** Set if the lockfile holds up calls of the live contract, too. */
  isUnapproved?: true;
  /** Set if no call of a changed tool goes through, whatever its form: mode strict. */
  isStrict?: true;
  /** Set if the transcript does not show the tool: what the client shows after a `/clear` is then not known either. */
  isUnseen?: true;
}

/** The subject of messages about a call. */
export const subjectOf = (
  input: { arguments: Record<string, unknown> },
  { facts, named, policy, through, trust }: Assessment,
  attended: boolean,
): Subject => ({
  tool: through?.tool ?? facts?.tool?.name ?? named.spelling,
  server: named.server,
  prefix: named.prefix,
  args: input.arguments as JsonObject,
  trusted: policy.trusted,
  attended,
  ...(through ? { through } : {}),
  ...(trust && trust.verdict !== 'notice' ? { isUnapproved: true } : {}),
  // Where the server is back at what the client shows, a call by that goes through.
  ...(policy.mode === 'strict' && facts?.tool?.belief.from !== 'told' ? { isStrict: true } : {}),
  ...(facts?.tool !== undefined && facts.tool.view === undefined ? { isUnseen: true } : {}),
});

const MOST_LINES = 12;
const LONGEST_CALL = 2_000;
const LONGEST_WHY = 500;

/** The tool and its server, quoted: `tool` (server `server`). */
export const subjectText = ({ tool, server, through }: Subject): Shown =>
  say`${quoteName(tool)} (server ${quoteName(server)}${through ? say`, called through ${quoteName(through.name)}` : ''})`;

export const inLines = (...lines: Shown[]): Shown => joined(lines, '\n');

/** Lines as a list of at most 12, and how many more there are. */
export const bullets = (lines: readonly Shown[]): Shown[] => {
  const shown = lines.slice(0, MOST_LINES).map((line) => say`- ${line}`);
  return lines.length > MOST_LINES ? [...shown, say`- … and ${lines.length - MOST_LINES} more`] : shown;
};

const nameOf = (parameter: readonly string[]): string => parameter.filter((step) => step !== '*').join('.');

/** The parameters that a change is about: a shared definition stands at several, and this call may use any of them. */
const parametersOf = ({ parameter = [], ways = [] }: FoundChange): string[] => [
  ...new Set([parameter, ...ways].map(nameOf).filter((name, index) => index === 0 || name !== '')),
];

/** A change in one line, with the parameters that it is about. `words`: with the server's prose, quoted. */
export const changeLine = (change: FoundChange, words: boolean): Shown => {
  const text = words ? change.message : change.brief;
  const own = quoteName(change.parameter?.at(-1) ?? '');
  const names = parametersOf(change);
  return change.parameter === undefined || (names.length === 1 && change.parameter.length === 1 && text.includes(own))
    ? text
    : say`${quoteNames(names, MOST_PLACES)}: ${text}`;
};

/** Why a call is stopped, in one line. `words`: with the server's prose, quoted. */
export const reasonLine = ({ change, invalid, key }: Reason, words: boolean): Shown => {
  if (change === undefined) return invalid?.text ?? visible(key, { max: 200 });
  // If no rule explains the change, what is wrong with the arguments says more.
  return change.rule === 'unclassified' && invalid
    ? say`${changeLine(change, words)}: ${invalid.text}`
    : changeLine(change, words);
};

/** A call as text to be copied; undefined if it is too long or too deep for that. */
const call = (name: string, args: JsonObject): Shown | undefined => {
  if (isDeeper(args, DEEPEST_ARGUMENTS)) return undefined;
  const text = say`${visible(name, { max: 300 })} ${visibleJson(JSON.stringify(args))}`;
  return text.length > LONGEST_CALL ? undefined : text;
};

/** The same for a tool of the subject's server: called directly, or through the invoker. */
const callOf = ({ through, prefix }: Subject, tool: string, args: JsonObject): Shown | undefined =>
  through
    ? call(through.toolName, through.call(tool, args))
    : call(prefix === '' ? tool : clientName(prefix, tool), args);

/** New names of parameters come from the server, and a call shows them unquoted: so only plain ones are shown. */
const PLAIN_NAME = /^[\w.$-]{1,64}$/;
const hasPlainNames = ({ changes }: Judgement): boolean =>
  changes.every(({ renamedTo }) => renamedTo === undefined || PLAIN_NAME.test(renamedTo));

const MOST_BRANCHES = 20;
const branchesLine = (names: readonly string[]): Shown =>
  say`Its branches are now: ${quoteNames(names, MOST_BRANCHES)}.`;

const isGone = ({ signature, successor }: Judgement): boolean => signature === undefined || successor !== undefined;

/** Whether a call of the tool in its current form is stopped, too. */
export const stopsEveryCall = (judgement: Judgement, { isStrict }: Subject): boolean =>
  isStrict === true && judgement.changes.length > 0 && !isGone(judgement);

const formLine = ({ successor, signature, changes }: Judgement): Shown | undefined => {
  if (successor !== undefined) return say`The server has ${signature ?? quoteName(successor)} now.`;
  return signature && say`${changes.length > 0 ? 'Call it like this now' : 'It takes'}: ${signature}`;
};

/** How the tool is called now, and whether such a call goes through. */
export const wayOut = (judgement: Judgement, about: Subject): Shown[] => {
  const { branches, corrected, twin } = judgement;
  const { through } = about;
  const isPlain = hasPlainNames(judgement);
  const renamed =
    corrected && isPlain && !about.isStrict ? callOf(about, through?.listed ?? about.tool, corrected) : undefined;
  const raw = twin && isPlain ? callOf(about, twin.name, twin.arguments) : undefined;
  const first = twin?.incomplete ? 'Or, with its placeholders filled in,' : 'Or';
  const skeleton = through?.skeleton && call(through.toolName, through.skeleton);
  return present([
    formLine(judgement),
    branches && branchesLine(branches),
    renamed && say`This call with its new names: ${renamed}`,
    raw && say`${first} through its raw twin, whose contract does not change: ${raw}`,
    skeleton && say`The whole call${skeleton.includes(PLACEHOLDER) ? ', to be filled in' : ''}: ${skeleton}`,
    stopsEveryCall(judgement, about) &&
      say`The mode is strict: no call of a changed tool goes through before a person has refreshed the session.`,
  ]);
};

/** How to make the model see the new contract: what was found to work with the real client. */
export const refreshAdvice = ({ server, isUnseen }: Pick<Subject, 'server' | 'isUnseen'>): Shown =>
  isUnseen
    ? say`To show the model the new contract: start a new session (/clear is not enough here).`
    : say`To show the model the new contract: /mcp reconnect ${plainName(server)}, then /clear (or start a new session).`;

/** What to do after a stop, for the model. Of a call in the current form, nothing else is promised. */
export const CALL_AGAIN = say`Nothing was sent, and the tool is not broken. Call it in its current form; no restart is needed.`;
/** The same if a call in the current form would be held up by the lockfile. */
const NEEDS_YES = say`Nothing was sent, and the tool is not broken. A call in its current form is sent only with a person's yes (${LOCKFILE}).`;
export const notOffered = (tool: string): Shown =>
  say`Nothing was sent. The server no longer offers ${quoteName(tool)}.`;

/** The client learns new names when it lists the server's tools again; until then it knows no such tool. */
const successorAdvice = ({ successor }: Judgement, { server, through }: Subject): Shown =>
  successor === undefined || through
    ? say``
    : say` If ${quoteName(successor)} is answered with "No such tool available", Claude Code has not listed the server's tools again yet: ask the user to type /mcp reconnect ${plainName(server)}, and call it after that.`;

/** What else may be wrong with a call. */
export const doubtLines = ({ why }: Judgement): Shown[] =>
  why === undefined ? [] : [say`As far as this could be checked: ${why}.`];

/** Of a call that would have been sent as it was proposed, with nothing filled in. */
const UNFILLED = 'still holds placeholders, which stand for values to be filled in.';

/** What the model is told to do after a stop. */
const nextStep = (judgement: Judgement, about: Subject): Shown => {
  if (isGone(judgement)) return say`${notOffered(about.tool)}${successorAdvice(judgement, about)}`;
  return about.isUnapproved ? NEEDS_YES : CALL_AGAIN;
};

const denial = (judgement: Judgement, about: Subject): HookAnswer => {
  const gone = isGone(judgement);
  const told = judgement.reasons.filter((reason) => reason.verdict === 'deny' || about.trusted);
  const lines = (told.length > 0 ? told : judgement.reasons).map((reason) => reasonLine(reason, about.trusted));
  const what = gone
    ? 'is gone: the server no longer has this tool.'
    : judgement.changes.length === 0
      ? UNFILLED
      : 'changed after this conversation learned it.';
  const changed = judgement.changes.map((change) => changeLine(change, about.trusted));
  const shown = gone ? [] : judgement.reasons.length === 0 ? changed : lines;
  const toPerson = gone ? [] : changesOf(judgement);
  return {
    decision: 'deny',
    reason: inLines(
      say`konnichiwagwan stopped this call: ${subjectText(about)} ${what}`,
      ...bullets(shown),
      ...doubtLines(judgement),
      ...wayOut(judgement, about),
      ...(stopsEveryCall(judgement, about) ? [] : [nextStep(judgement, about)]),
    ),
    systemMessage: inLines(
      say`konnichiwagwan stopped a call: ${subjectText(about)} ${what}`,
      // Of the reason, the client shows the first line alone.
      ...bullets(toPerson.map((change) => changeLine(change, true))),
      ...afterStop(judgement, about),
    ),
  };
};

/** What a person is told to do after a stop: mostly nothing. */
const afterStop = (judgement: Judgement, about: Subject): Shown[] => {
  if (judgement.changes.length === 0) return [];
  if (stopsEveryCall(judgement, about)) return [refreshAdvice(about)];
  // The client has to list the new name, which it does after a reconnect; an invoker takes it at once.
  if (judgement.successor !== undefined) return about.through ? [] : [refreshAdvice({ server: about.server })];
  return [
    judgement.signature === undefined
      ? say`Nothing was sent, and Claude was told.`
      : about.isUnapproved
        ? say`Claude was told the new form, and that a call of it needs a person's yes.`
        : say`Claude was told the new form and will try again. Nothing to do.`,
  ];
};

const unknownName = (about: Subject, near: readonly string[]): Shown =>
  say`${subjectText(about)} is in no list of tools that is known: ${meant(near)}`;

/** For an inner call that is invalid although nothing changed: the model was never shown what the tool takes. */
const misfit = (judgement: Judgement, about: Subject, { name, parameter, near }: OuterCall): HookAnswer => {
  const lines = near ? [] : bullets(judgement.reasons.map((reason) => reasonLine(reason, about.trusted)));
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

const changesOf = ({ reasons, changes }: Judgement): FoundChange[] => {
  const concerned = reasons.flatMap((reason) => (reason.change ? [reason.change] : []));
  return concerned.length > 0 ? concerned : changes;
};

/** What shows a person the old and the new words of a call that was held. */
const SHOW_WORDS = say`konnichiwagwan logs --diff`;

const question = (judgement: Judgement, about: Subject): HookAnswer => {
  const words = about.attended || about.trusted;
  const lines = bullets(judgement.reasons.map((reason) => reasonLine(reason, words)));
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
  const { omittable = [], reasons, changes } = judgement;
  const omit = omittable.map((parameter) => quoteName(nameOf(parameter)));
  const named = (about: readonly (FoundChange | undefined)[], when: Effect['when']): string[] =>
    about.flatMap((change) => (change?.effect?.when === when && change.parameter ? [nameOf(change.parameter)] : []));
  const asked = new Set(named(changes, 'used'));
  const omitted = named(
    reasons.map(({ change }) => change),
    'omitted',
  ).filter((name) => !asked.has(name));
  // Advice that covers only some of the reasons would not let the call through.
  const give = omitted.length === reasons.length ? [...new Set(omitted)].map(quoteName) : [];
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
            ...bullets(judgement.reasons.map((reason) => reasonLine(reason, true))),
            say`Where no person can be asked, it is not sent. The contracts in full: ${SHOW_WORDS}`,
          ),
        }),
  };
};

/** A twin's payload holds what its sibling takes: the changes are the sibling's. */
const twinNotice = (sibling: NonNullable<Judgement['sibling']>, about: Subject): HookAnswer => {
  const lines = (words: boolean) => bullets(sibling.changes.map((change) => changeLine(change, words)));
  const what = say`what ${subjectText(about)} takes in its payload changed after this conversation learned it`;
  return {
    systemMessage: inLines(
      say`konnichiwagwan: ${what} (${quoteName(sibling.name)}: ${countText(sibling.changes)}).`,
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

/**
 * What may be said of a call that goes through although its tool changed: that the schema takes its arguments, where that
 * was validated. Whether new words mean something else is not for us to say.
 */
const whatIsKnown = ({ changes, reasons, why }: Judgement, sent: string): Shown[] => {
  if (reasons.length > 0) return [say`This call relies on what changed; the mode is warn${visible(sent)}.`];
  const isReworded = changes.some(({ level }) => level === 'semantic');
  return [
    // Where it was not validated, the line before says so.
    ...(why === undefined ? [say`This call fits the current schema${visible(sent)}.`] : []),
    ...(isReworded ? [say`Whether the changed words change what the call means, only a reader can tell.`] : []),
  ];
};

const notice = (judgement: Judgement, about: Subject): HookAnswer => {
  if (judgement.sibling && judgement.reasons.length === 0) return twinNotice(judgement.sibling, about);
  const lines = (words: boolean) => bullets(judgement.changes.map((change) => changeLine(change, words)));
  const sent = about.held ? '' : ', so it was sent';
  const fits = judgement.reasons.length === 0 && judgement.why === undefined;
  return {
    systemMessage: inLines(
      say`konnichiwagwan: ${subjectText(about)} changed after this conversation learned it (${countText(judgement.changes)}).`,
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
      ...(judgement.signature
        ? [say`${about.held ? 'Call it like this now' : 'From now on, call it like this'}: ${judgement.signature}`]
        : []),
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
  const changes = (words: boolean) => bullets(changesOf(judgement).map((change) => changeLine(change, words)));
  const seconds = Math.max(1, Math.ceil((within ?? 0) / 1_000));
  const [what, toModel] =
    within !== undefined
      ? [
          say`${subjectText(about)} changed within ${seconds} s after a call of it was checked: the answer may already come from the new contract.`,
          say`konnichiwagwan: ${subjectText(about)} changed within ${seconds} s after your call of it was checked. The answer above may come from another contract than the one that the call was made for: look at it again before you rely on it.`,
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
  say`konnichiwagwan: Claude Code does not record which tool contracts it shows the model in this conversation (Code Mode does not). Calls are compared with the contracts of the session's start; those that differ are still judged, all others go through unchecked.`;

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
          ...bullets(judgement.reasons.map((reason) => reasonLine(reason, about.trusted))),
          ...wayOut(judgement, about),
        )
      : driftContext(judgement, about);

const driftContext = (judgement: Judgement, about: Subject): Shown => {
  const { sibling } = judgement;
  if (sibling && judgement.reasons.length === 0)
    return say`konnichiwagwan: this error may come from drift. ${twinNotice(sibling, about).context ?? ''}`;
  return inLines(
    say`konnichiwagwan: this error looks like drift, not like a broken tool. The contract of ${subjectText(about)} changed after this conversation learned it:`,
    ...bullets(judgement.changes.map((change) => changeLine(change, about.trusted))),
    ...wayOut(judgement, about),
  );
};
