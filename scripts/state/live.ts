import { contractHash, sha256 } from '../contract/canonical.ts';
import { viewHash } from '../contract/meaning.ts';
import { type Contract, isObject, type ToolList } from '../contract/types.ts';
import { readAnswer } from '../sources/answer.ts';
import { conditionalGet } from '../sources/conditional-get.ts';
import type { Answer, Source } from '../sources/source.ts';
import { readJson, writeAtomic } from './files.ts';
import { headPath, livePath } from './paths.ts';

/** The few bytes that the fast path reads. Times are milliseconds since 1970. */
export interface Head {
  /** What the settings call the source. */
  name: string;
  /** When it was asked, not when it answered: what happened on the server in between may be missing. */
  checkedAt: number;
  /** Until then the answer counts as live. */
  freshUntil: number;
  /** Changes when any contract changes. */
  digest: string;
  etag?: string;
  ttlMs?: number;
  /** Why the last asking failed; until `freshUntil` nobody asks again. */
  failure?: { status: 'unreachable' | 'invalid'; why: string };
}

/** What a source answered last. */
export interface Live {
  key: string;
  /** When these contracts came, in ms since 1970; they were confirmed at the head's `checkedAt`. */
  answeredAt: number;
  digest: string;
  schemaVersion?: string;
  tools: Contract[];
  /** Names of tools whose advertised hash is not the hash of what was sent. */
  mismatched: string[];
  /** View hashes of what it answered before, by tool, the newest last. */
  past: { [tool: string]: string[] };
}

/** Longest time for which a source can have its answer taken as live, in ms. */
const LONGEST_TTL = 60_000;
/** How long a source that failed is left alone, in ms, before jitter. */
const RETRY_AFTER = 5_000;
const MOST_PAST = 10;

export const readHead = (home: string, key: string): Head | undefined => {
  const head = readJson(headPath(home, key));
  return isObject(head) && typeof head.digest === 'string' && typeof head.freshUntil === 'number'
    ? (head as unknown as Head)
    : undefined;
};

export const readLive = (home: string, key: string): Live | undefined => {
  const live = readJson(livePath(home, key));
  return isObject(live) && typeof live.digest === 'string' && Array.isArray(live.tools)
    ? (live as unknown as Live)
    : undefined;
};

const digestOf = (tools: Contract[], schemaVersion: string | undefined): string =>
  sha256([schemaVersion ?? '', ...tools.map((tool) => `${tool.name}\0${contractHash(tool)}`).sort()].join('\n'));

/** Hashes of earlier answers: a model that still sees one of them is behind, whatever the baseline says. */
const pastOf = (before: Live | undefined, tools: Contract[]): Live['past'] => {
  // Without a prototype: a tool may be called __proto__.
  const past: Live['past'] = Object.assign(Object.create(null), before?.past);
  const now = new Map(tools.map((tool) => [tool.name, tool]));
  for (const old of before?.tools ?? []) {
    const current = now.get(old.name);
    const seen = viewHash(old);
    if (current !== undefined && viewHash(current) === seen) continue;
    const known = (Object.hasOwn(past, old.name) ? past[old.name] : undefined) ?? [];
    past[old.name] = [...known.filter((hash) => hash !== seen), seen].slice(-MOST_PAST);
  }
  return past;
};

const toLive = (key: string, list: ToolList, before: Live | undefined, now: number): Live => ({
  key,
  answeredAt: now,
  digest: digestOf(list.tools, list.schemaVersion),
  schemaVersion: list.schemaVersion,
  tools: list.tools,
  mismatched: list.tools
    .filter(
      (tool) => list.advertised.has(tool.name) && list.advertised.get(tool.name)?.toLowerCase() !== contractHash(tool),
    )
    .map((tool) => tool.name),
  past: pastOf(before, list.tools),
});

const freshFor = (ttlMs: number | undefined, seconds: number): number =>
  ttlMs === undefined ? seconds * 1000 : Math.min(ttlMs, LONGEST_TTL);

