// What a call's verdict is where something differs. Loaded then and not before.

import { loadConfig, policyFor } from '../config/config.ts';
import { contractHash } from '../contract/canonical.ts';
import { meaningHash } from '../contract/meaning.ts';
import { NotAToolList, parseBounded, readToolList } from '../contract/read.ts';
import { type Contract, isObject, type JsonObject } from '../contract/types.ts';
import { validateArguments } from '../contract/validate.ts';
import { LEVELS } from '../diff/types.ts';
import { writeError } from '../guard/answer.ts';
import { shiftsFor } from '../judge/declared.ts';
import { type Judgement, judge, type Policy, type Reason } from '../judge/judge.ts';
import { leakedSecret } from '../lock/secrets.ts';
import type { Activity } from '../state/activity.ts';
import { keepContract } from '../state/contracts.ts';
import { stateHome } from '../state/paths.ts';
import { logCall } from './call-log.ts';
import type { HeldCall, Verdict } from './relay.ts';
import type { WrapSettings } from './settings.ts';
import { changedLine, denial, type Refused, strictDenial, telling, uncheckedDenial, uncheckedLine } from './words.ts';

/** What is remembered of a connection, so that nothing is said twice. */
interface Memory {
  /** Keys of reasons that the model was told of, where that is enough. */
  told: Set<string>;
  /** What people were told on standard error. */
  said: Set<string>;
}

export interface JudgeSettings extends Pick<WrapSettings, 'name' | 'trusted'> {
  env: NodeJS.ProcessEnv;
  project: string;
  memory: Memory;
}

/** A call by one of the contracts that the host was given. */
interface Case {
  believed: Contract;
  judgement: Judgement;
  /** Why it cannot be passed on, whatever the model knows. */
  hard: Reason[];
  /** What it may be right about, and has to be told once. */
  soft: Reason[];
}

interface Asked {
  live: Contract | null;
  tools: readonly Contract[];
  earlier: ReadonlySet<string>;
  policy: Policy;
  told: ReadonlySet<string>;
}

/** A tool as a server sent it; undefined where it is none. */
const readTool = (text: string): Contract | undefined => {
  try {
    return readToolList([parseBounded(text)]).tools[0];
  } catch (error) {
    if (error instanceof NotAToolList) return undefined;
    throw error;
  }
};

const nameOf = (tool: unknown): unknown => (isObject(tool) ? tool.name : undefined);

/** The contract that a server lists under a name; null where it lists none, undefined where that cannot be read. */
const liveContract = (tools: readonly unknown[], name: string): Contract | null | undefined => {
  const found = tools.find((tool) => nameOf(tool) === name);
  return found === undefined ? null : readTool(JSON.stringify(found));
};

/** All that can be read; of several with one name, the first. */
const readAll = (tools: readonly unknown[]): Contract[] => {
  const read = new Map<string, Contract>();
  for (const tool of tools) {
    const contract = readTool(JSON.stringify(tool));
    if (contract !== undefined && !read.has(contract.name)) read.set(contract.name, contract);
  }
  return [...read.values()];
};

/** Whether the call holds something that was declared and is not declared any more; undefined where nobody can tell. */
const usesWhatIsGone = (believed: Contract, live: Contract, args: JsonObject): boolean | undefined => {
  const shifts = shiftsFor(believed.inputSchema, live.inputSchema, args);
  if (shifts?.some(({ kind }) => kind === 'gone')) return true;
  return shifts === undefined || shifts.some(({ kind }) => kind === 'unknown') ? undefined : false;
};

/** Whether to be told of it is enough: the call may be meant as it is. */
const isSoft = ({ invalid, change }: Reason): boolean => invalid === undefined && change?.effect?.verdict === 'ask';

/**
 * Judges a call by one contract that the host was given.
 * @param isKnown whether the host was given the live contract after it: then the model may know all that changed, and only
 * what nobody would do who knows it is held against the call
 */
const caseOf = (believed: Contract, args: JsonObject, isKnown: boolean, asked: Asked): Case => {
  const { live, tools, earlier, policy, told } = asked;
  const judgement = judge({ believed, live, tools, earlier, args, policy, settled: (key) => told.has(key) });
  const { reasons } = judgement;
  const isCertain = (reason: Reason): boolean =>
    !isKnown || live === null || reason.invalid !== undefined || usesWhatIsGone(believed, live, args) === true;
  const hard = reasons.filter((reason) => !isSoft(reason) && isCertain(reason));
  return { believed, judgement, hard, soft: reasons.filter((reason) => !hard.includes(reason)) };
};

const unique = (reasons: readonly Reason[]): Reason[] => [
  ...new Map(reasons.map((reason) => [`${reason.key} ${reason.invalid?.text ?? ''}`, reason])).values(),
];

/** What the model most likely went by: the newest contract that takes its call, else the newest one. */
const likeliest = (cases: readonly Case[], args: JsonObject): Case =>
  cases.findLast(({ believed }) => validateArguments(believed.inputSchema, args).valid === true) ??
  (cases.at(-1) as Case);

const levelOf = (cases: readonly Case[]): string | undefined =>
  LEVELS.find((level) => cases.some(({ judgement }) => judgement.changes.some((change) => change.level === level)));

