// How a tool is called now, and what to do after a stop.
import { present } from '../contract/defined.ts';
import { DEEPEST_ARGUMENTS, isDeeper } from '../contract/depth.ts';
import { clientName } from '../contract/names.ts';
import type { JsonObject } from '../contract/types.ts';
import type { Judgement } from '../judge/judge.ts';
import { LOCKFILE } from '../lock/types.ts';
import { plainName, quoteName, quoteNames } from '../text/quote.ts';
import { type Shown, say } from '../text/shown.ts';
import { visible, visibleJson } from '../text/visible.ts';
import { PLACEHOLDER } from './input.ts';
import { PLAIN_PARAMETER } from './plain-parameter.ts';
import type { Subject } from './subject.ts';

const LONGEST_CALL = 2_000;

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

const hasPlainNames = ({ changes }: Judgement): boolean =>
  changes.every(({ renamedTo, moves = [] }) =>
    [...(renamedTo === undefined ? [] : [renamedTo]), ...moves.flatMap(({ to }) => to)].every((name) =>
      PLAIN_PARAMETER.test(name),
    ),
  );

const hasMoves = ({ changes }: Judgement): boolean => changes.some(({ moves = [] }) => moves.length > 0);

const MOST_BRANCHES = 20;
export const branchesLine = (names: readonly string[]): Shown =>
  say`Its branches are now: ${quoteNames(names, MOST_BRANCHES)}.`;

/** Whether the server no longer has the tool. */
export const isGone = ({ signature, successor }: Judgement): boolean =>
  signature === undefined || successor !== undefined;

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
    renamed && say`This call ${hasMoves(judgement) ? 'in its new form' : 'with its new names'}: ${renamed}`,
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

/** What the model is told to do after a stop. */
export const nextStep = (judgement: Judgement, about: Subject): Shown => {
  if (isGone(judgement)) return say`${notOffered(about.tool)}${successorAdvice(judgement, about)}`;
  return about.isUnapproved ? NEEDS_YES : CALL_AGAIN;
};

/** What a person is told to do after a stop: mostly nothing. */
export const afterStop = (judgement: Judgement, about: Subject): Shown[] => {
  if (judgement.changes.length === 0) return [];
  if (stopsEveryCall(judgement, about)) return [refreshAdvice(about)];
  // The client has to list the new name, which it does after a reconnect; an invoker takes it at once.
  if (judgement.successor !== undefined) return about.through ? [] : [refreshAdvice({ server: about.server })];
  return [
    judgement.signature === undefined
      ? say`Nothing was sent, and Claude was told.`
      : about.isUnapproved
        ? say`Claude was told the new form, and that a call of it needs a person's yes.`
        : judgement.reasons.some(({ verdict }) => verdict === 'ask')
          ? say`Claude was told the new form and will try again. You may be asked about that call, since more changed.`
          : say`Claude was told the new form and will try again. Nothing to do.`,
  ];
};
