// Works with the guard of Claude Code, which judges calls by what the model was shown; we cannot know that. We tell it where we
// are. It asks us what the server lists, and leaves a handoff for each call it judged; we check whether that still holds.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { toJson } from '../contract/to-json.ts';
import { isObject } from '../contract/types.ts';
import { CLIENT_ID } from '../state/client-names.ts';
import type { Handoff, Logged } from '../state/handoff.ts';
import { recallHidden } from '../state/hidden.ts';
import { removeFile } from '../state/in-use.ts';
import { livePath, stateHome } from '../state/paths.ts';
import { listedDigest, noteStopped, takeHandoff, wordsDigest } from '../state/wraps.ts';
import { setBounded } from './bounded.ts';
import { answerOn, type KnownOfServer } from './guard-questions.ts';
import { WrapRegistration } from './registration.ts';
import type { Upstream } from './relay.ts';
import type { HeldCall, Verdict } from './types.ts';

/** What the guard and wrap tell each other over one connection. */
export interface GuardLink {
  /** The guard's verdict on a call, and how the guard logged it; undefined if it has not judged the call. */
  judged(call: HeldCall, toolUseId: string): Promise<{ verdict: Verdict; guarded: Logged } | undefined>;
  /** We stopped a call, and said why. */
  stopped(toolUseId: string): void;
  /** Removes everything we wrote. */
  close(): void;
}

/** How long handoffs wait for their calls, in ms: a person may think about a question for hours. */
const LONGEST_KEPT = 24 * 3_600_000;
const TIDY_AFTER = 100;
/** How many handoffs that were taken are remembered. */
const MOST_TAKEN = 100;

/** Where we stand between the host and the server. */
interface WrapPlace extends KnownOfServer {
  project: string;
  /** The user's environment. */
  env: NodeJS.ProcessEnv;
  /** The stop of a call whose contract is not known to be approved, in the guard's mode; undefined if it is. */
  unapproved: (call: HeldCall, mode: Handoff['mode']) => Promise<Verdict | undefined>;
}

/** Removes handoffs whose calls never came. */
const tidy = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (/\.(handoff|stopped)$/.test(name) && Date.now() - statSync(path).mtimeMs > LONGEST_KEPT) removeFile(path);
  }
};

/** The contract that the guard judged by, as JSON. */
const judgedBy = (home: string, { name, served }: HeldCall, { listed, source }: Handoff): string | undefined => {
  const known = served.find((text) => listedDigest(JSON.parse(text)) === listed);
  if (known !== undefined) return known;
  const live = recallHidden(livePath(home, source), { source });
  if (!isObject(live?.listed) || live.listed[name] !== listed || !Array.isArray(live.tools)) return undefined;
  const contract = live.tools.find((tool) => isObject(tool) && tool.name === name);
  return contract && toJson(contract);
};

/**
 * Begins to work with the guard, where Claude Code started us; undefined for any other host.
 * @param words what follows `wrap` in our command line
 * @param judge judges a call by what is given as served
 */
export const besideGuard = (
  words: string[],
  upstream: Upstream,
  judge: (call: HeldCall) => Promise<Verdict>,
  place: WrapPlace,
): GuardLink | undefined => {
  const { project, env, given } = place;
  const session = given.CLAUDE_CODE_SESSION_ID ?? '';
  if (!CLIENT_ID.test(session)) return undefined;
  const home = stateHome(env);
  const about = { session, project, words: wordsDigest(words) };
  const registration = new WrapRegistration(home, about, (connection) => answerOn(connection, upstream, place));

  /** The verdict on a call that the guard judged by a contract that the server no longer lists. */
  const judgeAgain = async (call: HeldCall, handoff: Handoff): ReturnType<GuardLink['judged']> => {
    const { logged: guarded } = handoff;
    registration.again();
    // In this mode the guard stops nothing, and mentions the change at the next call.
    if (handoff.mode === 'warn') return { verdict: { pass: true }, guarded };
    const stop = await place.unapproved({ ...call, guarded }, handoff.mode);
    if (stop !== undefined) return { verdict: stop, guarded };
    const believed = judgedBy(home, call, handoff);
    if (believed === undefined) return undefined;
    return { verdict: await judge({ ...call, served: [believed], guarded }), guarded };
  };

  /** By the call: it is judged once more if the server announces a change while it waits. */
  const taken = new Map<string, Handoff>();
  let calls = 0;
  return {
    judged: async (call, toolUseId) => {
      registration.publish();
      const { wrap } = registration;
      if (wrap === undefined) return undefined;
      const handoff = takeHandoff(home, wrap, toolUseId) ?? taken.get(toolUseId);
      if (handoff !== undefined) setBounded(taken, toolUseId, handoff, MOST_TAKEN);
      if (++calls % TIDY_AFTER === 0 && registration.folder !== undefined) tidy(registration.folder);
      const { listed } = call;
      if (handoff === undefined || listed.failed !== undefined) return undefined;
      const pass = { verdict: { pass: true }, guarded: handoff.logged } as const;
      if (handoff.mode === 'off' || handoff.listed === undefined) return pass;
      const sameName = listed.tools.filter((tool) => isObject(tool) && tool.name === call.name);
      const now = [...new Set(sameName.map(listedDigest))];
      // Of several contracts, it is unknown which one the call reaches.
      const holds = now.length < 2 && handoff.listed === (now[0] ?? null);
      return holds ? pass : judgeAgain(call, handoff);
    },
    stopped: (toolUseId) => {
      if (registration.wrap !== undefined) noteStopped(home, registration.wrap, toolUseId);
    },
    close: () => registration.close(),
  };
};
