import type { Assessment } from '../assess.ts';
import { DEEPEST_ARGUMENTS, isDeeper } from '../contract/depth.ts';
import type { JsonObject } from '../contract/types.ts';
import { countLevels } from '../diff/diff.ts';
import type { FoundChange } from '../diff/types.ts';
import type { HookAnswer } from '../hook/answer.ts';
import type { OuterCall } from '../invoker/outer-call.ts';
import type { Judgement, Reason } from '../judge/judge.ts';
import { clientName } from '../names.ts';
import { quoteName, quoteText } from './quote.ts';
import { visibleJson } from './visible.ts';

/** What a message is about. */
export interface Subject {
  /** As the server calls it. */
  tool: string;
  server: string;
  /** As the client calls it, up to the tool's own name: `mcp__server__`. */
  prefix: string;
  args: JsonObject;
  /** Whether the server's new words may reach the model. */
  trusted: boolean;
  /** Whether a person sits at a terminal and is the one who reads the question. */
  attended: boolean;
  /** For a tool that is called through a generic invoker. */
  through?: OuterCall;
}

/** What messages about one call are about. */
export const subjectOf = (
  input: { arguments: Record<string, unknown> },
  { tool, named, policy, through }: Pick<Assessment, 'tool' | 'named' | 'policy' | 'through'>,
  attended: boolean,
): Subject => ({
  tool: through?.tool ?? tool ?? named.spelling,
  server: named.server,
  prefix: named.prefix,
  args: input.arguments as JsonObject,
  trusted: policy.trusted,
  attended,
  ...(through ? { through } : {}),
});

const MOST_LINES = 12;
const LONGEST_CALL = 2_000;

export const subjectText = ({ tool, server, through }: Subject): string =>
  `${quoteName(tool)} (server ${quoteName(server)}${through ? `, called through ${quoteName(through.name)}` : ''})`;

/** A bounded list. */
export const bullets = (lines: string[]): string[] => {
  const shown = lines.slice(0, MOST_LINES).map((line) => `- ${line}`);
  return lines.length > MOST_LINES ? [...shown, `- … and ${lines.length - MOST_LINES} more`] : shown;
};

const parameterOf = ({ parameter = [] }: FoundChange): string =>
  quoteName(parameter.filter((step) => step !== '*').join('.'));

/** A change in one line, with the parameter it is about. `words`: with the server's prose, quoted. */
export const changeLine = (change: FoundChange, words: boolean): string => {
  const text = words ? change.message : change.brief;
  const own = quoteName(change.parameter?.at(-1) ?? '');
  return change.parameter === undefined || (change.parameter.length === 1 && text.includes(own))
    ? text
    : `${parameterOf(change)}: ${text}`;
};

const reasonLine = ({ change, invalid, key }: Reason, words: boolean): string => {
  if (change === undefined) return invalid?.text ?? key;
  // Where no rule knows the change, what is wrong with the arguments says more.
  return change.rule === 'unclassified' && invalid
    ? `${changeLine(change, words)}: ${invalid.text}`
    : changeLine(change, words);
};

/** A call, ready to be made; not where it is too long to be copied. */
const call = (name: string, args: JsonObject): string | undefined => {
  if (isDeeper(args, DEEPEST_ARGUMENTS)) return undefined;
  const text = `${name} ${visibleJson(JSON.stringify(args))}`;
  return text.length > LONGEST_CALL ? undefined : text;
};

/** The same for one of the server's tools, in the way in which the client reaches it. */
const callOf = ({ through, prefix }: Subject, tool: string, args: JsonObject): string | undefined =>
  through ? call(through.toolName, through.call(tool, args)) : call(clientName(prefix, tool), args);

/** New names of parameters come from the server: in a call they stand where nothing is quoted. */
const PLAIN_NAME = /^[\w.$-]{1,64}$/;
const hasPlainNames = ({ changes }: Judgement): boolean =>
  changes.every(({ renamedTo }) => renamedTo === undefined || PLAIN_NAME.test(renamedTo));

