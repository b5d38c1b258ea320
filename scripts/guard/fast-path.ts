import { ageOfHead, type Head, isLive, LONGEST_TTL, readHead, writeHead } from '../sources/head.ts';
import type { askSource } from '../sources/live.ts';
import { sessionKeeper } from '../sources/mcp/kept-session.ts';
import { askAgain, type Repeat, type Repeated } from '../sources/revalidate.ts';
import { askOnce, timeLeft } from '../state/asking.ts';
import { type Moment, thisMoment } from '../state/circumstances.ts';
import { eachLine, readFrom, readJson } from '../state/files.ts';
import type { Marks } from '../state/markers.ts';
import { type Memo, readMemo, writeMemo } from '../state/memo.ts';
import { configPath } from '../state/paths.ts';
import { type Stamped, unmoved } from '../state/stamp.ts';
import { digestOfVariables } from '../state/variables.ts';
import { mayFollow, recordAt, showsTools, transcriptOf } from '../transcript/records.ts';
import type { ToolInput } from './input.ts';

/** If the transcript grew by more than this, in bytes, the slow path reads it and updates the memo. */
const LONGEST_TAIL = 1024 * 1024;

/** If more than this was looked through, in bytes, the memo notes how far, so that the next call begins there. */
const LONG_TAIL = 64 * 1024;

/**
 * The view up to where the transcript has only the memo's request shape, no attachment that shows tools, and no answer to a
 * request that it lacks, so that the model still sees the same tools; undefined if it has another.
 */
const sameUntil = ({ view }: Memo, path: string): Memo['view'] | undefined => {
  const { offset, shape } = view;
  if (view.path !== path) return undefined;
  // With the end of the line before it: another file under this name has none there.
  const from = Math.max(0, offset - 1);
  const tail = path === '' ? null : readFrom(path, from, LONGEST_TAIL);
  if (tail === null) return shape === null ? view : undefined;
  if (tail.size < offset || tail.size - from > LONGEST_TAIL) return undefined;
  if (from < offset && tail.bytes[0] !== 10) return undefined;
  let same = true;
  let { request = '' } = view;
  const read = eachLine(tail.bytes, (start, end) => {
    const record = recordAt(tail.bytes, start, end);
    if (record === null)
      same &&= !showsTools(tail.bytes, start, end) && mayFollow(tail.bytes.subarray(start, end), request);
    else if (record.shape !== shape) same = false;
    else if (request) request = record.id ?? request;
  });
  return same ? { ...view, request, offset: from + read } : undefined;
};

/** A source's answer or silence of just now, handed over so that it is asked only once for a call. */
export interface QuickAnswer {
  key: string;
  name: string;
  /** Absent if it did not answer in time. */
  text?: string;
  etag?: string | undefined;
  at: Moment;
  /** Seconds for which the answer counts as live. */
  freshFor: number;
}

/**
 * What a process that stays knows of its sources beyond the files of the state folder. Without it, an answer counts for as
 * long as its head says, and is then asked for again.
 */
export interface Knowledge {
  /**
   * Whether a source's last answer counts as live, however old or new it is: not after its server announced a change.
   * Undefined: as long as its head says. `reads`: for a tool that only reads.
   */
  counts(key: string, head: Head, input: ToolInput, reads: boolean): boolean | undefined;
  /** Asks a source, over an open connection, whether its last answer still holds; undefined without such a connection. */
  again(key: string, head: Head, deadline: number): Promise<Repeated> | undefined;
  /** Asks a source as `askSource` does; absent: with that. */
  ask?: typeof askSource;
  /** Whether a call ran without an error. False if unknown. */
  ran(toolUseId: string): boolean;
  /** Called for every judged call. */
  judged(input: ToolInput, call: JudgedCall): void;
}

/** What a verdict on a call rests on. */
export interface JudgedCall {
  sources: readonly { key: string; digest: string }[];
  /** Whether the tool only reads, by its live contract. */
  reads: boolean;
  /** Whether the call was stopped. */
  stopped: boolean;
  /** A person was asked: it is sent only after a yes. */
  asked?: true;
  /** What counts as said from now on. */
  marks?: Marks;
}

/** Where and when a call was made: for a hook its process, for the resident guard what it knows of the session. */
export interface CallPlace {
  home: string;
  project: string;
  env: NodeJS.ProcessEnv;
  /** When the call was made. */
  since: Moment;
  knowledge?: Knowledge | undefined;
}

export type Unchanged =
  /** Nothing changed: the last verdict, silence, still holds. Without a memo, the slow path has to find out. */
  | { unchanged: true; memo?: Memo }
  /** Something changed, or may have; `asked` is what a source answered here. */
  | { unchanged: false; asked?: QuickAnswer };

const SLOW_PATH: Unchanged = { unchanged: false };

/** How long it waits for the answer to another call's question, in ms. */
const PATIENCE = 1_500;

/**
 * The request that asks a source again; null if only the slow path can ask it. A gateway's URL and headers may be secret, so
 * they are read from the user's settings and never kept in the head.
 */
