import { toBaseline } from '../baseline/baseline.ts';
import type { SourceKind } from '../baseline/drift-line.ts';
import { lastOf, readNewest, type SessionBaseline, type SourceBaseline } from '../baseline/sessions.ts';
import { canonical } from '../contract/canonical.ts';
import { defined } from '../contract/defined.ts';
import type { Json } from '../contract/types.ts';
import type { Offered } from '../diff/offered.ts';
import type { Live, LiveAnswer } from '../sources/live.ts';
import type { Source } from '../sources/source.ts';
import type { AskedSource } from './ask-sources.ts';
import type { SourceDrift, Start } from './start.ts';

const offersOf = ({ offers, unread }: Offered): Json => [offers ?? null, unread ?? null] as unknown as Json;

/** Whether an answer holds what another one held: then there is nothing to compare. */
const isSame = (before: SourceBaseline, live: Live): boolean =>
  before.digest === live.digest && canonical(offersOf(before)) === canonical(offersOf(live));

type LiveAnswered = Extract<LiveAnswer, { status: 'live' }>;

/** What was found out while answers were put into a baseline. */
export interface RecordedAnswers {
  drifts: SourceDrift[];
  /** Sources whose advertised hashes are wrong. */
  mismatched: { name: string; key: string; live: Live }[];
  /** Keys of sources that had not answered when the time was up. */
  pending: string[];
  /** Servers that answer Claude Code alone, and why. */
  unaskable: Map<string, string>;
}

/**
 * Puts answers into the baseline of a session, and finds what changed since the last one.
 * @param baseline is completed
 * @param kept what the session has recorded before
 * @param listedEarlier what the client listed before a `/clear`: it may go on showing that
 */
export const recorder = (
  { home, finishing, source: startedBy }: Start,
  baseline: SessionBaseline,
  kept: SessionBaseline | undefined,
  listedEarlier: Map<string, SourceBaseline> | undefined,
) => {
  const newest = readNewest(home);
  const recorded: RecordedAnswers = { drifts: [], mismatched: [], pending: [], unaskable: new Map() };

  /** Compares an answer with what this session recorded, or with what the last one did. */
  const compare = async ({ name, key }: Source, { live }: LiveAnswered, kind: SourceKind): Promise<void> => {
    const mine = kept?.sources[key];
    const before = mine ?? lastOf(home, key, newest);
    if (before === undefined || isSame(before, live)) return;
    // A server's own version changes with every build: between sessions, that is irrelevant.
    const isNews = before.schema_version !== live.schemaVersion && (mine !== undefined || kind === 'gateway');
    const { driftBetween } = await import('./what-changed.ts');
    const drift = driftBetween(before, live, isNews ? kind : undefined);
    const since = mine ? 'this session began' : 'last session';
    const release = mine && { source: key, digest: live.digest };
    if (drift) recorded.drifts.push({ name, since, ...defined({ release }), ...drift });
  };

  const record = async ({ source, served }: AskedSource, answer: LiveAnswered): Promise<void> => {
    // A fork goes on with another conversation, and so may any start of which we do not know yet.
    const isNew = startedBy === 'startup' || startedBy === 'clear';
    const goesOn = !isNew || (kept !== undefined && !finishing);
    const { digest, ...answered } = toBaseline(source, answer, goesOn);
    const listed = listedEarlier?.get(source.key);
    const carried = listed ? (await import('./what-changed.ts')).carriedOn(listed, answer.live.tools) : [];
    baseline.sources[source.key] = {
      ...answered,
      ...(served ? { tools: served } : defined({ digest })),
      ...(carried.length > 0 ? { carried } : {}),
      // The list that the client was given is known at any time.
      ...(finishing && !served ? { completed: true } : {}),
    };
  };

  const add = async (asked: AskedSource, kind: SourceKind): Promise<void> => {
    const { source, answer } = asked;
    const { key, name, where } = source;
    if (answer === 'pending') {
      recorded.pending.push(key);
      baseline.failed[key] = { name, where, status: 'pending', why: 'no answer yet' };
    } else if (answer.status === 'failed') {
      if (answer.kind === 'unaskable' && kind === 'server') recorded.unaskable.set(name, answer.why);
      baseline.failed[key] = { name, where, status: answer.kind, why: answer.why };
    } else {
      if (answer.live.mismatched.length > 0) recorded.mismatched.push({ name, key, live: answer.live });
      await compare(source, answer, kind);
      if (kept?.sources[key] === undefined) await record(asked, answer);
    }
  };
  return { recorded, add };
};
