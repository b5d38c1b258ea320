import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, quietly } from '../contract/attempt.ts';
import { type Contract, isObject } from '../contract/types.ts';
import { type Circumstances, circumstancesText } from './circumstances.ts';
import { makeFolder } from './files.ts';
import { recallHidden, sealedHidden } from './hidden.ts';
import { removeFile } from './in-use.ts';
import { sessionFolder } from './paths.ts';

/** What was done; a part of the marker's file name. */
export type MarkerKind =
  /** Said, and not repeated. */
  | 'failure'
  | 'held'
  | 'later'
  | 'moved'
  | 'notice'
  | 'old-list'
  | 'rebuilt'
  | 'release'
  | 'unapproved'
  | 'unchecked'
  /** A person was asked about a call, and said yes; and such a call ran, and failed. */
  | 'asked'
  | 'granted'
  | 'ran'
  /** The model was told a reason, was warned, or was told a contract to call a tool by. */
  | 'told'
  | 'warned'
  | 'taught'
  /** See `firstLook`. */
  | 'first';

/** What a marker is about; it always belongs to one session. */
export type About = Circumstances & { session: string };

/**
 * Each thing that is said once in a session has a file of its own. Creating a file that exists fails, so exactly one of two
 * simultaneous hooks speaks.
 */
const markerPath = (home: string, kind: MarkerKind, about: About): string => {
  const digest = createHash('sha256').update(circumstancesText(about)).digest('hex').slice(0, 24);
  return join(sessionFolder(home, about.session), `${kind}-${digest}`);
};

/** A marker that was set, and what its file held before that (null for nothing) and held then. */
type SetMarker = readonly [path: string, before: string | null, now: string];
export type Marks = readonly SetMarker[];

/** What such markers stand for is a fact, whether or not anybody was told something. */
const FACTS: ReadonlySet<MarkerKind> = new Set(['first', 'granted', 'ran']);
let noted: SetMarker[] | undefined;

const contentOf = (path: string): string | null => attempt(() => readFileSync(path, 'utf8'), null);

/** Does work that says something, and notes what it marks as said. The work must not wait for anything. */
export const notingMarks = <T>(work: () => T): { value: T; marks: Marks } => {
  const marks: SetMarker[] = [];
  noted = marks;
  try {
    return { value: work(), marks };
  } finally {
    noted = undefined;
  }
};

/** How many marks that were taken back are known, so that nothing brings them back. */
const MOST_KNOWN = 200;
let takenBack: Marks = [];

/** What was in a marker's file before a text that was itself taken back; else that text. */
const standing = (path: string, text: string | null): string | null => {
  const gone = text === null ? undefined : takenBack.find(([at, , now]) => at === path && now === text);
  return gone === undefined ? text : gone[1];
};

/**
 * Takes back what was marked as said, since the client passed it on to no one. Another call at the same time may have marked
 * it since: that stays. Never throws.
 */
export const takeBack = (marks: Marks): void => {
  // Where that fails, it is not said again.
  for (const [path, had, now] of marks.toReversed()) {
    const before = standing(path, had);
    takenBack = [...takenBack, [path, before, now] as const].slice(-MOST_KNOWN);
    if (contentOf(path) !== now) continue;
    quietly(() => (before === null ? removeFile(path) : writeFileSync(path, before, { mode: 0o600 })));
  }
};

const write = (home: string, kind: MarkerKind, about: About, note: object, flag: 'w' | 'wx'): void => {
  makeFolder(sessionFolder(home, about.session));
  const path = markerPath(home, kind, about);
  const before = noted && !FACTS.has(kind) ? contentOf(path) : undefined;
  const text = sealedHidden(about, note);
  writeFileSync(path, text, { flag, mode: 0o600 });
  if (before !== undefined) noted?.push([path, before, text]);
};

/** Whether a marker is so new that another hook may still be writing it. */
const isNew = (path: string): boolean => {
  const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  // Files have a finer clock than `Date.now`, so the age of a new file can be slightly negative.
  return age > -1_000 && age < 1_000;
};

/**
 * Sets a marker; true for the first caller, who should speak. Also true if the marker cannot be written: better to say
 * something twice than never.
 */
export const firstTime = (home: string, kind: MarkerKind, about: About, note: object = {}): boolean => {
  try {
    write(home, kind, about, note, 'wx');
    return true;
  } catch (error) {
    const there = (error as NodeJS.ErrnoException).code === 'EEXIST';
    if (there && (wasMarked(home, kind, about) || isNew(markerPath(home, kind, about)))) return false;
    // The existing file is damaged, or was written under other circumstances.
    mark(home, kind, about, note);
    return true;
  }
};

/** Whether a marker is set. */
export const wasMarked = (home: string, kind: MarkerKind, about: About): boolean =>
  readMarker(home, kind, about) !== undefined;

/** The files of the markers of a kind in a session; none if no marker has been set. */
const markersOf = (home: string, kind: MarkerKind, session: string): string[] =>
  attempt(() => readdirSync(sessionFolder(home, session)), []).filter((name) => name.startsWith(`${kind}-`));

/** Whether any marker of a kind is set in a session. */
export const anyMarked = (home: string, kind: MarkerKind, session: string): boolean =>
  markersOf(home, kind, session).length > 0;

/** The note that a marker was set with, and when; undefined if it is not set. */
export const readMarker = (home: string, kind: MarkerKind, about: About): Record<string, unknown> | undefined =>
  recallHidden(markerPath(home, kind, about), about);

/** Sets a marker, or replaces its note. Never throws. */
export const mark = (home: string, kind: MarkerKind, about: About, note: object = {}): void => {
  // Otherwise it is said or asked again.
  quietly(() => write(home, kind, about, note, 'w'));
};

/**
 * The contract that the guard saw when it first looked at a tool in this conversation; undefined if it never did. Used if
 * nothing tells what the model saw: it may differ from that, but any later change is certain.
 */
export const firstLook = (home: string, about: About): Contract | undefined => {
  const contract = readMarker(home, 'first', about)?.contract;
  return isObject(contract) && typeof contract.name === 'string' ? (contract as unknown as Contract) : undefined;
};

/** Keeps a contract as the first look at its tool, unless there is one already. */
export const keepFirstLook = (home: string, about: About, contract: Contract): void => {
  if (firstLook(home, about) === undefined) mark(home, 'first', about, { contract });
};

/** Removes a marker: what it stands for has ended, and is reported again if it recurs. Never throws. */
export const unmark = (home: string, kind: MarkerKind, about: About): void => {
  // Otherwise it is not said again.
  quietly(() => removeFile(markerPath(home, kind, about)));
};

/** Removes all markers of a kind in a session. Never throws. */
export const unmarkAll = (home: string, kind: MarkerKind, session: string): void => {
  // Otherwise what they stand for is not said again.
  for (const name of markersOf(home, kind, session))
    quietly(() => removeFile(join(sessionFolder(home, session), name)));
};
