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

/** Puts answers into the baseline of a session, and finds what changed since the last one. */
export class Recording {
  readonly drifts: SourceDrift[] = [];
  /** Sources whose advertised hashes are wrong. */
  readonly mismatched: { name: string; key: string; live: Live }[] = [];
  /** Keys of sources that had not answered when the time was up. */
  readonly pending: string[] = [];
  /** Servers that answer Claude Code alone, and why. */
  readonly unaskable = new Map<string, string>();
  readonly #start: Start;
  readonly #baseline: SessionBaseline;
  readonly #kept: SessionBaseline | undefined;
  readonly #newest: ReturnType<typeof readNewest>;
  readonly #listedEarlier: Map<string, SourceBaseline> | undefined;

  /**
   * @param baseline is completed
   * @param kept what the session has recorded before
   * @param listedEarlier what the client listed before a `/clear`: it may go on showing that
   */
  constructor(
    start: Start,
    baseline: SessionBaseline,
    kept: SessionBaseline | undefined,
    listedEarlier: Map<string, SourceBaseline> | undefined,
  ) {
    this.#start = start;
    this.#baseline = baseline;
    this.#kept = kept;
    this.#newest = readNewest(start.home);
    this.#listedEarlier = listedEarlier;
  }

  async add(asked: AskedSource, kind: SourceKind): Promise<void> {
    const { source, answer } = asked;
    if (answer === 'pending') {
      this.pending.push(source.key);
      this.#fail(source, 'pending', 'no answer yet');
    } else if (answer.status === 'failed') {
      if (answer.kind === 'unaskable' && kind === 'server') this.unaskable.set(source.name, answer.why);
      this.#fail(source, answer.kind, answer.why);
    } else {
      const { name, key } = source;
      if (answer.live.mismatched.length > 0) this.mismatched.push({ name, key, live: answer.live });
      await this.#compare(source, answer, kind);
      if (this.#kept?.sources[key] === undefined) await this.#record(asked, answer);
    }
  }

  #fail({ key, name, where }: Source, status: SessionBaseline['failed'][string]['status'], why: string): void {
    this.#baseline.failed[key] = { name, where, status, why };
  }

  /** Compares an answer with what this session recorded, or with what the last one did. */
  async #compare({ name, key }: Source, { live }: LiveAnswered, kind: SourceKind): Promise<void> {
    const mine = this.#kept?.sources[key];
    const before = mine ?? lastOf(this.#start.home, key, this.#newest);
    if (before === undefined || isSame(before, live)) return;
    // A server's own version changes with every build: between sessions, that is irrelevant.
    const isNews = before.schema_version !== live.schemaVersion && (mine !== undefined || kind === 'gateway');
    const { driftBetween } = await import('./what-changed.ts');
    const drift = driftBetween(before, live, isNews ? kind : undefined);
    const since = mine ? 'this session began' : 'last session';
    const release = mine && { source: key, digest: live.digest };
    if (drift) this.drifts.push({ name, since, ...defined({ release }), ...drift });
  }

  async #record({ source, served }: AskedSource, answer: LiveAnswered): Promise<void> {
    const { finishing, source: startedBy } = this.#start;
    // A fork goes on with another conversation, and so may any start of which we do not know yet.
    const isNew = startedBy === 'startup' || startedBy === 'clear';
    const goesOn = !isNew || (this.#kept !== undefined && !finishing);
    const { digest, ...answered } = toBaseline(source, answer, goesOn);
    const listed = this.#listedEarlier?.get(source.key);
    const carried = listed ? (await import('./what-changed.ts')).carriedOn(listed, answer.live.tools) : [];
    this.#baseline.sources[source.key] = {
      ...answered,
      ...(served ? { tools: served } : defined({ digest })),
      ...(carried.length > 0 ? { carried } : {}),
      // The list that the client was given is known at any time.
      ...(finishing && !served ? { completed: true } : {}),
    };
  }
}
