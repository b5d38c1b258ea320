// How an answer of a source stands to what a session's baseline says of it.
import {
  changedLine,
  driftLine,
  silentLine,
  unseenLine,
  versionlessLine,
  versionText,
} from '../baseline/drift-line.ts';
import type { SourceBaseline } from '../baseline/sessions.ts';
import { contractHash, sha256 } from '../contract/canonical.ts';
import { defined, present } from '../contract/defined.ts';
import { isAhead } from '../contract/iso-date.ts';
import type { Contract, ListKind, Unread } from '../contract/types.ts';
import { ofReadable } from '../diff/diff-lists.ts';
import { diffOffered, type Offered } from '../diff/offered.ts';
import { ofContract } from '../diff/table.ts';
import { upgradeNote } from '../diff/upgrade.ts';
import type { Live, LiveAnswer } from '../sources/live.ts';
import { plural } from '../text/plural.ts';
import { quoteName, quoteNames } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { type Freshness, reason, UNKNOWN } from './freshness.ts';
import { listStates } from './lists.ts';

/** Which source an answer is from. */
type SourceNames = Pick<Freshness, 'name' | 'where' | 'kind' | 'key' | 'mode'>;

/** Lists that the server called changed while they were read, and that could be read after that. */
const announcement = (signals: readonly ListKind[] = [], unread: Unread = {}): Shown | undefined => {
  const settled = signals.filter((kind) => kind === 'tools' || unread[kind] === undefined);
  if (settled.length === 0) return undefined;
  const kinds = joined(
    settled.map((kind) => say`${kind}`),
    ', ',
  );
  return say`its ${kinds} changed while being read, and were read once more`;
};

/** Lists and single tools that could not be read in an answer, or in the one before. */
const unreadIn = ({ unread = {}, tools }: Offered, before?: Offered): Pick<Freshness, 'unread'> => {
  const ofTools = (list: readonly Contract[], when: Shown): Shown[] =>
    list.flatMap(({ name, defect }) =>
      defect === undefined ? [] : [say`its tool ${quoteName(name)} could not be ${when}: ${reason(defect)}`],
    );
  const now = ofTools(tools, say`read`);
  const dark = new Set(tools.flatMap(({ name, defect }) => (defect === undefined ? [] : [name])));
  const earlier = (before?.tools ?? []).filter(({ name }) => !dark.has(name));
  const all = [...Object.values(unread).map(reason), ...now, ...ofTools(earlier, say`read when the session started`)];
  return all.length > 0 ? { unread: all } : {};
};

/** Messages about an answer by itself, without comparing it. */
const remarksOn = ({ schemaVersion, tools }: Pick<Live, 'schemaVersion' | 'tools'>): Shown[] => {
  const unlisted = tools.filter(({ schemaless }) => schemaless).map(({ name }) => name);
  const ahead = schemaVersion !== undefined && isAhead(schemaVersion, Date.now());
  return present([
    unlisted.length > 0 &&
      say`listed by branches alone, without an input schema, so that any object is taken for valid: ${quoteNames(unlisted)}`,
    ahead && say`its version ${versionText(schemaVersion, '')} lies in the future: it is no date of a change`,
  ]);
};

/** Since when contracts are what they are. A baseline that was recorded late does not show what the model learned. */
const learned = ({ late, recorded_at }: SourceBaseline): Shown =>
  late ? say`as recorded on ${visible(recorded_at.slice(0, 10), { max: 40 })}` : say`as this session learned them`;

/** For prompts and resources: no tool call is concerned. */
const offersLine = (name: string, kinds: ReadonlySet<ListKind>): Shown => {
  const lists = joined(
    [...kinds].map((kind) => say`${kind}`),
    ' & ',
  );
  return say`⚠️ The ${lists} of ${quoteName(name)} changed since this session learned them; its tools did not.`;
};

/** Hashes of all contracts, then and now; undefined where they are the same. */
const hashesOf = (baseline: SourceBaseline, { tools }: Live): Freshness['contracts'] => {
  const hash = (list: readonly Contract[]): string =>
    sha256(
      list
        .map((tool) => `${tool.name} ${contractHash(tool)}`)
        .sort()
        .join('\n'),
    ).slice(0, 8);
  const [before, after] = [hash(baseline.tools), hash(tools)];
  return before === after ? undefined : { before, after };
};

