// Judges a call by all contracts that the host was given and the current one. Knows no file and no process.
import { meaningHash } from '../contract/meaning.ts';
import { withoutProseOf } from '../contract/prose.ts';
import type { Contract, JsonObject } from '../contract/types.ts';
import { type Invalid, validateArguments } from '../contract/validate.ts';
import type { FoundChange } from '../diff/types.ts';
import { shiftsFor } from '../judge/declared.ts';
import { type Judgement, judge, type Policy, type Reason } from '../judge/judge.ts';
import { isWords } from '../judge/twin.ts';
import type { Shown } from '../text/shown.ts';
import { setBounded } from './bounded.ts';
import { type CallSubject, denial, strictDenial, telling } from './words.ts';

/** For how many tools it is remembered what was told of them, and how much of each. */
const MOST_TOLD = 1_000;

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

/** What stops have told the model of one tool. */
interface ToldOfTool {
  /** The contract that they were about. */
  live: string;
  /** In which list the host had been given the tool last. */
  given: number | undefined;
  /** By the key of a reason: how many calls had come when it was told. */
  reasons: Map<string, number>;
  /** How many stops there were for new words at one place, whatever the contract was. */
  stops: Map<string, number>;
}

/** The same of all tools. */
export type ToldByTool = Map<string, ToldOfTool>;

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
  /** Reasons that need no stop once the model was told. */
  told: ToldByTool;
  /** In which list the host was given the tool last. */
  given?: number | undefined;
  /** The call's place among all calls; absent where it came after all that was told. */
  order?: number | undefined;
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
  /**
   * `isStale`: the server still has the tool, and the call is wrong by its current contract. `delivered`: the model gets the
   * text, after so many calls.
   */
  | { verdict: 'deny'; text: Shown; isStale: boolean; delivered(calls: number): void };

/** Whether the call is known to hold something that is no longer declared. */
const usesWhatIsGone = (believed: Contract, live: Contract, args: JsonObject): boolean =>
  shiftsFor(believed.inputSchema, live.inputSchema, args)?.some(({ kind }) => kind === 'gone') ?? false;

/** A reason is one for one tool: two tools may be changed alike. */
const keyOf = ({ server, tool }: CallSubject): string => JSON.stringify([server, tool]);

/** Whether the host was last given the contract that is live now. */
const isKnownAsLive = ({ believed, live }: VerdictQuestion): boolean =>
  live !== null && meaningHash(believed.at(-1) as Contract) === meaningHash(live);

/**
 * What was told of the tool, as far as it still counts: it is over once a stop was about another contract, or the host was
 * given another one.
 */
const toldNow = (asked: VerdictQuestion): ToldOfTool | undefined => {
  const { told, about, live, given } = asked;
  const found = told.get(keyOf(about));
  if (found === undefined || live === null || found.live !== meaningHash(live)) return undefined;
  return found.given === given || isKnownAsLive(asked) ? found : undefined;
};

/** Whether a message is enough: the call may be intended as written. */
const isSoft = ({ invalid, change }: Reason): boolean => invalid === undefined && change?.effect?.verdict === 'ask';

/**
 * Judges a call by one contract that the host was given.
 * @param isKnown whether the host was given the live contract after it: then the model may know all that changed, and only
 * what contradicts that knowledge counts against the call
 */
const caseOf = (believed: Contract, args: JsonObject, isKnown: boolean, asked: VerdictQuestion): Case => {
  const { live, tools, earlier, policy, wrong } = asked;
  const { reasons: known } = toldNow(asked) ?? {};
  // A call that had come before does not know it.
  const settled = (key: string): boolean => {
    const calls = known?.get(key);
    return calls !== undefined && calls < (asked.order ?? Number.POSITIVE_INFINITY);
  };
  const judgement = judge({ believed, live, tools, earlier, args, policy, settled, wrong });
  // A model that uses a new name, though no stop has told it, knows it from the list that the host was given.
  const isByList = isKnown && asked.taught === undefined;
  const reasons = judgement.reasons.filter(({ byNewName }) => !(isByList && byNewName));
  const isCertain = (reason: Reason): boolean =>
    !isKnown || live === null || reason.invalid !== undefined || usesWhatIsGone(believed, live, args);
  const hard = reasons.filter((reason) => !isSoft(reason) && isCertain(reason));
  return { believed, judgement, hard, soft: reasons.filter((reason) => !hard.includes(reason)) };
};

/**
 * The call by the contract that our last stop named: the model may go by that, whatever its host was given. Words were named
 * only of a trusted server. In mode strict, too, a call by what the host was given is right once the server is back at that.
 */
