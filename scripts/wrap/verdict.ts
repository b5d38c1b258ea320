// Judges a call by all contracts that the host was given and the current one, without file, clock or process.
import { meaningHash } from '../contract/meaning.ts';
import { withoutProseOf } from '../contract/prose.ts';
import type { Contract, JsonObject } from '../contract/types.ts';
import { type Invalid, validateArguments } from '../contract/validate.ts';
import type { FoundChange } from '../diff/types.ts';
import { shiftsFor } from '../judge/declared.ts';
import { type Judgement, judge, type Policy, type Reason } from '../judge/judge.ts';
import { isWords } from '../judge/twin.ts';
import type { Shown } from '../text/shown.ts';
import { addBounded } from './bounded.ts';
import { type CallSubject, denial, strictDenial, telling } from './words.ts';

/** How many told reasons are remembered; a server that changes with every call makes ever more of them. */
const MOST_TOLD = 10_000;

/** How many calls are stopped for new words at one place of a tool. Words that differ at each look would stop every call. */
const MOST_STOPS = 3;

/** A call by one of the contracts that the host was given. */
export interface Case {
  believed: Contract;
  judgement: Judgement;
  /** Why it cannot be passed on, whatever the model knows. */
  hard: Reason[];
  /** Reasons that may be intended, and are told once. */
  soft: Reason[];
}

export interface VerdictQuestion {
  /** What the host was given, oldest first: at least one. */
  believed: readonly Contract[];
  /** What our last stop named to the model, if there was one. */
  taught?: Contract | undefined;
  live: Contract | null;
  tools: readonly Contract[];
  /** Names of the tools that were listed before the tool, or with it. */
  earlier: ReadonlySet<string>;
  policy: Policy;
  about: CallSubject;
  /** Keys of reasons that need no stop once the model was told. Added to. */
  told: Set<string>;
  /** Of a tool behind an invoker: what is wrong with its arguments already. They are validated even if nothing changed. */
  wrong?: readonly Invalid[] | undefined;
}

/**
 * `notice`: it passes with a message. `isRestless`: the words that it relies on differ at each look. `unchecked`: unknown; the
 * mode decides.
 */
type Decided =
  | { verdict: 'silence' }
  | { verdict: 'notice'; judgement: Judgement; isRestless?: true }
  | { verdict: 'unchecked'; why: string }
  /** `isStale`: the server still has the tool, and the call is wrong by its current contract. */
  | { verdict: 'deny'; text: Shown; isStale: boolean };

/** Whether the call is known to hold something that is no longer declared. */
const usesWhatIsGone = (believed: Contract, live: Contract, args: JsonObject): boolean =>
  shiftsFor(believed.inputSchema, live.inputSchema, args)?.some(({ kind }) => kind === 'gone') ?? false;

/** A reason is one for one tool: two tools may be changed alike. */
const keyOf = ({ server, tool }: CallSubject, key: string): string => JSON.stringify([server, tool, key]);

/** Whether a message is enough: the call may be intended as written. */
const isSoft = ({ invalid, change }: Reason): boolean => invalid === undefined && change?.effect?.verdict === 'ask';

/**
 * Judges a call by one contract that the host was given.
 * @param isKnown whether the host was given the live contract after it: then the model may know all that changed, and only
 * what contradicts that knowledge counts against the call
 */
const caseOf = (believed: Contract, args: JsonObject, isKnown: boolean, asked: VerdictQuestion): Case => {
  const { live, tools, earlier, policy, told, wrong } = asked;
  const settled = (key: string): boolean => told.has(keyOf(asked.about, key));
  const judgement = judge({ believed, live, tools, earlier, args, policy, settled, wrong });
  const { reasons } = judgement;
  const isCertain = (reason: Reason): boolean =>
    !isKnown || live === null || reason.invalid !== undefined || usesWhatIsGone(believed, live, args);
  const hard = reasons.filter((reason) => !isSoft(reason) && isCertain(reason));
  return { believed, judgement, hard, soft: reasons.filter((reason) => !hard.includes(reason)) };
};

/**
 * The call by the contract that our last stop named: the model may go by that, whatever its host was given. It was named
 * without words, and in mode strict, too, a call by what the host was given is right once the server is back at that.
 */
const taughtCase = (args: JsonObject, asked: VerdictQuestion): Case | undefined => {
  const { taught, live, policy } = asked;
  if (taught === undefined || live === null) return undefined;
  const mode = policy.mode === 'strict' ? 'guard' : policy.mode;
  const under = { ...asked, live: withoutProseOf(live), policy: { ...policy, mode } as const };
  const found = caseOf(withoutProseOf(taught), args, false, under);
  return found.judgement.changes.length === 0 ? undefined : found;
};