const wayOut = (judgement: Judgement, about: Subject): string[] => {
  const lines: string[] = [];
  if (judgement.successor !== undefined)
    lines.push(`The server has ${judgement.signature ?? quoteName(judgement.successor)} now.`);
  else if (judgement.signature !== undefined)
    lines.push(`${judgement.changes.length > 0 ? 'Call it like this now' : 'It takes'}: ${judgement.signature}`);
  if (judgement.corrected && hasPlainNames(judgement)) {
    const corrected = callOf(about, about.through?.listed ?? about.tool, judgement.corrected);
    if (corrected) lines.push(`This call with its new names: ${corrected}`);
  }
  if (judgement.twin && hasPlainNames(judgement)) {
    const twin = callOf(about, judgement.twin.name, judgement.twin.arguments);
    if (twin) lines.push(`Or through its raw twin, whose contract does not change: ${twin}`);
  }
  const skeleton = about.through?.skeleton && call(about.through.toolName, about.through.skeleton);
  if (skeleton) lines.push(`The whole call, to be filled in: ${skeleton}`);
  return lines;
};

/** How to make the model see the new contract. What works was measured with the real client. */
export const refreshAdvice = (server: string): string =>
  `To show the model the new contract: /mcp reconnect ${quoteName(server).replaceAll('`', '')}, then /clear (or start a new session).`;

const denial = (judgement: Judgement, about: Subject): HookAnswer => {
  const gone = judgement.signature === undefined || judgement.successor !== undefined;
  const told = judgement.reasons.filter((reason) => reason.verdict === 'deny' || about.trusted);
  const lines = (told.length > 0 ? told : judgement.reasons).map((reason) => reasonLine(reason, about.trusted));
  const what = gone ? 'is gone: the server no longer has this tool.' : 'changed after this conversation learned it.';
  const strict = judgement.reasons.length === 0;
  return {
    decision: 'deny',
    reason: [
      `konnichiwagwan stopped this call: ${subjectText(about)} ${what}`,
      ...bullets(gone ? [] : strict ? judgement.changes.map((change) => changeLine(change, about.trusted)) : lines),
      ...wayOut(judgement, about),
      strict
        ? 'The mode is strict: no call of a changed tool goes through before a person has refreshed the session.'
        : `Nothing was sent, and the tool is not broken. ${gone ? 'Do not try this tool again.' : 'A call that fits the contract of now goes through at once; no restart is needed.'}`,
    ].join('\n'),
    systemMessage: [
      `konnichiwagwan stopped a call: ${subjectText(about)} ${what}`,
      ...bullets(
        gone ? [] : (strict ? judgement.changes : changesOf(judgement)).map((change) => changeLine(change, true)),
      ),
      ...(about.through ? [] : [refreshAdvice(about.server)]),
    ].join('\n'),
  };
};

/** For a call inside a call that never fitted: nobody showed the model what the tool takes. */
const misfit = (judgement: Judgement, about: Subject, { name, parameter }: OuterCall): HookAnswer => {
  const lines = bullets(judgement.reasons.map((reason) => reasonLine(reason, about.trusted)));
  const what = `${subjectText(about)} does not take these arguments.`;
  const passesOn = `${quoteName(name)} passes on what stands in ${quoteName(parameter)}`;
  if (judgement.decision === 'notice') {
    return {
      systemMessage: [`konnichiwagwan: ${what} The mode is warn, so the call was sent.`, ...lines].join('\n'),
      context: [`konnichiwagwan: ${what}`, ...lines, ...wayOut(judgement, about)].join('\n'),
    };
  }
  return {
    decision: 'deny',
    reason: [
      `konnichiwagwan stopped this call: ${what}`,
      ...lines,
      ...wayOut(judgement, about),
      `Nothing was sent, and no tool is broken: ${passesOn}. A call that fits goes through at once.`,
    ].join('\n'),
    systemMessage: [`konnichiwagwan stopped a call: ${what}`, ...lines].join('\n'),
  };
};

const changesOf = ({ reasons, changes }: Judgement): FoundChange[] => {
  const concerned = reasons.flatMap((reason) => (reason.change ? [reason.change] : []));
  return concerned.length > 0 ? concerned : changes;
};

