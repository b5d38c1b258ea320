import { dirname } from 'node:path';
import type { SharedSettings } from '../config/settings.ts';
import { defined } from '../contract/defined.ts';
import { LIMITS } from '../contract/read.ts';
import { newestRecord } from '../lock/newest-record.ts';
import { parseLock } from '../lock/read.ts';
import { within } from '../sources/deadline.ts';
import type { Fetched } from '../sources/http.ts';
import { tryLock } from '../state/exclusive.ts';
import { makeFolder } from '../state/files.ts';
import {
  addressOf,
  askingShared,
  type CopyAbout,
  isDue,
  type Kept,
  readKept,
  type SharedFacts,
  sharedPath,
  signersDigest,
  signersPath,
  textOf,
  withParts,
  writeKept,
} from './kept.ts';
import { signerOf } from './signature.ts';

/** In ms, for each of the two files. */
const PATIENCE = 20_000;
/** Each has a place in the first line of what is kept, which every call reads. */
const MOST_SERVERS = 10_000;
const LARGEST_SIGNATURE = 64 * 1024;
/** A record may lie so far in the future, in ms: clocks differ. A later one would keep every later copy out. */
const CLOCKS = 24 * 3_600_000;

const get = async (url: URL, etag: string | undefined, longest: number): Promise<Fetched> => {
  const http = await import('../sources/http.ts');
  return within(PATIENCE, (deadline) => http.get(url, {}, etag, deadline, { who: 'its server', longest }));
};

/** The copy that is kept, proven again if the list of signers is another one now. */
const proven = (kept: Kept | undefined, signers: string, path: string): Kept['about']['copy'] => {
  const copy = kept?.about.copy;
  if (kept === undefined || copy === undefined || copy.signers === signers) return copy;
  // At the time of the first proof: a key that expired since is no reason to drop it.
  const found = signerOf(textOf(kept) ?? '', copy.signature, path, copy.provenAt);
  return 'signer' in found ? { ...copy, signer: found.signer, signers } : undefined;
};

type NewCopy = { why: string } | { copy: CopyAbout; body: Buffer; newest: string | undefined };

const fetched = async (
  address: string,
  kept: Kept | undefined,
  copy: SharedFacts['copy'],
  signers: string,
  path: string,
): Promise<NewCopy> => {
  const url = new URL(address);
  const now = Date.now();
  const newest = kept?.about.newest;
  const answer = await get(url, copy?.etag, LIMITS.bytes);
  if (copy && kept && answer.status === 'same') return { copy: { ...copy, confirmedAt: now }, body: kept.body, newest };
  if (answer.status !== 'text') return { why: 'why' in answer ? answer.why : 'its server answered HTTP 304' };
  const { text, etag } = answer;
  if (copy && kept && textOf(kept) === text)
    return { copy: { ...copy, ...defined({ etag }), confirmedAt: now }, body: kept.body, newest };
  url.pathname = `${url.pathname}.sig`;
  const signed = await get(url, undefined, LARGEST_SIGNATURE);
  if (signed.status !== 'text')
    return { why: `it is not signed (.sig: ${'why' in signed ? signed.why : 'no answer'})` };
  const found = signerOf(text, signed.text, path);
  if ('why' in found) return found;
  const parsed = parseLock(text);
  if ('why' in parsed) return { why: `it is no lockfile: it ${parsed.why}` };
  if (parsed.lock.size > MOST_SERVERS) return { why: `it has more than ${MOST_SERVERS} servers` };
  const latest = newestRecord(parsed.lock);
  if (latest !== undefined && Date.parse(latest) > now + CLOCKS) return { why: 'its newest record lies in the future' };
  if (newest !== undefined && (latest === undefined || Date.parse(latest) < Date.parse(newest)))
    return { why: `it is older than the copy that is known: its newest record is of ${latest ?? 'no time'}` };
  const { body, ...places } = withParts(text, parsed.lock);
  return {
    copy: {
      ...defined({ etag }),
      ...places,
      signature: signed.text,
      signer: found.signer,
      signers,
      provenAt: now,
      confirmedAt: now,
    },
    body,
    newest: latest,
  };
};

/** What is known after an attempt to fetch them. */
const attempt = async (
  home: string,
  settings: SharedSettings,
  env: NodeJS.ProcessEnv,
  kept: Kept | undefined,
): Promise<Kept> => {
  const { url } = settings;
  const now = Date.now();
  const path = signersPath(home, settings, env);
  const signers = signersDigest(path);
  const copy = 'why' in signers ? kept?.about.copy : proven(kept, signers.digest, path);
  const outcome = 'why' in signers ? signers : await fetched(url, kept, copy, signers.digest, path);
  const known = { address: addressOf(settings), triedAt: now, ...defined({ newest: kept?.about.newest }) };
  if ('why' in outcome) {
    const { why } = outcome;
    const before = kept?.about.problem;
    const problem = { why, since: before?.why === why ? before.since : now };
    return { about: { ...known, problem, ...defined({ copy }) }, body: copy && kept ? kept.body : Buffer.alloc(0) };
  }
  const { body, newest } = outcome;
  return { about: { ...known, ...defined({ newest }), copy: outcome.copy }, body };
};

/**
 * Fetches the shared approvals, and keeps what is good of them. One process at a time does; another one leaves it to that.
 * @param force fetch them even if that was done a short time ago
 * @throws if they cannot be kept
 */
export const refreshShared = async (
  home: string,
  settings: SharedSettings,
  env: NodeJS.ProcessEnv,
  force = false,
): Promise<void> => {
  makeFolder(dirname(sharedPath(home)));
  const held = tryLock(askingShared(home));
  if (held === undefined) return;
  try {
    if (!force && !isDue(home, settings, env)) return;
    writeKept(home, await attempt(home, settings, env, readKept(home, settings)));
  } finally {
    held.release();
  }
};
