// Judges a call if something differs. Loaded only then.
import { resolve } from 'node:path';
import type { LoadedConfig } from '../config/config.ts';
import { contractHash } from '../contract/canonical.ts';
import { groupBy } from '../contract/group-by.ts';
import { meaningHash } from '../contract/meaning.ts';
import { NotAToolList, parseBounded, readToolList } from '../contract/read.ts';
import { toJson } from '../contract/to-json.ts';
import { type Contract, type JsonObject, own } from '../contract/types.ts';
import { worstOf } from '../diff/levels.ts';
import { writeError } from '../guard/answer.ts';
import type { Redactor } from '../servers/secrets.ts';
import type { Activity } from '../state/activity.ts';
import { keepContract } from '../state/contracts.ts';
import { stateHome } from '../state/paths.ts';
import { whenChanged } from '../state/stamp.ts';
import { sendWhenIdle } from '../telemetry/start.ts';
import type { Shown } from '../text/shown.ts';
import { addBounded } from './bounded.ts';
import { logCall } from './call-log.ts';
import { doubtAbout, type ReadPins, readPins } from './pins.ts';
import { policyOf } from './policy.ts';
import type { WrapSettings } from './settings.ts';
import type { HeldCall, Verdict } from './types.ts';
import { type Case, decide, type ToldByTool } from './verdict.ts';
import {
  type CallSubject,
  changedLine,
  lockedDenial,
  lockedLine,
  newNameLine,
  uncheckedDenial,
  uncheckedLine,
  uncheckedTelling,
} from './words.ts';

/** How many messages to people are remembered. */
const MOST_SAID = 1_000;

/** What is remembered of a connection, so that nothing is said twice. */
interface Memory {
  /** What needs no stop once the model was told. */
  told: ToldByTool;
  /** What people were told on standard error. */
  said: Set<string>;
  /** The settings, once they were read (see `policyOf`). */
  config?: () => LoadedConfig;
  /** A lockfile that was read, by its path. */
  pins?: { path: string; read: () => ReadPins };
}

export interface JudgeSettings extends Pick<WrapSettings, 'name' | 'trusted'> {
  env: NodeJS.ProcessEnv;
  project: string;
  memory: Memory;
  /** Whether tools behind an invoker are offered as tools of their own. */
  isTyped?: boolean;
  /** Secrets, which are never kept. */
  secrets: Redactor;
}

/** A tool as a server sent it; undefined if it is not a tool. */
export const readTool = (text: string): Contract | undefined => {
  try {
    return readToolList([parseBounded(text)]).tools[0];
  } catch (error) {
    if (error instanceof NotAToolList) return undefined;
    throw error;
  }
};

/** Those that can be read. */
export const readTools = (tools: readonly unknown[]): Contract[] =>
  tools.flatMap((tool) => readTool(toJson(tool)) ?? []);

/** The contract that a server lists under a name; null where it lists none, undefined where that cannot be read. */
export const liveContract = (tools: readonly unknown[], name: string): Contract | null | undefined => {
  const found = new Set(tools.filter((tool) => own(tool, 'name') === name).map(toJson));
  const [only] = found;
  // Several tools share this name: it is unknown which one the call reaches.
  return only === undefined ? null : found.size === 1 ? readTool(only) : undefined;
};

const UNREADABLE = 'what the server lists for it cannot be read';

/** All that can be read; of several with one name, the first. */
const readAll = (tools: readonly unknown[]): Contract[] => {
  const read = groupBy(readTools(tools), ({ name }) => name);
  return [...read.values()].flatMap((same) => same.slice(0, 1));
};