/** Judges one call by everything that the host was given for its tool. */
export const judgeServed = (
  { name, args: given, served, listed, host, beside }: HeldCall,
  { name: server, trusted, env, project, memory }: JudgeSettings,
): Verdict => {
  const home = stateHome(env);
  const config = loadConfig(home, project, env);
  const set = policyFor(config, server ?? '');
  const policy: Policy = { mode: set.mode, trusted: set.trusted || trusted };
  const args = given as JsonObject;
  const about: Refused = { tool: name, server, args, trusted: policy.trusted, host };
  const sayOnce = (key: string, line: string): void => {
    if (memory.said.has(key)) return;
    memory.said.add(key);
    writeError(line);
  };
  for (const problem of config.problems) sayOnce(problem, `konnichiwagwan: ${problem}`);

  const log = (verdict: Activity['verdict'], cases: readonly Case[] = [], live?: Contract | null): void => {
    const keep = (contract: Contract): string =>
      leakedSecret(contract, env) === undefined ? keepContract(home, contract) : contractHash(contract);
    const changed = cases.find(({ judgement }) => judgement.changes.length > 0);
    const level = levelOf(cases);
    logCall(home, server, name, {
      verdict,
      ...(level === undefined ? {} : { level }),
      ...(changed === undefined ? {} : { from: keep(changed.believed), ...(live ? { to: keep(live) } : {}) }),
    });
  };
  const unchecked = (why: string): Verdict => {
    if (policy.mode === 'strict') {
      log('deny');
      return { pass: false, text: uncheckedDenial(why, about) };
    }
    log('unchecked');
    sayOnce(`unchecked ${why}`, uncheckedLine(why, about));
    return { pass: true };
  };

  if (policy.mode === 'off') {
    log('silence');
    return { pass: true };
  }
  if (listed.failed !== undefined) return unchecked(listed.failed);
  if (served.length === 0) return unchecked('this program was never given a tool of this name');
  const live = liveContract(listed.tools, name);
  if (live === undefined) return unchecked('what the server lists for it cannot be read');
  const believed = served.flatMap((text) => readTool(text) ?? []);
  if (believed.length < served.length) return unchecked('what the server listed for it cannot be read');

  const asked: Asked = { live, tools: readAll(listed.tools), earlier: beside(), policy, told: memory.told };
  const newest = believed.at(-1) as Contract;
  const isKnown = live !== null && meaningHash(newest) === meaningHash(live);
  const cases = believed.map((one) => caseOf(one, args, isKnown, asked));
  const tell = (reasons: readonly Reason[]): void => {
    for (const { key } of reasons) memory.told.add(key);
  };

  if (policy.mode === 'strict') {
    const stopped = cases.find(({ judgement }) => judgement.decision === 'deny' || judgement.decision === 'ask');
    if (stopped === undefined) {
      const open = cases.find(({ judgement }) => judgement.decision === 'unchecked');
      if (open !== undefined) return unchecked(open.judgement.why ?? 'nobody can tell whether it is valid');
      log('silence', cases, live);
      return { pass: true };
    }
    log('deny', cases, live);
    return { pass: false, text: strictDenial(stopped.judgement, about) };
  }
  if (policy.mode === 'warn') {
    const { judgement } = cases.find(({ hard, soft }) => hard.length + soft.length > 0) ?? (cases.at(-1) as Case);
    const told = cases.some(({ judgement: { decision } }) => decision === 'notice');
    log(told ? 'notice' : 'silence', cases, live);
    if (told) sayOnce(`changed ${name} ${judgement.reasons.length}`, changedLine(judgement, about));
    return { pass: true };
  }

  const hard = cases.filter((one) => one.hard.length > 0);
  if (hard.length > 0) {
    const main = likeliest(hard, args);
    const { corrected, ...rest } = main.judgement;
    // Whoever makes the call that is proposed is not stopped again.
    const next = corrected === undefined ? [] : cases.map((one) => caseOf(one.believed, corrected, isKnown, asked));
    const isRight = corrected !== undefined && next.every((one) => one.hard.length === 0);
    const soft = unique([...cases, ...(isRight ? next : [])].flatMap((one) => one.soft));
    tell(soft);
    log('deny', cases, live);
    const judgement = isRight ? main.judgement : rest;
    return { pass: false, text: denial(judgement, unique([...main.hard, ...soft]), about) };
  }
  const soft = unique(cases.flatMap((one) => one.soft));
  if (soft.length > 0) {
    tell(soft);
    log('deny', cases, live);
    const { judgement } = cases.findLast((one) => one.soft.length > 0) as Case;
    // The call may be right as it is: another one is not proposed.
    const { corrected: _, twin: __, ...rest } = judgement;
    return { pass: false, text: telling(rest, soft, about) };
  }
  const open = cases.find(({ judgement }) => judgement.decision === 'unchecked');
  if (open !== undefined) return unchecked(open.judgement.why ?? 'nobody can tell whether it is valid');
  const noticed = cases.findLast(({ judgement }) => judgement.decision === 'notice');
  log(noticed ? 'notice' : 'silence', cases, live);
  if (noticed) {
    sayOnce(`changed ${name} ${meaningHash(live as Contract)}`, changedLine(noticed.judgement, about));
  }
  return { pass: true };
};

/** What is done where we break: that is said, and only mode strict stops the call. */
export const judgeFailed = (
  { name, args, host }: HeldCall,
  { name: server, trusted, env, project }: JudgeSettings,
  error: unknown,
): Verdict => {
  const why = `konnichiwagwan failed (${error instanceof Error ? error.message : String(error)})`;
  const about = { tool: name, server, args: args as JsonObject, trusted, host };
  writeError(uncheckedLine(why, about));
  const { mode } = policyFor(loadConfig(stateHome(env), project, env), server ?? '');
  return mode === 'strict' ? { pass: false, text: uncheckedDenial(why, about) } : { pass: true };
};
