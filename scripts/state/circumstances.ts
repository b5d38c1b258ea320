// What is remembered holds only where it was learned. Every file that stands for knowledge names the circumstances it was
// learned under and when, and is read back only under the same ones. Part of the fast path: nothing but Node's own.
import { readText, writeAtomic } from './files.ts';

/** What a remembered thing is valid for. What is left out, or undefined, does not matter to it. */
export interface Circumstances {
  session?: string;
  /** A subagent of the session: it has a view of its own, and is told things of its own. */
  agent?: string | undefined;
  /** Key of the source: of the server's or gateway's entry with its variables filled in. */
  source?: string | undefined;
  server?: string | undefined;
  /** The tool, as the server calls it or, where that is not known, as the client does. */
  tool?: string | undefined;
  /** What within these it is about: a reason, a contract. */
  about?: string | undefined;
  /** Folder of the project. */
  project?: string;
  /** Process id of the client: its command line names servers, too. */
  client?: number;
}

/** A moment on two clocks, in ms: the calendar's, which people and NTP move, and the machine's, which starts with it. */
export interface Moment {
  at: number;
  up: number;
}

export const thisMoment = (): Moment => ({
  at: Date.now(),
  // The same clock for every process of the machine, unlike `performance.now`.
  up: Number(process.hrtime.bigint() / 1_000_000n),
});

/** How long ago that was, in ms, by the clock that says longer; undefined where one of them says that it is yet to come. */
export const ageOf = (then: Moment, now: Moment = thisMoment()): number | undefined => {
  const [calendar, machine] = [now.at - then.at, now.up - then.up];
  return calendar >= 0 && machine >= 0 ? Math.max(calendar, machine) : undefined;
};

const NAMES: readonly (keyof Circumstances)[] = [
  'session',
  'agent',
  'source',
  'server',
  'tool',
  'about',
  'project',
  'client',
];

/** The same text for the same circumstances. */
export const circumstancesText = (circumstances: Circumstances): string =>
  JSON.stringify(NAMES.map((name) => circumstances[name] ?? null));

/** Finds a damaged file, not a forged one: who can write the state folder can write anything. */
const checksum = (text: string): string => {
  let [a, b] = [0x811c9dc5, 0x1b873593];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul((b << 13) ^ (b >>> 19) ^ unit, 0x85ebca6b);
  }
  return [a, b].map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('');
};

const SEAL = /,"checksum":"([0-9a-f]{16})"\}$/;

/** The text of a file that `recall` reads back under these circumstances. */
export const sealed = (circumstances: Circumstances, value: object): string => {
  const text = JSON.stringify({ ...value, circumstances, ...thisMoment() });
  return `${text.slice(0, -1)},"checksum":"${checksum(text)}"}`;
};

/** Keeps a value. @throws where it cannot be written */
export const keep = (path: string, circumstances: Circumstances, value: object): void =>
  writeAtomic(path, sealed(circumstances, value));

/**
 * What was kept, with when (`at`, `up`). Undefined where nothing was, where the file is not what was written, and where
 * it was learned under other circumstances: then it is as if nothing were known.
 */
export const recall = (path: string, circumstances: Circumstances): (Record<string, unknown> & Moment) | undefined => {
  const text = readText(path);
  const seal = text === undefined ? null : SEAL.exec(text.slice(-40));
  if (text === undefined || seal === null) return undefined;
  const body = `${text.slice(0, text.length - seal[0].length)}}`;
  if (checksum(body) !== seal[1]) return undefined;
  const kept = JSON.parse(body) as Record<string, unknown> & Moment & { circumstances: Circumstances };
  return circumstancesText(kept.circumstances) === circumstancesText(circumstances) ? kept : undefined;
};