const question = (judgement: Judgement, about: Subject): HookAnswer => {
  const words = about.attended || about.trusted;
  const lines = bullets(judgement.reasons.map((reason) => reasonLine(reason, words)));
  const head = `konnichiwagwan: ${subjectText(about)} changed after this conversation learned it, and this call relies on what changed.`;
  if (about.attended) {
    return {
      decision: 'ask',
      reason: [head, ...lines, 'Yes sends the call as it is. No lets you tell Claude what to change.'].join('\n'),
    };
  }
  const omit = judgement.reasons.flatMap(({ change }) =>
    change?.effect?.when === 'used' && change.parameter ? [quoteName(change.parameter.join('.'))] : [],
  );
  const give = judgement.reasons.flatMap(({ change }) =>
    change?.effect?.when === 'omitted' && change.parameter ? [quoteName(change.parameter.join('.'))] : [],
  );
  return {
    decision: 'ask',
    reason: [
      head,
      ...lines,
      'A person has to say yes to this call; where nobody can be asked, it was not sent, and the same call will be stopped again.',
      ...(omit.length > 0 ? [`A call that leaves out ${omit.join(', ')} goes through.`] : []),
      ...(give.length > 0 ? [`A call that gives ${give.join(', ')} a value goes through.`] : []),
      ...(about.trusted
        ? []
        : [
            `New words of ${quoteName(about.server)} are not shown here, because the user has not marked it as trusted ("servers": {${quoteText(about.server, 64)}: {"trusted": true}} in konnichiwagwan's config.json).`,
          ]),
    ].join('\n'),
  };
};

const notice = (judgement: Judgement, about: Subject): HookAnswer => {
  const counts = Object.entries(countLevels(judgement.changes)).map(([level, count]) => `${count} ${level}`);
  const lines = (words: boolean) => bullets(judgement.changes.map((change) => changeLine(change, words)));
  const stopped = judgement.reasons.length > 0;
  const passed = stopped
    ? 'This call relies on what changed; the mode is warn, so it was sent.'
    : 'This call fits the contract of now and touches nothing that changed its meaning, so it was sent.';
  return {
    systemMessage: [
      `konnichiwagwan: ${subjectText(about)} changed after this conversation learned it (${counts.join(', ')}).`,
      ...lines(true),
      passed,
    ].join('\n'),
    context: [
      `konnichiwagwan: the contract of ${subjectText(about)} changed after this conversation learned it.`,
      ...lines(about.trusted),
      ...(judgement.signature ? [`Call it like this now: ${judgement.signature}`] : []),
    ].join('\n'),
  };
};

/** What a verdict says: to the model, to the person, or nothing. */
export const answerFor = (judgement: Judgement, about: Subject): HookAnswer => {
  const misfits = about.through !== undefined && judgement.changes.length === 0 && judgement.reasons.length > 0;
  if (about.through && misfits) return misfit(judgement, about, about.through);
  if (judgement.decision === 'deny') return denial(judgement, about);
  if (judgement.decision === 'ask') return question(judgement, about);
  if (judgement.decision === 'notice') return notice(judgement, about);
  return {};
};

/** For a server whose calls go through unchecked. */
export const uncheckedMessage = (server: string, why: string, unaskable = false): string =>
  `konnichiwagwan could not check calls of server ${quoteName(server)}: ${why}. They go through unchecked.${unaskable ? '' : ' Run: konnichiwagwan doctor'}`;

/** For a program that was changed on disk while a copy of it runs. */
export const rebuiltMessage = (server: string, file: string): string =>
  `konnichiwagwan: the program of server ${quoteName(server)} was rebuilt since this session started (${quoteText(file, 120)}). The copy that runs is the old one; after a reconnect, or if it crashes, calls go to the new one, whose tools may be others. To see them: konnichiwagwan probe --spawn`;

/** In strict mode an unchecked call is asked about. */
export const uncheckedQuestion = (server: string, why: string): HookAnswer => ({
  decision: 'ask',
  reason: `konnichiwagwan could not check this call of server ${quoteName(server)}: ${why}. The mode is strict, so a person has to say yes.`,
});

/** For a call that failed on a tool that has drifted, so that nobody concludes that the tool is broken. */
export const failureContext = (judgement: Judgement, about: Subject): string =>
  about.through && judgement.changes.length === 0
    ? [
        `konnichiwagwan: this error is about the arguments, no tool is broken: ${quoteName(about.through.name)} passes on what stands in ${quoteName(about.through.parameter)}, and ${subjectText(about)} does not take it:`,
        ...bullets(judgement.reasons.map((reason) => reasonLine(reason, about.trusted))),
        ...wayOut(judgement, about),
      ].join('\n')
    : driftContext(judgement, about);

const driftContext = (judgement: Judgement, about: Subject): string =>
  [
    `konnichiwagwan: this error looks like drift, not like a broken tool. The contract of ${subjectText(about)} changed after this conversation learned it:`,
    ...bullets(judgement.changes.map((change) => changeLine(change, about.trusted))),
    ...wayOut(judgement, about),
  ].join('\n');
