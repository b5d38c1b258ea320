// The last good copy of the shared approvals, and how the last attempt to fetch them ended: one file in the state folder.
// Its first line is about the copy. The published text follows, and after it the part of each server again: a call reads that
// alone, for the whole text may take most of a second to parse.
import { statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { SharedSettings } from '../config/settings.ts';
import { sha256 } from '../contract/canonical.ts';
import { parsedJson } from '../contract/parsed-json.ts';
import { isObject } from '../contract/types.ts';
import { parseLock } from '../lock/read.ts';
import { renderLock } from '../lock/render.ts';
import type { Lock } from '../lock/types.ts';
import { readRegular } from '../servers/read.ts';
import { makeFolder, readFrom, replaceFile } from '../state/files.ts';
import { homeOf, inState } from '../state/paths.ts';
import { look } from '../state/stamp.ts';

/** What is known of the copy. All times are in ms since 1970. */
export interface SharedFacts {
  /** SHA-256 of the address. */
  address: string;
  /** When it was last asked for, with any outcome. */
  triedAt: number;
  /** The newest time of a record in any copy of this address that was good, in ISO 8601: an older copy is refused. */
  newest?: string;
  /** Why the last attempt failed, and since when that is so. */
  problem?: { why: string; since: number };
  /** Absent if there is no good copy. */
  copy?: {
    etag?: string;
    signature: string;
    signer: string;
    /** SHA-256 of the list of signers that it was proven by: with another list, it has to be proven again. */
    signers: string;
    /** When it was proven, and when it was last confirmed to be what is published. */
    provenAt: number;
    confirmedAt: number;
    /** How many bytes the published text has. */
    length: number;
    /** The name of each server, and the first byte of its part and how many it has, from the start of the text. */
    parts: [name: string, from: number, bytes: number][];
  };
}

export interface Kept {
  about: SharedFacts;
  /** The published text, and after it the approvals of each server; empty without a copy. */
  body: Buffer;
}

/** A good copy of the shared approvals. */
export interface SharedApprovals {
  lock: Lock;
  copy: CopyAbout;
}

export type CopyAbout = NonNullable<SharedFacts['copy']>;

/** In seconds. */
const MAX_AGE = 7 * 24 * 3_600;
export const LARGEST_SIGNERS = 1024 * 1024;
/** How much of the file is read for its first line, in bytes: what most have, and then what the largest has. */
const LONGEST_HEADS = [64 * 1024, 8 * 1024 * 1024];
const LARGEST_BODY = 64 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);

export const sharedPath = (home: string): string => inState(home, 'shared', 'approvals');

/** Exists while a process fetches them. */
export const askingShared = (home: string): string => `${sharedPath(home)}.asking`;

/** The path of the list of signers. */
export const signersPath = (home: string, { allowedSigners }: SharedSettings, env: NodeJS.ProcessEnv): string => {
  if (/^~[\\/]/.test(allowedSigners)) return join(homeOf(env), allowedSigners.slice(2));
  return isAbsolute(allowedSigners) ? allowedSigners : join(home, allowedSigners);
};

/** SHA-256 of the list of signers, or what is wrong with it. */
export const signersDigest = (path: string): { digest: string } | { why: string } => {
  const read = readRegular(path, LARGEST_SIGNERS);
  if (read.status === 'read') return { digest: sha256(read.text) };
  return { why: `the file of allowed signers ${read.status === 'absent' ? 'does not exist' : read.why}` };
};

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** Identifies an address, which may hold a secret. */
export const addressOf = ({ url }: SharedSettings): string => sha256(url);

/** The first line, if it is about the address in the settings. */
const parseAbout = (line: string, settings: SharedSettings): SharedFacts | undefined => {
  const about = parsedJson(line);
  if (!isObject(about) || about.address !== addressOf(settings) || !isTime(about.triedAt)) return undefined;
  const { copy, ...rest } = about as unknown as SharedFacts;
  const isWhole = isObject(copy) && [copy.signature, copy.signer, copy.signers].every((one) => typeof one === 'string');
  const isKept = isWhole && [copy.provenAt, copy.confirmedAt, copy.length].every(isTime) && Array.isArray(copy.parts);
  return isKept ? { ...rest, copy } : rest;
};

/** What is known of the approvals at the address in the settings, and where their text begins; undefined if nothing is. */
const readHead = (home: string, settings: SharedSettings): { about: SharedFacts; start: number } | undefined => {
  for (const most of LONGEST_HEADS) {
    const bytes = readFrom(sharedPath(home), 0, most)?.bytes;
    const end = bytes?.indexOf(10) ?? -1;
    if (bytes === undefined || end === -1) continue;
    const about = parseAbout(bytes.toString('utf8', 0, end), settings);
    return about && { about, start: end + 1 };
  }
  return undefined;
};

/** What is known of the approvals at the address in the settings; undefined if nothing is. */
export const readAbout = (home: string, settings: SharedSettings): SharedFacts | undefined =>
  readHead(home, settings)?.about;

