import { quietly } from '../contract/attempt.ts';
import { contractHash, sha256 } from '../contract/canonical.ts';
import { defined } from '../contract/defined.ts';
import { sameJson } from '../contract/same.ts';
import {
  type Contract,
  type Identity,
  isObject,
  type ListKind,
  type ToolList,
  type Unread,
} from '../contract/types.ts';
import { knownHashes, viewHash } from '../contract/view.ts';
import { askOnce } from '../state/asking.ts';
import { type Moment, thisMoment } from '../state/circumstances.ts';
import { keepHidden, recallHidden } from '../state/hidden.ts';
import { livePath } from '../state/paths.ts';
import { readAnswer } from './answer.ts';
import { inSeconds } from './deadline.ts';
import { ageOfHead, type Head, isLive, LONGEST_TTL, readHead, writeHead } from './head.ts';
import { type SessionKeeper, sessionKeeper } from './mcp/kept-session.ts';
import { askAgain, type Repeated } from './revalidate.ts';
import type { Failure, Source, SourceAnswer } from './source.ts';

/** What a source answered last. */
export interface Live {
  key: string;
  /** When these contracts were received, in ms since 1970; the head's `checkedAt` says when they were last confirmed. */
  answeredAt: number;
  digest: string;
  schemaVersion?: string;
  tools: Contract[];
  /** Names of tools whose advertised hash is not the hash of their contract. */
  mismatched: string[];
  /** Hashes (`knownHashes`) of earlier contracts, by tool, the newest last. */
  past: { [tool: string]: string[] };
  /** Prompts, resources and resource templates, in the form of contracts; absent if they were never asked for. */
  offers?: Contract[];
  /** What is missing in the offers because it could not be read. */
  unread?: Unread;
  identity?: Identity;
  /** See `ToolList.listed`. */
  listed?: { [tool: string]: string };
  /** See `ToolList.standsFor`. */
  standsFor?: { [name: string]: string };
  /** Lists that the server reported as changed while it was last asked. */
  signals?: ListKind[];
}

/**
 * How long a source that failed is left alone, in ms, before jitter; doubled with each failure, up to a limit. The limit is
 * low for a source that may come back at any moment, perhaps with other contracts.
 */
const RETRY_AFTER = 5_000;
const LONGEST_RETRY: Record<Failure, number> = { unreachable: 15_000, invalid: 15_000, unaskable: 60_000 };
/**
 * A source that fails quickly is asked again sooner: that costs calls little time, and a server that is being replaced fails
 * like this. The shortest wait in ms, and how many times as long as the question a wait is.
 */
const QUICK_RETRY = { least: 1_000, times: 20 };
const MOST_PAST = 20;
/** How long a process waits for another one's answer before it asks itself, in ms. */
const PATIENCE = 1_500;
/** The time a question gets when none is left, in ms: enough for it to report the timeout itself. */
const LEAST = 50;

/** Whether a value has the form that `keepAnswer` writes, in the parts that others rely on. */
const isLiveAnswer = (value: unknown): value is Live => {
  if (!isObject(value) || typeof value.digest !== 'string' || !isObject(value.past)) return false;
  const { tools, mismatched } = value as unknown as Live;
  return Array.isArray(tools) && Array.isArray(mismatched) && tools.every((tool) => typeof tool?.name === 'string');
};

/** The last answer of a source; undefined if there is none. It may be old: see its head. */
export const readLive = (home: string, key: string): Live | undefined => {
  const live = recallHidden(livePath(home, key), { source: key });
  return isLiveAnswer(live) ? live : undefined;
};

const digestOf = (tools: Contract[], schemaVersion: string | undefined): string =>
  sha256([schemaVersion ?? '', ...tools.map((tool) => `${tool.name}\0${contractHash(tool)}`).sort()].join('\n'));

/** View hashes of earlier contracts: a model that still sees one of them is stale, whatever the baseline says. */
const pastOf = (before: Live | undefined, tools: Contract[]): Live['past'] => {
  // Has no prototype, because a tool may be called `__proto__`.
  const past: Live['past'] = Object.assign(Object.create(null), before?.past);
  const now = new Map(tools.map((tool) => [tool.name, tool]));
  for (const old of before?.tools ?? []) {
    const current = now.get(old.name);
    // Most tools stay as they were: comparing them takes less than hashing them.
    if (current !== undefined && (sameJson(current as never, old as never) || viewHash(current) === viewHash(old)))
      continue;
    const seen = knownHashes(old);
    const known = (Object.hasOwn(past, old.name) ? past[old.name] : undefined) ?? [];
    past[old.name] = [...known.filter((hash) => !seen.includes(hash)), ...seen].slice(-MOST_PAST);
  }
  return past;
};

