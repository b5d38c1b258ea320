// The state of a session, from the state folder alone: asks no server, and reads large files only after they changed.
import { readBaseline } from '../baseline/sessions.ts';
import { quietly } from '../contract/attempt.ts';
import { parsedJson } from '../contract/parsed-json.ts';
import { isObject } from '../contract/types.ts';
import { readHead } from '../sources/head.ts';
import type { Activity } from '../state/activity.ts';
import { keep, recall } from '../state/circumstances.ts';
import { readFrom } from '../state/files.ts';
import { activityPath, sessionPath, standingPath } from '../state/paths.ts';
import { stampOf } from '../state/stamp.ts';

/** How a session's baseline compares with the last answers of its sources: kept, so that the next look is cheap. */
interface KnownStanding {
  /** Of the baseline's file. */
  stamp: string;
  /** `digest`: of the last answer; empty if there was none. `recorded`: whether the baseline has an answer. */
  sources: { key: string; name: string; recorded: boolean; digest: string }[];
  /** See `Drifted`. */
  drifted: string[];
  bumped: string[];
}

export interface Standing {
  /** Tools, prompts and resources that are not as this session learned them. */
  changed: number;
  /** Servers and gateways that advertise another version, and the same contracts. */
  bumped: number;
  /** Servers and gateways whose state is unknown, or whose last call could not be checked. */
  unchecked: number;
  /** Whether anything at all was compared. */
  looked: boolean;
}

/** How much of the log is read: the last calls of a busy day. */
const LONGEST_TAIL = 256 * 1024;

const isKnown = (value: unknown): value is KnownStanding =>
  isObject(value) &&
  typeof value.stamp === 'string' &&
  [value.sources, value.drifted, value.bumped].every(Array.isArray) &&
  (value as unknown as KnownStanding).sources.every(
    (one) => typeof one?.key === 'string' && typeof one.name === 'string',
  );

const digestNow = (home: string, key: string): string => readHead(home, key)?.digest ?? '';

const lookAgain = async (home: string, session: string, stamp: string): Promise<KnownStanding> => {
  const baseline = readBaseline(home, session);
  const sources = Object.entries({ ...baseline?.failed, ...baseline?.sources }).map(([key, { name }]) => ({
    key,
    name,
    recorded: baseline?.sources[key] !== undefined,
    digest: digestNow(home, key),
  }));
  const { driftedTools } = await import('./drifted-tools.ts');
  const { tools, bumped } = driftedTools(home, session);
  const known: KnownStanding = { stamp, sources, drifted: tools, bumped };
  // Otherwise the next look is as slow as this one.
  quietly(() => keep(standingPath(home, session), { session }, known));
  return known;
};

const knownOf = async (home: string, session: string): Promise<KnownStanding> => {
  const stamp = stampOf(sessionPath(home, session));
  if (stamp === '-') return { stamp, sources: [], drifted: [], bumped: [] };
  const kept = recall(standingPath(home, session), { session });
  const holds =
    isKnown(kept) && kept.stamp === stamp && kept.sources.every(({ key, digest }) => digestNow(home, key) === digest);
  return holds ? kept : lookAgain(home, session, stamp);
};

type LastCall = Pick<Activity, 'tool' | 'server' | 'verdict' | 'level'>;

/** The last verdict on each tool of the session, from the end of the logs of yesterday and today. */
const lastCalls = (home: string, session: string, now: number): LastCall[] => {
  const name = `"session":"${session}"`;
  const last = new Map<string, LastCall>();
  for (const at of [now - 86_400_000, now]) {
    const path = activityPath(home, new Date(at).toISOString().slice(0, 10));
    const size = readFrom(path, 0, 0)?.size ?? 0;
    const tail = readFrom(path, Math.max(0, size - LONGEST_TAIL), LONGEST_TAIL)?.bytes.toString('utf8') ?? '';
    for (const line of tail.split('\n').filter((one) => one.includes(name))) {
      // No JSON: the rest of a line in whose midst the reading starts, one that is being written, or a damaged one.
      const call = parsedJson(line) as LastCall | undefined;
      if (typeof call?.tool === 'string' && typeof call.verdict === 'string') last.set(call.tool, call);
    }
  }
  return [...last.values()];
};

/** The state of a session. @param now ms since 1970 */
export const standingOf = async (home: string, session: string, now: number): Promise<Standing> => {
  const { sources, drifted, bumped } = await knownOf(home, session);
  const calls = lastCalls(home, session, now);
  const isDrifted = ({ tool }: LastCall): boolean => drifted.some((end) => tool.endsWith(end));
  // A call judged by what the model was shown may have found more than the baseline holds.
  const found = calls.filter((call) => call.level !== undefined && call.level !== 'compatible' && !isDrifted(call));
  const unchecked = new Set([
    ...sources
      .filter(({ key, recorded }) => {
        const head = readHead(home, key);
        return head === undefined ? !recorded : head.failure !== undefined;
      })
      .map(({ name }) => name),
    ...calls
      .filter(({ verdict }) => verdict === 'unchecked' || verdict === 'not-covered' || verdict === 'failed')
      .map(({ server, tool }) => server ?? tool),
  ]);
  return {
    changed: drifted.length + found.length,
    bumped: bumped.length,
    unchecked: unchecked.size,
    looked: sources.length + calls.length > 0,
  };
};
