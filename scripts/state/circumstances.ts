// What we learn is valid only under the circumstances in which we learn it. Every file that keeps knowledge records these
// and a time, and is read back only under the same ones. Part of the fast path: imports only Node's own modules.
import { readText, writeAtomic } from './files.ts';

/** The circumstances under which a kept value is valid. Fields that are left out, or undefined, do not matter to it. */
export interface Circumstances {
  session?: string;
  /** Id of a subagent: it has its own model view, and we tell it things separately. */
  agent?: string | undefined;
  /** Key of the source: made of the server's or gateway's entry with its variables filled in. */
  source?: string | undefined;
  server?: string | undefined;
  /** The scope that the client names, if it does: a server of another scope is another server. */
  scope?: string | undefined;
  /** The server's name for the tool, or the client's if that is unknown. */
  tool?: string | undefined;
  /** What it is about, if the other fields do not say it: a reason, a contract. */
  about?: string | undefined;
  /** Folder of the project. */
  project?: string;
  /** Process id of the client, since its command line can name servers. */
  client?: number;
}

/**
 * A moment on two clocks, in ms: `at` since 1970, on a clock that people and NTP can set; `up` on the machine's monotonic
 * clock.
 */
export interface Moment {
  at: number;
  up: number;
}

/** Now, on both clocks. */
export const thisMoment = (): Moment => ({
  at: Date.now(),
  // Shared by all processes of the machine, unlike `performance.now`. Not in whole milliseconds: a question that is asked
  // within the same one as an answer was is later all the same.
  up: Number(process.hrtime.bigint()) / 1e6,
});

/** How long ago a moment was, in ms, by the clock that says longer; undefined if either clock puts it in the future. */
export const ageOf = (then: Moment, now: Moment = thisMoment()): number | undefined => {
  const [calendar, machine] = [now.at - then.at, now.up - then.up];
  return calendar >= 0 && machine >= 0 ? Math.max(calendar, machine) : undefined;
};

const NAMES: readonly (keyof Circumstances)[] = [
  'session',
  'agent',
  'source',
  'server',
  'scope',
  'tool',
  'about',
  'project',
  'client',
];

/** Circumstances as a text that is equal for equal circumstances. */
export const circumstancesText = (circumstances: Circumstances): string =>
  JSON.stringify(NAMES.map((name) => circumstances[name] ?? null));

/** Detects damage, not forgery: with write access to the state folder, anything can be forged. */
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

/**
 * The text of a file, with time and checksum, that `recall` reads back under these circumstances.
 * @param written returns what is written in place of a text
 */
export const sealed = (
  circumstances: Circumstances,
  value: object,
  written = (text: string): string => text,
): string => {
  const text = written(JSON.stringify({ ...value, circumstances, ...thisMoment() }));
  return `${text.slice(0, -1)},"checksum":"${checksum(text)}"}`;
};

/** Writes a value that `recall` reads back. @throws if the file cannot be written */
export const keep = (path: string, circumstances: Circumstances, value: object): void =>
  writeAtomic(path, sealed(circumstances, value));

/**
 * A kept value, with the time when it was kept (`at`, `up`). Undefined if there is none, if the file is damaged, or if it
 * was kept under other circumstances: then nothing is known.
 * @param read reverses `written`
 */
export const recall = (
  path: string,
  circumstances: Circumstances,
  read = (written: string): string => written,
): (Record<string, unknown> & Moment) | undefined => {
  const text = readText(path);
  const seal = text === undefined ? null : SEAL.exec(text.slice(-40));
  if (text === undefined || seal === null) return undefined;
  const body = `${text.slice(0, text.length - seal[0].length)}}`;
  if (checksum(body) !== seal[1]) return undefined;
  const kept = JSON.parse(read(body)) as Record<string, unknown> & Moment & { circumstances: Circumstances };
  return circumstancesText(kept.circumstances) === circumstancesText(circumstances) ? kept : undefined;
};