const stopKey = (about: CallSubject, { rule, path }: FoundChange, count: number): string =>
  keyOf(about, `${rule} ${path} stop ${count}`);

/** Whether only words changed, at a place where enough other words were told before. */
const isRestless = ({ change }: Reason, { about, told }: VerdictQuestion): boolean =>
  change?.level === 'semantic' && isWords(change) && told.has(stopKey(about, change, MOST_STOPS));

const unique = (reasons: readonly Reason[]): Reason[] => [
  ...new Map(reasons.map((reason) => [`${reason.key} ${reason.invalid?.text ?? ''}`, reason])).values(),
];

/** The contract that the model most likely used: the newest one that accepts its call, else the newest. */
const likeliest = (cases: readonly Case[], args: JsonObject): Case =>
  cases.findLast(({ believed }) => validateArguments(believed.inputSchema, args).valid === true) ??
  (cases.at(-1) as Case);

const UNDECIDED = 'it cannot be decided whether the call is valid';

/** If nothing stops a call: whether it can be judged, and whether people are told. */
const passed = (cases: readonly Case[]): Decided => {
  const open = cases.find(({ judgement }) => judgement.decision === 'unchecked');
  if (open !== undefined) return { verdict: 'unchecked', why: open.judgement.why ?? UNDECIDED };
  const noticed = cases.findLast(({ judgement }) => judgement.decision === 'notice');
  return noticed === undefined ? { verdict: 'silence' } : { verdict: 'notice', judgement: noticed.judgement };
};

const strictly = (cases: readonly Case[], about: CallSubject): Decided => {
  const stopped = cases.findLast(({ judgement: { decision } }) => decision === 'deny' || decision === 'ask');
  return stopped === undefined
    ? passed(cases)
    : { verdict: 'deny', text: strictDenial(stopped.judgement, about), isStale: false };
};

const guarded = (cases: readonly Case[], isKnown: boolean, asked: VerdictQuestion): Decided => {
  const { about, told } = asked;
  const stopped = cases.filter(({ hard }) => hard.length > 0);
  const tell = (reasons: readonly Reason[]): void => {
    for (const { key, change } of reasons) {
      addBounded(told, keyOf(about, key), MOST_TOLD);
      if (change === undefined) continue;
      let count = 1;
      while (count < MOST_STOPS && told.has(stopKey(about, change, count))) count++;
      addBounded(told, stopKey(about, change, count), MOST_TOLD);
    }
  };
  if (stopped.length > 0) {
    const main = likeliest(stopped, about.args);
    const { corrected, ...rest } = main.judgement;
    // The proposed call must not be stopped again.
    const next = corrected === undefined ? [] : asked.believed.map((one) => caseOf(one, corrected, isKnown, asked));
    const isRight = corrected !== undefined && next.every(({ hard }) => hard.length === 0);
    const soft = unique([...cases, ...(isRight ? next : [])].flatMap((one) => one.soft));
    tell(soft);
    const judgement = isRight ? main.judgement : rest;
    const text = denial(judgement, unique([...main.hard, ...soft]), about);
    return { verdict: 'deny', text, isStale: asked.live !== null };
  }
  const soft = unique(cases.flatMap((one) => one.soft));
  const relying = cases.findLast((one) => one.soft.length > 0);
  if (relying === undefined) return passed(cases);
  if (soft.every((reason) => isRestless(reason, asked)))
    return { verdict: 'notice', judgement: relying.judgement, isRestless: true };
  tell(soft);
  // The call may be right unchanged, so no other call is proposed.
  const { corrected: _, twin: __, ...judgement } = relying.judgement;
  return { verdict: 'deny', text: telling(judgement, soft, about), isStale: false };
};

/** Decides on a call, and gives the reasons. */
export const decide = (asked: VerdictQuestion): { decided: Decided; cases: Case[] } => {
  const { believed, live, policy, about } = asked;
  const newest = believed.at(-1) as Contract;
  const isKnown = live !== null && meaningHash(newest) === meaningHash(live);
  const byTaught = taughtCase(about.args, asked);
  const cases = [
    ...believed.map((one) => caseOf(one, about.args, isKnown, asked)),
    ...(byTaught === undefined ? [] : [byTaught]),
  ];
  if (policy.mode === 'strict') return { decided: strictly(cases, about), cases };
  if (policy.mode === 'guard') return { decided: guarded(cases, isKnown, asked), cases };
  return { decided: passed(cases), cases };
};