const compare = (
  basis: SourceNames,
  baseline: SourceBaseline,
  asked: Extract<LiveAnswer, { status: 'live' }>,
): Freshness => {
  const { live } = asked;
  const [before, after] = [baseline.schema_version, live.schemaVersion];
  const changes = ofReadable(ofContract(diffOffered(baseline, live)), baseline.tools, live.tools);
  const note = upgradeNote(baseline, live, changes);
  const announced = announcement(live.signals, live.unread);
  const signs = present([note, announced]);
  const upgrade = signs.length > 0 ? joined(signs, '; ') : undefined;
  const { tools, mismatched } = live;
  const remarks = remarksOn(live);
  const lists = listStates(basis.kind, baseline, live, changes);
  const hashes = hashesOf(baseline, live);
  const found = {
    ...basis,
    ...(baseline.late ? { late: true } : {}),
    offered: live,
    ...defined({ before, after }),
    ...defined({ contracts: before === undefined && after === undefined ? hashes : undefined }),
    changes,
    tools,
    mismatched,
    remarks,
    lists,
    ...unreadIn(live, baseline),
  };
  const [then, now] = [versionText(before, baseline.recorded_at.slice(0, 10)), versionText(after, 'no version')];
  // If the day of the recording serves as version, two of the same day differ by their contents.
  const beside = then === now && hashes !== undefined;
  const was = beside ? say`${then} (contracts ${visible(hashes.before)})` : then;
  const is = beside ? say`${now} (contracts ${visible(hashes.after)})` : now;
  if (changes.length === 0 && before !== after) {
    const bumped = { ...found, remarks: [unseenLine(basis.kind), ...remarks], ...defined({ upgrade: announced }) };
    return { ...bumped, state: 'version-only', note: driftLine(basis.kind, was, is) };
  }
  const told = { ...found, ...defined({ upgrade }) };
  if (changes.length === 0)
    return { ...told, state: 'fresh', note: say`${plural(tools.length, 'tool')} ${learned(baseline)}` };
  const kinds = new Set<ListKind>(changes.map(({ offer }) => offer ?? 'tools'));
  if (!kinds.has('tools')) {
    const line = offersLine(basis.name, kinds);
    const note = before === after ? line : say`${line} Its version was ${was} and is ${is}.`;
    return { ...told, state: before !== undefined && before === after ? 'silent-drift' : 'drift', note };
  }
  if (before !== after) return { ...told, state: 'drift', note: driftLine(basis.kind, was, is) };
  if (before !== undefined) return { ...told, state: 'silent-drift', note: silentLine(before) };
  if (basis.kind === 'gateway') return { ...told, state: 'silent-drift', note: versionlessLine() };
  const changed = new Set(changes.flatMap(({ tool, offer }) => (offer === undefined ? [tool] : []))).size;
  return { ...told, state: 'drift', note: changedLine([basis.name], changed, basis.mode ?? 'guard'), changed };
};

/** An answer with which nothing can be compared yet. */
const first = (basis: SourceNames, { live }: Extract<LiveAnswer, { status: 'live' }>): Freshness => {
  const { tools, mismatched, schemaVersion } = live;
  return {
    ...basis,
    state: 'no-baseline',
    note: say`no baseline yet: recorded now (${plural(tools.length, 'tool')})`,
    changes: [],
    tools,
    offered: live,
    mismatched,
    remarks: remarksOn(live),
    ...defined({ after: schemaVersion }),
    lists: listStates(basis.kind, undefined, live, []),
    ...unreadIn(live),
  };
};

/** How fresh a source is by its answer. @param baseline what it is compared with; absent if nothing was recorded */
export const freshnessOf = (basis: SourceNames, baseline: SourceBaseline | undefined, asked: LiveAnswer): Freshness => {
  if (asked.status === 'live') return baseline ? compare(basis, baseline, asked) : first(basis, asked);
  const before = defined({ before: baseline?.schema_version });
  return { ...UNKNOWN, ...basis, ...before, state: asked.kind, note: reason(asked.why) };
};