export type Asked =
  | { status: 'live'; live: Live; head: Head }
  | { status: 'failed'; head: Head; why: string; kind: string };

/** Keeps an answer, and tells what is live now. State that cannot be written is no reason not to judge by the answer. */
export const keepAnswer = (
  home: string,
  { key, name }: { key: string; name: string },
  answer: Answer,
  seconds: number,
  askedAt: number,
): Asked => {
  const before = readLive(home, key);
  const head = readHead(home, key);
  const save = (path: string, value: object): void => {
    try {
      writeAtomic(path, JSON.stringify(value));
    } catch {
      // `doctor` and the session's greeting report a state folder that cannot be written.
    }
  };
  if (answer.status === 'same' && before !== undefined) {
    const fresh: Head = {
      name,
      digest: before.digest,
      etag: head?.etag,
      ttlMs: head?.ttlMs,
      checkedAt: askedAt,
      freshUntil: askedAt + freshFor(head?.ttlMs, seconds),
    };
    save(headPath(home, key), fresh);
    return { status: 'live', live: before, head: fresh };
  }
  if (answer.status === 'answered') {
    const live = toLive(key, answer.list, before, Date.now());
    const fresh: Head = {
      name,
      digest: live.digest,
      etag: answer.etag,
      ttlMs: answer.list.ttlMs,
      checkedAt: askedAt,
      freshUntil: askedAt + freshFor(answer.list.ttlMs, seconds),
    };
    const kept = before?.digest === live.digest ? { ...before, answeredAt: live.answeredAt } : live;
    if (before?.digest !== live.digest) save(livePath(home, key), kept);
    save(headPath(home, key), fresh);
    return { status: 'live', live: kept, head: fresh };
  }
  const problem =
    answer.status === 'same' ? { status: 'invalid' as const, why: 'HTTP 304 for an answer that is not known' } : answer;
  const now = Date.now();
  const failed: Head = {
    name,
    digest: before?.digest ?? '',
    checkedAt: now,
    // Jitter: sessions that failed together do not come back together.
    freshUntil: now + RETRY_AFTER * (0.5 + Math.random()),
    failure: { status: problem.status, why: problem.why },
  };
  save(headPath(home, key), failed);
  return { status: 'failed', head: failed, why: problem.why, kind: problem.status };
};

/** A plain conditional request first; what that does not settle is the source's own affair, in the time that is left. */
const ask = async (source: Source, known: string | undefined, deadline: number): Promise<Answer> => {
  const start = Date.now();
  if (known !== undefined && source.request) {
    const reply = await conditionalGet(source.request, known, deadline);
    if (reply.status === 304) return { status: 'same' };
    if (reply.status === 200) return readAnswer(reply.text, reply.etag);
    if (reply.status === 'timeout') return { status: 'unreachable', why: `no answer within ${deadline / 1000} s` };
  }
  return source.ask(known, Math.max(100, deadline - (Date.now() - start)));
};

/** What a source answers now: its last answer while that counts as live, else it is asked. */
export const askSource = async (
  home: string,
  source: Source,
  options: { freshFor: number; deadline: number; force?: boolean; justAsked?: boolean },
): Promise<Asked> => {
  const head = readHead(home, source.key);
  const stands = options.justAsked || (!options.force && head !== undefined && head.freshUntil > Date.now());
  if (stands && head !== undefined) {
    if (head.failure) return { status: 'failed', head, why: head.failure.why, kind: head.failure.status };
    const live = readLive(home, source.key);
    if (live?.digest === head.digest) return { status: 'live', live, head };
  }
  const known = head?.failure || readLive(home, source.key)?.digest !== head?.digest ? undefined : head?.etag;
  const askedAt = Date.now();
  return keepAnswer(home, source, await ask(source, known, options.deadline), options.freshFor, askedAt);
};