/** Judges one call by everything that the host was given for its tool. */
export const judgeServed = (
  { name, args: called, unread, served, taught, listed, given, order, host, beside, guarded }: HeldCall,
  judging: JudgeSettings,
): Verdict => {
  const { name: server, env, project, memory, secrets } = judging;
  const home = stateHome(env);
  sendWhenIdle(home, project, env);
  const { config, policy } = policyOf(judging);
  const args = called as JsonObject;
  const about: CallSubject = { tool: name, server, args, trusted: policy.trusted, host };
  const sayOnce = (key: string, line: string): void => {
    if (memory.said.has(key)) return;
    addBounded(memory.said, key, MOST_SAID);
    writeError(line);
  };
  for (const problem of config.problems) sayOnce(problem, `konnichiwagwan: ${problem}`);

  const log = (verdict: Activity['verdict'], cases: readonly Case[] = [], live?: Contract | null): void => {
    const keep = (contract: Contract): string =>
      secrets.isIn(contract) ? contractHash(contract) : keepContract(home, contract);
    const changed = cases.find(({ judgement }) => judgement.changes.length > 0);
    logCall(
      env,
      server,
      { name: secrets.text(name), guarded },
      {
        verdict,
        ...worstOf(cases.flatMap(({ judgement }) => judgement.changes)),
        ...(verdict === 'silence' ? {} : { mode: policy.mode }),
        ...(changed === undefined ? {} : { from: keep(changed.believed), ...(live ? { to: keep(live) } : {}) }),
      },
    );
  };
  const unchecked = (why: string): Verdict => {
    if (policy.mode === 'strict') {
      log('deny');
      return { pass: false, text: uncheckedDenial(why, about) };
    }
    log('unchecked');
    sayOnce(`unchecked ${why}`, uncheckedLine(why, about));
    return { pass: true, told: uncheckedTelling(why, about) };
  };

  if (policy.mode === 'off') {
    sayOnce('off', 'konnichiwagwan: the mode that your settings give this server is off: its calls are not checked');
    log('not-covered');
    return { pass: true };
  }
  if (listed.failed !== undefined) return unchecked(listed.failed);
  const live = liveContract(listed.tools, name);
  if (live === undefined) return unchecked(UNREADABLE);
  if (name === '') return unchecked(unread ?? 'it names no tool');
  if (served.length === 0) return unchecked('this program was never given a tool of this name');
  const believed = served.flatMap((text) => readTool(text) ?? []);
  if (believed.length < served.length) return unchecked('what the server listed for it cannot be read');
  if (unread !== undefined) return unchecked(unread);

  const { decided, cases } = decide({
    believed,
    taught: taught === undefined ? undefined : readTool(taught),
    live,
    tools: readAll(listed.tools),
    earlier: beside(),
    policy,
    about,
    told: memory.told,
    given,
    order,
  });
  if (decided.verdict === 'unchecked') return unchecked(decided.why);
  log(decided.verdict, cases, live);
  if (decided.verdict === 'deny')
    return {
      pass: false,
      text: decided.text,
      isStale: decided.isStale,
      namesForm: live !== null,
      delivered: decided.delivered,
    };
  if (decided.verdict === 'notice') {
    const now = decided.isRestless ? 'again and again' : live === null ? 'gone' : meaningHash(live);
    sayOnce(`changed ${name} ${now}`, changedLine(decided, about, 'people'));
    // Nothing else tells the model.
    if (decided.judgement.reasons.length > 0) return { pass: true, told: changedLine(decided, about, 'model') };
  }
  return { pass: true };
};

/** Whether a person has approved what the server lists for a call that would be passed on. @param lock the lockfile's path */
export const approveServed = (
  { name, args, listed, host, guarded }: HeldCall,
  lock: string,
  judging: JudgeSettings,
): Verdict => {
  const { name: server, env, project, memory, secrets } = judging;
  const home = stateHome(env);
  sendWhenIdle(home, project, env);
  const { policy } = policyOf(judging);
  const about: CallSubject = { tool: name, server, args: args as JsonObject, trusted: policy.trusted, host };
  const refused = (text: string): Verdict => {
    logCall(env, server, { name: secrets.text(name), guarded }, { verdict: 'deny', mode: policy.mode });
    return { pass: false, text };
  };
  const noticed = (key: string, text: Shown): Verdict => {
    const toModel = `the model ${key}`;
    if (memory.said.has(toModel)) return { pass: true };
    if (!memory.said.has(key)) writeError(text);
    addBounded(memory.said, key, MOST_SAID);
    return { pass: true, told: text, delivered: () => addBounded(memory.said, toModel, MOST_SAID) };
  };
  if (policy.mode === 'off') return { pass: true };
  const live = listed.failed === undefined ? liveContract(listed.tools, name) : undefined;
  // An unreadable contract cannot have been approved.
  if (live === undefined || live === null) {
    const why = listed.failed ?? (live === null ? 'the server lists no tool of this name' : UNREADABLE);
    return policy.mode === 'warn'
      ? noticed(`locked ${name} ${why}`, lockedLine(why, about))
      : refused(lockedDenial(why, about));
  }
  const path = resolve(project, lock);
  if (memory.pins?.path !== path) memory.pins = { path, read: whenChanged(() => readPins(path, home, project)) };
  const doubt = doubtAbout(memory.pins.read(), live, policy, about);
  if (doubt === undefined) return { pass: true };
  return doubt.verdict === 'deny' ? refused(doubt.text) : noticed(doubt.key, doubt.text);
};

/** A stop that names the new name under which the tool is offered now. */
export const withNewName = (verdict: Verdict, name: string | undefined): Verdict =>
  verdict.pass || name === undefined
    ? verdict
    : { ...verdict, text: `${verdict.text}\n${newNameLine(name)}`, isOffered: true };

/** If we fail, we say so; mode strict and a lockfile then stop the call. */
export const judgeFailed = (
  { name, args, host }: HeldCall,
  judging: JudgeSettings,
  isLocked: boolean,
  error: unknown,
): Verdict => {
  const why = `konnichiwagwan failed (${error instanceof Error ? error.message : String(error)})`;
  const { name: server, trusted } = judging;
  const about = { tool: name, server, args: args as JsonObject, trusted, host };
  writeError(uncheckedLine(why, about));
  if (isLocked) return { pass: false, text: lockedDenial(why, about) };
  if (policyOf(judging).policy.mode === 'strict') return { pass: false, text: uncheckedDenial(why, about) };
  return { pass: true, told: uncheckedTelling(why, about) };
};
