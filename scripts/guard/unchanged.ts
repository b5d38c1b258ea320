import { ageOfHead, type Head, isLive, LONGEST_TTL, readHead, writeHead } from '../sources/head.ts';
import { askAgain, type Repeat } from '../sources/revalidate.ts';
import { askOnce, timeLeft } from '../state/asking.ts';
import { type Moment, thisMoment } from '../state/circumstances.ts';
import { readFrom, readJson } from '../state/files.ts';
import { type Memo, readMemo, writeMemo } from '../state/memo.ts';
import { configPath } from '../state/paths.ts';
import { type Stamped, unmoved } from '../state/stamp.ts';
import { digestOfVariables } from '../state/variables.ts';
import { eachLine, recordAt, transcriptOf } from '../transcript/records.ts';
import type { ToolInput } from './input.ts';

/** More than this since the last look, in bytes, and the slow path reads it and moves the mark. */
const LONGEST_TAIL = 1024 * 1024;

/** Whether the model still sees its tools by the request shape that the memo names. */
const sameView = (memo: Memo, path: string): boolean => {
  const { offset, shape } = memo.view;
  if (memo.view.path !== path) return false;
  const tail = path === '' ? null : readFrom(path, offset, LONGEST_TAIL);
  if (tail === null) return shape === null;
  if (tail.size < offset || tail.size - offset > LONGEST_TAIL) return false;
  let same = true;
  eachLine(tail.bytes, (start, end) => {
    const record = recordAt(tail.bytes, start, end);
    if (record !== null && record.shape !== shape) same = false;
  });
  return same;
};

/** What a source answered just now, or that it did not: so that nobody asks twice for one call. */
export interface QuickAnswer {
  key: string;
  name: string;
  /** Absent where it did not answer in time. */
  text?: string;
  etag?: string | undefined;
  at: Moment;
  /** Seconds. */
  freshFor: number;
}

export type Unchanged =
  /** Nothing changed: there is nothing to say. */
  | { unchanged: true; said?: Memo['said'] }
  /** Something changed, or cannot be told from here; with what was asked already. */
  | { unchanged: false; asked?: QuickAnswer };

const LONGER_WAY: Unchanged = { unchanged: false };

/** How long it waits for an answer to the question of another call, in ms. */
const PATIENCE = 1_500;

/** How to ask a source again: settings may hold secrets, so they are read from where the user keeps them. */
const howToAsk = (home: string, head: Head, env: NodeJS.ProcessEnv): Repeat | null => {
  const { name, etag, mcp } = head;
  if (etag === undefined) return null;
  if (mcp) return mcp.url === undefined ? null : { ...mcp, url: mcp.url, headers: {}, etag };
  // Only what needs no expanding is asked from here; the slow path knows the rest.
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

/** The answer is older than it may be: one request decides whether it is still the same. */
const stillSame = async (
  home: string,
  key: string,
  head: Head,
  env: NodeJS.ProcessEnv,
  since: Moment,
): Promise<Unchanged> => {
  const repeat = howToAsk(home, head, env);
  if (repeat === null) return LONGER_WAY;

  const question = async (): Promise<Unchanged> => {
    const at = thisMoment();
    const reply = await askAgain(repeat, timeLeft(since));
    if (reply.status === 'unsettled') return LONGER_WAY;
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
    if (now === undefined || ageOfHead(now) === undefined || !(askedSince || isLive(now, undefined))) return undefined;
    return now.digest === head.digest && !now.failure ? { unchanged: true } : LONGER_WAY;
  };
  // An answer that is not the same is kept by the longer way: until then, others wait.
  return askOnce(home, key, PATIENCE, question, heard, (found) => !found.unchanged && found.asked !== undefined);
};

/** The files as they are now, where none of them changed in what matters. */
const filesNow = (files: readonly Stamped[]): Stamped[] | undefined => {
  const now: Stamped[] = [];
  for (const file of files) {
    const known = unmoved(file);
    if (known === undefined) return undefined;
    now.push(known);
  }
  return now;
};

/**
 * Whether everything is as it was when the guard last had nothing to say about this tool. Loads nothing.
 * @param since when the call was made
 */
export const isUnchanged = async (
  input: ToolInput,
  home: string,
  project: string,
  env: NodeJS.ProcessEnv,
  since: Moment,
): Promise<Unchanged> => {
  const memo = readMemo(home, input, project);
  if (memo === undefined || memo.variables.digest !== digestOfVariables(memo.variables.names, env)) return LONGER_WAY;
  if (!sameView(memo, transcriptOf(input))) return LONGER_WAY;
  const files = filesNow(memo.files);
  if (files === undefined) return LONGER_WAY;
  // The client rewrites its own file after every turn: one look at it is enough.
  if (files.some((file, index) => file !== memo.files[index])) writeMemo(home, input, project, { ...memo, files });
  const outdated: { key: string; head: Head }[] = [];
  for (const { key, digest, fresh } of memo.sources) {
    const head = readHead(home, key);
    if (head === undefined || head.digest !== digest || head.failure) return LONGER_WAY;
    const age = ageOfHead(head);
    const still = fresh ? isLive(head, input.session) : age !== undefined && age < LONGEST_TTL;
    if (!still) outdated.push({ key, head });
  }
  const [one, ...more] = outdated;
  if (one === undefined) return { unchanged: true, said: memo.said };
  if (more.length > 0) return LONGER_WAY;
  const found = await stillSame(home, one.key, one.head, env, since);
  return found.unchanged ? { ...found, said: memo.said } : found;
};
