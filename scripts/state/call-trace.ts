// The last calls with their contracts and arguments: kept only if the user's own settings ask for it.
import { statSync } from 'node:fs';
import { quietly } from '../contract/attempt.ts';
import { defined } from '../contract/defined.ts';
import { parsedJson } from '../contract/parsed-json.ts';
import { isObject, type Json } from '../contract/types.ts';
import { appendLine, readFrom } from './files.ts';
import { removeFile, rename } from './in-use.ts';
import { tracePaths } from './paths.ts';

/** One call, or the call inside it, without what is secret. */
export interface TracedCall {
  /** The client's name for the tool. */
  tool: string;
  server: string;
  verdict: string;
  /** Absent if unknown or too large. */
  contract?: Json;
  /** Of the whole contract. */
  contract_hash?: string;
  /** Absent if too large. */
  arguments?: Json;
}

/** A line of the trace. */
export interface Trace {
  session: string;
  /** The outcome of the call. */
  verdict: string;
  outer: TracedCall;
  /** The call inside it, if the tool is a generic invoker. */
  inner?: TracedCall;
}

export type KeptTrace = Trace & { at: string };

/** Bytes: of one contract or of one call's arguments, and of a file of the trace, of which there are two. */
const MOST = { part: 64 * 1024, file: 4 * 1024 * 1024 };

const small = (value: Json | undefined): Json | undefined =>
  value === undefined || Buffer.byteLength(JSON.stringify(value)) > MOST.part ? undefined : value;

const bounded = ({ contract, arguments: given, ...rest }: TracedCall): TracedCall => ({
  ...rest,
  ...defined({ contract: small(contract), arguments: small(given) }),
});

/** Keeps a call. Never throws: a line that cannot be written is lost. */
export const keepTrace = (home: string, { outer, inner, ...trace }: Trace): void => {
  const { now, before } = tracePaths(home);
  const kept = { ...trace, outer: bounded(outer), ...(inner === undefined ? {} : { inner: bounded(inner) }) };
  const line = `${JSON.stringify({ at: new Date().toISOString(), ...kept })}\n`;
  // It is only for people to look at later; no verdict depends on it.
  quietly(() => {
    if ((statSync(now, { throwIfNoEntry: false })?.size ?? 0) > MOST.file) rename(now, before);
    appendLine(now, line);
  });
};

/** Forgets all of them. Never throws. */
export const forgetTraces = (home: string): void => {
  // The next session's start tries again.
  for (const path of Object.values(tracePaths(home))) quietly(() => removeFile(path));
};

const isTraced = (value: unknown): value is TracedCall =>
  isObject(value) && [value.tool, value.server, value.verdict].every((text) => typeof text === 'string');

const traceIn = (line: string): KeptTrace[] => {
  const value = parsedJson(line);
  const isOurs = isObject(value) && isTraced(value.outer) && (value.inner === undefined || isTraced(value.inner));
  return isOurs && Number.isFinite(Date.parse(String(value.at))) ? [value as unknown as KeptTrace] : [];
};

/** The last calls that were kept, the newest last. */
export const readTraces = (home: string, most: number): KeptTrace[] => {
  const { now, before } = tracePaths(home);
  const found: KeptTrace[] = [];
  for (const path of [now, before]) {
    if (found.length >= most) break;
    const text = readFrom(path, 0, 2 * MOST.file)?.bytes.toString('utf8') ?? '';
    found.unshift(...text.split('\n').flatMap(traceIn));
  }
  return found.slice(-most);
};
