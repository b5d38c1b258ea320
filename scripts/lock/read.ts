import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../contract/defined.ts';
import { pointerText, pointerTo } from '../contract/json-pointer.ts';
import { endOfString, LIMITS, NotAToolList, parseBounded } from '../contract/read.ts';
import { type Contract, isObject, type Json, type JsonObject } from '../contract/types.ts';
import { look } from '../state/stamp.ts';
import { visible } from '../text/visible.ts';
import {
  type Approved,
  type FoundLock,
  LOCKFILE,
  LOCKFILE_VERSION,
  type Lock,
  type Pin,
  type Pins,
  type Refused,
  type Removed,
  toPins,
} from './types.ts';

/** Says what is wrong with the text of a lockfile. */
class NotALock extends Error {}

const LONGEST_NAME = 256;
const LONGEST_WORDS = 2_000;
const HEX = /^[0-9a-f]{64}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/;

const wrong = (path: readonly string[], what: string): never => {
  throw new NotALock(`${visible(pointerText(pointerTo(path)) || '/', { max: 300 })} ${what}`);
};

type LockCheck = (value: Json, path: readonly string[]) => void;

/** A check that says what a value is not, if it is not right. */
const must =
  (what: string, isRight: (value: Json) => boolean): LockCheck =>
  (value, path) => {
    if (!isRight(value)) wrong(path, `is not ${what}`);
  };
const mustBeText = (what: string, isRight: (text: string) => boolean): LockCheck =>
  must(what, (value) => typeof value === 'string' && isRight(value));

const text = mustBeText('a text', () => true);
const words = mustBeText(`a text of at most ${LONGEST_WORDS} characters`, ({ length }) => length <= LONGEST_WORDS);
const hex = mustBeText('a SHA-256 in lower-case hex', (value) => HEX.test(value));
// The form alone allows a thirteenth month. Such a time is neither before nor after any other.
const time = mustBeText('a time in ISO 8601, UTC', (value) => TIME.test(value) && !Number.isNaN(Date.parse(value)));
const object = must('an object', isObject);
const schema = must('a JSON Schema', (value) => isObject(value) || typeof value === 'boolean');
const list = must('a list or an object', (value) => isObject(value) || Array.isArray(value));
const yes = must('true', (value) => value === true);

/** Checks an object's fields. An unknown one is an error, because no seal covers it. */
const fields = (
  value: Json,
  path: readonly string[],
  needed: Record<string, LockCheck>,
  optional: Record<string, LockCheck> = {},
): JsonObject => {
  object(value, path);
  const given = value as JsonObject;
  for (const key of Object.keys(needed)) if (!Object.hasOwn(given, key)) wrong([...path, key], 'is missing');
  for (const [key, member] of Object.entries(given)) {
    const check = Object.hasOwn(needed, key) ? needed[key] : Object.hasOwn(optional, key) ? optional[key] : undefined;
    if (check === undefined) wrong([...path, key], 'is not known');
    else check(member, [...path, key]);
  }
  return given;
};

const CONTRACT = { inputSchema: schema };
const CONTRACT_MORE = {
  title: text,
  description: text,
  outputSchema: schema,
  annotations: object,
  branches: list,
  schemaless: yes,
};
const CONSENT = { by: words, at: time };
const CONSENT_MORE: Record<string, LockCheck> = {
  why: words,
  seat: must(
    'a list of short hashes',
    (value) => Array.isArray(value) && value.length <= 8 && value.every((one) => /^[0-9a-f]{16}$/.test(String(one))),
  ),
};
const APPROVED = { ...CONSENT, diff: hex };
const APPROVED_MORE: Record<string, LockCheck> = {
  ...CONSENT_MORE,
  from: hex,
  to: hex,
  second: (value, path) => void fields(value, path, CONSENT, CONSENT_MORE),
};
const approval: LockCheck = (value, path) => void fields(value, path, APPROVED, APPROVED_MORE);
const approvals: LockCheck = (value, path) => {
  if (!Array.isArray(value)) return wrong(path, 'is not a list');
  for (const [at, one] of value.entries()) approval(one, [...path, String(at)]);
};

const named = <T>(value: Json, path: readonly string[], read: (name: string, value: Json) => T): Map<string, T> => {
  object(value, path);
  return new Map(
    Object.entries(value as JsonObject).map(([name, member]) => {
      if (name === '' || name.length > LONGEST_NAME)
        wrong([...path, name], `is not a name of 1 to ${LONGEST_NAME} characters`);
      return [name, read(name, member)];
    }),
  );
};

const readPin = (tool: string, value: Json, path: readonly string[]): Pin => {
  const known = { approved: approval, earlier: approvals };
  const entry = fields(value, path, { contract: object, hash: hex, seal: hex }, known);
  const contract = fields(entry.contract as Json, [...path, 'contract'], CONTRACT, CONTRACT_MORE);
  return {
    contract: { name: tool, ...contract } as unknown as Contract,
    hash: entry.hash as string,
    ...defined({
      approved: entry.approved as unknown as Approved | undefined,
      earlier: entry.earlier as unknown as Approved[] | undefined,
    }),
    seal: entry.seal as string,
  };
};