/** The same with everything that is kept. */
export const readKept = (home: string, settings: SharedSettings): Kept | undefined => {
  const head = readHead(home, settings);
  return head && { about: head.about, body: readFrom(sharedPath(home), head.start, LARGEST_BODY)?.bytes ?? NOTHING };
};

/** The published text; undefined without a copy. */
export const textOf = ({ about: { copy }, body }: Kept): string | undefined =>
  copy && body.toString('utf8', 0, copy.length);

/** The text with the parts after it. */
export const withParts = (text: string, lock: Lock): Pick<CopyAbout, 'length' | 'parts'> & { body: Buffer } => {
  const pieces = [Buffer.from(text)];
  const parts: CopyAbout['parts'] = [];
  const length = pieces[0]?.length ?? 0;
  let from = length;
  for (const [server, pins] of lock) {
    const piece = Buffer.from(renderLock(new Map([[server, pins]])));
    pieces.push(piece);
    parts.push([server, from, piece.length]);
    from += piece.length;
  }
  return { body: Buffer.concat(pieces), length, parts };
};

/** @throws if it cannot be written */
export const writeKept = (home: string, { about, body }: Kept): void => {
  makeFolder(dirname(sharedPath(home)));
  replaceFile(sharedPath(home), Buffer.concat([Buffer.from(`${JSON.stringify(about)}\n`), body]));
};

/** Notes, for `witnessed`, which files the approvals depend on. */
export const lookAtShared = (home: string, settings: SharedSettings, env: NodeJS.ProcessEnv): void => {
  look(sharedPath(home));
  look(signersPath(home, settings, env));
};

/** Whether a copy was proven by the list of signers as it is now. */
export const isProven = (
  home: string,
  settings: SharedSettings,
  env: NodeJS.ProcessEnv,
  { signers }: CopyAbout,
): boolean => {
  const now = signersDigest(signersPath(home, settings, env));
  return 'digest' in now && now.digest === signers;
};

/**
 * The last good copy of the shared approvals, as far as it is about one server. Fetches nothing. Undefined if there is no
 * copy, or the list of signers has changed since it was proven.
 */
export const sharedWith = (
  home: string,
  settings: SharedSettings,
  env: NodeJS.ProcessEnv,
  server: string,
): SharedApprovals | undefined => {
  const head = readHead(home, settings);
  const copy = head?.about.copy;
  if (head === undefined || copy === undefined || !isProven(home, settings, env, copy)) return undefined;
  const [, from = 0, bytes = 0] = copy.parts.find(([name]) => name === server) ?? [];
  if (bytes === 0) return { lock: new Map(), copy };
  const read = parseLock(readFrom(sharedPath(home), head.start + from, bytes)?.bytes.toString('utf8') ?? '');
  return 'lock' in read ? { lock: read.lock, copy } : undefined;
};

/** All of the last good copy, with its text; undefined as for `sharedWith`. */
export const sharedApprovals = (
  home: string,
  settings: SharedSettings,
  env: NodeJS.ProcessEnv,
): (SharedApprovals & { text: string }) | undefined => {
  const kept = readKept(home, settings);
  const copy = kept?.about.copy;
  if (kept === undefined || copy === undefined || !isProven(home, settings, env, copy)) return undefined;
  const text = textOf(kept) ?? '';
  const read = parseLock(text);
  return 'lock' in read ? { lock: read.lock, copy, text } : undefined;
};

/** Whether a copy was confirmed too long ago to approve anything in mode strict. */
export const isTooOld = ({ copy }: Pick<SharedApprovals, 'copy'>, { maxAge = MAX_AGE }: SharedSettings): boolean =>
  Math.abs(Date.now() - copy.confirmedAt) > maxAge * 1_000;

/** How often they are fetched, and how soon again after a failure, in ms. */
const HOUR = 3_600_000;
const SOONER = 600_000;

const pauseAfter = ({ problem }: SharedFacts): number => (problem ? SOONER : HOUR);

/**
 * Whether the list of signers was written since the last attempt: the copy has to be proven by it. A time of the future would
 * say so for ever.
 */
const hasNewSigners = ({ triedAt, copy }: SharedFacts, path: string): boolean => {
  const writtenAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return copy !== undefined && writtenAt > triedAt && writtenAt <= Date.now();
};

/** Whether it is time to fetch the shared approvals. */
export const isDue = (home: string, settings: SharedSettings, env: NodeJS.ProcessEnv): boolean => {
  const about = readAbout(home, settings);
  if (about === undefined || hasNewSigners(about, signersPath(home, settings, env))) return true;
  const age = Date.now() - about.triedAt;
  return age < 0 || age >= pauseAfter(about);
};

/** Until when what the shared approvals say holds, in ms since 1970: then they are fetched again, or are too old. */
export const sharedUntil = (home: string, settings: SharedSettings): number => {
  const about = readAbout(home, settings);
  if (about === undefined) return 0;
  const { maxAge = MAX_AGE } = settings;
  const tooOld = about.copy === undefined ? Number.POSITIVE_INFINITY : about.copy.confirmedAt + maxAge * 1_000;
  const due = about.triedAt + pauseAfter(about);
  return tooOld > Date.now() ? Math.min(due, tooOld) : due;
};