/** Hashes that may be advertised for a tool: with its branches, or without if only MCP's contract is hashed. */
const hashesOf = (tool: Contract): string[] => {
  const { branches, ...without } = tool;
  return branches === undefined ? [contractHash(tool)] : [contractHash(tool), contractHash(without)];
};

const toLive = (key: string, list: ToolList, before: Live | undefined, now: number): Live => ({
  key,
  answeredAt: now,
  digest: digestOf(list.tools, list.schemaVersion),
  ...defined({ schemaVersion: list.schemaVersion }),
  tools: list.tools,
  mismatched: list.tools
    .filter((tool) => {
      // Many programs write the name of the algorithm before a hash.
      const advertised = list.advertised
        .get(tool.name)
        ?.toLowerCase()
        .replace(/^sha256[:-]/, '');
      return advertised !== undefined && !hashesOf(tool).includes(advertised);
    })
    .map((tool) => tool.name),
  past: pastOf(before, list.tools),
  ...defined({
    offers: list.offers ?? before?.offers,
    unread: list.offers ? list.unread : before?.unread,
    identity: list.identity ?? before?.identity,
    listed: list.listed,
    standsFor: list.standsFor,
    signals: list.signals,
  }),
});

/** What was known, if the newest answer holds the same contracts. */
const confirmed = (
  { signals: _earlier, unread: _unread, listed: _listed, standsFor: _names, ...known }: Live,
  { answeredAt, mismatched, offers, unread, identity, listed, standsFor, signals }: Live,
): Live => ({ ...known, answeredAt, mismatched, ...defined({ offers, unread, identity, listed, standsFor, signals }) });

/** Whether the same contracts were sent in another form, for other tools, or with other hashes. */
const isListedOtherwise = (before: Live, { listed, standsFor, mismatched }: Live): boolean =>
  JSON.stringify([before.listed, before.standsFor, before.mismatched]) !==
  JSON.stringify([listed, standsFor, mismatched]);

const freshFor = (ttlMs: number | undefined, seconds: number): number =>
  ttlMs === undefined ? seconds * 1000 : Math.min(ttlMs, LONGEST_TTL);

/** What asks a source again, and how long its answer counts. */
type KnownOfAnswer = { [field in 'etag' | 'ttlMs' | 'mcp']?: Head[field] | undefined };

export type LiveAnswer =
  | { status: 'live'; live: Live; head: Head }
  | { status: 'failed'; head: Head; why: string; kind: Failure };

/** How long a source that failed is left alone, in ms. @param took how long the question took, in ms */
const waitAfter = (kind: Failure, times: number, took: number): number => {
  const quick = kind === 'unaskable' ? Number.POSITIVE_INFINITY : Math.max(QUICK_RETRY.least, took * QUICK_RETRY.times);
  // Jitter, so that sessions that failed together do not ask again together.
  return Math.min(RETRY_AFTER * 2 ** (times - 1), LONGEST_RETRY[kind], quick) * (0.5 + Math.random());
};

/**
 * Stores an answer, and gives what is live now. Never throws: an answer that cannot be stored still counts.
 * @param seconds for which it counts as live if the source does not say
 * @param askedAt when the source was asked
 */
export const keepAnswer = (
  home: string,
  { key, name, session }: Pick<Source, 'key' | 'name'> & { session?: string },
  answer: SourceAnswer,
  seconds: number,
  askedAt: Moment,
): LiveAnswer => {
  const before = readLive(home, key);
  const head = readHead(home, key);
  // `doctor` and the session's greeting report a state folder that cannot be written.
  const save = quietly;
  const asked = { name, checkedAt: askedAt.at, checkedUp: askedAt.up, ...defined({ session }) };
  const isLiveNow = (live: Live, { etag, ttlMs, mcp }: KnownOfAnswer): LiveAnswer => {
    const freshUntil = askedAt.at + freshFor(ttlMs, seconds);
    const fresh: Head = { ...asked, digest: live.digest, ...defined({ etag, ttlMs, mcp }), freshUntil };
    save(() => writeHead(home, key, fresh));
    return { status: 'live', live, head: fresh };
  };
  if (answer.status === 'same' && before !== undefined) return isLiveNow(before, head ?? {});
  if (answer.status === 'answered') {
    const live = toLive(key, answer.list, before, Date.now());
    const mcp = answer.mcp ?? head?.mcp;
    // In MCP a `ttlMs` of 0 means the same as none; libraries send it by default. For an answer that is private to some
    // credentials it is ignored, too: the credentials could change before it runs out.
    const isPrivate = mcp?.url === undefined && answer.list.cacheScope !== 'public';
    const ttlMs = mcp && (answer.list.ttlMs === 0 || isPrivate) ? undefined : answer.list.ttlMs;
    const unmoved = before?.digest === live.digest;
    const kept = unmoved ? confirmed(before, live) : live;
    if (!unmoved || answer.list.offers !== undefined || isListedOtherwise(before, live))
      save(() => keepHidden(livePath(home, key), { source: key }, kept));
    return isLiveNow(kept, { etag: answer.etag, ttlMs, mcp });
  }
  const problem =
    answer.status === 'same' ? { status: 'invalid' as const, why: 'HTTP 304 for an answer that is not known' } : answer;
  const now = thisMoment();
  const times = Math.min((head?.failure?.times ?? 0) + 1, 10);
  const failed: Head = {
    ...asked,
    checkedAt: now.at,
    checkedUp: now.up,
    digest: before?.digest ?? '',
    freshUntil: now.at + waitAfter(problem.status, times, now.up - askedAt.up),
    failure: { status: problem.status, why: problem.why, times },
  };
  save(() => writeHead(home, key, failed));
  return { status: 'failed', head: failed, why: problem.why, kind: problem.status };
};