const readRemoved = (value: Json, path: readonly string[]): Removed =>
  fields(value, path, { approved: approval, seal: hex }, { earlier: approvals }) as unknown as Removed;

const readRefused = (value: Json, path: readonly string[]): Refused =>
  fields(value, path, { ...CONSENT, why: words, seal: hex }, { hash: hex }) as unknown as Refused;

const toLock = (value: Json): Lock => {
  const version = isObject(value) ? value.lockfileVersion : undefined;
  if (typeof version === 'number' && version > LOCKFILE_VERSION) {
    throw new NotALock(
      `was written by a newer konnichiwagwan: its lockfileVersion is ${version}, and this one knows ${LOCKFILE_VERSION}`,
    );
  }
  if (isObject(value) && version !== LOCKFILE_VERSION)
    wrong(['lockfileVersion'], version === undefined ? 'is missing' : `is not ${LOCKFILE_VERSION}`);
  const root = fields(value, [], { lockfileVersion: () => {}, servers: object });
  return named(root.servers as Json, ['servers'], (server, entry): Pins => {
    const path = ['servers', server];
    const more = { removed: object, refused: object };
    const { tools, removed = {}, refused = {} } = fields(entry, path, { tools: object }, more);
    return toPins(
      named(tools as Json, [...path, 'tools'], (tool, pin) => readPin(tool, pin, [...path, 'tools', tool])),
      named(removed, [...path, 'removed'], (tool, one) => readRemoved(one, [...path, 'removed', tool])),
      named(refused, [...path, 'refused'], (tool, one) => readRefused(one, [...path, 'refused', tool])),
    );
  });
};

const keysIn = (value: Json): number => {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + keysIn(item), 0);
  if (!isObject(value)) return 0;
  const members = Object.values(value as JsonObject);
  return members.reduce<number>((sum, member) => sum + keysIn(member), members.length);
};

/** The number of colons outside of strings: that of all keys, including duplicates, which a parser drops. */
const keysWritten = (json: string): number => {
  let count = 0;
  for (let at = 0; at < json.length; at++) {
    const char = json.charCodeAt(at);
    // Most of a lockfile is strings: skip each as a whole.
    if (char === 34) at = endOfString(json, at + 1);
    else if (char === 58) count++;
  }
  return count;
};

/** Conflict markers of git: no line of JSON starts like this. */
const CONFLICT = /^(?:<{7}|={7}|>{7}|\|{7})(?: |\r?$)/m;

const parseText = (given: string): Lock => {
  if (Buffer.byteLength(given) > LIMITS.bytes) throw new NotALock(`is larger than ${LIMITS.bytes} bytes`);
  const json = given.replace(/^\ufeff/, '');
  const conflict = CONFLICT.exec(json);
  if (conflict) {
    const line = json.slice(0, conflict.index).split('\n').length;
    throw new NotALock(`has an unresolved merge conflict in line ${line}`);
  }
  const value = parseBounded(json);
  // Of duplicate keys the last one counts, while a reviewer may look at the first.
  if (keysWritten(json) !== keysIn(value)) throw new NotALock('has the same key twice in one object');
  return toLock(value);
};

/** Parses the text of a lockfile, or says what is wrong with it. */
export const parseLock = (given: string): { lock: Lock } | { why: string } => {
  try {
    return { lock: parseText(given) };
  } catch (error) {
    if (error instanceof NotALock) return { why: error.message };
    if (error instanceof NotAToolList) return { why: error.message.replace(/^\/: /, '') };
    throw error;
  }
};

/** The text of a file that must be regular: a repository may put a link, a pipe or an endless device there. */
const textOf = (path: string): { text: string } | { why: string } | undefined => {
  look(path);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (found.isSymbolicLink()) return { why: 'is a symbolic link' };
  if (!found.isFile()) return { why: 'is not a file' };
  // Checked again: the file may have been replaced before it was opened.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const opened = fstatSync(file);
    if (!opened.isFile()) return { why: 'is not a file' };
    if (opened.size > LIMITS.bytes) return { why: `is larger than ${LIMITS.bytes} bytes` };
    return { text: readFileSync(file, 'utf8') };
  } finally {
    closeSync(file);
  }
};

/** Reads the project's lockfile, as `readLockFile` does. */
export const readLock = (project: string): FoundLock => readLockFile(join(project, LOCKFILE));

/**
 * Reads a lockfile. Never throws: anything there that is not a lockfile is `unreadable`, and then the caller must not go on
 * as if nothing were pinned. Seals are checked separately (`editedPin`).
 */
export const readLockFile = (path: string): FoundLock => {
  try {
    const found = textOf(path);
    if (found === undefined) return { status: 'none' };
    if ('why' in found) return { status: 'unreadable', why: found.why };
    const parsed = parseLock(found.text);
    return 'why' in parsed
      ? { status: 'unreadable', why: parsed.why }
      : { status: 'lock', lock: parsed.lock, text: found.text };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { status: 'none' };
    return { status: 'unreadable', why: `cannot be read (${code ?? 'of no known reason'})` };
  }
};
