import { versionText } from '../baseline/drift-line.ts';
import type { Contract } from '../contract/types.ts';
import type { Offered } from '../diff/offered.ts';
import type { FoundChange } from '../diff/types.ts';
import type { Mode } from '../judge/judge.ts';
import { type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import type { ListStates } from './lists.ts';

export type FreshnessState =
  | 'fresh'
  | 'drift'
  | 'silent-drift'
  | 'version-only'
  | 'no-baseline'
  | 'unreachable'
  | 'invalid'
  | 'unaskable'
  | 'not-configured';

/** How fresh one source is, compared with the session's baseline. */
export interface Freshness {
  state: FreshnessState;
  name: string;
  where: string;
  /** In which its calls are judged; absent if it was not asked. */
  mode?: Mode;
  /** Whether the source is a gateway, which speaks for servers, or a server itself. */
  kind: 'gateway' | 'server';
  /** The versions that the source advertised, at the session's start and now. */
  before?: string;
  after?: string;
  changes: FoundChange[];
  tools: Contract[];
  /** By which its baselines are kept; absent if it was not asked. */
  key?: string;
  /** All that it offers now; absent if it did not answer. */
  offered?: Offered;
  /** The baseline was recorded after the conversation had begun: what the model learned before that is not known. */
  late?: boolean;
  /** Tools whose advertised hash is not the hash of their contract. */
  mismatched: string[];
  /** What happened, in one line. */
  note: Shown;
  /** How many tools changed of a server that tells no version: several such servers are told in one line. */
  changed?: number;
  /** A gateway judges its calls, and does not list what changed: nothing may be promised of them. */
  hidden?: true;
  /** Further messages, each in one line. */
  remarks: Shown[];
  /** Hashes of all its contracts, if it has no version. */
  contracts?: { before: string; after: string };
  /** Signs of a new build with other library versions, and what the server announced while it was asked. */
  upgrade?: Shown;
  /** The state of each of its lists; absent if it did not answer. */
  lists?: ListStates;
  /** Why some of its lists could not be read. */
  unread?: Shown[];
}

/** What is said of a source without an answer. */
export const UNKNOWN = { changes: [], tools: [], mismatched: [], remarks: [] } satisfies Partial<Freshness>;

export const EXIT: Record<FreshnessState, 0 | 1 | 2> = {
  fresh: 0,
  drift: 1,
  'silent-drift': 1,
  'version-only': 1,
  'no-baseline': 0,
  unreachable: 2,
  invalid: 2,
  unaskable: 2,
  'not-configured': 0,
};

/**
 * One exit code for several sources: 1 if any drifted, else 2 if any could not be checked, else 0. A list that could not
 * be read is not fresh.
 */
export const exitOf = (freshness: readonly Freshness[]): 0 | 1 | 2 => {
  const exits = freshness.map(({ state, unread = [] }) => EXIT[state] || (unread.length > 0 ? 2 : 0));
  return exits.includes(1) ? 1 : exits.includes(2) ? 2 : 0;
};

/** The version that a gateway advertises, and the one that the session started with; undefined for anything else. */
export const versionLine = ({ state, kind, before, after, contracts }: Freshness): Shown | undefined => {
  if (kind !== 'gateway' || state === 'not-configured') return undefined;
  // Nothing was recorded, so what the session started with is unknown.
  const isOut = EXIT[state] === 2;
  const started = say`the session started with ${versionText(before, isOut ? 'none that is known' : 'none')}`;
  if (isOut) return say`SCHEMA_VERSION: not known now; ${started}`;
  // Without a version, its contents distinguish two releases.
  const [was, is] = [contracts && ` (contracts ${contracts.before})`, contracts && ` (contracts ${contracts.after})`];
  const now = say`SCHEMA_VERSION: ${versionText(after, 'none')}${visible(is ?? '')}`;
  if (contracts) return say`${now}; ${started}${visible(was ?? '')}`;
  return state === 'no-baseline' ? say`${now}, recorded now` : say`${now}; ${started}`;
};

/** The reason why something could not be asked, bounded and made safe. */
export const reason = (why: string): Shown => visible(why, { max: 500 });