/** Asks whether the known answer is still the same, if that is possible; if that fails, asks in full. */
const ask = async (
  source: Source,
  head: Head | undefined,
  left: () => number,
  keeper: SessionKeeper | undefined,
  { everything = false, again }: AskOptions,
): Promise<SourceAnswer> => {
  const repeat = everything || head === undefined ? undefined : source.repeat?.(head);
  if (head !== undefined && repeat !== undefined) {
    const deadline = left();
    const repeated = (await again?.(source.key, head, deadline)) ?? (await askAgain(repeat, deadline, keeper));
    if (repeated.status === 'same') return { status: 'same' };
    if (repeated.status === 'timeout') return { status: 'unreachable', why: `no answer within ${inSeconds(deadline)}` };
    if (repeated.status === 'other') {
      const answer = readAnswer(repeated.text, repeated.etag);
      if (isWhole(answer) || !head.mcp) return answer;
    }
  }
  return source.ask(head?.etag, left(), everything, source.repeat && keeper);
};

/** Whether an answer over MCP is complete: not an error, and without further pages. */
export const isWhole = (answer: SourceAnswer): boolean => answer.status === 'answered' && !answer.list.partial;

export interface AskOptions {
  /** Seconds. */
  freshFor: number;
  /** Milliseconds for the question. The wait for another process's answer comes before that. */
  deadline: number;
  /** An answer counts as live if it was asked for at this moment or later. Absent: now. */
  since?: Moment;
  /** Ignore answers that were asked for before `since`, even if they still count as live; ask in a new session. */
  force?: boolean | undefined;
  /** Ask for prompts and resources, too. Then the source is always asked. */
  everything?: boolean;
  /** The session that asks; see `Source.personal`. */
  session?: string | undefined;
  /** Asks over a kept connection whether the answer is still the same; undefined if this source has none. */
  again?: (key: string, head: Head, deadline: number) => Promise<Repeated | undefined> | undefined;
}

/** The same keeper, whose session is ended with the next question, and replaced. */
const inNewSession = (keeper: SessionKeeper): SessionKeeper => ({
  ...keeper,
  read: () => {
    const kept = keeper.read();
    return kept && { ...kept, age: Number.POSITIVE_INFINITY };
  },
});

/** What a source answers now: its last answer if that still counts as live; otherwise one process asks for all. */
export const askSource = async (home: string, source: Source, options: AskOptions): Promise<LiveAnswer> => {
  const since = options.since ?? thisMoment();
  const session = source.personal ? (options.session ?? '') : undefined;
  const heard = (): LiveAnswer | undefined => {
    const head = readHead(home, source.key);
    if (head === undefined || head.session !== session) return undefined;
    const askedSince = head.checkedAt >= since.at && head.checkedUp >= since.up && ageOfHead(head) !== undefined;
    if (!askedSince && (options.force || !isLive(head, session) || head.checkedAt <= (source.changedAt?.() ?? 0)))
      return undefined;
    if (head.failure) return { status: 'failed', head, why: head.failure.why, kind: head.failure.status };
    const live = readLive(home, source.key);
    return live?.digest === head.digest ? { status: 'live', live, head } : undefined;
  };
  const question = async (): Promise<LiveAnswer> => {
    const head = readHead(home, source.key);
    const known =
      head?.failure || head?.session !== session || readLive(home, source.key)?.digest !== head?.digest
        ? undefined
        : head;
    const askedAt = thisMoment();
    const end = askedAt.up + options.deadline;
    const left = (): number => Math.max(LEAST, Math.floor(end - thisMoment().up));
    const keeper = sessionKeeper(home, source.key);
    // A server may show an old session old tools, so what has to be certain is asked in a new one.
    const answer = await ask(source, known, left, options.force ? keeper && inNewSession(keeper) : keeper, options);
    return keepAnswer(home, { ...source, ...defined({ session }) }, answer, options.freshFor, askedAt);
  };
  if (options.everything) return question();
  return heard() ?? askOnce(home, source.key, Math.min(options.deadline, PATIENCE), question, heard);
};