const howToAsk = (home: string, head: Head, env: NodeJS.ProcessEnv): Repeat | null => {
  const { name, etag, mcp } = head;
  if (etag === undefined) return null;
  if (mcp) return mcp.url === undefined ? null : { ...mcp, url: mcp.url, headers: {}, etag };
  // Only settings without variables and credentials are used here; the slow path knows the rest.
  const plain = (text: unknown): text is string =>
    typeof text === 'string' && !text.includes('${') && !text.includes('@');
  const config = readJson(configPath(home)) as { gateways?: Record<string, Partial<GatewayRequest>> } | undefined;
  const known = config?.gateways;
  const configured = known && Object.hasOwn(known, name) ? known[name] : undefined;
  const gateway = name === 'GATEWAY_URL' && env.GATEWAY_URL ? { ...configured, url: env.GATEWAY_URL } : configured;
  const headers = gateway?.headers ?? {};
  if (!plain(gateway?.url) || !/^https?:/.test(gateway.url) || !Object.values(headers).every(plain)) return null;
  const [base, query] = gateway.url.split('#', 1)[0]?.split('?') ?? [];
  if (base === undefined || query !== undefined) return null;
  const path = base.replace(/\/+$/, '');
  return { url: path.endsWith('/api/tools/list') ? path : `${path}/api/tools/list`, headers, etag };
};

type GatewayRequest = { url: string; headers: Record<string, string> };

/** For an answer that no longer counts as live: one request decides whether it is still the same. */
const stillSame = async (
  key: string,
  head: Head,
  around: CallPlace,
  counts: (key: string, head: Head) => boolean,
): Promise<Unchanged> => {
  const { home, env, since, knowledge } = around;
  const repeat = knowledge === undefined ? howToAsk(home, head, env) : null;
  if (knowledge === undefined && repeat === null) return SLOW_PATH;

  const question = async (): Promise<Unchanged> => {
    const at = thisMoment();
    const deadline = timeLeft(since);
    const asking =
      repeat === null ? knowledge?.again(key, head, deadline) : askAgain(repeat, deadline, sessionKeeper(home, key));
    const reply = await asking;
    if (reply === undefined || reply.status === 'unsettled') return SLOW_PATH;
    const freshFor = head.freshUntil - head.checkedAt;
    const asked = { key, name: head.name, at, freshFor: freshFor / 1000 };
    if (reply.status === 'timeout') return { unchanged: false, asked };
    if (reply.status === 'other') return { unchanged: false, asked: { ...asked, text: reply.text, etag: reply.etag } };
    try {
      writeHead(home, key, { ...head, checkedAt: at.at, checkedUp: at.up, freshUntil: at.at + freshFor });
    } catch {
      // Then the next call asks again.
    }
    return { unchanged: true };
  };
  const heard = (): Unchanged | undefined => {
    const now = readHead(home, key);
    const askedSince = now !== undefined && now.checkedAt >= since.at && now.checkedUp >= since.up;
    if (now === undefined || ageOfHead(now) === undefined || !(askedSince || counts(key, now))) return undefined;
    return now.digest === head.digest && !now.failure ? { unchanged: true } : SLOW_PATH;
  };
  // The slow path stores an answer that is not the same: others wait until then.
  return askOnce(home, key, PATIENCE, question, heard, (found) => !found.unchanged && found.asked !== undefined);
};

/** The files with their present stamps; undefined if one of them changed in what matters. */
const filesNow = (files: readonly Stamped[]): Stamped[] | undefined => {
  const now: Stamped[] = [];
  for (const file of files) {
    const known = unmoved(file);
    if (known === undefined) return undefined;
    now.push(known);
  }
  return now;
};

/** Whether everything that the last silent verdict on this tool depends on is unchanged. Loads only Node's own modules. */
export const isUnchanged = async (input: ToolInput, around: CallPlace): Promise<Unchanged> => {
  const { home, project, env, knowledge } = around;
  const memo = readMemo(home, input, project);
  if (memo === undefined || memo.variables.digest !== digestOfVariables(memo.variables.names, env)) return SLOW_PATH;
  const view = sameUntil(memo, transcriptOf(input));
  if (view === undefined) return SLOW_PATH;
  const files = filesNow(memo.files);
  if (files === undefined) return SLOW_PATH;
  // The client rewrites its own file after every turn: with the new stamp in the memo it is read only once.
  if (view.offset - memo.view.offset > LONG_TAIL || files.some((file, index) => file !== memo.files[index]))
    writeMemo(home, input, project, { ...memo, files, view });
  const counts = (key: string, head: Head): boolean =>
    knowledge?.counts(key, head, input, memo.reads === true) ?? isLive(head, input.session);
  const outdated: { key: string; head: Head }[] = [];
  for (const { key, digest, fresh } of memo.sources) {
    const head = readHead(home, key);
    if (head === undefined || head.digest !== digest || head.failure) return SLOW_PATH;
    const age = ageOfHead(head);
    const still = fresh ? counts(key, head) : age !== undefined && age < LONGEST_TTL;
    if (!still) outdated.push({ key, head });
  }
  const [one, ...more] = outdated;
  if (one === undefined) return { unchanged: true, memo };
  if (more.length > 0) return SLOW_PATH;
  const found = await stillSame(one.key, one.head, around, counts);
  return found.unchanged ? { ...found, memo } : found;
};