const taughtCase = (args: JsonObject, asked: VerdictQuestion): Case | undefined => {
  const { taught, live, policy } = asked;
  if (taught === undefined || live === null) return undefined;
  const mode = policy.mode === 'strict' ? 'guard' : policy.mode;
  const named = (contract: Contract): Contract => (policy.trusted ? contract : withoutProseOf(contract));
  const found = caseOf(named(taught), args, false, { ...asked, live: named(live), policy: { ...policy, mode } });
  return found.judgement.changes.length === 0 ? undefined : found;
};

const placeOf = ({ rule, path }: FoundChange): string => `${rule} ${path}`;

/** Whether only words changed, at a place where enough other words were told before. */
const isRestless = ({ change }: Reason, { about, told }: VerdictQuestion): boolean =>
  change?.level === 'semantic' &&
  isWords(change) &&
  (told.get(keyOf(about))?.stops.get(placeOf(change)) ?? 0) >= MOST_STOPS;

/** The model is told reasons, after so many calls. Calls that were under way together are stopped for one and the same. */
const tell = (asked: VerdictQuestion, reasons: readonly Reason[], calls: number): void => {
  const { told, about, live, given } = asked;
  if (live === null) return;
  const counting = toldNow(asked);
  const stops = told.get(keyOf(about))?.stops ?? new Map<string, number>();
  const known = counting?.reasons ?? new Map<string, number>();
  const fresh = reasons.filter(({ key }) => !known.has(key));
  for (const { key } of fresh) setBounded(known, key, calls, MOST_TOLD);
  for (const place of new Set(fresh.flatMap(({ change }) => (change === undefined ? [] : [placeOf(change)]))))
    setBounded(stops, place, (stops.get(place) ?? 0) + 1, MOST_TOLD);
  setBounded(told, keyOf(about), { live: meaningHash(live), given, reasons: known, stops }, MOST_TOLD);
};

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

const guarded = (cases: readonly Case[], isKnown: boolean, asked: VerdictQuestion): Decided => {
  const { about } = asked;
  const stopped = cases.filter(({ hard }) => hard.length > 0);
  const deliver = (reasons: readonly Reason[]) => (calls: number) => tell(asked, reasons, calls);
  if (stopped.length > 0) {
    const main = likeliest(stopped, about.args);
    const { corrected, ...rest } = main.judgement;
    // The proposed call must not be stopped again.
    const next = corrected === undefined ? [] : asked.believed.map((one) => caseOf(one, corrected, isKnown, asked));
    const isRight = corrected !== undefined && next.every(({ hard }) => hard.length === 0);
    const soft = unique([...cases, ...(isRight ? next : [])].flatMap((one) => one.soft));
    const judgement = isRight ? main.judgement : rest;
    const text = denial(judgement, unique([...main.hard, ...soft]), about);
    return { verdict: 'deny', text, isStale: asked.live !== null, delivered: deliver(soft) };
  }
  const soft = unique(cases.flatMap((one) => one.soft));
  const relying = cases.findLast((one) => one.soft.length > 0);
  if (relying === undefined) return passed(cases);
  if (soft.every((reason) => isRestless(reason, asked)))
    return { verdict: 'notice', judgement: relying.judgement, isRestless: true };
  // The call may be right unchanged, so no other call is proposed.
  const { corrected: _, twin: __, ...judgement } = relying.judgement;
  return { verdict: 'deny', text: telling(judgement, soft, about), isStale: false, delivered: deliver(soft) };
};

const strictly = (byGiven: readonly Case[], byTaught: Case | undefined, asked: VerdictQuestion): Decided => {
  const stopped = byGiven.findLast(({ judgement: { decision } }) => decision === 'deny' || decision === 'ask');
  if (stopped !== undefined) {
    const text = strictDenial(stopped.judgement, asked.about);
    return { verdict: 'deny', text, isStale: false, delivered: () => {} };
  }
  const decided = passed(byGiven);
  if (byTaught === undefined) return decided;
  // The server is back at what the host was given, so a right call passes, and no text may say that none does.
  const byTold = guarded([byTaught], false, asked);
  if (byTold.verdict === 'deny') return byTold;
  return decided.verdict === 'unchecked' || byTold.verdict === 'silence' ? decided : byTold;
};

/** Decides on a call, and gives the reasons. */
export const decide = (asked: VerdictQuestion): { decided: Decided; cases: Case[] } => {
  const { believed, policy, about } = asked;
  const isKnown = isKnownAsLive(asked);
  const byTaught = taughtCase(about.args, asked);
  const byGiven = believed.map((one) => caseOf(one, about.args, isKnown, asked));
  const cases = byTaught === undefined ? byGiven : [...byGiven, byTaught];
  if (policy.mode === 'strict') return { decided: strictly(byGiven, byTaught, asked), cases };
  if (policy.mode === 'guard') return { decided: guarded(cases, isKnown, asked), cases };
  return { decided: passed(cases), cases };
};
